//! Motion prescribed in full: φ(t, q) = 0 alone gives the positions, A v = −φ_t the velocities, A v̇ = b the
//! accelerations; the reactions, those of the drivers among them, follow from M v̇ = f + Aᵀλ.

use super::assembly::{Assembly, assemble};
use super::newton::Newton;
use super::problem::Problem;
use super::rank::rank_at;
use super::work::Work;
use super::{AnalysisError, check_state};
use crate::constraints::Level;
use crate::drift::Weight;
use crate::dynamics::Choice;
use crate::equations::{carry, rechart, settle};
use crate::model::Model;
use crate::solution::{Blame, Columns, Outcome, Solution, Statistics, Warning, worst};
use crate::state::State;
use std::f64::consts::TAU;
use std::time::Instant;
use taut_ode::Hook;

/// Largest change of any coordinate between two poses, m or rad: small enough to stay on the same branch.
const STRIDE: f64 = 0.2;
/// Most poses between two outputs.
const MOST: f64 = 10_000.0;
/// Newton iterations per pose.
const ITERATIONS: usize = 30;

/// Follows the prescribed motion through the given times, from the pose of a state (which need only be near).
///
/// Extra states other than counters of turns keep their values. Where the motion cannot be continued, the solution's
/// outcome says so and holds all poses before.
///
/// # Errors
/// Times out of order, a motion that is not prescribed in full at position level, a first pose that cannot be assembled.
pub fn kinematic(model: &Model, state: &State, times: &[f64]) -> Result<Solution, AnalysisError> {
    check_state(model, state)?;
    let clock = Instant::now();
    if let Some(index) = (0..times.len()).find(|&i| !times[i].is_finite() || (i > 0 && times[i - 1] > times[i])) {
        return Err(AnalysisError::Times { index, t: times[index] });
    }
    let mut state = state.clone();
    state.t = times.first().copied().unwrap_or(state.t);
    let assembled = assemble(model, &state, &Assembly::default())?;
    let mut state = assembled.state;
    let mut newton = Newton::new(model, &state, &Weight::Mass, &[])?;
    let opposed = |joint: &String| {
        let what = format!("joint `{joint}` came together with its axes opposed; give a start turned the other way");
        Warning::notice(state.t, what)
    };
    let mut warnings: Vec<Warning> = assembled.ledger.flipped.iter().map(opposed).collect();
    freedoms(model, &mut newton, &state, &mut warnings)?;
    velocities(&mut newton, &mut state);
    let mut problem = Problem::new(model, &state, &Choice::default(), &Columns::All, Work::Unknown);
    let mut y = problem.pack(&state);
    let (mut outcome, mut iterations) = (Outcome::Finished, 0);
    for &t in times {
        match follow(&mut newton, &mut problem, &mut state, t) {
            Ok(found) => iterations += found,
            Err(blame) => {
                outcome = Outcome::ConstraintsLost { t: state.t, blame };
                break;
            }
        }
        problem.dynamics.pack(&state, &mut y);
        problem.output(t, &y);
    }
    let solves = problem.solves + iterations;
    let statistics = Statistics { factorisations: solves, evaluations: problem.solves, ..Statistics::default() };
    warnings.append(&mut problem.warnings);
    Ok(Solution {
        outcome,
        statistics,
        events: Vec::new(),
        warnings,
        verdict: None,
        table: std::mem::take(&mut problem.recorder.table),
        elapsed: clock.elapsed(),
        last: state,
    })
}

/// Refuses a motion that the rows given as positions do not determine.
fn freedoms(
    model: &Model,
    newton: &mut Newton,
    state: &State,
    warnings: &mut Vec<Warning>,
) -> Result<(), AnalysisError> {
    newton.place(state);
    carry(model, state.into(), &mut newton.scene, &mut newton.eq);
    for c in &model.constraints {
        for r in c.rows.clone().filter(|&r| !model.holds(r, Level::Position)) {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                let start = block.start + (r - c.rows.start) * n;
                newton.eq.A[start..start + n].fill(0.0);
            }
        }
    }
    match rank_at(model, &newton.eq, &state.modes) {
        Ok(rank) if rank.freedoms > 0 => {
            Err(AnalysisError::NotDriven { t: state.t, freedoms: rank.freedoms, bodies: rank.free_bodies })
        }
        Ok(_) => Ok(()),
        Err(e) => {
            warnings.push(Warning::notice(state.t, format!("freedoms were not counted: {e}")));
            Ok(())
        }
    }
}

/// A v = −φ_t from nothing.
fn velocities(newton: &mut Newton, state: &mut State) {
    state.v.fill(0.0);
    newton.solve_velocity(state);
}

/// From the present pose to that of time `t`, in strides.
fn follow(newton: &mut Newton, problem: &mut Problem, state: &mut State, t: f64) -> Result<u64, Blame> {
    let (model, mut iterations) = (newton.model, 0);
    while state.t < t {
        let gap = t - state.t;
        let lost = problem.dynamics.accelerate(state.t, &state.q, &state.v, &state.z).is_err();
        let vdot = &mut problem.dynamics.vdot;
        if lost {
            vdot.fill(0.0);
        }
        let fastest = worst(&state.v).0 + (STRIDE * worst(vdot).0).sqrt();
        let strides = (gap * fastest / STRIDE).ceil().clamp(1.0, MOST);
        let h = if strides > 1.0 { gap / strides } else { gap };
        // Predicted with v and v̇, corrected on φ.
        let step: Vec<f64> = state.v.iter().zip(&*vdot).map(|(v, a)| h * (v + 0.5 * h * a)).collect();
        for b in &model.bodies {
            b.kind.body().displace(&mut state.q[b.q.clone()], &step[b.v.clone()]);
        }
        for c in &model.constraints {
            let rates = &problem.dynamics.eq.zdot[c.z.clone()];
            state.z[c.z.clone()].iter_mut().zip(rates).for_each(|(z, r)| *z += h * r);
        }
        for f in &model.forces {
            let rates = &problem.dynamics.eq.zdot[f.z.clone()];
            state.z[f.z.clone()].iter_mut().zip(rates).for_each(|(z, r)| *z += h * r);
        }
        state.t = if strides > 1.0 { state.t + h } else { t };
        iterations += newton.solve(state, ITERATIONS) as u64;
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
        rechart(model, &mut state.q, &mut state.v, |_, _| {});
        // Angles of the columns are counted on from stride to stride.
        let _ = problem.dynamics.accelerate(state.t, &state.q, &state.v, &state.z);
        let motions = &problem.dynamics.scene.motions;
        problem.recorder.turns.advance(state.t, &problem.recorder.gauges, motions);
    }
    Ok(iterations)
}

/// Sets the counters of relations and springs to their angles, on the turn they were predicted on.
pub(super) fn count_turns(model: &Model, state: &mut State) {
    if model.sizes.z == 0 {
        return;
    }
    let mut settled = state.clone();
    settle(model, &mut settled);
    // Counters come first among the states of an element.
    let constraints = model.constraints.iter().flat_map(|c| c.z.clone().take(c.kind.constraint().angles().len()));
    let forces = model.forces.iter().flat_map(|f| f.z.clone().take(f.kind.force().angles().len()));
    for i in constraints.chain(forces) {
        let turns = ((state.z[i] - settled.z[i]) / TAU).round();
        state.z[i] = settled.z[i] + TAU * turns;
    }
}
