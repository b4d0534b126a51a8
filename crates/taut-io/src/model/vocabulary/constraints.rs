//! Joints, drivers, constraints.

use super::laws::{COMES_AND_GOES, LIMITS, START};
use super::{
    ACCELERATION, ANGLE, ANGULAR_ACCELERATION, ANGULAR_VELOCITY, ANYTHING, Asked, DISPLACEMENT, Field, Kind, LENGTH,
    RATE, RATE_OF_RATE, RATIO, VELOCITY, What, may, must,
};

const A: Field = must("a", What::Marker, "The marker that carries the axes.");
const B: Field = must("b", What::Marker, "The marker that moves.");
const TURN: Field = may("turn", What::Motion, "Prescribed turn about z.");
const SLIDE: Field = may("slide", What::Motion, "Prescribed slide.");
const LIMITED: Field = may("limits", What::Table(LIMITS), "Stops: { lower, upper, restitution }.");
const RUBS: Field =
    may("friction", What::Rubbing, "Dry friction: one coefficient, or { static, kinetic, radius, arm, preload }.");

macro_rules! joint {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        Kind { name: $name, doc: $doc, fields: &[A, B, START, $($more),*] }
    };
}

pub(crate) const JOINTS: &[Kind] = &[
    joint!("fixed", "Nothing moves.", [TURN]),
    joint!("revolute", "Turns about z.", [TURN, LIMITED, RUBS]),
    joint!("prismatic", "Slides along z.", [SLIDE, LIMITED, RUBS]),
    joint!("cylindrical", "Turns about z and slides along z.", [TURN, SLIDE, LIMITED, RUBS]),
    joint!("spherical", "Turns about a point.", [RUBS]),
    joint!("universal", "Turns about x of A and y of B, which stay perpendicular.", []),
    joint!("constant_velocity", "Turns about a point without spin about z.", []),
    joint!("planar", "Slides in the xy plane and turns about z.", [TURN, RUBS]),
    joint!("point_on_line", "The origin of B stays on the line z of A.", [SLIDE]),
    joint!("point_on_plane", "The origin of B stays in the plane xy of A.", []),
    joint!("parallel_axes", "z of A and of B stay parallel.", [TURN]),
    joint!("perpendicular_axes", "x of A and y of B stay perpendicular.", []),
    joint!("parallel_frames", "Nothing turns, everything slides.", [TURN]),
    joint!("pin", "In the plane: turns about a point.", [TURN, LIMITED, RUBS]),
    joint!("slider", "In the plane: slides along x of A.", [SLIDE, LIMITED, RUBS]),
    joint!("weld", "In the plane: nothing moves.", [TURN]),
    joint!("slot", "In the plane: the origin of B slides along x of A, and turns.", [SLIDE, TURN, LIMITED, RUBS]),
    joint!(
        "screw",
        "Turns about z and advances with the turn.",
        [must("pitch", What::Number(LENGTH), "Advance per turn.")]
    ),
    joint!(
        "rod",
        "The distance of the two origins stays the same.",
        [must("length", What::Signal(LENGTH), "The distance.")]
    ),
    joint!(
        "joint",
        "Any joint by its masks.",
        [
            may("along", What::Holds, "Along x, y, z of A: \"free\", \"held\" or a motion."),
            may(
                "turning",
                What::Turning,
                "\"free\", \"perpendicular\", \"homokinetic\", \"parallel\", { about = … } or { locked = … }."
            )
        ]
    ),
];

const fn driver(position: Asked, velocity: Asked, acceleration: Asked) -> [Field; 5] {
    [
        must("of", What::Coordinate, "What is driven."),
        may("position", What::Signal(position), "Its course."),
        may("velocity", What::Signal(velocity), "Its rate."),
        may("acceleration", What::Signal(acceleration), "Its acceleration."),
        START,
    ]
}

/// A driver of any coordinate, of a length, of an angle.
pub(crate) const DRIVER: &[Field] = &driver(DISPLACEMENT, RATE, RATE_OF_RATE);
pub(crate) const LENGTH_DRIVER: &[Field] = &driver(LENGTH, VELOCITY, ACCELERATION);
pub(crate) const ANGLE_DRIVER: &[Field] = &driver(ANGLE, ANGULAR_VELOCITY, ANGULAR_ACCELERATION);

/// All constraints that are no joints.
pub(crate) const CONSTRAINTS: &[Kind] = &all::<{ HOLD.len() + COMES_AND_GOES.len() }>();

const fn all<const N: usize>() -> [Kind; N] {
    let mut kinds = [HOLD[0]; N];
    let mut i = 0;
    while i < N {
        kinds[i] = if i < HOLD.len() { HOLD[i] } else { COMES_AND_GOES[i - HOLD.len()] };
        i += 1;
    }
    kinds
}

/// Those that hold for ever.
const HOLD: &[Kind] = &[
    Kind {
        name: "gear",
        doc: "ratio · one + two = sum.",
        fields: &[
            must("one", What::Coordinate, "One turn."),
            must("two", What::Coordinate, "The other."),
            must("ratio", What::Number(RATIO), "Teeth of one by teeth of two; negative for an inner mesh."),
            may("sum", What::Number(DISPLACEMENT), "Value of the sum where the teeth mesh; 0 if left out."),
            START,
        ],
    },
    Kind {
        name: "rack_and_pinion",
        doc: "slide = radius · turn.",
        fields: &[
            must("slide", What::Coordinate, "The rack."),
            must("turn", What::Coordinate, "The pinion."),
            must("radius", What::Number(LENGTH), "Pitch radius."),
            START,
        ],
    },
    Kind {
        name: "relation",
        doc: "A linear relation of coordinates.",
        fields: &[
            must("terms", What::Terms, "List of { factor, of }."),
            may("equals", What::Signal(ANYTHING), "What the sum is; 0 if left out."),
            may("velocity", What::Signal(ANYTHING), "Rate of the sum, instead of `equals`."),
            may("acceleration", What::Signal(ANYTHING), "Acceleration of the sum, instead of `equals`."),
            START,
        ],
    },
    Kind {
        name: "knife_edge",
        doc: "A blade that does not slip sideways.",
        fields: &[
            must("a", What::Marker, "What it cuts into."),
            must("b", What::Marker, "The blade: x along the edge, y across."),
            START,
        ],
    },
    Kind {
        name: "rolling",
        doc: "A wheel that rolls without slip.",
        fields: &[
            must("plane", What::Marker, "Plane xy, normal z (a circle: line x, normal y)."),
            must("wheel", What::Marker, "Centre of the wheel, axis z."),
            must("shape", What::Wheel, "What rolls."),
            START,
        ],
    },
    Kind {
        name: "formula",
        doc: "A formula held at zero.",
        fields: &[
            may("phi", What::Formula(&["t"]), "Over t, coordinates and marker positions."),
            may("psi", What::Formula(&["t"]), "Over velocities too."),
            START,
        ],
    },
];

const RADIUS: Field = must("radius", What::Number(LENGTH), "Radius.");

pub(crate) const WHEELS: &[Kind] = &[
    Kind { name: "sphere", doc: "A ball.", fields: &[RADIUS] },
    Kind { name: "disc", doc: "A thin disc.", fields: &[RADIUS] },
    Kind {
        name: "torus",
        doc: "A wheel with a round tread.",
        fields: &[RADIUS, must("tube", What::Number(LENGTH), "Radius of the tread.")],
    },
    Kind { name: "circle", doc: "In the plane.", fields: &[RADIUS] },
];
