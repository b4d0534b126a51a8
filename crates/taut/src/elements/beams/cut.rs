//! A cut: the section at which an element evaluates its strains, and internal force and moment pass between its volumes.
//!
//! ```text
//!  x(ξ) = Σ Nᵢ xᵢ                                        [Masarati2010] eq. (34)
//!  R(ξ) = R_b exp(θ),  θ = Σ Nᵢ θᵢ,  θᵢ = log(R_bᵀ Rᵢ)   eqs. (36), (37) with the base node b
//!  e = Rᵀ x_/η − (·)₀,   k = J(−θ) θ_/η − (·)₀           eq. (33); η is the arc of the reference configuration
//! ```
//!
//! With two nodes the base is the first node, and one cut is in the middle. With three nodes the base is the middle node, and
//! the cuts are at ξ = ∓1/√3 \[GhiringhelliMasaratiMantegazza2000\]. In eq. (35) as printed, the arc is that of the current
//! configuration, with which no beam could be stretched; in eq. (36) the second form must read R₂ exp(−N₁ θ).

use super::rotation::RotationVector;
use crate::constraints::ElementInput;
use crate::motion::{Mat3, Motion, Vec3, rotation_vector};
use nalgebra::{Matrix6, Vector6};

/// Maximum number of nodes of an element.
pub(super) const MAX_NODES: usize = 3;

/// A section along an element.
#[derive(Clone, Debug)]
pub(super) struct SectionCut {
    /// Number of nodes of the element.
    nodes: usize,
    /// The node in whose axes rotations are interpolated.
    base_node: usize,
    /// Nᵢ.
    N: [f64; MAX_NODES],
    /// dNᵢ/dη.
    dN: [f64; MAX_NODES],
    /// Length of beam that it represents.
    pub weight: f64,
    /// Rᵀ x_/η and Rᵀ ρ of the given shape.
    reference_strain: Vector6<f64>,
}

/// A cut in the current configuration.
pub(super) struct CutState {
    /// Axes of the section.
    pub R: Mat3,
    /// Its point on the beam line.
    pub x: Vec3,
    /// x_/η.
    pub tangent: Vec3,
    /// Strains e, k.
    pub strain: Vector6<f64>,
    theta: [Vec3; MAX_NODES],
    rotation: RotationVector,
    dtheta: Vec3,
}

/// How the section rotates with its nodes: δθ = Σ Gᵢ δθᵢ, and its derivative along the arc.
pub(super) struct SectionRotation {
    pub G: [Mat3; MAX_NODES],
    pub dG: [Mat3; MAX_NODES],
}

#[inline(always)]
fn stack(a: &Vec3, b: &Vec3) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

impl SectionCut {
    /// Midway between two nodes; none if they coincide.
    pub fn of_two(nodes: [&Motion; 2]) -> Option<SectionCut> {
        let length = (nodes[1].p - nodes[0].p).norm();
        let (N, dN) = ([0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]);
        let raw = SectionCut { nodes: 2, base_node: 0, N, dN, weight: 2.0, reference_strain: Vector6::zeros() };
        raw.with_metric(&nodes.map(|m| *m), 0.5 * length, length)
    }

