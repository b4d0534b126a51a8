//! Forces and their laws.

use super::signals::{END_CONDITIONS, EXTRAPOLATIONS, INTERPOLATION};
use super::{
    ANY_QUANTITY, DAMPING, DEFINITIONS_OF_COORDINATE, DIMENSIONLESS, DISPLACEMENT, DISPLACEMENT_OR_RATE, EFFORT,
    ElementKind, FORCE, Field, FieldType, INTEGRAL_GAIN, LENGTH, PER_DISPLACEMENT, PER_RATE, RATE, STIFFNESS, TIME,
    TIME_DEFINITIONS, TORQUE, expected_quantity, optional, required,
};
use crate::model::scope::ExpectedQuantity;
use crate::model::units::Dimension;

/// Value of a force curve beyond its points.
const EXTRAPOLATION: Field = optional("extrapolation", EXTRAPOLATIONS, "Value beyond its points; default: linear.");

const COORDINATE: Field = required("coordinate", FieldType::Coordinate, "The coordinate.");
const LOWER: Field = optional("lower", FieldType::Number(EFFORT), "Smallest force.");
const UPPER: Field = optional("upper", FieldType::Number(EFFORT), "Largest force.");
const SAMPLE_TIME: Field =
    optional("sample_time", FieldType::Number(TIME), "Time between samples; default: a continuous controller.");

/// Force of a tyre per slip: a ratio or an angle.
const SLIP_STIFFNESS: ExpectedQuantity =
    expected_quantity("a force per slip", "N", &[Dimension::FORCE, Dimension::FORCE.per(Dimension::ANGLE)]);

/// A state of a controller.
pub(crate) const CONTROLLER_STATE: &[Field] = &[
    optional("rate", FieldType::ControllerFormula, "Its rate."),
    optional("next", FieldType::ControllerFormula, "Its value after the next sample, instead of `rate`."),
    optional("initial", FieldType::Number(ANY_QUANTITY), "Initial value; default: 0."),
];

