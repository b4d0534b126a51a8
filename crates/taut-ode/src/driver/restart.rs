//! Restarts: the integration continues behind a break or a zero of a guard.

use super::{Driver, Flow};
use crate::plan::IntegrationOutcome;
use crate::{Break, EventResponse, Refusal, Restart, StateEdit};

impl Driver<'_> {
    /// The break that begins at the present time, if any.
    pub(super) fn break_here(&self) -> Option<Break> {
        let t = self.stepper.t();
        self.next_break.filter(|at| t == if self.direction < 0.0 { at.after } else { at.before })
    }

    /// Continues behind a break.
    pub(super) fn pass_break(&mut self, at: Break) -> Result<Flow, Refusal> {
        let restart = Restart::across_break(at, self.direction);
        self.y.copy_from_slice(self.stepper.y());
        let flow = self.restart(restart)?;
        if let Flow::Continue = flow {
            self.next_break = self.problem.next_break(restart.t(), self.plan.t_end);
        }
        Ok(flow)
    }

    /// Restarts with the state in `y`.
    pub(super) fn restart(&mut self, at: Restart) -> Result<Flow, Refusal> {
        let edit = self.problem.restart(at, &mut self.y)?;
        if edit == StateEdit::Stop {
            return Ok(Flow::Finish(IntegrationOutcome::Stopped { t: self.stepper.t() }));
        }
        let t = at.t();
        self.stepper.restart_at(t).copy_from_slice(&self.y);
        self.stepper.set_tolerance_factor(self.problem.tolerance_factor());
        (self.step_target, self.pending_crossing, self.crossed_guard, self.guard_repeats) = (None, None, None, 0);
        self.guards.set(self.problem, t, &self.y);
        // Output times between the two sides, where these are not neighbouring numbers.
        while let Some(&due) = self.plan.times.get(self.next_output).filter(|due| self.direction * (**due - t) < 0.0) {
            self.problem.output(due, &self.y);
            self.last_output = due;
            self.next_output += 1;
        }
        let stop = self.fire_across(t)?;
        self.watch.report_resting(self.problem, t);
        if edit == StateEdit::Jumped {
            self.output_jump(t);
        }
        if stop.is_none() {
            self.output_restart(t);
        }
        Ok(stop.map_or(Flow::Continue, Flow::Finish))
    }

    /// Output exactly at the time of a restart: from the state itself and not from the next step, so that an integration that is
    /// stopped here and resumed gives the same bits.
    fn output_restart(&mut self, t: f64) {
        while self.plan.times.get(self.next_output).is_some_and(|due| *due == t) {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
            self.next_output += 1;
        }
    }

    /// Fires the events whose functions changed sign between the two sides of a restart.
    fn fire_across(&mut self, t: f64) -> Result<Option<IntegrationOutcome>, Refusal> {
        self.watch.cross_restart(self.problem, t, &self.y);
        let mut stop = None;
        let mut jumped = false;
        for index in self.watch.fired() {
            let action = self.problem.fired(index, t, &mut self.y);
            jumped |= matches!(action, EventResponse::Jump | EventResponse::JumpAndStop);
            if matches!(action, EventResponse::Stop | EventResponse::JumpAndStop) {
                stop = stop.or(Some(IntegrationOutcome::Event { index, t }));
            }
        }
        if jumped {
            self.stepper.jump().copy_from_slice(&self.y);
            self.watch.reset_after_jump(self.problem, t, &self.y);
            self.guards.set(self.problem, t, &self.y);
        }
        Ok(stop)
    }
}
