//! The inertia of a floating frame with shapes: sums over nodes, computed once, \[Shabana2013\] chapter 5.
//!
//! For masses with centres at u = r + Φ a in the frame, and v and ω of the frame in its own axes,
//!
//! ```text
//!  T = ½ m v² + v·(ω × S + Σ S_j ȧ_j) + ½ ω·I ω + ω·Σ C_j ȧ_j + ½ ȧ·Maa ȧ
//!  S = S0 + Σ S_j a_j      I = I0 + Σ I_j a_j + ½ Σ I_jk a_j a_k      C_j = C0_j + Σ C_jk a_k
//!
//!      ⎡ m 1  −S×  S_j ⎤            ⎡ ω × (ω × S) + 2 ω × Ṡ                       ⎤
//!  M = ⎢      I    C_j ⎥        f = − ⎢ ω × (I ω + Σ C_j ȧ_j) + İ ω + Σ C_jk ȧ_j ȧ_k ⎥
//!      ⎣ sym.      Maa ⎦            ⎣ −½ ω·(∂I/∂a_j) ω + ω·Σ (C_jk − C_kj) ȧ_k     ⎦
//! ```
//!
//! All variable terms are polynomials in a of degree two, so the cost does not depend on the number of nodes. Mass centres
//! move to first order: a centre at c from its node moves by θ × c. Rotary inertia rotates with its node, see
//! [`rotary_inertia`](super::rotary_inertia); in the plane it is constant and part of these sums.
//!
//! Stiffening. The centrifugal loads of unit ω_p ω_q give the shapes the geometric stiffness G_pq. It enters T as
//! −½ ω_p ω_q aᵀ G_pq a, that is, through I_jk, and so acts on the rotation too.

use super::rotary_inertia::RotaryInertia;
use super::shapes::ModalNode;
use crate::beams::MotionSpace;
use crate::motion::{Mat3, Vec3};
use nalgebra::DMatrix;

/// The sums over nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct ModalInertia {
    pub mass: f64,
    S0: Vec3,
    /// S_j.
    pub S1: Vec<Vec3>,
    I0: Mat3,
    I1: Vec<Mat3>,
    /// I_jk at j n + k, the same at k n + j.
    I2: Vec<Mat3>,
    C0: Vec<Vec3>,
    /// C_jk at j n + k.
    C1: Vec<Vec3>,
    pub Maa: DMatrix<f64>,
    /// Rotary inertia of the nodes.
    pub rotary: Vec<RotaryInertia>,
}

