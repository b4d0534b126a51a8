//! The laws of constraints at work: what falls through zero, and how the run goes on from there.

use super::{From, Problem, parts};
use crate::analyses::AnalysisError;
use crate::bodies::Chart;
use crate::contacts::bind;
use crate::equations::{At, rechart};
use crate::events::Trouble;
use crate::solution::Outcome;
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
            let rung = self.switches.ring(&self.dynamics, i, t, &mut y[s.q + s.v..s.q + s.v + s.z]);
            self.occurrences.extend(rung);
        } else if self.decided == Decided::Already {
            return Action::Jump;
        } else {
            let (q, v, z) = parts(self.dynamics.model, y);
            self.dynamics.place(t, q, v, z);
            if self.switches.opens(&self.dynamics, i, t, z) {
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
        self.place_for_events(t, y);
        self.recorder.turns.cut(t, &self.recorder.gauges, &self.scene.motions);
        (self.t_step, self.jumped_at) = (t, Some(t));
        match decided {
            Ok(()) if self.burst.grows(t) => {
                let mut names: Vec<String> = Vec::new();
                for o in self.occurrences.iter().rev().take(64) {
                    if !names.contains(&o.name) {
                        names.push(o.name.clone());
                    }
                }
                self.ending = Some(Outcome::Chatter { t, names });
                Action::JumpAndStop
            }
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
            Err(Trouble::Paradox(c)) => {
                let contact = self.dynamics.model.constraints[c].name.clone();
                self.ending = Some(Outcome::Paradox { t, contact });
                Action::Stop
            }
        }
    }

    /// A contact that is open by its mode and deep by its position: no result beyond it could be trusted.
    pub(super) fn overlaps(&mut self, t: f64, y: &[f64]) -> Option<Outcome> {
        let model = self.dynamics.model;
        let (q, v, z) = parts(model, y);
        self.dynamics.place(t, q, v, z);
        let (c, depth) = self.switches.overlap(&self.dynamics, t, z).filter(|(_, depth)| *depth > DEEP)?;
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
            self.warn(t, &format!("body `{body}`: {why}"), || {
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
        for (c, lost) in report.losses {
            self.impact_losses[c] += lost;
        }
        self.jump_work += report.work;
        if let Some(left) = report.tamed {
            let names: Vec<&str> = report.occurrences.iter().map(|o| o.name.as_str()).collect();
            let names = names.join("`, `");
            self.warn(t, "Newton's law of impact would have added energy", || {
                format!(
                    " at `{names}`: the restitution was taken as {left:.3} of what is given; Poisson's law does not"
                )
            });
        }
        if let Some(residual) = report.stalled {
            let names = report.occurrences.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join("`, `");
            self.warn(t, "the impulses of an impact were not found to round-off", || {
                format!(" at `{names}`: what is left of the laws is {residual:.1e}; the velocities after it may be off")
            });
        }
        self.occurrences.extend(report.occurrences);
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
            self.occurrences.extend(rung);
        }
        let (q, v, z) = parts(model, y);
        self.dynamics.place(t, q, v, z);
        if let Some((c, depth)) = self.switches.overlap(&self.dynamics, t, z).filter(|(_, depth)| *depth > OVERLAP) {
            return Err(AnalysisError::Overlap { constraint: model.constraints[c].name.clone(), depth });
        }
        self.decide(t, y).map_err(|trouble| match trouble {
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

/// Events in ever shorter time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Burst {
    since: f64,
    count: usize,
}

/// Jumps within less than [`INSTANT`] beyond which a run is going nowhere.
const MOST_AT_ONCE: usize = 500;
/// What counts as no time at all, relative to 1 + t.
const INSTANT: f64 = 1e-10;

impl Burst {
    /// Counts a jump; whether there are too many.
    fn grows(&mut self, t: f64) -> bool {
        if t - self.since > INSTANT * (1.0 + t.abs()) || t < self.since {
            *self = Burst { since: t, count: 0 };
        }
        self.count += 1;
        self.count > MOST_AT_ONCE
    }
}
