//! Equilibrium: M v̇ − f − Bᵀλ = 0 with φ = 0, at rest or carried round an axis.
//!
//! ```text
//!  [K  −Bᵀ] (δ )   (−r)      r = M v̇ − f − Bᵀλ,  K = ∂r/∂δ                     newton.rs
//!  [A   E ] (Δλ) = (−φ)      f = f_inner + s f_load: weight and given forces     loads.rs, path.rs, arc.rs
//! ```
//!
//! Sparse, so that the cost grows with the number of elements. E is a small shift for rows that depend on each other;
//! λ ← λ + Δλ makes it vanish. Where Newton's method fails at once, the load is brought on in steps, and where that fails
//! too, the mechanism creeps to rest ([`Found::Relaxed`]). What is found is the equilibrium near the start, stable or
//! not; [`Stability`] tells which. The penalty of [Newhart2019] stands beside it for comparison (penalty.rs).
//!
//! Extra states other than counters of turns keep their values.

mod arc;
mod balance;
mod contact;
mod loads;
mod newton;
mod notes;
mod path;
mod penalty;
mod record;
mod relaxation;
mod report;
mod rotation;
mod soft;
mod stability;

pub use arc::{ArcLength, Branching};
pub use path::{Critical, CriticalPoint, Ended, Path, PathPoint, load_path};
pub use penalty::{Comparison, statics_compared};
pub use record::loaded;
pub use report::{HeldBy, Holding};
pub use rotation::Rotation;
pub use stability::{Judgement, Stability};

use self::balance::Balance;
use super::grips::BeyondStrength;
use super::inverse::multipliers;
use super::{AnalysisError, check_state, positive};
use super::{Assembly, assemble};
use crate::model::Model;
use crate::state::State;
use thiserror::Error;

/// A share of the load that differs by less is the whole.
const WHOLE: f64 = 1e-9;

/// Settings of the search for an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statics {
    /// μ of the penalty; 10⁴ times the largest stiffness if left out.
    pub penalty: Option<f64>,
    /// Forces that are left over, relative to the largest at work at the start (of an element, a weight), and |φ|, relative to
    /// the size of the mechanism.
    pub tolerance: f64,
    /// Most iterations at one load.
    pub iterations: usize,
    /// How the load is brought on.
    pub loading: Loading,
    /// What is done where Newton's method fails.
    pub resort: Resort,
    /// The mechanism is carried round an axis, and is at rest in what turns with it.
    pub rotation: Option<Rotation>,
}

impl Default for Statics {
    fn default() -> Statics {
        Statics {
            penalty: None,
            tolerance: 1e-12,
            iterations: 50,
            loading: Loading::AtOnce,
            resort: Resort::StepsThenRelaxation,
            rotation: None,
        }
    }
}

/// How the load is brought on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loading {
    /// All of it.
    AtOnce,
    /// In so many equal steps, each cut in halves where it must be.
    Steps(usize),
    /// Along the path of equilibria, through limit points.
    ArcLength(ArcLength),
}

/// What is done where Newton's method fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resort {
    /// Nothing: the failure is told.
    None,
    /// The load is brought on in steps; if that fails, the mechanism creeps to rest.
    StepsThenRelaxation,
}

/// The two ways of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Constraints met exactly.
    Exact,
    /// Constraints as stiff springs.
    Penalty,
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Way::Exact => "constraints met exactly",
            Way::Penalty => "constraints as stiff springs",
        })
    }
}

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// By Newton's method at the full load.
    AtOnce,
    /// Along so many loads.
    Loaded(usize),
    /// By creeping to rest in so many steps.
    Relaxed(usize),
}

/// Why there is no equilibrium to be told.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StaticsError {
    /// Settings or a state that make no sense, constraints that cannot be met.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Something can move without any force.
    #[error(
        "the stiffness is singular: nothing holds a motion of `{motion}` and what moves with it; add a spring or a \
         constraint"
    )]
    Singular {
        /// The velocity that takes the largest part in the motion, `body.velocity`.
        motion: String,
    },
    /// The iteration did not come to rest.
    #[error(
        "no equilibrium found after {iterations} iterations ({way}): `{at}` is left with {residual:.2e}; start nearer"
    )]
    NoConvergence {
        /// Which way.
        way: Way,
        /// Iterations made.
        iterations: usize,
        /// The velocity with the largest force left over, or the row with the largest residual.
        at: String,
        /// Its size, relative to what the tolerance is measured by.
        residual: f64,
    },
    /// The path of equilibria cannot be followed any further.
    #[error("the path of equilibria ends at {share:.4} of the load after {points} points: {why}")]
    PathEnds {
        /// Share of the load.
        share: f64,
        /// Points found.
        points: usize,
        /// What went wrong there.
        why: String,
    },
    /// A body that does not know how to be carried round.
    #[error("body `{body}` cannot be carried round this axis: {why}")]
    NotCarried {
        /// The body.
        body: String,
        /// What is in the way.
        why: &'static str,
    },
    /// Friction or a brake too weak to hold the mechanism anywhere.
    #[error("no equilibrium found: it slips on and on, {}", list(grips))]
    Slips {
        /// The grips that slip, with what they would have to exert and what they can.
        grips: Vec<BeyondStrength>,
    },
    /// Contacts and grips whose laws no forces obey.
    #[error(
        "no equilibrium found: no forces obey the laws of the contacts and grips about `{constraint}`; lower the \
         coefficient of friction, or start from another pose"
    )]
    NoForces {
        /// The constraint.
        constraint: String,
    },
    /// An arc with what comes and goes.
    #[error(
        "the arc-length method does not follow what comes and goes, and `{constraint}` does; bring the load on in steps \
         (--load-steps), or at once"
    )]
    ArcWithGaps {
        /// The first such constraint.
        constraint: String,
    },
    /// A row that contradicts the rotation.
    #[error(
        "row `{row}` does not go round with the mechanism: its rate is {rate:.3e} {unit}/s; its driver and the rotation must agree"
    )]
    OtherSpeed {
        /// `constraint.row`.
        row: String,
        /// Its rate.
        rate: f64,
        /// Unit of the row.
        unit: &'static str,
    },
}

