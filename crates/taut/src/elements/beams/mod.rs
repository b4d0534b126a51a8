//! Beams: nodes along a line with finite-volume elements between them.
//!
//! A node is an ordinary body (rigid, or planar), an element a force between nodes, so that joints, forces, contacts and
//! measures work on nodes as on any body. A [`Beam`] is the data of a whole line;
//! [`Spec::build`](crate::Spec::build) turns it into the bodies `NAME_0` … `NAME_n` and the forces `NAME.e1` …
//!
//! The elements are geometrically exact: rotations of any size, strains as in \[Masarati2010\], appendix (two nodes),
//! and \[GhiringhelliMasaratiMantegazza2000\] (three nodes). M has one block per body; the inertia of
//! \[FumagalliMasarati2009\] eqs. (69)-(74) couples neighbouring nodes, which are then members of one body
//! ([`BeamNodes`](crate::bodies::BeamNodes)) and keep their names.

mod curve;
mod cut;
mod element;
mod parts;
mod planar;
mod rotation;
mod section;
mod section_shapes;
mod start;
mod variational;
mod volumes;

pub use curve::Curve;
pub use element::{BeamElement, MotionSpace};
pub(crate) use parts::BeamParts;
pub(crate) use rotation::RotationVector;
pub use section::{Section, Shear};
pub use section_shapes::{Material, SectionShape};
pub(crate) use volumes::Volumes;

use serde::{Deserialize, Serialize};

/// Number of nodes of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementType {
    /// Two.
    #[default]
    TwoNode,
    /// Three: a beam of n elements has 2 n + 1 nodes.
    ThreeNode,
    /// Three, with forces that are the derivatives of the strain energy instead of finite volumes; its inertia is lumped.
    Variational,
}

/// How the inertia of a beam is assigned to its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InertiaModel {
    /// Only the inertia of the section rotates with a node.
    Lumped,
    /// The piece of beam around a node rotates with it like a rigid rod.
    #[default]
    FiniteVolume,
    /// Accelerations are interpolated between nodes: M is dense and not symmetric, and has no kinetic energy.
    Consistent,
}

/// A beam.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // The deflection of a cantilever under a tip load: F l³/(3 EI) while it is small, and F l/GA by shear.
/// let section = Section::diagonal([1e6, 1e6, 1e6, 1e2, 1e2, 1e2], 1.0, [1e-3; 3]); // EA, GA, GA, GJ, EI, EI
/// let force = [Signal::constant(0.0), Signal::constant(0.01), Signal::constant(0.0)];
/// let mut spec = Spec::new();
/// spec.beam("beam", Beam::straight([0.0; 3], [1.0, 0.0, 0.0], section, 8))
///     .constraint("root", Joint::fixed("ground", "beam_0"))
///     .force("load", Applied::force("beam_8", force));
/// let model = spec.build()?;
/// let found = statics(&model, &model.initial_state(), &Statics::default())?;
/// let tip = found.state.q[model.bodies[8].q.start + 1];
/// assert!((tip / (0.01 / 300.0 + 0.01 / 1e6) - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beam {
    /// Its line in the given shape, which is free of strain.
    pub curve: Curve,
    /// Its section.
    pub section: Section,
    /// Number of elements.
    pub elements: usize,
    /// Number of nodes of each element.
    #[serde(rename = "element_type", default)]
    pub element_type: ElementType,
    /// Whether it moves in space or in the xy plane.
    #[serde(default)]
    pub space: MotionSpace,
    /// The inertia of its nodes.
    #[serde(rename = "inertia_model", default)]
    pub inertia_model: InertiaModel,
    /// The shear stiffness of two-node elements.
    #[serde(default)]
    pub shear: Shear,
    /// Direction of the section's y axis at the first node; default: parallel to the xy plane.
    #[serde(rename = "section_y", default, skip_serializing_if = "Option::is_none")]
    pub section_y: Option<[f64; 3]>,
    /// Angle by which the section rotates about the line from first to last node, rad.
    #[serde(default)]
    pub twist: f64,
    /// Velocity of the first node at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity of the whole beam at the start, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Coordinates and velocities of each node at the start, as of a rigid (in the plane: planar) body; default: the given
    /// shape.
    #[serde(rename = "node_states", default, skip_serializing_if = "Vec::is_empty")]
    pub node_states: Vec<Vec<f64>>,
}

impl Beam {
    /// Along any line, in space, with two-node elements.
    pub fn new(curve: Curve, section: Section, elements: usize) -> Beam {
        Beam {
            curve,
            section,
            elements,
            element_type: ElementType::default(),
            space: MotionSpace::default(),
            inertia_model: InertiaModel::default(),
            shear: Shear::default(),
            section_y: None,
            twist: 0.0,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            node_states: Vec::new(),
        }
    }

    /// Straight, in space, with two-node elements.
    pub fn straight(from: [f64; 3], to: [f64; 3], section: Section, elements: usize) -> Beam {
        Beam::new(Curve::Straight { from, to }, section, elements)
    }

    /// The same in the xy plane.
    pub fn planar(self) -> Beam {
        Beam { space: MotionSpace::Planar, ..self }
    }

    /// The same with three-node elements.
    pub fn three_node(self) -> Beam {
        Beam { element_type: ElementType::ThreeNode, ..self }
    }

    /// The same with variational elements and their lumped inertia.
    pub fn variational(self) -> Beam {
        Beam { element_type: ElementType::Variational, inertia_model: InertiaModel::Lumped, ..self }
    }
}
