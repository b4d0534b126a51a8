//! A simulation between two steps: everything needed to continue it bit by bit, saved and restored.

use super::Simulation;
use crate::audit::Audit;
use crate::dynamics::Standing;
use crate::equations::At;
use crate::events::Patience;
use crate::simulation::transient::problem::Rest;
use crate::simulation::transient::stiff::Stiff;
use crate::simulation::{AnalysisError, check_state};
use crate::solution::{Highest, Outcome, Turns, Warning};
use crate::state::State;
use serde::{Deserialize, Serialize};

/// A simulation between two steps: everything needed to go on bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The state.
    pub state: State,
    stepper: taut_ode::Checkpoint,
    #[serde(default)]
    before: taut_ode::Statistics,
    turns: Turns,
    standing: Standing,
    #[serde(default)]
    resting: Vec<Rest>,
    energy_at_start: f64,
    step: f64,
    held: f64,
    #[serde(default)]
    on_manifold: bool,
    offsets: Vec<f64>,
    #[serde(default)]
    lifted: Vec<usize>,
    #[serde(default)]
    patience: Patience,
    #[serde(default)]
    audit: Audit,
    #[serde(default)]
    peaks: Option<Highest>,
    impact_losses: Vec<f64>,
    #[serde(default)]
    jump_work: f64,
    #[serde(default)]
    memories: Vec<u64>,
    resets: u64,
    solves: u64,
    rows: usize,
    recorded: Option<f64>,
    events: usize,
    warnings: Vec<Warning>,
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
}

impl Simulation<'_> {
    /// Everything needed to go on from here, in this or another simulation of the same model and settings.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            state: self.state(),
            stepper: self.stepper.save(),
            before: self.before,
            turns: self.problem.recorder.turns.clone(),
            standing: self.problem.dynamics.standing(),
            energy_at_start: self.problem.energy_at_start,
            step: self.problem.step,
            held: self.problem.held,
            on_manifold: self.problem.on_manifold,
            offsets: self.problem.switches.offsets(),
            lifted: self.problem.switches.lifted().to_vec(),
            patience: self.problem.patience,
            audit: self.problem.audit.clone(),
            peaks: self.problem.peaks.as_ref().map(|p| p.highest.clone()),
            impact_losses: self.problem.impact_losses.clone(),
            jump_work: self.problem.jump_work,
            memories: self.problem.events.iter().map(|e| e.memory()).collect(),
            resting: self.problem.resting.clone(),
            resets: self.problem.resets,
            solves: self.problem.solves,
            rows: self.rows_before + self.problem.recorder.table.len(),
            recorded: self.problem.recorded(),
            events: self.events_before + self.problem.occurrences.len(),
            warnings: self.problem.warnings.clone(),
        }
    }

    /// Goes back, or on, to a checkpoint; rows recorded after it are dropped, those taken already excepted.
    ///
    /// # Errors
    /// A checkpoint of another model or integrator.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        check_state(self.problem.dynamics.model, &checkpoint.state)?;
        if checkpoint.stepper.method() != self.stepper.save().method() && self.settings.stiff == Stiff::Switch {
            // The run had switched to another integrator.
            self.stepper = checkpoint.stepper.method().stepper(self.t(), self.stepper.y(), &self.how)?;
        }
        let untouched = self.stepper.statistics().accepted == 0 && self.before == taut_ode::Statistics::default();
        self.stepper.restore(&checkpoint.stepper)?;
        self.before = checkpoint.before;
        let problem = &mut self.problem;
        problem.dynamics.modes.clone_from(&checkpoint.state.modes);
        problem.dynamics.engage(At::from(&checkpoint.state));
        problem.switches.recall(&checkpoint.offsets, &checkpoint.lifted);
        (problem.patience, problem.audit) = (checkpoint.patience, checkpoint.audit.clone());
        if let (Some(peaks), Some(highest)) = (&mut problem.peaks, &checkpoint.peaks) {
            peaks.highest.clone_from(highest);
        }
        problem.ending = None;
        problem.impact_losses.clone_from(&checkpoint.impact_losses);
        problem.jump_work = checkpoint.jump_work;
        problem.events.iter_mut().zip(&checkpoint.memories).for_each(|(e, memory)| e.recall(*memory));
        problem.recorder.turns.clone_from(&checkpoint.turns);
        problem.dynamics.resume(&checkpoint.standing);
        problem.energy_at_start = checkpoint.energy_at_start;
        problem.step = checkpoint.step;
        problem.t_step = checkpoint.state.t;
        problem.start_step_at(self.stepper.y());
        problem.resting.clone_from(&checkpoint.resting);
        (problem.held, problem.on_manifold) = (checkpoint.held, checkpoint.on_manifold);
        problem.follow_depths(checkpoint.state.t, self.stepper.y());
        (problem.resets, problem.solves) = (checkpoint.resets, checkpoint.solves);
        problem.warnings.clone_from(&checkpoint.warnings);
        // Rows are counted from the start of the run, including those taken out.
        let table = &mut problem.recorder.table;
        table.truncate(checkpoint.rows.saturating_sub(self.rows_before));
        self.rows_before = checkpoint.rows - table.len();
        // The resumed run has already reported the events of the start.
        if untouched {
            problem.occurrences.clear();
        }
        problem.occurrences.truncate(checkpoint.events.saturating_sub(self.events_before));
        self.events_before = checkpoint.events - problem.occurrences.len();
        // Do not record this time twice.
        problem.set_recorded(checkpoint.recorded.map(|t| (t, self.stepper.y().to_vec())));
        self.outcome = Outcome::Underway;
        Ok(())
    }
}
