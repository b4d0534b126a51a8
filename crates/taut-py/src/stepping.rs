//! A run that Python drives: step by step, to a time, with variables changed in between.

use crate::callbacks::{UserEvent, raise_pending};
use crate::compiled::Compiled;
use crate::errors::{TautError, analysis_error};
use crate::interruptible::interruptible;
use crate::owned_run::OwnedRun;
use crate::run::{advance, start_error};
use crate::solution::{Extra, RawSolution};
use crate::state::State;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard};
use taut::Model;
use taut::analyses::{Run, RunStatus, Transient};

/// A run in progress.
#[pyclass(frozen, module = "taut._taut")]
pub(crate) struct Stepper {
    model: Arc<Model>,
    run: Mutex<OwnedRun>,
}

impl Stepper {
    /// The run, unless another thread, or a function called by it, uses it.
    fn lock(&self) -> PyResult<MutexGuard<'_, OwnedRun>> {
        self.run.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "this simulation is being advanced already, by another thread or by its own function",
            )
        })
    }

    fn drive(&self, py: Python<'_>, act: impl FnOnce(&mut dyn Run) -> PyResult<bool> + Send) -> PyResult<bool> {
        let mut owned = self.lock()?;
        let run = owned.run();
        let interrupted = py.detach(|| act(run));
        raise_pending(py)?;
        if interrupted? {
            return Err(PyKeyboardInterrupt::new_err(format!("interrupted at t = {} s", owned.run().t())));
        }
        Ok(owned.run().status() == RunStatus::Underway)
    }
}

#[pymethods]
impl Stepper {
    #[new]
    fn new(py: Python<'_>, compiled: &Compiled, events: Vec<UserEvent>, state: Option<&State>) -> PyResult<Stepper> {
        let start = compiled.start(state)?;
        let settings: &Transient = &compiled.file.transient;
        let started =
            interruptible(py, || OwnedRun::start(&compiled.model, &start, settings, compiled.file.contact_method))?;
        let mut owned = started.map_err(|e| start_error(py, compiled, &e))?;
        for event in events {
            owned.run().watch_event(event.into_event()).map_err(analysis_error)?;
        }
        Ok(Stepper { model: Arc::clone(&compiled.model), run: Mutex::new(owned) })
    }

    /// The present time, s.
    #[getter]
    fn t(&self) -> PyResult<f64> {
        Ok(self.lock()?.run().t())
    }

    /// The end of the run, s.
    #[getter]
    fn t_end(&self) -> PyResult<f64> {
        Ok(self.lock()?.run().t_end())
    }

    /// The present state.
    #[getter]
    fn state(&self) -> PyResult<State> {
        Ok(State(self.lock()?.run().state()))
    }

    /// Whether the run can go on.
    #[getter]
    fn underway(&self) -> PyResult<bool> {
        Ok(self.lock()?.run().status() == RunStatus::Underway)
    }

    /// How the run ended, as a sentence.
    #[getter]
    fn message(&self) -> PyResult<String> {
        Ok(self.lock()?.run().outcome().to_string())
    }

    /// If the run takes time steps: their length and the reason.
    #[getter]
    fn notice(&self) -> PyResult<Option<String>> {
        Ok(self.lock()?.notice().map(str::to_string))
    }

    /// Some steps of the integrator; false if the run has ended.
    fn step(&self, py: Python<'_>, count: u64) -> PyResult<bool> {
        self.drive(py, |run| {
            run.steps(count);
            Ok(false)
        })
    }

    /// To a time, which is met exactly, or to the end; false if the run has ended.
    fn advance(&self, py: Python<'_>, t: f64) -> PyResult<bool> {
        if t.is_nan() {
            return Err(TautError::new_err("the time is not a number"));
        }
        self.drive(py, |run| advance(run, t))
    }

    /// Sets variables from now on, by the names of their coordinates.
    fn set_variables(&self, py: Python<'_>, values: Vec<(String, f64)>) -> PyResult<()> {
        let find =
            |name: &str| self.model.find_body(name).or_else(|| self.model.find_body(name.strip_suffix(".value")?));
        let mut found = Vec::with_capacity(values.len());
        for (name, value) in values {
            let Some(variable) = find(&name) else {
                let inputs = self.model.bodies.iter().filter(|b| b.v.is_empty() && !b.q.is_empty());
                let inputs: Vec<&str> = inputs.map(|b| b.name.as_str()).collect();
                let known = if inputs.is_empty() {
                    "it has none".to_string()
                } else {
                    format!("its variables are {}", inputs.join(", "))
                };
                return Err(TautError::new_err(format!("the model has no variable `{name}`: {known}")));
            };
            found.push((variable, value));
        }
        let mut owned = self.lock()?;
        let run = owned.run();
        let set = py.detach(|| run.set_variables(&found));
        raise_pending(py)?;
        set.map_err(analysis_error)
    }

    /// The present values of these columns; a row is recorded if there is none of this moment.
    fn values(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Vec<f64>> {
        let mut owned = self.lock()?;
        let run = owned.run();
        py.detach(|| run.record_now());
        raise_pending(py)?;
        let table = run.table();
        let one = |name: &String| {
            let column = table.get(name).map_err(|e| pyo3::exceptions::PyKeyError::new_err(e.to_string()))?;
            column.data.last().copied().ok_or_else(|| PyRuntimeError::new_err("nothing is recorded yet"))
        };
        names.iter().map(one).collect()
    }

    /// Names, units and meanings of the columns.
    #[getter]
    fn columns(&self) -> PyResult<Vec<(String, String, String)>> {
        let mut owned = self.lock()?;
        let list = owned.run().table().columns().iter();
        Ok(list.map(|c| (c.name.clone(), c.unit.clone(), c.meaning.clone())).collect())
    }

    /// The rows so far.
    fn solution(&self, py: Python<'_>) -> PyResult<RawSolution> {
        let mut owned = self.lock()?;
        let found = owned.run().solution();
        raise_pending(py)?;
        RawSolution::new(py, &self.model, found, Extra::default())
    }
}
