//! W and Q: the convective terms of displacements on a moving body and in a rotating frame.

use super::LinearError;
use super::local_axes::{left_multiplication, right_multiplication};
use super::velocity_blocks::{VelocityBlock, half_quaternion, quaternion, velocity_blocks};
use crate::analyses::AnalysisError;
use crate::equations::Equations;
use crate::model::{BodyEntry, Model};
use crate::motion::{Mat3, Motion, Vec3};
use crate::state::State;
use crate::tangent::TangentMatrices;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// A frame that rotates about a fixed axis.
///
/// ```text
///  R = exp(ξ) R₀   →  ξ' = dω + ω × ξ            velocities that contain ω:  W = ω×
///  rotating frame:  ξ' and dv' lose Ω × each     Q = Ω× on vectors
///  rates of parameters                           Q and W follow from the change of the parameters along the motion
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotatingFrame {
    /// Direction of the axis.
    pub axis: [f64; 3],
    /// A point of the axis, m.
    pub through: [f64; 3],
    /// Rate, rad/s.
    pub rate: f64,
}

impl RotatingFrame {
    /// About an axis through the origin.
    pub fn about(axis: [f64; 3], rate: f64) -> RotatingFrame {
        RotatingFrame { axis, through: [0.0; 3], rate }
    }

    /// Ω.
    pub(super) fn omega(&self) -> Result<Vec3, LinearError> {
        let (axis, through) = (Vec3::from(self.axis), Vec3::from(self.through));
        if !(axis.norm() > 0.0 && axis.norm().is_finite() && through.norm().is_finite() && self.rate.is_finite()) {
            let what = "the axis or the rate of the rotating frame".to_string();
            return Err(AnalysisError::NotFinite { what }.into());
        }
        Ok(axis.normalize() * self.rate)
    }

    /// Rotation about this axis at the mean rate at which the bodies of a state revolve around it, or at the fastest spin about it,
    /// whichever is larger; `None` if all bodies lie on the axis and do not spin.
    pub fn estimate(model: &Model, state: &State, axis: [f64; 3]) -> Option<RotatingFrame> {
        let e = Vec3::from(axis).try_normalize(0.0)?;
        let (mut along, mut square) = (0.0, 0.0);
        for own in model.bodies.iter().map(|b| frame_motion(b, state)) {
            let round = e.cross(&own.p);
            along += round.dot(&own.v);
            square += round.norm_squared();
        }
        // A rotating hub determines the rate even if the other bodies do not yet move.
        let spins = model.bodies.iter().map(|b| frame_motion(b, state).w.dot(&e));
        let fastest = spins.fold(0.0_f64, |most, w| if w.abs() > most.abs() { w } else { most });
        let round = if square > 0.0 { along / square } else { 0.0 };
        let rate = if fastest.abs() > round.abs() { fastest } else { round };
        (square > 0.0 || fastest != 0.0).then_some(RotatingFrame { axis, through: [0.0; 3], rate })
    }
}

/// S = W − Q and Q of one body.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FrameTerms {
    /// Both zero.
    Zero,
    /// Both given.
    Rotating {
        /// S.
        S: DMatrix<f64>,
        /// Q.
        Q: DMatrix<f64>,
    },
}

/// Pose and twist of a body's reference frame.
pub(in crate::analyses) fn frame_motion(b: &BodyEntry, state: &State) -> Motion {
    let mut own = Motion::REST;
    b.kind.body().frame_pose(&state.q[b.q.clone()], &mut own);
    b.kind.body().frame_twist(&state.q[b.q.clone()], &state.v[b.v.clone()], &mut own);
    own
}

/// The axes in which the small motions of a body are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFrame {
    /// Those of the rotating frame.
    Rotating,
    /// Those of the world: a part that stays where it is, beside the axis.
    Fixed,
}

/// Whether a body is at rest in the world.
pub(super) fn at_rest(b: &BodyEntry, state: &State) -> bool {
    state.v[b.v.clone()].iter().all(|v| *v == 0.0)
}

