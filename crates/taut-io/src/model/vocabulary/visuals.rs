//! Appearance of bodies in pictures.

use super::{ElementKind, Field, FieldType, LENGTH, RATIO, optional, required};

const AT: Field = optional("at", FieldType::Vector(&[2, 3], LENGTH), "Its origin in body axes.");
const ORIENTATION: Field = optional("orientation", FieldType::Orientation, "Its axes relative to those of the body.");
const COLOUR: Field = optional("colour", FieldType::String, "Colour as \"#rrggbb\".");
const RADIUS: Field = required("radius", FieldType::Number(LENGTH), "Radius.");

macro_rules! look {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        ElementKind { name: $name, doc: $doc, fields: &[$($more,)* AT, ORIENTATION, COLOUR] }
    };
}

pub(crate) const VISUALS: &[ElementKind] = &[
    look!("box", "A block.", [required("size", FieldType::Vector(&[3], LENGTH), "Edges along x, y, z.")]),
    look!("sphere", "A ball; in the plane a disc.", [RADIUS]),
    look!("cylinder", "A cylinder about z.", [RADIUS, required("length", FieldType::Number(LENGTH), "Its length.")]),
    look!(
        "capsule",
        "A cylinder about z with round ends.",
        [RADIUS, required("length", FieldType::Number(LENGTH), "Distance between the centres of the ends.")]
    ),
    look!(
        "ellipsoid",
        "An ellipsoid.",
        [required("radii", FieldType::Vector(&[3], LENGTH), "Semi-axes along x, y, z.")]
    ),
    look!(
        "polygon",
        "A flat polygon in the xy plane.",
        [required("points", FieldType::Points(2), "Corners, counter-clockwise.")]
    ),
    look!(
        "mesh",
        "A surface of triangles.",
        [
            optional(
                "file",
                FieldType::String,
                "An STL, OBJ or glTF file, instead of `points`; its path is relative to the folder of this file."
            ),
            optional("scale", FieldType::Number(RATIO), "Length of one unit of the file; default: 1 m."),
            optional("points", FieldType::Points(3), "Corners."),
            optional("triangles", FieldType::Triangles, "Three indices of points each, from 0.")
        ]
    ),
];
