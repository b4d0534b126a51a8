//! Joints, drivers, constraints.

use super::laws::{COMES_AND_GOES, INITIALLY, LIMITS};
use super::{
    ACCELERATION, ANGLE, ANGULAR_ACCELERATION, ANGULAR_VELOCITY, ANYTHING, Asked, DISPLACEMENT, Field, Kind, LENGTH,
    RATE, RATE_OF_RATE, RATIO, VELOCITY, What, may, must,
};

const A: Field = must("a", What::Marker, "The marker that carries the axes.");
const B: Field = must("b", What::Marker, "The marker that moves.");
const ROTATION: Field = may("rotation", What::Motion, "Prescribed rotation about z.");
const TRANSLATION: Field = may("translation", What::Motion, "Prescribed translation.");
const LIMITED: Field = may("limits", What::Table(LIMITS), "Stops: { lower, upper, restitution }.");
const FRICTION: Field = may(
    "friction",
    What::Rubbing,
    "Dry friction: one coefficient, or { static, kinetic, radius, bearing_distance, preload }.",
);

macro_rules! joint {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        Kind { name: $name, doc: $doc, fields: &[A, B, INITIALLY, $($more),*] }
    };
}

pub(crate) const JOINTS: &[Kind] = &[
    joint!("fixed", "No relative motion.", [ROTATION]),
    joint!("revolute", "Rotation about z.", [ROTATION, LIMITED, FRICTION]),
    joint!("prismatic", "Translation along z.", [TRANSLATION, LIMITED, FRICTION]),
    joint!("cylindrical", "Rotation about z and translation along z.", [ROTATION, TRANSLATION, LIMITED, FRICTION]),
    joint!("spherical", "Rotation about a point.", [FRICTION]),
    joint!("universal", "Rotation about x of A and y of B, which stay perpendicular.", []),
    joint!("constant_velocity", "Rotation about a point without spin about z.", []),
    joint!("planar", "Translation in the xy plane and rotation about z.", [ROTATION, FRICTION]),
    joint!("point_on_line", "The origin of B stays on the line z of A.", [TRANSLATION]),
    joint!("point_on_plane", "The origin of B stays in the plane xy of A.", []),
    joint!("parallel_axes", "z of A and of B stay parallel.", [ROTATION]),
    joint!("perpendicular_axes", "x of A and y of B stay perpendicular.", []),
    joint!("parallel_frames", "Translation only; the axes stay parallel.", [ROTATION]),
    joint!("pin", "In the plane: rotation about a point.", [ROTATION, LIMITED, FRICTION]),
    joint!("slider", "In the plane: translation along x of A.", [TRANSLATION, LIMITED, FRICTION]),
    joint!("weld", "In the plane: no relative motion.", [ROTATION]),
    joint!(
        "slot",
        "In the plane: the origin of B moves along x of A; B can rotate.",
        [TRANSLATION, ROTATION, LIMITED, FRICTION]
    ),
    joint!(
        "screw",
        "Rotation about z coupled to translation along z.",
        [must("pitch", What::Number(LENGTH), "Advance per revolution.")]
    ),
    joint!(
        "rod",
        "The distance between the two origins is given.",
        [must("length", What::Signal(LENGTH), "The distance.")]
    ),
    joint!(
        "joint",
        "A joint given by the motions that it permits, fixes or prescribes.",
        [
            may("translation", What::Holds, "Along x, y, z of A: \"free\", \"fixed\" or a prescribed motion."),
            may(
                "rotation",
                What::Turning,
                "\"free\", \"perpendicular\", \"constant_velocity\", \"parallel\", { about = … } or { locked = … }."
            )
        ]
    ),
];

/// Words for one direction of `translation`, besides a prescribed motion.
pub(crate) const TRANSLATIONS: &[&str] = &["free", "fixed"];

