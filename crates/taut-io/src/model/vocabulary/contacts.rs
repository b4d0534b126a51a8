//! Surfaces, and what they do where they touch.

use super::laws::RESTITUTION_AND_IMPACT;
use super::{Field, Kind, LENGTH, PLAIN, RATIO, SLOWNESS, VELOCITY, What, may, must};

const ON: Field = must("on", What::Marker, "The marker that carries it.");
const GROUPS: Field = may("groups", What::Texts, "Groups it belongs to.");
const RADIUS: Field = must("radius", What::Number(LENGTH), "Radius.");
const FILE: Field =
    may("file", What::Text, "A file in STL, OBJ or glTF, from the folder of this one, instead of `points`.");
const SCALE: Field = may("scale", What::Number(RATIO), "Length of one unit of the file; 1 m if left out.");

macro_rules! shape {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        Kind { name: $name, doc: $doc, fields: &[ON, GROUPS, $($more),*] }
    };
}

/// By the word behind `shape =`.
pub(crate) const SURFACES: &[Kind] = &[
    shape!("sphere", "A ball.", [RADIUS]),
    shape!(
        "capsule",
        "A cylinder about z with round ends.",
        [RADIUS, must("length", What::Number(LENGTH), "Between the centres of the ends.")]
    ),
    shape!("box", "A block.", [must("size", What::Vector(&[3], LENGTH), "Edges along x, y, z.")]),
    shape!("cylinder", "A cylinder about z.", [RADIUS, must("length", What::Number(LENGTH), "Its length.")]),
    shape!("half_space", "All with z below 0.", []),
    shape!("convex", "The convex hull of points.", [may("points", What::Points(3), "The points."), FILE, SCALE]),
    shape!(
        "mesh",
        "A surface of triangles, solid behind it.",
        [
            may("points", What::Points(3), "Corners."),
            may(
                "triangles",
                What::Triangles,
                "Three numbers of points each, from 0, counter-clockwise seen from outside."
            ),
            FILE,
            SCALE
        ]
    ),
    shape!(
        "height_field",
        "Ground of given heights.",
        [
            must("size", What::Vector(&[2], LENGTH), "Extent along x and y."),
            must("heights", What::Lists(LENGTH), "Rows along x, from the least y to the greatest.")
        ]
    ),
    shape!("circle", "In the plane: a disc.", [RADIUS]),
    shape!("rectangle", "In the plane.", [must("size", What::Vector(&[2], LENGTH), "Sides along x and y.")]),
    shape!("polygon", "In the plane: convex.", [must("points", What::Points(2), "Corners.")]),
    shape!("line", "In the plane: all with y below 0.", []),
];

const COMPLIANT: &[Field] = &[
    must("stiffness", What::Number(PLAIN), "K of each point in N/m^p: the force is K depth^p (1 + dissipation rate)."),
    may("exponent", What::Number(PLAIN), "p: 1.5 for round surfaces (Hertz, if left out), 1 for flat ones."),
    may("dissipation", What::Number(SLOWNESS), "Of the law of Hunt and Crossley; 0 if left out."),
    may("transition", What::Number(VELOCITY), "Slip velocity at which friction is fully there; 1 mm/s if left out."),
];

pub(crate) const CONTACT: &[Field] = &[
    may("between", What::Between, "Two surfaces, or \"all\"."),
    may("groups", What::Groups, "One group (all pairs within it) or two, instead of `between`."),
    may("friction", What::Friction, "One coefficient, or { static, kinetic }; none if left out."),
    RESTITUTION_AND_IMPACT[0],
    RESTITUTION_AND_IMPACT[1],
    may("spin", What::Number(LENGTH), "Moment about the normal per normal force."),
    may("roll", What::Number(LENGTH), "Moment against rolling per normal force."),
    may("compliant", What::Table(COMPLIANT), "Surfaces that give way, instead of restitution, impact, spin and roll."),
];
