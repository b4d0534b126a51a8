//! Equilibrium with unilateral constraints: contacts, stops, ropes, separators, friction, brakes.
//!
//! ```text
//!  [M/h + K  −Aᵀ] (δ )   (−r)   (A_cᵀ)           0 ≤ φ + A_c δ ⊥ p ≥ 0         gaps
//!  [A          E] (Δλ) = (−φ) + (  0 ) p         A_t δ = 0 while p_t is within its bounds, else against A_t δ
//! ```
//!
//! Each step eliminates δ and leaves a small complementarity problem for p (`step`). M/h is the artificial damping of `relaxation.rs`:
//! the mechanism moves downhill in its potential from the given pose, closes gaps on its way, and slips where friction is too weak. h
//! grows until a step is a Newton step on the active set. Free motions without load do not move.
//!
//! With friction and brakes the equilibria form a set. The result is the one at which this motion from the given pose comes to rest. If
//! friction can hold the given pose, the mechanism stays there.

mod failure;
mod step;

use self::failure::{diagnose_failure, work_exceeded};
use self::step::{ContactWork, MAX_STEP, RelaxationStep, bounded_step};
use super::equilibrium_equations::EquilibriumEquations;
use super::{EquilibriumPoint, Statics, StaticsError};
use crate::analyses::friction_bounds::overloaded_constraints;
use crate::analyses::inverse::multipliers;
use crate::complementarity::BlockStatus;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::max_abs;
use crate::simulation::check_interruption;
use crate::solvers::contact_features::bind_features;
use crate::state::{ConstraintMode, State};

/// Most steps.
const MAX_STEPS: usize = 600;
/// Longest path, relative to `EquilibriumEquations::scale`: a motion beyond it will not come to rest.
const MAX_PATH_LENGTH: f64 = 25.0;
/// Factors by which the damping decreases after a short and after a long step.
const DAMPING_DECREASE_SHORT_STEP: f64 = 10.0;
const DAMPING_DECREASE_LONG_STEP: f64 = 2.0;
/// Least damping at first, relative to the stiffness of the mechanism.
const MIN_DAMPING: f64 = 1e-10;
/// Least damping if the former still slows convergence.
const MIN_DAMPING_SLOW_PROGRESS: f64 = 1e-15;
/// Residual below which a step that increases it indicates too little damping, and the factor by which to increase the damping.
const NEAR_EQUILIBRIUM: f64 = 1e-6;
const DAMPING_INCREASE: f64 = 100.0;
/// Relative residual that is accepted if it has not decreased in `STALLED_STEPS` steps, because contact forces between very unequal weights
/// cannot be computed more accurately.
const STALLED_RESIDUAL: f64 = 1e-9;
const STALLED_STEPS: usize = 30;
/// A gap below this, relative to the size of the mechanism, is closed.
const CLOSED_GAP_TOLERANCE: f64 = 1e-9;
/// Difference of two contact points that are the same, relative to 1 + their coordinates: the crossing of two edges is
/// recomputed each time, to round-off.
const SAME_POINT_TOLERANCE: f64 = 1e-9;
/// Least force of a closed gap, relative to the largest one; smaller forces are round-off.
const MIN_CONTACT_FORCE: f64 = 1e-12;

/// Brings a pose to rest. Returns the number of steps.
pub(super) fn relax_with_contacts(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    settings: &Statics,
) -> Result<usize, StaticsError> {
    let released: Vec<bool> = here.state.modes.iter().map(|m| *m == ConstraintMode::Idle).collect();
    balance.evaluate(&mut here.state);
    let heaviest = balance.eq.M.iter().fold(f64::MIN_POSITIVE, |a, m| a.max(m.abs()));
    balance.factor(here, 0.0).or_else(|_| balance.factor(here, 1.0))?;
    // The initial damping matches the stiffness of the mechanism.
    let own = balance.max_stiffness.max(balance.force_scale / balance.length_scale) / heaviest;
    let (mut viscous, mut thinnest) = (own, MIN_DAMPING * own);
    let (mut before, mut slow, mut way) = (f64::INFINITY, 0, 0.0);
    let (mut best, mut stalled) = (f64::INFINITY, 0);
    let (mut last, mut work): (Option<RelaxationStep>, ContactWork) = (None, ContactWork::new());
    for step in 0..MAX_STEPS {
        check_interruption()?;
        let residual = evaluate_residual(balance, here, &released);
        if !residual.is_finite() {
            break;
        }
        stalled = if residual < 0.5 * best { 0 } else { stalled + 1 };
        best = best.min(residual);
        let settled = residual <= STALLED_RESIDUAL && residual <= 2.0 * best && stalled >= STALLED_STEPS;
        if residual <= settings.tolerance
            || (residual <= balance.round_off_residual() && before <= balance.round_off_residual())
            || settled
        {
            apply_load_sharing(balance, here, settings);
            return set_final_modes(balance, here, step);
        }
        // If the residual decreases slowly, the damping is too large. If it is too small, free motions move so far without the contact
        // forces that round-off opens the gaps.
        let worse = residual >= before && residual < NEAR_EQUILIBRIUM;
        slow = if viscous <= thinnest && residual > 0.5 * before && !worse { slow + 1 } else { 0 };
        if worse {
            (viscous, thinnest) = ((DAMPING_INCREASE * viscous).min(own), (DAMPING_INCREASE * viscous).min(own));
        } else if slow > 2 {
            (thinnest, slow) = ((1e-2 * thinnest).max(MIN_DAMPING_SLOW_PROGRESS * own), 0);
        }
        before = residual;
        let (taken, thickness) = match bounded_step(balance, here, viscous, &mut work) {
            Ok(step) => step,
            Err(e) => match last {
                Some(last) if work.is_used_up() => return Err(work_exceeded(balance, &last, step)),
                _ => return Err(e),
            },
        };
        let size = balance.displacement_norm(&taken.delta);
        way += size;
        viscous = (thickness
            / if size < 0.25 * MAX_STEP { DAMPING_DECREASE_SHORT_STEP } else { DAMPING_DECREASE_LONG_STEP })
        .max(thinnest);
        here.state = balance.displaced(&here.state, &taken.delta, 1.0);
        here.lambda.clone_from(&taken.lambda);
        set_modes(&mut here.state, &taken);
        last = Some(taken);
        if way > MAX_PATH_LENGTH {
            break;
        }
    }
    Err(diagnose_failure(balance, here, last))
}

