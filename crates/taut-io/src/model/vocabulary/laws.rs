//! Unilateral constraints and friction: ropes, minimum distances, limits, ratchets, brakes, clutches.

use super::{DISPLACEMENT, EFFORT, FORCE, Field, Kind, LENGTH, PLAIN, RATE, What, may, must};

const RESTITUTION: Field =
    may("restitution", What::Number(PLAIN), "Coefficient of restitution: 0 (plastic, default) to 1 (elastic).");
const IMPACT: Field = may(
    "impact",
    What::Choice(&["newton", "poisson", "sequential"]),
    "Impact law: restitution of velocities (newton, default), of impulses (poisson), or one impact after the other (sequential).",
);
const SENSES: What = What::Choice(&["positive", "negative"]);
const COORDINATE: Field = must("coordinate", What::Coordinate, "The coordinate.");
const LOWER: Field = may("lower", What::Signal(DISPLACEMENT), "Lower limit.");
const UPPER: Field = may("upper", What::Signal(DISPLACEMENT), "Upper limit.");
const CAPACITY: Field = must("capacity", What::Signal(EFFORT), "Largest force or torque, in both directions.");
const KINETIC_RATIO: Field = may(
    "kinetic_ratio",
    What::Number(PLAIN),
    "Capacity while slipping over capacity while sticking, 0 to 1; default: 1.",
);

/// Of all constraints that events can lock and unlock.
pub(super) const INITIALLY: Field = may(
    "initially",
    What::Choice(&["locked", "unlocked"]),
    "Whether the constraint is active at the start (default), or inactive until an event locks it.",
);

pub(super) const RESTITUTION_AND_IMPACT: [Field; 2] = [RESTITUTION, IMPACT];

/// `limits` of a joint.
pub(crate) const LIMITS: &[Field] = &[
    LOWER,
    UPPER,
    may("coordinate", What::Choice(&["angle", "slide"]), "Which coordinate; needed if the joint has two."),
    RESTITUTION,
    IMPACT,
];

const STATIC: Field = may("static", What::Number(PLAIN), "Coefficient of static friction; default: the kinetic one.");
const KINETIC: Field = may("kinetic", What::Number(PLAIN), "Coefficient of kinetic friction; default: the static one.");

/// `{ static, kinetic }`.
pub(crate) const FRICTION: &[Field] = &[STATIC, KINETIC];

const RADIUS: Field = may("radius", What::Number(LENGTH), "Radius of the pin, shaft or ball.");
const AXIAL: Field =
    may("axial_radius", What::Number(LENGTH), "Mean radius of the collar that carries axial forces; default: 0.");
const BEARING_DISTANCE: Field = may(
    "bearing_distance",
    What::Number(LENGTH),
    "Distance between the two bearings that carry moments; default: moments cause no friction.",
);
const PRELOAD: Field = may("preload", What::Number(FORCE), "Normal force without load; default: 0.");

/// `friction` of a joint.
pub(crate) const RUBBING: &[Field] = &[STATIC, KINETIC, RADIUS, AXIAL, BEARING_DISTANCE, PRELOAD];

/// A pulley of a rope.
pub(crate) const PULLEY: &[Field] = &[
    must("pulley", What::Marker, "Its centre; the axis is z."),
    must("radius", What::Number(LENGTH), "Its radius."),
    may("sense", SENSES, "Sense in which the rope runs about z; default: positive (counter-clockwise)."),
];

