//! Why a run ended.

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A number that a text format without a word for NaN may have written as nothing.
fn number<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(d)?.unwrap_or(f64::NAN))
}

/// The element that a numerical stop is laid to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// A body whose state or acceleration is not finite, or changes faster than the steps can follow.
    Body(String),
    /// A force whose wrench is not finite.
    Force(String),
    /// A constraint with its residual.
    Constraint {
        /// `constraint.row`.
        row: String,
        /// Its |φ|.
        #[serde(deserialize_with = "number")]
        residual: f64,
    },
    /// An element whose table ends there and refuses to go on.
    Table {
        /// The element.
        name: String,
        /// The end of its table, in the units of its abscissas.
        #[serde(deserialize_with = "number")]
        end: f64,
    },
    /// The formulation, which cannot treat the pose.
    Formulation(String),
    /// Nothing in particular.
    Nobody,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Blame::Body(name) => write!(f, "body `{name}`"),
            Blame::Force(name) => write!(f, "force `{name}`"),
            Blame::Constraint { row, residual } => write!(f, "constraint row `{row}` (residual {residual:.2e})"),
            Blame::Table { name, end } => write!(
                f,
                "the table of `{name}`, which ends at {end} and refuses to go on: add points, or give \
                 `extrapolation` = hold, linear or periodic"
            ),
            Blame::Formulation(why) => write!(f, "the formulation ({why})"),
            Blame::Nobody => write!(f, "no single element"),
        }
    }
}

/// How a run ended. Everything up to there is in the solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not yet at the end: the solution of a simulation under way.
    Underway,
    /// At its end.
    Finished,
    /// An event stopped it.
    Event {
        /// The event.
        name: String,
        /// When.
        t: f64,
    },
    /// The number of steps is used up.
    MaxSteps {
        /// The time reached.
        t: f64,
    },
    /// The time by the clock on the wall is used up.
    WallClock {
        /// The time reached.
        t: f64,
    },
    /// The tolerance would need steps below the smallest size.
    StepTooSmall {
        /// The time reached.
        t: f64,
        /// Size that would have been tried next.
        #[serde(deserialize_with = "number")]
        h: f64,
        /// What changes fastest there.
        blame: Blame,
    },
    /// The equations have no finite value beyond here.
    NotFinite {
        /// The time reached.
        t: f64,
        /// Where the first number that is not finite was found.
        blame: Blame,
    },
    /// The constraints could not be met again after a step.
    ConstraintsLost {
        /// The time reached.
        t: f64,
        /// The worst row.
        blame: Blame,
    },
    /// A prescribed position jumped.
    PositionJump {
        /// When.
        t: f64,
        /// The row, and by how much.
        blame: Blame,
    },
    /// The equations of an element switch back and forth without end.
    Switching {
        /// The time reached.
        t: f64,
        /// The element.
        name: String,
    },
    /// So many events in so short a time that it goes nowhere.
    Chatter {
        /// The time reached.
        t: f64,
        /// The elements that take part.
        names: Vec<String>,
    },
    /// Slips so slow that their direction turns faster than steps can follow: it goes nowhere.
    Creep {
        /// The time reached.
        t: f64,
        /// The contacts that slip.
        names: Vec<String>,
    },
    /// Bodies are found inside each other at a contact whose closing was not seen.
    Overlap {
        /// The time reached.
        t: f64,
        /// The contact.
        contact: String,
        /// How deep, m.
        depth: f64,
    },
    /// A prescribed motion runs into a contact, a stop or a rope.
    DrivenInto {
        /// When its gap closes.
        t: f64,
        /// The constraint.
        constraint: String,
    },
    /// Coulomb's law has no solution, or several.
    Paradox {
        /// The time reached.
        t: f64,
        /// The contact or grip.
        contact: String,
    },
}

impl Outcome {
    /// Whether the run reached what it was asked for: its end, or an event that stops it.
    pub fn is_success(&self) -> bool {
        matches!(self, Outcome::Finished | Outcome::Event { .. })
    }
}

