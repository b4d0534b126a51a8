//! Continuation along a prescribed motion: each pose is predicted with v and corrected on φ.

use super::update_turn_counters;
use crate::mathematics::magnitude::largest_magnitude;
use crate::simulation::position_newton::PositionNewton;
use crate::solution::Cause;
use crate::state::State;

/// Largest change of any coordinate between two poses, m or rad. It is small enough to stay on the same branch.
pub(super) const MAX_COORDINATE_STEP: f64 = 0.2;
/// Largest number of poses between two outputs.
pub(super) const MAX_STEPS: f64 = 10_000.0;
/// Newton iterations per pose.
const MAX_NEWTON_ITERATIONS: usize = 30;

/// Moves a state to the pose and velocities of the time `t`.
///
/// # Errors
/// The row that cannot be satisfied, if the motion cannot be continued.
pub(super) fn move_to_time(newton: &mut PositionNewton, state: &mut State, t: f64) -> Result<u64, Cause> {
    let mut iterations = 0;
    while state.t != t {
        let gap = t - state.t;
        let strides = (gap.abs() * largest_magnitude(&state.v).0 / MAX_COORDINATE_STEP).ceil().clamp(1.0, MAX_STEPS);
        let h = if strides > 1.0 { gap / strides } else { gap };
        let step: Vec<f64> = state.v.iter().map(|v| h * v).collect();
        iterations += step_to_pose(newton, state, &step, if strides > 1.0 { state.t + h } else { t })?;
    }
    Ok(iterations)
}

/// Moves to the next pose by a predicted displacement and corrects it.
///
/// # Errors
/// The row that cannot be satisfied.
pub(super) fn step_to_pose(newton: &mut PositionNewton, state: &mut State, step: &[f64], t: f64) -> Result<u64, Cause> {
    let model = newton.model;
    for b in &model.bodies {
        b.kind.body().displace(&mut state.q[b.q.clone()], &step[b.v.clone()]);
    }
    state.t = t;
    let iterations = newton.solve(state, MAX_NEWTON_ITERATIONS) as u64;
    update_turn_counters(model, state);
    let placed = newton.evaluate(state);
    let (phi, row) = largest_magnitude(&newton.eq.phi);
    if phi.is_nan() || phi > 1e-10 * placed.size {
        return Err(Cause::Constraint { row: model.row_name(row), residual: phi });
    }
    solve_velocities(newton, state);
    let placed = newton.evaluate(state);
    let (phidot, row) = largest_magnitude(&newton.eq.phidot);
    if phidot.is_nan() || phidot > 1e-6 * placed.speed {
        return Err(Cause::Constraint { row: model.row_name(row), residual: phidot });
    }
    Ok(iterations)
}

/// Solves A v = −φ_t, starting from v = 0.
pub(super) fn solve_velocities(newton: &mut PositionNewton, state: &mut State) {
    state.v.fill(0.0);
    newton.solve_velocity(state);
}
