//! Kinematic analysis of a fully prescribed motion.

mod continuation;
mod extra_states;
mod gaps;
mod jumps;
mod smooth_interval;

use self::continuation::{MAX_COORDINATE_STEP, MAX_STEPS, solve_velocities, step_to_pose};
use self::extra_states::ExtraStateIntegrator;
use self::gaps::{Gaps, Obstruction, first_opposed};
use self::jumps::{check_jumps, warn_of_impulses};
use self::smooth_interval::SmoothInterval;
use super::{AnalysisError, check_state};
use super::{AssemblySettings, assemble};
use crate::constraints::RowLevel;
use crate::drift::ProjectionWeight;
use crate::dynamics::SolverSettings;
use crate::equations::{StateView, assemble_rates, change_charts, initialise_turn_counters};
use crate::events::Action;
use crate::interruption;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::Model;
use crate::model::break_search::{BreakSearch, RapidChangeSearch};
use crate::results::WorkTracking;
use crate::simulation::position_newton::PositionNewton;
use crate::simulation::transient::problem::TransientProblem;
use crate::solution::{Cause, Columns, MeasureInput, Outcome, Solution, Statistics, Warning};
use crate::solvers::PositionJump;
use crate::solvers::contact_features::bind_features;
use crate::solvers::rank::analyse_rank;
use crate::state::{ConstraintMode, State};
use std::f64::consts::TAU;
use std::time::Instant;
use taut_ode::Hook;

/// Why the next pose cannot be reached.
enum PoseFailure {
    NotConverged(Cause),
    Obstructed(Obstruction),
    /// A position jumps.
    Jump {
        t: f64,
        cause: Cause,
    },
}

