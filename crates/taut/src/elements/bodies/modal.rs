//! A flexible body with a few shapes.

mod axial_stiffening;
mod body;
mod inertia;
mod rotary_inertia;
mod shapes;

pub(crate) use shapes::MAX_SHAPES;
pub use shapes::{
    AddedMass, BeamSupport, Flexibility, ModalDamping, ModalNode, ModalNodes, ModeSelection, ReducedBeam,
};

use super::ritz::Member;
use super::{Body, BodyKind, PlanarBody, RigidBody};
use crate::beams::{Beam, MotionSpace, RotationVector};
use crate::error::ParameterError;
use crate::marker::MarkerAxes;
use crate::motion::{Mat3, Motion, Orientation, Vec3, quaternion_of_rotation};
use axial_stiffening::AxialStiffening;
use inertia::ModalInertia;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whether rotation stiffens the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stiffening {
    /// The stiffness of the shapes is that at rest.
    #[default]
    None,
    /// Centrifugal loads add geometric stiffness to the shapes of a beam.
    Centrifugal,
}

/// A flexible body: a floating frame and a few shapes, q = (p, unit quaternion, a), v = (v of the frame, ω, ȧ).
///
/// Node i is at r_i + Φ_i a in the frame and is rotated by the rotation vector Ψ_i a. M, the gyroscopic terms and gravity
/// come from the masses of the nodes and from their rotary inertia, which rotates with them.
/// V = ½ aᵀ K a, and C ȧ dissipates. p, v and ω are in world axes as for a rigid body; in the plane q = (x, y, θ, a). As in
/// \[Masarati2010\] §4.2, \[Shabana2013\].
///
/// Nodes are named `NAME_0`, `NAME_1` … like those of a beam, and frames can be attached to them as to bodies. What is
/// attached to `NAME` itself is attached to the floating frame; a load there deforms nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Modal {
    /// Its nodes and shapes.
    pub flexibility: Flexibility,
    /// Whether the frame moves in space or in the xy plane.
    #[serde(default)]
    pub space: MotionSpace,
    /// Damping.
    #[serde(default)]
    pub damping: ModalDamping,
    /// Stiffening by rotation.
    #[serde(default)]
    pub stiffening: Stiffening,
    /// Position of the frame at the start, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation of the frame at the start; in the plane about z.
    #[serde(default)]
    pub orientation: Orientation,
    /// Velocity of the frame at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity of the frame at the start, world axes, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Amplitudes of the shapes at the start, m; default: zero.
    #[serde(default)]
    pub amplitudes: Vec<f64>,
    /// Their rates, m/s.
    #[serde(rename = "amplitude_rates", default)]
    pub amplitude_rates: Vec<f64>,
    #[serde(skip)]
    derived: Arc<ModalData>,
}

/// Data derived from the parameters.
#[derive(Debug, Default)]
struct ModalData {
    inertia: ModalInertia,
    K: DMatrix<f64>,
    C: DMatrix<f64>,
    /// Nodes with markers.
    nodes: Vec<MarkerNode>,
    /// The same nodes as named members.
    members: Vec<Member>,
    /// Geometric stiffness of the shapes from axial loads.
    axial_stiffening: AxialStiffening,
}

/// A node with markers.
#[derive(Clone, Debug)]
struct MarkerNode {
    r: Vec3,
    R: Mat3,
    phi: Vec<Vec3>,
    psi: Vec<Vec3>,
}

/// Rotation θ = Ψ a of a node and the offset of a marker from it, axes of the frame.
struct NodeOffset {
    turn: RotationVector,
    d: Vec3,
}

impl MarkerNode {
    fn sum(shapes: &[Vec3], a: &[f64]) -> Vec3 {
        shapes.iter().zip(a).fold(Vec3::zeros(), |sum, (s, a)| sum + s * *a)
    }

    fn offset(&self, a: &[f64], p: &Vec3) -> NodeOffset {
        let turn = RotationVector::new(MarkerNode::sum(&self.psi, a));
        NodeOffset { d: turn.exp() * (self.R * p), turn }
    }
}

impl Modal {
    /// At rest in the origin, in space, without damping.
    pub fn new(flexibility: Flexibility) -> Modal {
        Modal {
            flexibility,
            space: MotionSpace::default(),
            damping: ModalDamping::default(),
            stiffening: Stiffening::default(),
            position: [0.0; 3],
            orientation: Orientation::default(),
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            amplitudes: Vec::new(),
            amplitude_rates: Vec::new(),
            derived: Arc::default(),
        }
    }

    /// From nodes with given shapes.
    pub fn from_nodes(nodes: Vec<ModalNode>, stiffness: Vec<Vec<f64>>) -> Modal {
        Modal::new(Flexibility::Nodes(ModalNodes { nodes, stiffness }))
    }

    /// From a beam supported in the frame; it moves in space or in the plane as the beam does.
    pub fn from_beam(beam: Beam, held: BeamSupport, modes: ModeSelection) -> Modal {
        let space = beam.space;
        let reduced = ReducedBeam { beam, held, modes, added: Vec::new(), shown: Vec::new() };
        Modal { space, ..Modal::new(Flexibility::Beam(Box::new(reduced))) }
    }

    /// Number of shapes, once the model is built.
    pub fn shape_count(&self) -> usize {
        self.derived.K.nrows()
    }

