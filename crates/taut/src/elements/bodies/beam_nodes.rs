//! All nodes of a beam as one body, with the inertia of finite volumes: each volume is in equilibrium about its own node.

use super::ritz::Member;
use super::{
    Body, BodyKind, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame, Sizes, Symmetry,
};
use crate::beams::Volumes;
use crate::common::spelling::did_you_mean;
use crate::error::ParameterError;
use crate::marker::{MarkerAxes, MarkerPlacement};
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use nalgebra::Matrix6;

/// The nodes of a beam.
///
/// ```text
///  y_k = x_k + c_k,  c_k = R_k c        the line of mass centres, interpolated: y = Σ N_k y_k
///  force on volume i                    m Σ_k w_ik ÿ_k
///  moment about node i                  m Σ_jk S_ijk (y_j − x_i) × ÿ_k + Σ_k w_ik (J_k ω̇_k + ω_k × J_k ω_k)
///  ÿ_k = ẍ_k + ω̇_k × c_k + ω_k × (ω_k × c_k)
/// ```
///
/// \[FumagalliMasarati2009\] appendix 2, eqs. (70)–(74), with w and S the integrals of shape functions over the volumes,
/// m and J per length. The inertia forces of eq. (72) are on the left of eq. (70) with the other sign, and its terms
/// of second degree in ω are missing there. Instead of rotation parameters as in eq. (73b), the rate of the section's angular
/// momentum is interpolated between nodes. No parameters are needed, and the linear and angular momentum of the beam are
/// exactly those of the line y and its sections.
///
/// The force of a volume acts on the velocity of its node, the moment about the node on its angular velocity: the equations
/// are in the space of v, but M couples neighbouring nodes and is not symmetric. The weight of a volume acts about its node
/// too. Such an M has no kinetic energy: the one reported is that of the line y and its sections. A motion conserves it the
/// better the finer the elements are, and the energy ledger of a run has no balance for it.
#[derive(Clone, Debug)]
pub struct BeamNodes {
    /// Names of the nodes.
    pub(crate) members: Vec<String>,
    bound_members: Vec<Member>,
    /// Mass per length, kg/m.
    m: f64,
    /// Mass centre of the section, axes of the node, m.
    c: Vec3,
    /// Inertia of the section per length about its mass centre, axes of the node, kg m.
    J: Mat3,
    elements: Vec<Volumes>,
    /// Sizes of one node.
    node: Sizes,
    /// Components of (v, ω) that a node has.
    twist_components: &'static [usize],
}

const SPATIAL_COMPONENTS: &[usize] = &[0, 1, 2, 3, 4, 5];
const PLANAR_COMPONENTS: &[usize] = &[0, 1, 5];

/// The motion of a node that its inertia depends on.
#[derive(Clone, Copy, Debug)]
struct NodeMotion {
    x: Vec3,
    c: Vec3,
    v: Vec3,
    w: Vec3,
    J: Mat3,
}

impl BeamNodes {
    /// The nodes of these names, with mass, mass centre and inertia per length of the section.
    pub(crate) fn new(members: Vec<String>, m: f64, c: [f64; 2], J: [f64; 6], elements: Vec<Volumes>) -> BeamNodes {
        let [xx, yy, zz, xy, xz, yz] = J;
        BeamNodes {
            members,
            bound_members: Vec::new(),
            m,
            c: Vec3::new(0.0, c[0], c[1]),
            J: Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
            elements,
            node: Sizes::default(),
            twist_components: SPATIAL_COMPONENTS,
        }
    }