/// Follows the prescribed motion through the given times. The start only needs to be near the first pose.
///
/// If the motion cannot be continued, the solution keeps all earlier poses and its outcome gives the reason.
///
/// ```text
///  φ(t, q) = 0        A v = −φ_t        A v̇ = b        M v̇ = f + Aᵀλ: reactions, including those of the drivers
/// ```
///
/// Extra states (filters, controllers) are integrated with error control. Friction and brakes do not change the motion;
/// their forces enter the driver efforts, with the modes that a run would find. The motion stops when it reaches a contact, a stop
/// or the length of a rope, and where a one-way coupling opposes it. Events that change the mechanism are rejected by name. Where a prescribed velocity jumps, the impulse is an
/// event of the solution; a position that jumps ends the motion.
///
/// # Errors
/// If times are out of order, the motion is not fully prescribed at position level, a prescribed position is known to jump, the first
/// pose cannot be assembled, an event changes the mechanism, or a gap is negative in the first pose.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// let turn = Prescription::Position(Signal::polynomial([0.0, 3.0])); // 3 rad/s
/// spec.body("crank", PlanarBody::new(2.0, 0.01).com([0.1, 0.0]))
///     .constraint("axle", Joint::pin("ground", "crank"))
///     .constraint("motor", Relation::driver(Measure::coordinate("crank.theta"), turn));
/// let model = spec.build()?;
/// let motion = kinematic(&model, &model.initial_state(), &[0.0, 0.5, 1.0])?;
/// assert!((motion.last("crank.theta")? - 3.0).abs() < 1e-12);
/// let pull = motion.last("axle.fx")?.hypot(motion.last("axle.fy")?);
/// assert!((pull - 2.0 * 0.1 * 9.0).abs() < 1e-9); // m e ω²
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn kinematic(model: &Model, state: &State, times: &[f64]) -> Result<Solution, AnalysisError> {
    check_state(model, state)?;
    let clock = Instant::now();
    if let Some(index) = (0..times.len()).find(|&i| !times[i].is_finite() || (i > 0 && times[i - 1] > times[i])) {
        return Err(AnalysisError::Times { index, t: times[index] });
    }
    reject_events(model)?;
    let mut state = state.clone();
    // Contacts and friction do not constrain a prescribed motion.
    let given = state.modes.clone();
    state.modes = model.bilateral_modes(&state.modes).collect();
    state.t = times.first().copied().unwrap_or(state.t);
    let assembled = assemble(model, &state, &AssemblySettings::default())?;
    let mut state = assembled.state;
    let mut newton = PositionNewton::new(model, &state, &ProjectionWeight::Mass, &[])?;
    let opposed = |joint: &String| {
        let what = format!("joint `{joint}` was assembled with opposed axes; turn the start pose by half a turn");
        Warning::notice(state.t, what)
    };
    let mut warnings: Vec<Warning> = assembled.ledger.flipped.iter().map(opposed).collect();
    check_fully_driven(model, &mut newton, &state, &mut warnings)?;
    let end = times.last().copied().unwrap_or(state.t);
    if let Some(PositionJump { constraint, t, size: by }) = model.position_jump(&state, end) {
        return Err(AnalysisError::PositionJump { constraint, t, by });
    }
    solve_velocities(&mut newton, &mut state);
    let gaps = Gaps::of(model);
    if let Some(c) = gaps.first_overlap(&mut newton, &state, &state) {
        let depth = -newton.eq.inactive.phi[model.constraints[c.constraint].rows.start];
        return Err(AnalysisError::Overlap { constraint: model.constraints[c.constraint].name.clone(), depth });
    }
    let mut states =
        ExtraStateIntegrator::new(model, PositionNewton::new(model, &state, &ProjectionWeight::Mass, &[])?, &state);
    if let Some(states) = &mut states {
        states.fire_initial_guards(&mut state);
    }
    let mut problem =
        TransientProblem::new(model, &state, &SolverSettings::default(), &Columns::All, WorkTracking::Unknown);
    if let (Some(start), Some(end)) = (times.first(), times.last()) {
        problem.breaks = Some(BreakSearch::new(*start, *end));
        problem.rapid = Some(RapidChangeSearch::new(*start, *end));
    }
    let mut y = problem.pack(&state);
    problem.begin_range_audit();
    if problem.dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z).is_ok() {
        problem.audit_ranges(state.t, &state.z);
    }
    let (mut outcome, mut iterations, mut decided) = (Outcome::Finished, 0, None);
    for &t in times {
        let there = advance_to(&mut newton, &mut problem, &gaps, states.as_mut(), &mut state, t);
        if interruption::is_requested() {
            outcome = Outcome::WallClock { t: state.t };
            break;
        }
        match there {
            Ok(found) => iterations += found,
            Err(PoseFailure::NotConverged(cause)) => {
                outcome = Outcome::ConstraintsLost { t: state.t, cause };
                break;
            }
            Err(PoseFailure::Obstructed(Obstruction { constraint, t })) => {
                outcome = Outcome::DrivenInto { t, constraint: model.constraints[constraint].name.clone() };
                break;
            }
            Err(PoseFailure::Jump { t, cause }) => {
                outcome = Outcome::PositionJump { t, cause };
                break;
            }
        }
        problem.dynamics.pack(&state, &mut y);
        resolve_friction(model, &mut problem, &given, t, &mut y);
        problem.output(t, &y);
        problem.warn_of_left_tables(t, &y);
        decided = Some(problem.dynamics.modes.clone());
        release_unilateral(model, &mut problem, &state);
    }
    match decided {
        Some(modes) => state.modes = modes,
        None => state.modes.clone_from(&given),
    }
    let solves = problem.solves + iterations;
    let statistics = Statistics { factorisations: solves, evaluations: problem.solves, ..Statistics::default() };
    warnings.append(&mut problem.log.warnings);
    let events = std::mem::take(&mut problem.log.events);
    warn_of_impulses(&events, &mut warnings);
    Ok(Solution {
        outcome,
        statistics,
        events,
        warnings,
        verdict: None,
        table: std::mem::take(&mut problem.log.recorder.table),
        elapsed: clock.elapsed(),
        last: state,
    })
}

