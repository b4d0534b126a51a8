//! The reason why a run ended.

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A number; formats that cannot write NaN store it as null.
fn nan_if_missing<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(d)?.unwrap_or(f64::NAN))
}

/// The element that caused a numerical stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// A body whose state or acceleration is not finite, or changes faster than the steps can follow.
    Body(String),
    /// A force whose wrench is not finite.
    Force(String),
    /// A row of a constraint, with its residual.
    Constraint {
        /// `constraint.row`.
        row: String,
        /// Its |φ|.
        #[serde(deserialize_with = "nan_if_missing")]
        residual: f64,
    },
    /// An element whose motion has left its table, which does not extrapolate.
    Table {
        /// The element.
        name: String,
        /// The end of its table, in the units of its abscissas.
        #[serde(deserialize_with = "nan_if_missing")]
        end: f64,
    },
    /// A body whose mass matrix becomes singular.
    MassMatrix {
        /// The body.
        body: String,
        /// The coordinate without inertia.
        coordinate: String,
    },
    /// A body without mass whose motion no constraint determines any more.
    Massless {
        /// The body.
        body: String,
        /// Its velocities in this motion.
        direction: String,
    },
    /// A force whose value depends on reactions that it changes itself, without a solution or with several.
    ReactionForce(String),
    /// The formulation, which cannot handle the pose.
    Formulation(String),
    /// No single element.
    Nobody,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Body(name) => write!(f, "body `{name}`"),
            Cause::Force(name) => write!(f, "force `{name}`"),
            Cause::Constraint { row, residual } => write!(f, "constraint row `{row}` (residual {residual:.2e})"),
            Cause::Table { name, end } => write!(
                f,
                "the table of `{name}`, which ends at {end} and does not extrapolate: add points, or set \
                 `extrapolation` = hold, linear or periodic"
            ),
            Cause::Massless { body, direction } => write!(
                f,
                "body `{body}`, which has no mass in the direction {direction} and is no longer held there: give it mass and \
                 inertia, or constrain it"
            ),
            Cause::MassMatrix { body, coordinate } => write!(
                f,
                "the mass matrix of body `{body}`, which becomes singular: its coordinate `{coordinate}` loses its \
                 inertia there; choose other coordinates"
            ),
            Cause::ReactionForce(name) => write!(
                f,
                "force `{name}`, which reads reactions that it changes itself: there it has no value, or more than one \
                 (the mechanism jams or locks itself); use a smaller coefficient, or a compliant joint"
            ),
            Cause::Formulation(why) => write!(f, "the formulation ({why})"),
            Cause::Nobody => write!(f, "no single element"),
        }
    }
}

/// How a run ended. The solution contains everything up to that point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// Still running: the solution of an unfinished simulation.
    Underway,
    /// The end time was reached.
    Finished,
    /// An event stopped it.
    Event {
        /// The event.
        name: String,
        /// When.
        t: f64,
    },
    /// The maximum number of steps was reached.
    MaxSteps {
        /// The time reached.
        t: f64,
    },
    /// The wall-clock limit was reached.
    WallClock {
        /// The time reached.
        t: f64,
    },
    /// The tolerance would need steps below the smallest size.
    StepTooSmall {
        /// The time reached.
        t: f64,
        /// Step size that would have been tried next.
        #[serde(deserialize_with = "nan_if_missing")]
        h: f64,
        /// What changes fastest there.
        #[serde(alias = "blame")]
        cause: Cause,
    },
    /// The equations have no finite value beyond this time.
    NotFinite {
        /// The time reached.
        t: f64,
        /// Where the first non-finite number was found.
        #[serde(alias = "blame")]
        cause: Cause,
    },
    /// The constraints could not be satisfied after a step.
    ConstraintsLost {
        /// The time reached.
        t: f64,
        /// The worst row.
        #[serde(alias = "blame")]
        cause: Cause,
    },
    /// A prescribed position jumped.
    PositionJump {
        /// When.
        t: f64,
        /// The row and the size of the jump.
        #[serde(alias = "blame")]
        cause: Cause,
    },
    /// The equations of an element switch back and forth endlessly.
    Switching {
        /// The time reached.
        t: f64,
        /// The element.
        name: String,
    },
    /// Events follow each other so closely that time no longer advances.
    Chatter {
        /// The time reached.
        t: f64,
        /// The elements that take part.
        names: Vec<String>,
    },
    /// Slip so slow that its direction changes faster than the steps can follow: time no longer advances.
    Creep {
        /// The time reached.
        t: f64,
        /// The contacts that slip.
        names: Vec<String>,
    },
    /// Bodies overlap at a contact whose closing was not detected.
    Overlap {
        /// The time reached.
        t: f64,
        /// The contact.
        contact: String,
        /// How deep, m.
        depth: f64,
    },
    /// A prescribed motion violates a contact, a stop, a rope or a one-way coupling.
    DrivenInto {
        /// Time at which its gap closes.
        t: f64,
        /// The constraint.
        constraint: String,
    },
    /// Coulomb's law has no unique solution.
    Paradox {
        /// The time reached.
        t: f64,
        /// The constraint with friction.
        contact: String,
    },
}

