//! Axes that move with a body, for displacements and changes of velocity: ξ = Z x, dv = Z y.
//!
//! ```text
//!  points, rotations, velocities, ω     Z = R                    Λ = Z⁻¹ Z' = (Rᵀ ω)×
//!  Euler parameters                     Z x = e ∘ x              Λ x = ½ Rᵀ ω ∘ x        body axes
//!                                       Z x = x ∘ e              Λ x = x ∘ ½ ω           world axes
//! ```
//!
//! In its own axes the displacement of a rotating part is free of the rotation itself, and the parts of a group with rotational symmetry
//! have equal coefficients.

use super::velocity_blocks::{VelocityBlock, angular_velocity, half_quaternion, quaternion, velocity_blocks};
use crate::bodies::BodyKind;
use crate::model::{BodyEntry, Model};
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::{DMatrix, Matrix3, Matrix4, Quaternion, Rotation2, UnitQuaternion};

/// The axes in which the small motions of a body are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyses) enum AxesChoice {
    /// Those of the body.
    Body,
    /// Those of the world.
    World,
}

/// Z and Λ = Z⁻¹ Z' of one body.
#[derive(Clone, Debug)]
pub(in crate::analyses) struct LocalAxes {
    pub Z: DMatrix<f64>,
    pub rate: DMatrix<f64>,
    pub inverse: DMatrix<f64>,
}

/// The axes of every body. Gibbs–Rodrigues parameters must be relative to the present orientation.
pub(in crate::analyses) fn local_axes(model: &Model, state: &State, choice: &[AxesChoice]) -> Vec<LocalAxes> {
    let one = |(b, choice): (&BodyEntry, &AxesChoice)| {
        let (q, v) = (&state.q[b.q.clone()], &state.v[b.v.clone()]);
        let n = v.len();
        let (mut Z, mut rate) = (DMatrix::identity(n, n), DMatrix::zeros(n, n));
        let (mut first, mut at) = (0, 0);
        for piece in velocity_blocks(b, v) {
            let own = &v[first..first + piece.size()];
            let here = &q[at..];
            match piece {
                VelocityBlock::PointAndAngular | VelocityBlock::Rodrigues | VelocityBlock::EulerParameters => {
                    let w = angular_velocity(piece, here, own).unwrap_or_else(Vec3::zeros);
                    let e = attitude(b, here);
                    let (R, turn) = match choice {
                        AxesChoice::Body => (e.to_rotation_matrix().into_inner(), (e.inverse() * w).cross_matrix()),
                        AxesChoice::World => (Matrix3::identity(), Matrix3::zeros()),
                    };
                    Z.fixed_view_mut::<3, 3>(first, first).copy_from(&R);
                    rate.fixed_view_mut::<3, 3>(first, first).copy_from(&turn);
                    if piece == VelocityBlock::EulerParameters {
                        let (with, along) = match choice {
                            AxesChoice::Body => {
                                (left_multiplication(&e), left_multiplication(&half_quaternion(&(e.inverse() * w))))
                            }
                            AxesChoice::World => (right_multiplication(&e), right_multiplication(&half_quaternion(&w))),
                        };
                        Z.fixed_view_mut::<4, 4>(first + 3, first + 3).copy_from(&with);
                        rate.fixed_view_mut::<4, 4>(first + 3, first + 3).copy_from(&along);
                    } else {
                        Z.fixed_view_mut::<3, 3>(first + 3, first + 3).copy_from(&R);
                        rate.fixed_view_mut::<3, 3>(first + 3, first + 3).copy_from(&turn);
                    }
                    at += 7;
                }
                VelocityBlock::Planar => {
                    if *choice == AxesChoice::Body {
                        let R = Rotation2::new(here[2]).into_inner();
                        Z.fixed_view_mut::<2, 2>(first, first).copy_from(&R);
                        (rate[(first, first + 1)], rate[(first + 1, first)]) = (-own[2], own[2]);
                    }
                    at += 3;
                }
                VelocityBlock::Point => at += 3,
                VelocityBlock::FrameIndependent(n) | VelocityBlock::WorldFixed(n) => at += n,
            }
            first += piece.size();
        }
        // Z is orthogonal.
        let inverse = Z.transpose();
        LocalAxes { Z, rate, inverse }
    };
    model.bodies.iter().zip(choice).map(one).collect()
}

/// The unit quaternion of a body, or of the node whose coordinates begin with `q`.
pub(in crate::analyses) fn attitude(b: &BodyEntry, q: &[f64]) -> UnitQuaternion<f64> {
    let e = match &b.kind {
        BodyKind::EulerAngles(_) | BodyKind::Rodrigues(_) => b.kind.body().attitude(q),
        _ => [q[3], q[4], q[5], q[6]],
    };
    UnitQuaternion::from_quaternion(quaternion(&e))
}

/// x → a ∘ x.
pub(super) fn left_multiplication(a: &Quaternion<f64>) -> Matrix4<f64> {
    Matrix4::new(a.w, -a.i, -a.j, -a.k, a.i, a.w, -a.k, a.j, a.j, a.k, a.w, -a.i, a.k, -a.j, a.i, a.w)
}

/// x → x ∘ a.
pub(super) fn right_multiplication(a: &Quaternion<f64>) -> Matrix4<f64> {
    Matrix4::new(a.w, -a.i, -a.j, -a.k, a.i, a.w, a.k, -a.j, a.j, -a.k, a.w, a.i, a.k, a.j, -a.i, a.w)
}
