//! Events and warnings after each step.

use super::March;
use crate::events::{After, Look};
use crate::simulation::run::Run;
use crate::solution::{Outcome, Severity, Warning};
use crate::state::State;

/// Relative residual of the contact laws above which the forces of a step are doubtful.
const UNMET: f64 = 1e-4;
/// Energy gain by contacts in one step that causes a warning, relative to the energy of the run. A body that leaves a contact
/// so slowly that it falls back within the step can gain m (g h)²/8.
const GAINED: f64 = 1e-5;

impl March<'_> {
    /// Counts full turns of angles, and finds events that the step has crossed.
    pub(super) fn notice(&mut self) {
        if self.notices.is_empty() && self.log.recorder.gauges.is_empty() {
            return;
        }
        self.scheme.present();
        let motions = &self.scheme.dynamics.scene.motions;
        self.log.recorder.turns.advance(self.scheme.state.t, &self.log.recorder.gauges, motions);
        let State { t, q, v, z, .. } = &self.scheme.state;
        let seen = Look { t: *t, q, v, z, model: self.scheme.dynamics.model, motions, recorder: &self.log.recorder };
        for notice in self.notices.look(&seen) {
            if notice.after == After::Stop && !matches!(self.log.outcome, Outcome::Event { .. }) {
                self.log.outcome = Outcome::Event { name: notice.told.name.clone(), t: self.scheme.state.t };
            }
            if notice.records && self.recorded != Some(self.t()) {
                self.record();
            }
            self.log.events.push(notice.told);
        }
    }

    /// Warnings about the last step, once of each kind.
    pub(super) fn look_at_step(&mut self) {
        if let Some((residual, name)) = &self.scheme.worst {
            let kind = "the laws of contact were not met to the tolerance";
            let message = format!(
                "{kind}: the largest residual is {residual:.2e}, at {name}; allow more sweeps or use a shorter step"
            );
            let severity = if *residual > UNMET { Severity::Doubtful } else { Severity::Notice };
            // The worst residual of the run replaces the earlier warning.
            match self.log.warnings.iter_mut().find(|w| w.message.starts_with(kind)) {
                Some(told) => (told.message, told.severity) = (message, severity),
                None => {
                    let told = Warning::notice(self.scheme.state.t, message);
                    self.log.warnings.push(Warning { severity, ..told });
                }
            }
        }
        if let Some(name) = self.breaks.incomplete().first().cloned() {
            self.log.warn_once(
                self.scheme.state.t,
                "not all times were found at which forces or drivers are not smooth",
                || format!(": `{name}` has too many of them; use a shorter step"),
            );
        }
        let gained = self.scheme.tally.gained;
        if gained > GAINED * (self.log.energy_at_start.abs() + self.scheme.tally.lost.abs()) {
            self.log.warn_once(self.scheme.state.t, "contacts gave energy in a step", || {
                format!(
                    ": {gained:.2e} J; Newton's impact law can add energy if friction or several contacts with unequal \
                     restitution take part"
                )
            });
        }
    }
}
