//! Compares formulations, drift controls and integrators on one model.
//!
//! Every [`Trial`] runs in its own thread, from the same assembled start and over the same times. It reports the same metrics: cost,
//! residuals of φ, φ̇, A v̇ − b and of the energy balance, and the error of its coordinates against a [`ReferenceSolution`]. A trial that
//! cannot run is reported with the reason.

mod parallel;
mod reference;
mod trials;

pub use parallel::in_parallel;
pub use reference::ReferenceSolution;
pub use trials::{Trial, TrialSelection, TrialSet, TrialStepping};

use super::{AnalysisError, Limits};
use super::{InitialConditions, Output, Transient};
use super::{RankReport, rank};
use super::{Run, RunStatus, Simulation};
use crate::model::Model;
use crate::solution::{ColumnFamily, Columns, Outcome, Solution, Statistics, Warning};
use crate::state::State;
use reference::{CoordinateHistory, coordinate_history};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Most output times of the model that are used for the comparison.
const MAX_OUTPUT_TIMES: usize = 2000;
/// Number of intervals if the model gives no output times, or too many.
const DEFAULT_INTERVALS: f64 = 200.0;
/// Runs shorter than this are repeated `TIMING_REPEATS` times, and the shortest time counts.
const SHORT_RUN: Duration = Duration::from_millis(50);
const TIMING_REPEATS: u32 = 5;
/// Runs longer than this are not repeated for timing.
const LONG_RUN: Duration = Duration::from_secs(2);
/// Default wall-clock limit of one trial, so that a slow penalty run does not delay all others.
const DEFAULT_WALL_CLOCK_LIMIT: Duration = Duration::from_secs(20);
/// Interval between two checks for interruption.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Progress of the trials, reported between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialProgress {
    /// Finished trials.
    pub done: usize,
    /// All trials.
    pub total: usize,
}

/// Callback between steps that decides whether to continue.
pub type ProgressCallback<'a> = &'a (dyn Fn(TrialProgress) -> ControlFlow<()> + Sync);

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialOutcome {
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
    BestOf(u32),
    /// The run with its output.
    Recorded,
}

/// The largest and the final value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxAndFinal {
    /// Largest value over all outputs.
    pub largest: f64,
    /// Final value.
    pub end: f64,
}

/// Metrics of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialMetrics {
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
    pub energy: MaxAndFinal,
    /// Largest difference of a coordinate from the reference, each in its own unit; only for a finished trial.
    pub error: Option<MaxAndFinal>,
}

/// Result of a trial.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrialResult {
    /// The trial.
    pub trial: Trial,
    /// How it ended.
    pub outcome: TrialOutcome,
    /// Metrics, if it started.
    pub metrics: Option<TrialMetrics>,
    /// Warnings of the run.
    pub warnings: Vec<Warning>,
}

