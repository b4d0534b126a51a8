//! A constraint φ or ψ written in Python, with derivatives by differences of sixth order.
//!
//! ```text
//!  φ(t, poses)            D = ∂φ/∂pose, six directions per marker      φ_t = ∂φ/∂t     c = φ̈ at zero marker acceleration
//!  ψ(t, poses, twists)    D = ∂ψ/∂twist                                φ_t = ψ − Σ D·twist     c = ψ̇ at constant twists
//! ```

use crate::callbacks::{Markers, call};
use pyo3::prelude::*;
use taut::ParameterError;
use taut::constraints::{
    Constraint, Dependence, ElementInput, ExtraStates, FrictionLaw, MarkerKind, MarkerReference, NonSmooth, RowInfo,
    RowLevel, RowTerms,
};
use taut::motion::{Mat3, Motion, Vec3, Wrench};
use taut_constrain::stencils::SIXTH_ORDER;

/// Steps of first and of second differences; powers of two are exact.
const FIRST_STEP: f64 = 1.0 / 256.0;
const SECOND_STEP: f64 = 1.0 / 64.0;
/// Level and number of the rows of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionLevel {
    pub level: RowLevel,
    pub rows: usize,
}

/// φ or ψ written in Python.
#[derive(Debug)]
pub(crate) struct NumericalConstraint {
    name: String,
    markers: Vec<(String, MarkerKind)>,
    level: FunctionLevel,
    function: Py<PyAny>,
}

impl NumericalConstraint {
    pub fn new(
        name: String,
        markers: Vec<(String, MarkerKind)>,
        level: FunctionLevel,
        function: Py<PyAny>,
    ) -> NumericalConstraint {
        NumericalConstraint { name, markers, level, function }
    }

    /// The function at these motions.
    fn evaluate(&self, t: f64, motions: &[Motion]) -> Vec<f64> {
        let m = self.level.rows;
        let mut out = vec![0.0; m];
        call(&self.name, t, &[m], &mut out, |py| self.function.bind(py).call1((t, Markers::from_motions(motions))));
        out
    }

    /// The derivative of the function along s, at s = 0, by a difference of sixth order.
    fn first(&self, h: f64, at: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
        let mut sum = vec![0.0; self.level.rows];
        for (k, weight) in SIXTH_ORDER {
            sum.iter_mut().zip(at(k * h)).for_each(|(sum, value)| *sum += weight * value / h);
        }
        sum
    }
}

/// A motion displaced by s along or about axis `k` of the world: three translations, then three rotations.
fn displaced(m: &Motion, kind: MarkerKind, k: usize, s: f64) -> Motion {
    let mut new = *m;
    match (kind, k) {
        (MarkerKind::Coordinate, _) => new.p.x += s,
        (_, 0..3) => new.p[k] += s,
        _ => new.R = rotation(Vec3::ith(k - 3, s)) * m.R,
    }
    new
}

/// The same for a twist.
fn sped_up(m: &Motion, k: usize, s: f64) -> Motion {
    let mut new = *m;
    if k < 3 {
        new.v[k] += s
    } else {
        new.w[k - 3] += s
    }
    new
}

/// A motion after the time s at constant twist.
fn moved(m: &Motion, s: f64) -> Motion {
    Motion { p: m.p + m.v * s, R: rotation(m.w * s) * m.R, ..*m }
}

/// The rotation by a vector.
fn rotation(by: Vec3) -> Mat3 {
    taut::nalgebra::Rotation3::new(by).into_inner()
}

impl Constraint for NumericalConstraint {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        self.markers.iter().map(|(name, kind)| MarkerReference { name, kind: *kind }).collect()
    }

    fn rows(&self) -> Vec<RowInfo> {
        RowInfo::numbered(self.level.rows, self.level.level)
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.markers.is_empty() {
            return Err(ParameterError::invalid("markers", "there are none; give at least one"));
        }
        if self.level.rows == 0 {
            return Err(ParameterError::invalid("rows", "the function has no row; it needs at least one"));
        }
        Ok(())
    }

    fn position_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (n, m, position) = (at.len(), self.level.rows, self.level.level == RowLevel::Position);
        let motions: Vec<Motion> = (0..n).map(|k| at[k]).collect();
        let here = self.evaluate(at.t, &motions);
        rows.phi_t[..m].fill(0.0);
        for (k, (_, kind)) in self.markers.iter().enumerate() {
            let directions = if *kind == MarkerKind::Coordinate { 1 } else { 6 };
            let mut slopes: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; m]);
            for (d, slope) in slopes.iter_mut().enumerate().take(directions) {
                let shifted = |s: f64| {
                    let mut motions = motions.clone();
                    motions[k] =
                        if position { displaced(&motions[k], *kind, d, s) } else { sped_up(&motions[k], d, s) };
                    self.evaluate(at.t, &motions)
                };
                *slope = self.first(FIRST_STEP, shifted);
            }
            for r in 0..m {
                let [x, y, z, a, b, c] = slopes.each_ref().map(|slope| slope[r]);
                rows.D[r * n + k] = Wrench { f: Vec3::new(x, y, z), m: Vec3::new(a, b, c) };
            }
        }
        if position {
            let in_time = self.first(FIRST_STEP, |s| self.evaluate(at.t + s, &motions));
            rows.phi[..m].copy_from_slice(&here[..m]);
            rows.phi_t[..m].copy_from_slice(&in_time[..m]);
        } else {
            for r in 0..m {
                rows.phi_t[r] = here[r] - (0..n).map(|k| at[k].power(&rows.D[r * n + k])).sum::<f64>();
            }
        }
    }

    fn velocity_terms(&self, at: &ElementInput, rows: &mut RowTerms) {
        let (n, m) = (at.len(), self.level.rows);
        let motions: Vec<Motion> = (0..n).map(|k| at[k]).collect();
        let later = |s: f64| self.evaluate(at.t + s, &motions.iter().map(|x| moved(x, s)).collect::<Vec<_>>());
        let here = later(0.0);
        if self.level.level == RowLevel::Position {
            let h = SECOND_STEP;
            let [one, two, three] = [1.0, 2.0, 3.0].map(|k| {
                let (a, b) = (later(k * h), later(-k * h));
                a.into_iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>()
            });
            for r in 0..m {
                rows.c[r] = (270.0 * one[r] - 27.0 * two[r] + 2.0 * three[r] - 490.0 * here[r]) / (180.0 * h * h);
            }
        } else {
            let rate = self.first(FIRST_STEP, later);
            for r in 0..m {
                // The velocities may have been corrected since `position_terms`; ψ is evaluated again.
                rows.phi_t[r] = here[r] - (0..n).map(|k| at[k].power(&rows.D[r * n + k])).sum::<f64>();
                rows.c[r] = rate[r];
            }
        }
    }

    fn dependence(&self) -> Dependence {
        Dependence::Unknown
    }
}

impl ExtraStates for NumericalConstraint {}
impl NonSmooth for NumericalConstraint {}
impl FrictionLaw for NumericalConstraint {}