fn list(grips: &[BeyondStrength]) -> String {
    grips.iter().map(BeyondStrength::to_string).collect::<Vec<_>>().join("; ")
}

/// A pose of equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The state: at rest, or with the velocities of the rotation.
    pub state: State,
    /// Accelerations: zero at rest.
    pub vdot: Vec<f64>,
    /// q minus the q given, coordinate by coordinate.
    pub displacement: Vec<f64>,
    /// Multipliers; −μ φ with the penalty.
    pub lambda: Vec<f64>,
    /// Iterations it took.
    pub iterations: usize,
    /// How it was found.
    pub found: Found,
    /// What it does not account for: controllers that are sampled, states that are not at rest.
    pub notes: Vec<String>,
}

/// The equilibrium near a state, exactly.
///
/// # Errors
/// [`StaticsError`]: a free motion, or no convergence.
pub fn statics(model: &Model, state: &State, settings: &Statics) -> Result<Equilibrium, StaticsError> {
    if settings.loading != Loading::AtOnce {
        let path = load_path(model, state, settings)?;
        let (share, points) = (path.points.last().map_or(0.0, |p| p.share), path.points.len());
        if (share - 1.0).abs() > WHOLE {
            let why = "the path was not followed to the whole load; `load_path` gives what was found".to_string();
            return Err(StaticsError::PathEnds { share, points, why });
        }
        return path.into_equilibrium(model, state);
    }
    let (start, mut balance) = begin(model, state, settings)?;
    let mut here = Point::at(&start, model, &balance)?;
    if balance.switches() {
        let iterations = contact::rest(&mut balance, &mut here, settings)?;
        return Ok(balance.equilibrium(here, state, iterations, Found::AtOnce));
    }
    let failure = match newton::rest(&mut balance, &mut here, settings) {
        Ok(iterations) => return Ok(balance.equilibrium(here, state, iterations, Found::AtOnce)),
        Err(e) => e,
    };
    if settings.resort == Resort::None
        || !matches!(failure, StaticsError::Singular { .. } | StaticsError::NoConvergence { .. })
    {
        return Err(failure);
    }
    // What is free at the start is so under any share of the load; a force along it may lead to where it is held.
    let free_at_start = matches!(failure, StaticsError::Singular { .. }) && here.state.q == start.q;
    if !free_at_start
        && let Ok((again, mut balance)) = unloaded(model, state, settings)
        && let Ok(path) = path::in_steps(&mut balance, again, path::STEPS, settings)
        && let Ok(found) = path.into_equilibrium(model, state)
    {
        return Ok(found);
    }
    balance.bring_on(1.0);
    let mut here = Point::at(&start, model, &balance)?;
    match relaxation::relax(&mut balance, &mut here, settings) {
        Ok((iterations, steps)) => Ok(balance.equilibrium(here, state, iterations, Found::Relaxed(steps))),
        Err(_) => Err(failure),
    }
}

/// A pose and its multipliers.
#[derive(Clone, Debug)]
struct Point {
    state: State,
    lambda: Vec<f64>,
}

impl Point {
    /// At a state, with the multipliers that leave least of the forces.
    fn at(state: &State, model: &Model, balance: &Balance) -> Result<Point, StaticsError> {
        let mut state = state.clone();
        let mut vdot = vec![0.0; model.sizes.v];
        balance.carry_round(&mut state, &mut vdot);
        let lambda = multipliers(model, &State { modes: balance::bare(model, &state), ..state.clone() }, &vdot)?;
        Ok(Point { state, lambda })
    }
}

/// The start of a path: drivers where the given state has them, from where they go with the load.
fn unloaded<'m>(model: &'m Model, state: &State, s: &Statics) -> Result<(Point, Balance<'m>), StaticsError> {
    check(model, state, s)?;
    let ways = loads::ways(model, state);
    let mut at_start = model.clone();
    loads::bring_on(model, &mut at_start, 0.0, &ways, state.t);
    let start = assembled(&at_start, state)?;
    let mut balance = Balance::new(model, &start, s)?;
    let here = Point::at(&start, model, &balance)?;
    balance.drive(ways);
    Ok((here, balance))
}

/// The assembled start, at rest or going round, and room for the forces.
fn begin<'m>(model: &'m Model, state: &State, s: &Statics) -> Result<(State, Balance<'m>), StaticsError> {
    check(model, state, s)?;
    let start = assembled(model, state)?;
    let balance = Balance::new(model, &start, s)?;
    Ok((start, balance))
}

fn check(model: &Model, state: &State, s: &Statics) -> Result<(), StaticsError> {
    check_state(model, state)?;
    positive("tolerance", s.tolerance)?;
    if let Some(mu) = s.penalty {
        positive("penalty", mu)?;
    }
    s.rotation.map_or(Ok(()), |rotation| rotation.check(model))
}

/// Positions alone: velocities of the given state are not those of the equilibrium.
fn assembled(model: &Model, state: &State) -> Result<State, StaticsError> {
    let mut start = state.clone();
    start.v.fill(0.0);
    let mut start = assemble(model, &start, &Assembly::default())?.state;
    start.v.fill(0.0);
    Ok(start)
}