    /// The same with its nodes, found by name among `bodies`: all of them rigid, or all planar.
    pub(crate) fn bind<'a>(
        &self,
        bodies: impl Iterator<Item = (&'a str, &'a BodyKind)>,
    ) -> Result<BeamNodes, ParameterError> {
        let bodies: Vec<(&str, &BodyKind)> = bodies.collect();
        let mut found = BeamNodes { bound_members: Vec::with_capacity(self.members.len()), ..self.clone() };
        for name in &self.members {
            let Some((_, kind)) = bodies.iter().find(|(other, _)| other == name) else {
                let hint = did_you_mean(name, bodies.iter().map(|(other, _)| *other));
                return Err(ParameterError::invalid("nodes", format!("there is no body `{name}`{hint}")));
            };
            kind.body().check().map_err(|f| ParameterError::invalid("nodes", format!("`{name}`: {f}")))?;
            let node = kind.body().sizes();
            found.twist_components =
                if matches!(kind, BodyKind::Planar(_)) { PLANAR_COMPONENTS } else { SPATIAL_COMPONENTS };
            if found.twist_components.len() != node.v || (!found.bound_members.is_empty() && found.node != node) {
                return Err(ParameterError::invalid("nodes", format!("`{name}` is not a beam node like the others")));
            }
            found.node = node;
            let mut start = vec![0.0; node.q];
            kind.body().initial_state(&mut start, &mut vec![0.0; node.v], &mut []);
            let k = found.bound_members.len();
            found.bound_members.push(Member {
                name: name.clone(),
                kind: (*kind).clone(),
                coordinate_offset: k * node.q,
                state_offset: 0,
                start,
            });
        }
        Ok(found)
    }

    /// The nodes; empty before [`bind`](BeamNodes::bind).
    pub(crate) fn bound_members(&self) -> &[Member] {
        &self.bound_members
    }

    /// The marker coordinate that stands for a coordinate of a node: after all of q, as this body has none of its own.
    pub(crate) fn coordinate_of(&self, member: usize, name: &str) -> Option<usize> {
        Some(self.sizes().q + member * self.node.v + self.bound_members[member].kind.body().coordinate_index(name)?)
    }

    /// The node, and the coordinate of it, that a marker stands for.
    fn marker_coordinate(&self, i: usize) -> (usize, usize) {
        let i = i - self.sizes().q;
        (i / self.node.v, i % self.node.v)
    }

    /// Each node with its part of a vector of the size of q and of one of the size of v.
    fn iter_nodes<'a>(
        &'a self,
        q: &'a [f64],
        v: &'a [f64],
    ) -> impl Iterator<Item = (&'a dyn Body, &'a [f64], &'a [f64])> {
        let parts = q.chunks_exact(self.node.q).zip(v.chunks_exact(self.node.v));
        self.bound_members.iter().zip(parts).map(|(m, (q, v))| (m.kind.body(), q, v))
    }

    /// The body of a node, its coordinates, and its frame.
    fn node_frame<'a>(&'a self, k: usize, q: &'a [f64]) -> (&'a dyn Body, &'a [f64], Motion) {
        let (body, q) = (self.bound_members[k].kind.body(), &q[k * self.node.q..(k + 1) * self.node.q]);
        let mut own = Motion::REST;
        body.frame_pose(q, &mut own);
        (body, q, own)
    }

    fn node_velocity<'a>(&self, k: usize, v: &'a [f64]) -> &'a [f64] {
        &v[k * self.node.v..(k + 1) * self.node.v]
    }

    /// The motions of the nodes of an element; at rest without v.
    fn node_motions(&self, e: &Volumes, q: &[f64], v: Option<&[f64]>) -> [NodeMotion; 3] {
        std::array::from_fn(|k| {
            // With two nodes the third entry is not used.
            let k = e.first + k.min(e.nodes - 1);
            let (body, q, mut own) = self.node_frame(k, q);
            if let Some(v) = v {
                body.frame_twist(q, self.node_velocity(k, v), &mut own);
            }
            let J = own.R * self.J * own.R.transpose();
            NodeMotion { x: own.p, c: own.R * self.c, v: own.v, w: own.w, J }
        })
    }

    /// Adds the force and moment of a volume to those of its node.
    fn add_node_wrench(&self, k: usize, force: &Vec3, moment: &Vec3, f: &mut [f64]) {
        let both = [force.x, force.y, force.z, moment.x, moment.y, moment.z];
        let f = &mut f[k * self.node.v..(k + 1) * self.node.v];
        f.iter_mut().zip(self.twist_components).for_each(|(f, c)| *f += both[*c]);
    }
}

/// The node that a marker is attached to.
fn node_of(marker: &MarkerPlacement) -> Option<usize> {
    match marker {
        MarkerPlacement::Frame(_, MarkerAxes::OfMember(at)) => Some(at.0),
        _ => None,
    }
}

