//! Quality of a run: the columns that show it, and the first problem.

use crate::scene_graph::RunScene;
use serde::Serialize;
use taut::{Cause, Outcome};
use taut_io::results::ResultsError;

/// A position or velocity residual is a problem above this many tolerances (and above `SMALLEST_RESIDUAL_LIMIT`). The energy balance is one if its
/// error exceeds `BALANCE_TOLERANCE` of the energy exchanged; `BALANCE_ROUND_OFF` is the round-off of the stored energy.
const RESIDUAL_TOLERANCE_FACTOR: f64 = 1e4;
const SMALLEST_RESIDUAL_LIMIT: f64 = 1e-6;
const BALANCE_TOLERANCE: f64 = 1e-3;
const BALANCE_ROUND_OFF: f64 = 1e-10;

/// Names of the columns shown under the timeline, and the first problem.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Health {
    /// `energy.balance_problem`.
    pub balance: Option<&'static str>,
    /// `energy.kinetic`.
    pub kinetic: Option<&'static str>,
    /// `energy.potential`.
    pub potential: Option<&'static str>,
    /// `energy.work`.
    pub work: Option<&'static str>,
    /// `residual_problem.position`.
    pub position: Option<&'static str>,
    /// `residual_problem.velocity`.
    pub velocity: Option<&'static str>,
    /// `residual_problem.acceleration`.
    pub acceleration: Option<&'static str>,
    /// `step`.
    pub step: Option<&'static str>,
    /// `rank`.
    pub rank: Option<&'static str>,
    /// `freedoms`.
    pub freedoms: Option<&'static str>,
    /// The first problem.
    pub trouble: Option<FirstProblem>,
}

/// The first problem of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstProblem {
    /// When, s.
    pub t: f64,
    /// The element responsible; empty if there is no single one.
    pub element: String,
    /// What happened.
    pub message: String,
}

/// Examines a run.
///
/// # Errors
/// The run cannot be read.
pub fn health(stage: &RunScene) -> Result<Health, ResultsError> {
    let there = |name: &'static str| stage.run.columns().iter().any(|c| c.name == name).then_some(name);
    let mut health = Health {
        balance: there("energy.balance"),
        kinetic: there("energy.kinetic"),
        potential: there("energy.potential"),
        work: there("energy.work"),
        position: there("residual.position"),
        velocity: there("residual.velocity"),
        acceleration: there("residual.acceleration"),
        step: there("step"),
        rank: there("rank"),
        freedoms: there("freedoms"),
        trouble: None,
    };
    let found = [
        numerical_stop(&stage.run.manifest().outcome),
        residual_problem(stage, &health)?,
        balance_problem(stage, &health)?,
    ];
    health.trouble = found.into_iter().flatten().min_by(|a, b| a.t.total_cmp(&b.t));
    Ok(health)
}

/// The numerical stop of a run, with the element responsible.
fn numerical_stop(outcome: &Outcome) -> Option<FirstProblem> {
    let element = match outcome {
        Outcome::Underway
        | Outcome::Finished
        | Outcome::Event { .. }
        | Outcome::MaxSteps { .. }
        | Outcome::WallClock { .. } => return None,
        Outcome::StepTooSmall { cause, .. }
        | Outcome::NotFinite { cause, .. }
        | Outcome::PositionJump { cause, .. }
        | Outcome::ConstraintsLost { cause, .. } => match cause {
            Cause::Body(name) | Cause::Force(name) => name.clone(),
            Cause::Constraint { row, .. } => row.rsplit_once('.').map_or(row.clone(), |(name, _)| name.to_string()),
            Cause::Table { name, .. } => name.clone(),
            Cause::MassMatrix { body, .. } => body.clone(),
            _ => String::new(),
        },
        Outcome::Chatter { names, .. } | Outcome::Creep { names, .. } => names.first().cloned().unwrap_or_default(),
        Outcome::Switching { name, .. } => name.clone(),
        Outcome::Overlap { contact, .. } | Outcome::Paradox { contact, .. } => contact.clone(),
        Outcome::DrivenInto { constraint, .. } => constraint.clone(),
        _ => String::new(),
    };
    Some(FirstProblem { t: outcome.time()?, element, message: outcome.to_string() })
}

fn residual_problem(stage: &RunScene, health: &Health) -> Result<Option<FirstProblem>, ResultsError> {
    let allowed = (RESIDUAL_TOLERANCE_FACTOR * stage.file.transient.rtol).max(SMALLEST_RESIDUAL_LIMIT);
    let mut first: Option<FirstProblem> = None;
    for (name, level) in [(health.position, "position"), (health.velocity, "velocity")] {
        let Some(name) = name else { continue };
        let row = format!("residual.{level}.row");
        let table = stage.run.table(&[name, &row]).or_else(|_| stage.run.table(&[name]))?;
        let sizes = &table.columns()[0].data;
        let Some(k) = sizes.iter().position(|x| x.is_nan() || *x > allowed) else { continue };
        let row = table.columns().get(1).and_then(|c| c.data.get(k)).map(|x| *x as usize);
        let owner = row.filter(|r| *r < stage.model.rows.len()).map(|r| stage.model.constraint_of_row(r).name.clone());
        let t = stage.t.get(k).copied().unwrap_or(0.0);
        if first.as_ref().is_none_or(|f| t < f.t) {
            let message = format!("the {level} residual is {:.1e}, more than {allowed:.0e}", sizes[k]);
            first = Some(FirstProblem { t, element: owner.unwrap_or_default(), message });
        }
    }
    Ok(first)
}

fn balance_problem(stage: &RunScene, health: &Health) -> Result<Option<FirstProblem>, ResultsError> {
    let (Some(balance), Some(kinetic)) = (health.balance, health.kinetic) else { return Ok(None) };
    let names: Vec<&str> = [balance, kinetic].into_iter().chain(health.potential).collect();
    let table = stage.run.table(&names)?;
    let off = &table.columns()[0].data;
    let largest = |k: usize| {
        let values = table.columns().get(k).map(|c| c.data.iter()).into_iter().flatten();
        values.filter(|x| x.is_finite()).fold(0.0, |a: f64, x| a.max(x.abs()))
    };
    // If hardly any energy is exchanged, the round-off of the stored energy is the limit.
    let allowed = (BALANCE_TOLERANCE * largest(1)).max(BALANCE_ROUND_OFF * largest(2));
    let Some(k) = off.iter().position(|x| x.is_nan() || x.abs() > allowed).filter(|_| allowed > 0.0) else {
        return Ok(None);
    };
    let t = stage.t.get(k).copied().unwrap_or(0.0);
    let message = format!("the error of the energy balance is {:.1e} J, more than {allowed:.1e} J", off[k]);
    Ok(Some(FirstProblem { t, element: String::new(), message }))
}
