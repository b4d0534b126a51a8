//! The return to the constraint manifold: after a step, after interpolation, after a jump.
//!
//! A return that leaves too large a residual rejects the step. The report tells the integrator whether the correction may have
//! been amplified, as happens near a pose of lower rank.

use super::{Problem, parts};
use crate::audit::Promise;
use crate::drift::Reset;
use crate::simulation::transient::diagnosis;
use crate::solution::{Blame, worst};
use taut_ode::Refusal;

/// |φ| that a return to the manifold must reach, relative to 1 + the size of the coordinates.
const HELD: f64 = 1e-9;
/// Largest correction that may count as amplified, relative to 1 + the size of the state.
const LEAP: f64 = 1e-3;
/// The same with dependent rows.
const LEAP_OF_DEPENDENT_ROWS: f64 = 1e-2;
/// |φ| worth a warning, relative likewise.
pub(super) const DOUBTFUL: f64 = 1e-11;

/// Origin of a state that is projected onto the manifold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// It ends a step.
    Step,
    /// From interpolation or a jump.
    Elsewhere,
}

impl Problem<'_> {
    /// Returns y to the manifold and leaves the dynamics placed there. The result is `None` if nothing had to be done.
    pub(super) fn return_to_manifold(&mut self, t: f64, y: &mut [f64], from: From) -> Result<Option<Reset>, Refusal> {
        let report = match from {
            From::Step => self.dynamics.end_step(t, y),
            From::Elsewhere => self.dynamics.show(t, y),
        };
        let Some(report) = report else { return Ok(None) };
        self.resets += 1;
        let size = 1.0 + worst(&y[..self.dynamics.model.sizes.q]).0;
        let (phi, row) = worst(&self.dynamics.eq.phi);
        if !size.is_finite() {
            self.blame = diagnosis::not_finite(&self.dynamics, t, y);
            return Err(Refusal::NotFinite);
        }
        if phi.is_nan() || report.phidot.is_nan() || phi > HELD * size + 2.0 * self.held {
            self.blame = Blame::Constraint { row: self.dynamics.model.row_name(row), residual: phi };
            return Err(Refusal::NotConverged);
        }
        self.held = self.held.min(phi);
        if from == From::Step && self.dynamics.holds_energy() {
            let friction = y[y.len() - self.rubbing.len()..].iter().sum::<f64>();
            let lost = friction + self.impact_losses.iter().sum::<f64>();
            self.dynamics.hold_energy(t, y, self.log.energy_at_start + self.work_at(y) - lost);
        }
        if phi > DOUBTFUL * size {
            let model = self.dynamics.model;
            self.log.warn_once(t, "constraints are not met to round-off", || {
                let row = model.row_name(row);
                format!(": `{row}` keeps a residual of {phi:.2e}; assemble the start, or look for contradicting rows")
            });
        }
        Ok(Some(report))
    }

    /// Whether the constraints are met to round-off where the dynamics stand, at y.
    pub(super) fn is_met(&self, y: &[f64]) -> bool {
        worst(&self.dynamics.eq.phi).0 <= DOUBTFUL * (1.0 + worst(&y[..self.dynamics.model.sizes.q]).0)
    }

    /// Whether the return to y may have amplified the error it corrected, as it does near a pose of lower rank. This is so if
    /// the state met each row within the tolerance of the run, or if the correction is small.
    pub(super) fn is_amplified(&mut self, reset: &Reset, y: &[f64]) -> bool {
        let (q, v, _) = parts(self.dynamics.model, y);
        let Promise { rtol, atol, .. } = self.promise;
        if [q, v].iter().zip(reset.apart).all(|(x, apart)| apart <= atol + rtol * worst(x).0) {
            return true;
        }
        // With dependent rows such poses are not detected in advance.
        let leap = if self.dynamics.rows_are_dependent() { LEAP_OF_DEPENDENT_ROWS } else { LEAP };
        self.seen.iter().zip(y).all(|(a, b)| (a - b).abs() <= leap * (1.0 + b.abs()))
    }
}
