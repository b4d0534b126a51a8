//! Modal bodies and their nodes.

use super::beams::BEAM;
use super::{ANGULAR_VELOCITY, ANYTHING, Field, INERTIA, Kind, LENGTH, MASS, PLAIN, VELOCITY, What, may, must};

/// A node of a modal body, in a model or in a file of its own.
pub(crate) const NODE: &[Field] = &[
    must("at", What::Vector(&[2, 3], LENGTH), "Undeformed position in the frame."),
    may("orientation", What::Orientation, "Undeformed axes relative to the frame."),
    may("mass", What::Number(MASS), "Mass; default: 0."),
    may("com", What::Vector(&[3], LENGTH), "Mass centre from the node, axes of the frame."),
    may(
        "inertia",
        What::Vector(&[3, 6], INERTIA),
        "About the mass centre, axes of the frame: xx, yy, zz (, xy, xz, yz).",
    ),
    must("phi", What::Lists(ANYTHING), "Its displacement in each shape, three numbers each, axes of the frame."),
    may("psi", What::Lists(ANYTHING), "Its rotation in each shape, three numbers each, axes of the frame."),
];

pub(super) const MODAL: Kind = Kind {
    name: "modal",
    doc: "A flexible body: a floating frame and mode shapes of its nodes NAME_0, NAME_1 …",
    fields: &[
        may("nodes", What::Section, "Nodes with their masses and shapes."),
        may("stiffness", What::Lists(ANYTHING), "Of `nodes`: K of the shapes, row by row."),
        may("file", What::Text, "A TOML or JSON file with `nodes` and `stiffness`, instead of these."),
        may("beam", What::Table(BEAM), "A beam to be reduced, in coordinates of the frame; instead of `nodes`."),
        may(
            "boundary_conditions",
            What::Choice(&["cantilever", "pinned", "clamped"]),
            "Of `beam`: boundary conditions of its modes in the frame.",
        ),
        may(
            "interface_nodes",
            What::Numbers(PLAIN),
            "Of `beam`, instead of `boundary_conditions`: interface nodes of the Craig–Bampton reduction; the frame is fixed to the first.",
        ),
        may("modes", What::Whole, "Of `beam`: number of normal modes, from the lowest."),
        may("selected_modes", What::Numbers(PLAIN), "Of `beam`, instead of `modes`: numbers of the modes, from 1."),
        may(
            "added_masses",
            What::Lists(ANYTHING),
            "Of `beam`: masses at nodes, [[node, mass], …], or discs, [[node, mass, Jxx, Jyy, Jzz], …].",
        ),
        may("marker_nodes", What::Numbers(PLAIN), "Of `beam`: nodes that have markers; default: all."),
        may("space", What::Choice(&["spatial", "planar"]), "Whether the frame moves in space or in the xy plane."),
        may("damping", What::Numbers(PLAIN), "Damping ratios of the natural modes: one for all, or one per mode."),
        may("damping_matrix", What::Lists(ANYTHING), "C of the shapes, row by row, instead of `damping`."),
        may(
            "stiffening",
            What::Choice(&["none", "centrifugal"]),
            "Of `beam`: geometric stiffening by rotation; default: none.",
        ),
        may("position", What::Vector(&[2, 3], LENGTH), "Position of the frame at the start."),
        may("orientation", What::Orientation, "Orientation of the frame at the start."),
        may("velocity", What::Vector(&[2, 3], VELOCITY), "Velocity of the frame at the start."),
        may("angular_velocity", What::Vector(&[3], ANGULAR_VELOCITY), "Angular velocity at the start, world axes."),
        may("amplitudes", What::Numbers(LENGTH), "Amplitudes of the shapes at the start; default: 0."),
        may("amplitude_rates", What::Numbers(VELOCITY), "Rates of the amplitudes at the start; default: 0."),
        may("markers", What::Markers, "Named frames fixed to the floating frame."),
    ],
};
