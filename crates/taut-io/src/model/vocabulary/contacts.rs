//! Surfaces and their contact laws.

use super::laws::RESTITUTION_AND_IMPACT;
use super::{Field, Kind, LENGTH, PLAIN, RATIO, SLOWNESS, VELOCITY, What, may, must};

const MARKER: Field = must("marker", What::Marker, "The marker to which it is attached.");
const GROUPS: Field = may("groups", What::Texts, "Groups it belongs to.");
const RADIUS: Field = must("radius", What::Number(LENGTH), "Radius.");
const FILE: Field = may(
    "file",
    What::Text,
    "An STL, OBJ or glTF file, instead of `points`; its path is relative to the folder of this file.",
);
const SCALE: Field = may("scale", What::Number(RATIO), "Length of one unit of the file; default: 1 m.");

macro_rules! shape {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        Kind { name: $name, doc: $doc, fields: &[MARKER, GROUPS, $($more),*] }
    };
}

/// Selected by `shape`.
pub(crate) const SURFACES: &[Kind] = &[
    shape!("sphere", "A ball.", [RADIUS]),
    shape!(
        "capsule",
        "A cylinder about z with round ends.",
        [RADIUS, must("length", What::Number(LENGTH), "Distance between the centres of the ends.")]
    ),
    shape!("box", "A block.", [must("size", What::Vector(&[3], LENGTH), "Edges along x, y, z.")]),
    shape!("cylinder", "A cylinder about z.", [RADIUS, must("length", What::Number(LENGTH), "Its length.")]),
    shape!("half_space", "The half-space z < 0.", []),
    shape!("convex", "The convex hull of points.", [may("points", What::Points(3), "The points."), FILE, SCALE]),
    shape!(
        "mesh",
        "A surface of triangles, solid on its inner side.",
        [
            may("points", What::Points(3), "Corners."),
            may(
                "triangles",
                What::Triangles,
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
            must("size", What::Vector(&[2], LENGTH), "Extent along x and y."),
            must("heights", What::Lists(LENGTH), "Rows along x, from the smallest y to the largest.")
        ]
    ),
    shape!("circle", "In the plane: a disc.", [RADIUS]),
    shape!("rectangle", "In the plane.", [must("size", What::Vector(&[2], LENGTH), "Sides along x and y.")]),
    shape!("polygon", "In the plane: convex.", [must("points", What::Points(2), "Corners.")]),
    shape!("half_plane", "In the plane: the half-plane y < 0.", []),
];

pub(crate) const COMPLIANT: &[Field] = &[
    must("stiffness", What::Number(PLAIN), "K of each point in N/m^p: the force is K depth^p (1 + dissipation rate)."),
    may("exponent", What::Number(PLAIN), "p: 1.5 for round surfaces (Hertz, default), 1 for flat surfaces."),
    may("dissipation", What::Number(SLOWNESS), "Dissipation of the Hunt–Crossley law; default: 0."),
    may(
        "transition_velocity",
        What::Number(VELOCITY),
        "Slip velocity at which friction is fully developed; default: 1 mm/s.",
    ),
];

pub(crate) const CONTACT: &[Field] = &[
    may("between", What::Between, "Two surfaces, or \"all\"."),
    may("groups", What::Groups, "One group (all pairs within it) or two, instead of `between`."),
    may("friction", What::Friction, "One coefficient, or { static, kinetic }; default: none."),
    RESTITUTION_AND_IMPACT[0],
    RESTITUTION_AND_IMPACT[1],
    may("torsional_friction", What::Number(LENGTH), "Friction moment about the normal per normal force."),
    may("rolling_friction", What::Number(LENGTH), "Friction moment against rolling per normal force."),
    may(
        "compliant",
        What::Table(COMPLIANT),
        "Compliant contact, instead of restitution, impact, torsional_friction and rolling_friction.",
    ),
];
