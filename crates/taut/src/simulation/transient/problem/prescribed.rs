//! Jumps of a motion that drivers prescribe completely, for [`kinematic`](crate::analyses::kinematic).

use super::TransientProblem;
use super::restart::POSITION_JUMP_TOLERANCE;
use crate::mathematics::magnitude::largest_magnitude;
use crate::solution::Cause;
use crate::state::State;
use taut_ode::System;

/// Jump of |φ̇|, relative to 1 + the largest velocity, above which a prescribed velocity has jumped. Poses are iterated, not integrated.
const VELOCITY_JUMP_TOLERANCE: f64 = 1e-8;

/// A condition on the motion that switches a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConstraintSwitch {
    pub constraint: usize,
    pub value: f64,
}

impl ConstraintSwitch {
    /// Sign of the condition; zero where it is zero.
    pub fn sign(self) -> f64 {
        if self.value == 0.0 { 0.0 } else { self.value.signum() }
    }
}

impl TransientProblem<'_> {
    /// Crosses a break from the state before it to the time `to`, with an event for each driver whose velocity jumps.
    ///
    /// # Errors
    /// The row whose position jumps.
    pub(crate) fn cross_prescribed_break(&mut self, from: &State, to: f64) -> Result<(), Cause> {
        let y = self.pack(from);
        let before = self.evaluate_bilateral(from.t, &y);
        let after = self.evaluate_bilateral(to, &y);
        let jump: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
        let (residual, row) = largest_magnitude(&jump);
        if residual.is_nan() || residual > POSITION_JUMP_TOLERANCE * (1.0 + largest_magnitude(&from.q).0) {
            return Err(Cause::Constraint { row: self.dynamics.model.row_name(row), residual });
        }
        self.record_prescribed_impulses(&State { t: to, ..from.clone() });
        Ok(())
    }

    /// Records the impulses of the drivers if the velocities of a state are not those that they prescribe.
    pub(crate) fn record_prescribed_impulses(&mut self, state: &State) {
        let mut y = self.pack(state);
        self.evaluate_bilateral(state.t, &y);
        let least = VELOCITY_JUMP_TOLERANCE * (1.0 + largest_magnitude(&state.v).0);
        if largest_magnitude(&self.eq.phidot).0 > least {
            self.apply_driver_impulses(state.t, &mut y, least);
        }
    }

    /// All conditions on the motion that switch constraints, at a state.
    pub(crate) fn constraint_switches(&mut self, state: &State) -> Vec<ConstraintSwitch> {
        let model = self.dynamics.model;
        let owned: Vec<(usize, usize)> = self.guarding.switches_of_constraints(model).collect();
        if owned.is_empty() {
            return Vec::new();
        }
        let mut values = vec![0.0; self.guard_count()];
        self.guard_values(state.t, &self.pack(state), &mut values);
        owned.into_iter().map(|(i, constraint)| ConstraintSwitch { constraint, value: values[i] }).collect()
    }
}
