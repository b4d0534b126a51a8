//! Multiblade coordinates: small motions of a group of like parts that rotate about an axis.
//!
//! The coordinates x_i of the parts, each in its own axes, are written with those of the group,
//!
//! ```text
//!  x_i = q₀ + Σ (q_nc cos nψ_i + q_ns sin nψ_i) + q_d (−1)^i,      ψ_i = Ωt + ψ₀ + 2π i/N
//!  X = T(ψ) X_m   →   X_m' = T⁻¹ (F T − Ω dT/dψ) X_m
//! ```
//!
//! and the other bodies in world axes. If parts and surroundings are symmetric enough, the coefficients are then constant; otherwise they
//! are averaged over one revolution, and the remaining variation is reported.

mod error;
pub(in crate::analyses) mod group;

pub use error::MultibladeError;
pub use group::Coordinate;

use super::linear::local_axes::AxesChoice;
use super::linear::tangent_flow::TangentFlow;
use super::linear::{Eigenmode, LinearError, ModeKind, RotatingFrame};
use super::periodic::flow::{Flow, Sample, left_inverse, linearised};
use super::{PeriodicError, Transient};
use crate::model::Model;
use crate::state::State;
use group::Group;
use nalgebra::{Complex, DMatrix, DVector};
use std::f64::consts::TAU;
use taut_sparse::eigen;

/// Azimuths of one revolution at which the coefficients are evaluated.
const AZIMUTHS: usize = 32;
/// Largest difference after one revolution, relative to lengths and radians.
const REPEAT_TOLERANCE: f64 = 1e-5;
/// A mode is free if |λ| is below this, relative to the rate of rotation.
const FREE_TOLERANCE: f64 = 1e-7;
/// Relative distance of eigenvalues that count as equal.
const EQUAL_EIGENVALUES: f64 = 1e-7;

/// Linearised equations in multiblade coordinates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Multiblade {
    /// y' = A y, averaged over one revolution.
    pub A: DMatrix<f64>,
    /// The same at every azimuth.
    pub by_azimuth: Vec<DMatrix<f64>>,
    /// (ξ, dv, z) of the group and the other bodies by y.
    pub basis: DMatrix<f64>,
    /// Names of the rows of the basis: `collective(blade.vx)`, `hub.vx`; changes of velocity with `dv(…)`.
    pub names: Vec<String>,
    /// Largest relative variation of A over one revolution.
    pub periodicity: f64,
    /// Number of like parts.
    pub count: usize,
    /// Rate of rotation, rad/s.
    pub rate: f64,
    /// Weights of ξ for shares of kinetic energy, and the kind of each row.
    mass: DMatrix<f64>,
    kinds: Vec<RowKind>,
}

/// Where a row of the basis belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RowKind {
    Group(Coordinate),
    Body(String),
}

/// A mode in multiblade coordinates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MultibladeMode {
    /// The mode; its shape is in multiblade coordinates.
    pub mode: Eigenmode,
    /// What moves: `collective`, `progressive 1`, `regressive 1`, `differential`, or the name of a body.
    pub label: String,
    /// Share of the kinetic energy of that.
    pub share: f64,
}

