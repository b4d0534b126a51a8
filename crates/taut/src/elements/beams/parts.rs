//! Turns a beam into bodies and forces: its nodes `beam_0 … beam_n` and its elements `beam.e1 …`.
//!
//! ```text
//!  lumped          mass and inertia of the section times a length per node: half of each element to either side (two nodes),
//!                  1/6, 2/3, 1/6 of the element (three nodes; Simpson's rule keeps the second moment of the mass too)
//!  finite_volume   the same for the pieces between the cuts, and Σ m ℓ²/3 about y and z of pieces of mass m and length ℓ
//!  consistent      the integrals of interpolated accelerations over these pieces; all nodes become one body
//! ```
//!
//! At an inner node between equal elements of length ℓ, the latter is m ℓ²/12 with the mass m of the node: a rigid rod about
//! its middle. The mass centre of an end piece is not at its node; its static moment is neglected, so that the reference
//! point of a node is its mass centre (that of the section, if it is off the line).

use super::element::{BeamElement, MotionSpace};
use super::section::Section;
use super::{Beam, ElementType, InertiaModel, Volumes};
use crate::bodies::{BeamNodes, BodyKind, PlanarBody, RigidBody};
use crate::common::Named;
use crate::error::ParameterError;
use crate::forces::ForceKind;
use crate::motion::{Mat3, Motion, Orientation, Vec3, quaternion_of_rotation};

/// More elements than this are taken for a typing error.
const MAX_ELEMENTS: usize = 100_000;

/// The bodies and forces of a beam.
pub(crate) struct BeamParts {
    pub nodes: Vec<Named<BodyKind>>,
    pub elements: Vec<Named<ForceKind>>,
    /// The body that contains all nodes, if their inertia couples them.
    pub coupled_body: Option<BodyKind>,
}

impl Beam {
    /// Name of a node.
    pub fn node_name(name: &str, k: usize) -> String {
        format!("{name}_{k}")
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        match self.element_type {
            ElementType::TwoNode => self.elements.saturating_add(1),
            ElementType::ThreeNode | ElementType::Variational => self.elements.saturating_mul(2).saturating_add(1),
        }
    }

    /// Positions and axes of its nodes in the given shape.
    pub(crate) fn given_nodes(&self) -> Result<Vec<(Vec3, Mat3)>, ParameterError> {
        let nodes = self.curve.node_poses(self.node_count(), self.section_y, self.twist)?;
        Ok(nodes.into_iter().map(|node| (node.p, node.R)).collect())
    }

    /// Its nodes and elements.
    pub(crate) fn parts(&self, name: &str) -> Result<BeamParts, ParameterError> {
        if self.elements == 0 || self.elements > MAX_ELEMENTS {
            let what = format!("it is {}; it must be 1 to {MAX_ELEMENTS}", self.elements);
            return Err(ParameterError::invalid("elements", what));
        }
        if self.element_type == ElementType::Variational && self.inertia_model != InertiaModel::Lumped {
            return Err(ParameterError::invalid(
                "inertia_model",
                "variational elements need inertia in the nodes: use `lumped`",
            ));
        }
        ParameterError::check_finite("velocity", &self.velocity)?;
        ParameterError::check_finite("angular_velocity", &self.angular_velocity)?;
        let stations = self.curve.node_poses(self.node_count(), self.section_y, self.twist)?;
        let still = |s: &super::curve::NodePose| Motion { p: s.p, R: s.R, ..Motion::REST };
        let nodes: Vec<Motion> = stations.iter().map(still).collect();
        if self.space == MotionSpace::Planar {
            self.check_planar(&nodes)?;
        }
        let names: Vec<String> = (0..nodes.len()).map(|k| Beam::node_name(name, k)).collect();
        let (mut elements, mut pieces) = (Vec::with_capacity(self.elements), vec![Vec::new(); nodes.len()]);
        for i in 0..self.elements {
            let item = match self.element_type {
                ElementType::TwoNode => {
                    let (ends, given) = ([&*names[i], &*names[i + 1]], [&nodes[i], &nodes[i + 1]]);
                    BeamElement::two_node(ends, given, &self.section, self.shear, self.space)?
                }
                ElementType::ThreeNode | ElementType::Variational => {
                    let (ends, given) = ([0, 1, 2].map(|k| &*names[2 * i + k]), [0, 1, 2].map(|k| &nodes[2 * i + k]));
                    let of = match self.element_type {
                        ElementType::Variational => BeamElement::variational,
                        _ => BeamElement::three_node,
                    };
                    of(ends, given, &self.section, self.space)?
                }
            };
            let first = if self.element_type == ElementType::TwoNode { i } else { 2 * i };
            item.node_lengths(self.inertia_model).iter().for_each(|(k, length)| pieces[first + k].push(*length));
            elements.push(Named { name: format!("{name}.e{}", i + 1), item: item.into() });
        }
        let bodies = nodes.iter().enumerate().map(|(k, node)| {
            let from_first = node.p - nodes[0].p;
            let body = self.node_body(node, &pieces[k], &from_first)?;
            Ok(Named { name: names[k].clone(), item: self.at_start(k, body)? })
        });
        let whole = (self.inertia_model == InertiaModel::Consistent).then(|| {
            let (count, step) = if self.element_type == ElementType::TwoNode { (2, 1) } else { (3, 2) };
            let volumes = (0..self.elements).map(|e| Volumes::new(e * step, &nodes[e * step..e * step + count]));
            let Section { mass, mass_centre, inertia, .. } = self.section;
            BodyKind::BeamNodes(BeamNodes::new(names.clone(), mass, mass_centre, inertia, volumes.collect()))
        });
        Ok(BeamParts { nodes: bodies.collect::<Result<_, ParameterError>>()?, elements, coupled_body: whole })
    }