pub(crate) const COMES_AND_GOES: &[Kind] = &[
    Kind {
        name: "rope",
        doc: "An inextensible rope, slack or taut.",
        fields: &[
            must("through", What::Through, "Markers from end to end; between them { pulley, radius, sense }."),
            must("length", What::Signal(LENGTH), "Its length, constant or a signal."),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind {
        name: "minimum_distance",
        doc: "Two points whose distance has a lower limit.",
        fields: &[
            must("a", What::Marker, "One point."),
            must("b", What::Marker, "The other."),
            must("length", What::Signal(LENGTH), "The smallest permitted distance."),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind { name: "limits", doc: "Stops of a coordinate.", fields: &[COORDINATE, LOWER, UPPER, RESTITUTION, IMPACT] },
    Kind {
        name: "point_plane_contact",
        doc: "Unilateral contact of a point with a plane: it can stick, slide and lift off.",
        fields: &[
            must("plane", What::Marker, "Plane xy; the point stays on the side of +z."),
            must("point", What::Marker, "The point."),
            may("friction", What::Friction, "One coefficient, or { static, kinetic }; default: none."),
            may(
                "friction_axes",
                What::Choice(&["x", "y", "xy"]),
                "Axes of the plane along which friction acts; default: taken from the bodies.",
            ),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind {
        name: "ratchet",
        doc: "A coordinate that can move in one direction only, in steps of one tooth.",
        fields: &[
            COORDINATE,
            must("pitch", What::Number(DISPLACEMENT), "Distance between teeth."),
            may("sense", SENSES, "Direction of free motion; default: positive."),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind {
        name: "joint_friction",
        doc: "Dry friction in a joint that is defined elsewhere.",
        fields: &[
            must("joint", What::Text, "The joint by its name."),
            must("friction", What::Friction, "One coefficient, or { static, kinetic }."),
            may(
                "joint_type",
                What::Choice(&["revolute", "prismatic", "cylindrical", "spherical", "planar"]),
                "Type of joint whose friction law applies; default: the type of the joint.",
            ),
            may("axis", What::Choice(&["x", "y", "z"]), "Axis of translation; default: taken from the joint."),
            RADIUS,
            AXIAL,
            BEARING_DISTANCE,
            PRELOAD,
            may("a", What::Marker, "The marker that carries the axes; default: that of the joint."),
            may("b", What::Marker, "The other marker; default: that of the joint."),
            INITIALLY,
        ],
    },
    Kind {
        name: "brake",
        doc: "Keeps a coordinate at rest up to a maximum force or torque.",
        fields: &[COORDINATE, CAPACITY, KINETIC_RATIO, INITIALLY],
    },
    Kind {
        name: "clutch",
        doc: "Makes two coordinates move at the same rate up to a maximum force or torque.",
        fields: &[
            must("first", What::Coordinate, "One coordinate."),
            must("second", What::Coordinate, "The other."),
            CAPACITY,
            KINETIC_RATIO,
            INITIALLY,
        ],
    },
    Kind {
        name: "one_way",
        doc: "A coordinate that can move in one direction only.",
        fields: &[COORDINATE, may("sense", SENSES, "Direction of motion; default: positive."), INITIALLY],
    },
    Kind {
        name: "servo",
        doc: "Keeps a rate as long as its force or torque suffices.",
        fields: &[
            COORDINATE,
            must("velocity", What::Signal(RATE), "The rate."),
            may("capacity", What::Signal(EFFORT), "Largest force or torque, in both directions."),
            may("lower", What::Signal(EFFORT), "Smallest force, instead of `capacity`."),
            may("upper", What::Signal(EFFORT), "Largest force, instead of `capacity`."),
            KINETIC_RATIO,
            INITIALLY,
        ],
    },
    Kind {
        name: "coupling",
        doc: "Keeps a sum of rates as long as its force or torque suffices.",
        fields: &[
            must("terms", What::Terms, "List of { factor, coordinate }."),
            may("velocity", What::Signal(RATE), "Value of the sum of the rates; default: 0."),
            may("capacity", What::Signal(EFFORT), "Largest force or torque, in both directions."),
            may("lower", What::Signal(EFFORT), "Smallest force, instead of `capacity`."),
            may("upper", What::Signal(EFFORT), "Largest force, instead of `capacity`."),
            KINETIC_RATIO,
            INITIALLY,
        ],
    },
];
