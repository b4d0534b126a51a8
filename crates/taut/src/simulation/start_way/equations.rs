//! The equations of a way to targets, in velocities of unit mass and with rows of unit length.

use super::{MAX_ITERATIONS, ZERO};
use crate::constraints::RowLevel;
use crate::equations::{Equations, MarkerKinematics, assemble_positions, initialise_turn_counters};
use crate::laws::ConstraintLaw;
use crate::model::Model;
use crate::simulation::AnalysisError;
use crate::simulation::start_targets::{StartTarget, TargetQuantity, constraint_name, with_targets};
use crate::solution::OutputMeasure;
use crate::solvers::rank::inverse_mass_roots;
use crate::spec::Spec;
use crate::state::{ConstraintMode, State};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::TAU;

/// Singular values below this, relative to the largest, are no rank.
const RANK_TOLERANCE: f64 = 1e-9;
/// Residual at which a pose is found.
const SOLVED: f64 = 1e-11;
/// Changes of targets below this are none, relative to 1 + their values.
const AT_REST: f64 = 1e-9;

/// A pose with the derivatives there.
#[derive(Clone)]
pub(super) struct PosePoint {
    pub state: State,
    /// Rows of unit length: constraints, other targets, the leading target.
    pub matrix: DMatrix<f64>,
    /// 1/length of the rows.
    scale: DVector<f64>,
    /// Values of the targets, angles with their turns.
    values: Vec<f64>,
}

/// The constraints of a mechanism with its targets on a line.
pub(super) struct WayEquations {
    full: Model,
    pub start: State,
    /// Rows of the constraints.
    rows: Vec<usize>,
    /// Rows of the targets, the leading one last.
    targets: Vec<usize>,
    names: Vec<String>,
    from: Vec<f64>,
    to: Vec<f64>,
}

impl WayEquations {
    /// None if no target moves, or if there are more targets than freedoms: these are taken in order.
    pub fn new(
        spec: &Spec,
        start: &State,
        moved: &[(&StartTarget, f64)],
    ) -> Result<Option<WayEquations>, AnalysisError> {
        let zero: Vec<(&StartTarget, f64)> = moved.iter().map(|(t, _)| (*t, 0.0)).collect();
        let (full, mut state) = with_targets(spec, &zero, TargetQuantity::Value, start)?;
        initialise_turn_counters(&full, &mut state);
        let named = |t: &StartTarget| full.constraints.iter().position(|c| c.name == constraint_name(t));
        let of_targets: Vec<usize> = moved.iter().filter_map(|(t, _)| named(t)).collect();
        let is_held = |c: &usize| {
            let entry = &full.constraints[*c];
            !of_targets.contains(c) && entry.law == ConstraintLaw::Bilateral && state.modes[*c] != ConstraintMode::Idle
        };
        let held = (0..full.constraints.len()).filter(is_held).flat_map(|c| full.constraints[c].rows.clone());
        let rows: Vec<usize> = held.filter(|r| full.rows[*r].level == RowLevel::Position).collect();
        let all: Vec<usize> = of_targets.iter().map(|c| full.constraints[*c].rows.start).collect();
        let mut way = WayEquations {
            full,
            start: state,
            rows,
            targets: Vec::new(),
            names: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
        };
        let (phi, A) = way.evaluate(&way.start);
        // Targets that the constraints and earlier targets leave free.
        let mut chosen: Vec<(usize, f64, f64)> = Vec::new();
        let rank_with = |chosen: &[(usize, f64, f64)], more: Option<usize>| {
            let rows = way.rows.iter().copied().chain(chosen.iter().map(|c| all[c.0])).chain(more.map(|k| all[k]));
            let rows: Vec<usize> = rows.collect();
            let mut B = DMatrix::from_fn(rows.len(), A.ncols(), |i, j| A[(rows[i], j)]);
            normalise_rows(&mut B);
            way.rank(&B)
        };
        for (k, (_, to)) in moved.iter().enumerate() {
            if rank_with(&chosen, Some(k)) > rank_with(&chosen, None) {
                let from = phi[all[k]];
                chosen.push((k, from, *to));
            }
        }
        let change = |c: &(usize, f64, f64)| (c.2 - c.1).abs();
        chosen.sort_by(|a, b| change(a).total_cmp(&change(b)));
        if chosen.last().is_none_or(|c| change(c) <= AT_REST * (1.0 + c.2.abs())) {
            return Ok(None);
        }
        way.targets = chosen.iter().map(|c| all[c.0]).collect();
        way.names = chosen.iter().map(|c| moved[c.0].0.name.clone()).collect();
        (way.from, way.to) = chosen.iter().map(|c| (c.1, c.2)).unzip();
        Ok(Some(way))
    }

