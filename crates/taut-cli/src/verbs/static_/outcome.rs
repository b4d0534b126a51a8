//! What was found, by a path of one point or more.

use taut::analyses::{Ended, Equilibrium, Path, PathPoint, Stability, StaticsError};
use taut::{Model, State};

/// What was found, by a path of one point or more.
pub struct Outcome {
    /// The last point.
    pub equilibrium: Equilibrium,
    /// All of them.
    pub path: Path,
}

impl Outcome {
    /// Found without a path.
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

    /// The softest stiffness of a point that was found alone.
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

    /// Found at the end of a path.
    ///
    /// # Errors
    /// An end without forces that hold it.
    pub fn of(path: Path, model: &Model, given: &State) -> Result<Outcome, StaticsError> {
        Ok(Outcome { equilibrium: path.clone().into_equilibrium(model, given)?, path })
    }

    /// Share of the load at its end.
    pub fn share(&self) -> f64 {
        self.path.points.last().map_or(1.0, |p| p.share)
    }
}
