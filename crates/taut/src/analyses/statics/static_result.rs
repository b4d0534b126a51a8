//! Result of a static analysis: an equilibrium and the load path to it.

use super::{Equilibrium, LoadPath, Loading, PathEnd, PathPoint, Stability, Statics, StaticsError, load_path, statics};
use crate::model::Model;
use crate::state::State;

/// Result of a static analysis: an equilibrium and the load path to it, of one point or more.
#[derive(Clone, Debug)]
pub struct StaticResult {
    /// The equilibrium at the last point.
    pub equilibrium: Equilibrium,
    /// All points.
    pub path: LoadPath,
}

impl StaticResult {
    /// Finds the equilibrium near a state, at once or along the load path that the settings request.
    ///
    /// # Errors
    /// As [`statics`] and [`load_path`].
    pub fn find(model: &Model, given: &State, settings: &Statics) -> Result<StaticResult, StaticsError> {
        match settings.loading {
            Loading::AtOnce => statics(model, given, settings).map(StaticResult::single_point),
            _ => load_path(model, given, settings).and_then(|path| StaticResult::from_path(path, model, given)),
        }
    }

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
