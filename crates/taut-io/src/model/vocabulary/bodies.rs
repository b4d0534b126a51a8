//! Bodies, shapes, orientations.

use super::generalised::GENERALISED;
use super::modal::MODAL;
use super::{
    ANGLE, ANGULAR_VELOCITY, ANY_QUANTITY, DENSITY, DIMENSIONLESS, ElementKind, Field, FieldType, INERTIA, LENGTH,
    MASS, RATIO, VELOCITY, optional, required,
};

const AXIS: FieldType = FieldType::Choice(&["x", "y", "z"]);
const SHAPE: Field =
    optional("shape", FieldType::Shapes, "Solid that gives the mass properties, instead of `inertia` and `com`.");
const VISUAL: Field = optional("visual", FieldType::Visuals, "Appearance in pictures; default: its `shape`.");
const MARKERS: Field = optional("markers", FieldType::Markers, "Named frames on the body.");

pub(crate) const BODIES: &[ElementKind] = &[
    ElementKind {
        name: "rigid",
        doc: "A rigid body in space.",
        fields: &[
            optional("mass", FieldType::Number(MASS), "Mass; 0 where constraints determine the motion."),
            optional(
                "inertia",
                FieldType::Vector(&[3, 6], INERTIA),
                "xx, yy, zz or xx, yy, zz, xy, xz, yz of the tensor about the mass centre, body axes; default without mass: 0.",
            ),
            optional("com", FieldType::Vector(&[3], LENGTH), "Mass centre from the reference point, body axes."),
            optional("position", FieldType::Vector(&[3], LENGTH), "Reference point at the start."),
            optional("orientation", FieldType::Orientation, "Orientation at the start."),
            optional("velocity", FieldType::Vector(&[3], VELOCITY), "Velocity of the reference point at the start."),
            optional(
                "angular_velocity",
                FieldType::Vector(&[3], ANGULAR_VELOCITY),
                "Angular velocity at the start, world axes.",
            ),
            optional(
                "rotation_parameters",
                FieldType::Choice(&["quaternion", "euler_parameters", "rodrigues", "euler_angles"]),
                "Coordinates of its rotation in the equations; default: quaternion.",
            ),
            optional(
                "sequence",
                FieldType::Choice(&["zxz", "xyz", "zyx"]),
                "Of Euler angles: axes of rotation; default: zxz.",
            ),
            optional(
                "sequence_switching",
                FieldType::Choice(&["automatic", "off"]),
                "Of Euler angles: whether the sequence changes near a singular orientation; default: automatic.",
            ),
            SHAPE,
            VISUAL,
            MARKERS,
        ],
    },
    ElementKind {
        name: "planar",
        doc: "A rigid body that moves in the xy plane.",
        fields: &[
            optional("mass", FieldType::Number(MASS), "Mass; 0 where constraints determine the motion."),
            optional(
                "inertia",
                FieldType::Number(INERTIA),
                "Moment of inertia about the mass centre; default without mass: 0.",
            ),
            optional("com", FieldType::Vector(&[2], LENGTH), "Mass centre from the reference point, body axes."),
            optional("position", FieldType::Vector(&[2], LENGTH), "Reference point at the start."),
            optional("angle", FieldType::Number(ANGLE), "Angle at the start."),
            optional("velocity", FieldType::Vector(&[2], VELOCITY), "Velocity of the reference point at the start."),
            optional("angular_velocity", FieldType::Number(ANGULAR_VELOCITY), "Angular velocity at the start."),
            SHAPE,
            VISUAL,
            MARKERS,
        ],
    },
    ElementKind {
        name: "point_mass",
        doc: "A particle in space.",
        fields: &[
            required("mass", FieldType::Number(MASS), "Mass; 0 where constraints determine the motion."),
            optional("position", FieldType::Vector(&[3], LENGTH), "Position at the start."),
            optional("velocity", FieldType::Vector(&[3], VELOCITY), "Velocity at the start."),
            VISUAL,
            MARKERS,
        ],
    },
    ElementKind {
        name: "ritz",
        doc: "A set of bodies restricted to given shapes (Ritz vectors): x = x0 + X q.",
        fields: &[
            required("members", FieldType::Strings, "Names of the bodies: point masses and planar bodies."),
            required(
                "shapes",
                FieldType::NumberLists(ANY_QUANTITY),
                "Columns of X: one list per shape, with one number per coordinate of the members, in their order.",
            ),
        ],
    },
    MODAL,
    GENERALISED,
    ElementKind {
        name: "variable",
        doc: "A number that only events change.",
        fields: &[optional("value", FieldType::Number(ANY_QUANTITY), "Initial value; default: 0.")],
    },
];

