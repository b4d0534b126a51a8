//! The event-driven simulation: the integrator takes steps of variable length and locates every event.
//!
//! Here: the interface. `start` prepares a run, `drive` advances it, `checkpoint` saves and restores it.

mod checkpoint;
mod drive;
mod start;

pub(crate) use self::checkpoint::EventDrivenCheckpoint;
use super::Transient;
use super::problem::TransientProblem;
use super::stiffness_check::StiffnessCheck;
use super::vibration_check::VibrationCheck;
use crate::model::ids::BodyId;
use crate::simulation::AnalysisError;
use crate::simulation::events::Event;
use crate::simulation::run::{Checkpoint, MethodCheckpoint, Run, RunLog, RunStatus, check_variables};
use crate::solution::{PeakMonitor, Statistics, Table};
use crate::state::State;
use taut_ode::{Hook, Plan, Settings, Stepper};

/// A run that locates every event. [`Run`] has its methods.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(1.0, [0.0; 3]));
/// let model = spec.build()?;
/// let settings = Transient::to(2.0);
/// let mut run = Simulation::new(&model, &model.initial_state(), &settings)?;
/// run.steps(3);
/// let kept = run.checkpoint(); // serde: it can be stored
/// let mut later = Simulation::new(&model, &model.initial_state(), &settings)?;
/// later.restore(&kept)?; // continues with the same bits
/// while later.step() == RunStatus::Underway {}
/// assert!((later.state().q[2] + 19.62).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation<'m> {
    problem: TransientProblem<'m>,
    stepper: Box<dyn Stepper>,
    /// Settings of its step control.
    stepper_settings: Settings,
    /// Statistics of the integrator before a switch.
    earlier_statistics: taut_ode::Statistics,
    /// Watches whether stability limits the step.
    stiffness_check: StiffnessCheck,
    /// Watches whether a vibration limits the step of Radau IIA.
    vibration_check: VibrationCheck,
    plan: Plan,
    settings: Transient,
}

impl Simulation<'_> {
    /// Watches for an event from now on, besides those of the model, which come first.
    pub fn add_event(&mut self, event: Box<dyn Event>) {
        self.problem.events.push(event);
    }
}

impl Run for Simulation<'_> {
    fn log(&self) -> &RunLog {
        &self.problem.log
    }

    fn log_mut(&mut self) -> &mut RunLog {
        &mut self.problem.log
    }

    fn t_end(&self) -> f64 {
        self.settings.t_end
    }

    fn t(&self) -> f64 {
        self.stepper.t()
    }

    fn state(&self) -> State {
        self.problem.dynamics.unpack(self.stepper.t(), self.stepper.y())
    }

    fn statistics(&self) -> Statistics {
        let s = self.total_statistics();
        Statistics {
            steps: s.accepted,
            rejected: s.rejected,
            refused: s.refused,
            evaluations: s.evaluations,
            resets: self.problem.resets,
            factorisations: s.evaluations + self.problem.resets + self.problem.solves,
        }
    }

    fn integrate(&mut self, t_stop: f64, most_steps: Option<u64>) -> RunStatus {
        self.drive(t_stop, most_steps)
    }

    fn checkpoint(&self) -> Checkpoint {
        let method = MethodCheckpoint::Events(Box::new(self.save()));
        self.problem.log.checkpoint(self.state(), self.problem.recorded(), method)
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), AnalysisError> {
        self.recover(checkpoint)
    }

    fn set_variables(&mut self, values: &[(BodyId, f64)]) -> Result<(), AnalysisError> {
        check_variables(self.problem.dynamics.model, values, self.status())?;
        let (t, mut y) = (self.stepper.t(), self.stepper.y().to_vec());
        let model = self.problem.dynamics.model;
        if values.iter().all(|(variable, value)| y[model[*variable].q.start] == *value) {
            return Ok(());
        }
        self.problem.set_variables(t, &mut y, values);
        self.stepper.restart_at(t).copy_from_slice(&y);
        Ok(())
    }

    fn record_now(&mut self) {
        let t = self.stepper.t();
        if self.problem.recorded() != Some(t) {
            let y = self.stepper.y().to_vec();
            self.problem.output(t, &y);
        }
    }

    fn watch_event(&mut self, event: Box<dyn Event>) -> Result<(), AnalysisError> {
        self.add_event(event);
        Ok(())
    }

    fn search_peaks(&mut self) {
        if self.problem.peaks.is_none() {
            self.problem.peaks = Some(PeakMonitor::of(self.problem.dynamics.model));
            self.problem.samples = self.problem.log.recorder.table.clone();
            self.problem.samples.truncate(0);
        }
    }

    fn take_peak_rows(&mut self, samples: &mut Table) {
        self.problem.samples.take_into(samples);
    }

    fn found_all_peaks(&self) -> bool {
        self.problem.peaks.as_ref().is_some_and(|p| !p.skipped_peaks())
    }
}
