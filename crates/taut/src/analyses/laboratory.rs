//! One model under many ways to add its constraints, side by side.
//!
//! Every [`Trial`] runs from the same assembled start, over the same times, on a thread of its own, and is measured by the
//! same things: what it took, what it left of φ, φ̇, A v̇ − b and of the energy balance, and how far its coordinates are
//! from those of a [`Reference`]. What cannot be tried is told with its reason.

mod queue;
mod reference;
mod trials;

pub use queue::in_parallel;
pub use reference::Reference;
pub use trials::{Extent, Menu, Pace, Trial};

use super::{AnalysisError, Limits};
use super::{Output, Start, Transient};
use super::{Progress, Run, Simulation};
use super::{Rank, rank};
use crate::model::Model;
use crate::solution::{Columns, Family, Outcome, Solution, Statistics, Warning};
use crate::state::State;
use reference::{Track, positions};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Most times of a model's own at which trials are compared.
const MOST: usize = 2000;
/// Intervals where the model gives no times, or too many.
const INTERVALS: f64 = 200.0;
/// Runs shorter than this are repeated, so many times, and the least time counts.
const SHORT: Duration = Duration::from_millis(50);
const REPEATS: u32 = 5;
/// Runs longer than this are not run again only to be timed.
const LONG: Duration = Duration::from_secs(2);
/// Longest time of one trial, so that a creeping penalty does not hold up all others.
const LIMIT: Duration = Duration::from_secs(20);
/// How often a run looks up from its steps.
const GLANCE: Duration = Duration::from_millis(20);

/// How far the trials are, told between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glimpse {
    /// Trials that have ended.
    pub done: usize,
    /// All trials.
    pub of: usize,
}

/// What is asked between steps: whether to go on.
pub type Watch<'a> = &'a (dyn Fn(Glimpse) -> ControlFlow<()> + Sync);

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// At its end.
    Finished,
    /// Before.
    Stopped(Outcome),
    /// It never began, for this reason.
    Inapplicable(String),
    /// Somebody asked to stop before it had come to its end.
    Interrupted,
}

/// What the time of a trial is the time of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The least of so many runs without output.
    Least(u32),
    /// The one run with its output.
    Recorded,
}

/// A largest value and the one at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The largest over all outputs.
    pub largest: f64,
    /// The last.
    pub end: f64,
}

/// What was measured in a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Steps, rejected steps, evaluations.
    pub statistics: Statistics,
    /// Time of the integration by the clock on the wall, s, without the assembly of the start.
    pub seconds: f64,
    /// What that is the time of.
    pub timing: Timing,
    /// Largest |φ| at the outputs.
    pub phi: f64,
    /// Largest |φ̇| at the outputs.
    pub phidot: f64,
    /// Largest |A v̇ − b| at the outputs.
    pub acceleration: f64,
    /// |T + V − work − (T + V at the start)|, J.
    pub energy: Extreme,
    /// Largest difference of a coordinate from the reference, each in its own unit; only of a trial that finished.
    pub error: Option<Extreme>,
}

/// What a trial showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was tried.
    pub trial: Trial,
    /// How it ended.
    pub ended: Ended,
    /// What was measured, if it began.
    pub figures: Option<Figures>,
    /// What the run had to say.
    pub warnings: Vec<Warning>,
}

/// All that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What errors are measured against.
    pub reference: Reference,
    /// One for each trial, in their order.
    pub findings: Vec<Finding>,
    /// Rank of A at the start, where the model is not too large for it.
    pub rank: Option<Rank>,
    /// What the assembly of the start had to say.
    pub warnings: Vec<Warning>,
    /// Trials that ran at once.
    pub jobs: usize,
}

/// A model at its start, ready for trials.
#[derive(Debug)]
pub struct Laboratory<'m> {
    model: &'m Model,
    start: State,
    settings: Transient,
    jobs: usize,
    warnings: Vec<Warning>,
}

impl<'m> Laboratory<'m> {
    /// With the settings that all trials share: the span of time, tolerances not of their own, rank policy, penalty.
    ///
    /// # Errors
    /// Settings that make no sense, a state that does not fit, constraints that cannot be met at the start.
    pub fn new(model: &'m Model, state: &State, settings: &Transient) -> Result<Laboratory<'m>, AnalysisError> {
        // The default formulation and control suit every model: what is refused here is refused to all.
        let mut common = settings.clone();
        common.choice = Default::default();
        common.choice.policy = settings.choice.policy;
        let simulation = Simulation::new(model, state, &Transient { integrator: Default::default(), ..common })?;
        let span = settings.t_end - state.t;
        let output = match settings.times(state.t)?.len() {
            _ if span <= 0.0 => Output::Ends,
            3..=MOST => settings.output.clone(),
            _ => Output::Every(span / INTERVALS),
        };
        let mut settings = settings.clone();
        settings.start = Start::AsGiven;
        settings.output = output;
        settings.columns = Columns::Only(vec![Family::State, Family::Energy, Family::Residuals]);
        settings.limits.wall_clock.get_or_insert(LIMIT);
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let (start, warnings) = (simulation.state(), simulation.warnings().to_vec());
        Ok(Laboratory { model, start, settings, jobs, warnings })
    }

    /// Longest time of one trial by the clock on the wall, as the settings tell; 20 s if they do not.
    pub fn limit(&self) -> Duration {
        self.settings.limits.wall_clock.unwrap_or(LIMIT)
    }

    /// Trials at once; as many as there are cores if not told.
    pub fn jobs(mut self, jobs: usize) -> Laboratory<'m> {
        self.jobs = jobs.max(1);
        self
    }

