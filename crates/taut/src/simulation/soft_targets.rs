//! Targets that are met as nearly as the constraints allow: least squares on the constraint manifold.
//!
//! ```text
//!  F(q) = ½ Σ w (x(q) − x*)²  least,   φ(q) = 0
//!  g = P M⁻¹ ∇x       direction that moves a target most for its effort; P projects onto the motions that φ allows
//! ```
//!
//! Newton's method in the span of the g: the gradient is exact, the second derivatives are differences of F. They matter where a target
//! is out of reach: at a dead point its gradient vanishes, and only the curvature leads there.

use super::start_targets::TargetQuantity;
use super::{AssemblySettings, assemble};
use crate::drift::row_scales;
use crate::equations::{Equations, MarkerKinematics, assemble_positions, assemble_rates, initialise_turn_counters};
use crate::kkt::{Projector, RankPolicy, RowRank};
use crate::mathematics::magnitude::max_abs;
use crate::model::Model;
use crate::solvers::massless::as_norm;
use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// Most Newton steps.
const MAX_STEPS: usize = 60;
/// Most halvings of a step.
const MAX_HALVINGS: usize = 30;
/// A step below this, relative to 1 + the largest coordinate, is round-off.
const ROUND_OFF: f64 = 1e-13;
/// Displacement for second differences.
const DIFFERENCE: f64 = 1e-3;
/// Directions below this, relative to the largest, are dependent on the others.
const DEPENDENT: f64 = 1e-12;
/// Second derivatives below this, relative to the largest, count as zero.
const FLAT: f64 = 1e-6;

/// Soft targets of one priority.
pub(super) struct SoftTargets<'a> {
    /// The mechanism with all hard targets.
    pub hard: &'a Model,
    /// The mechanism with the soft targets as constraints, for their values and gradients.
    pub full: &'a Model,
    /// Their rows.
    pub rows: Vec<usize>,
    pub weights: Vec<f64>,
}

/// A pose with the equations of both models and the factor of the hard one.
struct PoseAndFactor {
    eq: Equations,
    projector: Projector,
    /// x − x*.
    phi: Vec<f64>,
    /// ∇x, in the space of velocities.
    gradients: Vec<Vec<f64>>,
}

