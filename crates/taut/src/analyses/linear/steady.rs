//! The state to linearise about: an equilibrium, at rest or in steady rotation.

use super::{LinearError, RotatingFrame};
use crate::analyses::{Statics, StaticsError, UniformRotation, statics};
use crate::model::Model;
use crate::state::State;

/// Finds the state near a given one in which all bodies are at rest, in the world or in a rotating frame.
///
/// # Errors
/// If the state has the wrong size, a motion has no stiffness, or the iteration does not converge.
pub fn steady_state(model: &Model, near: &State, turning: Option<RotatingFrame>) -> Result<State, LinearError> {
    let rotation = match turning {
        Some(t) => Some(UniformRotation { point: t.through, omega: t.omega()?.into() }),
        None => None,
    };
    Ok(statics(model, near, &Statics { rotation, ..Statics::default() })?.state)
}

impl From<StaticsError> for LinearError {
    fn from(e: StaticsError) -> LinearError {
        match e {
            StaticsError::Analysis(e) => LinearError::Analysis(e),
            other => LinearError::NoEquilibrium(Box::new(other)),
        }
    }
}