/// Rejects events that change the mechanism: after them the drivers would no longer prescribe the motion.
fn reject_events(model: &Model) -> Result<(), AnalysisError> {
    let changes = |action: &Action| !matches!(action, Action::Record | Action::Stop);
    match model.events.iter().find(|e| e.trigger.actions.iter().any(changes)) {
        Some(event) => Err(AnalysisError::EventInKinematics { event: event.name.clone() }),
        None => Ok(()),
    }
}

/// Determines the modes of contacts and friction at a pose, as a run would.
fn resolve_friction(model: &Model, problem: &mut TransientProblem, given: &[ConstraintMode], t: f64, y: &mut [f64]) {
    if problem.contact_switches.watched().is_empty() {
        return;
    }
    for (c, mode) in given.iter().enumerate().filter(|(c, _)| model.constraints[*c].law == ConstraintLaw::Frictional) {
        problem.dynamics.modes[c] = *mode;
    }
    let s = model.sizes;
    if !model.contact_slots.is_empty() {
        let (q, v, z) = (&y[..s.q], &y[s.q..s.q + s.v], &y[s.q + s.v..s.q + s.v + s.z]);
        problem.dynamics.assemble_positions(t, q, v, z);
        let z = &mut y[s.q + s.v..s.q + s.v + s.z];
        bind_features(model, t, &problem.dynamics.kinematics, &mut problem.dynamics.modes, z);
    }
    let (q, rest) = y.split_at_mut(s.q);
    let (v, rest) = rest.split_at_mut(s.v);
    let z = &rest[..s.z];
    let mut moving = v.to_vec();
    // No impact can change a prescribed motion; its velocity jump is discarded.
    _ = problem.contact_switches.transition(&mut problem.dynamics, t, q, &mut moving, z);
    problem.dynamics.apply_modes(StateView { t, q, v, z, modes: &[] });
}

/// The same pose with all contacts open and all friction released.
fn release_unilateral(model: &Model, problem: &mut TransientProblem, state: &State) {
    if problem.contact_switches.watched().is_empty() {
        return;
    }
    problem.dynamics.modes = model.bilateral_modes(&state.modes).collect();
    let State { t, q, v, z, .. } = state;
    problem.dynamics.apply_modes(StateView { t: *t, q, v, z, modes: &[] });
}

/// Rejects a motion that the rows at position level do not determine.
fn check_fully_driven(
    model: &Model,
    newton: &mut PositionNewton,
    state: &State,
    warnings: &mut Vec<Warning>,
) -> Result<(), AnalysisError> {
    newton.evaluate(state);
    assemble_rates(model, state.into(), &mut newton.scene, &mut newton.eq);
    for c in &model.constraints {
        for r in c.rows.clone().filter(|&r| !model.row_holds_at_level(r, RowLevel::Position)) {
            for block in &c.blocks {
                let n = model.bodies[block.body].v.len();
                let start = block.start + (r - c.rows.start) * n;
                newton.eq.A[start..start + n].fill(0.0);
            }
        }
    }
    match analyse_rank(model, &newton.eq, &state.modes) {
        Ok(rank) if rank.freedoms > 0 => {
            Err(AnalysisError::NotDriven { t: state.t, freedoms: rank.freedoms, bodies: rank.free_bodies })
        }
        Ok(_) => Ok(()),
        Err(e) => {
            warnings.push(Warning::notice(
                state.t,
                format!("degrees of freedom were not counted: {}", AnalysisError::from(e)),
            ));
            Ok(())
        }
    }
}