/// Words for `rotation`, besides the tables `{ about = … }` and `{ locked = … }`.
pub(crate) const ROTATIONS: &[&str] = &["free", "perpendicular", "constant_velocity", "parallel"];

/// A term of a linear relation.
pub(crate) const TERM: &[Field] =
    &[must("factor", What::Number(RATIO), "Its factor."), must("coordinate", What::Coordinate, "The coordinate.")];

const fn driver(position: Asked, velocity: Asked, acceleration: Asked) -> [Field; 5] {
    [
        must("coordinate", What::Coordinate, "The driven coordinate."),
        may("position", What::Signal(position), "Prescribed position."),
        may("velocity", What::Signal(velocity), "Prescribed rate."),
        may("acceleration", What::Signal(acceleration), "Prescribed acceleration."),
        INITIALLY,
    ]
}

/// A driver of any coordinate, of a length, of an angle.
pub(crate) const DRIVER: &[Field] = &driver(DISPLACEMENT, RATE, RATE_OF_RATE);
pub(crate) const LENGTH_DRIVER: &[Field] = &driver(LENGTH, VELOCITY, ACCELERATION);
pub(crate) const ANGLE_DRIVER: &[Field] = &driver(ANGLE, ANGULAR_VELOCITY, ANGULAR_ACCELERATION);

/// All constraints other than joints and drivers.
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

/// Bilateral constraints.
const HOLD: &[Kind] = &[
    Kind {
        name: "gear",
        doc: "ratio · first + second = sum.",
        fields: &[
            must("first", What::Coordinate, "Angle of the first gear."),
            must("second", What::Coordinate, "Angle of the second gear."),
            must(
                "ratio",
                What::Number(RATIO),
                "Teeth of the first gear over teeth of the second; negative for an internal gear.",
            ),
            may("sum", What::Number(DISPLACEMENT), "Value of the sum; default: 0."),
            INITIALLY,
        ],
    },
    Kind {
        name: "rack_and_pinion",
        doc: "rack = radius · pinion.",
        fields: &[
            must("rack", What::Coordinate, "Displacement of the rack."),
            must("pinion", What::Coordinate, "Angle of the pinion."),
            must("radius", What::Number(LENGTH), "Pitch radius."),
            INITIALLY,
        ],
    },
    Kind {
        name: "relation",
        doc: "A linear relation of coordinates.",
        fields: &[
            must("terms", What::Terms, "List of { factor, coordinate }."),
            may("equals", What::Signal(ANYTHING), "Value of the sum; default: 0."),
            may("velocity", What::Signal(ANYTHING), "Rate of the sum, instead of `equals`."),
            may("acceleration", What::Signal(ANYTHING), "Acceleration of the sum, instead of `equals`."),
            INITIALLY,
        ],
    },
    Kind {
        name: "knife_edge",
        doc: "A blade that does not slip sideways (nonholonomic).",
        fields: &[
            must("a", What::Marker, "The surface it touches."),
            must("b", What::Marker, "The blade: x along the edge, y across."),
            INITIALLY,
        ],
    },
    Kind {
        name: "rolling",
        doc: "A wheel that rolls without slip.",
        fields: &[
            must("plane", What::Marker, "Plane xy, normal z (a circle: line x, normal y)."),
            must("wheel", What::Marker, "Centre of the wheel, axis z."),
            must("shape", What::Wheel, "Shape of the wheel."),
            INITIALLY,
        ],
    },
    Kind {
        name: "formula",
        doc: "A formula that stays zero.",
        fields: &[
            may("phi", What::Formula(&["t"]), "Holonomic: of t, coordinates and marker positions."),
            may("psi", What::Formula(&["t"]), "Nonholonomic: also of velocities."),
            INITIALLY,
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
        fields: &[RADIUS, must("tube_radius", What::Number(LENGTH), "Radius of the tread.")],
    },
    Kind { name: "circle", doc: "In the plane.", fields: &[RADIUS] },
];
