//! The keywords of the model file: every section, kind and field, with the type and the dimension of its value.
//!
//! These tables serve the reader (unknown keys, wrong types, wrong units), the JSON Schema, the reference page and the
//! tests. A new kind of element is one entry here. `definitions` lists all tables, `choices` the words for values of the
//! engine.

mod air;
mod beams;
mod bodies;
pub(crate) mod choices;
mod constraints;
mod contacts;
pub(crate) mod definitions;
mod events;
mod forces;
mod generalised;
mod modal;
mod run;
mod signals;
mod unilateral;
mod visuals;

pub(crate) use air::{AIR, DISCS, POLAR_GRID, POLARS, WING};
pub(crate) use beams::{ARC, BEAM, SECTIONS};
pub(crate) use bodies::{BODIES, FRAME, ORIENTATION, SHAPES};
pub(crate) use constraints::{
    ANGLE_DRIVER, CONSTRAINTS, DRIVER, JOINTS, LENGTH_DRIVER, ROTATIONS, TERM, TRANSLATIONS, WHEELS,
};
pub(crate) use contacts::{COMPLIANT, CONTACT, SURFACES};
pub(crate) use events::{ACTION_WORDS, ACTIONS, EVENT};
pub(crate) use forces::{CHARACTERISTIC, CONTROLLER_STATE, FORCES, LAWS};
pub(crate) use generalised::{COORDINATE_UNITS, GENERALISED_COORDINATE, GENERALISED_STATE};
pub(crate) use modal::NODE;
pub(crate) use run::{
    EXPECT, FORMULA_MEASURE, GROUND, OUTPUTS, PART, REPEAT, SETTINGS, START_TARGET, TARGET_PRIORITIES, TOP, TRIM,
    TRIM_TARGET, TRIM_VARY,
};
pub(crate) use signals::SIGNALS;
pub(crate) use unilateral::{FRICTION, JOINT_FRICTION, LIMITS, PULLEY, UNILATERAL_CONSTRAINTS};
pub(crate) use visuals::VISUALS;

