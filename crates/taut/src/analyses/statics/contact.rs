//! Equilibrium with gaps and grips: contacts, stops, ropes, separators, friction, brakes.
//!
//! ```text
//!  [M/h + K  −Aᵀ] (δ )   (−r)   (A_cᵀ)           0 ≤ φ + A_c δ ⊥ p ≥ 0         gaps
//!  [A          E] (Δλ) = (−φ) + (  0 ) p         A_t δ = 0 while p_t is within its bounds, else against A_t δ
//! ```
//!
//! Each step eliminates δ and leaves a small complementarity problem for p. M/h is the bath of `relaxation.rs`: with it the
//! mechanism creeps downhill from the given pose, closes the gaps it comes to and slips where a grip is too weak; h grows until
//! a step is one of Newton's method on the gaps and grips that hold. What nothing holds and nothing pushes stays where it is.
//!
//! With friction and brakes the equilibria are a whole set. The one told is that at which this creep from the given pose comes to
//! rest; grips that can hold the given pose keep it.

use super::balance::{Balance, largest};
use super::{Point, Statics, StaticsError};
use crate::analyses::grips::{BeyondStrength, beyond_strength};
use crate::analyses::inverse::multipliers;
use crate::analyses::one_sided::{Found, OneSided, Strength};
use crate::complementarity::Status;
use crate::laws::Law;
use crate::solvers::contact_features::bind;
use crate::state::{Mode, State};
use nalgebra::{DMatrix, DVector};

/// Longest step, in the measure of displacements.
const STRIDE: f64 = 0.2;
/// Most steps, and the longest way, in the measure of displacements: what goes on beyond it is not on its way to rest.
const STEPS: usize = 600;
const FARTHEST: f64 = 25.0;
/// How the bath gets thinner after short and long steps, and thicker where a step would be too long.
const QUICKER: f64 = 10.0;
const QUICK: f64 = 2.0;
const THICKER: f64 = 4.0;
/// The thinnest bath, relative to the stiffness of the mechanism: first, and where that is still felt.
const THIN: f64 = 1e-10;
const THINNEST: f64 = 1e-15;
/// Where a bath that makes the residual worse is too thin, and by how much.
const NEAR: f64 = 1e-6;
const TOO_THIN: f64 = 100.0;
/// What may be left, relative to the largest force, where it has not become less in so many steps: forces of contacts between very
/// uneven weights are found to no better.
const SETTLED: f64 = 1e-9;
const STALLED: usize = 30;
/// A gap that is none, relative to the size of the mechanism.
const CLOSED: f64 = 1e-9;
/// Difference of two points of contact that are one and the same, relative to 1 + their coordinates: where edges cross, the point is
/// found anew at each look, to round-off.
const SAME_POINT: f64 = 1e-9;
/// A force that presses, relative to the largest one; less is round-off.
const PRESSES: f64 = 1e-12;
/// Curvature along a step, relative, that is round-off.
const UPHILL: f64 = 1e-9;
/// Rounds in which gaps that a step would overlap are added.
const ROUNDS: usize = 50;

/// A step that was solved for.
struct Step {
    delta: Vec<f64>,
    /// Multipliers of all rows after it.
    lambda: Vec<f64>,
    problem: OneSided,
    found: Found,
    /// δᵀ(M/h + K)δ beside the sizes of its terms: below zero the bath is too thin, and the step leads uphill.
    curvature: f64,
}

/// The problem of a step for p.
struct Responses {
    problem: OneSided,
    /// Forces left over without any p.
    left: Vec<f64>,
    /// Step and change of the multipliers without any p, and with a unit of each.
    free: (Vec<f64>, Vec<f64>),
    each: Vec<(Vec<f64>, Vec<f64>)>,
    G: DMatrix<f64>,
    c: DVector<f64>,
}

