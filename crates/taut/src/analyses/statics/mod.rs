//! Equilibrium, at rest or in steady rotation: newton.rs; loads.rs, path.rs, arc_length.rs; the penalty method in penalty.rs.

mod arc_length;
mod contact;
mod contact_report;
mod equilibrium_equations;
mod loads;
mod newton;
mod notes;
mod path;
mod path_table;
mod penalty;
mod relaxation;
mod rotation;
mod soft_motions;
mod stability;
mod static_result;

pub use arc_length::{ArcLength, BranchSwitching};
pub use contact_report::{ContactReport, ContactStatus};
pub use path::{CriticalPoint, CriticalPointKind, LoadPath, PathEnd, PathPoint, load_path};
pub use path_table::with_load_factor;
pub use penalty::{PenaltyComparison, compare_with_penalty};
pub use rotation::UniformRotation;
pub use stability::{Stability, StabilityAssessment};
pub use static_result::StaticResult;

use self::equilibrium_equations::EquilibriumEquations;
use super::friction_bounds::OverloadedConstraint;
use super::inverse::multipliers;
use super::{AnalysisError, check_positive, check_state, refuse_reaction_forces};
use super::{AssemblySettings, assemble};
use crate::constraints::ConstraintKind;
use crate::model::{ConstraintEntry, Model};
use crate::state::{ConstraintMode, State};
use thiserror::Error;

/// Load factors that differ from 1 by less count as the full load.
const FULL_LOAD_TOLERANCE: f64 = 1e-9;

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
    pub fallback: Fallback,
    /// Steady rotation about an axis: the mechanism is at rest in the rotating frame.
    pub rotation: Option<UniformRotation>,
}

impl Default for Statics {
    fn default() -> Statics {
        Statics {
            penalty: None,
            tolerance: 1e-12,
            iterations: 50,
            loading: Loading::AtOnce,
            fallback: Fallback::StepsThenRelaxation,
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
pub enum Fallback {
    /// Nothing: return the error.
    None,
    /// Apply the load in steps; if that fails, relax the mechanism to rest with artificial damping.
    StepsThenRelaxation,
}

/// How constraints are enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintEnforcement {
    /// Exactly, with multipliers.
    Exact,
    /// As stiff springs.
    Penalty,
}

impl std::fmt::Display for ConstraintEnforcement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ConstraintEnforcement::Exact => "exact constraints",
            ConstraintEnforcement::Penalty => "penalty method",
        })
    }
}

/// How an equilibrium was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquilibriumMethod {
    /// By Newton's method at the full load.
    Direct,
    /// By Newton's method in this many load steps.
    LoadSteps(usize),
    /// By relaxation in this many steps.
    Relaxation(usize),
}

/// Why no equilibrium was found.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
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
        "no equilibrium found after {iterations} iterations ({way}): `{at}` has the residual {residual:.2e}; start from a nearer pose"
    )]
    NoConvergence {
        /// How constraints were enforced.
        way: ConstraintEnforcement,
        /// Iterations made.
        iterations: usize,
        /// The velocity with the largest residual force, or the row with the largest residual.
        at: String,
        /// Its relative residual, comparable with the tolerance.
        residual: f64,
    },
    /// The path of equilibria cannot be followed further.
    #[error("the path of equilibria ends at load factor {load_factor:.4} after {points} points: {why}")]
    PathEnds {
        /// Load factor.
        load_factor: f64,
        /// Points found.
        points: usize,
        /// The reason.
        why: String,
    },
    /// A body that does not support steady rotation about this axis.
    #[error("body `{body}` cannot rotate steadily about this axis: {why}")]
    RotationUnsupported {
        /// The body.
        body: String,
        /// The reason.
        why: &'static str,
    },
    /// Friction or a brake that is too weak to hold the mechanism anywhere.
    #[error("no equilibrium found, friction is too weak: {}", list(grips))]
    FrictionTooWeak {
        /// The slipping constraints with the required and the available force.
        grips: Vec<OverloadedConstraint>,
    },
    /// No forces satisfy the laws of contact and friction.
    #[error(
        "no equilibrium found: no forces satisfy the contact and friction laws at `{constraint}`; lower the \
         coefficient of friction, or start from another pose"
    )]
    NoContactForces {
        /// The constraint.
        constraint: String,
    },
    /// The search for contact forces took too long.
    #[error(
        "no equilibrium found in {steps} steps: the mechanism still moves, most at `{constraint}`, and forces that satisfy the \
         contact and friction laws are too hard to find; start from a nearer pose, or let a run with time stepping come to rest"
    )]
    ContactWorkExceeded {
        /// Steps made.
        steps: usize,
        /// The constraint that moves most.
        constraint: String,
    },
    /// The arc-length method with unilateral constraints or friction.
    #[error(
        "the arc-length method does not support contacts, stops, ropes or friction such as `{constraint}`; apply the load in steps \
         (--load-steps), or at once"
    )]
    ArcLengthWithContacts {
        /// The first such constraint.
        constraint: String,
    },
    /// The penalty method in a case that it does not cover.
    #[error("the penalty method replaces bilateral constraints at rest by springs; it does not cover {why}")]
    PenaltyUnsupported {
        /// What is not covered.
        why: String,
    },
    /// A row whose rate contradicts the rotation.
    #[error(
        "row `{row}` contradicts the steady rotation, in which all moving bodies rotate together: its rate would be {rate:.3e} {unit}/s; if it is \
         driven, make its driver agree with the rotation; otherwise the mechanism has no steady rotation at this rate about this axis"
    )]
    RowRateMismatch {
        /// `constraint.row`.
        row: String,
        /// Its rate.
        rate: f64,
        /// Unit of the row.
        unit: &'static str,
    },
}

