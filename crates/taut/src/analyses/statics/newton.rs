//! Newton's method on (δ, λ) at one load.
//!
//! Models with beams first try full steps, which converge best with large rotations. Otherwise a step must pass the natural monotonicity
//! test ([Deuflhard2004] section 3.3) with the same factor, |J⁻¹F(x + αδ)| ≤ (1 − α/4) |J⁻¹F(x)|. Residual forces are no suitable
//! criterion: the stiffest direction dominates them, and along it the residual of a slender beam first increases.

use super::balance::{Balance, Rows};
use super::{Point, Statics, StaticsError, contact};
use crate::analyses::inverse::multipliers;

/// Halvings of a step that fails the test.
const HALVINGS: usize = 10;
/// Longest step, relative to `Balance::scale`.
const STRIDE: f64 = 1.0;
/// The iteration ends after a step this short; quadratic convergence makes the next one negligible.
const SHORT: f64 = 1e-9;

/// Most full steps.
const FULL: usize = 15;

/// How the step length is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    Full,
    Judged,
}

/// Solves for the equilibrium near a pose. Returns the number of iterations.
pub(super) fn rest(balance: &mut Balance, here: &mut Point, settings: &Statics) -> Result<usize, StaticsError> {
    if balance.switches() {
        return contact::rest(balance, here, settings);
    }
    if balance.bends() {
        let mut trial = here.clone();
        let few = Statics { iterations: settings.iterations.min(FULL), ..*settings };
        if let Ok(iterations) = iterate(balance, &mut trial, &few, Steps::Full) {
            *here = trial;
            return Ok(iterations);
        }
    }
    iterate(balance, here, settings, Steps::Judged)
}

fn iterate(balance: &mut Balance, here: &mut Point, settings: &Statics, steps: Steps) -> Result<usize, StaticsError> {
    let mut iterations = 0;
    let mut shortest = false;
    loop {
        balance.place(&mut here.state);
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        let residual = balance.residual(&r, &phi);
        if !residual.is_finite() {
            return Err(balance.stuck(iterations, &r, &phi));
        }
        balance.factor_regular(here, &r)?;
        // In stiff directions the residual contains the round-off of the coordinates.
        if residual <= settings.tolerance || (shortest && residual <= balance.noise()) {
            balance.goes_round()?;
            return Ok(iterations);
        }
        if iterations == settings.iterations {
            return Err(balance.stuck(iterations, &r, &phi));
        }
        iterations += 1;
        let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
        let Ok((delta, dlambda)) = balance.solve(&minus(&r), &minus(&phi)) else {
            return Err(balance.stuck(iterations, &r, &phi));
        };
        let size = balance.norm(&delta);
        shortest = size <= SHORT;
        let mut alpha = if size > STRIDE { STRIDE / size } else { 1.0 };
        let mut halvings = 0;
        let trial = loop {
            let mut state = balance.moved(&here.state, &delta, alpha);
            let lambda: Vec<f64> = here.lambda.iter().zip(&dlambda).map(|(l, d)| l + alpha * d).collect();
            balance.place(&mut state);
            let trial = Point { state, lambda };
            let (r, phi) = (balance.left(&trial.lambda), balance.phi());
            let left = balance.residual(&r, &phi);
            // If the residual forces decrease enough, the test is not needed.
            let falls = left < (1.0 - 0.25 * alpha) * residual || shortest;
            let mut next = || balance.solve(&minus(&r), &minus(&phi)).map_or(f64::NAN, |(next, _)| balance.norm(&next));
            if steps == Steps::Full || falls || next() <= (1.0 - 0.25 * alpha) * size {
                break trial;
            }
            if halvings == HALVINGS {
                return Err(balance.stuck(iterations, &r, &phi));
            }
            alpha *= 0.5;
            halvings += 1;
        };
        *here = trial;
        settle(balance, here)?;
    }
}

/// Recomputes the multipliers of dependent rows: off the constraint manifold such rows contradict each other, which disturbs λ.
pub(super) fn settle(balance: &mut Balance, here: &mut Point) -> Result<(), StaticsError> {
    if balance.rows == Rows::Dependent {
        balance.place(&mut here.state);
        here.lambda = multipliers(&balance.model, &here.state, &balance.vdot)?;
    }
    Ok(())
}
