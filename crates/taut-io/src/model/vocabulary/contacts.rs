//! Surfaces and their contact laws.

use super::unilateral::RESTITUTION_AND_IMPACT;
use super::{
    DIMENSIONLESS, ElementKind, Field, FieldType, LENGTH, RATIO, TIME_PER_LENGTH, VELOCITY, optional, required,
};

const MARKER: Field = required("marker", FieldType::Marker, "The marker to which it is attached.");
const GROUPS: Field = optional("groups", FieldType::Strings, "Groups it belongs to.");
const RADIUS: Field = required("radius", FieldType::Number(LENGTH), "Radius.");
const FILE: Field = optional(
    "file",
    FieldType::String,
    "An STL, OBJ or glTF file, instead of `points`; its path is relative to the folder of this file.",
);
const SCALE: Field = optional("scale", FieldType::Number(RATIO), "Length of one unit of the file; default: 1 m.");

macro_rules! shape {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        ElementKind { name: $name, doc: $doc, fields: &[MARKER, GROUPS, $($more),*] }
    };
}

/// Selected by `shape`.
pub(crate) const SURFACES: &[ElementKind] = &[
    shape!("sphere", "A ball.", [RADIUS]),
    shape!(
        "capsule",
        "A cylinder about z with round ends.",
        [RADIUS, required("length", FieldType::Number(LENGTH), "Distance between the centres of the ends.")]
    ),
    shape!("box", "A block.", [required("size", FieldType::Vector(&[3], LENGTH), "Edges along x, y, z.")]),
    shape!("cylinder", "A cylinder about z.", [RADIUS, required("length", FieldType::Number(LENGTH), "Its length.")]),
    shape!(
        "ellipsoid",
        "An ellipsoid. It touches half-spaces, spheres and other ellipsoids.",
        [required("radii", FieldType::Vector(&[3], LENGTH), "Semi-axes along x, y, z.")]
    ),
    shape!("half_space", "The half-space z < 0.", []),
    shape!(
        "convex",
        "The convex hull of points.",
        [optional("points", FieldType::Points(3), "The points."), FILE, SCALE]
    ),
    shape!(
        "mesh",
        "A surface of triangles, solid on its inner side.",
        [
            optional("points", FieldType::Points(3), "Corners."),
            optional(
                "triangles",
                FieldType::Triangles,
                "Three indices of points each, from 0, counter-clockwise seen from outside."
            ),
            FILE,
            SCALE
        ]
    ),
    shape!(
        "height_field",
        "Terrain given by heights.",
        [
            required("size", FieldType::Vector(&[2], LENGTH), "Extent along x and y."),
            required("heights", FieldType::NumberLists(LENGTH), "Rows along x, from the smallest y to the largest.")
        ]
    ),
    shape!("circle", "In the plane: a disc.", [RADIUS]),
    shape!("rectangle", "In the plane.", [required("size", FieldType::Vector(&[2], LENGTH), "Sides along x and y.")]),
    shape!("polygon", "In the plane: convex.", [required("points", FieldType::Points(2), "Corners.")]),
    shape!("half_plane", "In the plane: the half-plane y < 0.", []),
];

pub(crate) const COMPLIANT: &[Field] = &[
    required(
        "stiffness",
        FieldType::Number(DIMENSIONLESS),
        "K of each point in N/m^p: the force is K depth^p (1 + dissipation rate).",
    ),
    optional(
        "exponent",
        FieldType::Number(DIMENSIONLESS),
        "p: 1.5 for round surfaces (Hertz, default), 1 for flat surfaces.",
    ),
    optional("dissipation", FieldType::Number(TIME_PER_LENGTH), "Dissipation of the Hunt–Crossley law; default: 0."),
    optional(
        "transition_velocity",
        FieldType::Number(VELOCITY),
        "Slip velocity at which friction is fully developed; default: 1 mm/s.",
    ),
];

pub(crate) const CONTACT: &[Field] = &[
    optional("between", FieldType::SurfacePair, "Two surfaces, or \"all\"."),
    optional("groups", FieldType::Groups, "One group (all pairs within it) or two, instead of `between`."),
    optional("friction", FieldType::Friction, "One coefficient, or { static, kinetic }; default: none."),
    RESTITUTION_AND_IMPACT[0],
    RESTITUTION_AND_IMPACT[1],
    optional("torsional_friction", FieldType::Number(LENGTH), "Friction moment about the normal per normal force."),
    optional("rolling_friction", FieldType::Number(LENGTH), "Friction moment against rolling per normal force."),
    optional(
        "compliant",
        FieldType::Table(COMPLIANT),
        "Compliant contact, instead of restitution, impact, torsional_friction and rolling_friction.",
    ),
];
