//! Events and warnings after each step.

use super::TimeSteppingSimulation;
use crate::events::{EventInput, RunAction};
use crate::simulation::run::Run;
use crate::solution::{MeasureInput, Outcome, Severity, Warning};
use crate::state::State;

/// Relative residual of the contact laws above which the forces of a step are doubtful.
const DOUBTFUL_RESIDUAL: f64 = 1e-4;
/// Energy gain by contacts in one step that causes a warning, relative to the energy of the run. A body that leaves a contact
/// so slowly that it falls back within the step can gain m (g h)²/8.
const NOTICEABLE_ENERGY_GAIN: f64 = 1e-5;

impl TimeSteppingSimulation<'_> {
    /// Counts full turns of angles, and finds events that the step has crossed.
    pub(super) fn find_events(&mut self) {
        if self.events.is_empty() && self.log.recorder.measures.is_empty() {
            return;
        }
        self.scheme.evaluate_for_recorder();
        let (model, motions) = (self.scheme.dynamics.model, &self.scheme.dynamics.kinematics.motions);
        let State { t, q, v, z, .. } = &self.scheme.state;
        self.log.recorder.angle_tracker.advance(*t, &self.log.recorder.measures, MeasureInput { model, q, motions });
        let seen = EventInput { t: *t, q, v, z, model, motions, recorder: &self.log.recorder };
        for notice in self.events.find_crossings(&seen) {
            if notice.after == RunAction::Stop && !matches!(self.log.outcome, Outcome::Event { .. }) {
                self.log.outcome = Outcome::Event { name: notice.record.name.clone(), t: self.scheme.state.t };
            }
            if notice.wants_row && self.last_recorded != Some(self.t()) {
                self.record();
            }
            self.log.events.push(notice.record);
        }
    }

    /// Warnings about the last step, once of each kind.
    pub(super) fn warn_of_step(&mut self) {
        if let Some((residual, name)) = &self.scheme.worst {
            let kind = "the contact laws are not satisfied to the tolerance";
            let message = format!(
                "{kind}: the largest residual is {residual:.2e}, at {name}; allow more sweeps or use a shorter step"
            );
            let severity = if *residual > DOUBTFUL_RESIDUAL { Severity::Doubtful } else { Severity::Notice };
            // The worst residual of the run replaces the earlier warning.
            match self.log.warnings.iter_mut().find(|w| w.message.starts_with(kind)) {
                Some(reported) => (reported.message, reported.severity) = (message, severity),
                None => {
                    let reported = Warning::notice(self.scheme.state.t, message);
                    self.log.warnings.push(Warning { severity, ..reported });
                }
            }
        }
        if let Some(name) = self.breaks.incomplete().first().cloned() {
            self.log.warn_once(
                self.scheme.state.t,
                "some times at which forces or drivers are not smooth were not found",
                || format!(": `{name}` has too many of them; use a shorter step"),
            );
        }
        let gained = self.scheme.counts.largest_gain;
        if gained > NOTICEABLE_ENERGY_GAIN * (self.log.energy_at_start.abs() + self.scheme.counts.contact_loss.abs()) {
            self.log.warn_once(self.scheme.state.t, "contacts added energy in a step", || {
                format!(
                    ": {gained:.2e} J; Newton's impact law can add energy if friction or several contacts with unequal \
                     restitution take part"
                )
            });
        }
    }
}