use super::resolve::ModelNames;
use super::scope::ExpectedQuantity;
use super::units::Dimension;

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldType {
    /// One number.
    Number(ExpectedQuantity),
    /// A list of numbers whose length is one of these.
    Vector(&'static [usize], ExpectedQuantity),
    /// Any number of numbers.
    Numbers(ExpectedQuantity),
    /// Coefficients of increasing powers: the first has the given dimension, each further one is divided by these once more.
    Powers(ExpectedQuantity, &'static [Dimension]),
    /// Lists of numbers.
    NumberLists(ExpectedQuantity),
    /// A text.
    String,
    /// A list of texts, or one text.
    Strings,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or a list of them.
    Choices(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// The name of a marker or body.
    Marker,
    /// A coordinate: of a joint, of a body, or between markers.
    Coordinate,
    /// A coordinate of a body, `body.coordinate`.
    BodyCoordinate,
    /// A function of time.
    Signal(ExpectedQuantity),
    /// Three functions of time.
    Signals(ExpectedQuantity),
    /// `{ position | velocity | acceleration = SIGNAL }`.
    Motion,
    /// Three of `free`, `fixed` or a motion.
    TranslationMask,
    /// The rotation that a general joint permits.
    RotationMask,
    /// A rotation.
    Orientation,
    /// A force law.
    Law,
    /// One shape or a list of shapes.
    Shapes,
    /// One visual or a list of visuals.
    Visuals,
    /// The shape of a wheel.
    Wheel,
    /// Six numbers or a 6×6 matrix.
    Coefficients(ExpectedQuantity),
    /// Terms of a relation.
    Terms,
    /// Named frames of a body.
    Markers,
    /// A formula of coordinates and these variables.
    Formula(&'static [&'static str]),
    /// Named numbers.
    Params,
    /// A list of numbers, or the name of a column of a file.
    NumbersOrColumn(ExpectedQuantity),
    /// A curve of a table law.
    Characteristic,
    /// A table with these fields.
    Table(&'static [Field]),
    /// Coefficients of friction: a number, or `{ static, kinetic }`.
    Friction,
    /// Friction in a joint: a number, or a table with coefficients and dimensions.
    JointFriction,
    /// Markers and pulleys that a rope runs through.
    RopePath,
    /// Two surfaces, or "all".
    SurfacePair,
    /// One group, or two.
    Groups,
    /// Points with so many components.
    Points(usize),
    /// Triples of whole numbers.
    Triangles,
    /// Inputs of a controller: named coordinates, or `{ signal = SIGNAL }`.
    Inputs,
    /// States of a controller: named `{ rate or next, initial }`.
    ControllerStates,
    /// A formula of t, coordinates, velocities and measures.
    EventExpression,
    /// The same, or a number.
    EventExpressionOrNumber,
    /// Actions of an event.
    Actions,
    /// A formula of a controller, which may use its inputs and states.
    ControllerFormula,
    /// A formula of a generalised body, which may use its coordinates, velocities, states and definitions.
    BodyFormula,
    /// Such formulas by name.
    NamedFormulas,
    /// Names for formulas of these variables, for use in the other fields.
    Definitions(&'static [&'static str], ModelNames),
    /// A square matrix of such formulas, or its diagonal.
    FormulaMatrix,
    /// Coordinates of a generalised body: names with units, or with `{ unit, initial, velocity }`.
    GeneralisedCoordinates,
    /// States of a generalised body: named `{ rate, initial }`.
    GeneralisedStates,
    /// A table whose kind the entry with this key names; the last text is what messages call it.
    Kinds(&'static str, &'static [ElementKind], &'static str),
    /// A number, or a formula of these variables and of the model.
    NumberOrFormula(ExpectedQuantity, &'static [&'static str]),
    /// Three of them.
    ThreeNumbersOrFormulas(ExpectedQuantity, &'static [&'static str]),
    /// A number, a formula of x, or `{ x, y }` along a wing.
    Distribution(ExpectedQuantity),
    /// A list of numbers, or of lists of numbers.
    NumbersOrLists(ExpectedQuantity),
    /// The name of another element.
    ElementName,
    /// Such a name, or a list of them.
    ElementNames,
    /// A table that is read elsewhere.
    Section,
}

/// Whether a field is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    Required,
    Optional,
}

/// A field of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub field_type: FieldType,
    pub requirement: Requirement,
    pub doc: &'static str,
}

pub(crate) const fn required(name: &'static str, what: FieldType, doc: &'static str) -> Field {
    Field { name, field_type: what, requirement: Requirement::Required, doc }
}

pub(crate) const fn optional(name: &'static str, what: FieldType, doc: &'static str) -> Field {
    Field { name, field_type: what, requirement: Requirement::Optional, doc }
}

/// A kind of element: a value of `type`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElementKind {
    pub name: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
}

const fn expected_quantity(name: &'static str, example: &'static str, fits: &'static [Dimension]) -> ExpectedQuantity {
    ExpectedQuantity { name, example, dimensions: fits }
}

const SPEED: Dimension = Dimension::LENGTH.per(Dimension::TIME);
const ANGULAR_SPEED: Dimension = Dimension::ANGLE.per(Dimension::TIME);

pub(crate) const LENGTH: ExpectedQuantity = expected_quantity("a length", "mm", &[Dimension::LENGTH]);
pub(crate) const ANGLE: ExpectedQuantity = expected_quantity("an angle", "deg", &[Dimension::ANGLE]);
pub(crate) const MASS: ExpectedQuantity = expected_quantity("a mass", "kg", &[Dimension::MASS]);
pub(crate) const TIME: ExpectedQuantity = expected_quantity("a time", "ms", &[Dimension::TIME]);
pub(crate) const PER_TIME: ExpectedQuantity =
    expected_quantity("a rate", "1/s", &[Dimension::NONE.per(Dimension::TIME)]);
pub(crate) const INERTIA: ExpectedQuantity =
    expected_quantity("a moment of inertia", "kg*m^2", &[Dimension::of(2, 1, 0, 0)]);
