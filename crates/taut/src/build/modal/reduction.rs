//! Reduces a beam to a few shapes by the method of Craig and Bampton \[CraigBampton1968\].
//!
//! ```text
//!  K Φ = M Φ Ω²               fixed and interface nodes at rest: the requested normal modes
//!  Φ_c = [1; −K_ii⁻¹ K_ib]     constraint modes: unit motions of interface nodes, static response of the rest
//!  K̂ = Φᵀ K Φ                 M is not reduced: the floating frame needs it node by node
//! ```
//!
//! M is the mass matrix of the nodes and K the tangent stiffness of the elements in the given shape. The modes are
//! computed from the flexibility K⁻¹, whose largest eigenvalues belong to the lowest modes; the axial stiffness of
//! short elements, larger by 1e10, then costs no digits. Each normal mode is scaled to a largest displacement of 1, so
//! that amplitudes are lengths.

use super::stiffening;
use crate::beams::{Beam, MotionSpace};
use crate::bodies::modal::MAX_SHAPES;
use crate::bodies::{AddedMass, BeamSupport, BodyKind, ModalNode, ModalNodes, ReducedBeam, Stiffening};
use crate::equations::StateView;
use crate::error::ParameterError;
use crate::model::Model;
use crate::motion::{Motion, Orientation, Vec3, quaternion_of_rotation};
use crate::spec::Spec;
use crate::state::State;
use crate::tangent::{DifferenceAccuracy, TangentMatrices};
use nalgebra::{DMatrix, DVector};

/// Limit for the dense matrices of the reduction.
const MAX_UNKNOWNS: usize = 3000;

/// A beam alone, with its matrices in the given shape.
pub(super) struct BeamMatrices {
    pub model: Model,
    pub rest_state: State,
    /// Velocities per node.
    pub velocities_per_node: usize,
    /// T maps the unknowns to the velocities of the model. It is the identity, except that a pinned end in space
    /// rotates about the line between the ends and about two axes perpendicular to it.
    pub T: DMatrix<f64>,
    pub M: DMatrix<f64>,
    pub K: DMatrix<f64>,
}

/// The role of each unknown of a beam.
pub(super) struct UnknownPartition {
    /// Fixed in the floating frame.
    pub fixed: Vec<usize>,
    /// Interface unknowns: each defines one constraint mode.
    pub interface: Vec<usize>,
    /// Interior unknowns: all others.
    pub interior: Vec<usize>,
}

