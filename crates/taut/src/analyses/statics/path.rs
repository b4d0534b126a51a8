//! Equilibria under a growing load factor s, in given steps or by the arc-length method.

use super::equilibrium_equations::EquilibriumEquations;
use super::{
    Equilibrium, EquilibriumMethod, EquilibriumPoint, Loading, Stability, StabilityAssessment, Statics, StaticsError,
    arc_length, check_positive, newton, prepare, prepare_unloaded,
};
use crate::laws::ConstraintLaw;
use crate::model::Model;
use crate::state::State;
use serde::Serialize;

/// Number of load steps if Newton's method fails at the full load.
pub(super) const DEFAULT_LOAD_STEPS: usize = 8;
/// Halvings of a load step.
const MAX_HALVINGS: i32 = 10;

/// One equilibrium of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPoint {
    /// Load factor s.
    pub load_factor: f64,
    /// The state: at rest, or with the velocities of the rotation.
    pub state: State,
    /// Accelerations.
    pub vdot: Vec<f64>,
    /// Multipliers.
    pub lambda: Vec<f64>,
    /// Number of iterations.
    pub iterations: usize,
    /// Stiffness of the softest motion, zero at limit points and bifurcations.
    pub min_stiffness: f64,
}

/// A path of equilibria.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPath {
    /// The points in the order in which they were found.
    pub points: Vec<PathPoint>,
    /// First point after a branch switch, by index.
    pub branched: Option<usize>,
    /// Limit points and bifurcations on the path.
    pub critical: Vec<CriticalPoint>,
    /// Why it ends.
    pub end: PathEnd,
}

/// A point at which the stiffness of a motion vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CriticalPoint {
    /// Limit point or bifurcation.
    pub kind: CriticalPointKind,
    /// Load factor, estimated from the adjacent points.
    pub load_factor: f64,
    /// The first point of the path after it, by index.
    pub point: usize,
}

/// Kind of a critical point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CriticalPointKind {
    /// The load has an extremum: snap-through.
    Limit,
    /// Another path crosses: buckling.
    Branch,
}

/// Why a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PathEnd {
    /// It reached the requested load factor or its negative.
    Whole,
    /// It reached the largest number of points.
    AtMostPoints,
}

impl LoadPath {
    /// The last point as an equilibrium; displacements are relative to `given`.
    ///
    /// # Errors
    /// If the path has no points.
    pub fn into_equilibrium(mut self, model: &Model, given: &State) -> Result<Equilibrium, StaticsError> {
        let (count, iterations) = (self.points.len(), self.points.iter().map(|p| p.iterations).sum());
        let none = StaticsError::PathEnds { load_factor: 0.0, points: 0, why: "no point was found".to_string() };
        let PathPoint { state, vdot, lambda, .. } = self.points.pop().ok_or(none)?;
        debug_assert_eq!(lambda.len(), model.rows.len());
        let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
        let notes = super::notes::notes(model, &state);
        Ok(Equilibrium {
            state,
            vdot,
            displacement,
            lambda,
            iterations,
            method: EquilibriumMethod::LoadSteps(count),
            notes,
        })
    }
}

/// The equilibria under a growing load, from a state near the unloaded one.
///
/// # Errors
/// [`StaticsError`]: invalid settings, a free motion, a path that ends before the full load.
///
/// # Examples
///
/// ```
/// use taut::analyses::{Loading, load_path};
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("lamp", PointMass::new(3.0, [0.0, 0.0, -1.0]))
///     .force("spring", Spring::linear("ground", "lamp", 600.0, 0.0, 1.0));
/// let model = spec.build()?;
/// let settings = Statics { loading: Loading::Steps(4), ..Statics::default() };
/// let path = load_path(&model, &model.initial_state(), &settings)?;
/// assert_eq!(path.points.last().map(|p| p.load_factor), Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load_path(model: &Model, state: &State, settings: &Statics) -> Result<LoadPath, StaticsError> {
    super::refuse_reaction_forces(model, "statics")?;
    match settings.loading {
        Loading::ArcLength(arc) => {
            // The arc-length method scales forces only: drivers are at their prescribed positions.
            let (start, mut balance) = prepare(model, state, settings)?;
            let here = EquilibriumPoint::at(&start, model, &balance)?;
            arc.check()?;
            if let Some(c) = model.constraints.iter().find(|c| c.law != ConstraintLaw::Bilateral) {
                return Err(StaticsError::ArcLengthWithContacts { constraint: c.name.clone() });
            }
            arc_length::follow_arc(&mut balance, here, &arc, settings)
        }
        Loading::AtOnce | Loading::Steps(_) => {
            let steps = if let Loading::Steps(steps) = settings.loading { steps } else { 1 };
            check_positive("load steps", steps as f64)?;
            let (here, mut balance) = prepare_unloaded(model, state, settings)?;
            load_in_steps(&mut balance, here, steps, settings)
        }
    }
}

