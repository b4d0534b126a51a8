//! A transient analysis that the caller drives: step by step, to a time, or to its end. It can be saved and resumed.
//!
//! Here: the public interface. `start` prepares a run, `drive` advances it, `checkpoint` saves and restores it.

mod checkpoint;
mod drive;
mod start;

pub use self::checkpoint::Checkpoint;
use super::Transient;
use super::problem::Problem;
use super::stiff::Held;
use crate::events::Occurrence;
use crate::interruption::Interruption;
use crate::simulation::events::Event;
use crate::solution::{Outcome, Peaks, Solution, Statistics, Table, Verdict, Warning};
use crate::state::State;
use std::time::Duration;
use taut_ode::{Plan, Settings, Stepper};

/// Whether a simulation can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It can.
    Underway,
    /// It has ended; the outcome says how.
    Ended,
}

/// A run in progress.
pub struct Simulation<'m> {
    problem: Problem<'m>,
    stepper: Box<dyn Stepper>,
    /// Settings of its step control.
    how: Settings,
    /// Statistics of the integrator before a switch.
    before: taut_ode::Statistics,
    /// Watches whether stability limits the step.
    held: Held,
    plan: Plan,
    settings: Transient,
    outcome: Outcome,
    elapsed: Duration,
    interruption: Interruption,
    /// Rows and events of this run that are no longer held here.
    rows_before: usize,
    events_before: usize,
}

impl<'m> Simulation<'m> {
    /// Allows long steps to be interrupted. The simulation then returns to its state before the call, and the call reports progress
    /// as if nothing had been computed.
    pub fn interrupt(&mut self, interruption: Interruption) {
        self.interruption = interruption;
    }

    /// Watches for an event from now on, besides those of the model, which come first.
    pub fn watch(&mut self, event: Box<dyn Event>) {
        self.problem.events.push(event);
    }

    /// One step of the integrator.
    pub fn step(&mut self) -> Progress {
        self.drive(self.settings.t_end, Some(1))
    }

    /// At most so many steps. The result is that of single steps, at lower cost.
    pub fn steps(&mut self, most: u64) -> Progress {
        self.drive(self.settings.t_end, Some(most.max(1)))
    }

    /// To a time, which is met exactly; not beyond the end.
    pub fn advance(&mut self, t: f64) -> Progress {
        if t <= self.t() || t.is_nan() {
            return self.progress();
        }
        self.drive(t.min(self.settings.t_end), None)
    }

    /// To the end.
    pub fn run(&mut self) -> Progress {
        self.drive(self.settings.t_end, None)
    }

    /// The present time.
    pub fn t(&self) -> f64 {
        self.stepper.t()
    }

    /// The present state.
    pub fn state(&self) -> State {
        self.problem.dynamics.unpack(self.stepper.t(), self.stepper.y())
    }

    /// The outcome; `Underway` before the end.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether it can go on.
    pub fn progress(&self) -> Progress {
        if self.outcome == Outcome::Underway { Progress::Underway } else { Progress::Ended }
    }

    /// The rows recorded and not yet taken.
    pub fn table(&self) -> &Table {
        &self.problem.recorder.table
    }

    /// The events that happened and were not yet taken.
    pub fn events(&self) -> &[Occurrence] {
        &self.problem.occurrences
    }

    /// Warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.problem.warnings
    }

    /// From now on searches for peaks of reactions and efforts between the rows. This costs about 3 % of the run.
    /// [`take_samples`](Simulation::take_samples) returns the rows at the peaks.
    pub fn look_between_rows(&mut self) {
        if self.problem.peaks.is_none() {
            self.problem.peaks = Some(Peaks::of(self.problem.dynamics.model));
            self.problem.samples = self.problem.recorder.table.clone();
            self.problem.samples.truncate(0);
        }
    }

    /// Replaces `samples` by the rows at the peaks found between rows since the last call.
    pub fn take_samples(&mut self, samples: &mut Table) {
        self.problem.samples.take_into(samples);
    }

    /// Whether the search has evaluated every peak between rows that exceeds all earlier ones.
    pub fn saw_all_peaks(&self) -> bool {
        self.problem.peaks.as_ref().is_some_and(|p| !p.missed())
    }

    /// The verdict of the audit so far.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(Verdict::of(&self.problem.warnings))
    }

    /// Hands over the rows recorded since the last call, so that a long run needs no more memory than a short one. The solution
    /// no longer contains them. After a [`restore`](Simulation::restore) to an earlier checkpoint the caller must cut them off at
    /// [`Checkpoint::rows`].
    pub fn take_rows(&mut self) -> Table {
        let rows = self.problem.recorder.table.take();
        self.rows_before += rows.len();
        rows
    }

    /// The same into a table of an earlier call, whose rows are replaced.
    pub fn take_rows_into(&mut self, rows: &mut Table) {
        self.problem.recorder.table.take_into(rows);
        self.rows_before += rows.len();
    }

    /// Hands over the events since the last call, as [`take_rows`](Simulation::take_rows) does with rows.
    pub fn take_events(&mut self) -> Vec<Occurrence> {
        let events = std::mem::take(&mut self.problem.occurrences);
        self.events_before += events.len();
        events
    }

    /// The results so far, without what was taken.
    pub fn solution(&self) -> Solution {
        Solution {
            outcome: self.outcome.clone(),
            statistics: self.statistics(),
            events: self.problem.occurrences.clone(),
            verdict: self.verdict(),
            warnings: self.problem.warnings.clone(),
            table: self.problem.recorder.table.clone(),
            elapsed: self.elapsed,
            last: self.state(),
        }
    }

    /// The same without a copy.
    pub fn into_solution(mut self) -> Solution {
        let (statistics, last, verdict) = (self.statistics(), self.state(), self.verdict());
        Solution {
            outcome: self.outcome,
            statistics,
            events: self.problem.occurrences,
            verdict,
            warnings: self.problem.warnings,
            table: std::mem::take(&mut self.problem.recorder.table),
            elapsed: self.elapsed,
            last,
        }
    }

    /// Counts of steps, evaluations and factorisations so far.
    pub fn statistics(&self) -> Statistics {
        let s = self.work();
        Statistics {
            steps: s.accepted,
            rejected: s.rejected,
            refused: s.refused,
            evaluations: s.evaluations,
            resets: self.problem.resets,
            factorisations: s.evaluations + self.problem.resets + self.problem.solves,
        }
    }
}
