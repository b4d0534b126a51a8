//! Rank of A at a state.

use super::{AnalysisError, Rank, check_state};
use crate::equations::{At, Equations, Scene, carry, place};
use crate::model::Model;
use crate::solvers::rank::rank_at;
use crate::state::State;

/// Rank of A at a state, by elimination.
///
/// # Errors
/// If the state has the wrong size, or the model is too large to be decomposed.
pub fn rank(model: &Model, state: &State) -> Result<Rank, AnalysisError> {
    check_state(model, state)?;
    let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
    place(model, At::from(state), &mut scene, &mut eq);
    carry(model, At::from(state), &mut scene, &mut eq);
    Ok(rank_at(model, &eq, &state.modes)?)
}
