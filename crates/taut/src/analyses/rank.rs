//! Rank of A at a state.

use super::{AnalysisError, RankReport, check_state};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::model::Model;
use crate::solvers::rank::analyse_rank;
use crate::state::State;

/// Rank of A at a state, by elimination.
///
/// # Errors
/// If the state has the wrong size, or the model is too large to be decomposed.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("cart", PlanarBody::new(1.0, 0.1)).constraint("rail", Joint::slider("ground", "cart"));
/// let model = spec.build()?;
/// let found = rank(&model, &model.initial_state())?;
/// assert_eq!((found.rank, found.freedoms, found.redundant), (2, 1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rank(model: &Model, state: &State) -> Result<RankReport, AnalysisError> {
    check_state(model, state)?;
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, StateView::from(state), &mut scene, &mut eq);
    assemble_rates(model, StateView::from(state), &mut scene, &mut eq);
    Ok(analyse_rank(model, &eq, &state.modes)?)
}
