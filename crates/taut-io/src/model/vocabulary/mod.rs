//! The keywords of the model file: every section, kind and field, with the type and the dimension of its value.
//!
//! These tables serve the reader (unknown keys, wrong types, wrong units), the JSON Schema, the reference page and the
//! tests. A new kind of element is one entry here. `definitions` lists all tables, `choices` the words for values of the
//! engine.

mod beams;
mod bodies;
pub(crate) mod choices;
mod constraints;
mod contacts;
pub(crate) mod definitions;
mod events;
mod forces;
mod laws;
mod looks;
mod modal;
mod run;
mod signals;

pub(crate) use beams::{ARC, BEAM, SECTIONS};
pub(crate) use bodies::{BODIES, FRAME, ORIENTATION, SHAPES};
pub(crate) use constraints::{
    ANGLE_DRIVER, CONSTRAINTS, DRIVER, JOINTS, LENGTH_DRIVER, ROTATIONS, TERM, TRANSLATIONS, WHEELS,
};
pub(crate) use contacts::{COMPLIANT, CONTACT, SURFACES};
pub(crate) use events::{DEEDS, EVENT, WORDS};
pub(crate) use forces::{CHARACTERISTIC, FORCES, LAWS, MEMORY};
pub(crate) use laws::{COMES_AND_GOES, FRICTION, LIMITS, PULLEY, RUBBING};
pub(crate) use looks::LOOKS;
pub(crate) use modal::NODE;
pub(crate) use run::{EXPECT, OUTPUTS, PART, REPEAT, SETTINGS, TOP};
pub(crate) use signals::SIGNALS;

use super::scope::Asked;
use super::units::Dimension;

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// One number.
    Number(Asked),
    /// A list of numbers whose length is one of these.
    Vector(&'static [usize], Asked),
    /// Any number of numbers.
    Numbers(Asked),
    /// Coefficients of increasing powers: the first has the given dimension, each further one is divided by these once more.
    Powers(Asked, &'static [Dimension]),
    /// Lists of numbers.
    Lists(Asked),
    /// A text.
    Text,
    /// A list of texts, or one text.
    Texts,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or a list of them.
    Choices(&'static [&'static str]),
    /// A whole number.
    Whole,
    /// The name of a marker or body.
    Marker,
    /// A coordinate: of a joint, of a body, or between markers.
    Coordinate,
    /// A coordinate of a body, `body.coordinate`.
    BodyCoordinate,
    /// A function of time.
    Signal(Asked),
    /// Three functions of time.
    Signals(Asked),
    /// `{ position | velocity | acceleration = SIGNAL }`.
    Motion,
    /// Three of `free`, `fixed` or a motion.
    Holds,
    /// The rotation that a general joint permits.
    Turning,
    /// A rotation.
    Orientation,
    /// A force law.
    Law,
    /// One shape or a list of shapes.
    Shapes,
    /// One visual or a list of visuals.
    Looks,
    /// The shape of a wheel.
    Wheel,
    /// Six numbers or a 6×6 matrix.
    Coefficients(Asked),
    /// Terms of a relation.
    Terms,
    /// Named frames of a body.
    Markers,
    /// A formula of coordinates and these variables.
    Formula(&'static [&'static str]),
    /// Named numbers.
    Params,
    /// A list of numbers, or the name of a column of a file.
    NumbersOrColumn(Asked),
    /// A curve of a table law.
    Characteristic,
    /// A table with these fields.
    Table(&'static [Field]),
    /// Coefficients of friction: a number, or `{ static, kinetic }`.
    Friction,
    /// Friction in a joint: a number, or a table with coefficients and dimensions.
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
    /// Inputs of a controller: named coordinates, or `{ signal = SIGNAL }`.
    Inputs,
    /// States of a controller: named `{ rate or next, initial }`.
    Memories,
    /// A formula of t, coordinates, velocities and measures.
    Sensed,
    /// The same, or a number.
    SensedOrNumber,
    /// Actions of an event.
    Deeds,
    /// A formula of a controller, which may use its inputs and states.
    ControlLaw,
    /// A table whose kind the entry with this key names; the last text is what messages call it.
    Kinds(&'static str, &'static [Kind], &'static str),
    /// A table that is read elsewhere.
    Section,
}

/// Whether a field is required.
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

/// A kind of element: a value of `type`.
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
/// A coordinate is a length or an angle; a force or a torque acts on it.
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
/// Couples a displacement with a torque, or a rotation with a force.
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
/// Dimension by which each coefficient of a polynomial in deflection, rate or time is divided to give that of the next.
pub(crate) const PER_DISPLACEMENT: &[Dimension] = &[Dimension::LENGTH, Dimension::ANGLE];
pub(crate) const PER_RATE: &[Dimension] = &[SPEED, TURNING_SPEED];
pub(crate) const PER_TIMES: &[Dimension] = &[Dimension::TIME];
/// A ratio of two coordinates, such as that of a gear or the radius of a pinion.
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
/// The value of a signal whose use is not known where it is defined.
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

/// Gravity: two or three components.
pub(crate) const GRAVITY: What = What::Vector(&[2, 3], ACCELERATION);

/// The kind of that name.
pub(crate) fn kind<'a>(kinds: &'a [Kind], name: &str) -> Option<&'a Kind> {
    kinds.iter().find(|k| k.name == name)
}
