//! Constraints that come and go: ropes, separators, limits, ratchets, grips.

use super::{DISPLACEMENT, EFFORT, FORCE, Field, Kind, LENGTH, PLAIN, RATE, What, may, must};

const RESTITUTION: Field = may(
    "restitution",
    What::Number(PLAIN),
    "How much of the speed comes back: 0 (plastic, if left out) to 1 (elastic).",
);
const IMPACT: Field = may(
    "impact",
    What::Choice(&["newton", "poisson", "sequence"]),
    "Law of impact: speeds come back (newton, if left out), impulses come back (poisson), one impact after the other (sequence).",
);
const SENSES: What = What::Choice(&["positive", "negative"]);
const OF: Field = must("of", What::Coordinate, "The coordinate.");
const LOWER: Field = may("lower", What::Signal(DISPLACEMENT), "It stays above.");
const UPPER: Field = may("upper", What::Signal(DISPLACEMENT), "It stays below.");
const CAPACITY: Field = must("capacity", What::Signal(EFFORT), "Greatest force or torque, both ways.");
const SLIPPING: Field =
    may("slipping", What::Number(PLAIN), "Force while it slips over that while it holds, 0 to 1; 1 if left out.");

/// Of all that events can lock and unlock.
pub(super) const START: Field = may(
    "start",
    What::Choice(&["locked", "unlocked"]),
    "Whether it holds from the start; unlocked, it waits for an event to lock it. Locked if left out.",
);

pub(super) const RESTITUTION_AND_IMPACT: [Field; 2] = [RESTITUTION, IMPACT];

/// `limits` of a joint.
pub(crate) const LIMITS: &[Field] = &[
    LOWER,
    UPPER,
    may("of", What::Choice(&["angle", "slide"]), "Which of two coordinates; the only one if left out."),
    RESTITUTION,
    IMPACT,
];

const STATIC: Field = may("static", What::Number(PLAIN), "Coefficient while it sticks; the kinetic one if left out.");
const KINETIC: Field = may("kinetic", What::Number(PLAIN), "Coefficient while it slides; the static one if left out.");

/// `{ static, kinetic }`.
pub(crate) const FRICTION: &[Field] = &[STATIC, KINETIC];

const RADIUS: Field = may("radius", What::Number(LENGTH), "Radius of the pin, shaft or ball.");
const AXIAL: Field =
    may("axial_radius", What::Number(LENGTH), "Mean radius of the collar that takes axial forces; 0 if left out.");
const ARM: Field = may("arm", What::Number(LENGTH), "Distance of two bearings that take moments; none if left out.");
const PRELOAD: Field = may("preload", What::Number(FORCE), "Normal force that is there without load.");

/// `friction` of a joint.
pub(crate) const RUBBING: &[Field] = &[STATIC, KINETIC, RADIUS, AXIAL, ARM, PRELOAD];

/// A disc that a rope runs around.
pub(crate) const PULLEY: &[Field] = &[
    must("pulley", What::Marker, "Its centre; the axis is z."),
    must("radius", What::Number(LENGTH), "Its radius."),
    may("sense", SENSES, "How the rope runs about z; positive (counter-clockwise) if left out."),
];

pub(crate) const COMES_AND_GOES: &[Kind] = &[
    Kind {
        name: "rope",
        doc: "Slack, or taut.",
        fields: &[
            must("through", What::Through, "Markers from end to end; between them { pulley, radius, sense }."),
            must("length", What::Signal(LENGTH), "Its length; a signal pays it out."),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind {
        name: "separator",
        doc: "Two points that stay so far apart, or farther.",
        fields: &[
            must("a", What::Marker, "One point."),
            must("b", What::Marker, "The other."),
            must("length", What::Signal(LENGTH), "The least distance."),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind { name: "limits", doc: "Stops of a coordinate.", fields: &[OF, LOWER, UPPER, RESTITUTION, IMPACT] },
    Kind {
        name: "point_on_plane",
        doc: "A point on one side of a plane: it rests, slides, lifts off.",
        fields: &[
            must("plane", What::Marker, "Plane xy; the point stays on the side of z."),
            must("point", What::Marker, "The point."),
            may("friction", What::Friction, "One coefficient, or { static, kinetic }; none if left out."),
            may(
                "along",
                What::Choice(&["x", "y", "xy"]),
                "Axes of the plane along which it grips; told by the bodies if left out.",
            ),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind {
        name: "ratchet",
        doc: "A coordinate that goes one way, tooth by tooth.",
        fields: &[
            OF,
            must("pitch", What::Number(DISPLACEMENT), "From tooth to tooth."),
            may("sense", SENSES, "Which way it goes freely; positive if left out."),
            RESTITUTION,
            IMPACT,
        ],
    },
    Kind {
        name: "joint_friction",
        doc: "Dry friction in a joint that is given elsewhere.",
        fields: &[
            must("joint", What::Text, "The joint by its name."),
            must("friction", What::Friction, "One coefficient, or { static, kinetic }."),
            may(
                "as",
                What::Choice(&["revolute", "prismatic", "cylindrical", "spherical", "planar"]),
                "Which kind of joint rubs; told by the joint if left out.",
            ),
            may(
                "axis",
                What::Choice(&["x", "y", "z"]),
                "Axis along which a slide goes; told by the joint if left out.",
            ),
            RADIUS,
            AXIAL,
            ARM,
            PRELOAD,
            may("a", What::Marker, "Its marker that carries the axes; that of the joint if left out."),
            may("b", What::Marker, "Its other marker; that of the joint if left out."),
            START,
        ],
    },
    Kind {
        name: "brake",
        doc: "A coordinate that stands still up to a force.",
        fields: &[OF, CAPACITY, SLIPPING, START],
    },
    Kind {
        name: "clutch",
        doc: "Two coordinates that move at one rate up to a force.",
        fields: &[
            must("one", What::Coordinate, "One."),
            must("two", What::Coordinate, "The other."),
            CAPACITY,
            SLIPPING,
            START,
        ],
    },
    Kind {
        name: "one_way",
        doc: "A coordinate that never goes back.",
        fields: &[OF, may("sense", SENSES, "Which way it goes; positive if left out."), START],
    },
    Kind {
        name: "servo",
        doc: "A rate that is kept as long as the force suffices.",
        fields: &[
            OF,
            must("velocity", What::Signal(RATE), "The rate."),
            may("capacity", What::Signal(EFFORT), "Greatest force or torque, both ways."),
            may("lower", What::Signal(EFFORT), "Least force, instead of `capacity`."),
            may("upper", What::Signal(EFFORT), "Greatest force, instead of `capacity`."),
            SLIPPING,
            START,
        ],
    },
    Kind {
        name: "coupling",
        doc: "A sum of rates that is kept as long as the force suffices.",
        fields: &[
            must("terms", What::Terms, "List of { factor, of }."),
            may("velocity", What::Signal(RATE), "What the sum of the rates is; 0 if left out."),
            may("capacity", What::Signal(EFFORT), "Greatest force or torque, both ways."),
            may("lower", What::Signal(EFFORT), "Least force, instead of `capacity`."),
            may("upper", What::Signal(EFFORT), "Greatest force, instead of `capacity`."),
            SLIPPING,
            START,
        ],
    },
];
