//! Integration from here to there.

use std::time::Instant;

use crate::guards::{Guards, Zero, margin};
use crate::plan::{Outcome, Plan, PlanError, Record, Run};
use crate::watch::Watch;
use crate::{Action, Break, Depend, Edit, Pace, Problem, Refusal, Restart, StepFailure, Stepper};

/// Integrates from the stepper's present time to the end of the plan.
///
/// After each step, in this order: the hook sees the state and may edit it; the events of the
/// step are located; output and events are delivered in the order of time. A step whose end the
/// hook or the system refuses is taken back and repeated at half its size (a fixed step ends there), before anything of it
/// is delivered. No step crosses a [`Break`] or a zero of a guard: it ends there, and the integration restarts. States are not stored, but handed to [`Hook::output`](crate::Hook::output).
///
/// # Errors
/// [`PlanError`] when the plan makes no sense. Whatever happens afterwards is an [`Outcome`].
pub fn integrate(stepper: &mut dyn Stepper, problem: &mut dyn Problem, plan: &Plan) -> Result<Run, PlanError> {
    plan.check(stepper.t())?;
    let (expected, found) = (stepper.y().len(), problem.dimension());
    if expected != found {
        return Err(PlanError::Dimension { expected, found });
    }
    let watch = Watch::new(problem, stepper.t(), stepper.y(), plan.search);
    let guards = Guards::new(problem, stepper.t(), stepper.y());
    let upcoming = problem.next_break(stepper.t(), plan.t_end);
    let mut drive = Drive {
        direction: if plan.t_end < stepper.t() { -1.0 } else { 1.0 },
        pending: 0,
        last_output: f64::NAN,
        replanned: 0,
        y: stepper.y().to_vec(),
        event: stepper.y().to_vec(),
        watch,
        guards,
        upcoming,
        target: None,
        hop: None,
        crossed: None,
        repeated: 0,
        moved: f64::INFINITY,
        disagreed: 0,
        missed: 0,
        stepper,
        problem,
        plan,
    };
    drive.start();
    let outcome = drive.run();
    Ok(Run { outcome, t: drive.stepper.t(), statistics: drive.stepper.statistics() })
}

/// Whether to go on.
enum Flow {
    On,
    End(Outcome),
}

struct Drive<'a> {
    stepper: &'a mut dyn Stepper,
    problem: &'a mut dyn Problem,
    plan: &'a Plan,
    direction: f64,
    watch: Watch,
    /// Index of the next time of output.
    pending: usize,
    /// Time of the last output; not a number before the first.
    last_output: f64,
    /// A copy of a state for others to see and edit.
    y: Vec<f64>,
    /// The state at an event.
    event: Vec<f64>,
    /// Steps planned anew in a row because of an obstacle.
    replanned: usize,
    guards: Guards,
    /// The next break.
    upcoming: Option<Break>,
    /// Where a step is to end that has crossed the zero of a guard.
    target: Option<f64>,
    /// A zero that lies right ahead.
    hop: Option<Hop>,
    /// The guard that the last step has crossed, though it could not be repeated.
    crossed: Option<usize>,
    /// Steps repeated in a row because of guards.
    repeated: usize,
    /// What the return to the manifold moved the end of this step by when it was last tried, in units of the tolerance;
    /// infinite before that.
    moved: f64,
    /// Steps repeated in a row because of their dense output.
    disagreed: usize,
    /// Steps repeated in a row because of a narrow peak.
    missed: usize,
}

/// A zero of a guard that lies right ahead.
#[derive(Clone, Copy)]
struct Hop {
    /// The step that told of it.
    h: f64,
    /// The guard, where it was seen from here; else it is only expected.
    zero: Option<usize>,
}

/// So often in a row is a step made smaller for its dense output.
const MOST_REJECTIONS: usize = 12;

/// A dense output may err by so many tolerances over a step, by its derivative at one point. Peaks that matter err by more.
const UNSEEN: f64 = 100.0;