impl BeamMatrices {
    /// The beam with masses on its nodes.
    fn new(given: &ReducedBeam) -> Result<BeamMatrices, ParameterError> {
        let beam = &given.beam;
        if beam.velocity != [0.0; 3] || beam.angular_velocity != [0.0; 3] {
            return Err(ParameterError::invalid("velocity", "give the velocities of the body, not of the beam inside"));
        }
        if !beam.node_states.is_empty() {
            return Err(ParameterError::invalid(
                "start",
                "give the amplitudes of the body, not the nodes of the beam inside",
            ));
        }
        let per = if beam.space == MotionSpace::Planar { 3 } else { 6 };
        if beam.node_count().saturating_mul(per) > MAX_UNKNOWNS {
            let what =
                format!("{} nodes are too many to reduce: the limit is {MAX_UNKNOWNS} unknowns", beam.node_count());
            return Err(ParameterError::invalid("elements", what));
        }
        let mut spec = Spec::new();
        spec.beam("beam", beam.clone());
        let model = spec.build().map_err(|e| ParameterError::invalid("beam", e.to_string()))?;
        let rest = model.initial_state();
        let n = model.sizes.v;
        let mut M = DMatrix::zeros(n, n);
        for b in &model.bodies {
            let (mut own, mut block) = (Motion::REST, vec![0.0; per * per]);
            b.kind.body().frame_pose(&rest.q[b.q.clone()], &mut own);
            b.kind.body().mass_matrix(&rest.q[b.q.clone()], &own, &mut block);
            M.view_mut((b.v.start, b.v.start), (per, per)).copy_from(&DMatrix::from_vec(per, per, block));
        }
        for added in &given.added {
            check_node("added", added.node, beam)?;
            ParameterError::check_positive("mass", added.mass)?;
            ParameterError::check_finite("added", &added.inertia)?;
            if added.inertia.iter().any(|J| *J < 0.0) {
                return Err(ParameterError::invalid("added", "a moment of inertia must not be negative"));
            }
            let k = added.node * per;
            (0..per / 3 + 1).for_each(|i| M[(k + i, k + i)] += added.mass);
            let turns = if per == 3 { 2..3 } else { 0..3 };
            turns.for_each(|i| M[(k + per - 3 + i, k + per - 3 + i)] += added.inertia[i]);
        }
        let mut all = BeamMatrices {
            K: DMatrix::zeros(n, n),
            T: DMatrix::identity(n, n),
            model,
            rest_state: rest,
            velocities_per_node: per,
            M,
        };
        if given.held == BeamSupport::Pinned && per == 6 {
            let line = all.position(beam.node_count() - 1) - all.position(0);
            let Some(along) = line.try_normalize(0.0) else {
                return Err(ParameterError::invalid(
                    "held",
                    "both ends are at the same point: there is no line between them to rotate about",
                ));
            };
            let across = along.cross(&Vec3::ith(along.iamin(), 1.0)).normalize();
            let axes = nalgebra::Matrix3::from_columns(&[along, across, along.cross(&across)]);
            all.T.view_mut((3, 3), (3, 3)).copy_from(&axes);
            all.M = all.T.tr_mul(&(&all.M * &all.T));
        }
        all.K = all.stiffness(&all.rest_state.clone());
        Ok(all)
    }

    /// The tangent of the elements at a state of rest, in the unknowns.
    pub fn stiffness(&self, at: &State) -> DMatrix<f64> {
        let mut tangent = TangentMatrices::new(&self.model);
        let still = vec![0.0; self.model.sizes.v];
        tangent.evaluate(&self.model, StateView::from(at), &still, &[], DifferenceAccuracy::SixthOrder);
        let K = self.T.tr_mul(&(tangent.dense_stiffness(&self.model) * &self.T));
        (&K + K.transpose()) * 0.5
    }

    /// Which unknowns are fixed, interface and interior.
    fn partition_unknowns(&self, given: &ReducedBeam) -> Result<UnknownPartition, ParameterError> {
        let (beam, per) = (&given.beam, self.velocities_per_node);
        let last = beam.node_count() - 1;
        let whole = |node: usize| node * per..(node + 1) * per;
        let place = |node: usize| node * per..node * per + per / 3 + 1;
        let (mut held, mut moved): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        match &given.held {
            BeamSupport::Cantilever => held.extend(whole(0)),
            BeamSupport::Clamped => held.extend(whole(0).chain(whole(last))),
            BeamSupport::Pinned => {
                held.extend(place(0).chain(place(last)));
                if per == 6 {
                    // The rotation of the first node about the line between the ends, see T.
                    held.push(3);
                }
            }
            BeamSupport::Interface(nodes) => {
                nodes.iter().try_for_each(|k| check_node("interface", *k, beam))?;
                let Some((first, others)) = nodes.split_first() else {
                    return Err(ParameterError::invalid(
                        "interface",
                        "name at least one node: the floating frame is fixed to the first",
                    ));
                };
                if (1..nodes.len()).any(|i| nodes[..i].contains(&nodes[i])) {
                    return Err(ParameterError::invalid("interface", "each node can be named once"));
                }
                held.extend(whole(*first));
                moved.extend(others.iter().flat_map(|k| whole(*k)));
            }
        }
        let free = (0..self.M.nrows()).filter(|i| !held.contains(i) && !moved.contains(i)).collect();
        Ok(UnknownPartition { fixed: held, interface: moved, interior: free })
    }

