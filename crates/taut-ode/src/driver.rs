//! The driver: integration from the present time to the end of a plan.
//!
//! This file holds the loop over the steps. The submodules handle a single step:
//!
//! - [`accept`] decides whether a step is accepted or repeated;
//! - [`guard_crossings`] ends steps at the zeros of guards, and repeats those that missed a narrow peak;
//! - [`restart`] continues behind a break or a zero of a guard;
//! - [`deliver`] delivers output and events.

mod accept;
mod deliver;
mod guard_crossings;
mod restart;

use std::time::Instant;

use crate::event_locator::EventLocator;
use crate::guards::Guards;
use crate::plan::{IntegrationOutcome, IntegrationReport, Plan, PlanError};
use crate::{Break, Problem, Refusal, StepFailure, Stepper};
use guard_crossings::PendingCrossing;

/// Integrates from the stepper's present time to the end of the plan.
///
/// After each step, in this order: the hook may edit the state; the events of the step are located; output and events are
/// delivered in order of time. If the hook or the system refuses the end of a step, the step is undone before anything of it is
/// delivered, and repeated at half its size; with a fixed step the integration ends there. No step crosses a [`Break`] or a zero
/// of a guard: it ends there, and the integration restarts. States are not stored but passed to
/// [`Hook::output`](crate::Hook::output).
///
/// # Errors
/// [`PlanError`] when the plan is invalid. Everything that happens afterwards is an [`IntegrationOutcome`].
///
/// # Examples
///
/// ```
/// use taut_ode::{Events, Hook, Method, Plan, Refusal, Settings, System, integrate};
///
/// /// y'' = −y.
/// struct Oscillator;
///
/// impl System for Oscillator {
///     fn dimension(&self) -> usize {
///         2
///     }
///     fn rates(&mut self, _t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
///         dydt.copy_from_slice(&[y[1], -y[0]]);
///         Ok(())
///     }
/// }
/// impl Events for Oscillator {}
/// impl Hook for Oscillator {}
///
/// let settings = Settings::with_tolerance(1e-10, 1e-10);
/// let mut stepper = Method::Dop853.stepper(0.0, &[1.0, 0.0], &settings)?;
/// integrate(&mut *stepper, &mut Oscillator, &Plan::to(std::f64::consts::PI))?;
/// assert!((stepper.y()[0] + 1.0).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn integrate(
    stepper: &mut dyn Stepper,
    problem: &mut dyn Problem,
    plan: &Plan,
) -> Result<IntegrationReport, PlanError> {
    plan.check(stepper.t())?;
    let (expected, found) = (stepper.y().len(), problem.dimension());
    if expected != found {
        return Err(PlanError::Dimension { expected, found });
    }
    let watch = EventLocator::new(problem, stepper.t(), stepper.y(), plan.search);
    let guards = Guards::new(problem, stepper.t(), stepper.y());
    let upcoming = problem.next_break(stepper.t(), plan.t_end);
    let mut drive = Driver {
        direction: if plan.t_end < stepper.t() { -1.0 } else { 1.0 },
        next_output: 0,
        last_output: f64::NAN,
        singularity_repeats: 0,
        y: stepper.y().to_vec(),
        event: stepper.y().to_vec(),
        watch,
        guards,
        next_break: upcoming,
        step_target: None,
        pending_crossing: None,
        crossed_guard: None,
        guard_repeats: 0,
        last_correction: f64::INFINITY,
        dense_rejections: 0,
        peak_rejections: 0,
        stepper,
        problem,
        plan,
    };
    drive.start();
    let outcome = drive.run();
    Ok(IntegrationReport { outcome, t: drive.stepper.t(), statistics: drive.stepper.statistics() })
}

/// Whether to continue.
enum Flow {
    Continue,
    Finish(IntegrationOutcome),
}

