//! The return to the constraint manifold: after a step, after interpolation, after a jump.
//!
//! A return that leaves too large a residual rejects the step. The report tells the integrator whether the correction may have
//! been amplified, as happens near a pose of lower rank.

use super::{TransientProblem, split_state};
use crate::audit::RunTolerances;
use crate::drift::ProjectionReport;
use crate::dynamics::Inconsistent;
use crate::mathematics::magnitude::largest_magnitude;
use crate::simulation::transient::diagnosis;
use crate::solution::{Cause, Severity};
use taut_ode::Refusal;

/// |φ| that a return to the manifold must reach, relative to 1 + the size of the coordinates.
const POSITION_TOLERANCE: f64 = 1e-9;
/// Largest correction that may count as amplified, relative to 1 + the size of the state.
const MAX_AMPLIFIED_CORRECTION: f64 = 1e-3;
/// The same with dependent rows.
const MAX_AMPLIFIED_CORRECTION_DEPENDENT: f64 = 1e-2;
/// |φ̇| of constraints that contradict each other, relative to 1 + the size of the velocities.
const VELOCITY_CONTRADICTION: f64 = 1e-2;
/// Residual of contradictory constraints that is worth a notice, relative likewise.
const NOTED_CONTRADICTION: f64 = 1e-9;
/// Residual of contradictory constraints that makes the results doubtful, relative likewise.
const LARGE_CONTRADICTION: f64 = 0.1;
/// |φ| worth a warning, relative likewise.
pub(super) const ROUND_OFF_TOLERANCE: f64 = 1e-11;

/// Origin of a state that is projected onto the manifold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateOrigin {
    /// It ends a step.
    Step,
    /// From interpolation or a jump.
    Elsewhere,
}

impl TransientProblem<'_> {
    /// Returns y to the manifold and leaves the dynamics placed there. The result is `None` if nothing had to be done.
    pub(super) fn return_to_manifold(
        &mut self,
        t: f64,
        y: &mut [f64],
        from: StateOrigin,
    ) -> Result<Option<ProjectionReport>, Refusal> {
        let report = match from {
            StateOrigin::Step => self.dynamics.end_step(t, y),
            StateOrigin::Elsewhere => self.dynamics.project_output(t, y),
        };
        let Some(report) = report else { return Ok(None) };
        self.resets += 1;
        let size = 1.0 + largest_magnitude(&y[..self.dynamics.model.sizes.q]).0;
        let (phi, row) = largest_magnitude(&self.dynamics.eq.phi);
        if !size.is_finite() {
            self.cause = diagnosis::not_finite(&self.dynamics, t, y);
            return Err(Refusal::NotFinite);
        }
        if phi.is_nan()
            || report.phidot.is_nan()
            || report.phi > POSITION_TOLERANCE * size + 2.0 * self.initial_residual
        {
            self.cause = Cause::Constraint { row: self.dynamics.model.row_name(row), residual: phi };
            return Err(Refusal::NotConverged);
        }
        self.initial_residual = self.initial_residual.min(report.phi);
        if self.dynamics.inconsistent() == Inconsistent::LeastSquares {
            self.note_contradictions(t, y);
        } else {
            self.check_velocities(y)?;
        }
        if from == StateOrigin::Step && self.dynamics.controls_energy() {
            let friction = y[y.len() - self.friction_constraints.len()..].iter().sum::<f64>();
            let lost = friction + self.impact_losses.iter().sum::<f64>();
            self.dynamics.restore_energy(t, y, self.log.energy_at_start + self.work_done(y) - lost);
        }
        if phi > ROUND_OFF_TOLERANCE * size && self.dynamics.inconsistent() == Inconsistent::Stop {
            let model = self.dynamics.model;
            self.log.warn_once(t, "constraints are not met to round-off", || {
                let row = model.row_name(row);
                format!(": `{row}` keeps a residual of {phi:.2e}; assemble the start, or look for contradicting rows")
            });
        }
        Ok(Some(report))
    }

    /// Stops where velocities contradict each other.
    fn check_velocities(&mut self, y: &[f64]) -> Result<(), Refusal> {
        let (_, v, _) = split_state(self.dynamics.model, y);
        let (rate, row) = largest_magnitude(&self.dynamics.eq.phidot);
        if rate > VELOCITY_CONTRADICTION * (1.0 + largest_magnitude(v).0) + 2.0 * self.initial_velocity_residual {
            self.cause = Cause::Constraint { row: self.dynamics.model.row_name(row), residual: rate };
            return Err(Refusal::NotConverged);
        }
        self.initial_velocity_residual = self.initial_velocity_residual.min(rate);
        Ok(())
    }

    /// Notes what contradictory constraints keep, and warns of it once per level.
    fn note_contradictions(&mut self, t: f64, y: &[f64]) {
        let model = self.dynamics.model;
        let (q, v, _) = split_state(model, y);
        let eq = &self.dynamics.eq;
        let found = [("positions", largest_magnitude(&eq.phi), q), ("velocities", largest_magnitude(&eq.phidot), v)];
        for (i, (level, (left, row), x)) in found.into_iter().enumerate() {
            self.contradictions[i] = left;
            let size = 1.0 + largest_magnitude(x).0;
            if left <= NOTED_CONTRADICTION * size {
                continue;
            }
            let kind = format!("constraints contradict each other in their {level}");
            let severity = if left > LARGE_CONTRADICTION * size { Severity::Doubtful } else { Severity::Notice };
            if self.log.warnings.iter().any(|w| w.message.starts_with(&kind) && w.severity >= severity) {
                continue;
            }
            let row = model.row_name(row);
            let message = format!(": `{row}` keeps a residual of {left:.2e}; see the columns residual.*");
            self.log.add_finding(severity, t, &kind, Some(row), message);
        }
    }

    /// Whether the constraints are met to round-off where the dynamics stand, at y.
    pub(super) fn meets_constraints(&self, y: &[f64]) -> bool {
        largest_magnitude(&self.dynamics.eq.phi).0
            <= ROUND_OFF_TOLERANCE * (1.0 + largest_magnitude(&y[..self.dynamics.model.sizes.q]).0)
    }

    /// Whether the return to y may have amplified the error it corrected, as it does near a pose of lower rank. This is so if
    /// the state met each row within the tolerance of the run, or if the correction is small.
    pub(super) fn is_amplified(&mut self, reset: &ProjectionReport, y: &[f64]) -> bool {
        let (q, v, _) = split_state(self.dynamics.model, y);
        let RunTolerances { rtol, atol, .. } = self.tolerances;
        if [q, v].iter().zip(reset.distance).all(|(x, apart)| apart <= atol + rtol * largest_magnitude(x).0) {
            return true;
        }
        // With dependent rows such poses are not detected in advance.
        let largest = if self.dynamics.rows_are_dependent() {
            MAX_AMPLIFIED_CORRECTION_DEPENDENT
        } else {
            MAX_AMPLIFIED_CORRECTION
        };
        self.work_state.iter().zip(y).all(|(a, b)| (a - b).abs() <= largest * (1.0 + b.abs()))
    }
}
