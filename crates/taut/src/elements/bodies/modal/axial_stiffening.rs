//! Geometric stiffness of a modal beam under axial loads, which its shapes do not contain.
//!
//! With N_k the normal force between nodes k and k + 1, e_k and ℓ_k direction and length from one to the other, and Δφ the
//! difference of a shape between them, a beam under N gains the stiffness
//!
//! ```text
//!  G_ii = Σ_k N_k |Δφᵢ⊥|² / ℓ_k,    N_k = Σ_{j>k} e_k·(f_j + m_j (g − a_j))
//! ```
//!
//! and loses as much under compression; at Euler's load the stiffness is zero. A force that only accelerates a mass does not
//! load the beam: hence the acceleration a_j of the frame and of the shapes,
//!
//! ```text
//!  a_j = v̇ + ω̇ × r_j + ω × (ω × r_j) + 2 ω × Φ_j ȧ + Φ_j ä       (axes of the frame; r_j of the given shape)
//! ```
//!
//! G is linear in f_j, v̇ − g, ω̇, ω ωᵀ, ȧ and ä; the sums over nodes are computed once.

use super::shapes::ModalNode;
use super::{Flexibility, Modal, Stiffening};
use crate::beams::MotionSpace;
use crate::marker::MarkerAxes;
use crate::motion::{Mat3, Motion, Vec3};

/// The sums over nodes of one shape.
#[derive(Clone, Debug, Default)]
struct AxialSums {
    /// W_j = ∂G/∂f_j of the nodes with markers.
    forces: Vec<Vec3>,
    /// Σ m W.
    linear: Vec3,
    /// Σ m r Wᵀ.
    turning: Mat3,
    /// Σ m Φ_s × W and Σ m Φ_s·W, one of each per shape.
    coriolis: Vec<Vec3>,
    along: Vec<f64>,
}

/// The sums of each shape; empty for bodies that are not beams.
#[derive(Clone, Debug, Default)]
pub(super) struct AxialStiffening(Vec<AxialSums>);

impl AxialStiffening {
    /// For a beam with these nodes; `shown` are those with markers.
    pub fn new(nodes: &[ModalNode], shown: &[usize]) -> AxialStiffening {
        let n = nodes.first().map_or(0, |node| node.phi.len());
        AxialStiffening((0..n).map(|i| axial_sums(nodes, shown, i, n)).collect())
    }
}

fn axial_sums(nodes: &[ModalNode], shown: &[usize], i: usize, n: usize) -> AxialSums {
    let mut all = AxialSums { coriolis: vec![Vec3::zeros(); n], along: vec![0.0; n], ..AxialSums::default() };
    let mut W = vec![Vec3::zeros(); nodes.len()];
    for (j, pair) in nodes.windows(2).enumerate() {
        let d = Vec3::from(pair[1].at) - Vec3::from(pair[0].at);
        let shape = Vec3::from(pair[1].phi[i]) - Vec3::from(pair[0].phi[i]);
        W[j + 1] = W[j];
        if let Some(e) = d.try_normalize(0.0) {
            W[j + 1] += e * ((shape - e * shape.dot(&e)).norm_squared() / d.norm());
        }
    }
    for (node, W) in nodes.iter().zip(&W) {
        let mW = W * node.mass;
        all.linear += mW;
        all.turning += Vec3::from(node.at) * mW.transpose();
        for s in 0..n {
            let phi = Vec3::from(node.phi[s]);
            all.coriolis[s] += phi.cross(&mW);
            all.along[s] += phi.dot(&mW);
        }
    }
    all.forces = shown.iter().map(|k| W.get(*k).copied().unwrap_or_default()).collect();
    all
}

impl Modal {
    /// The node that a marker with these axes is attached to, if the body is a beam.
    pub(crate) fn node_of(&self, axes: &MarkerAxes) -> Option<usize> {
        match (&self.flexibility, axes) {
            (Flexibility::Beam(_), MarkerAxes::OfMember(at)) => Some(at.0),
            _ => None,
        }
    }

    /// Adds G_ii of the inertia and weight of the nodes; `v` and `vdot` are those of the body.
    pub(crate) fn stiffness_from_inertia(&self, own: &Motion, g: &Vec3, v: &[f64], vdot: &[f64], gained: &mut [f64]) {
        let (nv, _) = self.rigid_sizes();
        let (linear, turning) = match self.space {
            MotionSpace::Planar => (Vec3::new(vdot[0], vdot[1], 0.0), Vec3::new(0.0, 0.0, vdot[2])),
            MotionSpace::Spatial => (Vec3::new(vdot[0], vdot[1], vdot[2]), Vec3::new(vdot[3], vdot[4], vdot[5])),
        };
        let (linear, turning) = (own.R.tr_mul(&(linear - g)), own.R.tr_mul(&turning));
        let w = own.R.tr_mul(&own.w);
        let mut field = turning.cross_matrix();
        if self.stiffening == Stiffening::None {
            // With centrifugal stiffening, T already contains these loads.
            field += w.cross_matrix() * w.cross_matrix();
        }
        for (sums, gained) in self.derived.axial_stiffening.0.iter().zip(gained) {
            *gained -= linear.dot(&sums.linear) + (field * sums.turning).trace();
            let rates = sums.coriolis.iter().zip(&v[nv..]).map(|(swept, rate)| 2.0 * rate * w.dot(swept));
            let shapes = sums.along.iter().zip(&vdot[nv..]).map(|(along, a)| a * along);
            *gained -= rates.chain(shapes).sum::<f64>();
        }
    }

    /// Adds G_ii of a force on a node, axes of the frame.
    pub(crate) fn stiffness_from_force(&self, node: usize, f: &Vec3, gained: &mut [f64]) {
        for (sums, gained) in self.derived.axial_stiffening.0.iter().zip(gained) {
            *gained += sums.forces.get(node).map_or(0.0, |W| W.dot(f));
        }
    }

    /// K_ii, M_ii and the amplitude of a shape at q.
    pub(crate) fn shape_properties(&self, i: usize, q: &[f64]) -> ShapeProperties {
        let (K, M) = (self.derived.K[(i, i)], self.derived.inertia.Maa[(i, i)]);
        ShapeProperties { stiffness: K.max(f64::MIN_POSITIVE), mass: M, amplitude: q[self.rigid_sizes().1 + i] }
    }
}

/// Stiffness, mass and amplitude of one shape of a modal body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeProperties {
    pub stiffness: f64,
    pub mass: f64,
    pub amplitude: f64,
}