    /// Runs the trials. The findings are in the order of the trials and, but for the times, the same however many run at
    /// once.
    pub fn run(&self, trials: &[Trial], watch: Watch) -> Report {
        let done = AtomicUsize::new(0);
        let look = || watch(Glimpse { done: done.load(Ordering::Relaxed), of: trials.len() });
        let (reference, track) = reference::find(self, &look);
        let mut findings = in_parallel(self.jobs, trials.len(), |i| {
            let finding = self.attempt(&trials[i], track.as_ref(), &look);
            done.fetch_add(1, Ordering::Relaxed);
            finding
        });
        let rank = rank(self.model, &self.start).ok();
        // A trial that is the reference itself is as good as that, not without error.
        if let Reference::Known { accuracy, .. } = reference {
            let errors = findings.iter_mut().filter_map(|f| f.figures.as_mut()?.error.as_mut());
            errors.filter(|e| e.largest == 0.0).for_each(|e| *e = Extreme { largest: accuracy, end: accuracy });
        }
        Report { reference, findings, rank, warnings: self.warnings.clone(), jobs: self.jobs.min(trials.len().max(1)) }
    }

    /// One trial, with all that is measured.
    fn attempt(&self, trial: &Trial, track: Option<&Track>, look: Look) -> Finding {
        let nothing = |ended: Ended| Finding { trial: trial.clone(), ended, figures: None, warnings: Vec::new() };
        if look().is_break() {
            return nothing(Ended::Interrupted);
        }
        if let Some(why) = trial.senseless() {
            return nothing(Ended::Inapplicable(why));
        }
        let settings = trial.settings(&self.settings);
        let found = match self.drive(&settings, look) {
            Ok(found) => found,
            Err(AnalysisError::Inapplicable { why, .. }) => return nothing(Ended::Inapplicable(why)),
            Err(e) => return nothing(Ended::Inapplicable(e.to_string())),
        };
        let ended = match &found.outcome {
            Outcome::Underway => Ended::Interrupted,
            o if o.is_success() => Ended::Finished,
            o => Ended::Stopped(o.clone()),
        };
        let (seconds, timing) = match ended {
            Ended::Finished => self.time(&settings, found.elapsed, look),
            _ => (found.elapsed, Timing::Recorded),
        };
        let largest = |name: &str| extreme(found.column(name).unwrap_or(&[])).largest;
        let error = track.filter(|_| ended == Ended::Finished).map(|t| t.distance(&positions(self.model, &found)));
        let figures = Figures {
            statistics: found.statistics,
            seconds: seconds.as_secs_f64(),
            timing,
            phi: largest("residual.position"),
            phidot: largest("residual.velocity"),
            acceleration: largest("residual.acceleration"),
            energy: extreme(found.column("energy.balance").unwrap_or(&[])),
            error,
        };
        Finding { trial: trial.clone(), ended, figures: Some(figures), warnings: found.warnings }
    }

    /// A run that can be stopped from outside; its outcome is `Underway` then.
    fn drive(&self, settings: &Transient, look: Look) -> Result<Solution, AnalysisError> {
        let mut simulation = Simulation::new(self.model, &self.start, settings)?;
        let mut most = 1;
        while simulation.progress() == Progress::Underway && look().is_continue() {
            let clock = Instant::now();
            simulation.steps(most);
            most = if clock.elapsed() < GLANCE { most * 2 } else { (most / 2).max(1) };
        }
        Ok(simulation.into_solution())
    }

    /// The time of a run without output, as far as it is worth another run.
    fn time(&self, settings: &Transient, recorded: Duration, look: Look) -> (Duration, Timing) {
        let (output, columns) = (Output::Ends, Columns::None);
        let bare = Transient { output, columns, limits: Limits::default(), ..settings.clone() };
        let runs = match recorded {
            r if r < SHORT => REPEATS,
            r if r < LONG => 1,
            _ => return (recorded, Timing::Recorded),
        };
        let timed = (0..runs).filter_map(|_| self.drive(&bare, look).ok()).filter(|s| s.outcome.is_success());
        let times: Vec<Duration> = timed.map(|s| s.elapsed).collect();
        match times.iter().min() {
            Some(least) => (*least, Timing::Least(times.len() as u32)),
            None => (recorded, Timing::Recorded),
        }
    }
}

/// Whether to go on.
type Look<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// Largest and last size; what is not a number is larger than any.
fn extreme(values: &[f64]) -> Extreme {
    let larger = |most: f64, x: &f64| if x.abs() > most || x.is_nan() { x.abs() } else { most };
    let largest = values.iter().fold(0.0, |most: f64, x| if most.is_nan() { most } else { larger(most, x) });
    Extreme { largest, end: values.last().map_or(0.0, |x| x.abs()) }
}

#[cfg(test)]
mod tests {
    use super::extreme;

    #[test]
    fn a_number_that_is_none_is_the_largest() {
        assert_eq!((extreme(&[1.0, -3.0, 2.0]).largest, extreme(&[1.0, -3.0, -2.0]).end), (3.0, 2.0));
        assert!(extreme(&[1.0, f64::NAN, 2.0]).largest.is_nan());
        assert_eq!(extreme(&[]).largest, 0.0);
    }
}
