//! Continuation along a prescribed motion: each pose is predicted with v and corrected on φ.

use super::count_turns;
use crate::simulation::newton::Newton;
use crate::solution::{Blame, worst};
use crate::state::State;

/// Largest change of any coordinate between two poses, m or rad. It is small enough to stay on the same branch.
pub(super) const STRIDE: f64 = 0.2;
/// Largest number of poses between two outputs.
pub(super) const MOST: f64 = 10_000.0;
/// Newton iterations per pose.
const ITERATIONS: usize = 30;

/// Moves a state to the pose and velocities of the time `t`.
///
/// # Errors
/// The row that cannot be satisfied, if the motion cannot be continued.
pub(super) fn stand(newton: &mut Newton, state: &mut State, t: f64) -> Result<u64, Blame> {
    let mut iterations = 0;
    while state.t != t {
        let gap = t - state.t;
        let strides = (gap.abs() * worst(&state.v).0 / STRIDE).ceil().clamp(1.0, MOST);
        let h = if strides > 1.0 { gap / strides } else { gap };
        let step: Vec<f64> = state.v.iter().map(|v| h * v).collect();
        iterations += hop(newton, state, &step, if strides > 1.0 { state.t + h } else { t })?;
    }
    Ok(iterations)
}

/// Moves to the next pose by a predicted displacement and corrects it.
///
/// # Errors
/// The row that cannot be satisfied.
pub(super) fn hop(newton: &mut Newton, state: &mut State, step: &[f64], t: f64) -> Result<u64, Blame> {
    let model = newton.model;
    for b in &model.bodies {
        b.kind.body().displace(&mut state.q[b.q.clone()], &step[b.v.clone()]);
    }
    state.t = t;
    let iterations = newton.solve(state, ITERATIONS) as u64;
    count_turns(model, state);
    let placed = newton.place(state);
    let (phi, row) = worst(&newton.eq.phi);
    if phi.is_nan() || phi > 1e-10 * placed.size {
        return Err(Blame::Constraint { row: model.row_name(row), residual: phi });
    }
    velocities(newton, state);
    let placed = newton.place(state);
    let (phidot, row) = worst(&newton.eq.phidot);
    if phidot.is_nan() || phidot > 1e-6 * placed.speed {
        return Err(Blame::Constraint { row: model.row_name(row), residual: phidot });
    }
    Ok(iterations)
}

/// Solves A v = −φ_t, starting from v = 0.
pub(super) fn velocities(newton: &mut Newton, state: &mut State) {
    state.v.fill(0.0);
    newton.solve_velocity(state);
}