impl Body for BeamNodes {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("mass", self.m)?;
        ParameterError::check_finite("mass_centre", self.c.as_slice())?;
        ParameterError::check_finite("inertia", self.J.as_slice())
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        let parts = q.chunks_exact_mut(self.node.q).zip(v.chunks_exact_mut(self.node.v));
        self.bound_members.iter().zip(parts).for_each(|(m, (q, v))| m.kind.body().initial_state(q, v, &mut []));
    }

    fn frame_pose(&self, _q: &[f64], _own: &mut Motion) {}
    fn marker_pose(&self, q: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match (node_of(marker), marker) {
            (Some(k), _) => {
                let (body, q, own) = self.node_frame(k, q);
                body.marker_pose(q, &own, marker, seen);
            }
            (None, MarkerPlacement::Coordinate(i)) => {
                let (k, c) = self.marker_coordinate(*i);
                seen.p.x = q[k * self.node.q + c];
            }
            (None, MarkerPlacement::Frame(..)) => {}
        }
    }
    fn frame_twist(&self, _q: &[f64], _v: &[f64], _own: &mut Motion) {}
    fn marker_twist(&self, q: &[f64], v: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match (node_of(marker), marker) {
            (Some(k), _) => {
                let (body, q, mut own) = self.node_frame(k, q);
                let v = self.node_velocity(k, v);
                body.frame_twist(q, v, &mut own);
                body.marker_twist(q, v, &own, marker, seen);
            }
            (None, MarkerPlacement::Coordinate(i)) => {
                let (k, c) = self.marker_coordinate(*i);
                seen.v.x = v[k * self.node.v + c];
            }
            (None, MarkerPlacement::Frame(..)) => {}
        }
    }

    fn mass_matrix(&self, q: &[f64], _own: &Motion, M: &mut [f64]) {
        M.fill(0.0);
        let (n, s) = (self.sizes().v, self.node.v);
        for e in &self.elements {
            let nodes = self.node_motions(e, q, None);
            for (i, k) in (0..e.nodes).flat_map(|i| (0..e.nodes).map(move |k| (i, k))) {
                let arm: Vec3 = (0..e.nodes).map(|j| (nodes[j].x + nodes[j].c - nodes[i].x) * e.S[i][j][k]).sum();
                let (w, across) = (e.w[i][k], arm.cross_matrix() * self.m);
                // ÿ = ẍ − c× ω̇.
                let back = nodes[k].c.cross_matrix();
                let mut block = Matrix6::zeros();
                block.fixed_view_mut::<3, 3>(0, 0).fill_diagonal(self.m * w);
                block.fixed_view_mut::<3, 3>(0, 3).copy_from(&(back * (-self.m * w)));
                block.fixed_view_mut::<3, 3>(3, 0).copy_from(&across);
                block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(nodes[k].J * w - across * back));
                for (b, from) in self.twist_components.iter().enumerate() {
                    let column = &mut M[((e.first + k) * s + b) * n + (e.first + i) * s..];
                    self.twist_components.iter().enumerate().for_each(|(a, to)| column[a] += block[(*to, *from)]);
                }
            }
        }
    }
    fn coordinate_rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        let parts = qdot.chunks_exact_mut(self.node.q);
        self.iter_nodes(q, v).zip(parts).for_each(|((body, q, v), qdot)| body.coordinate_rates(q, v, qdot));
    }
    fn internal_forces(
        &self,
        _t: f64,
        q: &[f64],
        v: &[f64],
        _z: &[f64],
        _own: &Motion,
        f: &mut [f64],
        _zdot: &mut [f64],
    ) {
        for e in &self.elements {
            let nodes = self.node_motions(e, q, Some(v));
            // The terms of ÿ and of the rate of Jω that contain no accelerations.
            let pulled = nodes.map(|n| n.w.cross(&n.w.cross(&n.c)));
            let spun = nodes.map(|n| n.w.cross(&(n.J * n.w)));
            for i in 0..e.nodes {
                let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
                for k in 0..e.nodes {
                    let arm: Vec3 = (0..e.nodes).map(|j| (nodes[j].x + nodes[j].c - nodes[i].x) * e.S[i][j][k]).sum();
                    force -= pulled[k] * (self.m * e.w[i][k]);
                    moment -= arm.cross(&pulled[k]) * self.m + spun[k] * e.w[i][k];
                }
                self.add_node_wrench(e.first + i, &force, &moment, f);
            }
        }
    }
    fn gravity_force(&self, q: &[f64], _own: &Motion, g: &Vec3, f: &mut [f64]) {
        for e in &self.elements {
            let nodes = self.node_motions(e, q, None);
            for i in 0..e.nodes {
                let (mut mass, mut arm) = (0.0, Vec3::zeros());
                for j in 0..e.nodes {
                    mass += self.m * e.w[i][j];
                    arm += (nodes[j].x + nodes[j].c - nodes[i].x) * (self.m * e.w[i][j]);
                }
                self.add_node_wrench(e.first + i, &(g * mass), &arm.cross(g), f);
            }
        }
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        let parts = q.chunks_exact_mut(self.node.q).zip(delta.chunks_exact(self.node.v));
        self.bound_members.iter().zip(parts).for_each(|(m, (q, delta))| m.kind.body().displace(q, delta));
    }
}