    /// Position of a node.
    fn position(&self, k: usize) -> Vec3 {
        let mut own = Motion::REST;
        let b = &self.model.bodies[k];
        b.kind.body().frame_pose(&self.rest_state.q[b.q.clone()], &mut own);
        own.p
    }

    /// The shapes as columns over all unknowns: constraint modes first, then normal modes.
    fn shapes(&self, parted: &UnknownPartition, modes: &[usize]) -> Result<DMatrix<f64>, ParameterError> {
        let UnknownPartition { interface: moved, interior: free, .. } = parted;
        if modes.iter().any(|m| *m >= free.len()) {
            return Err(ParameterError::invalid("modes", format!("there are only {} modes", free.len())));
        }
        let n = moved.len() + modes.len();
        if n > MAX_SHAPES {
            return Err(ParameterError::invalid("modes", format!("{n} shapes are more than {MAX_SHAPES}")));
        }
        let loose = || {
            ParameterError::invalid(
                "held",
                "the beam can move freely, or its section has no stiffness in some direction",
            )
        };
        let part = |A: &DMatrix<f64>, i: &[usize], j: &[usize]| A.select_rows(i).select_columns(j);
        let K = part(&self.K, free, free).cholesky().ok_or_else(loose)?;
        let mut shapes = DMatrix::zeros(self.M.nrows(), n);
        if !moved.is_empty() {
            let follow = K.solve(&part(&self.K, free, moved));
            for (s, unknown) in moved.iter().enumerate() {
                shapes[(*unknown, s)] = 1.0;
                free.iter().enumerate().for_each(|(i, f)| shapes[(*f, s)] = -follow[(i, s)]);
            }
        }
        if !modes.is_empty() {
            // K x = ω² M x with M = L Lᵀ and y = Lᵀ x:  (Lᵀ K⁻¹ L) y = y / ω².
            let L = part(&self.M, free, free).cholesky().ok_or_else(loose)?.l();
            let flexibility = L.transpose() * K.solve(&L);
            let found = ((&flexibility + flexibility.transpose()) * 0.5).symmetric_eigen();
            let mut order: Vec<usize> = (0..free.len()).collect();
            order.sort_by(|i, j| found.eigenvalues[*j].total_cmp(&found.eigenvalues[*i]));
            for (s, mode) in modes.iter().enumerate() {
                // x = K⁻¹ L y ω², which is smoother than L⁻ᵀ y; the scale follows below.
                let x: DVector<f64> = K.solve(&(&L * found.eigenvectors.column(order[*mode])));
                free.iter().enumerate().for_each(|(i, f)| shapes[(*f, moved.len() + s)] = x[i]);
            }
        }
        for s in moved.len()..n {
            let mut column = shapes.column_mut(s);
            column *= 1.0 / self.largest_component(column.as_slice());
        }
        Ok(shapes)
    }

    /// The displacement with the largest magnitude, with its sign; the rotation if nothing is displaced.
    fn largest_component(&self, x: &[f64]) -> f64 {
        let most =
            |list: &mut dyn Iterator<Item = f64>| list.fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        let places = self.velocities_per_node / 3 + 1;
        let moves =
            most(&mut x.iter().enumerate().filter(|(i, _)| i % self.velocities_per_node < places).map(|(_, x)| *x));
        let turns = most(&mut x.iter().copied());
        // A torsional mode displaces by round-off only.
        if moves.abs() > 1e-9 * turns.abs() { moves } else { turns }
    }

