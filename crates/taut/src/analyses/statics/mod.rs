//! Equilibrium: M v̇ − f − Bᵀλ = 0 with φ = 0, at rest or in steady rotation about an axis.
//!
//! ```text
//!  [K  −Bᵀ] (δ )   (−r)      r = M v̇ − f − Bᵀλ,  K = ∂r/∂δ                     newton.rs
//!  [A   E ] (Δλ) = (−φ)      f = f_inner + s f_load: gravity and applied forces   loads.rs, path.rs, arc.rs
//! ```
//!
//! The matrices are sparse, so the cost grows linearly with the number of elements. E is a small shift for dependent rows; the
//! iteration λ ← λ + Δλ removes its effect. If Newton's method fails at the full load, the load is applied in steps. If that fails
//! too, artificial damping relaxes the mechanism to rest ([`Found::Relaxed`]). The result is the equilibrium near the start, stable
//! or not; see [`Stability`]. The penalty method of [Newhart2019] is available for comparison (penalty.rs).
//!
//! Extra states other than turn counters keep their values.

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

/// Load factors that differ from 1 by less count as the full load.
const WHOLE: f64 = 1e-9;

/// Settings of the search for an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statics {
    /// μ of the penalty; default: 10⁴ times the largest stiffness.
    pub penalty: Option<f64>,
    /// Largest residual force, relative to the largest force of an element or weight at the start, and largest |φ|, relative to the
    /// size of the mechanism.
    pub tolerance: f64,
    /// Most iterations at one load factor.
    pub iterations: usize,
    /// How the load is brought on.
    pub loading: Loading,
    /// What to do if Newton's method fails.
    pub resort: Resort,
    /// Steady rotation about an axis: the mechanism is at rest in the rotating frame.
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
    /// All at once.
    AtOnce,
    /// In this many equal steps; a step that fails is halved.
    Steps(usize),
    /// Along the path of equilibria, through limit points.
    ArcLength(ArcLength),
}

/// What to do if Newton's method fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resort {
    /// Nothing: return the error.
    None,
    /// Apply the load in steps; if that fails, relax the mechanism to rest with artificial damping.
    StepsThenRelaxation,
}

/// How constraints are enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Exactly, with multipliers.
    Exact,
    /// As stiff springs.
    Penalty,
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Way::Exact => "exact constraints",
            Way::Penalty => "penalty method",
        })
    }
}

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// By Newton's method at the full load.
    AtOnce,
    /// By Newton's method in this many load steps.
    Loaded(usize),
    /// By relaxation in this many steps.
    Relaxed(usize),
}

/// Why no equilibrium was found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StaticsError {
    /// Invalid settings or state, or constraints that cannot be satisfied.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A motion without stiffness.
    #[error(
        "the stiffness is singular: a motion led by `{motion}` has no stiffness; add a spring or a \
         constraint"
    )]
    Singular {
        /// The velocity with the largest part in the motion, `body.velocity`.
        motion: String,
    },
    /// The iteration did not converge.
    #[error(
        "no equilibrium found after {iterations} iterations ({way}): `{at}` has the residual {residual:.2e}; start nearer"
    )]
    NoConvergence {
        /// How constraints were enforced.
        way: Way,
        /// Iterations made.
        iterations: usize,
        /// The velocity with the largest residual force, or the row with the largest residual.
        at: String,
        /// Its relative residual, comparable with the tolerance.
        residual: f64,
    },
    /// The path of equilibria cannot be followed further.
    #[error("the path of equilibria ends at load factor {share:.4} after {points} points: {why}")]
    PathEnds {
        /// Load factor.
        share: f64,
        /// Points found.
        points: usize,
        /// The reason.
        why: String,
    },
    /// A body that does not support steady rotation about this axis.
    #[error("body `{body}` cannot rotate steadily about this axis: {why}")]
    NotCarried {
        /// The body.
        body: String,
        /// The reason.
        why: &'static str,
    },
    /// Friction or a brake that is too weak to hold the mechanism anywhere.
    #[error("no equilibrium found, friction is too weak: {}", list(grips))]
    Slips {
        /// The slipping constraints with the required and the available force.
        grips: Vec<BeyondStrength>,
    },
    /// No forces satisfy the laws of contact and friction.
    #[error(
        "no equilibrium found: no forces satisfy the contact and friction laws at `{constraint}`; lower the \
         coefficient of friction, or start from another pose"
    )]
    NoForces {
        /// The constraint.
        constraint: String,
    },
    /// The arc-length method with unilateral constraints or friction.
    #[error(
        "the arc-length method does not support contacts, stops, ropes or friction such as `{constraint}`; apply the load in steps \
         (--load-steps), or at once"
    )]
    ArcWithGaps {
        /// The first such constraint.
        constraint: String,
    },
    /// A row whose rate contradicts the rotation.
    #[error(
        "row `{row}` contradicts the steady rotation: its rate is {rate:.3e} {unit}/s; make its driver agree with the rotation"
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

/// An equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The state: at rest, or with the velocities of the rotation.
    pub state: State,
    /// Accelerations: zero at rest.
    pub vdot: Vec<f64>,
    /// q minus the given q, coordinate by coordinate.
    pub displacement: Vec<f64>,
    /// Multipliers; −μ φ with the penalty.
    pub lambda: Vec<f64>,
    /// Number of iterations.
    pub iterations: usize,
    /// How it was found.
    pub found: Found,
    /// What the equilibrium leaves out: sampled controllers, extra states that are not steady.
    pub notes: Vec<String>,
}

/// Finds the equilibrium near a state, with exact constraints.
///
/// # Errors
/// [`StaticsError`]: a free motion, or no convergence.
pub fn statics(model: &Model, state: &State, settings: &Statics) -> Result<Equilibrium, StaticsError> {
    if settings.loading != Loading::AtOnce {
        let path = load_path(model, state, settings)?;
        let (share, points) = (path.points.last().map_or(0.0, |p| p.share), path.points.len());
        if (share - 1.0).abs() > WHOLE {
            let why = "the path does not reach the full load; `load_path` returns the points found".to_string();
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
    // A motion that is free at the start is free under any load factor; relaxation along it may still reach a stable place.
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
    /// At a state, with the multipliers that minimise the residual forces.
    fn at(state: &State, model: &Model, balance: &Balance) -> Result<Point, StaticsError> {
        let mut state = state.clone();
        let mut vdot = vec![0.0; model.sizes.v];
        balance.carry_round(&mut state, &mut vdot);
        let lambda = multipliers(model, &State { modes: balance::bare(model, &state), ..state.clone() }, &vdot)?;
        Ok(Point { state, lambda })
    }
}

/// The start of a load path: drivers begin at the positions of the given state and move with the load factor.
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

/// The assembled start, at rest or in rotation, and its equations.
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

/// Assembles positions only: velocities of the given state are not those of the equilibrium.
fn assembled(model: &Model, state: &State) -> Result<State, StaticsError> {
    let mut start = state.clone();
    start.v.fill(0.0);
    let mut start = assemble(model, &start, &Assembly::default())?.state;
    start.v.fill(0.0);
    Ok(start)
}
