//! `simulate`: a run in one call, without the interpreter lock, interrupted by Ctrl-C.

use crate::callbacks::{UserEvent, raise_pending};
use crate::compiled::Compiled;
use crate::dense::{DenseOutput, Waypoints};
use crate::errors::model_error;
use crate::interruptible::interruptible;
use crate::owned_run::OwnedRun;
use crate::solution::{Extra, RawSolution};
use crate::state::State;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::time::{Duration, Instant};
use taut::analyses::{AnalysisError, Run, RunStatus, Transient};
use taut::interruption::Interruption;
use taut::{Coverage, Extremes, Solution, Table};

/// Time between two looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(25);
/// A step with contacts is interrupted after this time, to look for Ctrl-C; it is then repeated with twice the time.
const STEP_LIMIT: Duration = Duration::from_millis(60);

/// Runs a model to its end.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    compiled: &Compiled,
    events: Vec<UserEvent>,
    state: Option<&State>,
    dense: bool,
) -> PyResult<RawSolution> {
    let start = compiled.start(state)?;
    let file = &compiled.file;
    let mut owned =
        interruptible(py, || OwnedRun::start(&compiled.model, &start, &file.transient, file.contact_method))?
            .map_err(|e| start_error(py, compiled, &e))?;
    for event in events {
        owned.run().watch_event(event.into_event()).map_err(crate::errors::analysis_error)?;
    }
    let mut points = dense.then(Waypoints::default);
    let driven = py.detach(|| drive(compiled, owned.run(), points.as_mut()));
    raise_pending(py)?;
    let Driven { found, table, extremes, interrupted } = driven?;
    let settings = file.transient.clone();
    let dense = points.map(|points| DenseOutput::new(compiled, start, settings, points, found.final_state().t));
    RawSolution::new(
        py,
        &compiled.model,
        found,
        Extra { extremes: Some(extremes), dense, interrupted, time_step: owned.time_step(), table: Some(table) },
    )
}

/// An error at the start of a run, with its place in the file.
pub(crate) fn start_error(py: Python<'_>, compiled: &Compiled, e: &AnalysisError) -> PyErr {
    if let Err(pending) = raise_pending(py) {
        return pending;
    }
    let settings: &Transient = &compiled.file.transient;
    let fixed = settings.h_first.is_none()
        && (settings.integrator == taut::analyses::Integrator::Rk4
            || settings.step_control == taut::analyses::StepControl::Fixed);
    let mut finding = compiled.file.diagnose(e);
    if fixed && matches!(e, AnalysisError::Integrator(_)) {
        finding = taut_io::diagnostic::Diagnostic::error("a fixed step size needs `step` (settings.step)")
            .help("give the step size, for example step=\"1 ms\"");
    }
    model_error(py, &[finding])
}

/// What a drive leaves.
pub(crate) struct Driven {
    pub found: Solution,
    pub table: Table,
    pub extremes: Extremes,
    pub interrupted: bool,
}

/// Runs to the end. Called without the interpreter lock.
///
/// # Errors
/// What a signal handler of Python raises, except `KeyboardInterrupt`, which stops the run and keeps its rows.
fn drive(compiled: &Compiled, run: &mut dyn Run, mut points: Option<&mut Waypoints>) -> PyResult<Driven> {
    run.search_peaks();
    let mut extremes = Extremes::of(&compiled.model, run.table());
    extremes.mark_determinacy(&compiled.model, &run.state());
    let mut samples = Table::default();
    let mut interrupted = false;
    if let Some(points) = &mut points {
        points.add(run);
    }
    let mut batch = StepBatch::default();
    while run.status() == RunStatus::Underway {
        let most = points.as_ref().map_or(u64::MAX, |points| points.stride());
        batch.advance(run, most);
        run.take_peak_rows(&mut samples);
        extremes.add_peaks(&samples);
        if let Some(points) = &mut points {
            points.add(run);
        }
        if crate::callbacks::is_pending() {
            break;
        }
        if batch.is_signal_due() && is_interrupted()? {
            interrupted = true;
            break;
        }
    }
    extremes.add_rows(run.table());
    extremes.mark_run(&compiled.model, run);
    extremes.set_coverage(if run.found_all_peaks() { Coverage::Motion } else { Coverage::Rows });
    if interrupted {
        run.record_now();
    }
    let table = run.take_rows();
    Ok(Driven { found: run.solution(), table, extremes, interrupted })
}

/// Whether Ctrl-C was pressed. Only the main thread of Python learns of it.
pub(crate) fn is_interrupted() -> PyResult<bool> {
    Python::attach(|py| match py.check_signals() {
        Ok(()) => Ok(false),
        Err(e) if e.is_instance_of::<PyKeyboardInterrupt>(py) => Ok(true),
        Err(e) => Err(e),
    })
}

/// Chooses how many steps are made between two looks for Ctrl-C.
pub(crate) struct StepBatch {
    steps: u64,
    looked: Instant,
    limit: Duration,
}

impl Default for StepBatch {
    fn default() -> StepBatch {
        StepBatch { steps: 4, looked: Instant::now(), limit: STEP_LIMIT }
    }
}

impl StepBatch {
    /// Some steps, at most `most`.
    pub fn advance(&mut self, run: &mut dyn Run, most: u64) {
        let clock = Instant::now();
        run.interrupt(Interruption { deadline: clock.checked_add(self.limit), ..Interruption::default() });
        let (t, before) = (run.t(), run.statistics().steps);
        run.steps(self.steps.min(most));
        let took = clock.elapsed();
        let stuck = run.status() == RunStatus::Underway && run.t() == t && run.statistics().steps == before;
        if stuck {
            // The steps were interrupted and undone: fewer steps, more time.
            (self.steps, self.limit) = ((self.steps / 4).max(1), self.limit * 2);
            return;
        }
        self.limit = STEP_LIMIT;
        if took < SIGNAL_INTERVAL / 4 {
            self.steps = self.steps.saturating_mul(2).min(1 << 20);
        } else if took > SIGNAL_INTERVAL {
            self.steps = (self.steps / 2).max(1);
        }
    }

    /// Whether to look for Ctrl-C now.
    pub fn is_signal_due(&mut self) -> bool {
        let due = self.looked.elapsed() >= SIGNAL_INTERVAL || self.limit > STEP_LIMIT;
        if due {
            self.looked = Instant::now();
        }
        due
    }
}

/// Advances a run to a time or the end; true if Ctrl-C stopped it. Called without the interpreter lock.
pub(crate) fn advance(run: &mut dyn Run, t_stop: f64) -> PyResult<bool> {
    let mut looked = Instant::now();
    let mut steps = 4;
    let t_end = run.t_end();
    while run.status() == RunStatus::Underway && run.t() < t_stop.min(t_end) {
        let clock = Instant::now();
        run.integrate(t_stop.min(t_end), Some(steps));
        let took = clock.elapsed();
        if took < SIGNAL_INTERVAL / 4 {
            steps *= 2;
        } else if took > SIGNAL_INTERVAL {
            steps = (steps / 2).max(1);
        }
        if crate::callbacks::is_pending() {
            return Ok(false);
        }
        if looked.elapsed() >= SIGNAL_INTERVAL {
            looked = Instant::now();
            if is_interrupted()? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
