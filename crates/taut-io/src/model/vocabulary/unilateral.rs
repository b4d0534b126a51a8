//! Unilateral constraints and friction: ropes, minimum distances, limits, ratchets, brakes, clutches.

use super::{
    DIMENSIONLESS, DISPLACEMENT, EFFORT, ElementKind, FORCE, Field, FieldType, LENGTH, RATE, optional, required,
};

const RESTITUTION: Field = optional(
    "restitution",
    FieldType::Number(DIMENSIONLESS),
    "Coefficient of restitution: 0 (plastic, default) to 1 (elastic).",
);
const IMPACT: Field = optional(
    "impact",
    FieldType::Choice(&["newton", "poisson", "sequential"]),
    "Impact law: restitution of velocities (newton, default), of impulses (poisson), or one impact after the other (sequential).",
);
const SENSES: FieldType = FieldType::Choice(&["positive", "negative"]);
const COORDINATE: Field = required("coordinate", FieldType::Coordinate, "The coordinate.");
const LOWER: Field = optional("lower", FieldType::Signal(DISPLACEMENT), "Lower limit.");
const UPPER: Field = optional("upper", FieldType::Signal(DISPLACEMENT), "Upper limit.");
const CAPACITY: Field = required("capacity", FieldType::Signal(EFFORT), "Largest force or torque, in both directions.");
const KINETIC_RATIO: Field = optional(
    "kinetic_ratio",
    FieldType::Number(DIMENSIONLESS),
    "Capacity while slipping over capacity while sticking, 0 to 1; default: 1.",
);

/// Of all constraints that events can lock and unlock.
pub(super) const INITIALLY: Field = optional(
    "initially",
    FieldType::Choice(&["locked", "unlocked"]),
    "Whether the constraint is active at the start (default), or inactive until an event locks it.",
);

pub(super) const RESTITUTION_AND_IMPACT: [Field; 2] = [RESTITUTION, IMPACT];

/// `limits` of a joint.
pub(crate) const LIMITS: &[Field] = &[
    LOWER,
    UPPER,
    optional("coordinate", FieldType::Choice(&["angle", "slide"]), "Which coordinate; needed if the joint has two."),
    RESTITUTION,
    IMPACT,
];

const STATIC: Field =
    optional("static", FieldType::Number(DIMENSIONLESS), "Coefficient of static friction; default: the kinetic one.");
const KINETIC: Field =
    optional("kinetic", FieldType::Number(DIMENSIONLESS), "Coefficient of kinetic friction; default: the static one.");

/// `{ static, kinetic }`.
pub(crate) const FRICTION: &[Field] = &[STATIC, KINETIC];

const RADIUS: Field = optional("radius", FieldType::Number(LENGTH), "Radius of the pin, shaft or ball.");
const AXIAL_RADIUS: Field = optional(
    "axial_radius",
    FieldType::Number(LENGTH),
    "Mean radius of the collar that carries axial forces; default: 0.",
);
const BEARING_DISTANCE: Field = optional(
    "bearing_distance",
    FieldType::Number(LENGTH),
    "Distance between the two bearings that carry moments; default: moments cause no friction.",
);
const PRELOAD: Field = optional("preload", FieldType::Number(FORCE), "Normal force without load; default: 0.");

/// `friction` of a joint.
pub(crate) const JOINT_FRICTION: &[Field] = &[STATIC, KINETIC, RADIUS, AXIAL_RADIUS, BEARING_DISTANCE, PRELOAD];

/// A pulley of a rope.
pub(crate) const PULLEY: &[Field] = &[
    required("pulley", FieldType::Marker, "Its centre; the axis is z."),
    required("radius", FieldType::Number(LENGTH), "Its radius."),
    optional("sense", SENSES, "Sense in which the rope runs about z; default: positive (counter-clockwise)."),
    optional("turns", FieldType::Integer, "Full turns of the rope in addition; default: 0."),
    optional(
        "friction",
        FieldType::Friction,
        "One coefficient, or { static, kinetic }; default: none. One pulley of a rope.",
    ),
];

