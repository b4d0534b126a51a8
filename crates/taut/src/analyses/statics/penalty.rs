//! The penalty method of \[Newhart2019\] for comparison: constraints as stiff springs, with full matrices.

use super::{ConstraintEnforcement, Equilibrium, EquilibriumMethod, Statics, StaticsError, prepare, statics};
use crate::analyses::kinematic::update_turn_counters;
use crate::constraints::RowLevel;
use crate::equations::{Equations, MarkerKinematics, assemble_positions, assemble_rates};
use crate::formulations::pseudo_inverse::singular_values;
use crate::laws::ConstraintLaw;
use crate::model::Model;
use crate::state::{ConstraintMode, State};
use nalgebra::{DMatrix, DVector};

/// Step of the differences, m or rad, relative to 1 + the size of the coordinates.
const DIFFERENCE_STEP: f64 = 1e-5;
/// A stiffness smaller than this, relative to the largest, counts as zero.
const ZERO_STIFFNESS: f64 = 1e-14;
/// A load along a motion without stiffness that counts as zero, relative to the largest force.
const FREE_LOAD: f64 = 1e-8;
/// Halvings of a step that increases the residual.
const MAX_HALVINGS: usize = 12;
/// Factor of [Newhart2019] eq. (63).
const PENALTY_FACTOR: f64 = 1e4;

/// Both equilibria and their difference.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyComparison {
    /// With exact constraints.
    pub exact: Equilibrium,
    /// With the constraints as springs of stiffness μ.
    pub penalty: Equilibrium,
    /// μ.
    pub mu: f64,
    /// Largest difference of the displacements, relative to the largest displacement.
    pub error: f64,
}

/// Finds the equilibrium near a state with exact constraints and with the penalty method.
///
/// ```text
///  (K + μ AᵀA) δ = f − μ Aᵀφ                     [Newhart2019] eqs. (61)–(67)
/// ```
///
/// In (64) and (67) the factor C is printed twice; once is meant. The default μ is that of (63), 10⁴ times the largest
/// |∂f/∂q| at the start. K is computed by central differences with fixed λ.
///
/// Motions without stiffness and load stay as given in both.
///
/// # Errors
/// As [`statics`], and [`StaticsError::PenaltyUnsupported`] in steady rotation or with contacts, ropes or friction.
pub fn compare_with_penalty(
    model: &Model,
    state: &State,
    settings: &Statics,
) -> Result<PenaltyComparison, StaticsError> {
    if settings.rotation.is_some() {
        return Err(StaticsError::PenaltyUnsupported { why: "a steady rotation".to_string() });
    }
    if let Some(c) = model.constraints.iter().find(|c| c.law != ConstraintLaw::Bilateral) {
        return Err(StaticsError::PenaltyUnsupported {
            why: format!("`{}`, which holds on one side or up to a bound", c.name),
        });
    }
    let exact = statics(model, state, settings)?;
    let (start, _) = prepare(model, state, settings)?;
    let mut springs = PenaltySystem::new(model, &start);
    let nothing = DVector::zeros(springs.rows.len());
    let mu = settings.penalty.unwrap_or_else(|| PENALTY_FACTOR * springs.stiffness(&start, &nothing).amax());
    // The springs give way by little from the exact pose, while other poses load them heavily.
    let penalty = springs.solve(mu, &exact.state, state, settings)?;
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let apart: Vec<f64> = exact.displacement.iter().zip(&penalty.displacement).map(|(a, b)| a - b).collect();
    let size = largest(&exact.displacement);
    let error = if size > 0.0 { largest(&apart) / size } else { largest(&apart) };
    Ok(PenaltyComparison { exact, penalty, mu, error })
}

/// Forces at rest with constraints as stiff springs.
struct PenaltySystem<'m> {
    model: &'m Model,
    scene: MarkerKinematics,
    eq: Equations,
    /// Rows that are active.
    rows: Vec<usize>,
    /// Force scale.
    force: f64,
}

