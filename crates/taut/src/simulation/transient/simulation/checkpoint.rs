//! What an event-driven simulation needs between two steps, besides the log, to continue bit by bit.

use super::Simulation;
use crate::dynamics::Standing;
use crate::equations::At;
use crate::events::Patience;
use crate::simulation::run::{Checkpoint, MethodCheckpoint, Run};
use crate::simulation::transient::problem::Rest;
use crate::simulation::transient::stiff::Stiff;
use crate::simulation::{AnalysisError, check_state};
use crate::solution::Highest;
use serde::{Deserialize, Serialize};

/// Integrator, contact laws and events between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventDrivenCheckpoint {
    stepper: taut_ode::Checkpoint,
    before: taut_ode::Statistics,
    standing: Standing,
    resting: Vec<Rest>,
    step: f64,
    held: f64,
    on_manifold: bool,
    offsets: Vec<f64>,
    lifted: Vec<usize>,
    patience: Patience,
    peaks: Option<Highest>,
    impact_losses: Vec<f64>,
    jump_work: f64,
    memories: Vec<u64>,
    resets: u64,
    solves: u64,
}

impl Simulation<'_> {
    pub(super) fn save(&self) -> EventDrivenCheckpoint {
        EventDrivenCheckpoint {
            stepper: self.stepper.save(),
            before: self.before,
            standing: self.problem.dynamics.standing(),
            step: self.problem.step,
            held: self.problem.held,
            on_manifold: self.problem.on_manifold,
            offsets: self.problem.switches.offsets(),
            lifted: self.problem.switches.lifted().to_vec(),
            patience: self.problem.patience,
            peaks: self.problem.peaks.as_ref().map(|p| p.highest.clone()),
            impact_losses: self.problem.impact_losses.clone(),
            jump_work: self.problem.jump_work,
            memories: self.problem.events.iter().map(|e| e.memory()).collect(),
            resting: self.problem.resting.clone(),
            resets: self.problem.resets,
            solves: self.problem.solves,
        }
    }

    pub(super) fn recover(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        let MethodCheckpoint::Events(saved) = &checkpoint.method else {
            return Err(AnalysisError::CheckpointMethod { found: checkpoint.method() });
        };
        let state = &checkpoint.state;
        check_state(self.problem.dynamics.model, state)?;
        if saved.stepper.method() != self.stepper.save().method() && self.settings.stiff == Stiff::Switch {
            // The run had switched to another integrator.
            self.stepper = saved.stepper.method().stepper(self.t(), self.stepper.y(), &self.how)?;
        }
        let is_new = self.stepper.statistics().accepted == 0 && self.before == taut_ode::Statistics::default();
        self.stepper.restore(&saved.stepper)?;
        self.before = saved.before;
        let problem = &mut self.problem;
        problem.dynamics.modes.clone_from(&state.modes);
        problem.dynamics.engage(At::from(state));
        problem.switches.recall(&saved.offsets, &saved.lifted);
        problem.patience = saved.patience;
        if let (Some(peaks), Some(highest)) = (&mut problem.peaks, &saved.peaks) {
            peaks.highest.clone_from(highest);
        }
        problem.ending = None;
        problem.impact_losses.clone_from(&saved.impact_losses);
        problem.jump_work = saved.jump_work;
        problem.events.iter_mut().zip(&saved.memories).for_each(|(e, memory)| e.recall(*memory));
        problem.log.restore(checkpoint, is_new);
        problem.dynamics.resume(&saved.standing);
        problem.step = saved.step;
        problem.t_step = state.t;
        problem.start_step_at(self.stepper.y());
        problem.resting.clone_from(&saved.resting);
        (problem.held, problem.on_manifold) = (saved.held, saved.on_manifold);
        problem.follow_depths(state.t, self.stepper.y());
        (problem.resets, problem.solves) = (saved.resets, saved.solves);
        // Do not record this time twice.
        problem.set_recorded(checkpoint.recorded.map(|t| (t, self.stepper.y().to_vec())));
        Ok(())
    }
}