pub(crate) const UNILATERAL_CONSTRAINTS: &[ElementKind] = &[
    ElementKind {
        name: "rope",
        doc: "An inextensible rope, slack or taut.",
        fields: &[
            required(
                "through",
                FieldType::RopePath,
                "Markers from end to end; between them { pulley, radius, sense, turns, friction }.",
            ),
            required("length", FieldType::Signal(LENGTH), "Its length, constant or a signal."),
            RESTITUTION,
            IMPACT,
        ],
    },
    ElementKind {
        name: "minimum_distance",
        doc: "Two points whose distance has a lower limit.",
        fields: &[
            required("a", FieldType::Marker, "One point."),
            required("b", FieldType::Marker, "The other."),
            required("length", FieldType::Signal(LENGTH), "The smallest permitted distance."),
            RESTITUTION,
            IMPACT,
        ],
    },
    ElementKind {
        name: "limits",
        doc: "Stops of a coordinate.",
        fields: &[COORDINATE, LOWER, UPPER, RESTITUTION, IMPACT],
    },
    ElementKind {
        name: "point_plane_contact",
        doc: "Unilateral contact of a point with a plane: it can stick, slide and lift off.",
        fields: &[
            required("plane", FieldType::Marker, "Plane xy; the point stays on the side of +z."),
            required("point", FieldType::Marker, "The point."),
            optional("friction", FieldType::Friction, "One coefficient, or { static, kinetic }; default: none."),
            optional(
                "friction_axes",
                FieldType::Choice(&["x", "y", "xy"]),
                "Axes of the plane along which friction acts; default: taken from the bodies.",
            ),
            RESTITUTION,
            IMPACT,
        ],
    },
    ElementKind {
        name: "ratchet",
        doc: "A coordinate that can move in one direction only, in steps of one tooth.",
        fields: &[
            COORDINATE,
            required("pitch", FieldType::Number(DISPLACEMENT), "Distance between teeth."),
            optional("sense", SENSES, "Direction of free motion; default: positive."),
            RESTITUTION,
            IMPACT,
        ],
    },
    ElementKind {
        name: "joint_friction",
        doc: "Dry friction in a joint that is defined elsewhere.",
        fields: &[
            required("joint", FieldType::String, "The joint by its name."),
            required("friction", FieldType::Friction, "One coefficient, or { static, kinetic }."),
            optional(
                "joint_type",
                FieldType::Choice(&["revolute", "prismatic", "cylindrical", "spherical", "planar"]),
                "Type of joint whose friction law applies; default: the type of the joint.",
            ),
            optional(
                "axis",
                FieldType::Choice(&["x", "y", "z"]),
                "Axis of translation; default: taken from the joint.",
            ),
            RADIUS,
            AXIAL_RADIUS,
            BEARING_DISTANCE,
            PRELOAD,
            optional("a", FieldType::Marker, "The marker that carries the axes; default: that of the joint."),
            optional("b", FieldType::Marker, "The other marker; default: that of the joint."),
            INITIALLY,
        ],
    },
    ElementKind {
        name: "brake",
        doc: "Keeps a coordinate at rest up to a maximum force or torque.",
        fields: &[COORDINATE, CAPACITY, KINETIC_RATIO, INITIALLY],
    },
    ElementKind {
        name: "clutch",
        doc: "Makes two coordinates move at the same rate up to a maximum force or torque.",
        fields: &[
            required("first", FieldType::Coordinate, "One coordinate."),
            required("second", FieldType::Coordinate, "The other."),
            CAPACITY,
            KINETIC_RATIO,
            INITIALLY,
        ],
    },
    ElementKind {
        name: "one_way",
        doc: "A coordinate that can move in one direction only.",
        fields: &[COORDINATE, optional("sense", SENSES, "Direction of motion; default: positive."), INITIALLY],
    },
    ElementKind {
        name: "servo",
        doc: "Keeps a rate as long as its force or torque suffices.",
        fields: &[
            COORDINATE,
            required("velocity", FieldType::Signal(RATE), "The rate."),
            optional("capacity", FieldType::Signal(EFFORT), "Largest force or torque, in both directions."),
            optional("lower", FieldType::Signal(EFFORT), "Smallest force, instead of `capacity`."),
            optional("upper", FieldType::Signal(EFFORT), "Largest force, instead of `capacity`."),
            KINETIC_RATIO,
            INITIALLY,
        ],
    },
    ElementKind {
        name: "coupling",
        doc: "Keeps a sum of rates as long as its force or torque suffices.",
        fields: &[
            required("terms", FieldType::Terms, "List of { factor, coordinate }."),
            optional("velocity", FieldType::Signal(RATE), "Value of the sum of the rates; default: 0."),
            optional("capacity", FieldType::Signal(EFFORT), "Largest force or torque, in both directions."),
            optional("lower", FieldType::Signal(EFFORT), "Smallest force, instead of `capacity`."),
            optional("upper", FieldType::Signal(EFFORT), "Largest force, instead of `capacity`."),
            KINETIC_RATIO,
            INITIALLY,
        ],
    },
];
