//! Advances a time-stepping run: breaks, output times, limits, and the outcome.

use super::TimeSteppingSimulation;
use crate::BreakSearch;
use crate::events::{EventKind, EventRecord};
use crate::simulation::run::{Run, RunStatus};
use crate::simulation::stepping::scheme::StepFailure;
use crate::solution::Outcome;
use std::time::Instant;

/// A step may be longer by this fraction to end at a given time.
const STEP_EXTENSION: f64 = 1e-6;

impl TimeSteppingSimulation<'_> {
    /// Steps until `t_stop`, a limit, an interruption or the end of the run.
    pub(super) fn drive(&mut self, t_stop: f64, steps: Option<u64>) -> RunStatus {
        let clock = Instant::now();
        self.interrupted = false;
        let mut left = steps.unwrap_or(u64::MAX);
        while self.log.outcome == Outcome::Underway && left > 0 && self.t() < t_stop {
            if self.settings.limits.max_steps.is_some_and(|most| self.steps >= most) {
                self.log.outcome = Outcome::MaxSteps { t: self.t() };
                break;
            }
            if self.settings.limits.wall_clock.is_some_and(|most| self.log.elapsed + clock.elapsed() >= most) {
                self.log.outcome = Outcome::WallClock { t: self.t() };
                break;
            }
            self.take_step(t_stop);
            if self.interrupted {
                break;
            }
            left -= 1;
        }
        self.log.elapsed += clock.elapsed();
        if self.log.outcome != Outcome::Underway && !self.interrupted {
            self.end_audit();
        }
        let cut_short = !matches!(self.log.outcome, Outcome::Underway | Outcome::Finished);
        if cut_short && self.last_recorded != Some(self.t()) {
            self.record();
        }
        self.status()
    }

    /// One step, then its warnings, audit, events and output.
    fn take_step(&mut self, t_stop: f64) {
        let t = self.t();
        let output = self.times[self.next_output..].first().map_or(f64::INFINITY, |x| *x);
        let target = t_stop.min(self.settings.t_end).min(output);
        let (state, saved) = (self.state(), self.scheme.save());
        let (start, target, mut went) = match self.breaks.next(self.scheme.model, t) {
            // At a break: start on its far side, and go no further than the next one.
            Some(at) if t >= at.before => {
                let next = self.breaks.next(self.scheme.model, at.after).map_or(target, |next| target.min(next.before));
                (at.after, next, self.scheme.pass_break(at.after))
            }
            Some(at) => (t, target.min(at.before), Ok(())),
            None => (t, target, Ok(())),
        };
        if went.is_ok() && start < target {
            let full = self.scheme.longest_safe_step(self.settings.step);
            let t_end = if start + full * (1.0 + STEP_EXTENSION) >= target { target } else { start + full };
            self.last_step = t_end - start;
            went = self.scheme.step(self.last_step, t_end);
        }
        if let Err(stop) = went {
            // The run ends with the last good state.
            self.scheme.restore(&state, &saved);
            self.scheme.evaluate_for_recorder();
            self.log.outcome = match stop {
                StepFailure::NotFinite(cause) => Outcome::NotFinite { t, cause },
                StepFailure::ConstraintsLost(cause) => Outcome::ConstraintsLost { t, cause },
                StepFailure::PositionJump(cause) => Outcome::PositionJump { t, cause },
                StepFailure::DrivenInto(constraint) => Outcome::DrivenInto { t, constraint },
                StepFailure::Interrupted => {
                    self.interrupted = true;
                    return;
                }
            };
            return;
        }
        for (c, impulse) in std::mem::take(&mut self.scheme.jumps) {
            let name = &self.scheme.model.constraints[c].name;
            self.log.events.push(EventRecord { impulse, ..EventRecord::new(name, c, start, EventKind::VelocityJump) });
        }
        let t_end = self.t();
        self.steps += 1;
        self.warn_of_step();
        self.audit_step();
        if t_end >= self.settings.t_end {
            self.log.outcome = Outcome::Finished;
        }
        self.find_events();
        self.output();
    }

    /// Advances the search for breaks to the present time with the same calls as a run from the start, so that both agree bit by bit.
    pub(in crate::simulation::stepping) fn replay_breaks(&mut self) {
        let (model, t) = (self.scheme.model, self.t());
        self.breaks = BreakSearch::new(self.t_start, self.settings.t_end);
        let mut at = self.t_start;
        while let Some(found) = self.breaks.next(model, at).filter(|found| found.before < t) {
            at = found.after;
        }
    }
}
