//! The driver: integration from the present time to the end of a plan.
//!
//! This file holds the loop over the steps. The submodules handle a single step:
//!
//! - [`accept`] decides whether a step is accepted or repeated;
//! - [`crossings`] ends steps at the zeros of guards, and repeats those that missed a narrow peak;
//! - [`restart`] continues behind a break or a zero of a guard;
//! - [`deliver`] delivers output and events.

mod accept;
mod crossings;
mod deliver;
mod restart;

use std::time::Instant;

use crate::guards::Guards;
use crate::plan::{Outcome, Plan, PlanError, Run};
use crate::watch::Watch;
use crate::{Break, Problem, Refusal, StepFailure, Stepper};
use crossings::Hop;

/// Integrates from the stepper's present time to the end of the plan.
///
/// After each step, in this order: the hook may edit the state; the events of the step are located; output and events are
/// delivered in order of time. If the hook or the system refuses the end of a step, the step is undone before anything of it is
/// delivered, and repeated at half its size; with a fixed step the integration ends there. No step crosses a [`Break`] or a zero
/// of a guard: it ends there, and the integration restarts. States are not stored but passed to
/// [`Hook::output`](crate::Hook::output).
///
/// # Errors
/// [`PlanError`] when the plan is invalid. Everything that happens afterwards is an [`Outcome`].
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

/// Whether to continue.
enum Flow {
    On,
    End(Outcome),
}

/// The integration under way.
struct Drive<'a> {
    stepper: &'a mut dyn Stepper,
    problem: &'a mut dyn Problem,
    plan: &'a Plan,
    /// Sign of the direction of integration.
    direction: f64,
    watch: Watch,
    /// Index of the next output time.
    pending: usize,
    /// Time of the last output; NaN before the first.
    last_output: f64,
    /// A copy of a state that the problem may edit.
    y: Vec<f64>,
    /// The state at an event.
    event: Vec<f64>,
    /// Steps repeated in a row because of a singular time ahead.
    replanned: usize,
    guards: Guards,
    /// The next break.
    upcoming: Option<Break>,
    /// Where the next step must end, because the previous one crossed the zero of a guard or missed an event at a peak.
    target: Option<f64>,
    /// A zero right ahead.
    hop: Option<Hop>,
    /// The guard that the last step crossed, if that step could not be repeated.
    crossed: Option<usize>,
    /// Steps repeated in a row because of guards.
    repeated: usize,
    /// How far the projection moved the end of this step at the last attempt, in units of the tolerance; infinite before
    /// the first.
    moved: f64,
    /// Steps repeated in a row because of their dense output.
    disagreed: usize,
    /// Steps repeated in a row because of a narrow peak.
    missed: usize,
}

impl Drive<'_> {
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
            // Do not stop while a step is being repeated: an integration resumed from there would take a different step.
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

    /// Whether the next step repeats one that was undone.
    fn repeats(&self) -> bool {
        self.target.is_some()
            || self.repeated + self.replanned + self.disagreed + self.missed > 0
            || self.moved < f64::INFINITY
    }

    /// The latest end time of the next step.
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

    fn failed(&self, failure: StepFailure) -> Outcome {
        let t = self.stepper.t();
        match failure {
            StepFailure::StepTooSmall { t, h } => Outcome::StepTooSmall { t, h },
            StepFailure::Refused { t, refusal } => Outcome::Refused { t, refusal },
            // The plan was checked, so these come only from a stepper of another crate.
            StepFailure::Dimension { .. } | StepFailure::StoppingTime | StepFailure::NothingToTakeBack => {
                Outcome::StepTooSmall { t, h: 0.0 }
            }
        }
    }

    fn refused(&self, refusal: Refusal) -> Outcome {
        let t = self.stepper.t();
        Outcome::Refused { t, refusal }
    }
}
