//! The state at a later time along a steady motion, and the transformation of displacements to that time.
//!
//! A steady motion keeps its velocities in the rotating frame, so its poses follow without integration:
//!
//! ```text
//!  p = c + exp(Ωt) (p₀ − c + v_rel t)     R = exp(Ωt) exp((ω − Ω) t) R₀     v_rel = v − Ω × (p₀ − c)
//! ```
//!
//! Parts at rest stay where they are, also beside the axis.

use super::Linearised;
use super::rotating_frame::{BodyFrame, at_rest};
use super::velocity_blocks::{VelocityBlock, half_quaternion, quaternion, rotation_by, velocity_blocks};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::{DMatrix, Quaternion, UnitQuaternion};

impl Linearised<'_> {
    /// The state after the time τ, and Z of every body.
    pub(super) fn advanced_state(&self, tau: f64) -> (State, Vec<DMatrix<f64>>) {
        let (rate, through) = self.frame_rotation();
        let mut state = self.state.clone();
        state.t += tau;
        let mut all = Vec::with_capacity(self.model.bodies.len());
        for (b, frame) in self.model.bodies.iter().zip(&self.body_frames) {
            let omega = if *frame == BodyFrame::Fixed { Vec3::zeros() } else { rate };
            let turn = rotation_by(&omega, tau);
            let stays = at_rest(b, &self.state);
            let (q, v) = (&self.state.q[b.q.clone()], &self.state.v[b.v.clone()]);
            let mut Z = DMatrix::identity(v.len(), v.len());
            let mut delta = vec![0.0; v.len()];
            let (mut first, mut at) = (0, 0);
            for piece in velocity_blocks(b, v) {
                let own = &v[first..first + piece.size()];
                if matches!(
                    piece,
                    VelocityBlock::Point
                        | VelocityBlock::PointAndAngular
                        | VelocityBlock::EulerParameters
                        | VelocityBlock::Rodrigues
                ) {
                    let (p, rate) = (Vec3::new(q[at], q[at + 1], q[at + 2]), Vec3::new(own[0], own[1], own[2]));
                    let from = p - through;
                    let moved = turn * (from + (rate - omega.cross(&from)) * tau) - from;
                    let moved = if stays { Vec3::zeros() } else { moved };
                    delta[first..first + 3].copy_from_slice(moved.as_slice());
                    Z.fixed_view_mut::<3, 3>(first, first).copy_from(turn.matrix());
                }
                match piece {
                    VelocityBlock::Point => at += 3,
                    VelocityBlock::Planar => {
                        let from = Vec3::new(q[at], q[at + 1], 0.0) - through;
                        let rate = Vec3::new(own[0], own[1], 0.0);
                        let moved = turn * (from + (rate - omega.cross(&from)) * tau) - from;
                        let moved = if stays { Vec3::zeros() } else { moved };
                        delta[first..first + 3].copy_from_slice(&[moved.x, moved.y, own[2] * tau]);
                        Z.fixed_view_mut::<2, 2>(first, first).copy_from(&turn.matrix().fixed_view::<2, 2>(0, 0));
                        at += 3;
                    }
                    VelocityBlock::PointAndAngular => {
                        let w = Vec3::new(own[3], own[4], own[5]);
                        let whole = turn * rotation_by(&(w - omega), tau);
                        delta[first + 3..first + 6].copy_from_slice(whole.scaled_axis().as_slice());
                        Z.fixed_view_mut::<3, 3>(first + 3, first + 3).copy_from(turn.matrix());
                        at += 7;
                    }
                    VelocityBlock::Rodrigues => {
                        Z.fixed_view_mut::<3, 3>(first + 3, first + 3).copy_from(turn.matrix());
                    }
                    VelocityBlock::EulerParameters => {
                        let (start, o) = (quaternion(&q[3..7]), rotation_quaternion(&omega, tau));
                        let back = start.conjugate() / start.norm_squared();
                        let later = o * rotation_quaternion(&(angular_velocity_of(q, own) - omega), tau) * start;
                        for k in 0..4 {
                            let mut x = [0.0; 4];
                            x[k] = 1.0;
                            let seen = o * quaternion(&x) * back * o.conjugate() * later;
                            let column = [seen.w, seen.i, seen.j, seen.k];
                            (0..4).for_each(|i| Z[(first + 3 + i, first + 3 + k)] = column[i]);
                        }
                    }
                    VelocityBlock::FrameIndependent(n) | VelocityBlock::WorldFixed(n) => {
                        (0..n).for_each(|i| delta[first + i] = own[i] * tau);
                        at += n;
                    }
                }
                first += piece.size();
            }
            self.move_body(b, &delta, tau, &omega, &mut state);
            let v = &Z * nalgebra::DVectorView::from_slice(v, v.len());
            state.v[b.v.clone()].copy_from_slice(v.as_slice());
            all.push(Z);
        }
        let (mut scene, mut eq) = (MarkerKinematics::new(self.model), Equations::new(self.model));
        assemble_positions(self.model, StateView::from(&self.state), &mut scene, &mut eq);
        assemble_rates(self.model, StateView::from(&self.state), &mut scene, &mut eq);
        state.z.iter_mut().zip(&eq.zdot).for_each(|(z, rate)| *z += tau * rate);
        (state, all)
    }

    /// Ω and a point of the axis.
    fn frame_rotation(&self) -> (Vec3, Vec3) {
        match self.turning.and_then(|t| Some((t.omega().ok()?, t.through))) {
            Some((omega, through)) => (omega, through.into()),
            None => (Vec3::zeros(), Vec3::zeros()),
        }
    }

    /// Moves one body; rotation parameters are set directly.
    fn move_body(&self, b: &crate::model::BodyEntry, delta: &[f64], tau: f64, omega: &Vec3, state: &mut State) {
        let v = &self.state.v[b.v.clone()];
        let q = &mut state.q[b.q.clone()];
        match velocity_blocks(b, v).first() {
            Some(VelocityBlock::EulerParameters) => {
                let w = angular_velocity_of(q, v);
                let later =
                    rotation_quaternion(omega, tau) * rotation_quaternion(&(w - omega), tau) * quaternion(&q[3..7]);
                (0..3).for_each(|i| q[i] += delta[i]);
                q[3..7].copy_from_slice(&[later.w, later.i, later.j, later.k]);
            }
            Some(VelocityBlock::Rodrigues) => {
                let w = Vec3::new(v[3], v[4], v[5]);
                let later =
                    rotation_quaternion(omega, tau) * rotation_quaternion(&(w - omega), tau) * quaternion(&q[6..10]);
                (0..3).for_each(|i| q[i] += delta[i]);
                q[6..10].copy_from_slice(&[later.w, later.i, later.j, later.k]);
            }
            _ => b.kind.body().displace(q, delta),
        }
    }
}

/// ω of Euler parameters and their rates: 2 ė ∘ e⁻¹.
pub(super) fn angular_velocity_of(q: &[f64], v: &[f64]) -> Vec3 {
    let e = quaternion(&q[3..7]);
    2.0 * (quaternion(&v[3..7]) * e.conjugate() / e.norm_squared()).imag()
}

/// exp(½ w t).
fn rotation_quaternion(w: &Vec3, t: f64) -> Quaternion<f64> {
    UnitQuaternion::from_scaled_axis(2.0 * half_quaternion(w).imag() * t).into_inner()
}