/// R of every body, where it is not zero.
type SecondOrderTerms = Vec<Option<DMatrix<f64>>>;

/// S, Q and R of every body: v̇ is dv' + Q dv + R ξ. The caller adds the terms of R to K and G.
///
/// With ξ of the frame and Z of [`velocity_blocks`](super::velocity_blocks::velocity_blocks), dv = (Z ξ)' and the change of v̇ is
/// (Z ξ)'': Q = −S = Z', R = Z'' − Z'² with the acceleration Ω × ω of a steady motion: along any other motion Q changes, and its rate
/// takes the rest of the acceleration. If the velocities contain ω, S = (ω − Ω)× instead, and R = 0; so it is for Euler parameters.
pub(super) fn frame_terms(
    model: &Model,
    state: &State,
    turning: Option<RotatingFrame>,
    frames: &[BodyFrame],
) -> Result<(Vec<FrameTerms>, SecondOrderTerms), LinearError> {
    let rate = turning.map_or(Ok(Vec3::zeros()), |t| t.omega())?;
    let (mut all, mut further) = (Vec::new(), Vec::new());
    for (b, frame) in model.bodies.iter().zip(frames) {
        let omega = if *frame == BodyFrame::Fixed { Vec3::zeros() } else { rate };
        let turn = omega.cross_matrix();
        let n = b.v.len();
        let (q, v) = (&state.q[b.q.clone()], &state.v[b.v.clone()]);
        let [mut S, mut Q, mut R] = [(); 3].map(|()| DMatrix::zeros(n, n));
        let set = |X: &mut DMatrix<f64>, at: usize, with: &Mat3| X.fixed_view_mut::<3, 3>(at, at).copy_from(with);
        let mut first = 0;
        for piece in velocity_blocks(b, v) {
            let own = &v[first..first + piece.size()];
            let triple = |x: &[f64]| Vec3::new(x[3], x[4], x[5]);
            if matches!(
                piece,
                VelocityBlock::Point
                    | VelocityBlock::PointAndAngular
                    | VelocityBlock::EulerParameters
                    | VelocityBlock::Rodrigues
            ) {
                set(&mut Q, first, &turn);
                set(&mut S, first, &-turn);
            }
            match piece {
                VelocityBlock::Point | VelocityBlock::FrameIndependent(_) => {}
                VelocityBlock::PointAndAngular => {
                    set(&mut Q, first + 3, &turn);
                    set(&mut S, first + 3, &(triple(own) - omega).cross_matrix());
                }
                VelocityBlock::Rodrigues => {
                    let w = triple(own);
                    let (wx, once) = (w.cross_matrix(), turn - 0.5 * w.cross_matrix());
                    let steady = omega.cross(&w).cross_matrix();
                    let twice = 0.5 * w * w.transpose() - 0.5 * steady - wx * turn + turn * turn;
                    set(&mut Q, first + 3, &once);
                    set(&mut S, first + 3, &-once);
                    set(&mut R, first + 3, &(twice - once * once));
                }
                VelocityBlock::EulerParameters => {
                    let (e, rate) = (quaternion(&q[3..7]), quaternion(&own[3..7]));
                    let back = e.conjugate() / e.norm_squared();
                    // x → ½ Ω ∘ x + x ∘ ½ (ω − Ω) in the axes of the body.
                    let inner = back * (rate - half_quaternion(&omega) * e);
                    let once = left_multiplication(&half_quaternion(&omega)) + right_multiplication(&inner);
                    Q.fixed_view_mut::<4, 4>(first + 3, first + 3).copy_from(&once);
                    S.fixed_view_mut::<4, 4>(first + 3, first + 3).copy_from(&-once);
                }
                VelocityBlock::Planar if omega.xy().norm() == 0.0 => {
                    (Q[(first, first + 1)], Q[(first + 1, first)]) = (-omega.z, omega.z);
                    (S[(first, first + 1)], S[(first + 1, first)]) = (omega.z, -omega.z);
                }
                VelocityBlock::WorldFixed(_) if omega == Vec3::zeros() => {}
                VelocityBlock::Planar | VelocityBlock::WorldFixed(_) => {
                    return Err(LinearError::RotatingFrameUnsupported { body: b.name.clone() });
                }
            }
            first += piece.size();
        }
        let still = S.amax() == 0.0 && Q.amax() == 0.0;
        all.push(if still { FrameTerms::Zero } else { FrameTerms::Rotating { S, Q } });
        further.push((R.amax() > 0.0).then_some(R));
    }
    Ok((all, further))
}

