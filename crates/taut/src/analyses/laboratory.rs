//! Compares formulations, drift controls and integrators on one model.
//!
//! Every [`Trial`] runs in its own thread, from the same assembled start and over the same times. It reports the same metrics: cost,
//! residuals of φ, φ̇, A v̇ − b and of the energy balance, and the error of its coordinates against a [`Reference`]. A trial that
//! cannot run is reported with the reason.

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

/// Most output times of the model that are used for the comparison.
const MOST: usize = 2000;
/// Number of intervals if the model gives no output times, or too many.
const INTERVALS: f64 = 200.0;
/// Runs shorter than this are repeated `REPEATS` times, and the shortest time counts.
const SHORT: Duration = Duration::from_millis(50);
const REPEATS: u32 = 5;
/// Runs longer than this are not repeated for timing.
const LONG: Duration = Duration::from_secs(2);
/// Default wall-clock limit of one trial, so that a slow penalty run does not delay all others.
const LIMIT: Duration = Duration::from_secs(20);
/// Interval between two checks for interruption.
const GLANCE: Duration = Duration::from_millis(20);

/// Progress of the trials, reported between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glimpse {
    /// Finished trials.
    pub done: usize,
    /// All trials.
    pub of: usize,
}

/// Callback between steps that decides whether to continue.
pub type Watch<'a> = &'a (dyn Fn(Glimpse) -> ControlFlow<()> + Sync);

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It reached the end time.
    Finished,
    /// It stopped before the end time.
    Stopped(Outcome),
    /// It did not start, for this reason.
    Inapplicable(String),
    /// It was interrupted.
    Interrupted,
}

/// How the time of a trial was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The shortest of this many runs without output.
    Least(u32),
    /// The run with its output.
    Recorded,
}

/// The largest and the final value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// Largest value over all outputs.
    pub largest: f64,
    /// Final value.
    pub end: f64,
}

/// Metrics of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Steps, rejected steps, evaluations.
    pub statistics: Statistics,
    /// Wall-clock time of the integration, s, without the assembly of the start.
    pub seconds: f64,
    /// How it was measured.
    pub timing: Timing,
    /// Largest |φ| at the outputs.
    pub phi: f64,
    /// Largest |φ̇| at the outputs.
    pub phidot: f64,
    /// Largest |A v̇ − b| at the outputs.
    pub acceleration: f64,
    /// |T + V − work − (T + V at the start)|, J.
    pub energy: Extreme,
    /// Largest difference of a coordinate from the reference, each in its own unit; only for a finished trial.
    pub error: Option<Extreme>,
}

/// Result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The trial.
    pub trial: Trial,
    /// How it ended.
    pub ended: Ended,
    /// Metrics, if it started.
    pub figures: Option<Figures>,
    /// Warnings of the run.
    pub warnings: Vec<Warning>,
}

/// Results of all trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The reference solution for errors.
    pub reference: Reference,
    /// One result per trial, in the order of the trials.
    pub findings: Vec<Finding>,
    /// Rank of A at the start, unless the model is too large.
    pub rank: Option<Rank>,
    /// Warnings of the assembly.
    pub warnings: Vec<Warning>,
    /// Number of parallel trials.
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
    /// Creates it with the settings that all trials share: time span, default tolerances, rank policy, penalty.
    ///
    /// # Errors
    /// If settings are invalid, the state does not fit the model, or the constraints cannot be satisfied at the start.
    pub fn new(model: &'m Model, state: &State, settings: &Transient) -> Result<Laboratory<'m>, AnalysisError> {
        // The default formulation and drift control suit every model: what they reject, every trial would reject.
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

    /// Wall-clock limit of one trial; default: 20 s.
    pub fn limit(&self) -> Duration {
        self.settings.limits.wall_clock.unwrap_or(LIMIT)
    }

    /// Sets the number of parallel trials; default: the number of cores.
    pub fn jobs(mut self, jobs: usize) -> Laboratory<'m> {
        self.jobs = jobs.max(1);
        self
    }

    /// Runs the trials. The results are in the order of the trials. Apart from the times they do not depend on the number of parallel
    /// trials.
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
        // A trial identical to the reference has the accuracy of the reference, not zero error.
        if let Reference::Known { accuracy, .. } = reference {
            let errors = findings.iter_mut().filter_map(|f| f.figures.as_mut()?.error.as_mut());
            errors.filter(|e| e.largest == 0.0).for_each(|e| *e = Extreme { largest: accuracy, end: accuracy });
        }
        Report { reference, findings, rank, warnings: self.warnings.clone(), jobs: self.jobs.min(trials.len().max(1)) }
    }

    /// Runs one trial and measures it.
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

    /// Integrates until the end or an interruption; after an interruption the outcome is `Underway`.
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

    /// Measures the time of a run without output, unless the run is too long to be repeated.
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

/// Callback that decides whether to continue.
type Look<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// Largest and last magnitude; NaN counts as the largest.
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