    /// Total mass of the nodes, once the model is built.
    pub fn total_mass(&self) -> f64 {
        self.derived.inertia.mass
    }

    /// Takes a state of this body as its initial state.
    pub fn set_start(&mut self, q: &[f64], v: &[f64]) {
        let (mut own, (nv, nq)) = (Motion::REST, self.rigid_sizes());
        self.frame_pose(q, &mut own);
        self.frame_twist(q, v, &mut own);
        (self.position, self.velocity, self.angular_velocity) = (own.p.into(), own.v.into(), own.w.into());
        self.orientation = match self.space {
            MotionSpace::Planar => Orientation::RotationVector([0.0, 0.0, q[2]]),
            MotionSpace::Spatial => Orientation::Quaternion(quaternion_of_rotation(&own.R)),
        };
        (self.amplitudes, self.amplitude_rates) = (q[nq..].to_vec(), v[nv..].to_vec());
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.derived.members
    }

    /// The same with all data derived from its nodes and their shapes, from the geometric stiffnesses G of a rotation, and from
    /// the nodes that have markers (all if none is named).
    pub(crate) fn with_nodes(
        &self,
        name: &str,
        given: &ModalNodes,
        G: &[DMatrix<f64>],
        shown: &[usize],
    ) -> Result<Modal, ParameterError> {
        given.check()?;
        let inertia = ModalInertia::new(&given.nodes, G, self.space);
        let n = inertia.S1.len();
        let K = shapes::symmetric_matrix("stiffness", &given.stiffness, n)?;
        let C = self.damping.matrix(&inertia.undeformed_shape_mass(), &K)?;
        let shown = if shown.is_empty() { (0..given.nodes.len()).collect() } else { shown.to_vec() };
        let gains = match &self.flexibility {
            Flexibility::Beam(_) => AxialStiffening::new(&given.nodes, &shown),
            Flexibility::Nodes(_) => AxialStiffening::default(),
        };
        let vectors = |list: &[[f64; 3]]| list.iter().map(|x| Vec3::from(*x)).collect::<Vec<_>>();
        let (mut nodes, mut members) = (Vec::new(), Vec::new());
        for k in shown {
            let Some(node) = given.nodes.get(k) else {
                let what = format!("there is no node {k}, the last is {}", given.nodes.len().saturating_sub(1));
                return Err(ParameterError::invalid("marker_nodes", what));
            };
            let R = node.orientation.matrix().map_err(|what| ParameterError::invalid("orientation", what))?;
            let (phi, psi) = (vectors(&node.phi), vectors(&node.psi));
            nodes.push(MarkerNode { r: Vec3::from(node.at), R, phi, psi });
            members.push(self.member(&Beam::node_name(name, k), nodes.last()));
        }
        let inside = Arc::new(ModalData { inertia, K, C, nodes, members, axial_stiffening: gains });
        Ok(Modal { derived: inside, ..self.clone() })
    }

    /// A node as a named member: a body at the initial pose of the node.
    fn member(&self, name: &str, node: Option<&MarkerNode>) -> Member {
        let R_WF = self.orientation.matrix().unwrap_or_else(|_| Mat3::identity());
        let (r, R) = node.map_or((Vec3::zeros(), Mat3::identity()), |c| {
            let sum = |shapes: &[Vec3]| shapes.iter().zip(&self.amplitudes).fold(Vec3::zeros(), |x, (s, a)| x + s * *a);
            (c.r + sum(&c.phi), nalgebra::Rotation3::new(sum(&c.psi)).into_inner() * c.R)
        });
        let (p, R) = (Vec3::from(self.position) + R_WF * r, R_WF * R);
        let (kind, start): (BodyKind, Vec<f64>) = match self.space {
            MotionSpace::Planar => {
                let angle = R[(1, 0)].atan2(R[(0, 0)]);
                (PlanarBody::new(1.0, 1.0).into(), vec![p.x, p.y, angle])
            }
            MotionSpace::Spatial => {
                let e = quaternion_of_rotation(&R);
                (RigidBody::new(1.0, [1.0; 3]).into(), p.iter().chain(&e).copied().collect())
            }
        };
        Member::for_node(name, kind, start)
    }

    /// Number of velocities and of coordinates before the amplitudes.
    #[inline(always)]
    fn rigid_sizes(&self) -> (usize, usize) {
        match self.space {
            MotionSpace::Planar => (3, 3),
            MotionSpace::Spatial => (6, 7),
        }
    }

    /// Adds a force and a moment on the frame to f.
    #[inline(always)]
    fn add_frame_wrench(&self, force: &Vec3, moment: &Vec3, f: &mut [f64]) {
        match self.space {
            MotionSpace::Planar => {
                f[0] += force.x;
                f[1] += force.y;
                f[2] += moment.z;
            }
            MotionSpace::Spatial => (0..3).for_each(|i| {
                f[i] += force[i];
                f[3 + i] += moment[i];
            }),
        }
    }

    /// The node that a marker is attached to.
    #[inline(always)]
    fn marker_node(&self, axes: &MarkerAxes) -> Option<(&MarkerNode, Mat3)> {
        match axes {
            MarkerAxes::OfMember(at) => self.derived.nodes.get(at.0).map(|node| (node, at.1)),
            _ => None,
        }
    }
}
