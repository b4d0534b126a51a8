//! Delivery of output and events, in the order of time.

use super::{Driver, Flow};
use crate::plan::{IntegrationOutcome, OutputMode};
use crate::{EventResponse, Refusal, Restart, StateEdit};

impl Driver<'_> {
    /// Output at the start.
    pub(super) fn start(&mut self) {
        let t = self.stepper.t();
        let times = &self.plan.times;
        self.next_output = times.partition_point(|&time| self.direction * (time - t) < 0.0);
        let mut due = self.plan.record == OutputMode::EveryStep;
        while self.plan.times.get(self.next_output) == Some(&t) {
            self.next_output += 1;
            due = true;
        }
        if due {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
        }
    }

    /// Delivers the output and the events of the step, in the order of time.
    pub(super) fn deliver(&mut self, edit: StateEdit) -> Result<Flow, Refusal> {
        while let Some(t) = self.watch.next_event(self.stepper, self.problem)? {
            self.output_until(t)?;
            self.stepper.interpolate(self.problem, t, &mut self.event)?;
            self.problem.refine(t, &mut self.event)?;
            self.watch.update_after_projection(self.problem, t, &self.event);
            self.y.copy_from_slice(&self.event);
            // Before the events act: afterwards the problem has changed.
            if self.plan.record == OutputMode::EveryStep && self.last_output != t && self.watch.fired().next().is_some()
            {
                self.problem.output(t, &self.event);
                self.last_output = t;
            }
            let mut jump = StateEdit::Unchanged;
            let mut stop = None;
            for index in self.watch.touched() {
                self.problem.touched(index, t, &self.event);
            }
            for index in self.watch.fired() {
                match self.problem.fired(index, t, &mut self.y) {
                    EventResponse::Continue => {}
                    EventResponse::Jump => jump = StateEdit::Jumped,
                    EventResponse::Stop => stop = stop.or(Some(IntegrationOutcome::Event { index, t })),
                    EventResponse::JumpAndStop => {
                        jump = StateEdit::Jumped;
                        stop = stop.or(Some(IntegrationOutcome::Event { index, t }));
                    }
                }
            }
            if jump == StateEdit::Jumped || stop.is_some() {
                self.end_step_at_event(t, jump)?;
                return Ok(stop.map_or(Flow::Continue, Flow::Finish));
            }
        }
        let t = self.stepper.t();
        self.watch.report_resting(self.problem, t);
        self.output_until(t)?;
        self.output_step_end(t)?;
        if !matches!(edit, StateEdit::Jumped | StateEdit::Stop) {
            self.deliver_samples();
            let at_break = self.next_break.is_some_and(|at| t == at.before || t == at.after);
            if at_break || self.pending_crossing.is_some() || self.crossed_guard.is_some() {
                self.problem.before_restart(t, self.stepper.y());
            }
        }
        match edit {
            StateEdit::Unchanged
            | StateEdit::Corrected
            | StateEdit::Projected
            | StateEdit::ProjectedNearSingularity => {
                self.change_chart(t);
                if self.pending_crossing.is_none() {
                    self.guard_repeats = 0;
                }
                match self.crossed_guard {
                    Some(index) => {
                        self.y.copy_from_slice(self.stepper.y());
                        self.restart(Restart::Guard { index, t })
                    }
                    None => Ok(Flow::Continue),
                }
            }
            StateEdit::Stop => Ok(Flow::Finish(IntegrationOutcome::Stopped { t })),
            StateEdit::Jumped => {
                self.watch.reset_after_jump(self.problem, t, self.stepper.y());
                self.guards.set(self.problem, t, self.stepper.y());
                self.output_jump(t);
                Ok(Flow::Continue)
            }
        }
    }

    /// Passes the samples of the step that the hook asks for; states that are refused are left out.
    fn deliver_samples(&mut self) {
        let (t_old, t) = (self.stepper.t_old(), self.stepper.t());
        while let Some(at) = self.problem.next_sample_time(t_old, t) {
            let seen = self.stepper.interpolate(self.problem, at, &mut self.event);
            if seen.and_then(|()| self.problem.refine(at, &mut self.event)).is_err() {
                return;
            }
            self.problem.sample(at, &self.event);
        }
    }

    /// Lets the problem express the state in other coordinates between two steps.
    fn change_chart(&mut self, t: f64) {
        self.y.copy_from_slice(self.stepper.y());
        if self.problem.change_chart(t, &mut self.y) == StateEdit::Jumped {
            self.stepper.jump().copy_from_slice(&self.y);
            self.watch.reset_after_jump(self.problem, t, &self.y);
        }
    }

    /// Ends the step at an event, with the state before it in `event` and, if it made a jump, the
    /// state after it in `y`.
    fn end_step_at_event(&mut self, t: f64, jump: StateEdit) -> Result<(), Refusal> {
        self.stepper.truncate(self.problem, t)?;
        self.stepper.correct().copy_from_slice(&self.event);
        self.output_step_end(t)?;
        if jump == StateEdit::Jumped {
            self.stepper.jump().copy_from_slice(&self.y);
            self.stepper.count_restart();
            self.watch.reset_after_jump(self.problem, t, &self.y);
            self.output_jump(t);
        }
        (self.step_target, self.pending_crossing, self.crossed_guard, self.guard_repeats) = (None, None, None, 0);
        self.y.copy_from_slice(self.stepper.y());
        self.guards.set(self.problem, t, &self.y);
        self.watch.report_resting(self.problem, t);
        Ok(())
    }

    /// Output at the times up to `t`, from the step before any jump at its end.
    fn output_until(&mut self, t: f64) -> Result<(), Refusal> {
        while let Some(&due) = self.plan.times.get(self.next_output) {
            if self.direction * (due - t) > 0.0 {
                break;
            }
            self.stepper.interpolate(self.problem, due, &mut self.y)?;
            if due != self.stepper.t() {
                self.problem.refine(due, &mut self.y)?;
            }
            self.problem.output(due, &self.y);
            self.last_output = due;
            self.next_output += 1;
        }
        Ok(())
    }

    /// Output of the end of a step before any jump there, if every step is recorded and this one is not yet.
    fn output_step_end(&mut self, t: f64) -> Result<(), Refusal> {
        if self.plan.record == OutputMode::EveryStep && self.last_output != t {
            self.stepper.interpolate(self.problem, t, &mut self.event)?;
            self.problem.output(t, &self.event);
            self.last_output = t;
        }
        Ok(())
    }

    /// Output of the state after a jump.
    pub(super) fn output_jump(&mut self, t: f64) {
        if self.plan.record == OutputMode::EveryStep {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
        }
    }
}