/// Half the width of the difference that is its derivative, as a share of the step.
const DIFFERENCE: f64 = 1e-4;

/// A step is repeated at most so often to end at the zero of a guard.
const MOST_REPETITIONS: usize = 20;

/// Share of the last step within which an obstacle ahead is too near.
const TOO_NEAR: f64 = 0.15;

impl Drive<'_> {
    /// Output at the start.
    fn start(&mut self) {
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

    fn run(&mut self) -> Outcome {
        let clock = Instant::now();
        let limits = self.plan.limits;
        let mut steps = 0_u64;
        loop {
            if self.stepper.t() == self.plan.t_end {
                return Outcome::Finished;
            }
            if let Some(at) = self.standing_at() {
                match self.pass(at) {
                    Ok(Flow::On) => continue,
                    Ok(Flow::End(outcome)) => return outcome,
                    Err(refusal) => return self.refused(refusal),
                }
            }
            if let Some(hop) = self.hop.take() {
                match self.hop_over(hop) {
                    Ok(Flow::On) => continue,
                    Ok(Flow::End(outcome)) => return outcome,
                    Err(refusal) => return self.refused(refusal),
                }
            }
            // A step that is being repeated is one and the same: whoever goes on from here takes the same one.
            if !self.repeats() {
                if limits.max_steps.is_some_and(|most| steps >= most) {
                    return Outcome::MaxSteps;
                }
                if limits.wall_clock.is_some_and(|most| clock.elapsed() >= most) {
                    return Outcome::WallClock;
                }
            }
            steps += 1;
            let goal = self.goal();
            if let Err(failure) = self.stepper.step(self.problem, goal) {
                match self.hop_over_failure() {
                    Ok(Some(Flow::On)) => continue,
                    Ok(Some(Flow::End(outcome))) => return outcome,
                    Ok(None) | Err(_) => return self.failed(failure),
                }
            }
            let flow = match self.settle() {
                Ok(Some(edit)) => self.deliver(edit),
                Ok(None) => Ok(Flow::On),
                Err(refusal) => self.retry(refusal),
            };
            match flow {
                Ok(Flow::On) => {}
                Ok(Flow::End(outcome)) => return outcome,
                Err(refusal) => return self.refused(refusal),
            }
        }
    }

    /// Whether the next step repeats one that was taken back.
    fn repeats(&self) -> bool {
        self.target.is_some()
            || self.repeated + self.replanned + self.disagreed + self.missed > 0
            || self.moved < f64::INFINITY
    }

    /// Where the next step must end at the latest.
    fn goal(&mut self) -> f64 {
        let direction = self.direction;
        let nearer = |a: f64, b: f64| if direction * (a - b) < 0.0 { a } else { b };
        let mut goal = self.plan.t_end;
        if let Some(longest) = self.problem.longest(self.stepper.t()) {
            goal = nearer(goal, self.stepper.t() + direction * longest);
        }
        if let Some(at) = self.upcoming {
            goal = nearer(goal, if self.direction < 0.0 { at.after } else { at.before });
        }
        self.target.map_or(goal, |target| nearer(goal, target))
    }

    /// The break at whose near side the integration stands, if it does.
    fn standing_at(&self) -> Option<Break> {
        let t = self.stepper.t();
        self.upcoming.filter(|at| t == if self.direction < 0.0 { at.after } else { at.before })
    }

    /// Goes on beyond a break.
    fn pass(&mut self, at: Break) -> Result<Flow, Refusal> {
        let restart = Restart::across(at, self.direction);
        self.y.copy_from_slice(self.stepper.y());
        let flow = self.restart(restart)?;
        if let Flow::On = flow {
            self.upcoming = self.problem.next_break(restart.t(), self.plan.t_end);
        }
        Ok(flow)
    }

    /// Starts anew with the state in `y`.
    fn restart(&mut self, at: Restart) -> Result<Flow, Refusal> {
        let edit = self.problem.restart(at, &mut self.y)?;
        if edit == Edit::Stop {
            return Ok(Flow::End(Outcome::Stopped { t: self.stepper.t() }));
        }
        let t = at.t();
        self.stepper.resume_at(t).copy_from_slice(&self.y);
        self.stepper.hold_to(self.problem.part());
        (self.target, self.hop, self.crossed, self.repeated) = (None, None, None, 0);
        self.guards.set(self.problem, t, &self.y);
        // Times that lie between two sides which are not neighbours.
        while let Some(&due) = self.plan.times.get(self.pending).filter(|due| self.direction * (**due - t) < 0.0) {
            self.problem.output(due, &self.y);
            self.last_output = due;
            self.pending += 1;
        }
        let stop = self.fire_across(t)?;
        if edit == Edit::Jumped {
            self.output_jump(t);
        }
        Ok(stop.map_or(Flow::On, Flow::End))
    }

    /// Events that have crossed zero between the two sides of a restart.
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

    fn failed(&self, failure: StepFailure) -> Outcome {
        let t = self.stepper.t();
        match failure {
            StepFailure::StepTooSmall { t, h } => Outcome::StepTooSmall { t, h },
            StepFailure::Refused { t, refusal } => Outcome::Refused { t, refusal },
            // The plan was checked: these are a foreign stepper's.
            StepFailure::Dimension { .. } | StepFailure::StoppingTime | StepFailure::NothingToTakeBack => {
                Outcome::StepTooSmall { t, h: 0.0 }
            }
        }
    }

    fn refused(&self, refusal: Refusal) -> Outcome {
        let t = self.stepper.t();
        Outcome::Refused { t, refusal }
    }

    /// Takes the step back, if that is possible.
    fn retry(&mut self, refusal: Refusal) -> Result<Flow, Refusal> {
        if self.stepper.pace() == Pace::Fixed {
            return Err(refusal);
        }
        match self.stepper.take_back(0.5) {
            Ok(()) => Ok(Flow::On),
            Err(_) => Err(refusal),
        }
    }

    /// Calls the hook, and makes everything that may be refused; nothing if the step is to be planned anew.
    fn settle(&mut self) -> Result<Option<Edit>, Refusal> {
        let t = self.stepper.t();
        self.y.copy_from_slice(self.stepper.y());
        let edit = self.problem.after_step(t, &mut self.y)?;
        match edit {
            Edit::Kept | Edit::Stop => {}
            Edit::Projected | Edit::Amplified if self.moved_too_far(edit)? => return Ok(None),
            Edit::Corrected | Edit::Projected | Edit::Amplified => self.stepper.correct().copy_from_slice(&self.y),
            Edit::Jumped => {
                // Before the jump, lest the past step be interpolated with the system after it.
                // The derivative after it is the next step's concern: it cannot take this one back.
                self.prepare_dense_output(edit)?;
                self.stepper.jump().copy_from_slice(&self.y);
                return Ok(Some(edit));
            }
        }
        self.stepper.stride_across(self.problem.obstacle());
        if self.stands_before_obstacle() && self.stepper.take_back(1.0).is_ok() {
            self.replanned += 1;
            return Ok(None);
        }
        self.replanned = 0;
        self.stepper.derivative(self.problem)?;
        self.prepare_dense_output(edit)?;
        if self.disagrees() || self.passes_guard()? || self.misses_peak()? {
            return Ok(None);
        }
        Ok(Some(edit))
    }

    /// Whether the step was rejected because the return to the manifold has moved its end, from `y` in the stepper to
    /// `y` here, by more than it may err.
    fn moved_too_far(&mut self, edit: Edit) -> Result<bool, Refusal> {
        let moved = self.stepper.deviation(&self.y);
        let before = std::mem::replace(&mut self.moved, moved);
        // Across a singular pose that is foreseen the return amplifies round-off.
        let held = self.stepper.pace() == Pace::Varying && self.problem.obstacle().is_none();
        if moved <= 1.0 || !held {
            (self.moved, *self.stepper.amplified()) = (f64::INFINITY, 1.0);
            return Ok(false);
        }
        let amplified = edit == Edit::Amplified && (moved <= 2.0 * *self.stepper.amplified() || moved > 0.5 * before);
        if !amplified && self.stepper.reject(moved).is_ok() {
            return Ok(true);
        }
        if edit == Edit::Projected {
            return Err(Refusal::NotConverged);
        }
        (self.moved, *self.stepper.amplified()) = (f64::INFINITY, moved);
        Ok(false)
    }

    /// Whether the step was rejected because the additional stages of its dense output saw what the step did not.
    fn disagrees(&mut self) -> bool {
        let defect = self.stepper.defect();
        // An additional stage may lie near a singular pose that the step itself keeps away from.
        let steered = self.stepper.pace() == Pace::Varying && self.stepper.obstacle().is_none();
        let doubtful = steered && self.disagreed < MOST_REJECTIONS && !(defect <= 1.0);
        if doubtful && self.stepper.reject(defect).is_ok() {
            self.disagreed += 1;
            return true;
        }
        self.disagreed = 0;
        false
    }

    /// Whether the step was taken back because it has crossed the zero of a guard.
    fn passes_guard(&mut self) -> Result<bool, Refusal> {
        let aimed = self.target.take().is_some();
        let Some(zero) = self.guards.first(self.stepper, self.problem)? else {
            // A step that was to end before a zero is there now.
            self.hop = aimed.then(|| Hop { h: self.stepper.h(), zero: None });
            return Ok(false);
        };
        let (h, at_start) = (self.stepper.h(), Guards::is_at_start(zero, self.stepper));
        if self.repeated >= MOST_REPETITIONS || self.stepper.take_back(1.0).is_err() {
            // What cannot be repeated restarts at its end.
            self.crossed = Some(zero.index);
            return Ok(false);
        }
        self.repeated += 1;
        if at_start {
            self.hop = Some(Hop { h, zero: Some(zero.index) });
        } else {
            self.target = Some(zero.t - self.direction * margin(zero.t, h));
        }
        Ok(true)
    }

    /// Whether the step was rejected because it has not seen a narrow peak of the right-hand side: where one may stand, the
    /// derivative of its dense output is not the right-hand side.
    fn misses_peak(&mut self) -> Result<bool, Refusal> {
        if self.guards.peaks().is_empty() || self.stepper.pace() != Pace::Varying || self.missed >= MOST_REJECTIONS {
            self.missed = 0;
            return Ok(false);
        }
        let (t_old, t, h) = (self.stepper.t_old(), self.stepper.t(), self.stepper.h());
        let mut most = 0.0_f64;
        for &peak in self.guards.peaks() {
            let near = DIFFERENCE * h;
            let (from, to) = (peak - near, peak + near);
            let inside = (from - t_old) * h >= 0.0 && (t - to) * h >= 0.0;
            if !inside {
                // A stage of this step or of the next stands there.
                continue;
            }
            self.stepper.interpolate(self.problem, peak, &mut self.event)?;
            // An event that only a step to the peak would see.
            if !self.watch.is_idle()
                && self.watch.changes_within(self.problem, (peak, &self.event), (t, self.stepper.y()))
                && self.stepper.take_back(1.0).is_ok()
            {
                self.missed += 1;
                (self.hop, self.crossed, self.target) = (None, None, Some(peak));
                return Ok(true);
            }
            if self.problem.rates(peak, &self.event, &mut self.y).is_err() {
                continue;
            }
            // The error of the derivative, as a change of the state over the step.
            self.stepper.interpolate(self.problem, from, &mut self.event)?;
            self.y.iter_mut().zip(&self.event).for_each(|(f, y)| *f = *f * h + y * (h / (to - from)));
            self.stepper.interpolate(self.problem, to, &mut self.event)?;
            self.y.iter_mut().zip(&self.event).for_each(|(f, y)| *f -= y * (h / (to - from)));
            self.y.iter_mut().zip(self.stepper.y()).for_each(|(f, y)| *f += y);
            most = most.max(self.stepper.distance(&self.y));
        }
        if most > UNSEEN && self.stepper.reject(most).is_ok() {
            self.missed += 1;
            (self.hop, self.crossed) = (None, None);
            return Ok(true);
        }
        self.missed = 0;
        Ok(false)
    }

    /// Goes over the zero of a guard, if it is as near as it seemed.
    fn hop_over(&mut self, hop: Hop) -> Result<Flow, Refusal> {
        match self.guards.hop(self.stepper, self.problem, hop.h, &mut self.y)? {
            Some(Zero { index, t }) if self.direction * (t - self.goal()) < 0.0 => {
                self.restart(Restart::Guard { index, t })
            }
            _ => match hop.zero {
                Some(index) => {
                    // A zero that is always ahead: whoever counts restarts is to know.
                    self.y.copy_from_slice(self.stepper.y());
                    let flow = self.restart(Restart::Guard { index, t: self.stepper.t() })?;
                    self.guards.rest(index);
                    // The step from here repeats the one that was taken back.
                    self.repeated = 1;
                    Ok(flow)
                }
                None => Ok(Flow::On),
            },
        }
    }

    /// Goes over the zero of a guard right ahead, at which a step has failed: an implicit method may not converge on a step
    /// across it, however short.
    fn hop_over_failure(&mut self) -> Result<Option<Flow>, Refusal> {
        if self.guards.is_idle() {
            return Ok(None);
        }
        self.target = None;
        let shortest = self.direction * f64::MIN_POSITIVE;
        match self.guards.hop(self.stepper, self.problem, shortest, &mut self.y)? {
            Some(Zero { index, t }) if self.direction * (t - self.goal()) < 0.0 => {
                self.restart(Restart::Guard { index, t }).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether the step ended too near to an obstacle that was not foreseen: from here no stride could be long enough.
    /// The same step planned anew, with the obstacle known, ends earlier.
    fn stands_before_obstacle(&self) -> bool {
        let ahead = self.stepper.obstacle().map(|o| (o - self.stepper.t()) * self.direction);
        let step = self.stepper.h().abs();
        self.replanned == 0 && ahead.is_some_and(|ahead| ahead > 0.0 && ahead < TOO_NEAR * step)
    }

    /// Has the dense output made if it will be needed.
    fn prepare_dense_output(&mut self, edit: Edit) -> Result<(), Refusal> {
        let (t_old, t) = (self.stepper.t_old(), self.stepper.t());
        let due = self.plan.times.get(self.pending);
        let inside = due.is_some_and(|&due| self.direction * (due - t) < 0.0);
        let watched = !self.watch.is_idle() && (self.problem.depend() == Depend::OnState || edit == Edit::Jumped);
        if inside || watched || !self.guards.is_idle() {
            let middle = t_old + 0.5 * (t - t_old);
            self.stepper.interpolate(self.problem, middle, &mut self.event)?;
        }
        Ok(())
    }

    /// Output and events of the step, in the order of time.
    fn deliver(&mut self, edit: Edit) -> Result<Flow, Refusal> {
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

    /// Shows the hook what it wants to see of the step; what has no value there is not shown.
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

    /// Lets the state be written in other numbers between two steps.
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
        Ok(())
    }

    /// Output at the times due up to `t`, of the step before any jump at its end.
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

    /// Output of the end of a step, before any jump there, if that is wanted and not yet made.
    fn output_step_end(&mut self, t: f64) -> Result<(), Refusal> {
        if self.plan.record == Record::EveryStep && self.last_output != t {
            self.stepper.interpolate(self.problem, t, &mut self.event)?;
            self.problem.output(t, &self.event);
            self.last_output = t;
        }
        Ok(())
    }

    /// Output of the state after a jump.
    fn output_jump(&mut self, t: f64) {
        if self.plan.record == Record::EveryStep {
            self.problem.output(t, self.stepper.y());
            self.last_output = t;
        }
    }
}
