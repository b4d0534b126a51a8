//! Forces and their laws.

use super::signals::{BEYOND, END_CONDITIONS, INTERPOLATION};
use super::{
    ANYTHING, DAMPING, DISPLACEMENT, DISPLACEMENT_OR_RATE, EFFORT, FORCE, Field, INTEGRAL_GAIN, Kind, LENGTH,
    PER_DISPLACEMENT, PER_RATE, PLAIN, RATE, STIFFNESS, TIME, TORQUE, What, may, must,
};

/// Value of a force curve beyond its points.
const EXTRAPOLATION: Field = may("extrapolation", BEYOND, "Value beyond its points; default: linear.");

const COORDINATE: Field = must("coordinate", What::Coordinate, "The coordinate.");
const LOWER: Field = may("lower", What::Number(EFFORT), "Smallest force.");
const UPPER: Field = may("upper", What::Number(EFFORT), "Largest force.");
const SAMPLE_TIME: Field =
    may("sample_time", What::Number(TIME), "Time between samples; default: a continuous controller.");

/// A state of a controller.
pub(crate) const MEMORY: &[Field] = &[
    may("rate", What::ControlLaw, "Its rate."),
    may("next", What::ControlLaw, "Its value after the next sample, instead of `rate`."),
    may("initial", What::Number(ANYTHING), "Initial value; default: 0."),
];

pub(crate) const FORCES: &[Kind] = &[
    Kind {
        name: "spring",
        doc: "Spring and damper between two points, or along a coordinate.",
        fields: &[
            may("a", What::Marker, "One end."),
            may("b", What::Marker, "The other."),
            may("coordinate", What::Coordinate, "The coordinate it acts on, instead of a and b."),
            may("stiffness", What::Number(STIFFNESS), "Stiffness."),
            may("damping", What::Number(DAMPING), "Damping constant."),
            may("free_length", What::Number(LENGTH), "Free length (with a and b)."),
            may("rest", What::Number(DISPLACEMENT), "Free value of the coordinate (with `coordinate`)."),
            may("preload", What::Number(EFFORT), "Force at the free value; positive drives the coordinate up."),
            may("law", What::Law, "Another law, instead of stiffness and damping."),
            may("force", What::Signal(EFFORT), "Force of an actuator in parallel with the spring."),
        ],
    },
    Kind {
        name: "actuator",
        doc: "A force along a coordinate, a torque on an angle.",
        fields: &[
            must("coordinate", What::Coordinate, "The coordinate."),
            must("force", What::Signal(EFFORT), "Force or torque."),
        ],
    },
    Kind {
        name: "applied",
        doc: "A force and a torque at a marker.",
        fields: &[
            must("marker", What::Marker, "The marker at which it acts."),
            may("force", What::Signals(FORCE), "Three components."),
            may("torque", What::Signals(TORQUE), "Three components."),
            may("axes", What::Choice(&["world", "marker"]), "Axes of the components."),
            may("reaction_marker", What::Marker, "The marker on which the opposite force and torque act."),
        ],
    },
    Kind {
        name: "generalised_force",
        doc: "A generalised force on a coordinate of a body.",
        fields: &[
            must("coordinate", What::BodyCoordinate, "The coordinate, as in crank.theta."),
            must("force", What::Signal(EFFORT), "Force or torque."),
        ],
    },
    Kind {
        name: "cable",
        doc: "An elastic cable between two points: it pulls if stretched and is slack otherwise.",
        fields: &[
            must("a", What::Marker, "One end."),
            must("b", What::Marker, "The other."),
            must("stiffness", What::Number(STIFFNESS), "Stiffness: EA over the free length."),
            may("damping", What::Number(DAMPING), "Damping constant."),
            must("free_length", What::Number(LENGTH), "Free length."),
        ],
    },
    Kind {
        name: "bushing",
        doc: "Six springs and dampers between two frames.",
        fields: &[
            must("a", What::Marker, "Carries the axes."),
            must("b", What::Marker, "Moves."),
            may("stiffness", What::Coefficients(STIFFNESS), "Six numbers or a 6×6 matrix."),
            may("damping", What::Coefficients(DAMPING), "Six numbers or a 6×6 matrix."),
        ],
    },
    Kind {
        name: "formula",
        doc: "A force along a coordinate, given by a formula.",
        fields: &[
            must("coordinate", What::Coordinate, "The coordinate."),
            must(
                "force",
                What::Formula(&["t", "s", "rate"]),
                "Of t, coordinates and velocities; s and rate are those of `coordinate`.",
            ),
        ],
    },
    Kind {
        name: "motor",
        doc: "A motor with a linear characteristic between its stall force and its no-load speed.",
        fields: &[
            COORDINATE,
            must("stall_force", What::Number(EFFORT), "Force or torque at zero speed."),
            must("no_load_speed", What::Number(RATE), "Speed without load."),
            may("command", What::Signal(PLAIN), "Command; 1 is full; default: 1."),
            may(
                "command_type",
                What::Choice(&["voltage", "throttle"]),
                "Whether the command shifts the characteristic (voltage, default) or scales it (throttle).",
            ),
            LOWER,
            UPPER,
        ],
    },
    Kind {
        name: "pid",
        doc: "A controller that makes a coordinate follow a reference.",
        fields: &[
            COORDINATE,
            must("reference", What::Signal(DISPLACEMENT), "Desired value of the coordinate."),
            must("kp", What::Number(STIFFNESS), "Force per error."),
            may("ki", What::Number(INTEGRAL_GAIN), "Force per integral of the error; default: 0."),
            may("kd", What::Number(DAMPING), "Force per rate of the error; default: 0."),
            LOWER,
            UPPER,
            SAMPLE_TIME,
        ],
    },
    Kind {
        name: "controller",
        doc: "A force given by a formula of inputs and controller states.",
        fields: &[
            COORDINATE,
            may("inputs", What::Inputs, "Named coordinates, or { signal = SIGNAL }."),
            may("states", What::Memories, "Named states: { rate or next, initial }."),
            must(
                "output",
                What::ControlLaw,
                "The force: a formula of t, s, rate, inputs, their rates (name.rate) and states.",
            ),
            LOWER,
            UPPER,
            SAMPLE_TIME,
        ],
    },
];