/// Moves from the present pose to that of time `t` in bounded steps.
fn advance_to(
    newton: &mut PositionNewton,
    problem: &mut TransientProblem,
    gaps: &Gaps,
    states: Option<&mut ExtraStateIntegrator>,
    state: &mut State,
    t: f64,
) -> Result<u64, PoseFailure> {
    let (model, mut iterations) = (newton.model, 0);
    // Extra states first: they compute the poses they need themselves.
    let mut ahead = state.clone();
    if let Some(states) = states {
        states.advance(&mut ahead, t).map_err(PoseFailure::NotConverged)?;
    }
    let mut interval = SmoothInterval::unknown(state.t);
    while state.t < t && !interruption::is_requested() {
        let gap = t - state.t;
        let lost = problem.dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z).is_err();
        let vdot = &mut problem.dynamics.vdot;
        if lost {
            vdot.fill(0.0);
        }
        let fastest = largest_magnitude(&state.v).0 + (MAX_COORDINATE_STEP * largest_magnitude(vdot).0).sqrt();
        let strides = (gap * fastest / MAX_COORDINATE_STEP).ceil().clamp(1.0, MAX_STEPS);
        let next = interval.limit(problem, state.t, if strides > 1.0 { state.t + gap / strides } else { t });
        let h = next - state.t;
        // Predicted with v and v̇, corrected on φ.
        let vdot = &problem.dynamics.vdot;
        let step: Vec<f64> = state.v.iter().zip(vdot).map(|(v, a)| h * (v + 0.5 * h * a)).collect();
        // Turn counters are predicted with their rates.
        for z in model.constraints.iter().map(|c| c.z.clone()).chain(model.forces.iter().map(|f| f.z.clone())) {
            let rates = &problem.dynamics.eq.zdot[z.clone()];
            state.z[z].iter_mut().zip(rates).for_each(|(z, r)| *z += h * r);
        }
        let before = state.clone();
        iterations += step_to_pose(newton, state, &step, next).map_err(PoseFailure::NotConverged)?;
        if let Some(into) = gaps.first_overlap(newton, &before, state).or_else(|| first_opposed(newton, &before, state))
        {
            *state = before;
            return Err(PoseFailure::Obstructed(into));
        }
        if let Err(jump) = check_jumps(newton, problem, interval.is_break, &before, state) {
            *state = before;
            return Err(jump);
        }
        change_charts(model, &mut state.q, &mut state.v, |_, _| {});
        // Output angles are unwrapped from step to step.
        let _ = problem.dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z);
        problem.audit_ranges(state.t, &state.z);
        let at = MeasureInput { model, q: &state.q, motions: &problem.dynamics.kinematics.motions };
        problem.log.recorder.angle_tracker.advance(state.t, &problem.log.recorder.measures, at);
    }
    if let Some(into) = gaps.closing_gap(newton, state) {
        return Err(PoseFailure::Obstructed(into));
    }
    let counted = state.z.clone();
    state.z.clone_from(&ahead.z);
    copy_turn_counters(model, &counted, &mut state.z);
    Ok(iterations)
}

/// Indices of the turn counters, which are the first states of an element.
fn turn_counters(model: &Model) -> impl Iterator<Item = usize> {
    let constraints =
        model.constraints.iter().flat_map(|c| c.z.clone().take(c.kind.constraint().angle_markers().len()));
    let forces = model.forces.iter().flat_map(|f| f.z.clone().take(f.kind.force().angle_markers().len()));
    constraints.chain(forces)
}

fn copy_turn_counters(model: &Model, from: &[f64], to: &mut [f64]) {
    turn_counters(model).for_each(|i| to[i] = from[i]);
}

/// Sets the turn counters of relations and springs to their angles, keeping the predicted number of turns.
pub(super) fn update_turn_counters(model: &Model, state: &mut State) {
    if model.sizes.z == 0 {
        return;
    }
    let mut settled = state.clone();
    initialise_turn_counters(model, &mut settled);
    for i in turn_counters(model) {
        let turns = ((state.z[i] - settled.z[i]) / TAU).round();
        state.z[i] = settled.z[i] + TAU * turns;
    }
}
