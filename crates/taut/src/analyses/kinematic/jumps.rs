//! Jumps of a prescribed motion.
//!
//! A position that jumps has no velocity, and no finite force can follow it: the motion stops there. Where a velocity jumps, the
//! drivers exert an impulse; it is an event. Both are looked for at breaks, and where a condition on the motion switches a constraint.

use super::PoseFailure;
use super::continuation::move_to_time;
use crate::events::EventKind;
use crate::mathematics::magnitude::largest_magnitude;
use crate::results::EventRecord;
use crate::simulation::position_newton::PositionNewton;
use crate::simulation::transient::problem::TransientProblem;
use crate::solution::{Cause, Warning};
use crate::state::State;

/// Change of a coordinate at a switch that counts as a jump, relative to 1 + the size of the coordinates.
const POSITION_JUMP_TOLERANCE: f64 = 1e-8;
/// Most bisections for the time of a switch.
const MAX_BISECTIONS: usize = 60;
/// Parts of the interval between two poses in which switches are looked for.
const PARTS: usize = 8;
/// Steps of the search for the extreme value of a condition: they reduce the interval to 1e-7 of its length.
const GOLDEN_STEPS: usize = 34;
const GOLDEN_SECTION: f64 = 0.618_033_988_749_895;
/// Distance in time from a switch at which the poses before and after it are compared, relative to 1 + the time.
const NEXT_TO_SWITCH: f64 = 8.0 * f64::EPSILON;

/// Finds the first jump between two poses that follow each other, and records the impulses of drivers.
pub(super) fn check_jumps(
    newton: &mut PositionNewton,
    problem: &mut TransientProblem,
    across_break: bool,
    from: &State,
    to: &State,
) -> Result<(), PoseFailure> {
    if across_break {
        let crossed = problem.cross_prescribed_break(from, to.t);
        return crossed.map_err(|cause| PoseFailure::Jump { t: from.t, cause });
    }
    let first = problem.constraint_switches(from);
    if first.is_empty() {
        return Ok(());
    }
    let (mut poses, mut values) = (vec![from.clone()], vec![first]);
    for part in 1..=PARTS {
        let state = match part {
            PARTS => to.clone(),
            _ => pose_at(newton, &poses[part - 1], from.t + (to.t - from.t) * part as f64 / PARTS as f64)?,
        };
        values.push(problem.constraint_switches(&state));
        poses.push(state);
    }
    for i in 0..=PARTS {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(PARTS));
        for k in 0..values[i].len() {
            let at = |i: usize| values[i][k];
            if at(i).sign() != at(after).sign() {
                check_switch(newton, problem, k, &poses[i], &poses[after])?;
            }
            // A condition may switch twice between two poses, as in a narrow groove: next to the smallest of its values.
            let least = at(i).value.abs();
            let alike = at(before).sign() == at(i).sign() && at(i).sign() == at(after).sign();
            if alike
                && least <= at(before).value.abs().min(at(after).value.abs())
                && let Some(other) = pose_beyond_zero(newton, problem, k, &poses[before], &poses[after])?
            {
                check_switch(newton, problem, k, &poses[before], &other)?;
                check_switch(newton, problem, k, &other, &poses[after])?;
            }
        }
    }
    Ok(())
}

/// A pose between two others at which switch `k` has another sign than at both of them, if its value has a single minimum or maximum
/// there.
fn pose_beyond_zero(
    newton: &mut PositionNewton,
    problem: &mut TransientProblem,
    k: usize,
    from: &State,
    to: &State,
) -> Result<Option<State>, PoseFailure> {
    let sign = problem.constraint_switches(from)[k].sign();
    let (mut low, mut high) = (from.t, to.t);
    let mut at = |newton: &mut PositionNewton, t: f64| -> Result<(f64, State), PoseFailure> {
        let state = pose_at(newton, from, t)?;
        Ok((sign * problem.constraint_switches(&state)[k].value, state))
    };
    let (mut left, mut right) =
        (at(newton, high - GOLDEN_SECTION * (high - low))?, at(newton, low + GOLDEN_SECTION * (high - low))?);
    for _ in 0..GOLDEN_STEPS {
        for (value, state) in [&left, &right] {
            if *value < 0.0 {
                return Ok(Some(state.clone()));
            }
        }
        if left.0 < right.0 {
            high = right.1.t;
            right = left;
            left = at(newton, high - GOLDEN_SECTION * (high - low))?;
        } else {
            low = left.1.t;
            left = right;
            right = at(newton, low + GOLDEN_SECTION * (high - low))?;
        }
    }
    Ok(None)
}

