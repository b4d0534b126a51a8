//! A run that owns its model, so that Python can hold it.
#![allow(unsafe_code)]

use std::sync::Arc;
use taut::analyses::{AnalysisError, Run, RunMethod, StartedRun, Transient, start_run};
use taut::{Model, State};

/// A run together with the model it reads. Fields are dropped in their order: the run before the model.
pub(crate) struct OwnedRun {
    run: Box<dyn Run + 'static>,
    notice: Option<String>,
    time_step: Option<f64>,
    _model: Arc<Model>,
}

impl OwnedRun {
    /// Starts a run.
    pub fn start(
        model: &Arc<Model>,
        state: &State,
        settings: &Transient,
        method: RunMethod,
    ) -> Result<OwnedRun, AnalysisError> {
        let model = Arc::clone(model);
        // SAFETY: the model lies behind an `Arc` that this struct keeps, so it neither moves nor ends before the run, and nobody
        // changes it. The reference does not leave: `run` gives out the run for the life of a borrow only.
        let reference: &'static Model = unsafe { &*Arc::as_ptr(&model) };
        let StartedRun { run, notice, time_step } = start_run(reference, state, settings, method)?;
        Ok(OwnedRun { run, notice, time_step, _model: model })
    }

    /// The run.
    pub fn run(&mut self) -> &mut (dyn Run + '_) {
        &mut *self.run
    }

    /// If the run takes time steps: why.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// If the run takes time steps: their length, s.
    pub fn time_step(&self) -> Option<f64> {
        self.time_step
    }
}
