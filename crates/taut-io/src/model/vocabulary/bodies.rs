//! Bodies, shapes, orientations.

use super::modal::MODAL;
use super::{
    ANGLE, ANGULAR_VELOCITY, ANYTHING, DENSITY, Field, INERTIA, Kind, LENGTH, MASS, PLAIN, VELOCITY, What, may, must,
};

const AXIS: What = What::Choice(&["x", "y", "z"]);
const SHAPE: Field = may("shape", What::Shapes, "Gives the mass properties instead of `inertia` and `com`.");
const LOOK: Field = may("look", What::Looks, "What it looks like in pictures; left out, as its `shape`.");
const MARKERS: Field = may("markers", What::Markers, "Frames on the body by name.");

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
                "rotation",
                What::Choice(&["quaternion", "euler_parameters", "rodrigues", "euler_angles"]),
                "How its rotation is described in the equations; quaternion if left out.",
            ),
            may("sequence", What::Choice(&["zxz", "xyz", "zyx"]), "Of Euler angles: their axes; zxz if left out."),
            may(
                "switch",
                What::Choice(&["automatic", "off"]),
                "Of Euler angles: whether another sequence is taken near a singular pose; automatic if left out.",
            ),
            SHAPE,
            LOOK,
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
            LOOK,
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
            LOOK,
            MARKERS,
        ],
    },
    Kind {
        name: "ritz",
        doc: "A set of bodies that moves in given shapes only: x = x0 + X q.",
        fields: &[
            must("members", What::Texts, "Names of the bodies: point masses and planar ones."),
            must(
                "shapes",
                What::Lists(ANYTHING),
                "The columns of X: each a list with one number per coordinate of the members, in their order.",
            ),
        ],
    },
    MODAL,
    Kind {
        name: "variable",
        doc: "A number that only events change.",
        fields: &[may("value", What::Number(ANYTHING), "Its value at the start; 0 if left out.")],
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
            may("axis", AXIS, "Axis; z if left out."),
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
            may("radius", What::Number(LENGTH), "Radius; left out, the rod is a line."),
            may("axis", AXIS, "Axis; x if left out."),
            AT,
            DENSE,
            HEAVY,
        ],
    },
];

/// Ways to give a rotation: exactly one of these.
pub(crate) const ORIENTATION: &[Field] = &[
    may("axes", What::Section, "Directions of z and, if wanted, of x."),
    may("rotation_vector", What::Vector(&[3], ANGLE), "Axis times angle."),
    may("quaternion", What::Vector(&[4], PLAIN), "Unit quaternion w, x, y, z."),
    may("turns", What::Section, "Successive turns about the turned axes: [[\"z\", \"30 deg\"], …]."),
];
