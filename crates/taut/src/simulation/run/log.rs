//! What a run has recorded so far: rows, events, warnings, audit, outcome.

use super::checkpoint::{Checkpoint, MethodCheckpoint};
use crate::audit::Audit;
use crate::audit::energy::EnergyImbalance;
use crate::events::EventRecord;
use crate::interruption::Interruption;
use crate::solution::{Outcome, Recorder, Severity, Warning};
use crate::state::{ConstraintMode, State};
use std::time::Duration;

/// Most switches that are kept.
const MAX_SWITCHES: usize = 4096;
/// Most combinations of modes of which a state is kept.
const MAX_MODE_STATES: usize = 64;

/// What a run has recorded so far. [`Run`](super::Run) gives access to it.
#[derive(Debug)]
pub struct RunLog {
    pub(crate) recorder: Recorder,
    pub(crate) events: Vec<EventRecord>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) audit: Audit,
    pub(crate) outcome: Outcome,
    pub(crate) energy_at_start: f64,
    /// Wall-clock time of the computation.
    pub(crate) elapsed: Duration,
    /// What may interrupt a long step.
    pub(crate) interruption: Interruption,
    /// Rows and events of this run that the caller has taken out.
    pub(crate) rows_taken: usize,
    pub(crate) events_taken: usize,
    /// The first state of each combination of modes after the start.
    pub(crate) mode_states: Vec<State>,
    /// The first switches of conditions on the motion.
    pub(crate) switches: Vec<Switch>,
}

/// A condition on the motion that has changed the equations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Switch {
    /// The element.
    pub name: String,
    pub t: f64,
    pub rates: RatesAtSwitch,
}

/// What the rates do at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RatesAtSwitch {
    Continuous,
    Jump,
}

impl RunLog {
    /// The log of a run at its start.
    pub(crate) fn new(recorder: Recorder, energy_at_start: f64) -> RunLog {
        RunLog {
            recorder,
            events: Vec::new(),
            warnings: Vec::new(),
            audit: Audit::default(),
            outcome: Outcome::Underway,
            energy_at_start,
            elapsed: Duration::ZERO,
            interruption: Interruption::default(),
            rows_taken: 0,
            events_taken: 0,
            mode_states: Vec::new(),
            switches: Vec::new(),
        }
    }

    /// States at the end of the first step with each new combination of contact and lock modes, at most 64.
    pub fn mode_states(&self) -> &[State] {
        &self.mode_states
    }

    /// Keeps a switch.
    pub(crate) fn note_switch(&mut self, switch: impl FnOnce() -> Switch) {
        if self.switches.len() < MAX_SWITCHES {
            self.switches.push(switch());
        }
    }

    /// Keeps the state if its combination of modes is new.
    pub(crate) fn note_modes(&mut self, modes: &[ConstraintMode], state: impl FnOnce() -> State) {
        let kind = std::mem::discriminant::<ConstraintMode>;
        let same = |s: &State| s.modes.iter().zip(modes).all(|(a, b)| kind(a) == kind(b));
        // The last combination is the most likely one.
        if self.mode_states.len() < MAX_MODE_STATES && !self.mode_states.iter().rev().any(same) {
            self.mode_states.push(state());
        }
    }

    /// Whether a warning of this kind, which is the beginning of its message, was given before.
    fn has_warned(&self, kind: &str) -> bool {
        self.warnings.iter().any(|w| w.message.starts_with(kind))
    }

    /// Adds a notice, once of each kind.
    pub(crate) fn warn_once(&mut self, t: f64, kind: &str, message: impl FnOnce() -> String) {
        if !self.has_warned(kind) {
            self.warnings.push(Warning::notice(t, format!("{kind}{}", message())));
        }
    }

    /// Warns once that the results are doubtful, and names the element.
    pub(crate) fn warn_doubtful(&mut self, t: f64, kind: &str, element: &str, message: impl FnOnce() -> String) {
        if !self.has_warned(kind) {
            self.warnings.push(Warning::doubtful(t, format!("{kind}{}", message())).with_element(element));
        }
    }

    /// Adds a finding of the audit. It replaces earlier findings of its kind that are less severe.
    pub(crate) fn add_finding(
        &mut self,
        severity: Severity,
        t: f64,
        kind: &str,
        element: Option<String>,
        message: String,
    ) {
        self.warnings.retain(|w| !(w.message.starts_with(kind) && w.severity < severity));
        self.warnings.push(Warning { t, message: format!("{kind}{message}"), severity, element });
    }

    /// Reports energy that was lost or gained without a cause. `hint` names a suspect and a remedy.
    pub(crate) fn report_imbalance(&mut self, t: f64, found: EnergyImbalance, element: Option<String>, hint: &str) {
        let change = if found.balance < 0.0 { "lost" } else { "gained" };
        let message = format!(
            " was {change}: {:.2e} J, {:.1e} of the energy at work, where {:.1e} J are permitted{hint}",
            found.balance.abs(),
            found.fraction,
            found.permitted,
        );
        self.add_finding(found.severity, t, "energy that nothing accounts for", element, message);
    }

    /// A checkpoint with these contents of the log; `recorded` is the time of the last row.
    pub(crate) fn checkpoint(&self, state: State, recorded: Option<f64>, method: MethodCheckpoint) -> Checkpoint {
        Checkpoint {
            state,
            turns: self.recorder.angle_tracker.clone(),
            energy_at_start: self.energy_at_start,
            audit: self.audit.clone(),
            warnings: self.warnings.clone(),
            rows: self.rows_taken + self.recorder.table.len(),
            recorded,
            events: self.events_taken + self.events.len(),
            method,
        }
    }

    /// Returns to a checkpoint. `is_new`: this run has made no step, and the resumed run has already reported the rows and events of
    /// the start.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint, is_new: bool) {
        self.recorder.angle_tracker.clone_from(&checkpoint.turns);
        self.energy_at_start = checkpoint.energy_at_start;
        self.audit.clone_from(&checkpoint.audit);
        self.warnings.clone_from(&checkpoint.warnings);
        let table = &mut self.recorder.table;
        if is_new {
            table.truncate(0);
            self.events.clear();
        }
        // Rows and events are counted from the start of the run, including those taken out.
        table.truncate(checkpoint.rows.saturating_sub(self.rows_taken));
        self.rows_taken = checkpoint.rows - table.len();
        self.events.truncate(checkpoint.events.saturating_sub(self.events_taken));
        self.events_taken = checkpoint.events - self.events.len();
        self.outcome = Outcome::Underway;
    }
}