/// The linearised equations of a motion that rotates steadily, in multiblade coordinates of a group.
///
/// # Errors
/// The group is incomplete or uneven, or the motion does not repeat after one revolution.
pub fn multiblade(
    model: &Model,
    state: &State,
    words: &[String],
    frame: RotatingFrame,
    settings: &Transient,
) -> Result<Multiblade, MultibladeError> {
    let group = Group::find(model, state, words, &frame)?;
    let mut choice = vec![AxesChoice::World; model.bodies.len()];
    for b in group.bodies.iter().flatten() {
        if matches!(model.bodies[*b].kind, crate::bodies::BodyKind::PointMass(_)) {
            return Err(MultibladeError::NoAxes { name: model.bodies[*b].name.clone() });
        }
        choice[*b] = AxesChoice::Body;
    }
    let period = TAU / frame.rate.abs();
    let mut flow = Flow::new(model, state, settings, period, choice)?;
    // Like parts have like units.
    for rows in Places::new(&flow, &group).rows {
        let unit = flow.scales[rows[0]];
        rows.iter().for_each(|row| flow.scales[*row] = unit);
    }
    let samples = flow.along(state, period, AZIMUTHS)?;
    let last = &samples[AZIMUTHS];
    let difference = flow.difference(&samples[0], last).amax();
    if difference.is_nan() || difference > REPEAT_TOLERANCE {
        return Err(MultibladeError::NotPeriodic { difference, rate: frame.rate });
    }
    let places = Places::new(&flow, &group);
    let turned = |k: usize| {
        let psi = TAU * k as f64 / AZIMUTHS as f64;
        places.transformed(&samples[k].flow, &group, psi, frame.rate.abs())
    };
    let first = turned(0);
    let singular = || PeriodicError::SingularPose { t: state.t, found: 0, expected: first.basis.ncols() };
    let L = left_inverse(&first.basis).ok_or_else(singular)?;
    let mut by_azimuth = Vec::with_capacity(AZIMUTHS);
    let mut mean_basis = DMatrix::zeros(first.basis.nrows(), first.basis.ncols());
    for k in 0..AZIMUTHS {
        let here = turned(k);
        let inverse = (&L * &here.basis).try_inverse().ok_or_else(singular)?;
        by_azimuth.push(&L * &here.rates * &inverse);
        mean_basis += &here.basis * inverse / AZIMUTHS as f64;
    }
    let mut A = DMatrix::zeros(first.basis.ncols(), first.basis.ncols());
    by_azimuth.iter().for_each(|one| A += one / AZIMUTHS as f64);
    let size = A.norm();
    let periodicity = by_azimuth.iter().fold(0.0_f64, |a, one| a.max((one - &A).norm())) / size.max(f64::MIN_POSITIVE);
    let mass = places.energy_weights(&flow, &group, &samples[0])?;
    let mut basis = mean_basis;
    basis.row_iter_mut().zip(flow.scales.iter()).for_each(|(mut row, unit)| row *= *unit);
    Ok(Multiblade {
        A,
        by_azimuth,
        basis,
        names: places.names(&flow, &group),
        periodicity,
        count: group.count,
        rate: frame.rate,
        mass,
        kinds: places.kinds(&flow, &group),
    })
}

/// Rows of X that belong together: for every like quantity one row per part.
struct Places {
    rows: Vec<Vec<usize>>,
}

impl Places {
    fn new(flow: &Flow, group: &Group) -> Places {
        let (model, n) = (flow.model, flow.model.sizes.v);
        let mut rows = Vec::new();
        for offset in [0, n] {
            for set in &group.bodies {
                let of = |c: usize| set.iter().map(|b| offset + model.bodies[*b].v.start + c).collect::<Vec<_>>();
                rows.extend((0..model.bodies[set[0]].v.len()).map(of));
            }
        }
        // Extra states that take part, in the order of X.
        let mut place = vec![None; model.sizes.z];
        let chosen = (0..model.sizes.z).filter(|z| flow.states[*z]);
        chosen.enumerate().for_each(|(k, z)| place[z] = Some(2 * n + k));
        for set in &group.forces {
            for c in 0..model.forces[set[0]].z.len() {
                let of = |f: &usize| place.get(model.forces[*f].z.start + c).copied().flatten();
                if let Some(all) = set.iter().map(of).collect::<Option<Vec<_>>>() {
                    rows.push(all);
                }
            }
        }
        Places { rows }
    }

    /// E_m = T⁻¹ E and its rates T⁻¹ (F E − Ω dT/dψ E_m).
    fn transformed(&self, flow: &TangentFlow, group: &Group, psi: f64, rate: f64) -> TangentFlow {
        let [T, slope] = group.transform(psi);
        // Columns of T are orthogonal.
        let lengths = T.tr_mul(&T).diagonal();
        let inverse = DMatrix::from_fn(group.count, group.count, |i, j| T[(j, i)] / lengths[i]);
        let (mut basis, mut rates) = (flow.basis.clone(), flow.rates.clone());
        for rows in &self.rows {
            let (x, xdot) = (&inverse * flow.basis.select_rows(rows), &inverse * flow.rates.select_rows(rows));
            let moved = xdot - &inverse * &slope * &x * rate;
            for (k, row) in rows.iter().enumerate() {
                basis.row_mut(*row).copy_from(&x.row(k));
                rates.row_mut(*row).copy_from(&moved.row(k));
            }
        }
        TangentFlow { basis, rates }
    }

