//! Nearby poses: a fixed pattern of small displacements, followed by assembly.

use crate::model::Model;
use crate::motion::Motion;
use crate::simulation::position_newton::{PositionNewton, Residuals};
use crate::state::State;

/// Displacements, relative to the size of each body, and rotations, rad.
const DISPLACEMENT_FRACTION: f64 = 0.03;
/// Time shift of every other trial, s, because drivers may otherwise fix the pose.
const TIME_SHIFT: f64 = 0.02;
/// Newton iterations.
const MAX_NEWTON_ITERATIONS: usize = 60;

/// A pose near `state`, assembled as far as possible; each `trial` gives another one. `position_newton` stays evaluated at this pose.
pub(super) fn nearby_pose(newton: &mut PositionNewton, state: &State, trial: usize) -> Residuals {
    let model = newton.model;
    newton.evaluate(state);
    let size = body_sizes(model, &newton.scene.motions);
    let mut moved = state.clone();
    if trial % 2 == 1 {
        moved.t += TIME_SHIFT * trial as f64;
    }
    for (b, size) in model.bodies.iter().zip(size) {
        let pattern = |(i, v): (usize, crate::bodies::Quantity)| {
            let unit = if v.unit == "m/s" { size } else { 1.0 };
            DISPLACEMENT_FRACTION * unit * pseudo_random(b.v.start + i, trial)
        };
        let delta: Vec<f64> = b.kind.body().velocities().into_iter().enumerate().map(pattern).collect();
        b.kind.body().displace(&mut moved.q[b.q.clone()], &delta);
    }
    newton.solve(&mut moved, MAX_NEWTON_ITERATIONS);
    newton.evaluate(&moved)
}

/// Distance of the farthest marker of each body from its reference point; if there is none, the mean of the others, or 1 m.
fn body_sizes(model: &Model, motions: &[Motion]) -> Vec<f64> {
    let reach = |b: &crate::model::BodyEntry| {
        let own = motions[b.markers.start].p;
        let frames = b.markers.clone().filter(|m| crate::equations::is_frame(model, *m));
        frames.map(|m| (motions[m].p - own).norm()).fold(0.0, f64::max)
    };
    let found: Vec<f64> = model.bodies.iter().map(reach).collect();
    let some: Vec<f64> = found.iter().copied().filter(|r| *r > 0.0).collect();
    let mean = if some.is_empty() { 1.0 } else { some.iter().sum::<f64>() / some.len() as f64 };
    found.into_iter().map(|r| if r > 0.0 { r } else { mean }).collect()
}

/// A reproducible pseudo-random number between −1 and 1.
fn pseudo_random(i: usize, trial: usize) -> f64 {
    let mut x =
        (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (trial as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    x ^= x >> 29;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 32;
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
