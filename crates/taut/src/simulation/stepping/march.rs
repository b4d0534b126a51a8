//! A time-stepping run that the caller drives: step by step, to a time, or to its end.
//!
//! Here: the public interface. `start` prepares a march, `drive` advances it, `look` finds events and warnings, `record` writes rows.

mod drive;
mod look;
mod record;
mod start;

use super::Stepping;
use super::losses::Losses;
use super::notices::Notices;
use super::scheme::Scheme;
use crate::BreakSearch;
use crate::audit::Audit;
use crate::events::Occurrence;
use crate::laws::Law;
use crate::simulation::transient::Progress;
use crate::solution::{Outcome, Recorder, Solution, Statistics, Table, Verdict, Warning};
use crate::state::{Mode, State};
use std::time::Duration;

/// A run in progress.
#[derive(Debug)]
pub struct March<'m> {
    pub(super) scheme: Scheme<'m>,
    pub(super) settings: Stepping,
    pub(super) recorder: Recorder,
    pub(super) times: Vec<f64>,
    /// The next of these times.
    pub(super) next: usize,
    pub(super) recorded: Option<f64>,
    pub(super) energy_at_start: f64,
    pub(super) losses: Losses,
    pub(super) audit: Audit,
    pub(super) notices: Notices,
    pub(super) events: Vec<Occurrence>,
    pub(super) length: f64,
    pub(super) steps: u64,
    pub(super) outcome: Outcome,
    pub(super) warnings: Vec<Warning>,
    elapsed: Duration,
    pub(super) t_start: f64,
    /// Search for times at which forces and drivers are not smooth: no step crosses one.
    breaks: BreakSearch,
    /// Whether the caller interrupted the last step.
    interrupted: bool,
    /// Surfaces whose sums are columns.
    surfaces: Vec<usize>,
    /// Rows and events of this run that are no longer held here.
    pub(super) rows_before: usize,
    pub(super) events_before: usize,
}

impl<'m> March<'m> {
    /// One step.
    pub fn step(&mut self) -> Progress {
        self.drive(self.settings.t_end, Some(1))
    }

    /// At most so many steps.
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
        self.scheme.state.t
    }

    /// The present state.
    pub fn state(&self) -> &State {
        &self.scheme.state
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
        &self.recorder.table
    }

    /// Warnings so far.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The verdict of the audit so far.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(Verdict::of(&self.warnings))
    }

    /// Hands over the rows recorded since the last call, so that a long run needs no more memory than a short one.
    pub fn take_rows(&mut self) -> Table {
        let rows = self.recorder.table.take();
        self.rows_before += rows.len();
        rows
    }

    /// Hands over the events met since the last call.
    pub fn take_events(&mut self) -> Vec<Occurrence> {
        let events = std::mem::take(&mut self.events);
        self.events_before += events.len();
        events
    }

    /// Sweeps of the last step over the largest island.
    pub fn sweeps(&self) -> usize {
        self.scheme.tally.sweeps
    }

    /// Largest penetration after the last step, m.
    pub fn penetration(&self) -> f64 {
        self.scheme.tally.penetration
    }

    /// Number of bodies that sleep: at rest, and not solved for until something reaches them.
    pub fn sleeping(&self) -> usize {
        self.scheme.sleep.sleeping()
    }

    /// Number of contacts that pressed in the last step.
    pub fn pressing(&self) -> usize {
        self.scheme.tally.pressing
    }

    /// Largest energy gain by contacts in one step; zero except for round-off if the laws dissipate.
    pub fn gained(&self) -> f64 {
        self.scheme.tally.gained
    }

    /// Counts of steps, evaluations and factorisations so far.
    pub fn statistics(&self) -> Statistics {
        let tally = &self.scheme.tally;
        Statistics {
            steps: self.steps,
            evaluations: tally.evaluations,
            resets: tally.resets,
            factorisations: tally.factorisations,
            ..Statistics::default()
        }
    }

    /// The results so far, without what was taken.
    pub fn into_solution(mut self) -> Solution {
        self.scheme.present();
        let mut last = self.scheme.state.clone();
        // Modes of constraints with a law are those of the last step. A grip that was switched off stays off.
        let model = self.scheme.model;
        for (c, mode) in last.modes.iter_mut().enumerate() {
            if *mode != Mode::Idle || matches!(model.constraints[c].law, Law::Unilateral(_)) {
                *mode = self.scheme.account.modes[c];
            }
        }
        let verdict = self.verdict();
        Solution {
            statistics: self.statistics(),
            events: self.events,
            last,
            outcome: self.outcome,
            verdict,
            warnings: self.warnings,
            table: self.recorder.table,
            elapsed: self.elapsed,
        }
    }
}