/// Binds contacts to the nearest features and evaluates the pose. Returns the residual of forces, rows, overlapping gaps, and open
/// gaps with a force.
fn evaluate_residual(balance: &mut EquilibriumEquations, here: &mut EquilibriumPoint, released: &[bool]) -> f64 {
    if !balance.model.contact_slots.is_empty() {
        let mut open = vec![ConstraintMode::Idle; here.state.modes.len()];
        balance.evaluate(&mut here.state);
        let before = here.state.z.clone();
        bind_features(&balance.model, here.state.t, &balance.scene, &mut open, &mut here.state.z);
        transfer_contact_forces(balance, here, &before);
    }
    for (c, mode) in here.state.modes.iter_mut().enumerate() {
        if released[c] && balance.model.constraints[c].law == ConstraintLaw::Frictional {
            *mode = ConstraintMode::Idle;
        }
    }
    balance.evaluate(&mut here.state);
    let (r, mut phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
    let least = MIN_CONTACT_FORCE * max_abs(&here.lambda);
    for c in balance.model.constraints.iter().filter(|c| matches!(c.law, ConstraintLaw::Unilateral(_))) {
        let (gap, p) = (balance.eq.inactive.phi[c.rows.start], here.lambda[c.rows.start]);
        phi[c.rows.start] = if p > least { gap } else { gap.min(0.0) };
    }
    balance.relative_residual(&r, &phi)
}

/// Contact points that moved to another slot of their pair keep their forces.
fn transfer_contact_forces(balance: &EquilibriumEquations, here: &mut EquilibriumPoint, before: &[f64]) {
    let old = here.lambda.clone();
    for meeting in &balance.model.contact_slots {
        for &c in &meeting.slots {
            let entry = &balance.model.constraints[c];
            let now = &here.state.z[entry.z.clone()];
            let near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= SAME_POINT_TOLERANCE * (1.0 + b.abs());
            let was = |k: &&usize| before[balance.model.constraints[**k].z.clone()].iter().zip(now).all(near);
            match meeting.slots.iter().find(was) {
                Some(k) => {
                    let from = balance.model.constraints[*k].rows.clone();
                    entry.rows.clone().zip(from).for_each(|(to, from)| here.lambda[to] = old[from]);
                }
                None => here.lambda[entry.rows.clone()].fill(0.0),
            }
        }
    }
}

/// Sets the modes after a step, which determine the derivatives: open gaps are idle, all others active.
fn set_modes(state: &mut State, step: &RelaxationStep) {
    for (k, candidate) in step.problem.candidates.iter().enumerate() {
        state.modes[candidate.c] = match step.contact_solution.status[k] {
            BlockStatus::Open => ConstraintMode::Idle,
            _ => ConstraintMode::Active,
        };
    }
}

/// Distributes the load over redundant contact points with the least norm, if the laws allow it. Slip on the way may have left
/// internal forces between them.
fn apply_load_sharing(balance: &mut EquilibriumEquations, here: &mut EquilibriumPoint, settings: &Statics) {
    let mut state = here.state.clone();
    for (c, mode) in balance.model.constraints.iter().zip(&mut state.modes) {
        if let ConstraintLaw::Unilateral(_) = c.law {
            let closed = balance.eq.inactive.phi[c.rows.start].abs() <= CLOSED_GAP_TOLERANCE * balance.length_scale;
            *mode = if closed { ConstraintMode::Active } else { ConstraintMode::Idle };
        }
    }
    let Ok(mut lambda) = multipliers(&balance.model, &state, &balance.vdot) else { return };
    let size = max_abs(&lambda);
    for c in balance.model.constraints.iter().filter(|c| matches!(c.law, ConstraintLaw::Unilateral(_))) {
        let force = &mut lambda[c.rows.start];
        if *force < 0.0 && *force > -MIN_CONTACT_FORCE * size {
            *force = 0.0;
        }
    }
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let residual = balance.relative_residual(&balance.residual_forces(&lambda), &[]);
    let less = square(&lambda) < (1.0 - 1e-6) * square(&here.lambda);
    if less
        && residual <= 100.0 * settings.tolerance
        && overloaded_constraints(&balance.model, &state, &lambda).is_empty()
    {
        here.lambda = lambda;
    }
}

/// Sets the modes at rest: gaps with a force are closed, all others open.
fn set_final_modes(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    steps: usize,
) -> Result<usize, StaticsError> {
    let least = MIN_CONTACT_FORCE * max_abs(&here.lambda);
    for (c, mode) in balance.model.constraints.iter().zip(&mut here.state.modes) {
        if let ConstraintLaw::Unilateral(_) = c.law {
            *mode = if here.lambda[c.rows.start] > least { ConstraintMode::Active } else { ConstraintMode::Idle };
        }
    }
    balance.check_rotation()?;
    Ok(steps)
}