    /// What every row of X_m is: in the place of part k stands coordinate k of the group.
    fn kinds(&self, flow: &Flow, group: &Group) -> Vec<RowKind> {
        let n = flow.model.sizes.v;
        let mut kinds: Vec<RowKind> = Vec::with_capacity(flow.scales.len());
        for _ in 0..2 {
            for b in &flow.model.bodies {
                kinds.extend(b.v.clone().map(|_| RowKind::Body(b.name.clone())));
            }
        }
        kinds.resize(flow.scales.len().max(2 * n), RowKind::Body("extra state".to_string()));
        for rows in &self.rows {
            for (k, row) in rows.iter().enumerate() {
                kinds[*row] = RowKind::Group(Coordinate::of(k, group.count));
            }
        }
        kinds
    }

    /// Names of the rows of X_m.
    fn names(&self, flow: &Flow, group: &Group) -> Vec<String> {
        let v: Vec<String> = flow.model.state_names().1.into_iter().map(|v| v.name).collect();
        let n = v.len();
        let extra = (2 * n..flow.scales.len()).map(|k| format!("z{}", k - 2 * n + 1));
        let mut names: Vec<String> = v.iter().map(|v| format!("xi({v})")).collect();
        names.extend(v.iter().map(|v| format!("dv({v})")));
        names.extend(extra);
        for rows in &self.rows {
            let first = names[rows[0]].clone();
            for (k, row) in rows.iter().enumerate() {
                names[*row] = format!("{} {first}", Coordinate::of(k, group.count).label());
            }
        }
        names
    }

    /// M for shares of kinetic energy: the sum over the parts is N q₀* M q₀ + N/2 Σ q_n* M q_n + N q_d* M q_d.
    fn energy_weights(&self, flow: &Flow, group: &Group, at: &Sample) -> Result<DMatrix<f64>, MultibladeError> {
        let mut M = linearised(flow.model, &at.state)?.eq.dense_mass();
        for (b, axes) in flow.model.bodies.iter().zip(&at.axes) {
            let (from, count) = (b.v.start, b.v.len());
            let block = axes.Z.tr_mul(&(M.view((from, from), (count, count)) * &axes.Z));
            M.view_mut((from, from), (count, count)).copy_from(&block);
        }
        for set in &group.bodies {
            for (k, b) in set.iter().enumerate() {
                let times = match Coordinate::of(k, group.count) {
                    Coordinate::Collective | Coordinate::Differential => group.count as f64,
                    Coordinate::Cosine(_) | Coordinate::Sine(_) => 0.5 * group.count as f64,
                };
                let (from, count) = (flow.model.bodies[*b].v.start, flow.model.bodies[*b].v.len());
                M.view_mut((from, from), (count, count)).scale_mut(times);
            }
        }
        Ok(M)
    }
}

impl Multiblade {
    /// The modes of the averaged equations, the slowest first.
    ///
    /// # Errors
    /// The eigenvalues cannot be computed.
    pub fn modes(&self) -> Result<Vec<MultibladeMode>, MultibladeError> {
        let failed = |_| LinearError::NoConvergence {
            what: "the computation of the eigenvalues",
            left: f64::NAN,
            remedy: "check the motion with `taut run`",
        };
        let found = eigen(self.A.nrows(), self.A.as_slice()).map_err(failed)?;
        let n = self.mass.nrows();
        let basis = self.basis.map(|x| Complex::new(x, 0.0));
        let mut all: Vec<(Complex<f64>, DVector<Complex<f64>>)> = Vec::new();
        for (lambda, y) in found.values.into_iter().zip(found.vectors) {
            if lambda.im >= 0.0 || lambda.norm() <= FREE_TOLERANCE * self.rate.abs() {
                all.push((lambda, &basis * DVector::from_vec(y)));
            }
        }
        all.sort_by(|a, b| a.0.norm().total_cmp(&b.0.norm()));
        for group in all.chunk_by_mut(|a, b| (a.0 - b.0).norm() <= EQUAL_EIGENVALUES * a.0.norm()) {
            self.separate(group);
        }
        let mut modes = Vec::new();
        for (lambda, X) in all {
            let free = lambda.norm() <= FREE_TOLERANCE * self.rate.abs();
            let (label, share) = self.label(&X, lambda.im);
            let part = |from: usize, count: usize| X.rows(from, count).iter().copied().collect::<Vec<_>>();
            let kind = match lambda {
                _ if free => ModeKind::Free,
                l if l.im == 0.0 => ModeKind::Aperiodic,
                _ => ModeKind::Vibration,
            };
            let (xi, dv, z) = (part(0, n), part(n, n), part(2 * n, X.len() - 2 * n));
            modes.push(MultibladeMode { mode: Eigenmode { lambda, kind, xi, dv, z }, label, share });
        }
        Ok(modes)
    }