impl Quantities for BeamNodes {
    fn sizes(&self) -> Sizes {
        let n = self.bound_members.len();
        Sizes { q: n * self.node.q, v: n * self.node.v, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        // Named after the nodes, as if each were a body of its own.
        let of = |m: &Member| prefix_names(m, m.kind.body().coordinates());
        self.bound_members.iter().flat_map(of).collect()
    }
    fn velocities(&self) -> Vec<Quantity> {
        let of = |m: &Member| prefix_names(m, m.kind.body().velocities());
        self.bound_members.iter().flat_map(of).collect()
    }
    fn coordinate_index(&self, _name: &str) -> Option<usize> {
        None
    }
}

impl Jacobian for BeamNodes {
    fn apply_transpose(
        &self,
        q: &[f64],
        _own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        match (node_of(marker), marker) {
            (Some(k), _) => {
                let (body, q, own) = self.node_frame(k, q);
                body.apply_transpose(q, &own, marker, seen, on, &mut f[k * self.node.v..(k + 1) * self.node.v]);
            }
            (None, MarkerPlacement::Coordinate(i)) => {
                let (k, c) = self.marker_coordinate(*i);
                f[k * self.node.v + c] += on.f.x;
            }
            (None, MarkerPlacement::Frame(..)) => {}
        }
    }
}

impl Energies for BeamNodes {
    fn potential(&self, q: &[f64], _own: &Motion, g: &Vec3) -> f64 {
        let of = |e: &Volumes| {
            let nodes = self.node_motions(e, q, None);
            let share = |j: usize| (0..e.nodes).map(|i| e.w[i][j]).sum::<f64>();
            (0..e.nodes).map(|j| -self.m * share(j) * g.dot(&(nodes[j].x + nodes[j].c))).sum::<f64>()
        };
        self.elements.iter().map(of).sum()
    }
    fn kinetic(&self, q: &[f64], v: &[f64], _own: &Motion) -> f64 {
        let mut T = 0.0;
        for e in &self.elements {
            let nodes = self.node_motions(e, q, Some(v));
            let ydot = nodes.map(|n| n.v + n.w.cross(&n.c));
            for (i, j) in (0..e.nodes).flat_map(|i| (0..e.nodes).map(move |j| (i, j))) {
                T += 0.5 * e.w[i][j] * nodes[j].w.dot(&(nodes[j].J * nodes[j].w));
                T += (0..e.nodes).map(|k| 0.5 * self.m * e.S[i][j][k] * ydot[j].dot(&ydot[k])).sum::<f64>();
            }
        }
        T
    }
}

impl MassMatrix for BeamNodes {
    fn symmetry(&self) -> Symmetry {
        Symmetry::NonSymmetric
    }
}

impl Manifold for BeamNodes {
    fn displacement(&self, q: &[f64], dq: &[f64], delta: &mut [f64]) {
        let parts = q.chunks_exact(self.node.q).zip(dq.chunks_exact(self.node.q));
        let parts = parts.zip(delta.chunks_exact_mut(self.node.v));
        self.bound_members.iter().zip(parts).for_each(|(m, ((q, dq), delta))| m.kind.body().displacement(q, dq, delta));
    }
    fn displacement_rate(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        let s = self.node.v;
        let parts = delta.chunks_exact(s).zip(v.chunks_exact(s)).zip(rate.chunks_exact_mut(s));
        self.bound_members
            .iter()
            .zip(parts)
            .for_each(|(m, ((delta, v), rate))| m.kind.body().displacement_rate(delta, v, rate));
    }
    fn normalise(&self, q: &mut [f64]) {
        self.bound_members.iter().zip(q.chunks_exact_mut(self.node.q)).for_each(|(m, q)| m.kind.body().normalise(q));
    }
}

impl ReferenceFrame for BeamNodes {
    fn no_frame_reason(&self) -> Option<&'static str> {
        Some("a beam has no frame of its own: name one of its nodes, such as `beam_0`")
    }
}

fn prefix_names(m: &Member, list: Vec<Quantity>) -> Vec<Quantity> {
    list.into_iter().map(|x| Quantity { name: format!("{}.{}", m.name, x.name), unit: x.unit }).collect()
}