/// Couples a length with an angle in a mass matrix.
pub(crate) const MASS_MOMENT: ExpectedQuantity =
    expected_quantity("a mass times a length", "kg*m", &[Dimension::of(1, 1, 0, 0)]);
pub(crate) const ENERGY: ExpectedQuantity = expected_quantity("an energy", "J", &[Dimension::TORQUE]);
pub(crate) const DENSITY: ExpectedQuantity = expected_quantity("a density", "kg/m^3", &[Dimension::of(-3, 1, 0, 0)]);
pub(crate) const VELOCITY: ExpectedQuantity = expected_quantity("a velocity", "m/s", &[SPEED]);
pub(crate) const TIME_PER_LENGTH: ExpectedQuantity =
    expected_quantity("a time per length", "s/m", &[Dimension::TIME.per(Dimension::LENGTH)]);
pub(crate) const ANGULAR_VELOCITY: ExpectedQuantity = expected_quantity("an angular velocity", "rpm", &[ANGULAR_SPEED]);
pub(crate) const ACCELERATION: ExpectedQuantity =
    expected_quantity("an acceleration", "m/s^2", &[SPEED.per(Dimension::TIME)]);
pub(crate) const ANGULAR_ACCELERATION: ExpectedQuantity =
    expected_quantity("an angular acceleration", "rad/s^2", &[ANGULAR_SPEED.per(Dimension::TIME)]);
pub(crate) const FORCE: ExpectedQuantity = expected_quantity("a force", "N", &[Dimension::FORCE]);
pub(crate) const TORQUE: ExpectedQuantity = expected_quantity("a torque", "N*m", &[Dimension::TORQUE]);
pub(crate) const DIMENSIONLESS: ExpectedQuantity = expected_quantity("a plain number", "", &[Dimension::NONE]);
/// A coordinate is a length or an angle; a force or a torque acts on it.
pub(crate) const DISPLACEMENT: ExpectedQuantity =
    expected_quantity("a length or an angle", "mm", &[Dimension::LENGTH, Dimension::ANGLE]);
pub(crate) const EFFORT: ExpectedQuantity =
    expected_quantity("a force or a torque", "N", &[Dimension::FORCE, Dimension::TORQUE]);
pub(crate) const RATE: ExpectedQuantity =
    expected_quantity("a velocity or an angular velocity", "rpm", &[SPEED, ANGULAR_SPEED]);
pub(crate) const DISPLACEMENT_OR_RATE: ExpectedQuantity = expected_quantity(
    "a length, an angle or a rate of one",
    "mm",
    &[Dimension::LENGTH, Dimension::ANGLE, SPEED, ANGULAR_SPEED],
);
pub(crate) const ACCELERATION_OF_COORDINATE: ExpectedQuantity =
    expected_quantity("an acceleration", "m/s^2", &[SPEED.per(Dimension::TIME), ANGULAR_SPEED.per(Dimension::TIME)]);
pub(crate) const STIFFNESS: ExpectedQuantity = expected_quantity(
    "a stiffness",
    "N/mm",
    &[Dimension::FORCE.per(Dimension::LENGTH), Dimension::TORQUE.per(Dimension::ANGLE)],
);
pub(crate) const DAMPING: ExpectedQuantity = expected_quantity(
    "a damping constant",
    "N*s/m",
    &[Dimension::FORCE.per(SPEED), Dimension::TORQUE.per(ANGULAR_SPEED)],
);
pub(crate) const IMPULSE: ExpectedQuantity = expected_quantity(
    "an impulse",
    "N*s",
    &[Dimension::FORCE.times(Dimension::TIME, 1), Dimension::TORQUE.times(Dimension::TIME, 1)],
);
pub(crate) const INTEGRAL_GAIN: ExpectedQuantity = expected_quantity(
    "a stiffness per time",
    "N/(m*s)",
    &[
        Dimension::FORCE.per(Dimension::LENGTH).per(Dimension::TIME),
        Dimension::TORQUE.per(Dimension::ANGLE).per(Dimension::TIME),
    ],
);
pub(crate) const LINEAR_STIFFNESS: ExpectedQuantity =
    expected_quantity("a stiffness in force per length", "N/mm", &[Dimension::FORCE.per(Dimension::LENGTH)]);