impl Outcome {
    /// Whether the run ended as requested: at its end time, or by an event that stops it.
    pub fn is_success(&self) -> bool {
        matches!(self, Outcome::Finished | Outcome::Event { .. })
    }
}

impl Outcome {
    /// The time at which the run stopped before its end.
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

/// A time printed without trailing or leading zeros.
struct ShortTime(f64);

impl fmt::Display for ShortTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = self.0 == 0.0 || (1e-6..1e15).contains(&self.0.abs());
        if plain { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = ShortTime(self.time().unwrap_or(0.0));
        match self {
            Outcome::Underway => write!(f, "still running"),
            Outcome::Finished => write!(f, "finished"),
            Outcome::Event { name, .. } => write!(f, "stopped by event `{name}` at t = {at} s"),
            Outcome::MaxSteps { .. } => {
                write!(
                    f,
                    "stopped at t = {at} s: the maximum number of steps was reached; raise the limit or loosen the tolerance"
                )
            }
            Outcome::WallClock { .. } => {
                write!(f, "stopped at t = {at} s: the wall-clock limit was reached")
            }
            Outcome::StepTooSmall { cause: cause @ (Cause::MassMatrix { .. } | Cause::Massless { .. }), .. }
            | Outcome::NotFinite { cause: cause @ (Cause::MassMatrix { .. } | Cause::Massless { .. }), .. } => {
                write!(f, "stopped at t = {at} s; the cause is {cause}")
            }
            Outcome::StepTooSmall { h, cause, .. } => write!(
                f,
                "stopped at t = {at} s: the tolerance requires steps below {h:.2e} s; {cause} changes fastest: look for a \
                 stiff spring, a jump in a signal, or a singular pose there"
            ),
            Outcome::NotFinite { cause, .. } => write!(
                f,
                "stopped at t = {at} s: the equations are not finite beyond this time; first found at {cause}: look for a \
                 division by zero or an unbounded state"
            ),
            Outcome::Chatter { names, .. } => write!(
                f,
                "stopped at t = {at} s: events of `{}` follow each other endlessly and time no longer advances; use a restitution below \
                 1, friction without a jump, or time stepping",
                names.join("`, `")
            ),
            Outcome::Creep { names, .. } => write!(
                f,
                "stopped at t = {at} s: `{}` slip so slowly that the slip direction changes within a microsecond, and \
                 steps short enough to follow it make no progress; use time stepping",
                names.join("`, `")
            ),
            Outcome::Overlap { contact, depth, .. } => write!(
                f,
                "stopped at t = {at} s: `{contact}` overlaps by {depth:.2e} m because its closing was not detected; use \
                 time stepping, or a smoother ground"
            ),
            Outcome::DrivenInto { constraint, .. } => write!(
                f,
                "stopped at t = {at} s: the drivers run into `{constraint}`, which does not permit their motion; stop them \
                 before it, move it, or simulate with a force instead of a driver"
            ),
            Outcome::Paradox { contact, .. } => write!(
                f,
                "stopped at t = {at} s: Coulomb's law has no unique solution at `{contact}` (Painlevé paradox); lower the \
                 coefficient of friction, make the contact compliant, allow the impulsive solution, or use time stepping"
            ),
            Outcome::PositionJump { cause, .. } => write!(
                f,
                "stopped at t = {at} s: a prescribed position jumps, which no finite force can follow; it is {cause}: \
                 prescribe a continuous motion, with `step(t, t0, a, t1, b)` or a table without a jump"
            ),
            Outcome::Switching { name, .. } => write!(
                f,
                "stopped at t = {at} s: the equations of `{name}` switch back and forth endlessly and time no longer advances; replace \
                 the jump by a steep slope (`tanh(v/v0)` for `sign(v)`), or use a brake or friction"
            ),
            Outcome::ConstraintsLost { cause, .. } => write!(
                f,
                "stopped at t = {at} s: the constraints cannot be satisfied beyond this time; worst is {cause}: the mechanism may have \
                 reached the limit of its range of motion"
            ),
        }
    }
}
