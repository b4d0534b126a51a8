//! Modal bodies and their nodes.

use super::beams::BEAM;
use super::{ANGULAR_VELOCITY, ANYTHING, Field, INERTIA, Kind, LENGTH, MASS, PLAIN, VELOCITY, What, may, must};

/// A node of a modal body, in a model or in a file of its own.
pub(crate) const NODE: &[Field] = &[
    must("at", What::Vector(&[2, 3], LENGTH), "Place in the frame at rest."),
    may("orientation", What::Orientation, "Its axes at rest, seen from the frame."),
    may("mass", What::Number(MASS), "Mass; none if left out."),
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
    doc: "A flexible body: a floating frame and a few shapes of its nodes NAME_0, NAME_1 …",
    fields: &[
        may("nodes", What::Section, "Nodes with their masses and shapes."),
        may("stiffness", What::Lists(ANYTHING), "Of `nodes`: K of the shapes, row by row."),
        may("file", What::Text, "A TOML or JSON file with `nodes` and `stiffness`, instead of these."),
        may("beam", What::Table(BEAM), "A beam to be reduced, as it lies in the frame; instead of `nodes`."),
        may(
            "held",
            What::Choice(&["cantilever", "pinned", "clamped"]),
            "Of `beam`: how it is held in the frame in its modes.",
        ),
        may(
            "interface",
            What::Numbers(PLAIN),
            "Of `beam`, instead of `held`: nodes of Craig and Bampton; the frame holds on to the first.",
        ),
        may("modes", What::Whole, "Of `beam`: how many normal modes, from the lowest."),
        may("keep", What::Numbers(PLAIN), "Of `beam`, instead of `modes`: which of them, counted from 1."),
        may(
            "added",
            What::Lists(ANYTHING),
            "Of `beam`: masses on nodes, [[node, mass], …], or discs, [[node, mass, Jxx, Jyy, Jzz], …].",
        ),
        may("shown", What::Numbers(PLAIN), "Of `beam`: nodes that carry markers; all if left out."),
        may("space", What::Choice(&["spatial", "planar"]), "Whether the frame moves in space or in the xy plane."),
        may("damping", What::Numbers(PLAIN), "Damping ratios of the natural modes: one for all, or one each."),
        may("damping_matrix", What::Lists(ANYTHING), "C of the shapes, row by row, instead of `damping`."),
        may(
            "stiffening",
            What::Choice(&["none", "centrifugal"]),
            "Of `beam`: whether rotation stiffens it; none if left out.",
        ),
        may("position", What::Vector(&[2, 3], LENGTH), "The frame at the start."),
        may("orientation", What::Orientation, "Orientation of the frame at the start."),
        may("velocity", What::Vector(&[2, 3], VELOCITY), "Velocity of the frame at the start."),
        may("angular_velocity", What::Vector(&[3], ANGULAR_VELOCITY), "Angular velocity at the start, world axes."),
        may("amplitudes", What::Numbers(LENGTH), "Of the shapes at the start; zero if left out."),
        may("rates", What::Numbers(VELOCITY), "Their rates at the start; zero if left out."),
        may("markers", What::Markers, "Frames fixed to the floating frame, by name."),
    ],
};
