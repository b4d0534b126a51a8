//! The words of the model file: every section, kind and field, what it holds and which dimension it has.
//!
//! One table serves the reader (unknown keys, wrong types, wrong units), the JSON Schema and the tests. A new kind of
//! element is one entry here.

mod beams;
mod bodies;
mod constraints;
mod contacts;
mod events;
mod forces;
mod laws;
mod looks;
mod modal;
mod run;
mod signals;

pub(crate) use beams::BEAM;
pub(crate) use bodies::{BODIES, ORIENTATION, SHAPES};
pub(crate) use constraints::{ANGLE_DRIVER, CONSTRAINTS, DRIVER, JOINTS, LENGTH_DRIVER, WHEELS};
pub(crate) use contacts::{CONTACT, SURFACES};
pub(crate) use events::{DEEDS, EVENT, WORDS};
pub(crate) use forces::{CHARACTERISTIC, FORCES, LAWS, MEMORY};
pub(crate) use laws::{COMES_AND_GOES, FRICTION, LIMITS, PULLEY, RUBBING};
pub(crate) use looks::LOOKS;
pub(crate) use modal::NODE;
pub(crate) use run::{EXPECT, OUTPUTS, PART, REPEAT, SETTINGS, TOP};
pub(crate) use signals::SIGNALS;

use super::scope::Asked;
use super::units::Dimension;

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// One number.
    Number(Asked),
    /// So many numbers, one of these counts.
    Vector(&'static [usize], Asked),
    /// Any number of numbers.
    Numbers(Asked),
    /// Coefficients of rising powers: the first of the dimension asked for, each further one divided by these once more.
    Powers(Asked, &'static [Dimension]),
    /// Lists of numbers.
    Lists(Asked),
    /// A text taken as it is.
    Text,
    /// Texts taken as they are; one may stand alone.
    Texts,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or a list of them.
    Choices(&'static [&'static str]),
    /// A whole number.
    Whole,
    /// The name of a marker or body.
    Marker,
    /// A measured coordinate.
    Coordinate,
    /// A coordinate of a body, `body.coordinate`.
    BodyCoordinate,
    /// A function of time.
    Signal(Asked),
    /// Three functions of time.
    Signals(Asked),
    /// `{ position | velocity | acceleration = SIGNAL }`.
    Motion,
    /// Three of `free`, `held` or a motion.
    Holds,
    /// How a joint turns.
    Turning,
    /// A rotation.
    Orientation,
    /// A force law.
    Law,
    /// One shape or a list of shapes.
    Shapes,
    /// One look or a list of looks.
    Looks,
    /// What rolls.
    Wheel,
    /// Six numbers or a 6×6 matrix.
    Coefficients(Asked),
    /// Terms of a relation.
    Terms,
    /// Frames of a body by name.
    Markers,
    /// A formula over coordinates and these variables.
    Formula(&'static [&'static str]),
    /// Names with numbers.
    Params,
    /// A list of numbers, or the name of a column of a file.
    NumbersOrColumn(Asked),
    /// A curve of a table law.
    Characteristic,
    /// A table with these fields.
    Table(&'static [Field]),
    /// Coefficients of friction: a number, or `{ static, kinetic }`.
    Friction,
    /// Friction in a joint: a number, or a table with what else it needs.
    Rubbing,
    /// Markers and pulleys that a rope runs through.
    Through,
    /// Two surfaces, or "all".
    Between,
    /// One group, or two.
    Groups,
    /// Points with so many components.
    Points(usize),
    /// Triples of whole numbers.
    Triangles,
    /// What a controller watches: names with coordinates, or with `{ signal = SIGNAL }`.
    Inputs,
    /// What a controller remembers: names with `{ rate or next, initial }`.
    Memories,
    /// A formula over t, coordinates, velocities and measures.
    Sensed,
    /// The same, or a plain number.
    SensedOrNumber,
    /// What an event does.
    Deeds,
    /// A formula of a controller, over what it watches and remembers too; read with them.
    ControlLaw,
    /// A table of one of these kinds, named by a word, of such a family.
    Kinds(&'static str, &'static [Kind], &'static str),
    /// A table read elsewhere.
    Section,
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
}

/// A field of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub what: What,
    pub need: Need,
    pub doc: &'static str,
}

