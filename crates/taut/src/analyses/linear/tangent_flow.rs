//! The linearised equations along a motion: a basis E(t) of the allowed small motions and their rates F(t) E(t), in local axes.
//!
//! With X = (ξ, dv, z) in the axes of [`local_axes`](super::local_axes),
//!
//! ```text
//!  X' = F(t) X,        the allowed motions X = E(t) y form an invariant subspace
//!  y = L X  →  y' = L F(t) E(t) (L E(t))⁻¹ y        for any constant L with L E(t) regular
//! ```
//!
//! so that small motions over any interval need no derivative of the basis.
//!
//! ξ' = dv + S ξ and dv' = v̇ − Q dv − R ξ of [`rotating_frame`](super::rotating_frame) without a frame that rotates hold along any motion,
//! also for Gibbs–Rodrigues parameters, which start anew from the orientation of every instant. Displacements of Euler parameters are the
//! changes of these numbers themselves: there ξ' = dv and dv' is the change of v̇.

use super::local_axes::LocalAxes;
use super::rotating_frame::FrameTerms;
use super::{Alive, LinearError, Linearised};
use crate::bodies::BodyKind;
use nalgebra::DMatrix;
use std::ops::{AddAssign, SubAssign};

/// E and F E at one instant; rows are ξ, dv and the extra states that take part.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct TangentFlow {
    pub basis: DMatrix<f64>,
    pub rates: DMatrix<f64>,
}

impl Linearised<'_> {
    /// Whether each extra state takes part at this instant.
    pub(in crate::analyses) fn state_activity(&self) -> Vec<bool> {
        self.active_states.iter().map(|a| *a == Alive::Yes).collect()
    }

    /// The basis of the allowed motions and its rates. `states` are the extra states that take part somewhere along the motion.
    pub(in crate::analyses) fn tangent_flow(
        &mut self,
        axes: &[LocalAxes],
        states: &[bool],
    ) -> Result<TangentFlow, LinearError> {
        self.active_states = states.iter().map(|on| if *on { Alive::Yes } else { Alive::No }).collect();
        let (n, full) = (self.n(), self.full_matrices());
        let spaces = self.null_spaces(&full);
        let (na, nb, nz) = (spaces.position.N.ncols(), spaces.velocity.N.ncols(), full.states.len());
        let d = na + nb + nz;
        let [mut xi, mut dv] = [(); 2].map(|()| DMatrix::zeros(n, d));
        let mut z = DMatrix::zeros(nz, d);
        xi.view_mut((0, 0), (n, na)).copy_from(&spaces.position.N);
        dv.view_mut((0, 0), (n, na)).copy_from(&self.velocity_by_displacement(&full, &spaces));
        dv.view_mut((0, na), (n, nb)).copy_from(&spaces.velocity.N);
        z.view_mut((0, na + nb), (nz, nz)).fill_with_identity();
        let [zd, zv, zz] = &full.z_by;
        let mut xi_rate = dv.clone();
        let mut dv_rate = self.acceleration_changes(&full, &spaces, [&xi, &dv, &z])?;
        let z_rate = zd * &xi + zv * &dv + zz * &z;
        for (b, terms) in self.model.bodies.iter().zip(&self.frame_terms) {
            let FrameTerms::Rotating { S, Q } = terms else { continue };
            // These S and Q belong to displacements that follow the rotation.
            if matches!(b.kind, BodyKind::EulerParameters(_)) {
                continue;
            }
            let (from, count) = (b.v.start, b.v.len());
            let moved = S * xi.rows(from, count);
            let turned = Q * dv.rows(from, count);
            xi_rate.rows_mut(from, count).add_assign(&moved);
            dv_rate.rows_mut(from, count).sub_assign(&turned);
        }
        // To local axes: x = Z⁻¹ ξ, x' = Z⁻¹ ξ' − Λ x.
        for (b, own) in self.model.bodies.iter().zip(axes) {
            let (from, count) = (b.v.start, b.v.len());
            for (x, rate) in [(&mut xi, &mut xi_rate), (&mut dv, &mut dv_rate)] {
                let local = &own.inverse * x.rows(from, count);
                let changed = &own.inverse * rate.rows(from, count) - &own.rate * &local;
                x.rows_mut(from, count).copy_from(&local);
                rate.rows_mut(from, count).copy_from(&changed);
            }
        }
        Ok(TangentFlow { basis: stack([&xi, &dv, &z]), rates: stack([&xi_rate, &dv_rate, &z_rate]) })
    }
}

/// Three matrices below each other.
fn stack(parts: [&DMatrix<f64>; 3]) -> DMatrix<f64> {
    let mut whole = DMatrix::zeros(parts.iter().map(|p| p.nrows()).sum(), parts[0].ncols());
    let mut at = 0;
    for part in parts {
        whole.rows_mut(at, part.nrows()).copy_from(part);
        at += part.nrows();
    }
    whole
}