impl Outcome {
    /// When the run stopped short of its end.
    pub fn time(&self) -> Option<f64> {
        match self {
            Outcome::Underway | Outcome::Finished => None,
            Outcome::Event { t, .. }
            | Outcome::MaxSteps { t }
            | Outcome::WallClock { t }
            | Outcome::StepTooSmall { t, .. }
            | Outcome::NotFinite { t, .. }
            | Outcome::ConstraintsLost { t, .. }
            | Outcome::PositionJump { t, .. }
            | Outcome::Switching { t, .. }
            | Outcome::Chatter { t, .. }
            | Outcome::Creep { t, .. }
            | Outcome::Overlap { t, .. }
            | Outcome::DrivenInto { t, .. }
            | Outcome::Paradox { t, .. } => Some(*t),
        }
    }
}

/// A time without a train of zeros.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0 == 0.0 || (1e-6..1e15).contains(&self.0.abs());
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Short(self.time().unwrap_or(0.0));
        match self {
            Outcome::Underway => write!(f, "not yet at the end"),
            Outcome::Finished => write!(f, "finished"),
            Outcome::Event { name, .. } => write!(f, "stopped by event `{name}` at t = {at} s"),
            Outcome::MaxSteps { .. } => {
                write!(
                    f,
                    "stopped at t = {at} s: the number of steps is used up; raise the limit or loosen the tolerance"
                )
            }
            Outcome::WallClock { .. } => {
                write!(f, "stopped at t = {at} s: the time by the clock on the wall is used up")
            }
            Outcome::StepTooSmall { h, blame, .. } => write!(
                f,
                "stopped at t = {at} s: the tolerance needs steps below {h:.2e} s; {blame} changes fastest: look for a \
                 stiff spring, a jump in a signal, or a singular pose there"
            ),
            Outcome::NotFinite { blame, .. } => write!(
                f,
                "stopped at t = {at} s: the equations have no finite value beyond; first found at {blame}: look for a \
                 division by zero or a state that grows without bound"
            ),
            Outcome::Chatter { names, .. } => write!(
                f,
                "stopped at t = {at} s: events of `{}` follow each other without end in no time; give a restitution below \
                 1, a friction that does not jump, or use time stepping",
                names.join("`, `")
            ),
            Outcome::Creep { names, .. } => write!(
                f,
                "stopped at t = {at} s: `{}` slip so slowly that their direction turns within less than a microsecond, and \
                 steps that follow it come to nothing; use time stepping",
                names.join("`, `")
            ),
            Outcome::Overlap { contact, depth, .. } => write!(
                f,
                "stopped at t = {at} s: `{contact}` overlaps by {depth:.2e} m, and its closing was not located; march in \
                 time steps, or give the ground fewer folds"
            ),
            Outcome::DrivenInto { constraint, .. } => write!(
                f,
                "stopped at t = {at} s: the drivers run into `{constraint}`, whose gap would get negative beyond; let them stop \
                 before it, move it, or use a run with a force instead of a driver"
            ),
            Outcome::Paradox { contact, .. } => write!(
                f,
                "stopped at t = {at} s: Coulomb's law has no solution or several at `{contact}` (Painlevé); lower the \
                 coefficient of friction, make the contact compliant, or allow the impulsive solution"
            ),
            Outcome::PositionJump { blame, .. } => write!(
                f,
                "stopped at t = {at} s: a prescribed position jumps there, which no finite force can follow; it is {blame}: \
                 prescribe a continuous motion, with `step(t, t0, a, t1, b)` or a table without a jump"
            ),
            Outcome::Switching { name, .. } => write!(
                f,
                "stopped at t = {at} s: the equations of `{name}` switch back and forth without end in no time; replace \
                 the jump by a steep slope (`tanh(v/v0)` for `sign(v)`), or use a brake or friction"
            ),
            Outcome::ConstraintsLost { blame, .. } => write!(
                f,
                "stopped at t = {at} s: the constraints cannot be met beyond; worst is {blame}: the mechanism may have \
                 reached the end of its reach"
            ),
        }
    }
}