impl SoftTargets<'_> {
    fn full_equations(&self, state: &State) -> Equations {
        let (mut scene, mut eq) = (MarkerKinematics::new(self.full), Equations::new(self.full));
        let mut own = self.full.initial_state();
        (own.t, own.q, own.v) = (state.t, state.q.clone(), state.v.clone());
        initialise_turn_counters(self.full, &mut own);
        assemble_positions(self.full, (&own).into(), &mut scene, &mut eq);
        assemble_rates(self.full, (&own).into(), &mut scene, &mut eq);
        eq
    }

    /// The same coordinates and velocities as a state of the mechanism with all hard targets, which has more constraints.
    fn with_hard_targets(&self, state: &State) -> State {
        let mut own = self.hard.initial_state();
        (own.t, own.q, own.v) = (state.t, state.q.clone(), state.v.clone());
        initialise_turn_counters(self.hard, &mut own);
        own
    }

    /// ½ Σ w (x − x*)².
    fn cost(&self, phi: &[f64]) -> f64 {
        0.5 * phi.iter().zip(&self.weights).map(|(x, w)| w * x * x).sum::<f64>()
    }

    fn cost_at(&self, state: &State) -> f64 {
        let eq = self.full_equations(state);
        self.cost(&self.rows.iter().map(|r| eq.phi[*r]).collect::<Vec<f64>>())
    }

    fn pose(&self, state: &State) -> PoseAndFactor {
        let full = self.full_equations(state);
        let (mut scene, mut eq) = (MarkerKinematics::new(self.hard), Equations::new(self.hard));
        assemble_positions(self.hard, (&self.with_hard_targets(state)).into(), &mut scene, &mut eq);
        let W = as_norm(&self.hard.layout, &eq.M);
        let scale = row_scales(self.hard, &W, &eq);
        let mut projector = Projector::new(&eq.layout, &scale, &RankPolicy::default());
        projector.set_rank(RowRank::Deficient);
        projector.factor(&W, &eq.A);
        let gradient = |row: &usize| {
            let mut unit = vec![0.0; self.full.rows.len()];
            unit[*row] = 1.0;
            let mut of = vec![0.0; self.full.sizes.v];
            full.add_jacobian_transpose_times(&unit, &mut of);
            of
        };
        let gradients = self.rows.iter().map(gradient).collect();
        PoseAndFactor { eq, projector, phi: self.rows.iter().map(|r| full.phi[*r]).collect(), gradients }
    }

    /// The nearest pose on the manifold after a displacement; none if it cannot be assembled.
    fn moved(&self, state: &State, delta: &[f64]) -> Option<State> {
        let mut own = self.with_hard_targets(state);
        for b in &self.hard.bodies {
            b.kind.body().displace(&mut own.q[b.q.clone()], &delta[b.v.clone()]);
        }
        let found = assemble(self.hard, &own, &AssemblySettings::default()).ok()?;
        Some(State { q: found.state.q, ..state.clone() })
    }

    /// Moves a state on the manifold to the least F near it; of rates, changes its velocities.
    pub fn meet(&self, quantity: TargetQuantity, state: &mut State) {
        match quantity {
            TargetQuantity::Value => self.meet_positions(state),
            TargetQuantity::Rate => self.meet_rates(state),
        }
    }

    fn meet_positions(&self, state: &mut State) {
        let mut cost = self.cost_at(state);
        for _ in 0..MAX_STEPS {
            let mut pose = self.pose(state);
            let basis = pose.basis(&[]);
            if basis.is_empty() || cost == 0.0 {
                return;
            }
            let slope = DVector::from_iterator(basis.len(), basis.iter().map(|b| pose.slope(&self.weights, b)));
            let curvature = self.curvature(state, &basis, cost);
            let step = descent(&curvature, &slope);
            let mut delta = vec![0.0; self.hard.sizes.v];
            for (b, s) in basis.iter().zip(&step) {
                delta.iter_mut().zip(b).for_each(|(d, b)| *d += s * b);
            }
            if max_abs(&delta) <= ROUND_OFF * (1.0 + max_abs(&state.q)) {
                return;
            }
            let shorter = (0..MAX_HALVINGS).find_map(|k| {
                let part: Vec<f64> = delta.iter().map(|d| d * 0.5_f64.powi(k as i32)).collect();
                let trial = self.moved(state, &part)?;
                let found = self.cost_at(&trial);
                (found < cost).then_some((trial, found))
            });
            let Some((trial, found)) = shorter else { return };
            (*state, cost) = (trial, found);
        }
    }

    /// Changes velocities at a pose to the least ½ Σ w (ẋ − ẋ*)².
    fn meet_rates(&self, state: &mut State) {
        let full = self.full_equations(state);
        let mut pose = self.pose(state);
        let basis = pose.basis(&[]);
        let rates: Vec<f64> = self.rows.iter().map(|r| full.phidot.last()[*r]).collect();
        let slope = |b: &Vec<f64>| {
            let one = |i: usize| self.weights[i] * rates[i] * dot(&pose.gradients[i], b);
            (0..rates.len()).map(one).sum::<f64>()
        };
        let slopes = DVector::from_iterator(basis.len(), basis.iter().map(slope));
        let step = descent(&self.rate_curvature(&pose, &basis), &slopes);
        for (b, s) in basis.iter().zip(&step) {
            state.v.iter_mut().zip(b).for_each(|(v, b)| *v += s * b);
        }
    }

    /// Whether motions that change `others` leave F as it is: whether targets of lower priority can still be improved.
    pub fn leaves_freedom(&self, quantity: TargetQuantity, state: &State, others: &SoftTargets) -> bool {
        let mut pose = self.pose(state);
        let basis = pose.basis(&others.pose(state).gradients);
        let curvature = match quantity {
            TargetQuantity::Value => self.curvature(state, &basis, self.cost_at(state)),
            TargetQuantity::Rate => self.rate_curvature(&pose, &basis),
        };
        let values = curvature.symmetric_eigenvalues();
        values.iter().any(|x| x.abs() <= FLAT * values.amax())
    }

    /// Second derivatives of ½ Σ w (ẋ − ẋ*)² along directions.
    fn rate_curvature(&self, pose: &PoseAndFactor, basis: &[Vec<f64>]) -> DMatrix<f64> {
        let J = DMatrix::from_fn(self.rows.len(), basis.len(), |i, j| dot(&pose.gradients[i], &basis[j]));
        J.tr_mul(&(DMatrix::from_diagonal(&DVector::from_column_slice(&self.weights)) * &J))
    }

    /// Second derivatives of F along directions.
    fn curvature(&self, state: &State, basis: &[Vec<f64>], here: f64) -> DMatrix<f64> {
        let at = |i: usize, si: f64, j: usize, sj: f64| {
            let h = DIFFERENCE;
            let delta: Vec<f64> = basis[i].iter().zip(&basis[j]).map(|(a, b)| h * (si * a + sj * b)).collect();
            self.moved(state, &delta).map_or(here, |s| self.cost_at(&s))
        };
        let n = basis.len();
        let mut H = DMatrix::zeros(n, n);
        for i in 0..n {
            H[(i, i)] = (at(i, 1.0, i, 0.0) - 2.0 * here + at(i, -1.0, i, 0.0)) / (DIFFERENCE * DIFFERENCE);
            for j in 0..i {
                let mixed = at(i, 1.0, j, 1.0) - at(i, 1.0, j, -1.0) - at(i, -1.0, j, 1.0) + at(i, -1.0, j, -1.0);
                H[(i, j)] = mixed / (4.0 * DIFFERENCE * DIFFERENCE);
                H[(j, i)] = H[(i, j)];
            }
        }
        H
    }
}