/// Brings a pose to rest; tells the steps.
pub(super) fn rest(balance: &mut Balance, here: &mut Point, settings: &Statics) -> Result<usize, StaticsError> {
    let released: Vec<bool> = here.state.modes.iter().map(|m| *m == Mode::Idle).collect();
    balance.place(&mut here.state);
    let heaviest = balance.eq.M.iter().fold(f64::MIN_POSITIVE, |a, m| a.max(m.abs()));
    balance.factor(here, 0.0).or_else(|_| balance.factor(here, 1.0))?;
    // As stiff as the mechanism itself to begin with.
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
        // A bath that is felt to the end is still too thick. In one that is too thin, what nothing else holds goes so far
        // without the forces of the gaps that its round-off opens them.
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

/// Binds contacts to what is nearest, places the pose, and tells what is left: forces, rows, and gaps that overlap or press
/// across a distance.
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

/// Points of contact that have changed places among the slots of their pair take their forces with them.
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

/// A step that is not too long, in a bath that is thick enough; tells how thick.
fn advance(balance: &mut Balance, here: &Point, mut viscous: f64) -> Result<(Step, f64), StaticsError> {
    let mut failure = None;
    for _ in 0..120 {
        match solve(balance, here, viscous) {
            Ok(step) if balance.norm(&step.delta) <= STRIDE && step.curvature > -UPHILL => return Ok((step, viscous)),
            Ok(_) => {}
            Err(e) => failure = Some(e),
        }
        viscous *= THICKER;
    }
    let (r, phi) = (balance.left(&here.lambda), balance.phi());
    Err(failure.unwrap_or_else(|| balance.stuck(0, &r, &phi)))
}

fn solve(balance: &mut Balance, here: &Point, viscous: f64) -> Result<Step, StaticsError> {
    balance.factor(here, viscous)?;
    let possible = OneSided::possible(&balance.model, &here.state, &balance.eq);
    let (gaps, mut chosen): (Vec<usize>, Vec<usize>) =
        possible.into_iter().partition(|c| matches!(balance.model.constraints[*c].law, Law::Unilateral(_)));
    let first = |balance: &Balance, c: usize| balance.model.constraints[c].rows.start;
    chosen.extend(gaps.iter().copied().filter(|c| here.lambda[first(balance, *c)] > 0.0));
    for _ in 0..ROUNDS {
        chosen.sort_unstable();
        let responses = respond(balance, here, &chosen)?;
        let start: Vec<f64> = responses.problem.model_rows(&balance.model).iter().map(|r| here.lambda[*r]).collect();
        let start = DVector::from_vec(start);
        let found = forces(balance, here, &responses, &start, Strength::Given)
            .map_err(|c| StaticsError::NoForces { constraint: balance.model.constraints[c].name.clone() })?;
        let step = responses.step(balance, here, found);
        let overlaps = |c: &usize| {
            let entry = &balance.model.constraints[*c];
            let after = balance.eq.loose.phi[entry.rows.start] + balance.eq.loose_times(entry, 0, &step.delta);
            !chosen.contains(c) && after < 0.0
        };
        let more: Vec<usize> = gaps.iter().copied().filter(overlaps).collect();
        if more.is_empty() {
            return Ok(step);
        }
        chosen.extend(more);
    }
    let (r, phi) = (balance.left(&here.lambda), balance.phi());
    Err(balance.stuck(ROUNDS, &r, &phi))
}

/// How the step answers to the forces of these constraints.
fn respond(balance: &mut Balance, here: &Point, chosen: &[usize]) -> Result<Responses, StaticsError> {
    let problem = OneSided::new(&balance.model, &balance.eq, chosen.iter().copied());
    let mut bare = here.lambda.clone();
    for c in balance.model.constraints.iter().filter(|c| c.law != Law::Bilateral) {
        bare[c.rows.clone()].fill(0.0);
    }
    let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
    let (r, phi) = (balance.left(&bare), balance.phi());
    let lost = |balance: &Balance| balance.stuck(0, &r, &phi);
    let Ok(free) = balance.solve(&minus(&r), &minus(&phi)) else { return Err(lost(balance)) };
    let none = vec![0.0; phi.len()];
    let mut each = Vec::with_capacity(problem.rows);
    for k in &problem.list {
        for i in 0..k.rows.len() {
            let mut unit = vec![0.0; r.len()];
            balance.eq.add_loose(&balance.model.constraints[k.c], i, 1.0, &mut unit);
            let Ok(answer) = balance.solve(&unit, &none) else { return Err(lost(balance)) };
            each.push(answer);
        }
    }
    let w: Vec<Vec<f64>> = each.iter().map(|(w, _)| w.clone()).collect();
    let G = problem.delassus(&balance.model, &balance.eq, &w);
    let mut c = DVector::zeros(problem.rows);
    for k in &problem.list {
        let entry = &balance.model.constraints[k.c];
        for (i, r) in k.rows.clone().enumerate() {
            c[r] = balance.eq.loose_times(entry, i, &free.0);
        }
        if let Law::Unilateral(_) = entry.law {
            c[k.rows.start] += balance.eq.loose.phi[entry.rows.start];
        }
    }
    Ok(Responses { problem, left: r, free, each, G, c })
}

/// p under the laws.
fn forces(
    balance: &Balance,
    here: &Point,
    responses: &Responses,
    start: &DVector<f64>,
    strength: Strength,
) -> Result<Found, usize> {
    let Responses { problem, G, c, .. } = responses;
    if problem.rows == 0 {
        return Ok(Found { p: DVector::zeros(0), u: DVector::zeros(0), status: Vec::new() });
    }
    let all = |p: &DVector<f64>| responses.multipliers(balance, here, p);
    let from = Some(start).filter(|_| strength == Strength::Given);
    problem.solve(&balance.model, &here.state, &balance.scene, G, c, from, strength, all)
}

impl Responses {
    /// Multipliers of all rows after the step with these forces.
    fn multipliers(&self, balance: &Balance, here: &Point, p: &DVector<f64>) -> Vec<f64> {
        let mut lambda = here.lambda.clone();
        for c in balance.model.constraints.iter().filter(|c| c.law != Law::Bilateral) {
            lambda[c.rows.clone()].fill(0.0);
        }
        lambda.iter_mut().zip(&self.free.1).for_each(|(l, d)| *l += d);
        for (p, (_, m)) in p.iter().zip(&self.each).filter(|(p, _)| **p != 0.0) {
            lambda.iter_mut().zip(m).for_each(|(l, m)| *l += p * m);
        }
        self.problem.model_rows(&balance.model).iter().zip(p.iter()).for_each(|(r, p)| lambda[*r] = *p);
        lambda
    }

    fn step(self, balance: &Balance, here: &Point, found: Found) -> Step {
        let lambda = self.multipliers(balance, here, &found.p);
        let mut delta = self.free.0;
        for (p, (w, _)) in found.p.iter().zip(&self.each).filter(|(p, _)| **p != 0.0) {
            delta.iter_mut().zip(w).for_each(|(d, w)| *d += p * w);
        }
        // The work of what is left over, which the bath and the stiffness take up.
        let mut pushed: Vec<f64> = self.left.iter().map(|r| -r).collect();
        for k in &self.problem.list {
            let entry = &balance.model.constraints[k.c];
            for (i, r) in k.rows.clone().enumerate() {
                balance.eq.add_loose(entry, i, found.p[r], &mut pushed);
            }
        }
        let work = pushed.iter().zip(&delta).map(|(f, d)| f * d);
        let (sum, size) = work.fold((0.0, 0.0), |(sum, size), w: f64| (sum + w, size + w.abs()));
        let curvature = if size > 0.0 { sum / size } else { 0.0 };
        Step { delta, lambda, problem: self.problem, found, curvature }
    }
}

/// Gaps that press hold from here on, as far as derivatives are asked for; grips are there unless they were released.
fn engage(state: &mut State, step: &Step) {
    for (k, candidate) in step.problem.list.iter().enumerate() {
        state.modes[candidate.c] = match step.found.status[k] {
            Status::Open => Mode::Idle,
            _ => Mode::Active,
        };
    }
}

/// Redundant points share the load with the least norm, if the laws allow that: what slipped on the way may have left them
/// bracing against each other.
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

/// At rest: gaps that press are closed, all others open.
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

/// Why nothing came to rest: a grip that slips on and on, or a motion that nothing stops.
fn why(balance: &mut Balance, here: &mut Point, last: Option<Step>) -> StaticsError {
    let Some(step) = last else {
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        return balance.stuck(STEPS, &r, &phi);
    };
    let far = balance.norm(&step.delta);
    let slips: Vec<usize> = step
        .problem
        .list
        .iter()
        .zip(&step.found.status)
        .filter(|(k, _)| {
            let entry = &balance.model.constraints[k.c];
            let first = entry.law.gripping_from().unwrap_or(0);
            let moved = k.rows.clone().skip(first).fold(0.0_f64, |a, r| a.max(step.found.u[r].abs()));
            let pressed = first == 0 || step.found.p[k.rows.start] > 0.0;
            pressed && moved > 1e-3 * far * balance.length.min(1.0)
        })
        .map(|(k, _)| k.c)
        .collect();
    if far < 1e-6 {
        balance.place(&mut here.state);
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        return balance.stuck(STEPS, &r, &phi);
    }
    if slips.is_empty() {
        return balance.named(&step.delta);
    }
    StaticsError::Slips { grips: needed(balance, here, &slips, &step) }
}

/// What the grips that slip would have to exert to hold, and what they can.
fn needed(balance: &mut Balance, here: &mut Point, slips: &[usize], step: &Step) -> Vec<BeyondStrength> {
    balance.place(&mut here.state);
    let chosen: Vec<usize> = step.problem.list.iter().map(|k| k.c).collect();
    let heaviest = balance.eq.M.iter().fold(f64::MIN_POSITIVE, |a, m| a.max(m.abs()));
    let own = balance.stiffest.max(balance.force / balance.length) / heaviest;
    let holding =
        balance.factor(here, own).ok().and_then(|()| respond(balance, here, &chosen).ok()).and_then(|responses| {
            let start = DVector::zeros(responses.problem.rows);
            forces(balance, here, &responses, &start, Strength::Unlimited).ok().map(|found| (responses.problem, found))
        });
    let strength = |p: &DVector<f64>, problem: &OneSided, c: usize| {
        let k = problem.list.iter().find(|k| k.c == c)?;
        let first = balance.model.constraints[c].law.gripping_from().unwrap_or(0);
        Some(k.rows.clone().skip(first).map(|r| p[r] * p[r]).sum::<f64>().sqrt())
    };
    let one = |c: &usize| BeyondStrength {
        constraint: balance.model.constraints[*c].name.clone(),
        needed: holding.as_ref().and_then(|(problem, found)| strength(&found.p, problem, *c)).unwrap_or(f64::NAN),
        most: strength(&step.found.p, &step.problem, *c).unwrap_or(f64::NAN),
    };
    let mut list: Vec<BeyondStrength> = slips.iter().map(one).collect();
    // Of many points of contact those count that lack most.
    let lacks = |g: &BeyondStrength| g.needed - g.most;
    list.sort_by(|a, b| lacks(b).total_cmp(&lacks(a)));
    let lacking = list.iter().filter(|g| lacks(g) > 0.0).count().clamp(1, 4);
    list.truncate(lacking);
    list
}