pub(crate) const fn must(name: &'static str, what: What, doc: &'static str) -> Field {
    Field { name, what, need: Need::Required, doc }
}

pub(crate) const fn may(name: &'static str, what: What, doc: &'static str) -> Field {
    Field { name, what, need: Need::Optional, doc }
}

/// A kind of element: the word behind `type =`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub name: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
}

const fn asked(name: &'static str, example: &'static str, fits: &'static [Dimension]) -> Asked {
    Asked { name, example, fits }
}

const SPEED: Dimension = Dimension::LENGTH.per(Dimension::TIME);
const TURNING_SPEED: Dimension = Dimension::ANGLE.per(Dimension::TIME);

pub(crate) const LENGTH: Asked = asked("a length", "mm", &[Dimension::LENGTH]);
pub(crate) const ANGLE: Asked = asked("an angle", "deg", &[Dimension::ANGLE]);
pub(crate) const MASS: Asked = asked("a mass", "kg", &[Dimension::MASS]);
pub(crate) const TIME: Asked = asked("a time", "ms", &[Dimension::TIME]);
pub(crate) const PER_TIME: Asked = asked("a rate", "1/s", &[Dimension::NONE.per(Dimension::TIME)]);
pub(crate) const INERTIA: Asked = asked("a moment of inertia", "kg*m^2", &[Dimension::of(2, 1, 0, 0)]);
pub(crate) const DENSITY: Asked = asked("a density", "kg/m^3", &[Dimension::of(-3, 1, 0, 0)]);
pub(crate) const VELOCITY: Asked = asked("a velocity", "m/s", &[SPEED]);
pub(crate) const SLOWNESS: Asked = asked("a time per length", "s/m", &[Dimension::TIME.per(Dimension::LENGTH)]);
pub(crate) const ANGULAR_VELOCITY: Asked = asked("an angular velocity", "rpm", &[TURNING_SPEED]);
pub(crate) const ACCELERATION: Asked = asked("an acceleration", "m/s^2", &[SPEED.per(Dimension::TIME)]);
pub(crate) const ANGULAR_ACCELERATION: Asked =
    asked("an angular acceleration", "rad/s^2", &[TURNING_SPEED.per(Dimension::TIME)]);
pub(crate) const FORCE: Asked = asked("a force", "N", &[Dimension::FORCE]);
pub(crate) const TORQUE: Asked = asked("a torque", "N*m", &[Dimension::TORQUE]);
pub(crate) const PLAIN: Asked = asked("a plain number", "", &[Dimension::NONE]);
/// A coordinate is a length or an angle, and what acts on it a force or a torque.
pub(crate) const DISPLACEMENT: Asked = asked("a length or an angle", "mm", &[Dimension::LENGTH, Dimension::ANGLE]);
pub(crate) const EFFORT: Asked = asked("a force or a torque", "N", &[Dimension::FORCE, Dimension::TORQUE]);
pub(crate) const RATE: Asked = asked("a velocity or an angular velocity", "rpm", &[SPEED, TURNING_SPEED]);
pub(crate) const DISPLACEMENT_OR_RATE: Asked =
    asked("a length, an angle or a rate of one", "mm", &[Dimension::LENGTH, Dimension::ANGLE, SPEED, TURNING_SPEED]);
pub(crate) const RATE_OF_RATE: Asked =
    asked("an acceleration", "m/s^2", &[SPEED.per(Dimension::TIME), TURNING_SPEED.per(Dimension::TIME)]);
pub(crate) const STIFFNESS: Asked =
    asked("a stiffness", "N/mm", &[Dimension::FORCE.per(Dimension::LENGTH), Dimension::TORQUE.per(Dimension::ANGLE)]);