/// Adds M R to K and A R to G.
pub(super) fn add_second_order_terms(
    model: &Model,
    eq: &Equations,
    further: &[Option<DMatrix<f64>>],
    tangent: &mut TangentMatrices,
) {
    for (b, (entry, R)) in model.bodies.iter().zip(further).enumerate() {
        let Some(R) = R else { continue };
        let n = entry.v.len();
        if let Some(start) = tangent.pattern.start(b, b) {
            let M = DMatrix::from_column_slice(n, n, &eq.M[entry.mass.clone()]);
            tangent.K[start..start + n * n].iter_mut().zip((M * R).iter()).for_each(|(k, x)| *k += x);
        }
        for c in &model.constraints {
            for block in c.blocks.iter().filter(|block| block.body == b) {
                for r in 0..c.rows.len() {
                    let at = block.start + r * n..block.start + (r + 1) * n;
                    let row = nalgebra::RowDVector::from_row_slice(&eq.A[at.clone()]) * R;
                    tangent.G[at].iter_mut().zip(row.iter()).for_each(|(g, x)| *g += x);
                }
            }
        }
    }
}

/// Largest M (v̇ − Q v) relative to the acting forces. In a rotating frame also the largest velocity of points relative to the frame,
/// divided by the largest velocity.
pub(super) fn unsteadiness(
    model: &Model,
    state: &State,
    vdot: &[f64],
    lambda: &[f64],
    eq: &Equations,
    stiffness: f64,
    turning: Option<RotatingFrame>,
    carried: &[FrameTerms],
) -> f64 {
    let n = model.sizes.v;
    let mut off = vdot.to_vec();
    for (b, c) in model.bodies.iter().zip(carried) {
        if let FrameTerms::Rotating { Q, .. } = c {
            let v = nalgebra::DVectorView::from_slice(&state.v[b.v.clone()], b.v.len());
            off[b.v.clone()].iter_mut().zip((Q * v).iter()).for_each(|(a, q)| *a -= q);
        }
    }
    let (mut forces, mut inertia, mut held) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    eq.mass_times(&off, &mut forces);
    eq.mass_times(vdot, &mut inertia);
    eq.add_jacobian_transpose_times(lambda, &mut held);
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    // f is a sum in which balanced forces cancel, so the force of a displacement of a millionth of a length or radian counts too.
    let scale = largest(&eq.f).max(largest(&inertia)).max(largest(&held)).max(1e-6 * stiffness);
    let mut found = if scale > 0.0 { largest(&forces) / scale } else { 0.0 };
    if let Some((omega, t)) = turning.and_then(|t| Some((t.omega().ok()?, t))) {
        let own: Vec<Motion> = model.bodies.iter().map(|b| frame_motion(b, state)).collect();
        let fastest = own.iter().fold(0.0_f64, |a, m| a.max(m.v.norm()));
        let apart = |m: &Motion| (m.v - omega.cross(&(m.p - Vec3::from(t.through)))).norm();
        // Parts at rest stay where they are.
        let moving = |b: &BodyEntry| b.kind.body().no_frame_reason().is_none() && !at_rest(b, state);
        let most = model.bodies.iter().zip(&own).filter(|(b, _)| moving(b));
        let most = most.fold(0.0_f64, |a, (_, m)| a.max(apart(m)));
        found = found.max(if fastest > 0.0 { most / fastest } else { most });
    }
    found
}
