//! Quantities of the scheme for the audit.

use super::Scheme;
use crate::audit::Promise;
use crate::audit::energy::{Books, permitted};
use crate::dynamics::energy;
use crate::equations::At;
use crate::state::State;
use taut_ode::Steering;

impl Scheme<'_> {
    /// The energies at the end of the last step.
    pub fn books(&self, energy_at_start: f64) -> Books {
        let at = At { modes: &self.modes, ..At::from(&self.state) };
        let (kinetic, potential) = energy(self.model, &self.scene.motions, at);
        let (lost, work) = (self.tally.lost, self.tally.driven + self.tally.lifted);
        let balance = kinetic + potential + lost - work - energy_at_start;
        Books { t: self.state.t, kinetic, potential, work, lost, balance }
    }

    /// The tolerances of a step: the contact laws are met relative to the velocities, at least to those that forces cause in a step.
    /// They say nothing about the discretisation error.
    pub fn promise(&self, span: f64) -> Promise {
        let rtol = self.settings.tolerance;
        Promise { rtol, atol: rtol * self.gain, steering: Steering::Loose, order: 1, span, least_part: 0.0 }
    }

    /// Permitted energy error of a step; M and f are those of its middle.
    pub fn permitted(&mut self, promise: &Promise) -> f64 {
        let State { q, v, .. } = &self.state;
        permitted(self.model, &self.mid, q, v, &mut self.buffers.momentum, promise)
    }

    /// The body with the largest kinetic energy.
    pub fn liveliest(&self) -> Option<&str> {
        let State { q, v, .. } = &self.state;
        let kinetic = |b: &crate::model::BodyEntry| {
            b.kind.body().kinetic(&q[b.q.clone()], &v[b.v.clone()], &self.scene.motions[b.markers.start])
        };
        let most = self.model.bodies.iter().max_by(|a, b| kinetic(a).total_cmp(&kinetic(b)));
        most.map(|b| b.name.as_str())
    }
}
