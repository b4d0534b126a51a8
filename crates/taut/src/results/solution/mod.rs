//! The result of an analysis: a table of named columns, events, statistics, warnings, and the reason why it stopped.

mod columns;
mod label;
mod outcome;
mod output_measures;
mod peaks;
mod recorder;
mod table;
mod verdict;

pub use columns::{ColumnFamily, Columns};
pub use outcome::{Cause, Outcome};
pub(crate) use output_measures::{AngleTracker, MeasureInput, OutputMeasure};
pub(crate) use peaks::{HighestPeaks, PeakMonitor};
pub(crate) use recorder::{EnergyLosses, RecordedState, Recorder, SteppingContacts};
pub use table::{Column, Table, UnknownColumn};
pub use verdict::{Severity, Verdict, Warning};

use crate::results::EventRecord;
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Computational work of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Attempts rejected because of their error.
    pub rejected: u64,
    /// Attempts abandoned because the equations had no value.
    pub refused: u64,
    /// Evaluations of the right-hand side by the integrator.
    pub evaluations: u64,
    /// Projections onto the constraint manifold, after steps and at outputs.
    pub resets: u64,
    /// Factorisations: one per evaluation, projection and output (a projection from far away may need more).
    pub factorisations: u64,
}

/// The result of an analysis.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(1.0, [0.0; 3]));
/// let model = spec.build()?;
/// let fall = simulate(&model, &model.initial_state(), &Transient::to(1.0).every(0.25))?;
/// assert_eq!(fall.t(), [0.0, 0.25, 0.5, 0.75, 1.0]);
/// assert_eq!(fall.unit("stone.vz")?, "m/s");
/// assert!((fall.last("stone.vz")? + 9.81).abs() < 1e-12);
/// assert!(fall.outcome.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Solution {
    /// Why it ended.
    pub outcome: Outcome,
    /// Computational work.
    pub statistics: Statistics,
    /// Recorded events.
    pub events: Vec<EventRecord>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Verdict of the audit on a simulation; none if nothing is audited.
    pub verdict: Option<Verdict>,
    /// The recorded values.
    pub table: Table,
    /// Elapsed wall-clock time; the only value that differs between identical runs.
    #[serde(skip)]
    pub elapsed: Duration,
    /// The last state reached.
    pub(crate) last: State,
}

impl Solution {
    /// The values of a column.
    pub fn column(&self, name: &str) -> Result<&[f64], UnknownColumn> {
        self.table.get(name).map(|c| &c.data[..])
    }

    /// The times of the outputs.
    pub fn t(&self) -> &[f64] {
        self.table.columns().first().map_or(&[], |c| &c.data)
    }

    /// The unit of a column.
    pub fn unit(&self, name: &str) -> Result<&str, UnknownColumn> {
        self.table.get(name).map(|c| &c.unit[..])
    }

    /// The description of a column.
    pub fn meaning(&self, name: &str) -> Result<&str, UnknownColumn> {
        self.table.get(name).map(|c| &c.meaning[..])
    }

    /// All column names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.table.columns().iter().map(|c| c.name.as_str())
    }

    /// The last value of a column; NaN if nothing was recorded.
    pub fn last(&self, name: &str) -> Result<f64, UnknownColumn> {
        self.column(name).map(|x| x.last().copied().unwrap_or(f64::NAN))
    }

    /// Number of outputs.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The last state reached, from which another analysis may continue.
    pub fn final_state(&self) -> &State {
        &self.last
    }
}
