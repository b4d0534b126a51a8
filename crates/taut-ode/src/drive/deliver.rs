//! Delivery of output and events, in the order of time.

use super::{Drive, Flow};
use crate::plan::{Outcome, Record};
use crate::{Action, Edit, Refusal, Restart};

impl Drive<'_> {
    /// Output at the start.
    pub(super) fn start(&mut self) {
        let t = self.stepper.t();
        let times = &self.plan.times;
        self.pending = times.partition_point(|&time| self.direction * (time - t) < 0.0);
        let mut due = self.plan.record == Record::EveryStep;
        while self.plan.times.get(self.pending) == Some(&t) {
            self.pending += 1;
            due = true;
        }
        if due {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
        }
    }

    /// Delivers the output and the events of the step, in the order of time.
    pub(super) fn deliver(&mut self, edit: Edit) -> Result<Flow, Refusal> {
        while let Some(t) = self.watch.next(self.stepper, self.problem)? {
            self.output_until(t)?;
            self.stepper.interpolate(self.problem, t, &mut self.event)?;
            self.problem.refine(t, &mut self.event)?;
            self.watch.refined(self.problem, t, &self.event);
            self.y.copy_from_slice(&self.event);
            let mut jump = Edit::Kept;
            let mut stop = None;
            for index in self.watch.touched() {
                self.problem.touched(index, t, &self.event);
            }
            for index in self.watch.fired() {
                match self.problem.fired(index, t, &mut self.y) {
                    Action::Continue => {}
                    Action::Jump => jump = Edit::Jumped,
                    Action::Stop => stop = stop.or(Some(Outcome::Event { index, t })),
                    Action::JumpAndStop => {
                        jump = Edit::Jumped;
                        stop = stop.or(Some(Outcome::Event { index, t }));
                    }
                }
            }
            if jump == Edit::Jumped || stop.is_some() {
                self.leave_step_at(t, jump)?;
                return Ok(stop.map_or(Flow::On, Flow::End));
            }
        }
        let t = self.stepper.t();
        self.watch.report_resting(self.problem, t);
        self.output_until(t)?;
        self.output_step_end(t)?;
        if !matches!(edit, Edit::Jumped | Edit::Stop) {
            self.sample();
        }
        match edit {
            Edit::Kept | Edit::Corrected | Edit::Projected | Edit::Amplified => {
                self.restate(t);
                if self.hop.is_none() {
                    self.repeated = 0;
                }
                match self.crossed {
                    Some(index) => {
                        self.y.copy_from_slice(self.stepper.y());
                        self.restart(Restart::Guard { index, t })
                    }
                    None => Ok(Flow::On),
                }
            }
            Edit::Stop => Ok(Flow::End(Outcome::Stopped { t })),
            Edit::Jumped => {
                self.watch.jumped(self.problem, t, self.stepper.y());
                self.guards.set(self.problem, t, self.stepper.y());
                self.output_jump(t);
                Ok(Flow::On)
            }
        }
    }

    /// Passes the samples of the step that the hook asks for; states that are refused are left out.
    fn sample(&mut self) {
        let (t_old, t) = (self.stepper.t_old(), self.stepper.t());
        while let Some(at) = self.problem.wants(t_old, t) {
            let seen = self.stepper.interpolate(self.problem, at, &mut self.event);
            if seen.and_then(|()| self.problem.refine(at, &mut self.event)).is_err() {
                return;
            }
            self.problem.sample(at, &self.event);
        }
    }

    /// Lets the problem express the state in other coordinates between two steps.
    fn restate(&mut self, t: f64) {
        self.y.copy_from_slice(self.stepper.y());
        if self.problem.restate(t, &mut self.y) == Edit::Jumped {
            self.stepper.jump().copy_from_slice(&self.y);
            self.watch.jumped(self.problem, t, &self.y);
        }
    }

    /// Ends the step at an event, with the state before it in `event` and, if it made a jump, the
    /// state after it in `y`.
    fn leave_step_at(&mut self, t: f64, jump: Edit) -> Result<(), Refusal> {
        self.stepper.truncate(self.problem, t)?;
        self.stepper.correct().copy_from_slice(&self.event);
        self.output_step_end(t)?;
        if jump == Edit::Jumped {
            self.stepper.jump().copy_from_slice(&self.y);
            self.stepper.count_restart();
            self.watch.jumped(self.problem, t, &self.y);
            self.output_jump(t);
        }
        (self.target, self.hop, self.crossed, self.repeated) = (None, None, None, 0);
        self.y.copy_from_slice(self.stepper.y());
        self.guards.set(self.problem, t, &self.y);
        self.watch.report_resting(self.problem, t);
        Ok(())
    }

    /// Output at the times up to `t`, from the step before any jump at its end.
    fn output_until(&mut self, t: f64) -> Result<(), Refusal> {
        while let Some(&due) = self.plan.times.get(self.pending) {
            if self.direction * (due - t) > 0.0 {
                break;
            }
            self.stepper.interpolate(self.problem, due, &mut self.y)?;
            if due != self.stepper.t() {
                self.problem.refine(due, &mut self.y)?;
            }
            self.problem.output(due, &self.y);
            self.last_output = due;
            self.pending += 1;
        }
        Ok(())
    }

    /// Output of the end of a step before any jump there, if every step is recorded and this one is not yet.
    fn output_step_end(&mut self, t: f64) -> Result<(), Refusal> {
        if self.plan.record == Record::EveryStep && self.last_output != t {
            self.stepper.interpolate(self.problem, t, &mut self.event)?;
            self.problem.output(t, &self.event);
            self.last_output = t;
        }
        Ok(())
    }

    /// Output of the state after a jump.
    pub(super) fn output_jump(&mut self, t: f64) {
        if self.plan.record == Record::EveryStep {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
        }
    }
}