pub(crate) const DAMPING: Asked =
    asked("a damping constant", "N*s/m", &[Dimension::FORCE.per(SPEED), Dimension::TORQUE.per(TURNING_SPEED)]);
pub(crate) const IMPULSE: Asked = asked(
    "an impulse",
    "N*s",
    &[Dimension::FORCE.times(Dimension::TIME, 1), Dimension::TORQUE.times(Dimension::TIME, 1)],
);
pub(crate) const INTEGRAL_GAIN: Asked = asked(
    "a stiffness per time",
    "N/(m*s)",
    &[
        Dimension::FORCE.per(Dimension::LENGTH).per(Dimension::TIME),
        Dimension::TORQUE.per(Dimension::ANGLE).per(Dimension::TIME),
    ],
);
pub(crate) const LINEAR_STIFFNESS: Asked =
    asked("a stiffness in force per length", "N/mm", &[Dimension::FORCE.per(Dimension::LENGTH)]);
pub(crate) const TURNING_STIFFNESS: Asked =
    asked("a stiffness in torque per angle", "N*m/rad", &[Dimension::TORQUE.per(Dimension::ANGLE)]);
/// What couples a displacement with a torque, or a rotation with a force.
pub(crate) const COUPLING_STIFFNESS: Asked =
    asked("a stiffness in torque per length or force per angle", "N/rad", &[Dimension::FORCE]);
pub(crate) const LINEAR_DAMPING: Asked =
    asked("a damping constant in force per velocity", "N*s/m", &[Dimension::FORCE.per(SPEED)]);
pub(crate) const TURNING_DAMPING: Asked =
    asked("a damping constant in torque per angular velocity", "N*m*s/rad", &[Dimension::TORQUE.per(TURNING_SPEED)]);
pub(crate) const COUPLING_DAMPING: Asked = asked(
    "a damping constant in torque per velocity or force per angular velocity",
    "N*s/rad",
    &[Dimension::FORCE.times(Dimension::TIME, 1)],
);
pub(crate) const LINEAR_INTEGRAL_GAIN: Asked = asked(
    "a stiffness per time, in force per length and time",
    "N/(m*s)",
    &[Dimension::FORCE.per(Dimension::LENGTH).per(Dimension::TIME)],
);
pub(crate) const TURNING_INTEGRAL_GAIN: Asked = asked(
    "a stiffness per time, in torque per angle and time",
    "N*m/(rad*s)",
    &[Dimension::TORQUE.per(Dimension::ANGLE).per(Dimension::TIME)],
);
/// By what the coefficients of a polynomial in a deflection, in a rate and in time go down from one to the next.
pub(crate) const PER_DISPLACEMENT: &[Dimension] = &[Dimension::LENGTH, Dimension::ANGLE];
pub(crate) const PER_RATE: &[Dimension] = &[SPEED, TURNING_SPEED];
pub(crate) const PER_TIMES: &[Dimension] = &[Dimension::TIME];
/// The radius of a pinion, the ratio of a gear: what relates two coordinates.
pub(crate) const RATIO: Asked = asked(
    "a ratio",
    "mm",
    &[
        Dimension::NONE,
        Dimension::LENGTH,
        Dimension::ANGLE.per(Dimension::LENGTH),
        Dimension::LENGTH.per(Dimension::ANGLE),
    ],
);
/// The value of a signal whose use is not known where it stands.
pub(crate) const ANYTHING: Asked = asked(
    "a number",
    "",
    &[
        Dimension::NONE,
        Dimension::LENGTH,
        Dimension::ANGLE,
        SPEED,
        TURNING_SPEED,
        SPEED.per(Dimension::TIME),
        TURNING_SPEED.per(Dimension::TIME),
        Dimension::FORCE,
        Dimension::TORQUE,
    ],
);

/// Two or three components.
pub(crate) const GRAVITY: What = What::Vector(&[2, 3], ACCELERATION);

/// The kind of that name.
pub(crate) fn kind<'a>(kinds: &'a [Kind], name: &str) -> Option<&'a Kind> {
    kinds.iter().find(|k| k.name == name)
}
