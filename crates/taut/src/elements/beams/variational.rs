//! Virtual work at a cut in space: the forces on the nodes, and their derivatives.
//!
//! ```text
//!  on node k      −ℓ Bₖᵀ σ
//!  by pose i      −ℓ (Bₖᵀ ∂σ/∂poseᵢ + (∂Bₖ/∂poseᵢ)ᵀ σ)          by twist i   −ℓ Bₖᵀ ∂σ/∂twistᵢ
//! ```
//!
//! Column c of (∂Bₖ/∂poseᵢ)ᵀ σ in row r is σ·∂(B t)/∂poseᵢ for the twists t that are one in component r of node k, and zero
//! elsewhere. Viscous sections need the same derivative of their strain rates.

use super::cut::{CutState, MAX_NODES, SectionCut};
use super::section::SectionLaw;
use crate::constraints::ElementInput;
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::{Matrix6, Vector6};

impl SectionCut {
    /// Adds the forces on the nodes by virtual work.
    pub fn add_variational_forces(&self, at: &ElementInput, bent: &CutState, sigma: &Vector6<f64>, on: &mut [Wrench]) {
        let B = self.strain_matrix(bent, &self.section_rotation(at, bent));
        for (w, B) in on.iter_mut().zip(&B) {
            let given = B.tr_mul(sigma);
            let part = |i: usize| Vec3::new(given[i], given[i + 1], given[i + 2]);
            w.add_scaled(-self.weight, &Wrench { f: part(0), m: part(3) });
        }
    }

    /// Adds the derivatives by pose and twist of the nodes.
    pub fn variational_tangent(
        &self,
        at: &ElementInput,
        bent: &CutState,
        law: &SectionLaw,
        sigma: &Vector6<f64>,
        pose: &mut [Matrix6<f64>],
        twist: &mut [Matrix6<f64>],
    ) {
        let n = self.nodes();
        let turning = self.section_rotation(at, bent);
        let B = self.strain_matrix(bent, &turning);
        let rate = law.viscous.as_ref().map(|viscous| (viscous, self.strain_rate_by_pose(at, bent, &turning)));
        for i in 0..n {
            let mut by_pose = law.C * B[i];
            if let Some((viscous, rate)) = &rate {
                by_pose += *viscous * rate[i];
            }
            for k in 0..n {
                pose[k * n + i] -= B[k].tr_mul(&by_pose) * self.weight;
                if let Some((viscous, _)) = &rate {
                    twist[k * n + i] -= B[k].tr_mul(&(*viscous * B[i])) * self.weight;
                }
            }
        }
        let mut still: [Motion; MAX_NODES] = std::array::from_fn(|k| at[k.min(n - 1)]);
        still.iter_mut().for_each(|m| (m.v, m.w) = (Vec3::zeros(), Vec3::zeros()));
        let ids = [0, 1, 2];
        for k in 0..n {
            for row in 0..6 {
                let part = |m: &mut Motion, x: f64| if row < 3 { m.v[row] = x } else { m.w[row - 3] = x };
                part(&mut still[k], 1.0);
                let moved = self.strain_rate_by_pose(&ElementInput::new(at.t, &still, &ids[..n], &[]), bent, &turning);
                part(&mut still[k], 0.0);
                for i in 0..n {
                    let mut line = pose[k * n + i].row_mut(row);
                    line -= (moved[i].tr_mul(sigma) * self.weight).transpose();
                }
            }
        }
    }
}
