//! Forces and their laws.

use super::signals::{BEYOND, ENDS, INTERPOLATION};
use super::{
    ANYTHING, DAMPING, DISPLACEMENT, DISPLACEMENT_OR_RATE, EFFORT, FORCE, Field, INTEGRAL_GAIN, Kind, LENGTH,
    PER_DISPLACEMENT, PER_RATE, PLAIN, RATE, STIFFNESS, TIME, TORQUE, What, may, must,
};

/// What a force curve does beyond its points.
const EXTRAPOLATION: Field = may("extrapolation", BEYOND, "What it does beyond its points: linear if left out.");

const ALONG: Field = must("along", What::Coordinate, "The coordinate.");
const LOWER: Field = may("lower", What::Number(EFFORT), "Least force.");
const UPPER: Field = may("upper", What::Number(EFFORT), "Greatest force.");
const SAMPLE: Field = may("sample", What::Number(TIME), "Time from sample to sample; continuous if left out.");

/// A state of a controller.
pub(crate) const MEMORY: &[Field] = &[
    may("rate", What::ControlLaw, "Its rate."),
    may("next", What::ControlLaw, "Its value after the next sample, instead of `rate`."),
    may("initial", What::Number(ANYTHING), "Its value at the start; 0 if left out."),
];

pub(crate) const FORCES: &[Kind] = &[
    Kind {
        name: "spring",
        doc: "Spring and damper between two points, or along a coordinate.",
        fields: &[
            may("a", What::Marker, "One end."),
            may("b", What::Marker, "The other."),
            may("along", What::Coordinate, "The coordinate it acts on, instead of a and b."),
            may("stiffness", What::Number(STIFFNESS), "Stiffness."),
            may("damping", What::Number(DAMPING), "Damping constant."),
            may("length", What::Number(LENGTH), "Free length (with a and b)."),
            may("rest", What::Number(DISPLACEMENT), "Free value of the coordinate (with along)."),
            may("preload", What::Number(EFFORT), "Force at the free value; positive drives the coordinate up."),
            may("law", What::Law, "Any other law, instead of stiffness and damping."),
            may("force", What::Signal(EFFORT), "An actuator beside the spring."),
        ],
    },
    Kind {
        name: "actuator",
        doc: "A force along a coordinate, a torque on an angle.",
        fields: &[
            must("along", What::Coordinate, "The coordinate."),
            must("force", What::Signal(EFFORT), "Force or torque."),
        ],
    },
    Kind {
        name: "applied",
        doc: "A force and a torque at a marker.",
        fields: &[
            must("at", What::Marker, "Where it acts."),
            may("force", What::Signals(FORCE), "Three components."),
            may("torque", What::Signals(TORQUE), "Three components."),
            may("axes", What::Choice(&["world", "marker"]), "Axes of the components."),
            may("against", What::Marker, "A marker that receives the opposite."),
        ],
    },
    Kind {
        name: "load",
        doc: "A generalised force on a coordinate of a body.",
        fields: &[
            must("on", What::BodyCoordinate, "The coordinate, as in crank.theta."),
            must("force", What::Signal(EFFORT), "Force or torque."),
        ],
    },
    Kind {
        name: "cable",
        doc: "An elastic cable between two points: it pulls where it is stretched, and is slack otherwise.",
        fields: &[
            must("a", What::Marker, "One end."),
            must("b", What::Marker, "The other."),
            must("stiffness", What::Number(STIFFNESS), "Stiffness: EA over the free length."),
            may("damping", What::Number(DAMPING), "Damping constant."),
            must("length", What::Number(LENGTH), "Free length."),
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
        doc: "A force along a coordinate, by a formula.",
        fields: &[
            must("along", What::Coordinate, "The coordinate."),
            must(
                "force",
                What::Formula(&["t", "s", "rate"]),
                "Over t, coordinates and velocities; s and rate are those of `along`.",
            ),
        ],
    },
    Kind {
        name: "motor",
        doc: "A motor on the line between its stall force and its no-load speed.",
        fields: &[
            ALONG,
            must("stall", What::Number(EFFORT), "Force or torque at rest."),
            must("no_load", What::Number(RATE), "Rate without load."),
            may("command", What::Signal(PLAIN), "1 is full; 1 if left out."),
            may(
                "by",
                What::Choice(&["voltage", "throttle"]),
                "Whether the command shifts the line (voltage, if left out) or scales it.",
            ),
            LOWER,
            UPPER,
        ],
    },
    Kind {
        name: "pid",
        doc: "A controller that leads a coordinate along a reference.",
        fields: &[
            ALONG,
            must("reference", What::Signal(DISPLACEMENT), "Where the coordinate shall be."),
            must("kp", What::Number(STIFFNESS), "Force per error."),
            may("ki", What::Number(INTEGRAL_GAIN), "Force per integral of the error; 0 if left out."),
            may("kd", What::Number(DAMPING), "Force per rate of the error; 0 if left out."),
            LOWER,
            UPPER,
            SAMPLE,
        ],
    },
    Kind {
        name: "controller",
        doc: "A force by a formula over what it watches and remembers.",
        fields: &[
            ALONG,
            may("inputs", What::Inputs, "Names with coordinates, or with { signal = SIGNAL }."),
            may("states", What::Memories, "Names with { rate or next, initial }."),
            must("output", What::ControlLaw, "The force, over t, s, rate, inputs, their rates (name.rate) and states."),
            LOWER,
            UPPER,
            SAMPLE,
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
            may("elastic", What::Characteristic, "Force over deflection."),
            may("viscous", What::Characteristic, "Force over rate."),
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
    ENDS,
    EXTRAPOLATION,
];