pub(crate) const ROTATIONAL_STIFFNESS: ExpectedQuantity =
    expected_quantity("a stiffness in torque per angle", "N*m/rad", &[Dimension::TORQUE.per(Dimension::ANGLE)]);
/// Couples a displacement with a torque, or a rotation with a force.
pub(crate) const COUPLING_STIFFNESS: ExpectedQuantity =
    expected_quantity("a stiffness in torque per length or force per angle", "N/rad", &[Dimension::FORCE]);
pub(crate) const LINEAR_DAMPING: ExpectedQuantity =
    expected_quantity("a damping constant in force per velocity", "N*s/m", &[Dimension::FORCE.per(SPEED)]);
pub(crate) const ROTATIONAL_DAMPING: ExpectedQuantity = expected_quantity(
    "a damping constant in torque per angular velocity",
    "N*m*s/rad",
    &[Dimension::TORQUE.per(ANGULAR_SPEED)],
);
pub(crate) const COUPLING_DAMPING: ExpectedQuantity = expected_quantity(
    "a damping constant in torque per velocity or force per angular velocity",
    "N*s/rad",
    &[Dimension::FORCE.times(Dimension::TIME, 1)],
);
pub(crate) const LINEAR_INTEGRAL_GAIN: ExpectedQuantity = expected_quantity(
    "a stiffness per time, in force per length and time",
    "N/(m*s)",
    &[Dimension::FORCE.per(Dimension::LENGTH).per(Dimension::TIME)],
);
pub(crate) const ROTATIONAL_INTEGRAL_GAIN: ExpectedQuantity = expected_quantity(
    "a stiffness per time, in torque per angle and time",
    "N*m/(rad*s)",
    &[Dimension::TORQUE.per(Dimension::ANGLE).per(Dimension::TIME)],
);
/// Dimension by which each coefficient of a polynomial in deflection, rate or time is divided to give that of the next.
pub(crate) const PER_DISPLACEMENT: &[Dimension] = &[Dimension::LENGTH, Dimension::ANGLE];
pub(crate) const PER_RATE: &[Dimension] = &[SPEED, ANGULAR_SPEED];
pub(crate) const PER_TIME_POWERS: &[Dimension] = &[Dimension::TIME];
/// A ratio of two coordinates, such as that of a gear or the radius of a pinion.
pub(crate) const RATIO: ExpectedQuantity = expected_quantity(
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
pub(crate) const ANY_QUANTITY: ExpectedQuantity = expected_quantity(
    "a number",
    "",
    &[
        Dimension::NONE,
        Dimension::LENGTH,
        Dimension::ANGLE,
        SPEED,
        ANGULAR_SPEED,
        SPEED.per(Dimension::TIME),
        ANGULAR_SPEED.per(Dimension::TIME),
        Dimension::FORCE,
        Dimension::TORQUE,
    ],
);

/// Names for formulas of time, and for formulas of the model.
pub(crate) const TIME_DEFINITIONS: Field = definitions(&["t"], ModelNames::Signals);
pub(crate) const DEFINITIONS_OF_T: Field = definitions(&["t"], ModelNames::All);
pub(crate) const DEFINITIONS_OF_COORDINATE: Field = definitions(&["t", "s", "rate"], ModelNames::All);

const fn definitions(variables: &'static [&'static str], of_model: ModelNames) -> Field {
    optional(
        "definitions",
        FieldType::Definitions(variables, of_model),
        "Names for formulas, for use in the other formulas of this element; they may use each other.",
    )
}

/// Gravity: two or three components.
pub(crate) const GRAVITY: FieldType = FieldType::Vector(&[2, 3], ACCELERATION);

/// The kind of that name.
pub(crate) fn kind<'a>(kinds: &'a [ElementKind], name: &str) -> Option<&'a ElementKind> {
    kinds.iter().find(|k| k.name == name)
}
