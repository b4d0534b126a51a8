//! What an event-driven simulation needs between two steps, besides the log, to continue bit by bit.

use super::Simulation;
use crate::dynamics::SolverState;
use crate::equations::StateView;
use crate::events::ProgressGuard;
use crate::simulation::run::{Checkpoint, MethodCheckpoint, Run};
use crate::simulation::transient::problem::RestingEvent;
use crate::simulation::transient::stiffness_check::StiffnessAction;
use crate::simulation::{AnalysisError, check_state};
use crate::solution::HighestPeaks;
use serde::{Deserialize, Serialize};

/// Integrator, contact laws and events between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct EventDrivenCheckpoint {
    stepper: taut_ode::Checkpoint,
    before: taut_ode::Statistics,
    standing: SolverState,
    resting: Vec<RestingEvent>,
    step: f64,
    held: f64,
    held_rate: f64,
    on_manifold: bool,
    offsets: Vec<f64>,
    lifted: Vec<usize>,
    progress_guard: ProgressGuard,
    peaks: Option<HighestPeaks>,
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
            before: self.earlier_statistics,
            standing: self.problem.dynamics.solver_state(),
            step: self.problem.step,
            held: self.problem.initial_residual,
            held_rate: self.problem.initial_velocity_residual,
            on_manifold: self.problem.on_manifold,
            offsets: self.problem.contact_switches.offsets(),
            lifted: self.problem.contact_switches.lifted().to_vec(),
            progress_guard: self.problem.progress_guard,
            peaks: self.problem.peaks.as_ref().map(|p| p.highest.clone()),
            impact_losses: self.problem.impact_losses.clone(),
            jump_work: self.problem.jump_work,
            memories: self.problem.events.iter().map(|e| e.memory()).collect(),
            resting: self.problem.resting_events.clone(),
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
        if saved.stepper.method() != self.stepper.save().method() && self.settings.stiff == StiffnessAction::Switch {
            // The run had switched to another integrator.
            self.stepper = saved.stepper.method().stepper(self.t(), self.stepper.y(), &self.stepper_settings)?;
        }
        let steps = self.total_statistics().accepted;
        self.stepper.restore(&saved.stepper)?;
        self.earlier_statistics = saved.before;
        // A run that returns to its own start keeps the events of the start.
        let is_new = steps == 0 && self.total_statistics().accepted > 0;
        let problem = &mut self.problem;
        problem.dynamics.modes.clone_from(&state.modes);
        problem.dynamics.apply_modes(StateView::from(state));
        problem.contact_switches.restore_offsets(&saved.offsets, &saved.lifted);
        problem.progress_guard = saved.progress_guard;
        if let (Some(peaks), Some(highest)) = (&mut problem.peaks, &saved.peaks) {
            peaks.highest.clone_from(highest);
        }
        problem.own_outcome = None;
        problem.impact_losses.clone_from(&saved.impact_losses);
        problem.jump_work = saved.jump_work;
        problem.events.iter_mut().zip(&saved.memories).for_each(|(e, memory)| e.restore_memory(*memory));
        problem.log.restore(checkpoint, is_new);
        problem.dynamics.restore(&saved.standing);
        problem.step = saved.step;
        problem.start_step_at(state.t, self.stepper.y());
        problem.resting_events.clone_from(&saved.resting);
        (problem.initial_residual, problem.on_manifold) = (saved.held, saved.on_manifold);
        problem.initial_velocity_residual = saved.held_rate;
        problem.update_compliant_step(state.t, self.stepper.y());
        (problem.resets, problem.solves) = (saved.resets, saved.solves);
        // Do not record this time twice.
        problem.set_recorded(checkpoint.recorded.map(|t| (t, self.stepper.y().to_vec())));
        Ok(())
    }
}
