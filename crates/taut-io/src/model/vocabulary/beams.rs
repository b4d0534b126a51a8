//! Beams and their sections.

use super::{
    ANGLE, ANGULAR_VELOCITY, ANYTHING, DENSITY, EFFORT, Field, Kind, LENGTH, PLAIN, RATIO, TIME, VELOCITY, What, asked,
    may, must,
};
use crate::model::scope::Asked;
use crate::model::units::Dimension;

const MODULUS: Asked = asked("a modulus of elasticity", "GPa", &[Dimension::of(-1, 1, -2, 0)]);
const LINEAR_DENSITY: Asked = asked("a mass per length", "kg/m", &[Dimension::MASS.per(Dimension::LENGTH)]);
const LINEAR_INERTIA: Asked = asked("a moment of inertia per length", "kg*m", &[Dimension::of(1, 1, 0, 0)]);
const BENDING: Dimension = Dimension::TORQUE.times(Dimension::LENGTH, 1);
/// EA, GA in N, GJ, EI in N m², couplings in N m; per strain rate the same times s.
const STIFF: Asked = asked("a stiffness of a section", "N", &[Dimension::FORCE, Dimension::TORQUE, BENDING]);
const VISCOUS: Asked = asked(
    "a viscosity of a section",
    "N*s",
    &[
        Dimension::FORCE.times(Dimension::TIME, 1),
        Dimension::TORQUE.times(Dimension::TIME, 1),
        BENDING.times(Dimension::TIME, 1),
    ],
);

const CENTRE: What = What::Vector(&[2], LENGTH);
const DAMPING: Field =
    may("damping", What::Number(TIME), "Viscous stresses per strain rate, as a factor of the elastic law.");
const VISCOSITY: Field =
    may("viscosity", What::Coefficients(VISCOUS), "Additional viscous law: six numbers or a 6×6 matrix.");
const PRESTRESS: Field = may("prestress", What::Vector(&[6], EFFORT), "N, Qy, Qz, Mx, My, Mz in the given shape.");

macro_rules! made_of {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        Kind { name: $name, doc: $doc, fields: &[
            $($more,)*
            must("E", What::Number(MODULUS), "Young's modulus."),
            may("nu", What::Number(PLAIN), "Poisson's ratio."),
            may("G", What::Number(MODULUS), "Shear modulus, instead of `nu`."),
            must("density", What::Number(DENSITY), "Density."),
            may("shear_factors", What::Vector(&[2], PLAIN), "Shear correction factors for Qy and Qz; default: 5/6, or Cowper's value for circles."),
            may("centre", CENTRE, "y and z of its centre; default: on the line of the beam."),
            DAMPING, VISCOSITY, PRESTRESS,
        ] }
    };
}

/// Selected by `shape`.
pub(crate) const SECTIONS: &[Kind] = &[
    made_of!(
        "rectangle",
        "A solid rectangle.",
        [
            must("width", What::Number(LENGTH), "Side along y of the section."),
            must("height", What::Number(LENGTH), "Side along z of the section.")
        ]
    ),
    made_of!("circle", "A solid circle.", [must("radius", What::Number(LENGTH), "Radius.")]),
    made_of!(
        "tube",
        "A circular tube.",
        [
            must("radius", What::Number(LENGTH), "Outer radius."),
            must("wall_thickness", What::Number(LENGTH), "Wall thickness.")
        ]
    ),
    Kind {
        name: "general",
        doc: "Any section, given by its properties.",
        fields: &[
            must(
                "stiffness",
                What::Coefficients(STIFF),
                "EA, GAy, GAz, GJ, EIy, EIz about the centres, or the 6×6 matrix of N, Qy, Qz, Mx, My, Mz.",
            ),
            may("elastic_centre", CENTRE, "y and z of the point at which a normal force causes no bending."),
            may("shear_centre", CENTRE, "y and z of the point at which a shear force causes no twist."),
            must("mass", What::Number(LINEAR_DENSITY), "Mass per length."),
            may("mass_centre", CENTRE, "y and z of the mass centre."),
            must(
                "inertia",
                What::Vector(&[3, 6], LINEAR_INERTIA),
                "Per length, about the mass centre: xx, yy, zz (, xy, xz, yz).",
            ),
            DAMPING,
            VISCOSITY,
            PRESTRESS,
        ],
    },
];

pub(crate) const ARC: &[Field] = &[
    must("from", What::Vector(&[2, 3], LENGTH), "First point."),
    must("centre", What::Vector(&[2, 3], LENGTH), "A point of the axis."),
    may("axis", What::Vector(&[3], RATIO), "Direction of the axis; default: z."),
    must("angle", What::Number(ANGLE), "Angle from the first point to the last."),
    may("rise", What::Number(LENGTH), "Distance along the axis from the first point to the last; default: 0."),
];

pub(crate) const BEAM: &[Field] = &[
    may("from", What::Vector(&[2, 3], LENGTH), "First point of a straight beam."),
    may("to", What::Vector(&[2, 3], LENGTH), "Last point of a straight beam."),
    may("arc", What::Table(ARC), "An arc or a coil, instead of `from` and `to`."),
    may("points", What::Lists(LENGTH), "Points of a smooth curve, instead of `from` and `to`."),
    must("section", What::Kinds("shape", SECTIONS, "section"), "Cross-section."),
    must("elements", What::Whole, "Number of elements."),
    may(
        "element_type",
        What::Choice(&["two_node", "three_node", "variational"]),
        "Number of nodes; variational elements have three nodes and derive their forces from the stored energy. Default: two_node.",
    ),
    may("space", What::Choice(&["spatial", "planar"]), "Whether it moves in space (default) or in the xy plane."),
    may(
        "inertia_model",
        What::Choice(&["lumped", "finite_volume", "consistent"]),
        "Mass model; default: finite_volume, or lumped for variational elements.",
    ),
    may("shear", What::Choice(&["corrected", "plain"]), "Shear stiffness of two-node elements; default: corrected."),
    may(
        "section_y",
        What::Vector(&[3], RATIO),
        "Direction of the y axis of the section at the first node; default: horizontal.",
    ),
    may("twist", What::Number(ANGLE), "Rotation of the section about the line from the first node to the last."),
    may("velocity", What::Vector(&[3], VELOCITY), "Velocity of the first node at the start."),
    may("angular_velocity", What::Vector(&[3], ANGULAR_VELOCITY), "Angular velocity of the whole beam at the start."),
    may(
        "node_states",
        What::Lists(ANYTHING),
        "State of each node at the start, if it differs from the given shape: x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz; planar: x, \
         y, theta, vx, vy, omega.",
    ),
];