/// Results of all trials.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LaboratoryReport {
    /// The reference solution for errors.
    pub reference: ReferenceSolution,
    /// One result per trial, in the order of the trials.
    pub results: Vec<TrialResult>,
    /// Rank of A at the start, unless the model is too large.
    pub rank: Option<RankReport>,
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
        common.choice.inconsistent = settings.choice.inconsistent;
        common.choice.row_weighting = settings.choice.row_weighting;
        let simulation = Simulation::new(model, state, &Transient { integrator: Default::default(), ..common })?;
        let span = settings.t_end - state.t;
        let output = match settings.times(state.t)?.len() {
            _ if span <= 0.0 => Output::Ends,
            3..=MAX_OUTPUT_TIMES => settings.output.clone(),
            _ => Output::Every(span / DEFAULT_INTERVALS),
        };
        let mut settings = settings.clone();
        settings.start = InitialConditions::AsGiven;
        settings.output = output;
        settings.columns = Columns::Only(vec![ColumnFamily::State, ColumnFamily::Energy, ColumnFamily::Residuals]);
        settings.limits.wall_clock.get_or_insert(DEFAULT_WALL_CLOCK_LIMIT);
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let (start, warnings) = (simulation.state(), simulation.warnings().to_vec());
        Ok(Laboratory { model, start, settings, jobs, warnings })
    }

    /// Wall-clock limit of one trial; default: 20 s.
    pub fn wall_clock_limit(&self) -> Duration {
        self.settings.limits.wall_clock.unwrap_or(DEFAULT_WALL_CLOCK_LIMIT)
    }

    /// Sets the number of parallel trials; default: the number of cores.
    pub fn jobs(mut self, jobs: usize) -> Laboratory<'m> {
        self.jobs = jobs.max(1);
        self
    }

    /// Runs the trials. The results are in the order of the trials. Apart from the times they do not depend on the number of parallel
    /// trials.
    pub fn run(&self, trials: &[Trial], watch: ProgressCallback) -> LaboratoryReport {
        let done = AtomicUsize::new(0);
        let look = || watch(TrialProgress { done: done.load(Ordering::Relaxed), total: trials.len() });
        let (reference, track) = reference::compute_reference(self, &look);
        let mut findings = in_parallel(self.jobs, trials.len(), |i| {
            let finding = self.run_trial(&trials[i], track.as_ref(), &look);
            done.fetch_add(1, Ordering::Relaxed);
            finding
        });
        let rank = rank(self.model, &self.start).ok();
        // A trial identical to the reference has the accuracy of the reference, not zero error.
        if let ReferenceSolution::Known { accuracy, .. } = reference {
            let errors = findings.iter_mut().filter_map(|f| f.metrics.as_mut()?.error.as_mut());
            errors.filter(|e| e.largest == 0.0).for_each(|e| *e = MaxAndFinal { largest: accuracy, end: accuracy });
        }
        LaboratoryReport {
            reference,
            results: findings,
            rank,
            warnings: self.warnings.clone(),
            jobs: self.jobs.min(trials.len().max(1)),
        }
    }

    /// Runs one trial and measures it.
    fn run_trial(&self, trial: &Trial, track: Option<&CoordinateHistory>, look: ContinueCheck) -> TrialResult {
        let nothing = |ended: TrialOutcome| TrialResult {
            trial: trial.clone(),
            outcome: ended,
            metrics: None,
            warnings: Vec::new(),
        };
        if look().is_break() {
            return nothing(TrialOutcome::Interrupted);
        }
        if let Some(why) = trial.invalid_reason() {
            return nothing(TrialOutcome::Inapplicable(why));
        }
        let settings = trial.settings(&self.settings);
        let found = match self.integrate(&settings, look) {
            Ok(found) => found,
            Err(AnalysisError::Inapplicable { why, .. }) => return nothing(TrialOutcome::Inapplicable(why)),
            Err(e) => return nothing(TrialOutcome::Inapplicable(e.to_string())),
        };
        let ended = match &found.outcome {
            Outcome::Underway => TrialOutcome::Interrupted,
            o if o.is_success() => TrialOutcome::Finished,
            o => TrialOutcome::Stopped(o.clone()),
        };
        let (seconds, timing) = match ended {
            TrialOutcome::Finished => self.measure_time(&settings, found.elapsed, look),
            _ => (found.elapsed, Timing::Recorded),
        };
        let largest = |name: &str| max_and_final(found.column(name).unwrap_or(&[])).largest;
        let error = track
            .filter(|_| ended == TrialOutcome::Finished)
            .map(|t| t.distance(&coordinate_history(self.model, &found)));
        let figures = TrialMetrics {
            statistics: found.statistics,
            seconds: seconds.as_secs_f64(),
            timing,
            phi: largest("residual.position"),
            phidot: largest("residual.velocity"),
            acceleration: largest("residual.acceleration"),
            energy: max_and_final(found.column("energy.balance").unwrap_or(&[])),
            error,
        };
        TrialResult { trial: trial.clone(), outcome: ended, metrics: Some(figures), warnings: found.warnings }
    }

    /// Integrates until the end or an interruption; after an interruption the outcome is `Underway`.
    fn integrate(&self, settings: &Transient, look: ContinueCheck) -> Result<Solution, AnalysisError> {
        let mut simulation = Simulation::new(self.model, &self.start, settings).inspect_err(|_| _ = look())?;
        let mut most = 1;
        // The last look is after the end: a trial that stopped may be a reason to stop all.
        while look().is_continue() && simulation.status() == RunStatus::Underway {
            let clock = Instant::now();
            simulation.steps(most);
            most = if clock.elapsed() < CHECK_INTERVAL { most * 2 } else { (most / 2).max(1) };
        }
        Ok(simulation.into_solution())
    }

    /// Measures the time of a run without output, unless the run is too long to be repeated.
    fn measure_time(&self, settings: &Transient, recorded: Duration, look: ContinueCheck) -> (Duration, Timing) {
        let (output, columns) = (Output::Ends, Columns::None);
        let bare = Transient { output, columns, limits: Limits::default(), ..settings.clone() };
        let runs = match recorded {
            r if r < SHORT_RUN => TIMING_REPEATS,
            r if r < LONG_RUN => 1,
            _ => return (recorded, Timing::Recorded),
        };
        let timed = (0..runs).filter_map(|_| self.integrate(&bare, look).ok()).filter(|s| s.outcome.is_success());
        let times: Vec<Duration> = timed.map(|s| s.elapsed).collect();
        match times.iter().min() {
            Some(least) => (*least, Timing::BestOf(times.len() as u32)),
            None => (recorded, Timing::Recorded),
        }
    }
}

/// Callback that decides whether to continue.
type ContinueCheck<'a> = &'a (dyn Fn() -> ControlFlow<()> + Sync);

/// Largest and last magnitude; NaN counts as the largest.
fn max_and_final(values: &[f64]) -> MaxAndFinal {
    let larger = |most: f64, x: &f64| if x.abs() > most || x.is_nan() { x.abs() } else { most };
    let largest = values.iter().fold(0.0, |most: f64, x| if most.is_nan() { most } else { larger(most, x) });
    MaxAndFinal { largest, end: values.last().map_or(0.0, |x| x.abs()) }
}

#[cfg(test)]
mod tests {
    use super::max_and_final;

    #[test]
    fn nan_is_the_largest() {
        assert_eq!((max_and_final(&[1.0, -3.0, 2.0]).largest, max_and_final(&[1.0, -3.0, -2.0]).end), (3.0, 2.0));
        assert!(max_and_final(&[1.0, f64::NAN, 2.0]).largest.is_nan());
        assert_eq!(max_and_final(&[]).largest, 0.0);
    }
}
