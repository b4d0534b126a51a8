//! Beams and their sections.

use super::{
    ANGLE, ANGULAR_VELOCITY, ANY_QUANTITY, DENSITY, DIMENSIONLESS, EFFORT, ElementKind, Field, FieldType, LENGTH,
    RATIO, TIME, VELOCITY, expected_quantity, optional, required,
};
use crate::model::scope::ExpectedQuantity;
use crate::model::units::Dimension;

const MODULUS: ExpectedQuantity = expected_quantity("a modulus of elasticity", "GPa", &[Dimension::of(-1, 1, -2, 0)]);
const LINEAR_DENSITY: ExpectedQuantity =
    expected_quantity("a mass per length", "kg/m", &[Dimension::MASS.per(Dimension::LENGTH)]);
const LINEAR_INERTIA: ExpectedQuantity =
    expected_quantity("a moment of inertia per length", "kg*m", &[Dimension::of(1, 1, 0, 0)]);
const BENDING_STIFFNESS: Dimension = Dimension::TORQUE.times(Dimension::LENGTH, 1);
/// EA, GA in N, GJ, EI in N m², couplings in N m; per strain rate the same times s.
const SECTION_STIFFNESS: ExpectedQuantity =
    expected_quantity("a stiffness of a section", "N", &[Dimension::FORCE, Dimension::TORQUE, BENDING_STIFFNESS]);
const SECTION_VISCOSITY: ExpectedQuantity = expected_quantity(
    "a viscosity of a section",
    "N*s",
    &[
        Dimension::FORCE.times(Dimension::TIME, 1),
        Dimension::TORQUE.times(Dimension::TIME, 1),
        BENDING_STIFFNESS.times(Dimension::TIME, 1),
    ],
);

const CENTRE: FieldType = FieldType::Vector(&[2], LENGTH);
const DAMPING: Field =
    optional("damping", FieldType::Number(TIME), "Viscous stresses per strain rate, as a factor of the elastic law.");
const VISCOSITY: Field = optional(
    "viscosity",
    FieldType::Coefficients(SECTION_VISCOSITY),
    "Additional viscous law: six numbers or a 6×6 matrix.",
);
const PRESTRESS: Field =
    optional("prestress", FieldType::Vector(&[6], EFFORT), "N, Qy, Qz, Mx, My, Mz in the given shape.");

macro_rules! made_of {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        ElementKind { name: $name, doc: $doc, fields: &[
            $($more,)*
            required("E", FieldType::Number(MODULUS), "Young's modulus."),
            optional("nu", FieldType::Number(DIMENSIONLESS), "Poisson's ratio."),
            optional("G", FieldType::Number(MODULUS), "Shear modulus, instead of `nu`."),
            required("density", FieldType::Number(DENSITY), "Density."),
            optional("shear_factors", FieldType::Vector(&[2], DIMENSIONLESS), "Shear correction factors for Qy and Qz; default: 5/6, or Cowper's value for circles."),
            optional("centre", CENTRE, "y and z of its centre; default: on the line of the beam."),
            DAMPING, VISCOSITY, PRESTRESS,
        ] }
    };
}

/// Selected by `shape`.
pub(crate) const SECTIONS: &[ElementKind] = &[
    made_of!(
        "rectangle",
        "A solid rectangle.",
        [
            required("width", FieldType::Number(LENGTH), "Side along y of the section."),
            required("height", FieldType::Number(LENGTH), "Side along z of the section.")
        ]
    ),
    made_of!("circle", "A solid circle.", [required("radius", FieldType::Number(LENGTH), "Radius.")]),
    made_of!(
        "tube",
        "A circular tube.",
        [
            required("radius", FieldType::Number(LENGTH), "Outer radius."),
            required("wall_thickness", FieldType::Number(LENGTH), "Wall thickness.")
        ]
    ),
    ElementKind {
        name: "general",
        doc: "Any section, given by its properties.",
        fields: &[
            required(
                "stiffness",
                FieldType::Coefficients(SECTION_STIFFNESS),
                "EA, GAy, GAz, GJ, EIy, EIz about the centres, or the 6×6 matrix of N, Qy, Qz, Mx, My, Mz.",
            ),
            optional("elastic_centre", CENTRE, "y and z of the point at which a normal force causes no bending."),
            optional("shear_centre", CENTRE, "y and z of the point at which a shear force causes no twist."),
            required("mass", FieldType::Number(LINEAR_DENSITY), "Mass per length."),
            optional("mass_centre", CENTRE, "y and z of the mass centre."),
            required(
                "inertia",
                FieldType::Vector(&[3, 6], LINEAR_INERTIA),
                "Per length, about the mass centre: xx, yy, zz (, xy, xz, yz).",
            ),
            DAMPING,
            VISCOSITY,
            PRESTRESS,
        ],
    },
];

pub(crate) const ARC: &[Field] = &[
    required("from", FieldType::Vector(&[2, 3], LENGTH), "First point."),
    required("centre", FieldType::Vector(&[2, 3], LENGTH), "A point of the axis."),
    optional("axis", FieldType::Vector(&[3], RATIO), "Direction of the axis; default: z."),
    required("angle", FieldType::Number(ANGLE), "Angle from the first point to the last."),
    optional(
        "rise",
        FieldType::Number(LENGTH),
        "Distance along the axis from the first point to the last; default: 0.",
    ),
];

pub(crate) const BEAM: &[Field] = &[
    optional("from", FieldType::Vector(&[2, 3], LENGTH), "First point of a straight beam."),
    optional("to", FieldType::Vector(&[2, 3], LENGTH), "Last point of a straight beam."),
    optional("arc", FieldType::Table(ARC), "An arc or a coil, instead of `from` and `to`."),
    optional("points", FieldType::NumberLists(LENGTH), "Points of a smooth curve, instead of `from` and `to`."),
    required("section", FieldType::Kinds("shape", SECTIONS, "section"), "Cross-section."),
    required("elements", FieldType::Integer, "Number of elements."),
    optional(
        "element_type",
        FieldType::Choice(&["two_node", "three_node", "variational"]),
        "Number of nodes; variational elements have three nodes and derive their forces from the stored energy. Default: two_node.",
    ),
    optional(
        "space",
        FieldType::Choice(&["spatial", "planar"]),
        "Whether it moves in space (default) or in the xy plane.",
    ),
    optional(
        "inertia_model",
        FieldType::Choice(&["lumped", "finite_volume", "consistent"]),
        "Mass model; default: finite_volume, or lumped for variational elements.",
    ),
    optional(
        "shear",
        FieldType::Choice(&["corrected", "plain"]),
        "Shear stiffness of two-node elements; default: corrected.",
    ),
    optional(
        "section_y",
        FieldType::Vector(&[3], RATIO),
        "Direction of the y axis of the section at the first node; default: horizontal.",
    ),
    optional(
        "twist",
        FieldType::Number(ANGLE),
        "Rotation of the section about the line from the first node to the last.",
    ),
    optional("velocity", FieldType::Vector(&[3], VELOCITY), "Velocity of the first node at the start."),
    optional(
        "angular_velocity",
        FieldType::Vector(&[3], ANGULAR_VELOCITY),
        "Angular velocity of the whole beam at the start.",
    ),
    optional(
        "node_states",
        FieldType::NumberLists(ANY_QUANTITY),
        "State of each node at the start, if it differs from the given shape: x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz; planar: x, \
         y, theta, vx, vy, omega.",
    ),
];