pub(crate) const LAWS: &[Kind] = &[
    Kind {
        name: "linear",
        doc: "Spring and damper.",
        fields: &[
            may("stiffness", What::Number(STIFFNESS), "Stiffness."),
            may("damping", What::Number(DAMPING), "Damping constant."),
            may("rest", What::Number(DISPLACEMENT), "Free value."),
            may("preload", What::Number(EFFORT), "Force at the free value."),
        ],
    },
    Kind {
        name: "polynomial",
        doc: "Coefficients from the linear one on.",
        fields: &[
            may("stiffness", What::Powers(STIFFNESS, PER_DISPLACEMENT), "k1, k2, …"),
            may("damping", What::Powers(DAMPING, PER_RATE), "c1, c2, …"),
            may("rest", What::Number(DISPLACEMENT), "Free value."),
            may("preload", What::Number(EFFORT), "Force at the free value."),
        ],
    },
    Kind {
        name: "table",
        doc: "Measured curves.",
        fields: &[
            may("elastic", What::Characteristic, "Force as a function of deflection."),
            may("viscous", What::Characteristic, "Force as a function of rate."),
            may("rest", What::Number(DISPLACEMENT), "Free value."),
        ],
    },
    Kind {
        name: "expression",
        doc: "A formula in s, rate and t.",
        fields: &[must("formula", What::Text, "The formula.")],
    },
];

pub(crate) const CHARACTERISTIC: &[Field] = &[
    must("x", What::Numbers(DISPLACEMENT_OR_RATE), "Deflections or rates."),
    must("force", What::Numbers(EFFORT), "Forces."),
    INTERPOLATION,
    END_CONDITIONS,
    EXTRAPOLATION,
];
