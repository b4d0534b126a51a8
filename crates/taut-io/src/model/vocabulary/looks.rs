//! Appearance of bodies in pictures.

use super::{Field, Kind, LENGTH, RATIO, What, may, must};

const AT: Field = may("at", What::Vector(&[2, 3], LENGTH), "Its origin in body axes.");
const TURNED: Field = may("orientation", What::Orientation, "Its axes relative to those of the body.");
const COLOUR: Field = may("colour", What::Text, "Colour as \"#rrggbb\".");
const RADIUS: Field = must("radius", What::Number(LENGTH), "Radius.");

macro_rules! look {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        Kind { name: $name, doc: $doc, fields: &[$($more,)* AT, TURNED, COLOUR] }
    };
}

pub(crate) const LOOKS: &[Kind] = &[
    look!("box", "A block.", [must("size", What::Vector(&[3], LENGTH), "Edges along x, y, z.")]),
    look!("sphere", "A ball; in the plane a disc.", [RADIUS]),
    look!("cylinder", "A cylinder about z.", [RADIUS, must("length", What::Number(LENGTH), "Its length.")]),
    look!(
        "capsule",
        "A cylinder about z with round ends.",
        [RADIUS, must("length", What::Number(LENGTH), "Distance between the centres of the ends.")]
    ),
    look!("ellipsoid", "An ellipsoid.", [must("radii", What::Vector(&[3], LENGTH), "Semi-axes along x, y, z.")]),
    look!(
        "polygon",
        "A flat polygon in the xy plane.",
        [must("points", What::Points(2), "Corners, counter-clockwise.")]
    ),
    look!(
        "mesh",
        "A surface of triangles.",
        [
            may(
                "file",
                What::Text,
                "An STL, OBJ or glTF file, instead of `points`; its path is relative to the folder of this file."
            ),
            may("scale", What::Number(RATIO), "Length of one unit of the file; default: 1 m."),
            may("points", What::Points(3), "Corners."),
            may("triangles", What::Triangles, "Three indices of points each, from 0.")
        ]
    ),
];
