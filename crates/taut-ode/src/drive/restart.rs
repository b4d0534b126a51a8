//! Restarts: the integration continues behind a break or a zero of a guard.

use super::{Drive, Flow};
use crate::plan::Outcome;
use crate::{Action, Break, Edit, Refusal, Restart};

impl Drive<'_> {
    /// The break that begins at the present time, if any.
    pub(super) fn standing_at(&self) -> Option<Break> {
        let t = self.stepper.t();
        self.upcoming.filter(|at| t == if self.direction < 0.0 { at.after } else { at.before })
    }

    /// Continues behind a break.
    pub(super) fn pass(&mut self, at: Break) -> Result<Flow, Refusal> {
        let restart = Restart::across(at, self.direction);
        self.y.copy_from_slice(self.stepper.y());
        let flow = self.restart(restart)?;
        if let Flow::On = flow {
            self.upcoming = self.problem.next_break(restart.t(), self.plan.t_end);
        }
        Ok(flow)
    }

    /// Restarts with the state in `y`.
    pub(super) fn restart(&mut self, at: Restart) -> Result<Flow, Refusal> {
        let edit = self.problem.restart(at, &mut self.y)?;
        if edit == Edit::Stop {
            return Ok(Flow::End(Outcome::Stopped { t: self.stepper.t() }));
        }
        let t = at.t();
        self.stepper.resume_at(t).copy_from_slice(&self.y);
        self.stepper.hold_to(self.problem.part());
        (self.target, self.hop, self.crossed, self.repeated) = (None, None, None, 0);
        self.guards.set(self.problem, t, &self.y);
        // Output times between the two sides, where these are not neighbouring numbers.
        while let Some(&due) = self.plan.times.get(self.pending).filter(|due| self.direction * (**due - t) < 0.0) {
            self.problem.output(due, &self.y);
            self.last_output = due;
            self.pending += 1;
        }
        let stop = self.fire_across(t)?;
        self.watch.report_resting(self.problem, t);
        if edit == Edit::Jumped {
            self.output_jump(t);
        }
        if stop.is_none() {
            self.output_restart(t);
        }
        Ok(stop.map_or(Flow::On, Flow::End))
    }

    /// Output exactly at the time of a restart: from the state itself and not from the next step, so that an integration that is
    /// stopped here and resumed gives the same bits.
    fn output_restart(&mut self, t: f64) {
        while self.plan.times.get(self.pending).is_some_and(|due| *due == t) {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
            self.pending += 1;
        }
    }

    /// Fires the events whose functions changed sign between the two sides of a restart.
    fn fire_across(&mut self, t: f64) -> Result<Option<Outcome>, Refusal> {
        self.watch.passed(self.problem, t, &self.y);
        let mut stop = None;
        let mut jumped = false;
        for index in self.watch.fired() {
            let action = self.problem.fired(index, t, &mut self.y);
            jumped |= matches!(action, Action::Jump | Action::JumpAndStop);
            if matches!(action, Action::Stop | Action::JumpAndStop) {
                stop = stop.or(Some(Outcome::Event { index, t }));
            }
        }
        if jumped {
            self.stepper.jump().copy_from_slice(&self.y);
            self.watch.jumped(self.problem, t, &self.y);
            self.guards.set(self.problem, t, &self.y);
        }
        Ok(stop)
    }
}
