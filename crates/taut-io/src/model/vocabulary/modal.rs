//! Modal bodies and their nodes.

use super::beams::BEAM;
use super::{
    ANGULAR_VELOCITY, ANY_QUANTITY, DIMENSIONLESS, ElementKind, Field, FieldType, INERTIA, LENGTH, MASS, VELOCITY,
    optional, required,
};

/// A node of a modal body, in a model or in a file of its own.
pub(crate) const NODE: &[Field] = &[
    required("at", FieldType::Vector(&[2, 3], LENGTH), "Undeformed position in the frame."),
    optional("orientation", FieldType::Orientation, "Undeformed axes relative to the frame."),
    optional("mass", FieldType::Number(MASS), "Mass; default: 0."),
    optional("com", FieldType::Vector(&[3], LENGTH), "Mass centre from the node, axes of the frame."),
    optional(
        "inertia",
        FieldType::Vector(&[3, 6], INERTIA),
        "About the mass centre, axes of the frame: xx, yy, zz (, xy, xz, yz).",
    ),
    required(
        "phi",
        FieldType::NumberLists(ANY_QUANTITY),
        "Its displacement in each shape, three numbers each, axes of the frame.",
    ),
    optional(
        "psi",
        FieldType::NumberLists(ANY_QUANTITY),
        "Its rotation in each shape, three numbers each, axes of the frame.",
    ),
];

pub(super) const MODAL: ElementKind = ElementKind {
    name: "modal",
    doc: "A flexible body: a floating frame and mode shapes of its nodes NAME_0, NAME_1 …",
    fields: &[
        optional("nodes", FieldType::Section, "Nodes with their masses and shapes."),
        optional("stiffness", FieldType::NumberLists(ANY_QUANTITY), "Of `nodes`: K of the shapes, row by row."),
        optional("file", FieldType::String, "A TOML or JSON file with `nodes` and `stiffness`, instead of these."),
        optional(
            "beam",
            FieldType::Table(BEAM),
            "A beam to be reduced, in coordinates of the frame; instead of `nodes`.",
        ),
        optional(
            "boundary_conditions",
            FieldType::Choice(&["cantilever", "pinned", "clamped"]),
            "Of `beam`: boundary conditions of its modes in the frame.",
        ),
        optional(
            "interface_nodes",
            FieldType::Numbers(DIMENSIONLESS),
            "Of `beam`, instead of `boundary_conditions`: interface nodes of the Craig–Bampton reduction; the frame is fixed to the first.",
        ),
        optional("modes", FieldType::Integer, "Of `beam`: number of normal modes, from the lowest."),
        optional(
            "selected_modes",
            FieldType::Numbers(DIMENSIONLESS),
            "Of `beam`, instead of `modes`: numbers of the modes, from 1.",
        ),
        optional(
            "added_masses",
            FieldType::NumberLists(ANY_QUANTITY),
            "Of `beam`: masses at nodes, [[node, mass], …], or discs, [[node, mass, Jxx, Jyy, Jzz], …].",
        ),
        optional(
            "marker_nodes",
            FieldType::Numbers(DIMENSIONLESS),
            "Of `beam`: nodes that have markers; default: all.",
        ),
        optional(
            "space",
            FieldType::Choice(&["spatial", "planar"]),
            "Whether the frame moves in space or in the xy plane.",
        ),
        optional(
            "damping",
            FieldType::Numbers(DIMENSIONLESS),
            "Damping ratios of the natural modes: one for all, or one per mode.",
        ),
        optional(
            "damping_matrix",
            FieldType::NumberLists(ANY_QUANTITY),
            "C of the shapes, row by row, instead of `damping`.",
        ),
        optional(
            "stiffening",
            FieldType::Choice(&["none", "centrifugal"]),
            "Of `beam`: geometric stiffening by rotation; default: none.",
        ),
        optional("position", FieldType::Vector(&[2, 3], LENGTH), "Position of the frame at the start."),
        optional("orientation", FieldType::Orientation, "Orientation of the frame at the start."),
        optional("velocity", FieldType::Vector(&[2, 3], VELOCITY), "Velocity of the frame at the start."),
        optional(
            "angular_velocity",
            FieldType::Vector(&[3], ANGULAR_VELOCITY),
            "Angular velocity at the start, world axes.",
        ),
        optional("amplitudes", FieldType::Numbers(LENGTH), "Amplitudes of the shapes at the start; default: 0."),
        optional("amplitude_rates", FieldType::Numbers(VELOCITY), "Rates of the amplitudes at the start; default: 0."),
        optional("markers", FieldType::Markers, "Named frames fixed to the floating frame."),
    ],
};
