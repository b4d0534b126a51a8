//! A run between two steps: everything needed to continue it bit by bit.

use super::select::RunMethod;
use crate::audit::Audit;
use crate::simulation::stepping::TimeSteppingCheckpoint;
use crate::simulation::transient::EventDrivenCheckpoint;
use crate::solution::{AngleTracker, Warning};
use crate::state::State;
use serde::{Deserialize, Serialize};

/// A run between two steps: everything needed to continue bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The state.
    pub state: State,
    pub(crate) turns: AngleTracker,
    pub(crate) energy_at_start: f64,
    pub(crate) audit: Audit,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) rows: usize,
    /// Time of the last row.
    pub(crate) recorded: Option<f64>,
    pub(crate) events: usize,
    pub(crate) method: MethodCheckpoint,
}

/// What the method of the run needs besides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MethodCheckpoint {
    Events(Box<EventDrivenCheckpoint>),
    TimeStepping(Box<TimeSteppingCheckpoint>),
}

impl Checkpoint {
    /// Number of rows recorded since the start of the run, including those taken out.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of events since the start of the run.
    pub fn events(&self) -> usize {
        self.events
    }

    /// The method of the run.
    pub fn method(&self) -> RunMethod {
        match self.method {
            MethodCheckpoint::Events(_) => RunMethod::Events,
            MethodCheckpoint::TimeStepping(_) => RunMethod::TimeStepping,
        }
    }
}
