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

use self::failure::why;
use self::step::{STRIDE, Step, advance};
use super::balance::{Balance, largest};
use super::{Point, Statics, StaticsError};
use crate::analyses::grips::beyond_strength;
use crate::analyses::inverse::multipliers;
use crate::complementarity::Status;
use crate::laws::Law;
use crate::solvers::contact_features::bind;
use crate::state::{Mode, State};

/// Most steps.
const STEPS: usize = 600;
/// Longest path, relative to `Balance::scale`: a motion beyond it will not come to rest.
const FARTHEST: f64 = 25.0;
/// Factors by which the damping decreases after a short and after a long step.
const QUICKER: f64 = 10.0;
const QUICK: f64 = 2.0;
/// Least damping at first, relative to the stiffness of the mechanism.
const THIN: f64 = 1e-10;
/// Least damping if the former still slows convergence.
const THINNEST: f64 = 1e-15;
/// Residual below which a step that increases it indicates too little damping, and the factor by which to increase the damping.
const NEAR: f64 = 1e-6;
const TOO_THIN: f64 = 100.0;
/// Relative residual that is accepted if it has not decreased in `STALLED` steps, because contact forces between very unequal weights
/// cannot be computed more accurately.
const SETTLED: f64 = 1e-9;
const STALLED: usize = 30;
/// A gap below this, relative to the size of the mechanism, is closed.
const CLOSED: f64 = 1e-9;
/// Difference of two contact points that are the same, relative to 1 + their coordinates: the crossing of two edges is
/// recomputed each time, to round-off.
const SAME_POINT: f64 = 1e-9;
/// Least force of a closed gap, relative to the largest one; smaller forces are round-off.
const PRESSES: f64 = 1e-12;

/// Brings a pose to rest. Returns the number of steps.
pub(super) fn rest(balance: &mut Balance, here: &mut Point, settings: &Statics) -> Result<usize, StaticsError> {
    let released: Vec<bool> = here.state.modes.iter().map(|m| *m == Mode::Idle).collect();
    balance.place(&mut here.state);
    let heaviest = balance.eq.M.iter().fold(f64::MIN_POSITIVE, |a, m| a.max(m.abs()));
    balance.factor(here, 0.0).or_else(|_| balance.factor(here, 1.0))?;
    // The initial damping matches the stiffness of the mechanism.
    let own = balance.stiffest.max(balance.force / balance.length) / heaviest;
    let (mut viscous, mut thinnest) = (own, THIN * own);
    let (mut before, mut slow, mut way) = (f64::INFINITY, 0, 0.0);
    let (mut best, mut stalled) = (f64::INFINITY, 0);
    let mut last: Option<Step> = None;
    for step in 0..STEPS {
        let residual = look(balance, here, &released);
        if !residual.is_finite() {
            break;
        }
        stalled = if residual < 0.5 * best { 0 } else { stalled + 1 };
        best = best.min(residual);
        let settled = residual <= SETTLED && residual <= 2.0 * best && stalled >= STALLED;
        if residual <= settings.tolerance || (residual <= balance.noise() && before <= balance.noise()) || settled {
            share(balance, here, settings);
            return finish(balance, here, step);
        }
        // If the residual decreases slowly, the damping is too large. If it is too small, free motions move so far without the contact
        // forces that round-off opens the gaps.
        let worse = residual >= before && residual < NEAR;
        slow = if viscous <= thinnest && residual > 0.5 * before && !worse { slow + 1 } else { 0 };
        if worse {
            (viscous, thinnest) = ((TOO_THIN * viscous).min(own), (TOO_THIN * viscous).min(own));
        } else if slow > 2 {
            (thinnest, slow) = ((1e-2 * thinnest).max(THINNEST * own), 0);
        }
        before = residual;
        let (taken, thickness) = advance(balance, here, viscous)?;
        let size = balance.norm(&taken.delta);
        way += size;
        viscous = (thickness / if size < 0.25 * STRIDE { QUICKER } else { QUICK }).max(thinnest);
        here.state = balance.moved(&here.state, &taken.delta, 1.0);
        here.lambda.clone_from(&taken.lambda);
        engage(&mut here.state, &taken);
        last = Some(taken);
        if way > FARTHEST {
            break;
        }
    }
    Err(why(balance, here, last))
}