    fn lead(&self) -> usize {
        self.targets.len() - 1
    }

    pub fn lead_name(&self) -> &str {
        &self.names[self.lead()]
    }

    pub fn lead_value(&self, at: &PosePoint) -> f64 {
        at.values[self.lead()]
    }

    /// How far the leading target moves.
    pub fn length(&self) -> f64 {
        (self.to[self.lead()] - self.from[self.lead()]).abs()
    }

    /// φ and A in velocities of unit mass, row by row of the full model.
    fn evaluate(&self, state: &State) -> (Vec<f64>, DMatrix<f64>) {
        let model = &self.full;
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, state.into(), &mut scene, &mut eq);
        let inverse = inverse_mass_roots(model, &eq);
        let mut A = DMatrix::zeros(model.rows.len(), model.sizes.v);
        for c in &model.constraints {
            for block in &c.blocks {
                let v = &model.bodies[block.body].v;
                for (r, a) in c.rows.clone().zip(eq.A[block.start..].chunks_exact(v.len())) {
                    let row = &inverse[block.body] * DVector::from_column_slice(a);
                    v.clone().zip(row.iter()).for_each(|(k, x)| A[(r, k)] += *x);
                }
            }
        }
        (eq.phi.to_vec(), A)
    }

    /// A pose as it is, with angles nearest to their places at `s`.
    pub fn point_at(&self, state: &State, s: f64) -> Option<PosePoint> {
        let state = State { z: self.start.z.clone(), modes: self.start.modes.clone(), ..state.clone() };
        let near: Vec<f64> = self.from.iter().zip(&self.to).map(|(a, b)| a + s * (b - a)).collect();
        Some(self.point(state, &near))
    }

    fn point(&self, state: State, near: &[f64]) -> PosePoint {
        let (phi, A) = self.evaluate(&state);
        let unwrapped = |(k, r): (usize, &usize)| match self.full.rows[*r].unit {
            "rad" => phi[*r] + TAU * ((near[k] - phi[*r]) / TAU).round(),
            _ => phi[*r],
        };
        let values: Vec<f64> = self.targets.iter().enumerate().map(unwrapped).collect();
        let (count, lead) = (self.rows.len(), self.targets[self.lead()]);
        let mut matrix = DMatrix::from_fn(count + self.targets.len(), A.ncols(), |i, j| match i.checked_sub(count) {
            None => A[(self.rows[i], j)],
            Some(k) if k == self.lead() => A[(lead, j)],
            Some(k) => A[(self.targets[k], j)] - self.ratio(k) * A[(lead, j)],
        });
        let scale = normalise_rows(&mut matrix);
        PosePoint { state, matrix, scale, values }
    }

    /// Change of a target per change of the leading one.
    fn ratio(&self, k: usize) -> f64 {
        (self.to[k] - self.from[k]) / (self.to[self.lead()] - self.from[self.lead()])
    }

    /// Residuals of all but the leading target at a state, scaled as the rows of a point near it.
    pub fn residual(&self, state: &State, at: &PosePoint) -> DVector<f64> {
        let point = self.point(state.clone(), &at.values);
        let (phi, _) = self.evaluate(state);
        let lead = point.values[self.lead()] - self.from[self.lead()];
        let held = self.rows.iter().map(|r| phi[*r]);
        let others = (0..self.lead()).map(|k| point.values[k] - self.from[k] - self.ratio(k) * lead);
        let all: Vec<f64> = held.chain(others).collect();
        DVector::from_iterator(all.len(), all.iter().zip(&at.scale).map(|(x, s)| x * s))
    }

    /// Newton's method to the place `s` of the way, from a pose and a displacement; none if it does not converge.
    pub fn solve(&self, from: &PosePoint, s: f64, ahead: Option<&DVector<f64>>) -> Option<PosePoint> {
        let goal = self.from[self.lead()] + s * (self.to[self.lead()] - self.from[self.lead()]);
        let mut state = match ahead {
            Some(d) => self.moved(&from.state, d),
            None => from.state.clone(),
        };
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let point = self.point(state, &from.values);
            let rest = self.residual(&point.state, &point);
            let lead = (point.values[self.lead()] - goal) * point.scale[point.scale.len() - 1];
            let count = rest.len();
            let residual = rest.resize_vertically(count + 1, lead);
            let size = residual.amax();
            if size < SOLVED {
                return Some(point);
            }
            if size.is_nan() || size >= 10.0 * last {
                return None;
            }
            last = last.min(size);
            let svd = point.matrix.clone().svd(true, true);
            let least = RANK_TOLERANCE * svd.singular_values.max();
            let step = svd.solve(&residual, least).ok()?;
            state = self.moved(&point.state, &-step);
        }
        None
    }

    /// A state after a displacement in velocities of unit mass.
    pub fn moved(&self, state: &State, w: &DVector<f64>) -> State {
        let v = self.velocities(state, w);
        let mut moved = state.clone();
        for b in &self.full.bodies {
            b.kind.body().displace(&mut moved.q[b.q.clone()], &v[b.v.clone()]);
        }
        moved
    }

    fn velocities(&self, state: &State, w: &DVector<f64>) -> Vec<f64> {
        let model = &self.full;
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, state.into(), &mut scene, &mut eq);
        let inverse = inverse_mass_roots(model, &eq);
        let mut v = vec![0.0; model.sizes.v];
        for (b, root) in model.bodies.iter().zip(&inverse) {
            let own = root.tr_mul(&w.rows(b.v.start, b.v.len()));
            v[b.v.clone()].copy_from_slice(own.as_slice());
        }
        v
    }

    /// The displacement from one pose to another near it, in velocities of unit mass.
    pub fn displacement(&self, from: &State, to: &State) -> DVector<f64> {
        // Newton's method on the displacement itself: coordinates are smooth functions of it.
        let n = self.full.sizes.v;
        let mut w = DVector::zeros(n);
        let gap = |w: &DVector<f64>| {
            let moved = self.moved(from, w);
            DVector::from_iterator(to.q.len(), to.q.iter().zip(&moved.q).map(|(a, b)| a - b))
        };
        for _ in 0..2 {
            let rest = gap(&w);
            if rest.amax() < 1e-14 {
                break;
            }
            let h = 1e-6;
            let mut J = DMatrix::zeros(to.q.len(), n);
            for k in 0..n {
                let mut next = w.clone();
                next[k] += h;
                J.set_column(k, &((&rest - gap(&next)) / h));
            }
            match J.svd(true, true).solve(&rest, 1e-12) {
                Ok(step) => w += step,
                Err(_) => break,
            }
        }
        w
    }

    /// Largest difference of the coordinates of two poses.
    pub fn distance(&self, a: &State, b: &State) -> f64 {
        a.q.iter().zip(&b.q).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
    }

    pub fn rank(&self, matrix: &DMatrix<f64>) -> usize {
        let values = matrix.singular_values();
        values.iter().filter(|x| **x > RANK_TOLERANCE * values.max()).count()
    }

    /// The rows without that of the leading target.
    pub fn without_lead(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        matrix.rows(0, matrix.nrows() - 1).into_owned()
    }

    /// The singular value number `rank` with its vectors.
    pub fn singular_value(&self, matrix: &DMatrix<f64>, rank: usize) -> (f64, DVector<f64>, DVector<f64>) {
        let (values, U, V) = square_svd(matrix);
        let k = rank.saturating_sub(1);
        (values[k], U.column(k).rows(0, matrix.nrows()).into_owned(), V.column(k).rows(0, matrix.ncols()).into_owned())
    }

    /// The motions that the rows change least.
    pub fn null_vectors(&self, matrix: &DMatrix<f64>, count: usize) -> Vec<DVector<f64>> {
        let eigen = (matrix.tr_mul(matrix)).symmetric_eigen();
        let mut order: Vec<usize> = (0..matrix.ncols()).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
        order.into_iter().take(count).map(|k| eigen.eigenvectors.column(k).into_owned()).collect()
    }

    /// The constraints with factors in a combination of rows.
    pub fn loaded_constraints(&self, u: &DVector<f64>) -> Vec<String> {
        let largest = self.rows.iter().enumerate().fold(0.0_f64, |a, (i, _)| a.max(u[i].abs()));
        let mut names: Vec<String> = Vec::new();
        for (_, r) in self.rows.iter().enumerate().filter(|(i, _)| u[*i].abs() > ZERO * largest) {
            let name = &self.full.constraint_of_row(*r).name;
            if names.last() != Some(name) {
                names.push(name.clone());
            }
        }
        names
    }

    fn coordinates(&self, model: &Model, state: &State) -> Vec<(String, f64, f64)> {
        let own = State { z: model.initial_state().z, modes: model.initial_state().modes, ..state.clone() };
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, (&own).into(), &mut scene, &mut eq);
        let measures = OutputMeasure::joint_measures(model).into_iter();
        let found = measures.map(|m| {
            let (value, rate) = m.value_and_rate(own.t, &scene.motions);
            (m.name, value, rate)
        });
        found.collect()
    }

    pub fn coordinate_values(&self, model: &Model, at: &PosePoint) -> Vec<(String, f64)> {
        self.coordinates(model, &at.state).into_iter().map(|(name, x, _)| (name, x)).collect()
    }

    /// Rates of the joint coordinates in a motion, the largest 1.
    pub fn coordinate_rates(&self, model: &Model, at: &PosePoint, w: &DVector<f64>) -> Vec<(String, f64)> {
        let state = State { v: self.velocities(&at.state, w), ..at.state.clone() };
        let rest = State { v: vec![0.0; state.v.len()], ..at.state.clone() };
        let (moving, resting) = (self.coordinates(model, &state), self.coordinates(model, &rest));
        // What drivers prescribe has a rate of its own, which is no part of the motion.
        let rates: Vec<f64> = moving.iter().zip(&resting).map(|(a, b)| a.2 - b.2).collect();
        let largest = rates.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let clean = |x: f64| if x.abs() <= ZERO * largest { 0.0 } else { x / largest };
        moving.into_iter().zip(rates).map(|((name, _, _), x)| (name, clean(x))).collect()
    }
}

/// Makes rows as long as 1; their former lengths inverse. Rows of zeros stay.
fn normalise_rows(matrix: &mut DMatrix<f64>) -> DVector<f64> {
    let scale: Vec<f64> = matrix.row_iter().map(|r| if r.norm() > 0.0 { 1.0 / r.norm() } else { 1.0 }).collect();
    for (i, s) in scale.iter().enumerate() {
        matrix.row_mut(i).scale_mut(*s);
    }
    DVector::from_vec(scale)
}

/// Singular values, largest first, and vectors of a matrix that zeros make square.
fn square_svd(matrix: &DMatrix<f64>) -> (DVector<f64>, DMatrix<f64>, DMatrix<f64>) {
    let n = matrix.nrows().max(matrix.ncols());
    let mut square = DMatrix::zeros(n, n);
    square.view_mut((0, 0), matrix.shape()).copy_from(matrix);
    let svd = square.svd(true, true);
    let vectors = |found: Option<DMatrix<f64>>| found.unwrap_or_else(|| DMatrix::identity(n, n));
    let (U, V) = (vectors(svd.u), vectors(svd.v_t).transpose());
    (svd.singular_values, U, V)
}