fn list(grips: &[OverloadedConstraint]) -> String {
    grips.iter().map(OverloadedConstraint::to_string).collect::<Vec<_>>().join("; ")
}

/// An equilibrium.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
    pub method: EquilibriumMethod,
    /// What the equilibrium leaves out: sampled controllers, extra states that are not steady.
    pub notes: Vec<String>,
}

/// Finds the equilibrium near a state, with exact constraints.
///
/// An equilibrium satisfies M v̇ − f − Bᵀλ = 0 with φ = 0, at rest or in steady rotation about an axis.
///
/// ```text
///  [K  −Bᵀ] (δ )   (−r)      r = M v̇ − f − Bᵀλ,  K = ∂r/∂δ
///  [A   E ] (Δλ) = (−φ)      f = f_inner + s f_load: gravity and applied forces
/// ```
///
/// The matrices are sparse, so the cost grows linearly with the number of elements. E is a small shift for dependent rows; the
/// iteration λ ← λ + Δλ removes its effect. If Newton's method fails at the full load, the load is applied in steps. If that fails
/// too, artificial damping relaxes the mechanism to rest ([`EquilibriumMethod::Relaxation`]). The result is the equilibrium near the start, stable
/// or not; see [`Stability`]. The penalty method of \[Newhart2019\] is available for comparison ([`ConstraintEnforcement`]).
///
/// Extra states other than turn counters keep their values.
///
/// # Errors
/// [`StaticsError`]: a free motion, or no convergence.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("lamp", PointMass::new(3.0, [0.0, 0.0, -1.0]))
///     .force("spring", Spring::linear("ground", "lamp", 600.0, 0.0, 1.0));
/// let model = spec.build()?;
/// let found = statics(&model, &model.initial_state(), &Statics::default())?;
/// assert!((found.state.q[2] + 1.0 + 3.0 * 9.81 / 600.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn statics(model: &Model, state: &State, settings: &Statics) -> Result<Equilibrium, StaticsError> {
    refuse_reaction_forces(model, "statics")?;
    if settings.loading != Loading::AtOnce {
        let path = load_path(model, state, settings)?;
        let (load_factor, points) = (path.points.last().map_or(0.0, |p| p.load_factor), path.points.len());
        if (load_factor - 1.0).abs() > FULL_LOAD_TOLERANCE {
            let why = "the path does not reach the full load; `load_path` returns the points found".to_string();
            return Err(StaticsError::PathEnds { load_factor, points, why });
        }
        return path.into_equilibrium(model, state);
    }
    let (start, mut balance) = prepare(model, state, settings)?;
    let mut here = EquilibriumPoint::at(&start, model, &balance)?;
    if balance.has_unilateral() {
        let iterations = contact::relax_with_contacts(&mut balance, &mut here, settings)?;
        return Ok(balance.equilibrium(here, state, iterations, EquilibriumMethod::Direct));
    }
    let failure = match newton::solve_equilibrium(&mut balance, &mut here, settings) {
        Ok(iterations) => return Ok(balance.equilibrium(here, state, iterations, EquilibriumMethod::Direct)),
        Err(e) => e,
    };
    if settings.fallback == Fallback::None
        || !matches!(failure, StaticsError::Singular { .. } | StaticsError::NoConvergence { .. })
    {
        return Err(failure);
    }
    // A motion that is free at the start is free under any load factor; relaxation along it may still reach a stable place.
    let free_at_start = matches!(failure, StaticsError::Singular { .. }) && here.state.q == start.q;
    if !free_at_start
        && let Ok((again, mut balance)) = prepare_unloaded(model, state, settings)
        && let Ok(path) = path::load_in_steps(&mut balance, again, path::DEFAULT_LOAD_STEPS, settings)
        && let Ok(found) = path.into_equilibrium(model, state)
    {
        return Ok(found);
    }
    balance.set_load_factor(1.0);
    let mut here = EquilibriumPoint::at(&start, model, &balance)?;
    match relaxation::relax(&mut balance, &mut here, settings) {
        Ok((iterations, steps)) => {
            Ok(balance.equilibrium(here, state, iterations, EquilibriumMethod::Relaxation(steps)))
        }
        Err(_) => Err(failure),
    }
}

