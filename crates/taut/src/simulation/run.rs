//! A simulation that the caller drives: step by step, to a time, or to its end. It can be saved and resumed.
//!
//! Two methods implement [`Run`]: [`Simulation`](crate::analyses::Simulation) locates every event,
//! [`TimeSteppingSimulation`](crate::stepping::TimeSteppingSimulation) takes steps of fixed length over all contacts at once. [`start_run`] selects one of them.

mod checkpoint;
mod log;
mod select;

pub use checkpoint::Checkpoint;
pub(crate) use checkpoint::MethodCheckpoint;
pub use log::RunLog;
pub(crate) use log::{RatesAtSwitch, Switch};
pub use select::{RunMethod, StartedRun, start_run};

use super::AnalysisError;
use super::events::Event;
use crate::events::EventRecord;
use crate::interruption::Interruption;
use crate::model::Model;
use crate::model::ids::BodyId;
use crate::solution::{Outcome, Solution, Statistics, Table, Verdict, Warning};
use crate::state::State;

/// Whether a run can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// It can.
    Underway,
    /// It has ended; the outcome says how.
    Ended,
}

/// A run in progress.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(1.0, [0.0; 3]));
/// let model = spec.build()?;
/// let mut run = Simulation::new(&model, &model.initial_state(), &Transient::to(1.0))?;
/// run.advance(0.5); // the caller drives it
/// let checkpoint = run.checkpoint();
/// assert_eq!(run.run(), RunStatus::Ended);
/// run.restore(&checkpoint)?; // back to 0.5 s
/// assert_eq!(run.t(), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Run: Send {
    /// The rows, events and warnings so far.
    fn log(&self) -> &RunLog;

    /// The same, to take them out.
    fn log_mut(&mut self) -> &mut RunLog;

    /// The end of the run, s.
    fn t_end(&self) -> f64;

    /// The present time, s.
    fn t(&self) -> f64;

    /// The present state.
    fn state(&self) -> State;

    /// The present state as a solution shows it: with the contact modes of the last step.
    fn final_state(&mut self) -> State {
        self.state()
    }

    /// Counts of steps, evaluations and factorisations so far.
    fn statistics(&self) -> Statistics;

    /// Integrates up to `t_stop`, which is met exactly, in at most so many steps.
    fn integrate(&mut self, t_stop: f64, most_steps: Option<u64>) -> RunStatus;

    /// Everything needed to continue from here, in this or another run of the same model and settings.
    fn checkpoint(&self) -> Checkpoint;

    /// Goes back, or on, to a checkpoint. Rows and events after it are dropped, except those taken already.
    ///
    /// # Errors
    /// A checkpoint of another model, method or integrator.
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError>;

    /// Sets variables ([`Variable`](crate::Variable)) from now on, as an event would: the motion restarts at the present time. Each
    /// entry is a variable, found by [`Model::find_body`], and its value.
    ///
    /// # Errors
    /// A body that is not a variable, a value that is not finite, or a run that has ended.
    fn set_variables(&mut self, values: &[(BodyId, f64)]) -> Result<(), AnalysisError>;

    /// Records a row of the present state, unless it is recorded already.
    fn record_now(&mut self);

    /// Watches for an event of the user from now on, besides those of the model.
    ///
    /// # Errors
    /// The method of the run has no events of the user.
    fn watch_event(&mut self, _event: Box<dyn Event>) -> Result<(), AnalysisError> {
        let why = "it has no events of the user; add them to the model";
        Err(AnalysisError::Inapplicable { method: "time_stepping", why: why.to_string() })
    }

    /// From now on searches for peaks of reactions and efforts between the rows, if the method supports it. This costs about 3 % of
    /// the run. [`take_peak_rows`](Run::take_peak_rows) returns the rows at the peaks.
    fn search_peaks(&mut self) {}

    /// Replaces `samples` by the rows at the peaks found between rows since the last call.
    fn take_peak_rows(&mut self, _samples: &mut Table) {}

    /// Whether the search has evaluated every peak between rows that exceeds all earlier ones.
    fn found_all_peaks(&self) -> bool {
        false
    }

    /// One step.
    fn step(&mut self) -> RunStatus {
        self.steps(1)
    }

    /// At most so many steps. The result is that of single steps, at lower cost.
    fn steps(&mut self, most: u64) -> RunStatus {
        self.integrate(self.t_end(), Some(most.max(1)))
    }

    /// To a time, which is met exactly; not beyond the end.
    fn advance(&mut self, t: f64) -> RunStatus {
        if t <= self.t() || t.is_nan() {
            return self.status();
        }
        self.integrate(t.min(self.t_end()), None)
    }

    /// To the end.
    fn run(&mut self) -> RunStatus {
        self.integrate(self.t_end(), None)
    }

    /// Allows long steps to be interrupted. The run then returns to its state before the step, and the call reports progress as if
    /// nothing had been computed.
    fn interrupt(&mut self, interruption: Interruption) {
        self.log_mut().interruption = interruption;
    }

    /// The outcome; `Underway` before the end.
    fn outcome(&self) -> &Outcome {
        &self.log().outcome
    }

    /// Whether it can continue.
    fn status(&self) -> RunStatus {
        if *self.outcome() == Outcome::Underway { RunStatus::Underway } else { RunStatus::Ended }
    }

    /// The rows recorded and not yet taken.
    fn table(&self) -> &Table {
        &self.log().recorder.table
    }

    /// The events that happened and were not yet taken.
    fn events(&self) -> &[EventRecord] {
        &self.log().events
    }

    /// Warnings so far.
    fn warnings(&self) -> &[Warning] {
        &self.log().warnings
    }

    /// The verdict of the audit so far.
    fn verdict(&self) -> Option<Verdict> {
        Some(Verdict::from_warnings(self.warnings()))
    }

    /// Hands over the rows recorded since the last call, so that a long run needs no more memory than a short one. The solution
    /// no longer contains them. After a [`restore`](Run::restore) to an earlier checkpoint the caller must cut them off at
    /// [`Checkpoint::rows`].
    fn take_rows(&mut self) -> Table {
        let log = self.log_mut();
        let rows = log.recorder.table.take();
        log.rows_taken += rows.len();
        rows
    }

    /// The same into a table of an earlier call, whose rows are replaced.
    fn take_rows_into(&mut self, rows: &mut Table) {
        let log = self.log_mut();
        log.recorder.table.take_into(rows);
        log.rows_taken += rows.len();
    }

    /// Hands over the events since the last call, as [`take_rows`](Run::take_rows) does with rows.
    fn take_events(&mut self) -> Vec<EventRecord> {
        let log = self.log_mut();
        let events = std::mem::take(&mut log.events);
        log.events_taken += events.len();
        events
    }

    /// The results so far, without what was taken.
    fn solution(&mut self) -> Solution {
        let (last, statistics, verdict) = (self.final_state(), self.statistics(), self.verdict());
        let log = self.log();
        Solution {
            outcome: log.outcome.clone(),
            statistics,
            events: log.events.clone(),
            verdict,
            warnings: log.warnings.clone(),
            table: log.recorder.table.clone(),
            elapsed: log.elapsed,
            last,
        }
    }

    /// The same without a copy of the table.
    fn into_solution(mut self) -> Solution
    where
        Self: Sized,
    {
        let table = std::mem::take(&mut self.log_mut().recorder.table);
        Solution { table, ..self.solution() }
    }
}

/// Checks a request of [`Run::set_variables`].
pub(in crate::simulation) fn check_variables(
    model: &Model,
    values: &[(BodyId, f64)],
    status: RunStatus,
) -> Result<(), AnalysisError> {
    if status == RunStatus::Ended {
        return Err(AnalysisError::Ended);
    }
    for (variable, value) in values {
        let body = &model[*variable];
        if !body.v.is_empty() || body.q.len() != 1 {
            return Err(AnalysisError::NotAVariable { body: body.name.clone() });
        }
        if !value.is_finite() {
            return Err(AnalysisError::NotFinite { what: "the value of a variable".to_string() });
        }
    }
    Ok(())
}
