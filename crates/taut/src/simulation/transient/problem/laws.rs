//! The laws of constraints at work: what falls through zero, and how the run goes on from there.

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

/// Overlap of a gap that tells a closing which was not seen, m.
const DEEP: f64 = 1e-6;
/// Overlap of a gap at the start that is no round-off of its data, m.
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
            // What is left in a contact that opens is lost; one that is pressed again before it has opened has energy anew.
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

    /// Goes on from a state whose laws ask for other modes.
    pub(super) fn jump(&mut self, t: f64, y: &mut [f64]) -> Action {
        self.bind(t, y);
        self.rewrite(t, y);
        let (q, v, z) = parts(self.dynamics.model, y);
        self.dynamics.engage(At { t, q, v, z, modes: &[] });
        // What cannot be brought to the constraints is refused by the next step.
        _ = self.return_to_manifold(t, y, From::Elsewhere);
        self.go_on(t, y)
    }

    /// Lets the laws decide, and makes everything ready for the next step.
    pub(super) fn go_on(&mut self, t: f64, y: &mut [f64]) -> Action {
        let decided = self.decide(t, y);
        if interruption::is_broken_off() {
            // Nothing found here is a result: the run goes back to before.
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

    /// Ends the run with what happened last.
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

    /// After a step: whether it still comes forward. The dynamics stand at the state.
    pub(super) fn mind(&mut self, t: f64) {
        let creeping = self.switches.creeping(&self.dynamics);
        if self.patience.step(t, &creeping) == Wait::NoMore {
            let creeping: Vec<usize> = creeping.iter().map(|slip| slip.constraint).collect();
            self.ending = Some(Outcome::Creep { t, names: self.names_of(&creeping) });
        }
    }

    /// The depth that is no error of integration.
    fn deep(&self) -> f64 {
        DEEP.max(self.dynamics.rtol())
    }

    /// A contact that is open by its mode and deep by its position: no result beyond it could be trusted.
    pub(super) fn overlaps(&mut self, t: f64, y: &[f64]) -> Option<Outcome> {
        let model = self.dynamics.model;
        let (q, v, z) = parts(model, y);
        self.dynamics.place(t, q, v, z);
        let (c, depth) = self.switches.overlap(&self.dynamics, t, z).filter(|(_, depth)| *depth > self.deep())?;
        Some(Outcome::Overlap { t, contact: model.constraints[c].name.clone(), depth })
    }

    /// Binds points of contact to what meets there.
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

    /// Lets bodies describe their pose in other numbers where these get singular.
    pub(super) fn rewrite(&mut self, t: f64, y: &mut [f64]) -> Chart {
        let model = self.dynamics.model;
        let (q, v) = y.split_at_mut(model.sizes.q);
        rechart(model, q, v, |body, why| {
            self.log.warn_once(t, &format!("body `{body}`: {why}"), || {
                ": take another description of its rotation, or let it be switched".to_string()
            });
        })
    }

    /// Lets the laws decide at a state: impacts, and the modes that follow.
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
        // Clocks that start with the run, teeth that lie behind.
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

/// Whether the laws have been asked at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    NotYet,
    Already,
}