    /// At ξ between three nodes; it represents half of their length.
    pub fn of_three(nodes: [&Motion; 3], xi: f64) -> Option<SectionCut> {
        let N = [0.5 * xi * (xi - 1.0), 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)];
        let dN = [xi - 0.5, -2.0 * xi, xi + 0.5];
        let along: Vec3 = (0..3).map(|i| nodes[i].p * dN[i]).sum();
        let raw = SectionCut { nodes: 3, base_node: 1, N, dN, weight: 1.0, reference_strain: Vector6::zeros() };
        raw.with_metric(&nodes.map(|m| *m), along.norm(), (nodes[2].p - nodes[0].p).norm())
    }

    /// Divides by the metric dη/dξ and takes the strains of the given shape as reference.
    fn with_metric(mut self, nodes: &[Motion], metric: f64, size: f64) -> Option<SectionCut> {
        // Also rejects NaN.
        if !(metric > 1e-9 * size && metric.is_finite()) {
            return None;
        }
        self.dN.iter_mut().for_each(|d| *d /= metric);
        self.weight *= metric;
        let ids = [0, 1, 2];
        self.reference_strain = self.evaluate(&ElementInput::new(0.0, nodes, &ids[..self.nodes], &[])).strain;
        Some(self)
    }

    /// Strains and section axes in the current configuration.
    #[inline(always)]
    pub fn evaluate(&self, at: &ElementInput) -> CutState {
        let base = &at[self.base_node];
        let mut theta = [Vec3::zeros(); MAX_NODES];
        let (mut x, mut tangent, mut sum, mut dtheta) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        for i in 0..self.nodes {
            let node = &at[i];
            x += node.p * self.N[i];
            // Relative to the base node, so that no digits are lost far from the origin.
            tangent += (node.p - base.p) * self.dN[i];
            if i != self.base_node {
                theta[i] = rotation_vector(&base.R.tr_mul(&node.R));
                sum += theta[i] * self.N[i];
                dtheta += theta[i] * self.dN[i];
            }
        }
        let turn = RotationVector::new(sum);
        let R = base.R * turn.exp();
        let strain = stack(&R.tr_mul(&tangent), &turn.J_negative_times(&dtheta)) - self.reference_strain;
        CutState { R, x, tangent, strain, theta, rotation: turn, dtheta }
    }

    /// Gᵢ = R_b J(θ) Nᵢ J(θᵢ)⁻¹ R_bᵀ, and its derivative along η.
    pub fn section_rotation(&self, at: &ElementInput, bent: &CutState) -> SectionRotation {
        let base = &at[self.base_node].R;
        let (J, dJ) = (bent.rotation.J(), bent.rotation.dJ(&bent.dtheta));
        let mut found = SectionRotation { G: [Mat3::zeros(); MAX_NODES], dG: [Mat3::zeros(); MAX_NODES] };
        found.G[self.base_node] = Mat3::identity();
        for i in (0..self.nodes).filter(|i| *i != self.base_node) {
            let back = RotationVector::new(bent.theta[i]).J_inverse() * base.transpose();
            found.G[i] = base * (J * self.N[i]) * back;
            found.dG[i] = base * (dJ * self.N[i] + J * self.dN[i]) * back;
            let (G, dG) = (found.G[i], found.dG[i]);
            found.G[self.base_node] -= G;
            found.dG[self.base_node] -= dG;
        }
        found
    }

    /// Bᵢ of each node: strain rate = Σ Bᵢ twistᵢ, twist = (v, w).
    pub fn strain_matrix(&self, bent: &CutState, turning: &SectionRotation) -> [Matrix6<f64>; MAX_NODES] {
        let back = bent.R.transpose();
        let across = bent.tangent.cross_matrix();
        std::array::from_fn(|i| {
            let mut B = Matrix6::zeros();
            B.fixed_view_mut::<3, 3>(0, 0).copy_from(&(back * self.dN[i]));
            B.fixed_view_mut::<3, 3>(0, 3).copy_from(&(back * across * turning.G[i]));
            B.fixed_view_mut::<3, 3>(3, 3).copy_from(&(back * turning.dG[i]));
            B
        })
    }

    /// Rates of the strains.
    pub fn strain_rate(&self, at: &ElementInput, bent: &CutState) -> Vector6<f64> {
        let turning = self.section_rotation(at, bent);
        let (mut v, mut w, mut dw) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        for i in 0..self.nodes {
            v += at[i].v * self.dN[i];
            w += turning.G[i] * at[i].w;
            dw += turning.dG[i] * at[i].w;
        }
        stack(&bent.R.tr_mul(&(v + bent.tangent.cross(&w))), &bent.R.tr_mul(&dw))
    }

    /// Derivative of the strain rate by the poses, Ḃ + B w×. Rotations do not commute: rotating by δ before moving with w differs
    /// from the reverse order by w × δ.
    pub fn strain_rate_by_pose(
        &self,
        at: &ElementInput,
        bent: &CutState,
        turning: &SectionRotation,
    ) -> [Matrix6<f64>; MAX_NODES] {
        let base = &at[self.base_node];
        let SectionRotation { G, dG } = turning;
        let spin = base.w.cross_matrix();
        let (mut v, mut w) = (Vec3::zeros(), Vec3::zeros());
        let mut rates = [Vec3::zeros(); MAX_NODES];
        let (mut rate, mut drate) = (Vec3::zeros(), Vec3::zeros());
        for i in 0..self.nodes {
            v += at[i].v * self.dN[i];
            w += G[i] * at[i].w;
            if i != self.base_node {
                rates[i] = RotationVector::new(bent.theta[i]).J_inverse() * base.R.tr_mul(&(at[i].w - base.w));
                rate += rates[i] * self.N[i];
                drate += rates[i] * self.dN[i];
            }
        }
        let (J, J_arc, J_time) = (bent.rotation.J(), bent.rotation.dJ(&bent.dtheta), bent.rotation.dJ(&rate));
        let J_both = bent.rotation.ddJ(&bent.dtheta, &rate) + bent.rotation.dJ(&drate);
        let mut Gdot = [Mat3::zeros(); MAX_NODES];
        let mut dGdot = [Mat3::zeros(); MAX_NODES];
        for i in (0..self.nodes).filter(|i| *i != self.base_node) {
            let turn = RotationVector::new(bent.theta[i]);
            let (back, back_rate) = (turn.J_inverse(), turn.dJ_inverse(&rates[i]));
            let (N, dN) = (self.N[i], self.dN[i]);
            let H = (J_time * back + J * back_rate) * N;
            let dH = (J_both * N + J_time * dN) * back + (J_arc * N + J * dN) * back_rate;
            let carried = |M: &Mat3, rate: Mat3| spin * M - M * spin + base.R * rate * base.R.transpose();
            Gdot[i] = carried(&G[i], H);
            dGdot[i] = carried(&dG[i], dH);
            let (g, dg) = (Gdot[i], dGdot[i]);
            Gdot[self.base_node] -= g;
            dGdot[self.base_node] -= dg;
        }
        let back = bent.R.transpose();
        let (turns, across, across_rate) = (w.cross_matrix(), bent.tangent.cross_matrix(), v.cross_matrix());
        let B = self.strain_matrix(bent, turning);
        std::array::from_fn(|i| {
            let mut found = Matrix6::zeros();
            if i < self.nodes {
                let e = across_rate * G[i] + across * Gdot[i] - turns * across * G[i];
                let k = dGdot[i] - turns * dG[i];
                found.fixed_view_mut::<3, 3>(0, 0).copy_from(&(back * turns * -self.dN[i]));
                found.fixed_view_mut::<3, 3>(0, 3).copy_from(&(back * e));
                found.fixed_view_mut::<3, 3>(3, 3).copy_from(&(back * k));
                let order = B[i].fixed_columns::<3>(3) * at[i].w.cross_matrix();
                let mut turned = found.fixed_columns_mut::<3>(3);
                turned += order;
            }
            found
        })
    }

    /// Number of nodes, base node, Nᵢ, dNᵢ/dη and the strains of the given shape.
    pub fn interpolation_data(&self) -> (usize, usize, [f64; MAX_NODES], [f64; MAX_NODES], &Vector6<f64>) {
        (self.nodes, self.base_node, self.N, self.dN, &self.reference_strain)
    }

    /// Nᵢ.
    #[inline(always)]
    pub fn shape_value(&self, i: usize) -> f64 {
        self.N[i]
    }

    /// Number of nodes of the element.
    #[inline(always)]
    pub fn nodes(&self) -> usize {
        self.nodes
    }
}
