//! The state about which motions are small: an equilibrium, at rest or turning as a whole.

use super::{LinearError, Turning};
use crate::analyses::{Rotation, Statics, StaticsError, statics};
use crate::model::Model;
use crate::state::State;

/// The state in which all bodies are at rest, in the world or in a frame that turns, near a state.
///
/// # Errors
/// A state of the wrong size, nothing that holds a motion, no convergence.
pub fn steady(model: &Model, near: &State, turning: Option<Turning>) -> Result<State, LinearError> {
    let rotation = match turning {
        Some(t) => Some(Rotation { point: t.through, omega: t.omega()?.into() }),
        None => None,
    };
    Ok(statics(model, near, &Statics { rotation, ..Statics::default() })?.state)
}

impl From<StaticsError> for LinearError {
    fn from(e: StaticsError) -> LinearError {
        match e {
            StaticsError::Analysis(e) => LinearError::Analysis(e),
            other => LinearError::Unbalanced(Box::new(other)),
        }
    }
}