const AT: Field = optional("at", FieldType::Vector(&[2, 3], LENGTH), "Centre of the shape in body axes.");
const DENSITY_FIELD: Field = optional("density", FieldType::Number(DENSITY), "Density; gives the mass.");
const MASS_FIELD: Field = optional("mass", FieldType::Number(MASS), "Mass of this shape alone.");

pub(crate) const SHAPES: &[ElementKind] = &[
    ElementKind {
        name: "box",
        doc: "A block.",
        fields: &[
            required("size", FieldType::Vector(&[3], LENGTH), "Edges along x, y, z."),
            AT,
            DENSITY_FIELD,
            MASS_FIELD,
        ],
    },
    ElementKind {
        name: "sphere",
        doc: "A ball.",
        fields: &[required("radius", FieldType::Number(LENGTH), "Radius."), AT, DENSITY_FIELD, MASS_FIELD],
    },
    ElementKind {
        name: "ellipsoid",
        doc: "A solid ellipsoid.",
        fields: &[
            required("radii", FieldType::Vector(&[3], LENGTH), "Semi-axes along x, y, z."),
            AT,
            DENSITY_FIELD,
            MASS_FIELD,
        ],
    },
    ElementKind {
        name: "cylinder",
        doc: "A solid cylinder.",
        fields: &[
            required("radius", FieldType::Number(LENGTH), "Radius."),
            required("length", FieldType::Number(LENGTH), "Length."),
            optional("axis", AXIS, "Axis; default: z."),
            AT,
            DENSITY_FIELD,
            MASS_FIELD,
        ],
    },
    ElementKind {
        name: "rod",
        doc: "A slender rod.",
        fields: &[
            required("length", FieldType::Number(LENGTH), "Length."),
            optional("radius", FieldType::Number(LENGTH), "Radius; default: 0, a line."),
            optional("axis", AXIS, "Axis; default: x."),
            AT,
            DENSITY_FIELD,
            MASS_FIELD,
        ],
    },
    ElementKind {
        name: "mesh",
        doc: "The solid inside a closed surface of triangles.",
        fields: &[
            required(
                "file",
                FieldType::String,
                "An STL, OBJ or glTF file; its path is relative to the folder of this file.",
            ),
            optional("scale", FieldType::Number(RATIO), "Length of one unit of the file; default: 1 m."),
            optional("at", FieldType::Vector(&[2, 3], LENGTH), "Origin of the file in body axes."),
            DENSITY_FIELD,
            MASS_FIELD,
        ],
    },
];

/// A rotation is given by exactly one of these.
pub(crate) const ORIENTATION: &[Field] = &[
    optional("axes", FieldType::Section, "Direction of z, and optionally of x."),
    optional("rotation_vector", FieldType::Vector(&[3], ANGLE), "Axis times angle."),
    optional("quaternion", FieldType::Vector(&[4], DIMENSIONLESS), "Unit quaternion w, x, y, z."),
    optional("rotations", FieldType::Section, "Successive rotations about the rotated axes: [[\"z\", \"30 deg\"], …]."),
];

/// A frame on a body or on the ground.
pub(crate) const FRAME: &[Field] = &[
    optional("at", FieldType::Vector(&[2, 3], LENGTH), "Origin."),
    optional("orientation", FieldType::Orientation, "Axes."),
    optional(
        "relative_to",
        FieldType::Choice(&["body", "world"]),
        "What `at` and `orientation` are relative to: the body (default), or the world at the start.",
    ),
];
