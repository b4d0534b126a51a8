//! What a time-stepping run needs between two steps, besides the log, to continue bit by bit.

use super::TimeSteppingSimulation;
use super::scheme::SchemeCheckpoint;
use crate::simulation::run::{Checkpoint, MethodCheckpoint, Run};
use crate::simulation::{AnalysisError, check_state};
use serde::{Deserialize, Serialize};

/// Scheme and events between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimeSteppingCheckpoint {
    scheme: SchemeCheckpoint,
    /// Time, values and memories of the events of the model.
    notices: (f64, Vec<f64>, Vec<u64>),
    length: f64,
    steps: u64,
}

impl TimeSteppingSimulation<'_> {
    pub(super) fn save(&self) -> TimeSteppingCheckpoint {
        TimeSteppingCheckpoint {
            scheme: self.scheme.save(),
            notices: self.events.save(),
            length: self.last_step,
            steps: self.steps,
        }
    }

    pub(super) fn recover(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        let MethodCheckpoint::TimeStepping(saved) = &checkpoint.method else {
            return Err(AnalysisError::CheckpointMethod { found: checkpoint.method() });
        };
        check_state(self.scheme.model, &checkpoint.state)?;
        let is_new = self.steps == 0 && saved.steps > 0;
        self.scheme.restore(&checkpoint.state, &saved.scheme);
        self.scheme.evaluate_for_recorder();
        self.events.restore(&saved.notices);
        (self.last_step, self.steps) = (saved.length, saved.steps);
        self.last_recorded = checkpoint.recorded;
        self.log.restore(checkpoint, is_new);
        self.replay_breaks();
        let t = self.t();
        self.next_output = self.times.partition_point(|x| *x <= t);
        Ok(())
    }
}