impl PoseAndFactor {
    /// Directions on the manifold that move the targets, and those of `more`: independent, with largest entry 1.
    fn basis(&mut self, more: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let n = self.eq.layout.velocities;
        let all: Vec<&Vec<f64>> = self.gradients.iter().chain(more).collect();
        let mut directions = Vec::with_capacity(all.len());
        for a in &all {
            let mut x = vec![0.0; n + self.eq.phi.len()];
            x[..n].copy_from_slice(a);
            self.projector.solve(&self.eq, &mut x);
            x.truncate(n);
            directions.push(x);
        }
        let G = DMatrix::from_fn(all.len(), all.len(), |i, j| dot(all[i], &directions[j]));
        let eigen = ((&G + G.transpose()) * 0.5).symmetric_eigen();
        let largest = eigen.eigenvalues.amax();
        let mut basis = Vec::new();
        for (value, v) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            let mut b = vec![0.0; n];
            for (d, c) in directions.iter().zip(&v) {
                b.iter_mut().zip(d).for_each(|(b, d)| *b += c * d);
            }
            let size = max_abs(&b);
            if *value > DEPENDENT * largest && size > 0.0 {
                b.iter_mut().for_each(|b| *b /= size);
                basis.push(b);
            }
        }
        basis
    }

    /// dF along a direction.
    fn slope(&self, weights: &[f64], direction: &[f64]) -> f64 {
        let one = |((a, phi), w): ((&Vec<f64>, &f64), &f64)| w * phi * dot(a, direction);
        self.gradients.iter().zip(&self.phi).zip(weights).map(one).sum()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Newton's step with positive second derivatives; none along flat directions.
fn descent(curvature: &DMatrix<f64>, slope: &DVector<f64>) -> DVector<f64> {
    let eigen = curvature.clone().symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let mut step = DVector::zeros(slope.len());
    for (value, v) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if value.abs() > DEPENDENT * largest {
            step -= v * (v.dot(slope) / value.abs());
        }
    }
    step
}
