//! Newton's method on (δ, λ) at one load.
//!
//! Models with beams first try full steps, which converge best with large rotations. Otherwise a step must pass the natural monotonicity
//! test ([Deuflhard2004] section 3.3) with the same factor, |J⁻¹F(x + αδ)| ≤ (1 − α/4) |J⁻¹F(x)|. Residual forces are no suitable
//! criterion: the stiffest direction dominates them, and along it the residual of a slender beam first increases.

use super::equilibrium_equations::{EquilibriumEquations, RowDependence};
use super::{EquilibriumPoint, Statics, StaticsError, contact};
use crate::analyses::inverse::multipliers;
use crate::simulation::check_interruption;

/// Halvings of a step that fails the test.
const MAX_HALVINGS: usize = 10;
/// Longest step, relative to `EquilibriumEquations::scale`.
const MAX_STEP: f64 = 1.0;
/// The iteration ends after a step this short; quadratic convergence makes the next one negligible.
const STEP_TOLERANCE: f64 = 1e-9;

/// Most full steps.
const MAX_FULL_STEPS: usize = 15;

/// How the step length is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepRule {
    Full,
    Monotonic,
}

/// Solves for the equilibrium near a pose. Returns the number of iterations.
pub(super) fn solve_equilibrium(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    settings: &Statics,
) -> Result<usize, StaticsError> {
    if balance.has_unilateral() {
        return contact::relax_with_contacts(balance, here, settings);
    }
    if balance.has_beams() {
        let mut trial = here.clone();
        let few = Statics { iterations: settings.iterations.min(MAX_FULL_STEPS), ..*settings };
        if let Ok(iterations) = iterate(balance, &mut trial, &few, StepRule::Full) {
            *here = trial;
            return Ok(iterations);
        }
    }
    iterate(balance, here, settings, StepRule::Monotonic)
}

fn iterate(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
    settings: &Statics,
    steps: StepRule,
) -> Result<usize, StaticsError> {
    let mut iterations = 0;
    let mut shortest = false;
    loop {
        check_interruption()?;
        balance.evaluate(&mut here.state);
        let (r, phi) = (balance.residual_forces(&here.lambda), balance.position_residuals());
        let residual = balance.relative_residual(&r, &phi);
        if !residual.is_finite() {
            return Err(balance.convergence_error(iterations, &r, &phi));
        }
        balance.factor_checked(here, &r)?;
        // In stiff directions the residual contains the round-off of the coordinates.
        if residual <= settings.tolerance || (shortest && residual <= balance.round_off_residual()) {
            balance.check_rotation()?;
            return Ok(iterations);
        }
        if iterations == settings.iterations {
            return Err(balance.convergence_error(iterations, &r, &phi));
        }
        iterations += 1;
        let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
        let Ok((delta, dlambda)) = balance.solve(&minus(&r), &minus(&phi)) else {
            return Err(balance.convergence_error(iterations, &r, &phi));
        };
        let size = balance.displacement_norm(&delta);
        shortest = size <= STEP_TOLERANCE;
        let mut alpha = if size > MAX_STEP { MAX_STEP / size } else { 1.0 };
        let mut halvings = 0;
        let trial = loop {
            let mut state = balance.displaced(&here.state, &delta, alpha);
            let lambda: Vec<f64> = here.lambda.iter().zip(&dlambda).map(|(l, d)| l + alpha * d).collect();
            balance.evaluate(&mut state);
            let trial = EquilibriumPoint { state, lambda };
            let (r, phi) = (balance.residual_forces(&trial.lambda), balance.position_residuals());
            let left = balance.relative_residual(&r, &phi);
            // If the residual forces decrease enough, the test is not needed.
            let falls = left < (1.0 - 0.25 * alpha) * residual || shortest;
            let mut next = || {
                balance.solve(&minus(&r), &minus(&phi)).map_or(f64::NAN, |(next, _)| balance.displacement_norm(&next))
            };
            if steps == StepRule::Full || falls || next() <= (1.0 - 0.25 * alpha) * size {
                break trial;
            }
            if halvings == MAX_HALVINGS {
                return Err(balance.convergence_error(iterations, &r, &phi));
            }
            alpha *= 0.5;
            halvings += 1;
        };
        *here = trial;
        recompute_multipliers(balance, here)?;
    }
}

/// Recomputes the multipliers of dependent rows: off the constraint manifold such rows contradict each other, which disturbs λ.
pub(super) fn recompute_multipliers(
    balance: &mut EquilibriumEquations,
    here: &mut EquilibriumPoint,
) -> Result<(), StaticsError> {
    if balance.row_dependence == RowDependence::Dependent {
        balance.evaluate(&mut here.state);
        here.lambda = multipliers(&balance.model, &here.state, &balance.vdot)?;
    }
    Ok(())
}
