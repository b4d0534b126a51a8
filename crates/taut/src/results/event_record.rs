//! Records of the events of a run, and the reasons for which mode selection can fail.

use serde::{Deserialize, Serialize};

/// Kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A user-defined event.
    #[default]
    Event,
    /// A gap closed with a relative velocity, and the velocities jumped.
    Impact,
    /// A gap closed and stays closed: a contact, or a rope that became taut.
    Closes,
    /// A sequence of ever smaller impacts ended in permanent contact.
    Rests,
    /// A gap opened: a contact was lost, or a rope became slack.
    Opens,
    /// A slipping constraint started to stick.
    Sticks,
    /// A sticking constraint started to slip.
    Slips,
    /// A guard of an element fired, and the element changed its own states.
    StateReset,
    /// A prescribed velocity jumped, and the velocities of the mechanism with it.
    VelocityJump,
    /// The function of a user-defined event touched zero and turned back; the event did not fire.
    Touches,
}

impl EventKind {
    /// The word in tables.
    pub fn label(self) -> &'static str {
        match self {
            EventKind::Event => "event",
            EventKind::Impact => "impact",
            EventKind::Closes => "closes",
            EventKind::Rests => "rests",
            EventKind::Opens => "opens",
            EventKind::Sticks => "sticks",
            EventKind::Slips => "slips",
            EventKind::StateReset => "state reset",
            EventKind::VelocityJump => "velocity jump",
            EventKind::Touches => "touches",
        }
    }
}

/// A record of one event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Name of the event or element.
    pub name: String,
    /// Its index among the events of the model, followed by those of the user; for events of constraints, the index
    /// among all constraints.
    pub index: usize,
    /// Time, s.
    pub t: f64,
    /// Kind of the event.
    #[serde(default)]
    pub what: EventKind,
    /// Size of the impulse, N s or N m s.
    #[serde(default)]
    pub impulse: f64,
    /// Energy lost in it, J.
    #[serde(default)]
    pub lost: f64,
}

impl EventRecord {
    /// A record without an impulse.
    pub fn new(name: &str, index: usize, t: f64, what: EventKind) -> EventRecord {
        EventRecord { name: name.to_string(), index, t, what, ..EventRecord::default() }
    }
}

/// Why the modes of the constraints could not be determined.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ModeSelectionError {
    /// Coulomb's law has no unique solution at this constraint.
    Paradox(usize),
    /// This constraint should become active but overlaps by this depth, m: its closing was not detected.
    Overlap(usize, f64),
    /// Impacts at these constraints trigger each other endlessly at one instant.
    EndlessImpacts(Vec<usize>),
}
