//! Multipliers that balance a state.

use super::{InverseProblem, Laws};
use crate::analyses::AnalysisError;
use crate::model::Model;
use crate::state::State;

/// Multipliers of the active rows that minimise the remaining forces in the norm of M⁻¹.
pub(in crate::analyses) fn multipliers(model: &Model, state: &State, vdot: &[f64]) -> Result<Vec<f64>, AnalysisError> {
    let mut requested = InverseProblem::new(model, state, vdot, Laws::AsGiven)?;
    let mut rest = requested.residual_force.clone();
    let (mut lambda, _) = requested.solve_constrained(&rest);
    // One refinement: long levers on bodies of little inertia cost digits.
    requested.eq.subtract_reactions(&lambda, &mut rest);
    let (correction, _) = requested.solve_constrained(&rest);
    lambda.iter_mut().zip(&correction).for_each(|(l, d)| *l += d);
    Ok(lambda)
}
