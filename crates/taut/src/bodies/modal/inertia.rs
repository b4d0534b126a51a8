//! The inertia of a floating frame with shapes: sums over nodes taken once, \[Shabana2013\] chapter 5.
//!
//! ```text
//!  u = r + Φ a                        place of a node, axes of the frame
//!  x˙ = v + ω × u + Φ ȧ               its velocity; its rotary inertia J turns with ω + Ψ ȧ
//!  S = Σ m u    P = Σ m u uᵀ    Q_j = Σ m φ_j uᵀ    C_j = Σ m u × φ_j + J ψ_j
//!
//!      ⎡ m 1    −S×         Σ m Φ   ⎤            ⎡ ω×(ω×S) + 2 ω × Σ m Φ ȧ                 ⎤
//!  M = ⎢        tr P 1 − P  C       ⎥        f = − ⎢ ω×(J ω + Σ J Ψ ȧ) + 2 (ω tr Q̇ − Q̇ ω)     ⎥   Q̇ = Σ Q_j ȧ_j
//!      ⎣  sym.   + Σ J      ΦᵀmΦ+ΨᵀJΨ⎦            ⎣ ωᵀ Q_j ω − ω² tr Q_j + 2 ω·Σ m (Φ ȧ × φ_j) ⎦
//! ```
//!
//! All that changes is a polynomial in a of degree two, so that the cost does not depend on the number of nodes. Shapes
//! are first order: the rotary inertia of a node stays that of its axes at rest.
//!
//! Stiffening. The fields of unit ω_p ω_q press and stretch the body, and so give its shapes the geometric stiffness
//! G_pq. As a part of the kinetic energy, −½ ω_p ω_q aᵀ G_pq a, it acts on the rotation too, and energy and momentum
//! stay what they are: with N_pq = aᵀ G_pq a, J is less by N, f_ω gains ω × N ω + Ṅ ω, and f_a −ω_p ω_q G_pq a.

use super::shapes::Node;
use crate::motion::{Mat3, Vec3};
use nalgebra::DMatrix;

/// The sums over nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Inertia {
    pub mass: f64,
    /// Σ m r and Σ m φ_j.
    S0: Vec3,
    pub S1: Vec<Vec3>,
    /// Σ m r rᵀ, Σ m φ_j rᵀ, and Σ m φ_j φ_kᵀ at j n + k.
    P0: Mat3,
    P1: Vec<Mat3>,
    P2: Vec<Mat3>,
    /// Σ J and Σ J ψ_j.
    J: Mat3,
    B: Vec<Vec3>,
    /// Σ φᵀ m φ + ψᵀ J ψ.
    pub Maa: DMatrix<f64>,
    /// G of xx, yy, zz, xy, xz, yz, the last three for ω_p ω_q + ω_q ω_p; none without stiffening.
    G: Vec<DMatrix<f64>>,
}

/// Σ m u × w of Σ m w uᵀ.
#[inline(always)]
fn cross_of(Q: &Mat3) -> Vec3 {
    Vec3::new(Q[(2, 1)] - Q[(1, 2)], Q[(0, 2)] - Q[(2, 0)], Q[(1, 0)] - Q[(0, 1)])
}

impl Inertia {
    /// Of these nodes, and the geometric stiffnesses of their shapes.
    pub fn new(nodes: &[Node], G: Vec<DMatrix<f64>>) -> Inertia {
        let n = nodes.first().map_or(0, |node| node.phi.len());
        let mut all = Inertia {
            S1: vec![Vec3::zeros(); n],
            P1: vec![Mat3::zeros(); n],
            P2: vec![Mat3::zeros(); n * n],
            B: vec![Vec3::zeros(); n],
            Maa: DMatrix::zeros(n, n),
            G,
            ..Inertia::default()
        };
        for node in nodes {
            let (m, c) = (node.mass, Vec3::from(node.com));
            let psi = |j: usize| node.psi.get(j).map_or(Vec3::zeros(), |x| Vec3::from(*x));
            // The mass centre turns with its node.
            let phi: Vec<Vec3> = (0..n).map(|j| Vec3::from(node.phi[j]) + psi(j).cross(&c)).collect();
            let r = Vec3::from(node.at) + c;
            let [xx, yy, zz, xy, xz, yz] = node.inertia;
            let J = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            all.mass += m;
            all.S0 += r * m;
            all.P0 += r * r.transpose() * m;
            all.J += J;
            for j in 0..n {
                all.S1[j] += phi[j] * m;
                all.P1[j] += phi[j] * r.transpose() * m;
                all.B[j] += J * psi(j);
                for k in 0..n {
                    all.P2[j * n + k] += phi[j] * phi[k].transpose() * m;
                    all.Maa[(j, k)] += m * phi[j].dot(&phi[k]) + psi(j).dot(&(J * psi(k)));
                }
            }
        }
        all
    }

