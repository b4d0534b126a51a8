//! Relaxation to rest: M δ/h = f + Bᵀλ on the constraints, the motion with artificial damping proportional to mass.
//!
//! ```text
//!  [M/h + K  −Bᵀ] (δ )   (−r)
//!  [A         E ] (Δλ) = (−φ)        implicit Euler steps; h → ∞ is Newton's method
//! ```
//!
//! The potential decreases along this motion, so it ends in a stable equilibrium even where Newton's method diverges. h grows while
//! steps are short and decreases if they are long. Newton's method finishes the search.

use super::equilibrium_equations::EquilibriumEquations;
use super::newton::{self, recompute_multipliers};
use super::{EquilibriumPoint, Statics, StaticsError};
use crate::simulation::check_interruption;

/// Longest step, relative to `EquilibriumEquations::scale`.
const MAX_STEP: f64 = 0.2;
/// Most steps.
const MAX_STEPS: usize = 600;
/// The motion has nearly come to rest if a step is this short.
const NEAR_EQUILIBRIUM: f64 = 1e-3;
/// Factors by which h grows and decreases.
const STEP_GROWTH: f64 = 1.5;
const STEP_REDUCTION: f64 = 0.25;

/// Relaxes to rest. Returns the final Newton iterations and the steps.
pub(super) fn relax(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    settings: &Statics,
) -> Result<(usize, usize), StaticsError> {
    balance.evaluate(&mut here.state);
    let heaviest = balance.eq.M.iter().fold(0.0_f64, |a, m| a.max(m.abs()));
    balance.factor(here, 0.0).or_else(|_| balance.factor(here, 1.0))?;
    // The initial damping matches the stiffness of the mechanism.
    let mut viscous =
        balance.max_stiffness.max(balance.force_scale / balance.length_scale) / heaviest.max(f64::MIN_POSITIVE);
    let weakest = 1e-12 * viscous;
    for step in 1..=MAX_STEPS {
        check_interruption()?;
        balance.evaluate(&mut here.state);
        let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
        let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
        // Negative stiffness may cancel the damping, or the step may be too long: increase the damping.
        let factored = balance.factor(here, viscous);
        let solved = factored.as_ref().ok().and_then(|()| balance.solve(&minus(&r), &minus(&phi)).ok());
        let Some((delta, dlambda)) = solved.filter(|(delta, _)| balance.displacement_norm(delta) <= MAX_STEP) else {
            viscous /= STEP_REDUCTION;
            if !viscous.is_finite() {
                return Err(factored.err().unwrap_or_else(|| balance.convergence_error(step, &r, &phi)));
            }
            continue;
        };
        let size = balance.displacement_norm(&delta);
        here.state = balance.displaced(&here.state, &delta, 1.0);
        here.lambda.iter_mut().zip(&dlambda).for_each(|(l, d)| *l += d);
        recompute_multipliers(balance, here)?;
        viscous /= STEP_GROWTH;
        // At rest: the step is short, and the damping hardly shortens it.
        if size < NEAR_EQUILIBRIUM && (viscous * heaviest < 1e-6 * balance.max_stiffness || viscous < weakest) {
            let mut end = here.clone();
            match newton::solve_equilibrium(balance, &mut end, settings) {
                Ok(iterations) => {
                    *here = end;
                    return Ok((iterations, step));
                }
                Err(e @ StaticsError::Singular { .. }) => return Err(e),
                Err(_) => {}
            }
        }
    }
    balance.evaluate(&mut here.state);
    let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
    Err(balance.convergence_error(MAX_STEPS, &r, &phi))
}