impl ModalInertia {
    /// For these nodes and the geometric stiffnesses G of xx, yy, zz, xy, xz, yz (none without stiffening).
    pub fn new(nodes: &[ModalNode], G: &[DMatrix<f64>], space: MotionSpace) -> ModalInertia {
        let n = nodes.first().map_or(0, |node| node.phi.len());
        let mut all = ModalInertia {
            S1: vec![Vec3::zeros(); n],
            I1: vec![Mat3::zeros(); n],
            I2: vec![Mat3::zeros(); n * n],
            C0: vec![Vec3::zeros(); n],
            C1: vec![Vec3::zeros(); n * n],
            Maa: DMatrix::zeros(n, n),
            ..ModalInertia::default()
        };
        nodes.iter().for_each(|node| all.add(node, n, space));
        if let [xx, yy, zz, xy, xz, yz] = G {
            for j in 0..n {
                for k in 0..n {
                    let [xx, yy, zz, xy, xz, yz] = [xx, yy, zz, xy, xz, yz].map(|G| G[(j, k)]);
                    all.I2[j * n + k] -= Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) * 2.0;
                }
            }
        }
        all
    }

    /// Adds one node.
    fn add(&mut self, node: &ModalNode, n: usize, space: MotionSpace) {
        let (m, c) = (node.mass, Vec3::from(node.com));
        let psi: Vec<Vec3> = (0..n).map(|j| node.psi.get(j).map_or(Vec3::zeros(), |x| Vec3::from(*x))).collect();
        // The mass centre rotates with its node.
        let phi: Vec<Vec3> = (0..n).map(|j| Vec3::from(node.phi[j]) + psi[j].cross(&c)).collect();
        let r = Vec3::from(node.at) + c;
        let [xx, yy, zz, xy, xz, yz] = node.inertia;
        let J = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        // m (2 a·b 1 − a bᵀ − b aᵀ): twice the inertia tensor of a point mass for b = a.
        let pair = |a: &Vec3, b: &Vec3| {
            let ab = a * b.transpose();
            (Mat3::identity() * (2.0 * a.dot(b)) - ab - ab.transpose()) * m
        };
        self.mass += m;
        self.S0 += r * m;
        self.I0 += pair(&r, &r) * 0.5;
        for j in 0..n {
            self.S1[j] += phi[j] * m;
            self.I1[j] += pair(&r, &phi[j]);
            self.C0[j] += r.cross(&phi[j]) * m;
            for k in 0..n {
                self.I2[j * n + k] += pair(&phi[j], &phi[k]);
                self.C1[j * n + k] += phi[k].cross(&phi[j]) * m;
                self.Maa[(j, k)] += m * phi[j].dot(&phi[k]);
            }
        }
        let turns = psi.iter().any(|x| *x != Vec3::zeros());
        if space == MotionSpace::Spatial && turns && J != Mat3::zeros() {
            self.rotary.push(RotaryInertia { J, psi });
            return;
        }
        self.I0 += J;
        for j in 0..n {
            let Jpsi = J * psi[j];
            self.C0[j] += Jpsi;
            (0..n).for_each(|k| self.Maa[(j, k)] += psi[k].dot(&Jpsi));
        }
    }

    /// M of the shapes alone at zero amplitudes.
    pub fn undeformed_shape_mass(&self) -> DMatrix<f64> {
        let of = |j: usize, k: usize, r: &RotaryInertia| r.psi[j].dot(&(r.J * r.psi[k]));
        let rotary = |j: usize, k: usize| self.rotary.iter().map(|r| of(j, k, r)).sum::<f64>();
        DMatrix::from_fn(self.Maa.nrows(), self.Maa.ncols(), |j, k| self.Maa[(j, k)] + rotary(j, k))
    }

    /// S.
    pub fn first_moment(&self, a: &[f64]) -> Vec3 {
        self.S1.iter().zip(a).fold(self.S0, |sum, (s, a)| sum + s * *a)
    }

    /// I about the origin of the frame, less the stiffening terms.
    pub fn tensor(&self, a: &[f64]) -> Mat3 {
        // I0 + ½ Σ (I_j + ∂I/∂a_j) a_j
        (0..a.len()).fold(self.I0, |I, j| I + (self.tensor_derivative(a, j) + self.I1[j]) * (0.5 * a[j]))
    }

    /// ∂I/∂a_j.
    fn tensor_derivative(&self, a: &[f64], j: usize) -> Mat3 {
        let n = a.len();
        a.iter().zip(&self.I2[j * n..]).fold(self.I1[j], |sum, (a, I)| sum + I * *a)
    }

    /// C_j.
    pub fn coupling(&self, a: &[f64], j: usize) -> Vec3 {
        let n = a.len();
        a.iter().zip(&self.C1[j * n..]).fold(self.C0[j], |sum, (a, C)| sum + C * *a)
    }

    /// Gyroscopic force, moment and forces on the shapes, axes of the frame.
    pub fn gyroscopic_forces(
        &self,
        a: &[f64],
        rate: &[f64],
        w: &Vec3,
        mut on_shape: impl FnMut(usize, f64),
    ) -> (Vec3, Vec3) {
        let n = a.len();
        let (mut I, mut Idot) = (self.I0, Mat3::zeros());
        let (mut Sdot, mut h, mut across) = (Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
        for j in 0..n {
            let slope = self.tensor_derivative(a, j);
            I += (slope + self.I1[j]) * (0.5 * a[j]);
            Idot += slope * rate[j];
            Sdot += self.S1[j] * rate[j];
            // Σ C_jk ȧ_k and Σ C_kj ȧ_k.
            let (mut own, mut other) = (Vec3::zeros(), Vec3::zeros());
            for (k, rate) in rate.iter().enumerate() {
                own += self.C1[j * n + k] * *rate;
                other += self.C1[k * n + j] * *rate;
            }
            h += self.coupling(a, j) * rate[j];
            across += own * rate[j];
            on_shape(j, 0.5 * w.dot(&(slope * w)) + w.dot(&(other - own)));
        }
        let S = self.first_moment(a);
        let force = -(w.cross(&w.cross(&S)) + w.cross(&Sdot) * 2.0);
        (force, -(w.cross(&(I * w + h)) + Idot * w + across))
    }
}