    /// S.
    pub fn first_moment(&self, a: &[f64]) -> Vec3 {
        self.S1.iter().zip(a).fold(self.S0, |sum, (s, a)| sum + s * *a)
    }

    /// Q_j.
    fn mixed(&self, a: &[f64], j: usize) -> Mat3 {
        let n = a.len();
        a.iter().zip(&self.P2[j * n..]).fold(self.P1[j], |sum, (a, p)| sum + p * *a)
    }

    /// J of the whole about the origin of the frame, less what stiffening takes.
    pub fn tensor(&self, a: &[f64]) -> Mat3 {
        let P = (0..a.len()).fold(self.P0, |P, j| P + (self.mixed(a, j) + self.P1[j].transpose()) * a[j]);
        Mat3::identity() * P.trace() - P + self.J - self.stretch(a, a)
    }

    /// aᵀ G_pq b.
    fn stretch(&self, a: &[f64], b: &[f64]) -> Mat3 {
        let entry = |k: usize| match self.G.get(k) {
            Some(G) => (0..a.len()).map(|j| b[j] * (0..a.len()).map(|i| G[(i, j)] * a[i]).sum::<f64>()).sum(),
            None => 0.0,
        };
        if self.G.is_empty() {
            return Mat3::zeros();
        }
        let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(entry);
        Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// C_j.
    pub fn coupling(&self, a: &[f64], j: usize) -> Vec3 {
        cross_of(&self.mixed(a, j)) + self.B[j]
    }

    /// Force, moment and forces on the shapes that the motion itself exerts, axes of the frame.
    pub fn gyroscopic(&self, a: &[f64], rate: &[f64], w: &Vec3, mut on_shape: impl FnMut(usize, f64)) -> (Vec3, Vec3) {
        let n = a.len();
        let (mut Qdot, mut Sdot, mut h) = (Mat3::zeros(), Vec3::zeros(), self.tensor(a) * w);
        let w2 = w.norm_squared();
        for j in 0..n {
            let Q = self.mixed(a, j);
            Qdot += Q * rate[j];
            Sdot += self.S1[j] * rate[j];
            h += self.B[j] * rate[j];
            let across = (0..n).fold(Mat3::zeros(), |sum, k| sum + self.P2[j * n + k] * rate[k]);
            on_shape(j, w2 * Q.trace() - w.dot(&(Q * w)) - 2.0 * w.dot(&cross_of(&across)));
        }
        let S = self.first_moment(a);
        let force = -(w.cross(&w.cross(&S)) + w.cross(&Sdot) * 2.0);
        let mut moment = -(w.cross(&h) + (w * Qdot.trace() - Qdot * w) * 2.0);
        if !self.G.is_empty() {
            moment += self.stretch(a, rate) * w * 2.0;
            let of = [w.x * w.x, w.y * w.y, w.z * w.z, 2.0 * w.x * w.y, 2.0 * w.x * w.z, 2.0 * w.y * w.z];
            for j in 0..n {
                let row = |G: &DMatrix<f64>| (0..n).map(|k| G[(j, k)] * a[k]).sum::<f64>();
                on_shape(j, -self.G.iter().zip(of).map(|(G, w)| w * row(G)).sum::<f64>());
            }
        }
        (force, moment)
    }
}
