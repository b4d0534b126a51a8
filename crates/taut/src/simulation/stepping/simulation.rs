//! The time-stepping simulation: steps of fixed length over all contacts at once.
//!
//! Here: the interface. `start` prepares a run, `drive` advances it, `step_findings` finds events and warnings, `record` writes rows.

mod drive;
mod record;
mod start;
mod step_findings;

use super::TimeSteppingSettings;
use super::losses::StepLosses;
use super::scheme::MoreauScheme;
use super::step_events::StepEvents;
use crate::BreakSearch;
use crate::laws::ConstraintLaw;
use crate::model::ids::BodyId;
use crate::simulation::AnalysisError;
use crate::simulation::run::{Checkpoint, MethodCheckpoint, Run, RunLog, RunStatus, check_variables};
use crate::solution::Statistics;
use crate::state::{ConstraintMode, State};

/// A run in time steps of fixed length. [`Run`] has its methods.
#[derive(Debug)]
pub struct TimeSteppingSimulation<'m> {
    pub(super) scheme: MoreauScheme<'m>,
    pub(super) settings: TimeSteppingSettings,
    pub(super) log: RunLog,
    pub(super) times: Vec<f64>,
    /// The next of these times.
    pub(super) next_output: usize,
    pub(super) last_recorded: Option<f64>,
    pub(super) losses: StepLosses,
    pub(super) events: StepEvents,
    pub(super) last_step: f64,
    pub(super) steps: u64,
    pub(super) t_start: f64,
    /// Search for times at which forces and drivers are not smooth: no step crosses one.
    breaks: BreakSearch,
    /// Whether the caller interrupted the last step.
    interrupted: bool,
    /// Surfaces whose sums are columns.
    surfaces: Vec<usize>,
}

impl TimeSteppingSimulation<'_> {
    /// Sweeps of the last step over the largest island.
    pub fn sweeps(&self) -> usize {
        self.scheme.counts.sweeps
    }

    /// Largest penetration after the last step, m.
    pub fn penetration(&self) -> f64 {
        self.scheme.counts.penetration
    }

    /// Number of bodies that sleep: at rest, and not solved for until something reaches them.
    pub fn sleeping(&self) -> usize {
        self.scheme.sleep.sleeping()
    }

    /// Number of contacts that pressed in the last step.
    pub fn pressing(&self) -> usize {
        self.scheme.counts.pressing
    }

    /// Largest energy gain by contacts in one step; zero except for round-off if the laws dissipate.
    pub fn gained(&self) -> f64 {
        self.scheme.counts.largest_gain
    }
}

impl Run for TimeSteppingSimulation<'_> {
    fn log(&self) -> &RunLog {
        &self.log
    }

    fn log_mut(&mut self) -> &mut RunLog {
        &mut self.log
    }

    fn t_end(&self) -> f64 {
        self.settings.t_end
    }

    fn t(&self) -> f64 {
        self.scheme.state.t
    }

    fn state(&self) -> State {
        self.scheme.state.clone()
    }

    fn final_state(&mut self) -> State {
        self.scheme.evaluate_for_recorder();
        let mut last = self.scheme.state.clone();
        // Modes of constraints with a law are those of the last step. A friction constraint that was switched off stays off.
        let model = self.scheme.model;
        for (c, mode) in last.modes.iter_mut().enumerate() {
            if *mode != ConstraintMode::Idle || matches!(model.constraints[c].law, ConstraintLaw::Unilateral(_)) {
                *mode = self.scheme.contact_ledger.modes[c];
            }
        }
        last
    }

    fn statistics(&self) -> Statistics {
        let tally = &self.scheme.counts;
        Statistics {
            steps: self.steps,
            evaluations: tally.evaluations,
            resets: tally.resets,
            factorisations: tally.factorisations,
            ..Statistics::default()
        }
    }

    fn integrate(&mut self, t_stop: f64, most_steps: Option<u64>) -> RunStatus {
        self.log.interruption.run(|| self.drive(t_stop, most_steps)).0
    }

    fn checkpoint(&self) -> Checkpoint {
        let method = MethodCheckpoint::TimeStepping(Box::new(self.save()));
        self.log.checkpoint(self.state(), self.last_recorded, method)
    }

    fn set_variables(&mut self, values: &[(BodyId, f64)]) -> Result<(), AnalysisError> {
        check_variables(self.scheme.model, values, self.status())?;
        let model = self.scheme.model;
        values.iter().for_each(|(variable, value)| self.scheme.state.q[model[*variable].q.start] = *value);
        self.last_recorded = None;
        Ok(())
    }

    fn record_now(&mut self) {
        if self.last_recorded != Some(self.t()) {
            self.record();
        }
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        self.recover(checkpoint)
    }
}
