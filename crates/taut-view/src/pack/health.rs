//! How well the run went: the columns that tell, and where trouble began.

use crate::staging::Stage;
use serde::Serialize;
use taut::{Blame, Outcome};
use taut_io::results::ResultsError;

/// Residuals of position and velocity beyond this many tolerances are trouble; so is a balance off by this share of the
/// energy that moves.
const BEYOND: f64 = 1e4;
const LEAST: f64 = 1e-6;
const BALANCE: f64 = 1e-3;
const ROUNDING: f64 = 1e-10;

/// Names of the columns under the timeline, and the first trouble.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Health {
    /// `energy.balance`.
    pub balance: Option<&'static str>,
    /// `energy.kinetic`.
    pub kinetic: Option<&'static str>,
    /// `energy.potential`.
    pub potential: Option<&'static str>,
    /// `energy.work`.
    pub work: Option<&'static str>,
    /// `residual.position`.
    pub position: Option<&'static str>,
    /// `residual.velocity`.
    pub velocity: Option<&'static str>,
    /// `residual.acceleration`.
    pub acceleration: Option<&'static str>,
    /// `step`.
    pub step: Option<&'static str>,
    /// `rank`.
    pub rank: Option<&'static str>,
    /// `freedoms`.
    pub freedoms: Option<&'static str>,
    /// Where it began to go wrong.
    pub trouble: Option<Trouble>,
}

/// Where a run began to go wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trouble {
    /// When, s.
    pub t: f64,
    /// The element it is laid to; empty if no single one.
    pub element: String,
    /// What happened.
    pub message: String,
}

/// Looks a run over.
///
/// # Errors
/// A run that cannot be read.
pub fn health(stage: &Stage) -> Result<Health, ResultsError> {
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
    let found = [ending(&stage.run.manifest().outcome), residual(stage, &health)?, balance(stage, &health)?];
    health.trouble = found.into_iter().flatten().min_by(|a, b| a.t.total_cmp(&b.t));
    Ok(health)
}

/// A numerical stop with the element behind it.
fn ending(outcome: &Outcome) -> Option<Trouble> {
    let element = match outcome {
        Outcome::Underway
        | Outcome::Finished
        | Outcome::Event { .. }
        | Outcome::MaxSteps { .. }
        | Outcome::WallClock { .. } => return None,
        Outcome::StepTooSmall { blame, .. }
        | Outcome::NotFinite { blame, .. }
        | Outcome::PositionJump { blame, .. }
        | Outcome::ConstraintsLost { blame, .. } => match blame {
            Blame::Body(name) | Blame::Force(name) => name.clone(),
            Blame::Constraint { row, .. } => row.rsplit_once('.').map_or(row.clone(), |(name, _)| name.to_string()),
            Blame::Table { name, .. } => name.clone(),
            Blame::Formulation(_) | Blame::Nobody => String::new(),
        },
        Outcome::Chatter { names, .. } | Outcome::Creep { names, .. } => names.first().cloned().unwrap_or_default(),
        Outcome::Switching { name, .. } => name.clone(),
        Outcome::Overlap { contact, .. } | Outcome::Paradox { contact, .. } => contact.clone(),
        Outcome::DrivenInto { constraint, .. } => constraint.clone(),
    };
    Some(Trouble { t: outcome.time()?, element, message: outcome.to_string() })
}

fn residual(stage: &Stage, health: &Health) -> Result<Option<Trouble>, ResultsError> {
    let allowed = (BEYOND * stage.file.transient.rtol).max(LEAST);
    let mut first: Option<Trouble> = None;
    for (name, level) in [(health.position, "position"), (health.velocity, "velocity")] {
        let Some(name) = name else { continue };
        let row = format!("residual.{level}.row");
        let table = stage.run.table(&[name, &row]).or_else(|_| stage.run.table(&[name]))?;
        let sizes = &table.columns()[0].data;
        let Some(k) = sizes.iter().position(|x| x.is_nan() || *x > allowed) else { continue };
        let row = table.columns().get(1).and_then(|c| c.data.get(k)).map(|x| *x as usize);
        let owner = row.filter(|r| *r < stage.model.rows.len()).map(|r| stage.model.owner(r).name.clone());
        let t = stage.t.get(k).copied().unwrap_or(0.0);
        if first.as_ref().is_none_or(|f| t < f.t) {
            let message = format!("the {level} residual is {:.1e}, beyond {allowed:.0e}", sizes[k]);
            first = Some(Trouble { t, element: owner.unwrap_or_default(), message });
        }
    }
    Ok(first)
}

fn balance(stage: &Stage, health: &Health) -> Result<Option<Trouble>, ResultsError> {
    let (Some(balance), Some(kinetic)) = (health.balance, health.kinetic) else { return Ok(None) };
    let names: Vec<&str> = [balance, kinetic].into_iter().chain(health.potential).collect();
    let table = stage.run.table(&names)?;
    let off = &table.columns()[0].data;
    let largest = |k: usize| {
        let values = table.columns().get(k).map(|c| c.data.iter()).into_iter().flatten();
        values.filter(|x| x.is_finite()).fold(0.0, |a: f64, x| a.max(x.abs()))
    };
    // What hardly moves is judged by the rounding of what it stores.
    let allowed = (BALANCE * largest(1)).max(ROUNDING * largest(2));
    let Some(k) = off.iter().position(|x| x.is_nan() || x.abs() > allowed).filter(|_| allowed > 0.0) else {
        return Ok(None);
    };
    let t = stage.t.get(k).copied().unwrap_or(0.0);
    let message = format!("the energy balance is off by {:.1e} J, more than {allowed:.1e} J", off[k]);
    Ok(Some(Trouble { t, element: String::new(), message }))
}