impl<'m> PenaltySystem<'m> {
    fn new(model: &'m Model, start: &State) -> PenaltySystem<'m> {
        let active = |r: &usize| {
            let c = model.constraints.partition_point(|c| c.rows.end <= *r);
            start.modes[c] != ConstraintMode::Idle
        };
        let rows = (0..model.rows.len()).filter(active).collect();
        let mut springs =
            PenaltySystem { model, scene: MarkerKinematics::new(model), eq: Equations::new(model), rows, force: 0.0 };
        springs.evaluate(start);
        springs.force = springs.eq.f.iter().fold(1.0, |a, f| f.abs().max(a));
        springs
    }

    fn evaluate(&mut self, state: &State) {
        assemble_positions(self.model, state.into(), &mut self.scene, &mut self.eq);
        assemble_rates(self.model, state.into(), &mut self.scene, &mut self.eq);
    }

    /// B, which is A unless the equations are in another space than v.
    fn reactions(&self) -> DMatrix<f64> {
        self.eq.dense_reactions().select_rows(&self.rows)
    }

    /// φ of rows that are held at position level.
    fn phi(&self) -> DVector<f64> {
        let phi = |r: &usize| if self.model.row_holds_at_level(*r, RowLevel::Position) { self.eq.phi[*r] } else { 0.0 };
        DVector::from_iterator(self.rows.len(), self.rows.iter().map(phi))
    }

    /// f + Aᵀλ.
    fn residual_forces(&self, lambda: &DVector<f64>) -> DVector<f64> {
        DVector::from_column_slice(&self.eq.f) + self.reactions().tr_mul(lambda)
    }

    fn displaced(&self, state: &State, delta: &[f64]) -> State {
        let mut moved = state.clone();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut moved.q[b.q.clone()], &delta[b.v.clone()]);
        }
        update_turn_counters(self.model, &mut moved);
        moved
    }

    /// K = −∂(f + Aᵀλ)/∂q column by column; evaluated at `state` on return.
    fn stiffness(&mut self, state: &State, lambda: &DVector<f64>) -> DMatrix<f64> {
        let n = self.model.sizes.v;
        let h = DIFFERENCE_STEP * (1.0 + state.q.iter().fold(0.0_f64, |a, q| a.max(q.abs())));
        let mut K = DMatrix::zeros(n, n);
        let mut delta = vec![0.0; n];
        for k in 0..n {
            let mut at = |step: f64| {
                delta[k] = step;
                let moved = self.displaced(state, &delta);
                delta[k] = 0.0;
                self.evaluate(&moved);
                self.residual_forces(lambda)
            };
            let slope = (at(-h) - at(h)) / (2.0 * h);
            K.set_column(k, &slope);
        }
        self.evaluate(state);
        K
    }

    fn solve(&mut self, mu: f64, start: &State, given: &State, s: &Statics) -> Result<Equilibrium, StaticsError> {
        let mut state = start.clone();
        self.evaluate(&state);
        let size = 1.0 + state.q.iter().fold(0.0_f64, |a, q| a.max(q.abs()));
        let mut iterations = 0;
        loop {
            let lambda = self.phi() * -mu;
            let forces = self.residual_forces(&lambda);
            let K = self.stiffness(&state, &lambda);
            let A = self.eq.dense_jacobian().select_rows(&self.rows);
            let stiff = &K + self.reactions().tr_mul(&A) * mu;
            let delta = self.displacement(&stiff, &forces)?;
            let before = forces.amax() / self.force;
            // The round-off of the coordinates, amplified by all springs including the penalty.
            let noise = 4.0 * f64::EPSILON * (K.amax() + mu) * size / self.force;
            if before <= s.tolerance.max(noise) {
                let mut all = vec![0.0; self.model.rows.len()];
                self.rows.iter().zip(&lambda).for_each(|(r, l)| all[*r] = *l);
                let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
                let vdot = vec![0.0; self.model.sizes.v];
                let notes = super::notes::notes(self.model, &state);
                let found = EquilibriumMethod::Direct;
                return Ok(Equilibrium { state, vdot, displacement, lambda: all, iterations, method: found, notes });
            }
            if iterations == s.iterations || !before.is_finite() {
                let at = self.model.state_names().1[forces.iamax()].name.clone();
                return Err(StaticsError::NoConvergence {
                    way: ConstraintEnforcement::Penalty,
                    iterations,
                    at,
                    residual: before,
                });
            }
            iterations += 1;
            let mut fraction = 1.0;
            for halving in 0..=MAX_HALVINGS {
                let trial = self.displaced(&state, (&delta * fraction).as_slice());
                self.evaluate(&trial);
                let left = self.residual_forces(&(self.phi() * -mu)).amax() / self.force;
                if left < before || halving == MAX_HALVINGS {
                    state = trial;
                    break;
                }
                fraction *= 0.5;
            }
        }
    }

    /// δ with K δ = forces. Motions without stiffness and without load do not move.
    ///
    /// # Errors
    /// [`StaticsError::Singular`] if a force acts along such a motion.
    fn displacement(&self, K: &DMatrix<f64>, forces: &DVector<f64>) -> Result<DVector<f64>, StaticsError> {
        let mut delta = DVector::zeros(forces.len());
        if K.is_empty() {
            return Ok(delta);
        }
        // K that is not finite ends the iteration with the residual it started from.
        let Some((U, stiffness, V)) = singular_values(K) else { return Ok(delta) };
        let least = ZERO_STIFFNESS * stiffness.max();
        for (i, k) in stiffness.iter().enumerate() {
            if *k > least {
                delta += V.column(i) * (U.column(i).dot(forces) / k);
            } else if V.column(i).dot(forces).abs() > FREE_LOAD * self.force {
                let motion = self.model.state_names().1[V.column(i).iamax()].name.clone();
                return Err(StaticsError::Singular { motion });
            }
        }
        Ok(delta)
    }
}
