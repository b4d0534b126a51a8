//! What happened in a run, and what cannot go on.

use serde::{Deserialize, Serialize};

/// Kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// An event of the user.
    #[default]
    Event,
    /// A gap closed with a speed, and the velocities jumped.
    Impact,
    /// A gap closed to stay: contact, a rope that is taut.
    Closes,
    /// A sequence of ever smaller impacts ended here in contact.
    Rests,
    /// A gap opened: a contact lost, a rope that is slack.
    Opens,
    /// What slipped sticks.
    Sticks,
    /// What stuck slips.
    Slips,
    /// An element changed its own states.
    Rings,
    /// A prescribed velocity jumped, and with it the velocities of the mechanism.
    VelocityJump,
    /// The function of an event of the user touched zero and turned back; nothing came of it.
    Touches,
}

impl Happening {
    /// The word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Happening::Event => "event",
            Happening::Impact => "impact",
            Happening::Closes => "closes",
            Happening::Rests => "rests",
            Happening::Opens => "opens",
            Happening::Sticks => "sticks",
            Happening::Slips => "slips",
            Happening::Rings => "rings",
            Happening::VelocityJump => "velocity jump",
            Happening::Touches => "touches",
        }
    }
}

/// An event that happened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The event, or the element.
    pub name: String,
    /// Its index among the events of the model and then of the user; of the rows' own events, among all constraints.
    pub index: usize,
    /// When.
    pub t: f64,
    /// What happened.
    #[serde(default)]
    pub what: Happening,
    /// Size of the impulse, N s or N m s.
    #[serde(default)]
    pub impulse: f64,
    /// Energy lost in it, J.
    #[serde(default)]
    pub lost: f64,
}

impl Occurrence {
    /// Something without an impulse.
    pub fn new(name: &str, index: usize, t: f64, what: Happening) -> Occurrence {
        Occurrence { name: name.to_string(), index, t, what, ..Occurrence::default() }
    }
}

/// Why no modes could be found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// Coulomb's law has no solution, or several, at this constraint.
    Paradox(usize),
    /// What is to be held at this constraint overlaps by so much, m: it was not seen to close.
    Overlap(usize, f64),
    /// Impacts at these constraints follow from each other without end at one moment.
    Endless(Vec<usize>),
}
