//! Bodies, shapes, orientations.

use super::modal::MODAL;
use super::{
    ANGLE, ANGULAR_VELOCITY, ANYTHING, DENSITY, Field, INERTIA, Kind, LENGTH, MASS, PLAIN, VELOCITY, What, may, must,
};

const AXIS: What = What::Choice(&["x", "y", "z"]);
const SHAPE: Field =
    may("shape", What::Shapes, "Solid that gives the mass properties, instead of `inertia` and `com`.");
const VISUAL: Field = may("visual", What::Looks, "Appearance in pictures; default: its `shape`.");
const MARKERS: Field = may("markers", What::Markers, "Named frames on the body.");

pub(crate) const BODIES: &[Kind] = &[
    Kind {
        name: "rigid",
        doc: "A rigid body in space.",
        fields: &[
            may("mass", What::Number(MASS), "Mass."),
            may(
                "inertia",
                What::Vector(&[3, 6], INERTIA),
                "xx, yy, zz or xx, yy, zz, xy, xz, yz of the tensor about the mass centre, body axes.",
            ),
            may("com", What::Vector(&[3], LENGTH), "Mass centre from the reference point, body axes."),
            may("position", What::Vector(&[3], LENGTH), "Reference point at the start."),
            may("orientation", What::Orientation, "Orientation at the start."),
            may("velocity", What::Vector(&[3], VELOCITY), "Velocity of the reference point at the start."),
            may("angular_velocity", What::Vector(&[3], ANGULAR_VELOCITY), "Angular velocity at the start, world axes."),
            may(
                "rotation_parameters",
                What::Choice(&["quaternion", "euler_parameters", "rodrigues", "euler_angles"]),
                "Coordinates of its rotation in the equations; default: quaternion.",
            ),
            may("sequence", What::Choice(&["zxz", "xyz", "zyx"]), "Of Euler angles: axes of rotation; default: zxz."),
            may(
                "sequence_switching",
                What::Choice(&["automatic", "off"]),
                "Of Euler angles: whether the sequence changes near a singular orientation; default: automatic.",
            ),
            SHAPE,
            VISUAL,
            MARKERS,
        ],
    },
    Kind {
        name: "planar",
        doc: "A rigid body that moves in the xy plane.",
        fields: &[
            may("mass", What::Number(MASS), "Mass."),
            may("inertia", What::Number(INERTIA), "Moment of inertia about the mass centre."),
            may("com", What::Vector(&[2], LENGTH), "Mass centre from the reference point, body axes."),
            may("position", What::Vector(&[2], LENGTH), "Reference point at the start."),
            may("angle", What::Number(ANGLE), "Angle at the start."),
            may("velocity", What::Vector(&[2], VELOCITY), "Velocity of the reference point at the start."),
            may("angular_velocity", What::Number(ANGULAR_VELOCITY), "Angular velocity at the start."),
            SHAPE,
            VISUAL,
            MARKERS,
        ],
    },
    Kind {
        name: "point_mass",
        doc: "A particle in space.",
        fields: &[
            must("mass", What::Number(MASS), "Mass."),
            may("position", What::Vector(&[3], LENGTH), "Position at the start."),
            may("velocity", What::Vector(&[3], VELOCITY), "Velocity at the start."),
            VISUAL,
            MARKERS,
        ],
    },
    Kind {
        name: "ritz",
        doc: "A set of bodies restricted to given shapes (Ritz vectors): x = x0 + X q.",
        fields: &[
            must("members", What::Texts, "Names of the bodies: point masses and planar bodies."),
            must(
                "shapes",
                What::Lists(ANYTHING),
                "Columns of X: one list per shape, with one number per coordinate of the members, in their order.",
            ),
        ],
    },
    MODAL,
    Kind {
        name: "variable",
        doc: "A number that only events change.",
        fields: &[may("value", What::Number(ANYTHING), "Initial value; default: 0.")],
    },
];

const AT: Field = may("at", What::Vector(&[2, 3], LENGTH), "Centre of the shape in body axes.");
const DENSE: Field = may("density", What::Number(DENSITY), "Density; gives the mass.");
const HEAVY: Field = may("mass", What::Number(MASS), "Mass of this shape alone.");

pub(crate) const SHAPES: &[Kind] = &[
    Kind {
        name: "box",
        doc: "A block.",
        fields: &[must("size", What::Vector(&[3], LENGTH), "Edges along x, y, z."), AT, DENSE, HEAVY],
    },
    Kind {
        name: "sphere",
        doc: "A ball.",
        fields: &[must("radius", What::Number(LENGTH), "Radius."), AT, DENSE, HEAVY],
    },
    Kind {
        name: "cylinder",
        doc: "A solid cylinder.",
        fields: &[
            must("radius", What::Number(LENGTH), "Radius."),
            must("length", What::Number(LENGTH), "Length."),
            may("axis", AXIS, "Axis; default: z."),
            AT,
            DENSE,
            HEAVY,
        ],
    },
    Kind {
        name: "rod",
        doc: "A slender rod.",
        fields: &[
            must("length", What::Number(LENGTH), "Length."),
            may("radius", What::Number(LENGTH), "Radius; default: 0, a line."),
            may("axis", AXIS, "Axis; default: x."),
            AT,
            DENSE,
            HEAVY,
        ],
    },
];

/// A rotation is given by exactly one of these.
pub(crate) const ORIENTATION: &[Field] = &[
    may("axes", What::Section, "Direction of z, and optionally of x."),
    may("rotation_vector", What::Vector(&[3], ANGLE), "Axis times angle."),
    may("quaternion", What::Vector(&[4], PLAIN), "Unit quaternion w, x, y, z."),
    may("rotations", What::Section, "Successive rotations about the rotated axes: [[\"z\", \"30 deg\"], …]."),
];

/// A frame on a body or on the ground.
pub(crate) const FRAME: &[Field] = &[
    may("at", What::Vector(&[2, 3], LENGTH), "Origin."),
    may("orientation", What::Orientation, "Axes."),
    may(
        "relative_to",
        What::Choice(&["body", "world"]),
        "What `at` and `orientation` are relative to: the body (default), or the world at the start.",
    ),
];
