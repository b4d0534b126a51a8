//! The small motion that leads from one state to another, both with Gibbs–Rodrigues parameters relative to their own orientation.
//!
//! A rotation counts within half a turn, so a part that has made whole turns is back where it was. The two quaternions of an orientation
//! count as one. Gibbs–Rodrigues parameters of the second state are those from the first orientation on, and so are their rates.

use super::local_axes::attitude;
use super::velocity_blocks::{VelocityBlock, velocity_blocks};
use crate::model::Model;
use crate::motion::Vec3;
use crate::state::State;
use nalgebra::{DVector, UnitQuaternion};
use std::f64::consts::TAU;

/// (ξ, dv, z) in world axes, with the extra states that take part.
pub(in crate::analyses) fn state_difference(model: &Model, from: &State, to: &State, states: &[bool]) -> DVector<f64> {
    let n = model.sizes.v;
    let chosen: Vec<usize> = (0..model.sizes.z).filter(|z| states[*z]).collect();
    let mut x = DVector::zeros(2 * n + chosen.len());
    for b in &model.bodies {
        let (q0, q1) = (&from.q[b.q.clone()], &to.q[b.q.clone()]);
        let (v0, v1) = (&from.v[b.v.clone()], &to.v[b.v.clone()]);
        let (mut first, mut at) = (0, 0);
        for piece in velocity_blocks(b, v0) {
            let mut set = |i: usize, xi: f64, dv: f64| {
                x[b.v.start + first + i] = xi;
                x[n + b.v.start + first + i] = dv;
            };
            let plain = |i: usize| (q1[at + i] - q0[at + i], v1[first + i] - v0[first + i]);
            match piece {
                VelocityBlock::PointAndAngular => {
                    let turn = (attitude(b, &q1[at..]) * attitude(b, &q0[at..]).inverse()).scaled_axis();
                    (0..3).for_each(|i| set(i, plain(i).0, plain(i).1));
                    (3..6).for_each(|i| set(i, turn[i - 3], v1[first + i] - v0[first + i]));
                    at += 7;
                }
                VelocityBlock::Rodrigues => {
                    let g = rodrigues(&(attitude(b, q1) * attitude(b, q0).inverse()));
                    // ġ from the first orientation on.
                    let w = Vec3::new(v1[3], v1[4], v1[5]);
                    let rate = w - 0.5 * g.cross(&w) + 0.25 * g * g.dot(&w);
                    (0..3).for_each(|i| set(i, plain(i).0, plain(i).1));
                    (3..6).for_each(|i| set(i, g[i - 3], rate[i - 3] - v0[i]));
                }
                VelocityBlock::EulerParameters => {
                    let sign = (3..7).map(|i| q0[i] * q1[i]).sum::<f64>().signum();
                    (0..3).for_each(|i| set(i, plain(i).0, plain(i).1));
                    (3..7).for_each(|i| set(i, sign * q1[i] - q0[i], sign * v1[i] - v0[i]));
                    at += 7;
                }
                VelocityBlock::Planar => {
                    (0..2).for_each(|i| set(i, plain(i).0, plain(i).1));
                    let (turn, rate) = plain(2);
                    set(2, turn - TAU * (turn / TAU).round(), rate);
                    at += 3;
                }
                VelocityBlock::Point | VelocityBlock::FrameIndependent(_) | VelocityBlock::WorldFixed(_) => {
                    (0..piece.size()).for_each(|i| set(i, plain(i).0, plain(i).1));
                    at += piece.size();
                }
            }
            first += piece.size();
        }
    }
    for (k, z) in chosen.into_iter().enumerate() {
        x[2 * n + k] = to.z[z] - from.z[z];
    }
    x
}

/// g = 2 tan(θ/2) n of a rotation; of half a turn, a large one.
fn rodrigues(turn: &UnitQuaternion<f64>) -> Vec3 {
    let w = if turn.w.abs() > f64::MIN_POSITIVE { turn.w } else { f64::MIN_POSITIVE };
    2.0 * turn.imag() / w
}