    /// Rejects a planar beam that leaves the xy plane, or whose section does.
    fn check_planar(&self, nodes: &[Motion]) -> Result<(), ParameterError> {
        let off = |m: &Motion| m.p.z.abs().max((m.R.column(2) - Vec3::z()).norm()) > 1e-9;
        if nodes.iter().any(off) {
            let what = "a planar beam must lie in the xy plane, without twist, with z of its section along world z";
            return Err(ParameterError::invalid("space", what));
        }
        let [x, y, _] = self.angular_velocity;
        if self.velocity[2] != 0.0 || x != 0.0 || y != 0.0 {
            return Err(ParameterError::invalid(
                "velocity",
                "a planar beam can only move in the xy plane and rotate about z",
            ));
        }
        if self.section.mass_centre[1] != 0.0 {
            return Err(ParameterError::invalid("mass_centre", "in a planar beam it must lie in the xy plane, z = 0"));
        }
        Ok(())
    }

    /// The body of a node, with the pieces of beam that belong to it.
    fn node_body(&self, node: &Motion, pieces: &[f64], from_first: &Vec3) -> Result<BodyKind, ParameterError> {
        let (mass, length) = (self.section.mass, pieces.iter().sum::<f64>());
        let mut inertia = self.section.inertia.map(|j| j * length);
        if self.inertia_model == InertiaModel::FiniteVolume {
            let rods: f64 = pieces.iter().map(|l| mass * l.powi(3) / 3.0).sum();
            inertia[1] += rods;
            inertia[2] += rods;
        }
        let (velocity, w) = (Vec3::from(self.velocity), Vec3::from(self.angular_velocity));
        let v = velocity + w.cross(from_first);
        let [y, z] = self.section.mass_centre;
        Ok(match self.space {
            MotionSpace::Planar => {
                ParameterError::check_positive("inertia", inertia[2])?;
                let angle = node.R[(1, 0)].atan2(node.R[(0, 0)]);
                let body = PlanarBody::new(mass * length, inertia[2]).com([0.0, y]).at([node.p.x, node.p.y], angle);
                body.moving([v.x, v.y], w.z).into()
            }
            MotionSpace::Spatial => {
                ParameterError::check_inertia("inertia", &inertia)?;
                let turned = Orientation::Quaternion(quaternion_of_rotation(&node.R));
                let body = RigidBody { mass: mass * length, inertia, ..RigidBody::default() };
                body.com([0.0, y, z]).at(node.p.into()).oriented(turned).moving(v.into(), w.into()).into()
            }
        })
    }
}

impl BeamElement {
    /// Lengths of beam with the node they belong to.
    fn node_lengths(&self, inertia: InertiaModel) -> Vec<(usize, f64)> {
        match self.cut_lengths().as_slice() {
            [l] => vec![(0, 0.5 * l), (1, 0.5 * l)],
            halves => {
                let inner = match inertia {
                    InertiaModel::Lumped => 2.0 / 3.0,
                    InertiaModel::FiniteVolume | InertiaModel::Consistent => 1.0 / 3.0_f64.sqrt(),
                };
                let of = |(c, l): (usize, &f64)| {
                    let (near, far) = (l * inner, l * (1.0 - inner));
                    if c == 0 { [(0, far), (1, near)] } else { [(1, near), (2, far)] }
                };
                halves.iter().enumerate().flat_map(of).collect()
            }
        }
    }
}