/// Binds contacts to the nearest features and evaluates the pose. Returns the residual of forces, rows, overlapping gaps, and open
/// gaps with a force.
fn look(balance: &mut Balance, here: &mut Point, released: &[bool]) -> f64 {
    if !balance.model.meetings.is_empty() {
        let mut open = vec![Mode::Idle; here.state.modes.len()];
        balance.place(&mut here.state);
        let before = here.state.z.clone();
        bind(&balance.model, here.state.t, &balance.scene, &mut open, &mut here.state.z);
        keep_forces(balance, here, &before);
    }
    for (c, mode) in here.state.modes.iter_mut().enumerate() {
        if released[c] && balance.model.constraints[c].law == Law::Gripping {
            *mode = Mode::Idle;
        }
    }
    balance.place(&mut here.state);
    let (r, mut phi) = (balance.left(&here.lambda), balance.phi());
    let least = PRESSES * largest(&here.lambda);
    for c in balance.model.constraints.iter().filter(|c| matches!(c.law, Law::Unilateral(_))) {
        let (gap, p) = (balance.eq.loose.phi[c.rows.start], here.lambda[c.rows.start]);
        phi[c.rows.start] = if p > least { gap } else { gap.min(0.0) };
    }
    balance.residual(&r, &phi)
}

/// Contact points that moved to another slot of their pair keep their forces.
fn keep_forces(balance: &Balance, here: &mut Point, before: &[f64]) {
    let old = here.lambda.clone();
    for meeting in &balance.model.meetings {
        for &c in &meeting.slots {
            let entry = &balance.model.constraints[c];
            let now = &here.state.z[entry.z.clone()];
            let near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= SAME_POINT * (1.0 + b.abs());
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
fn engage(state: &mut State, step: &Step) {
    for (k, candidate) in step.problem.list.iter().enumerate() {
        state.modes[candidate.c] = match step.found.status[k] {
            Status::Open => Mode::Idle,
            _ => Mode::Active,
        };
    }
}

/// Distributes the load over redundant contact points with the least norm, if the laws allow it. Slip on the way may have left
/// internal forces between them.
fn share(balance: &mut Balance, here: &mut Point, settings: &Statics) {
    let mut state = here.state.clone();
    for (c, mode) in balance.model.constraints.iter().zip(&mut state.modes) {
        if let Law::Unilateral(_) = c.law {
            let closed = balance.eq.loose.phi[c.rows.start].abs() <= CLOSED * balance.length;
            *mode = if closed { Mode::Active } else { Mode::Idle };
        }
    }
    let Ok(mut lambda) = multipliers(&balance.model, &state, &balance.vdot) else { return };
    let size = largest(&lambda);
    for c in balance.model.constraints.iter().filter(|c| matches!(c.law, Law::Unilateral(_))) {
        let force = &mut lambda[c.rows.start];
        if *force < 0.0 && *force > -PRESSES * size {
            *force = 0.0;
        }
    }
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let residual = balance.residual(&balance.left(&lambda), &[]);
    let less = square(&lambda) < (1.0 - 1e-6) * square(&here.lambda);
    if less && residual <= 100.0 * settings.tolerance && beyond_strength(&balance.model, &state, &lambda).is_empty() {
        here.lambda = lambda;
    }
}

/// Sets the modes at rest: gaps with a force are closed, all others open.
fn finish(balance: &mut Balance, here: &mut Point, steps: usize) -> Result<usize, StaticsError> {
    let least = PRESSES * largest(&here.lambda);
    for (c, mode) in balance.model.constraints.iter().zip(&mut here.state.modes) {
        if let Law::Unilateral(_) = c.law {
            *mode = if here.lambda[c.rows.start] > least { Mode::Active } else { Mode::Idle };
        }
    }
    balance.goes_round()?;
    Ok(steps)
}