pub(crate) const FORCES: &[ElementKind] = &[
    ElementKind {
        name: "spring",
        doc: "Spring and damper between two points, or along a coordinate.",
        fields: &[
            optional("a", FieldType::Marker, "One end."),
            optional("b", FieldType::Marker, "The other."),
            optional("coordinate", FieldType::Coordinate, "The coordinate it acts on, instead of a and b."),
            optional("stiffness", FieldType::Number(STIFFNESS), "Stiffness."),
            optional("damping", FieldType::Number(DAMPING), "Damping constant."),
            optional("free_length", FieldType::Number(LENGTH), "Free length (with a and b)."),
            optional("rest", FieldType::Number(DISPLACEMENT), "Free value of the coordinate (with `coordinate`)."),
            optional(
                "preload",
                FieldType::Number(EFFORT),
                "Force at the free value; positive drives the coordinate up.",
            ),
            optional("law", FieldType::Law, "Another law, instead of stiffness and damping."),
            optional("force", FieldType::Signal(EFFORT), "Force of an actuator in parallel with the spring."),
        ],
    },
    ElementKind {
        name: "actuator",
        doc: "A force along a coordinate, a torque on an angle.",
        fields: &[
            required("coordinate", FieldType::Coordinate, "The coordinate."),
            required("force", FieldType::Signal(EFFORT), "Force or torque."),
            TIME_DEFINITIONS,
        ],
    },
    ElementKind {
        name: "applied",
        doc: "A force and a torque at a marker.",
        fields: &[
            required("marker", FieldType::Marker, "The marker at which it acts."),
            optional("force", FieldType::Signals(FORCE), "Three components."),
            optional("torque", FieldType::Signals(TORQUE), "Three components."),
            optional("axes", FieldType::Choice(&["world", "marker"]), "Axes of the components."),
            optional("reaction_marker", FieldType::Marker, "The marker on which the opposite force and torque act."),
            TIME_DEFINITIONS,
        ],
    },
    ElementKind {
        name: "generalised_force",
        doc: "A generalised force on a coordinate of a body.",
        fields: &[
            required("coordinate", FieldType::BodyCoordinate, "The coordinate, as in crank.theta."),
            required("force", FieldType::Signal(EFFORT), "Force or torque."),
            TIME_DEFINITIONS,
        ],
    },
    ElementKind {
        name: "cable",
        doc: "An elastic cable between two points: it pulls if stretched and is slack otherwise.",
        fields: &[
            required("a", FieldType::Marker, "One end."),
            required("b", FieldType::Marker, "The other."),
            required("stiffness", FieldType::Number(STIFFNESS), "Stiffness: EA over the free length."),
            optional("damping", FieldType::Number(DAMPING), "Damping constant."),
            required("free_length", FieldType::Number(LENGTH), "Free length."),
        ],
    },
    ElementKind {
        name: "bushing",
        doc: "Six springs and dampers between two frames.",
        fields: &[
            required("a", FieldType::Marker, "Carries the axes."),
            required("b", FieldType::Marker, "Moves."),
            optional("stiffness", FieldType::Coefficients(STIFFNESS), "Six numbers or a 6×6 matrix."),
            optional("damping", FieldType::Coefficients(DAMPING), "Six numbers or a 6×6 matrix."),
        ],
    },
    ElementKind {
        name: "formula",
        doc: "A force along a coordinate, given by a formula.",
        fields: &[
            required("coordinate", FieldType::Coordinate, "The coordinate."),
            required(
                "force",
                FieldType::Formula(&["t", "s", "rate"]),
                "Of t, coordinates, velocities, measures and signals; s and rate are those of `coordinate`.",
            ),
            DEFINITIONS_OF_COORDINATE,
        ],
    },
    ElementKind {
        name: "motor",
        doc: "A motor with a linear characteristic between its stall force and its no-load speed.",
        fields: &[
            COORDINATE,
            required("stall_force", FieldType::Number(EFFORT), "Force or torque at zero speed."),
            required("no_load_speed", FieldType::Number(RATE), "Speed without load."),
            optional("command", FieldType::Signal(DIMENSIONLESS), "Command; 1 is full; default: 1."),
            optional(
                "command_type",
                FieldType::Choice(&["voltage", "throttle"]),
                "Whether the command shifts the characteristic (voltage, default) or scales it (throttle).",
            ),
            LOWER,
            UPPER,
        ],
    },
    ElementKind {
        name: "tyre",
        doc: "A tyre on a flat road: Fiala's law with relaxation lengths.",
        fields: &[
            required("road", FieldType::Marker, "Plane xy, normal z."),
            required(
                "wheel",
                FieldType::Marker,
                "Centre of the wheel, axle z, to the left of the direction of travel.",
            ),
            required("radius", FieldType::Number(LENGTH), "Radius without load."),
            required("stiffness", FieldType::Number(STIFFNESS), "Radial stiffness."),
            optional("damping", FieldType::Number(DAMPING), "Radial damping; default: 0."),
            required("friction", FieldType::Number(DIMENSIONLESS), "Coefficient of friction."),
            required(
                "longitudinal_stiffness",
                FieldType::Number(SLIP_STIFFNESS),
                "Force per slip ratio at small slips.",
            ),
            required(
                "cornering_stiffness",
                FieldType::Number(SLIP_STIFFNESS),
                "Force per tangent of the slip angle at small slips.",
            ),
            required("relaxation_length", FieldType::Number(LENGTH), "Lateral relaxation length."),
            optional(
                "longitudinal_relaxation_length",
                FieldType::Number(LENGTH),
                "Longitudinal relaxation length; default: the lateral one.",
            ),
        ],
    },
    ElementKind {
        name: "pid",
        doc: "A controller that makes a coordinate follow a reference.",
        fields: &[
            COORDINATE,
            required("reference", FieldType::Signal(DISPLACEMENT), "Desired value of the coordinate."),
            required("kp", FieldType::Number(STIFFNESS), "Force per error."),
            optional("ki", FieldType::Number(INTEGRAL_GAIN), "Force per integral of the error; default: 0."),
            optional("kd", FieldType::Number(DAMPING), "Force per rate of the error; default: 0."),
            LOWER,
            UPPER,
            SAMPLE_TIME,
        ],
    },
    ElementKind {
        name: "controller",
        doc: "A force given by a formula of inputs and controller states.",
        fields: &[
            COORDINATE,
            optional("inputs", FieldType::Inputs, "Named coordinates, or { signal = SIGNAL }."),
            optional("states", FieldType::ControllerStates, "Named states: { rate or next, initial }."),
            required(
                "output",
                FieldType::ControllerFormula,
                "The force: a formula of t, s, rate, inputs, their rates (name.rate) and states.",
            ),
            LOWER,
            UPPER,
            SAMPLE_TIME,
            DEFINITIONS_OF_COORDINATE,
        ],
    },
];

pub(crate) const LAWS: &[ElementKind] = &[
    ElementKind {
        name: "linear",
        doc: "Spring and damper.",
        fields: &[
            optional("stiffness", FieldType::Number(STIFFNESS), "Stiffness."),
            optional("damping", FieldType::Number(DAMPING), "Damping constant."),
            optional("rest", FieldType::Number(DISPLACEMENT), "Free value."),
            optional("preload", FieldType::Number(EFFORT), "Force at the free value."),
        ],
    },
    ElementKind {
        name: "polynomial",
        doc: "Coefficients from the linear one on.",
        fields: &[
            optional("stiffness", FieldType::Powers(STIFFNESS, PER_DISPLACEMENT), "k1, k2, …"),
            optional("damping", FieldType::Powers(DAMPING, PER_RATE), "c1, c2, …"),
            optional("rest", FieldType::Number(DISPLACEMENT), "Free value."),
            optional("preload", FieldType::Number(EFFORT), "Force at the free value."),
        ],
    },
    ElementKind {
        name: "table",
        doc: "Measured curves.",
        fields: &[
            optional("elastic", FieldType::Characteristic, "Force as a function of deflection."),
            optional("viscous", FieldType::Characteristic, "Force as a function of rate."),
            optional("rest", FieldType::Number(DISPLACEMENT), "Free value."),
        ],
    },
    ElementKind {
        name: "expression",
        doc: "A formula in s, rate and t.",
        fields: &[required("formula", FieldType::String, "The formula.")],
    },
];

pub(crate) const CHARACTERISTIC: &[Field] = &[
    required("x", FieldType::Numbers(DISPLACEMENT_OR_RATE), "Deflections or rates."),
    required("force", FieldType::Numbers(EFFORT), "Forces."),
    INTERPOLATION,
    END_CONDITIONS,
    EXTRAPOLATION,
];