    /// The nodes with their masses and shapes.
    fn nodes(&self, given: &ReducedBeam, shapes: &DMatrix<f64>) -> Vec<ModalNode> {
        let shapes = &self.T * shapes;
        let mut nodes: Vec<ModalNode> = Vec::with_capacity(self.model.bodies.len());
        for b in &self.model.bodies {
            let mut own = Motion::REST;
            b.kind.body().frame_pose(&self.rest_state.q[b.q.clone()], &mut own);
            let at = |s: usize, i: usize| shapes[(b.v.start + i, s)];
            let (mass, com, J) = match &b.kind {
                BodyKind::Rigid(r) => (r.mass, Vec3::from(r.com), own.R * r.tensor() * own.R.transpose()),
                BodyKind::Planar(r) => {
                    let mut J = nalgebra::Matrix3::zeros();
                    J[(2, 2)] = r.inertia;
                    (r.mass, Vec3::new(r.com[0], r.com[1], 0.0), J)
                }
                _ => continue,
            };
            let count = 0..shapes.ncols();
            let (phi, psi) = match self.velocities_per_node {
                3 => (
                    count.clone().map(|s| [at(s, 0), at(s, 1), 0.0]).collect(),
                    count.map(|s| [0.0, 0.0, at(s, 2)]).collect(),
                ),
                _ => (
                    count.clone().map(|s| [at(s, 0), at(s, 1), at(s, 2)]).collect(),
                    count.map(|s| [at(s, 3), at(s, 4), at(s, 5)]).collect(),
                ),
            };
            nodes.push(ModalNode {
                at: own.p.into(),
                orientation: Orientation::Quaternion(quaternion_of_rotation(&own.R)),
                mass,
                com: (own.R * com).into(),
                inertia: [J[(0, 0)], J[(1, 1)], J[(2, 2)], J[(0, 1)], J[(0, 2)], J[(1, 2)]],
                phi,
                psi,
            });
        }
        // An added mass sits on the node itself.
        for added in &given.added {
            if let Some(node) = nodes.get_mut(added.node) {
                add_lumped_mass(node, added);
            }
        }
        nodes
    }
}

/// Adds a mass with rotary inertia at the node, and refers the inertia to the common mass centre.
fn add_lumped_mass(node: &mut ModalNode, added: &AddedMass) {
    let mass = added.mass;
    let (c, all) = (Vec3::from(node.com), node.mass + mass);
    let k = node.mass * mass / all;
    let J = nalgebra::Matrix3::identity() * (k * c.norm_squared()) - c * c.transpose() * k;
    let more = [J[(0, 0)], J[(1, 1)], J[(2, 2)], J[(0, 1)], J[(0, 2)], J[(1, 2)]];
    node.inertia.iter_mut().zip(more).for_each(|(j, more)| *j += more);
    node.inertia.iter_mut().zip(added.inertia).for_each(|(j, more)| *j += more);
    node.com = (c * (node.mass / all)).into();
    node.mass = all;
}

fn check_node(field: &'static str, node: usize, beam: &Beam) -> Result<(), ParameterError> {
    if node < beam.node_count() {
        return Ok(());
    }
    Err(ParameterError::invalid(field, format!("there is no node {node}, the last is {}", beam.node_count() - 1)))
}

/// Nodes, shapes and stiffness of a beam, and on request its geometric stiffness under rotation.
pub(super) fn craig_bampton(
    given: &ReducedBeam,
    stiffening: Stiffening,
) -> Result<(ModalNodes, Vec<DMatrix<f64>>), ParameterError> {
    let modes = given.modes.indices()?;
    let all = BeamMatrices::new(given)?;
    let parted = all.partition_unknowns(given)?;
    let shapes = all.shapes(&parted, &modes)?;
    let K = shapes.transpose() * &all.K * &shapes;
    let stiffness = K.row_iter().map(|row| row.iter().copied().collect()).collect();
    let nodes = ModalNodes { nodes: all.nodes(given, &shapes), stiffness };
    let G = match stiffening {
        Stiffening::None => Vec::new(),
        Stiffening::Centrifugal => stiffening::geometric_stiffness(&all, &parted, &nodes.nodes, &shapes)?,
    };
    Ok((nodes, G))
}
