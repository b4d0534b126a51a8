//! Quantities of the scheme for the audit.

use super::MoreauScheme;
use crate::audit::RunTolerances;
use crate::audit::energy::{EnergyLedger, permitted_step_error};
use crate::dynamics::energy;
use crate::equations::StateView;
use crate::state::State;
use taut_ode::ErrorControl;

impl MoreauScheme<'_> {
    /// The energies at the end of the last step.
    pub fn energy_ledger(&self, energy_at_start: f64) -> EnergyLedger {
        let at = StateView { modes: &self.modes, ..StateView::from(&self.state) };
        let (kinetic, potential) = energy(self.model, &self.scene.motions, at);
        let (lost, work) = (self.counts.contact_loss, self.counts.driver_work + self.counts.correction_work);
        let balance = kinetic + potential + lost - work - energy_at_start;
        EnergyLedger { t: self.state.t, kinetic, potential, work, lost, balance }
    }

    /// The tolerances of a step: the contact laws are met relative to the velocities, at least to those that forces cause in a step.
    /// They say nothing about the discretisation error.
    pub fn tolerances(&self, span: f64) -> RunTolerances {
        let rtol = self.settings.tolerance;
        RunTolerances {
            rtol,
            atol: rtol * self.free_speed_change,
            steering: ErrorControl::Unreliable,
            order: 1,
            span,
            ..RunTolerances::default()
        }
    }

    /// Permitted energy error of a step; M and f are those of its middle.
    pub fn permitted_energy_error(&mut self, promise: &RunTolerances) -> f64 {
        let State { q, v, .. } = &self.state;
        permitted_step_error(self.model, &self.middle, q, v, &mut self.buffers.momentum, promise)
    }

    /// The body with the largest kinetic energy.
    pub fn fastest_body(&self) -> Option<&str> {
        let State { q, v, .. } = &self.state;
        let kinetic = |b: &crate::model::BodyEntry| {
            b.kind.body().kinetic(&q[b.q.clone()], &v[b.v.clone()], &self.scene.motions[b.markers.start])
        };
        let most = self.model.bodies.iter().max_by(|a, b| kinetic(a).total_cmp(&kinetic(b)));
        most.map(|b| b.name.as_str())
    }
}