/// The integration under way.
struct Driver<'a> {
    stepper: &'a mut dyn Stepper,
    problem: &'a mut dyn Problem,
    plan: &'a Plan,
    /// Sign of the direction of integration.
    direction: f64,
    watch: EventLocator,
    /// Index of the next output time.
    next_output: usize,
    /// Time of the last output; NaN before the first.
    last_output: f64,
    /// A copy of a state that the problem may edit.
    y: Vec<f64>,
    /// The state at an event.
    event: Vec<f64>,
    /// Steps repeated in a row because of a singular time ahead.
    singularity_repeats: usize,
    guards: Guards,
    /// The next break.
    next_break: Option<Break>,
    /// Where the next step must end, because the previous one crossed the zero of a guard or missed an event at a peak.
    step_target: Option<f64>,
    /// A zero right ahead.
    pending_crossing: Option<PendingCrossing>,
    /// The guard that the last step crossed, if that step could not be repeated.
    crossed_guard: Option<usize>,
    /// Steps repeated in a row because of guards.
    guard_repeats: usize,
    /// How far the projection moved the end of this step at the last attempt, in units of the tolerance; infinite before
    /// the first.
    last_correction: f64,
    /// Steps repeated in a row because of their dense output.
    dense_rejections: usize,
    /// Steps repeated in a row because of a narrow peak.
    peak_rejections: usize,
}

impl Driver<'_> {
    fn run(&mut self) -> IntegrationOutcome {
        let clock = Instant::now();
        let limits = self.plan.limits;
        let mut steps = 0_u64;
        loop {
            if self.stepper.t() == self.plan.t_end {
                return IntegrationOutcome::Finished;
            }
            if let Some(at) = self.break_here() {
                match self.pass_break(at) {
                    Ok(Flow::Continue) => continue,
                    Ok(Flow::Finish(outcome)) => return outcome,
                    Err(refusal) => return self.refused(refusal),
                }
            }
            if let Some(hop) = self.pending_crossing.take() {
                match self.cross_guard(hop) {
                    Ok(Flow::Continue) => continue,
                    Ok(Flow::Finish(outcome)) => return outcome,
                    Err(refusal) => return self.refused(refusal),
                }
            }
            // Do not stop while a step is being repeated: an integration resumed from there would take a different step.
            if !self.is_repeating() {
                if limits.max_steps.is_some_and(|most| steps >= most) {
                    return IntegrationOutcome::MaxSteps;
                }
                if limits.wall_clock.is_some_and(|most| clock.elapsed() >= most) {
                    return IntegrationOutcome::WallClock;
                }
            }
            steps += 1;
            let goal = self.step_limit();
            if let Err(failure) = self.stepper.step(self.problem, goal) {
                match self.cross_guard_after_failure() {
                    Ok(Some(Flow::Continue)) => continue,
                    Ok(Some(Flow::Finish(outcome))) => return outcome,
                    Ok(None) | Err(_) => return self.failed(failure),
                }
            }
            let flow = match self.check_step() {
                Ok(Some(edit)) => self.deliver(edit),
                Ok(None) => Ok(Flow::Continue),
                Err(refusal) => self.retry_halved(refusal),
            };
            match flow {
                Ok(Flow::Continue) => {}
                Ok(Flow::Finish(outcome)) => return outcome,
                Err(refusal) => return self.refused(refusal),
            }
        }
    }

    /// Whether the next step repeats one that was undone.
    fn is_repeating(&self) -> bool {
        self.step_target.is_some()
            || self.guard_repeats + self.singularity_repeats + self.dense_rejections + self.peak_rejections > 0
            || self.last_correction < f64::INFINITY
    }

    /// The latest end time of the next step.
    fn step_limit(&mut self) -> f64 {
        let direction = self.direction;
        let nearer = |a: f64, b: f64| if direction * (a - b) < 0.0 { a } else { b };
        let mut goal = self.plan.t_end;
        if let Some(longest) = self.problem.max_step(self.stepper.t()) {
            goal = nearer(goal, self.stepper.t() + direction * longest);
        }
        if let Some(at) = self.next_break {
            goal = nearer(goal, if self.direction < 0.0 { at.after } else { at.before });
        }
        self.step_target.map_or(goal, |target| nearer(goal, target))
    }

    fn failed(&self, failure: StepFailure) -> IntegrationOutcome {
        let t = self.stepper.t();
        match failure {
            StepFailure::StepTooSmall { t, h } => IntegrationOutcome::StepTooSmall { t, h },
            StepFailure::Refused { t, refusal } => IntegrationOutcome::Refused { t, refusal },
            // The plan was checked, so these come only from a stepper of another crate.
            StepFailure::Dimension { .. } | StepFailure::StoppingTime | StepFailure::NothingToUndo => {
                IntegrationOutcome::StepTooSmall { t, h: 0.0 }
            }
        }
    }

    fn refused(&self, refusal: Refusal) -> IntegrationOutcome {
        let t = self.stepper.t();
        IntegrationOutcome::Refused { t, refusal }
    }
}