/// A pose and its multipliers.
#[derive(Clone, Debug)]
struct EquilibriumPoint {
    state: State,
    lambda: Vec<f64>,
}

impl EquilibriumPoint {
    /// At a state, with the multipliers that minimise the residual forces.
    fn at(state: &State, model: &Model, balance: &EquilibriumEquations) -> Result<EquilibriumPoint, StaticsError> {
        let mut state = state.clone();
        let mut vdot = vec![0.0; model.sizes.v];
        balance.set_rotation_rates(&mut state, &mut vdot);
        let lambda = multipliers(model, &State { modes: model.static_modes(&state.modes), ..state.clone() }, &vdot)?;
        Ok(EquilibriumPoint { state, lambda })
    }
}

/// The start of a load path: drivers begin at the positions of the given state and move with the load factor.
fn prepare_unloaded<'m>(
    model: &'m Model,
    state: &State,
    s: &Statics,
) -> Result<(EquilibriumPoint, EquilibriumEquations<'m>), StaticsError> {
    check_settings(model, state, s)?;
    let ways = loads::driver_offsets(model, state);
    let mut at_start = model.clone();
    loads::apply_load_factor(model, &mut at_start, 0.0, &ways, state.t);
    let start = assembled_at_rest(&at_start, state)?;
    let mut balance = EquilibriumEquations::new(model, &start, state, s)?;
    let here = EquilibriumPoint::at(&start, model, &balance)?;
    balance.move_drivers_with_load(ways);
    Ok((here, balance))
}

/// The assembled start, at rest or in rotation, and its equations.
fn prepare<'m>(
    model: &'m Model,
    state: &State,
    s: &Statics,
) -> Result<(State, EquilibriumEquations<'m>), StaticsError> {
    check_settings(model, state, s)?;
    let start = assembled_at_rest(model, state)?;
    let balance = EquilibriumEquations::new(model, &start, state, s)?;
    Ok((start, balance))
}

fn check_settings(model: &Model, state: &State, s: &Statics) -> Result<(), StaticsError> {
    check_state(model, state)?;
    check_positive("tolerance", s.tolerance)?;
    if let Some(mu) = s.penalty {
        check_positive("penalty", mu)?;
    }
    s.rotation.map_or(Ok(()), |rotation| rotation.check(model))
}

/// Assembles positions only: velocities of the given state are not those of the equilibrium.
fn assembled_at_rest(model: &Model, state: &State) -> Result<State, StaticsError> {
    let mut start = state.clone();
    start.v.fill(0.0);
    let balances = |c: &ConstraintEntry| matches!(c.kind, ConstraintKind::ForceBalance(_));
    for (_, mode) in model.constraints.iter().zip(&mut start.modes).filter(|(c, _)| balances(c)) {
        *mode = ConstraintMode::Idle;
    }
    let mut start = assemble(model, &start, &AssemblySettings::default())?.state;
    start.v.fill(0.0);
    start.modes.clone_from(&state.modes);
    Ok(start)
}
