//! Result of a static analysis: an equilibrium and the load path to it.

use taut::analyses::{Equilibrium, LoadPath, PathEnd, PathPoint, Stability, StaticsError};
use taut::{Model, State};

/// Result of a static analysis: an equilibrium and the load path to it, of one point or more.
pub struct StaticResult {
    /// The equilibrium at the last point.
    pub equilibrium: Equilibrium,
    /// All points.
    pub path: LoadPath,
}

impl StaticResult {
    /// An equilibrium found without load steps: a path of one point.
    pub fn single_point(equilibrium: Equilibrium) -> StaticResult {
        let point = PathPoint {
            load_factor: 1.0,
            state: equilibrium.state.clone(),
            vdot: equilibrium.vdot.clone(),
            lambda: equilibrium.lambda.clone(),
            iterations: equilibrium.iterations,
            min_stiffness: f64::NAN,
        };
        let path = LoadPath { points: vec![point], branched: None, critical: Vec::new(), end: PathEnd::Whole };
        StaticResult { equilibrium, path }
    }

    /// Sets the smallest stiffness of a single point from its stability; points of a longer path have their own.
    pub fn set_softest_stiffness(&mut self, stability: Option<Stability>) {
        if let [point] = &mut self.path.points[..]
            && point.min_stiffness.is_nan()
        {
            point.min_stiffness = match stability {
                Some(Stability::Stable(k) | Stability::Unstable(k) | Stability::Unknown(k)) => k,
                Some(Stability::Neutral { .. }) => 0.0,
                _ => f64::NAN,
            };
        }
    }

    /// The equilibrium at the end of a load path.
    ///
    /// # Errors
    /// No forces balance the last point.
    pub fn from_path(path: LoadPath, model: &Model, given: &State) -> Result<StaticResult, StaticsError> {
        Ok(StaticResult { equilibrium: path.clone().into_equilibrium(model, given)?, path })
    }

    /// Load factor at the end of the path.
    pub fn load_factor(&self) -> f64 {
        self.path.points.last().map_or(1.0, |p| p.load_factor)
    }
}
