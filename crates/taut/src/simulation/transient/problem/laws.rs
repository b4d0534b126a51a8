//! Contact laws during a run: events of gaps and friction, and how the run continues after them.

use super::manifold::From;
use super::{Problem, parts};
use crate::bodies::Chart;
use crate::equations::{At, rechart};
use crate::events::{Lift, Trouble, Wait};
use crate::interruption;
use crate::simulation::AnalysisError;
use crate::solution::Outcome;
use crate::solvers::contact_features::bind;
use taut_ode::Action;

/// Overlap of a gap that shows a missed contact, m.
const DEEP: f64 = 1e-6;
/// Overlap of a gap at the start above the round-off of the data, m.
const OVERLAP: f64 = 1e-7;
impl Problem<'_> {
    /// A function of the laws has fallen through zero.
    pub(super) fn switched(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        let s = self.dynamics.model.sizes;
        if self.switches.is_alarm(i) {
            let (q, v, z) = parts(self.dynamics.model, y);
            self.dynamics.place(t, q, v, z);
            let stored = self.switches.stored(&self.dynamics, i, t, z);
            let z = &mut y[s.q + s.v..s.q + s.v + s.z];
            let rung = self.switches.ring(&self.dynamics, i, t, z);
            // Energy left in an opening contact is lost; a contact that closes again before it has opened regains energy.
            let gained = self.switches.stored(&self.dynamics, i, t, z) - stored;
            self.jump_work += gained;
            if let Some(force) = self.switches.force_of(i).filter(|_| gained > 0.0) {
                self.log.audit.elements.credit(self.dynamics.model, force, gained);
            }
            self.log.events.extend(rung);
        } else if self.decided == Decided::Already {
            return Action::Jump;
        } else {
            let (q, v, z) = parts(self.dynamics.model, y);
            self.dynamics.place(t, q, v, z);
            if self.switches.opens(&self.dynamics, i, t, z) && self.switches.lift(&self.dynamics, i, t, z) == Lift::Done
            {
                return Action::Continue;
            }
        }
        self.decided = Decided::Already;
        self.jump(t, y)
    }

    /// Continues from a state whose laws require other modes.
    pub(super) fn jump(&mut self, t: f64, y: &mut [f64]) -> Action {
        self.bind(t, y);
        self.rewrite(t, y);
        let (q, v, z) = parts(self.dynamics.model, y);
        self.dynamics.engage(At { t, q, v, z, modes: &[] });
        // If the projection fails, the next step is rejected.
        _ = self.return_to_manifold(t, y, From::Elsewhere);
        self.go_on(t, y)
    }

    /// Decides the modes and prepares the next step.
    pub(super) fn go_on(&mut self, t: f64, y: &mut [f64]) -> Action {
        let decided = self.decide(t, y);
        if interruption::is_broken_off() {
            // The result is not valid: the run returns to the state before.
            self.ending = Some(Outcome::WallClock { t });
            return Action::Stop;
        }
        self.follow_depths(t, y);
        self.place_for_events(t, y);
        self.log.recorder.turns.cut(t, &self.log.recorder.gauges, &self.scene.motions);
        (self.t_step, self.jumped_at) = (t, Some(t));
        match decided {
            Ok(()) if self.patience.jump(t) == Wait::NoMore => self.chatters(t),
            Ok(()) => match self.overlaps(t, y) {
                Some(overlap) => {
                    self.ending = Some(overlap);
                    Action::JumpAndStop
                }
                None => Action::Jump,
            },
            Err(Trouble::Endless(closed)) => {
                self.ending = Some(Outcome::Chatter { t, names: self.names_of(&closed) });
                Action::Stop
            }
            Err(Trouble::Overlap(c, depth)) => {
                let contact = self.dynamics.model.constraints[c].name.clone();
                self.ending = Some(Outcome::Overlap { t, contact, depth });
                Action::Stop
            }
            Err(Trouble::Paradox(c)) => {
                let contact = self.dynamics.model.constraints[c].name.clone();
                self.ending = Some(Outcome::Paradox { t, contact });
                Action::Stop
            }
        }
    }

    /// Stops the run and names the contacts of the last events.
    fn chatters(&mut self, t: f64) -> Action {
        let mut names: Vec<String> = Vec::new();
        for o in self.log.events.iter().rev().take(64) {
            if !names.contains(&o.name) {
                names.push(o.name.clone());
            }
        }
        self.ending = Some(Outcome::Chatter { t, names });
        Action::JumpAndStop
    }

    /// After a step: stops a run that no longer advances. The dynamics are evaluated at the state.
    pub(super) fn mind(&mut self, t: f64) {
        let creeping = self.switches.creeping(&self.dynamics);
        if self.patience.step(t, &creeping) == Wait::NoMore {
            let creeping: Vec<usize> = creeping.iter().map(|slip| slip.constraint).collect();
            self.ending = Some(Outcome::Creep { t, names: self.names_of(&creeping) });
        }
    }

    /// The depth above the integration error.
    fn deep(&self) -> f64 {
        DEEP.max(self.dynamics.rtol())
    }

    /// The outcome if a contact that is open by its mode overlaps deeply: later results could not be trusted.
    pub(super) fn overlaps(&mut self, t: f64, y: &[f64]) -> Option<Outcome> {
        let model = self.dynamics.model;
        let (q, v, z) = parts(model, y);
        self.dynamics.place(t, q, v, z);
        let (c, depth) = self.switches.overlap(&self.dynamics, t, z).filter(|(_, depth)| *depth > self.deep())?;
        Some(Outcome::Overlap { t, contact: model.constraints[c].name.clone(), depth })
    }

    /// Binds contact points to the features that touch there.
    pub(super) fn bind(&mut self, t: f64, y: &mut [f64]) {
        let model = self.dynamics.model;
        if !model.meetings.is_empty() {
            let (q, v, z) = parts(model, y);
            self.dynamics.place(t, q, v, z);
            let s = model.sizes;
            let z = &mut y[s.q + s.v..s.q + s.v + s.z];
            bind(model, t, &self.dynamics.scene, &mut self.dynamics.modes, z);
        }
    }

    /// Changes the chart of bodies whose coordinates become singular.
    pub(super) fn rewrite(&mut self, t: f64, y: &mut [f64]) -> Chart {
        let model = self.dynamics.model;
        let (q, v) = y.split_at_mut(model.sizes.q);
        rechart(model, q, v, |body, why| {
            self.log.warn_once(t, &format!("body `{body}`: {why}"), || {
                ": use other rotation coordinates, or allow a change of chart".to_string()
            });
        })
    }

    /// Decides impacts and contact modes at a state.
    pub fn decide(&mut self, t: f64, y: &mut [f64]) -> Result<(), Trouble> {
        if self.switches.watched().is_empty() {
            return Ok(());
        }
        let model = self.dynamics.model;
        let s = model.sizes;
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let z = &rest[..s.z];
        let report = self.switches.transition(&mut self.dynamics, t, q, v, z)?;
        self.solves += 2;
        for (c, lost) in &report.losses {
            self.impact_losses[*c] += lost;
        }
        self.jump_work += report.work;
        for told in report.told() {
            self.log.warn_once(t, told.kind, || told.rest);
        }
        if let Some((contact, told)) = report.ambiguous() {
            self.log.warn_doubtful(t, told.kind, contact, || told.rest.clone());
        }
        self.log.events.extend(report.occurrences);
        if let Some((c, depth)) = self.switches.off(&self.dynamics).filter(|(_, depth)| *depth > self.deep()) {
            return Err(Trouble::Overlap(c, depth));
        }
        _ = self.return_to_manifold(t, y, From::Elsewhere);
        let (q, v, z) = parts(model, y);
        self.switches.arm(&mut self.dynamics, t, q, v, z);
        Ok(())
    }

    /// Decides the modes of the start.
    ///
    /// # Errors
    /// Gaps that overlap, and Coulomb's law without a solution.
    pub fn begin(&mut self, t: f64, y: &mut [f64]) -> Result<(), AnalysisError> {
        if self.switches.is_empty() {
            return Ok(());
        }
        let model = self.dynamics.model;
        self.bind(t, y);
        let (q, v, z) = parts(model, y);
        self.dynamics.place(t, q, v, z);
        // Clocks that start with the run, and teeth that are passed already.
        let s = model.sizes;
        for i in self.switches.due(&self.dynamics, t, z) {
            let rung = self.switches.ring(&self.dynamics, i, t, &mut y[s.q + s.v..s.q + s.v + s.z]);
            self.log.events.extend(rung);
        }
        self.follow_depths(t, y);
        let (q, v, z) = parts(model, y);
        self.dynamics.place(t, q, v, z);
        if let Some((c, depth)) = self.switches.overlap(&self.dynamics, t, z).filter(|(_, depth)| *depth > OVERLAP) {
            return Err(AnalysisError::Overlap { constraint: model.constraints[c].name.clone(), depth });
        }
        self.decide(t, y).map_err(|trouble| match trouble {
            Trouble::Overlap(c, depth) => {
                AnalysisError::Overlap { constraint: model.constraints[c].name.clone(), depth }
            }
            Trouble::Paradox(c) => AnalysisError::Paradox { contact: model.constraints[c].name.clone() },
            Trouble::Endless(closed) => AnalysisError::Endless { names: self.names_of(&closed) },
        })
    }

    fn names_of(&self, constraints: &[usize]) -> Vec<String> {
        constraints.iter().map(|c| self.dynamics.model.constraints[*c].name.clone()).collect()
    }
}

/// Whether the modes have been decided at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    NotYet,
    Already,
}
