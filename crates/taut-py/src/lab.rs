//! `lab`: formulations, drift controls and integrators compared on one model.

use crate::callbacks::{raise_pending, take_pending};
use crate::compiled::Compiled;
use crate::errors::{TautError, analysis_error};
use crate::solution::to_python;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use taut::analyses::Integrator;
use taut::analyses::laboratory::{Laboratory, TrialOutcome, TrialResult, TrialSelection, TrialSet};
use taut::drift::DriftControl;
use taut::formulations::Method;

/// Names of formulations, drift controls and integrators; tolerances; every combination; number of threads.
#[derive(FromPyObject)]
pub(crate) struct LabArguments(
    Option<Vec<String>>,
    Option<Vec<String>>,
    Option<Vec<String>>,
    Option<Vec<f64>>,
    bool,
    Option<usize>,
);

/// The values that a list of names selects.
fn selected<T>(
    what: &str,
    names: Option<Vec<String>>,
    known: &[&str],
    make: impl Fn(&str) -> Option<T>,
) -> PyResult<Option<Vec<T>>> {
    let Some(names) = names else { return Ok(None) };
    let all = names.iter().any(|n| n == "all");
    let wanted: Vec<&str> = if all { known.to_vec() } else { names.iter().map(String::as_str).collect() };
    let one = |name: &str| {
        let unknown = || TautError::new_err(format!("there is no {what} `{name}`; choose from {}", known.join(", ")));
        make(name).ok_or_else(unknown)
    };
    wanted.into_iter().map(one).collect::<PyResult<Vec<T>>>().map(Some)
}

/// Runs all trials and returns one entry per trial.
#[pyfunction]
pub(crate) fn lab<'py>(py: Python<'py>, compiled: &Compiled, of: LabArguments) -> PyResult<Bound<'py, PyAny>> {
    let LabArguments(formulations, drifts, integrators, tolerances, full, jobs) = of;
    let (file, model) = (&compiled.file, &*compiled.model);
    let own = &file.transient.choice.drift;
    let weight = own.weight().cloned().unwrap_or_default();
    let drift = |name: &str| match own.name() == name {
        true => Some(own.clone()),
        false => DriftControl::from_name(name, weight.clone(), file.transient.choice.numbers),
    };
    let menu = TrialSelection {
        formulations: selected("formulation", formulations, Method::NAMES, Method::from_name)?,
        drifts: selected("drift control", drifts, DriftControl::NAMES, drift)?,
        integrators: selected("integrator", integrators, &Integrator::ALL.map(Integrator::name), |name: &str| {
            name.parse::<Integrator>().ok()
        })?,
        tolerances,
        set: if full { TrialSet::Full } else { TrialSet::Recommended },
    };
    let trials = menu.trials(&file.transient);
    let stopped = AtomicBool::new(false);
    // The first exception: of a function, on the thread of a trial, or of a handler of signals.
    let raised: Mutex<Option<PyErr>> = Mutex::new(None);
    let stop = |e: PyErr| {
        stopped.store(true, Ordering::Relaxed);
        let is_ctrl_c = Python::attach(|py| e.is_instance_of::<PyKeyboardInterrupt>(py));
        if !is_ctrl_c {
            raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        }
    };
    let report = py.detach(|| {
        let mut laboratory = Laboratory::new(model, &file.state(model), &file.transient)?;
        if let Some(jobs) = jobs {
            laboratory = laboratory.jobs(jobs.max(1));
        }
        // Only the main thread of Python learns of Ctrl-C, and the trials run in others; this thread waits and looks.
        Ok::<_, taut::analyses::AnalysisError>(std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                laboratory.run(&trials, &|_| {
                    if let Some(e) = take_pending() {
                        stop(e);
                    }
                    match stopped.load(Ordering::Relaxed) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                })
            });
            while !worker.is_finished() {
                std::thread::sleep(std::time::Duration::from_millis(20));
                if let Err(e) = Python::attach(|py| py.check_signals()) {
                    stop(e);
                }
            }
            worker.join()
        }))
    });
    raise_pending(py)?;
    if let Some(e) = raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    let report = report.map_err(analysis_error)?;
    let report =
        report.map_err(|_| TautError::new_err("a trial failed in an unexpected way; please report the model"))?;
    let rows: Vec<Value> = report.results.iter().map(row).collect();
    to_python(py, &json!({ "trials": rows }))
}

fn row(result: &TrialResult) -> Value {
    let outcome = match &result.outcome {
        TrialOutcome::Finished => "finished".to_string(),
        TrialOutcome::Stopped(outcome) => outcome.to_string(),
        TrialOutcome::Inapplicable(why) => why.clone(),
        TrialOutcome::Interrupted => "interrupted".to_string(),
    };
    let trial = &result.trial;
    let settings = trial.settings(&taut::analyses::Transient::default());
    let m = result.metrics.as_ref();
    json!({
        "formulation": trial.method.name(), "drift": trial.drift.name(), "integrator": trial.integrator.name(),
        "rtol": settings.rtol, "outcome": outcome,
        "seconds": m.map(|m| m.seconds), "steps": m.map(|m| m.statistics.steps),
        "evaluations": m.map(|m| m.statistics.evaluations), "phi": m.map(|m| m.phi), "phidot": m.map(|m| m.phidot),
        "acceleration": m.map(|m| m.acceleration), "energy": m.map(|m| m.energy.largest),
        "error": m.and_then(|m| m.error).map(|e| e.largest),
    })
}
