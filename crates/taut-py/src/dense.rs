//! The motion between the rows: the run is repeated from the last checkpoint before the requested times.
//!
//! The steps are then those of the run, and the values are its dense output, projected onto the constraints: the same bits as rows
//! that the run itself would have recorded at these times.

use crate::compiled::Compiled;
use crate::errors::{TautError, analysis_error};
use crate::interruptible::interruptible;
use crate::owned_run::OwnedRun;
use crate::solution::columns;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;
use taut::analyses::{Checkpoint, Output, Run, RunMethod, RunStatus, Transient};
use taut::{Model, State, Table};

/// Most checkpoints that are kept; then every second one is dropped.
const MAX_CHECKPOINTS: usize = 64;

/// Checkpoints at equal numbers of steps.
pub(crate) struct Waypoints {
    kept: Vec<Checkpoint>,
    stride: u64,
    next: u64,
}

impl Default for Waypoints {
    fn default() -> Waypoints {
        Waypoints { kept: Vec::new(), stride: 16, next: 0 }
    }
}

impl Waypoints {
    /// Steps between two checkpoints.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Keeps a checkpoint if one is due.
    pub fn add(&mut self, run: &dyn Run) {
        if run.statistics().steps < self.next || run.status() == RunStatus::Ended {
            return;
        }
        self.kept.push(run.checkpoint());
        if self.kept.len() > MAX_CHECKPOINTS {
            let mut i = 0;
            self.kept.retain(|_| {
                i += 1;
                i % 2 == 1
            });
            self.stride *= 2;
        }
        self.next = run.statistics().steps + self.stride;
    }
}

/// The motion of a run at any time.
#[pyclass(frozen, module = "taut._taut")]
pub(crate) struct DenseOutput {
    model: Arc<Model>,
    start: State,
    settings: Transient,
    method: RunMethod,
    checkpoints: Vec<Checkpoint>,
    t_end: f64,
}

impl DenseOutput {
    pub fn new(compiled: &Compiled, start: State, settings: Transient, points: Waypoints, t_end: f64) -> DenseOutput {
        let (model, method) = (Arc::clone(&compiled.model), compiled.file.contact_method);
        DenseOutput { model, start, settings, method, checkpoints: points.kept, t_end }
    }

    /// Rows at sorted times.
    fn rows(&self, times: &[f64]) -> Result<Table, taut::analyses::AnalysisError> {
        let mut whole: Option<Vec<taut::Column>> = None;
        let mut at = 0;
        while at < times.len() {
            // All times up to the next checkpoint belong to one stretch.
            let k = self.checkpoints.partition_point(|c| c.state.t <= times[at]).saturating_sub(1);
            let until = self.checkpoints.get(k + 1).map_or(f64::INFINITY, |c| c.state.t);
            let end = at + times[at..].partition_point(|t| *t < until).max(1);
            let found = self.stretch(k, &times[at..end])?;
            match &mut whole {
                None => whole = Some(found.into_columns()),
                Some(whole) => {
                    whole.iter_mut().zip(found.into_columns()).for_each(|(all, new)| all.data.extend(new.data));
                }
            }
            at = end;
        }
        Ok(whole.unwrap_or_default().into_iter().collect())
    }

    /// Rows at sorted times after checkpoint k.
    fn stretch(&self, k: usize, times: &[f64]) -> Result<Table, taut::analyses::AnalysisError> {
        let settings = Transient { output: Output::Times(times.to_vec()), ..self.settings.clone() };
        let mut owned = OwnedRun::start(&self.model, &self.start, &settings, self.method)?;
        let run = owned.run();
        if let Some(checkpoint) = self.checkpoints.get(k)
            && checkpoint.rows() > 0
            && checkpoint.state.t > self.start.t
        {
            run.take_rows();
            run.restore(checkpoint)?;
        }
        let last = times.last().copied().unwrap_or(f64::NEG_INFINITY);
        while run.status() == RunStatus::Underway && run.table().len() < times.len() && run.t() <= last {
            run.step();
        }
        Ok(run.take_rows())
    }
}

#[pymethods]
impl DenseOutput {
    /// First and last time, s.
    #[getter]
    fn span(&self) -> (f64, f64) {
        (self.start.t, self.t_end)
    }

    /// `(name, unit, meaning, values)` of every column at sorted times.
    fn at<'py>(&self, py: Python<'py>, times: Vec<f64>) -> PyResult<Bound<'py, PyList>> {
        let (from, to) = self.span();
        if let Some(t) = times.iter().find(|t| !(**t >= from && **t <= to)) {
            return Err(TautError::new_err(format!("t = {t} s lies outside the run, from {from} to {to} s")));
        }
        if times.is_sorted() {
            let table = interruptible(py, || self.rows(&times))?.map_err(analysis_error)?;
            return columns(py, table);
        }
        Err(TautError::new_err("the times must be sorted"))
    }
}
