//! A march between two steps, saved and taken up again.

use super::March;
use super::scheme::Saved;
use crate::audit::Audit;
use crate::simulation::{AnalysisError, check_state};
use crate::solution::{Outcome, Turns, Warning};
use crate::state::State;
use serde::{Deserialize, Serialize};

/// Everything that a march in time steps needs to go on bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    scheme: Saved,
    turns: Turns,
    /// Time, values and memories of the events of the model.
    notices: (f64, Vec<f64>, Vec<u64>),
    energy_at_start: f64,
    length: f64,
    steps: u64,
    recorded: Option<f64>,
    rows: usize,
    events: usize,
    warnings: Vec<Warning>,
    #[serde(default)]
    audit: Audit,
}

impl Checkpoint {
    /// The state.
    pub fn state(&self) -> &State {
        &self.scheme.state
    }

    /// Rows recorded from the very start of the run up to here, taken out or not.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Events that had happened up to here.
    pub fn events(&self) -> usize {
        self.events
    }
}

impl March<'_> {
    /// Everything needed to go on from here, in this or another march of the same model and settings.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            scheme: self.scheme.save(),
            turns: self.recorder.turns.clone(),
            notices: self.notices.save(),
            energy_at_start: self.energy_at_start,
            length: self.length,
            steps: self.steps,
            recorded: self.recorded,
            rows: self.rows_before + self.recorder.table.len(),
            events: self.events_before + self.events.len(),
            warnings: self.warnings.clone(),
            audit: self.audit.clone(),
        }
    }

    /// Goes back, or on, to a checkpoint; rows and events after it are dropped, those taken already excepted.
    ///
    /// # Errors
    /// A checkpoint of another model.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        check_state(self.scheme.model, &checkpoint.scheme.state)?;
        let fresh = self.steps == 0 && checkpoint.steps > 0;
        self.scheme.restore(&checkpoint.scheme);
        self.scheme.present();
        self.recorder.turns.clone_from(&checkpoint.turns);
        self.notices.restore(&checkpoint.notices);
        self.energy_at_start = checkpoint.energy_at_start;
        (self.length, self.steps) = (checkpoint.length, checkpoint.steps);
        self.recorded = checkpoint.recorded;
        self.warnings.clone_from(&checkpoint.warnings);
        self.audit.clone_from(&checkpoint.audit);
        self.replay_breaks();
        let t = self.t();
        self.next = self.times.partition_point(|x| *x <= t);
        // Rows and events are counted from the start of the run, wherever they are now.
        let table = &mut self.recorder.table;
        if fresh {
            // The rows and events of the start were told by the march that is taken up.
            table.truncate(0);
            self.events.clear();
        }
        table.truncate(checkpoint.rows.saturating_sub(self.rows_before));
        self.rows_before = checkpoint.rows - table.len();
        self.events.truncate(checkpoint.events.saturating_sub(self.events_before));
        self.events_before = checkpoint.events - self.events.len();
        self.outcome = Outcome::Underway;
        Ok(())
    }
}