    /// A basis of an eigenspace whose modes are collective, cyclic or differential alone, if there is one: eigenvectors of the shares
    /// of kinetic energy, with a different weight for each.
    fn separate(&self, modes: &mut [(Complex<f64>, DVector<Complex<f64>>)]) {
        if modes.len() < 2 {
            return;
        }
        let n = self.mass.nrows();
        let V = DMatrix::from_columns(&modes.iter().map(|(_, X)| X.clone()).collect::<Vec<_>>());
        let weight = |kind: &RowKind| match kind {
            RowKind::Body(_) => 0.0,
            RowKind::Group(Coordinate::Collective) => 1.0,
            RowKind::Group(Coordinate::Differential) => 2.0,
            RowKind::Group(Coordinate::Cosine(m) | Coordinate::Sine(m)) => 2.0 + *m as f64,
        };
        let M = self.mass.map(|x| Complex::new(x, 0.0));
        let weighted = DMatrix::from_fn(n, n, |i, j| M[(i, j)] * weight(&self.kinds[i]));
        let xi = V.rows(0, n);
        let [whole, parts] = [&M, &weighted].map(|W| xi.ad_mul(&(W * xi)));
        let Some(back) = whole.cholesky().and_then(|c| c.l().try_inverse()) else { return };
        let shares = &back * parts * back.adjoint();
        let U = nalgebra::SymmetricEigen::new((&shares + shares.adjoint()) * Complex::new(0.5, 0.0)).eigenvectors;
        let turned = V * back.adjoint() * U;
        modes.iter_mut().zip(turned.column_iter()).for_each(|((_, X), column)| X.copy_from(&column));
    }

    /// What moves most: the kinetic energy of collective, cyclic and differential motion, and of the other bodies. Cyclic motion of
    /// frequency ω turns forward in space if q_c + i q_s is larger than q_c − i q_s; it is progressive if it also overtakes the parts,
    /// ω > nΩ, and regressive otherwise.
    fn label(&self, X: &DVector<Complex<f64>>, omega: f64) -> (String, f64) {
        let n = self.mass.nrows();
        let M = self.mass.map(|x| Complex::new(x, 0.0));
        let energy = |xi: &DVector<Complex<f64>>| xi.dotc(&(&M * xi)).re;
        let only = |wanted: &dyn Fn(&RowKind) -> bool| {
            DVector::from_fn(n, |i, _| if wanted(&self.kinds[i]) { X[i] } else { Complex::new(0.0, 0.0) })
        };
        let mut found: Vec<(String, f64)> = Vec::new();
        for k in 0..self.count {
            match Coordinate::of(k, self.count) {
                Coordinate::Sine(_) => {}
                Coordinate::Cosine(m) => {
                    let [c, s] = [Coordinate::Cosine(m), Coordinate::Sine(m)]
                        .map(|which| only(&|kind| *kind == RowKind::Group(which)));
                    // Both have the same mass, in different places.
                    let whole = energy(&c) + energy(&s);
                    let values = |x: &DVector<Complex<f64>>, which: Coordinate| -> Vec<Complex<f64>> {
                        (0..n).filter(|i| self.kinds[*i] == RowKind::Group(which)).map(|i| x[i]).collect()
                    };
                    let pairs = values(&c, Coordinate::Cosine(m)).into_iter().zip(values(&s, Coordinate::Sine(m)));
                    let i = Complex::new(0.0, 1.0);
                    let [forward, backward] =
                        pairs.fold([0.0; 2], |[f, b], (c, s)| [f + (c + i * s).norm_sqr(), b + (c - i * s).norm_sqr()]);
                    let overtakes = forward >= backward && omega > m as f64 * self.rate.abs();
                    let word = if overtakes { "progressive" } else { "regressive" };
                    found.push((format!("{word} {m}"), whole));
                }
                which => found.push((which.label(), energy(&only(&|kind| *kind == RowKind::Group(which))))),
            }
        }
        let mut names: Vec<&String> =
            self.kinds[..n].iter().filter_map(|k| if let RowKind::Body(b) = k { Some(b) } else { None }).collect();
        names.dedup();
        found.extend(
            names
                .into_iter()
                .map(|b| (b.clone(), energy(&only(&|kind| matches!(kind, RowKind::Body(own) if own == b))))),
        );
        let whole: f64 = found.iter().map(|(_, e)| e).sum();
        let most = found.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        (most.0, if whole > 0.0 { most.1 / whole } else { 0.0 })
    }
}
