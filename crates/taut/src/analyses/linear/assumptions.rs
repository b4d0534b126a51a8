//! Assumptions of small motions: which gaps stay closed, which friction sticks, which controllers are ignored.
//!
//! Modes are determined as at the start of a run. Active constraints are treated as bilateral in small motions. Friction that slips is
//! rejected, and so is friction that is too weak, with the required force.

use super::LinearError;
use crate::analyses::friction_bounds::{friction_and_bound, release_frictionless, release_unloaded_friction};
use crate::analyses::{InitialConditions, Output, Run, Simulation, Transient};
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::forces::ForceKind;
use crate::laws::ConstraintLaw;
use crate::model::Model;
use crate::results::WorkTracking;
use crate::simulation::transient::problem::TransientProblem;
use crate::solution::Columns;
use crate::state::{ConstraintMode, State};

/// Friction that exerts this share of its bound is at its bound, up to round-off.
const AT_BOUND: f64 = 1.0 - 1e-9;

/// Names of the elements that are treated differently from their law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// Friction, brakes, clutches within their bounds: locked.
    pub sticking: Vec<String>,
    /// Those of them whose force is as large as it can be.
    pub at_bound: Vec<String>,
    /// Closed contacts and stops and taut ropes: bilateral.
    pub closed: Vec<String>,
    /// Sampled controllers: their output is constant, so they take no part.
    pub sampled: Vec<String>,
    /// Elements that switch at this state, with other stiffness or damping on each side.
    pub switching: Vec<String>,
}

/// The state with the modes that follow from the laws.
pub(super) fn resolve_modes(model: &Model, state: &State) -> Result<(State, Assumptions), LinearError> {
    let switching = switching(model, state);
    let mut found = Assumptions { sampled: sampled(model), switching, ..Assumptions::default() };
    if model.constraints.iter().all(|c| c.law == ConstraintLaw::Bilateral) {
        return Ok((state.clone(), found));
    }
    let settings = Transient {
        start: InitialConditions::AsGiven,
        output: Output::Ends,
        columns: Columns::None,
        ..Transient::to(state.t)
    };
    let run = Simulation::new(model, state, &settings)?;
    let mut decided = State { z: state.z.clone(), ..run.state() };
    let fastest = state.v.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let jump = decided.v.iter().zip(&state.v).fold(0.0_f64, |a, (x, y)| a.max((x - y).abs()));
    if jump > 1e-9 * (1.0 + fastest) {
        let constraint = run.events().first().map_or_else(String::new, |e| e.name.clone());
        return Err(LinearError::Impact { constraint });
    }
    let released = release_frictionless(model, &mut decided);
    let lambda = resting_multipliers(model, &decided)?;
    let unloaded = release_unloaded_friction(model, &mut decided, &lambda);
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, (&decided).into(), &mut scene, &mut eq);
    for (c, entry) in model.constraints.iter().enumerate().filter(|(_, entry)| entry.law != ConstraintLaw::Bilateral) {
        match decided.modes[c] {
            ConstraintMode::Sliding(_) if released[c] || unloaded[c] => found.closed.push(entry.name.clone()),
            ConstraintMode::Idle => {}
            ConstraintMode::Active => {
                if entry.law != ConstraintLaw::Frictional {
                    found.closed.push(entry.name.clone());
                }
                match friction_and_bound(model, &decided, &scene, c, &lambda) {
                    Some([exerts, most]) if exerts >= AT_BOUND * most => found.at_bound.push(entry.name.clone()),
                    Some(_) => found.sticking.push(entry.name.clone()),
                    None => {}
                }
            }
            ConstraintMode::Sliding(_) | ConstraintMode::Verging(_) => {
                return Err(slip_error(model, state, &decided, c)?);
            }
        }
    }
    Ok((decided, found))
}

/// Multipliers at a state with these modes.
fn resting_multipliers(model: &Model, state: &State) -> Result<Vec<f64>, LinearError> {
    let mut dynamics = Dynamics::at(model, state, &SolverSettings::default());
    dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
    Ok(std::mem::take(&mut dynamics.lambda))
}

/// Why friction does not stick: it is too weak for the required force, or it already slips.
fn slip_error(model: &Model, state: &State, decided: &State, c: usize) -> Result<LinearError, LinearError> {
    let constraint = model.constraints[c].name.clone();
    let mut held = decided.clone();
    for mode in held.modes.iter_mut().filter(|mode| mode.slip_direction().is_some()) {
        *mode = ConstraintMode::Active;
    }
    let mut dynamics = Dynamics::at(model, &held, &SolverSettings::default());
    dynamics.solve_accelerations(held.t, &held.q, &held.v, &held.z)?;
    let entry = &model.constraints[c];
    let from = entry.law.first_friction_row().unwrap_or(0);
    let rows = entry.rows.start + from..entry.rows.end;
    let rate = rows.clone().fold(0.0_f64, |a, r| a.max(dynamics.eq.phidot[r].abs()));
    let fastest = state.v.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if rate > 1e-9 * (1.0 + fastest) {
        return Ok(LinearError::Slipping { constraint });
    }
    let (pressing, grip) = dynamics.normal_force_and_bound(c, held.t, &held.z);
    let needed = rows.clone().map(|r| dynamics.lambda[r].powi(2)).sum::<f64>().sqrt();
    let single = rows.len() == 1 && dynamics.lambda[rows.start] < 0.0;
    let fixed = if single { -grip.sticking[0] } else { grip.sticking[1] };
    let bound = fixed + grip.friction.stick * pressing.max(0.0);
    Ok(LinearError::FrictionTooWeak {
        constraint,
        needed,
        bound,
        unit: if model.rows[rows.start].unit == "rad" { "N m" } else { "N" },
    })
}

/// Controllers with a sample time.
fn sampled(model: &Model) -> Vec<String> {
    let is = |kind: &ForceKind| matches!(kind, ForceKind::Controller(c) if c.sample_time.is_some());
    model.forces.iter().filter(|f| is(&f.kind)).map(|f| f.name.clone()).collect()
}

/// Elements that are not smooth at a state.
fn switching(model: &Model, state: &State) -> Vec<String> {
    if model.guarded_elements().is_empty() {
        return Vec::new();
    }
    let settings = SolverSettings::default();
    TransientProblem::new(model, state, &settings, &Columns::None, WorkTracking::Unknown).elements_not_smooth_at(state)
}

impl Assumptions {
    /// Messages: what was treated as locked or bilateral, and a warning for what was ignored.
    pub fn messages(&self) -> Vec<String> {
        let list = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        let mut all = Vec::new();
        if !self.sticking.is_empty() {
            all.push(format!("{}: friction or brake within its bound, treated as holding", list(&self.sticking)));
        }
        if !self.at_bound.is_empty() {
            all.push(format!(
                "warning: {}: friction or brake at its bound, treated as holding; it holds against motion in one direction only",
                list(&self.at_bound)
            ));
        }
        if !self.closed.is_empty() {
            all.push(format!("{}: closed, treated as bilateral", list(&self.closed)));
        }
        if !self.sampled.is_empty() {
            all.push(format!(
                "warning: {}: sampled; its output is constant between samples, so it takes no part in small motions. Remove \
                 `sample_time` to include its continuous loop",
                list(&self.sampled)
            ));
        }
        if !self.switching.is_empty() {
            all.push(format!(
                "warning: {}: switches at this state, with another stiffness or damping on each side, so that even small motions are \
                 not linear and these results hold on neither side. Choose a state away from the switch",
                list(&self.switching)
            ));
        }
        all
    }
}