/// Locates the time at which switch `k` changes, and compares the poses on both sides.
fn check_switch(
    newton: &mut PositionNewton,
    problem: &mut TransientProblem,
    k: usize,
    from: &State,
    to: &State,
) -> Result<(), PoseFailure> {
    let (mut low, mut high) = (from.clone(), to.clone());
    let start = problem.constraint_switches(from)[k];
    for _ in 0..MAX_BISECTIONS {
        let middle = 0.5 * (low.t + high.t);
        if middle <= low.t || middle >= high.t {
            break;
        }
        let state = pose_at(newton, &low, middle)?;
        let sign = problem.constraint_switches(&state)[k].sign();
        if sign == 0.0 {
            // Exactly at the switch, formulas differ in the side that they take: compare the poses just before and after it.
            let apart = NEXT_TO_SWITCH * (1.0 + middle.abs());
            high = pose_at(newton, &high, middle + apart)?;
            low = pose_at(newton, &low, middle - apart)?;
            break;
        }
        *(if sign == start.sign() { &mut low } else { &mut high }) = state;
    }
    let moved: Vec<f64> = low.q.iter().zip(&high.q).map(|(low, high)| high - low).collect();
    let (residual, speed) = (largest_magnitude(&moved).0, largest_magnitude(&low.v).0);
    let least = POSITION_JUMP_TOLERANCE * (1.0 + largest_magnitude(&low.q).0) + 2.0 * speed * (high.t - low.t);
    if residual > least {
        let row = newton.model.row_name(newton.model.constraints[start.constraint].rows.start);
        return Err(PoseFailure::Jump { t: low.t, cause: Cause::Constraint { row, residual } });
    }
    high.v.clone_from(&low.v);
    problem.record_prescribed_impulses(&high);
    Ok(())
}

/// The pose at another time, from a pose nearby.
fn pose_at(newton: &mut PositionNewton, from: &State, t: f64) -> Result<State, PoseFailure> {
    let mut state = from.clone();
    move_to_time(newton, &mut state, t).map_err(PoseFailure::NotConverged)?;
    Ok(state)
}

/// One warning for each constraint whose prescribed velocity jumps.
pub(super) fn warn_of_impulses(events: &[EventRecord], warnings: &mut Vec<Warning>) {
    let jumps: Vec<&EventRecord> = events.iter().filter(|e| e.what == EventKind::VelocityJump).collect();
    for (k, first) in jumps.iter().enumerate() {
        if jumps[..k].iter().any(|e| e.name == first.name) {
            continue;
        }
        let own = || jumps[k..].iter().filter(|e| e.name == first.name);
        let times = match own().count() {
            1 => String::new(),
            n => format!(" for the first of {n} times"),
        };
        let largest = own().max_by(|a, b| a.impulse.total_cmp(&b.impulse)).unwrap_or(first);
        let impulse = if own().count() == 1 {
            format!("an impulse of {:.4e} N s or N m s", largest.impulse)
        } else {
            format!("impulses of up to {:.4e} N s or N m s, at t = {} s", largest.impulse, largest.t)
        };
        let what = format!(
            "the velocity that `{}` prescribes jumps{times}: this needs {impulse}, which the reactions and driver forces do not contain; \
             prescribe a motion with a continuous velocity, or add the impulse (`events.csv`)",
            first.name
        );
        warnings.push(Warning::notice(first.t, what).with_element(&first.name));
    }
}