/// Equal load steps, halved where Newton's method fails.
pub(super) fn load_in_steps(
    balance: &mut EquilibriumEquations,
    mut here: EquilibriumPoint,
    steps: usize,
    settings: &Statics,
) -> Result<LoadPath, StaticsError> {
    let mut path = LoadPath { points: Vec::new(), branched: None, critical: Vec::new(), end: PathEnd::Whole };
    let whole = 1.0 / steps as f64;
    let mut reached = 0.0;
    let least = whole * 0.5_f64.powi(MAX_HALVINGS);
    // The multipliers are those of the full load; scale them to the first step.
    here.lambda.iter_mut().for_each(|l| *l *= whole);
    for step in 1..=steps {
        let target = step as f64 * whole;
        let mut stride = target - reached;
        while reached < target {
            let next = if reached + stride > target - 1e-9 * whole { target } else { reached + stride };
            balance.set_load_factor(next);
            let mut trial = here.clone();
            match newton::solve_equilibrium(balance, &mut trial, settings) {
                Ok(iterations) => {
                    here = trial;
                    reached = next;
                    path.points.push(path_point(balance, &mut here, iterations)?);
                }
                Err(e) => {
                    stride *= 0.5;
                    if stride < least {
                        return Err(match e {
                            StaticsError::NoConvergence { .. } if !path.points.is_empty() => StaticsError::PathEnds {
                                load_factor: reached,
                                points: path.points.len(),
                                why: e.to_string(),
                            },
                            e => e,
                        });
                    }
                }
            }
        }
    }
    Ok(path)
}

/// A point of the path, with the factor of `here`.
pub(super) fn path_point(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    iterations: usize,
) -> Result<PathPoint, StaticsError> {
    balance.evaluate(&mut here.state);
    let softest = match balance.has_unilateral() {
        false => balance.softest_motion()?.stiffness,
        true => match super::stability::assess(balance, here)?.stability {
            Stability::Stable(k) | Stability::Unstable(k) | Stability::Unknown(k) => k,
            Stability::Neutral { .. } => 0.0,
            Stability::Rigid => f64::INFINITY,
        },
    };
    Ok(PathPoint {
        load_factor: balance.load_factor,
        state: here.state.clone(),
        vdot: balance.vdot.clone(),
        lambda: here.lambda.clone(),
        iterations,
        min_stiffness: softest,
    })
}

impl Equilibrium {
    /// Whether the equilibrium is stable with its active contacts and friction.
    ///
    /// # Errors
    /// As for [`super::statics`].
    pub fn stability(&self, model: &Model, settings: &Statics) -> Result<Stability, StaticsError> {
        Ok(self.assess_stability(model, settings)?.stability)
    }

    /// The motions without stiffness and without load, each named by the velocity with the largest part in it: a shaft that may spin, a
    /// ball that may roll. The equilibrium keeps their positions.
    ///
    /// # Errors
    /// As for [`super::statics`].
    pub fn free_motions(&self, model: &Model, settings: &Statics) -> Result<Vec<String>, StaticsError> {
        Ok(self.assess_stability(model, settings)?.free_motions)
    }

    /// Stability and free motions.
    ///
    /// # Errors
    /// As for [`super::statics`].
    pub fn assess_stability(&self, model: &Model, settings: &Statics) -> Result<StabilityAssessment, StaticsError> {
        let mut balance = EquilibriumEquations::new(model, &self.state, &self.state, settings)?;
        let mut here = EquilibriumPoint { state: self.state.clone(), lambda: self.lambda.clone() };
        balance.evaluate(&mut here.state);
        super::stability::assess(&mut balance, &here)
    }
}
