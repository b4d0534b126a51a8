//! Result of a static analysis: an equilibrium and the load path to it.

use taut::analyses::{Ended, Equilibrium, Path, PathPoint, Stability, StaticsError};
use taut::{Model, State};

/// Result of a static analysis: an equilibrium and the load path to it, of one point or more.
pub struct Outcome {
    /// The equilibrium at the last point.
    pub equilibrium: Equilibrium,
    /// All points.
    pub path: Path,
}

impl Outcome {
    /// An equilibrium found without load steps: a path of one point.
    pub fn alone(equilibrium: Equilibrium) -> Outcome {
        let point = PathPoint {
            share: 1.0,
            state: equilibrium.state.clone(),
            vdot: equilibrium.vdot.clone(),
            lambda: equilibrium.lambda.clone(),
            iterations: equilibrium.iterations,
            softest: f64::NAN,
        };
        let path = Path { points: vec![point], branched: None, critical: Vec::new(), ended: Ended::Whole };
        Outcome { equilibrium, path }
    }

    /// Sets the smallest stiffness of a single point from its stability; points of a longer path have their own.
    pub fn judge(&mut self, stability: Option<Stability>) {
        if let [point] = &mut self.path.points[..]
            && point.softest.is_nan()
        {
            point.softest = match stability {
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
    pub fn of(path: Path, model: &Model, given: &State) -> Result<Outcome, StaticsError> {
        Ok(Outcome { equilibrium: path.clone().into_equilibrium(model, given)?, path })
    }

    /// Load factor at the end of the path.
    pub fn share(&self) -> f64 {
        self.path.points.last().map_or(1.0, |p| p.share)
    }
}
