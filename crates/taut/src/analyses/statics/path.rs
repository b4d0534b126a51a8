//! Equilibria under a growing share s of the load, in given steps or along the arc of their path.

use super::balance::Balance;
use super::{
    Equilibrium, Found, Judgement, Loading, Point, Stability, Statics, StaticsError, arc, begin, newton, positive,
    unloaded,
};
use crate::laws::Law;
use crate::model::Model;
use crate::state::State;
use serde::Serialize;

/// Steps in which the load is brought on where Newton's method fails at once.
pub(super) const STEPS: usize = 8;
/// Halvings of a step of the load.
const HALVINGS: i32 = 10;

/// One equilibrium of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPoint {
    /// s, the share of the load.
    pub share: f64,
    /// The state: at rest, or with the velocities of the rotation.
    pub state: State,
    /// Accelerations.
    pub vdot: Vec<f64>,
    /// Multipliers.
    pub lambda: Vec<f64>,
    /// Iterations it took.
    pub iterations: usize,
    /// Stiffness of the softest motion: it passes through zero at limit points and bifurcations.
    pub softest: f64,
}

/// A path of equilibria.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The points, in the order in which they were found.
    pub points: Vec<PathPoint>,
    /// Where the path branched and which point is the first beyond.
    pub branched: Option<usize>,
    /// Limit points and bifurcations that it passed.
    pub critical: Vec<CriticalPoint>,
    /// Why it ends.
    pub ended: Ended,
}

/// A point at which the stiffness of a motion vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CriticalPoint {
    /// What happens there.
    pub kind: Critical,
    /// Share of the load, as near as the points beside it tell.
    pub share: f64,
    /// The first point of the path beyond.
    pub point: usize,
}

/// What happens where the stiffness of a motion vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Critical {
    /// The load has an extreme and turns about: snap-through.
    Limit,
    /// The load goes on, and other paths cross: buckling.
    Branch,
}

/// Why a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It reached the share of the load asked for, or its opposite.
    Whole,
    /// It has as many points as it may have, and goes on.
    AtMostPoints,
}

impl Path {
    /// The last point as an equilibrium; `given` is what displacements are counted from.
    ///
    /// # Errors
    /// A path without points.
    pub fn into_equilibrium(mut self, model: &Model, given: &State) -> Result<Equilibrium, StaticsError> {
        let (count, iterations) = (self.points.len(), self.points.iter().map(|p| p.iterations).sum());
        let none = StaticsError::PathEnds { share: 0.0, points: 0, why: "no point was found".to_string() };
        let PathPoint { state, vdot, lambda, .. } = self.points.pop().ok_or(none)?;
        debug_assert_eq!(lambda.len(), model.rows.len());
        let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
        let notes = super::notes::notes(model, &state);
        Ok(Equilibrium { state, vdot, displacement, lambda, iterations, found: Found::Loaded(count), notes })
    }
}

/// The equilibria under a growing load, from a state near the unloaded one.
///
/// # Errors
/// [`StaticsError`]: settings, a free motion, a path that ends before the load is on.
pub fn load_path(model: &Model, state: &State, settings: &Statics) -> Result<Path, StaticsError> {
    match settings.loading {
        Loading::ArcLength(arc) => {
            // Its load is one of forces: drivers are where they ask to be.
            let (start, mut balance) = begin(model, state, settings)?;
            let here = Point::at(&start, model, &balance)?;
            arc.check()?;
            if let Some(c) = model.constraints.iter().find(|c| c.law != Law::Bilateral) {
                return Err(StaticsError::ArcWithGaps { constraint: c.name.clone() });
            }
            arc::follow(&mut balance, here, &arc, settings)
        }
        Loading::AtOnce | Loading::Steps(_) => {
            let steps = if let Loading::Steps(steps) = settings.loading { steps } else { 1 };
            positive("load steps", steps as f64)?;
            let (here, mut balance) = unloaded(model, state, settings)?;
            in_steps(&mut balance, here, steps, settings)
        }
    }
}

/// Equal steps, cut in halves where Newton's method fails.
pub(super) fn in_steps(
    balance: &mut Balance,
    mut here: Point,
    steps: usize,
    settings: &Statics,
) -> Result<Path, StaticsError> {
    let mut path = Path { points: Vec::new(), branched: None, critical: Vec::new(), ended: Ended::Whole };
    let whole = 1.0 / steps as f64;
    let mut reached = 0.0;
    let least = whole * 0.5_f64.powi(HALVINGS);
    // Multipliers of the full load are those of no other.
    here.lambda.iter_mut().for_each(|l| *l *= whole);
    for step in 1..=steps {
        let target = step as f64 * whole;
        let mut stride = target - reached;
        while reached < target {
            let next = if reached + stride > target - 1e-9 * whole { target } else { reached + stride };
            balance.bring_on(next);
            let mut trial = here.clone();
            match newton::rest(balance, &mut trial, settings) {
                Ok(iterations) => {
                    here = trial;
                    reached = next;
                    path.points.push(point(balance, &mut here, iterations)?);
                }
                Err(e) => {
                    stride *= 0.5;
                    if stride < least {
                        return Err(match e {
                            StaticsError::NoConvergence { .. } if !path.points.is_empty() => {
                                StaticsError::PathEnds { share: reached, points: path.points.len(), why: e.to_string() }
                            }
                            e => e,
                        });
                    }
                }
            }
        }
    }
    Ok(path)
}

/// A point of the path, where the factor is that of `here`.
pub(super) fn point(balance: &mut Balance, here: &mut Point, iterations: usize) -> Result<PathPoint, StaticsError> {
    balance.place(&mut here.state);
    let softest = match balance.switches() {
        false => balance.softest()?.stiffness,
        true => match super::stability::judge(balance, here)?.stability {
            Stability::Stable(k) | Stability::Unstable(k) | Stability::Unknown(k) => k,
            Stability::Neutral { .. } => 0.0,
            Stability::Rigid => f64::INFINITY,
        },
    };
    Ok(PathPoint {
        share: balance.share,
        state: here.state.clone(),
        vdot: balance.vdot.clone(),
        lambda: here.lambda.clone(),
        iterations,
        softest,
    })
}

impl Equilibrium {
    /// Whether small displacements lead back, with the gaps that press and the grips that hold.
    ///
    /// # Errors
    /// As for [`super::statics`].
    pub fn stability(&self, model: &Model, settings: &Statics) -> Result<Stability, StaticsError> {
        Ok(self.judge(model, settings)?.stability)
    }

    /// The motions that nothing holds and nothing pushes, each by the velocity that takes the largest part in it: a shaft that may
    /// spin, a ball that may roll. They stay where they are.
    ///
    /// # Errors
    /// As for [`super::statics`].
    pub fn free_motions(&self, model: &Model, settings: &Statics) -> Result<Vec<String>, StaticsError> {
        Ok(self.judge(model, settings)?.free)
    }

    /// Both at once.
    ///
    /// # Errors
    /// As for [`super::statics`].
    pub fn judge(&self, model: &Model, settings: &Statics) -> Result<Judgement, StaticsError> {
        let mut balance = Balance::new(model, &self.state, settings)?;
        let mut here = Point { state: self.state.clone(), lambda: self.lambda.clone() };
        balance.place(&mut here.state);
        super::stability::judge(&mut balance, &here)
    }
}
