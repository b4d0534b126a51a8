//! Creeping to rest: M δ/h = f + Bᵀλ on the constraints, the flow of a mechanism in a viscous bath scaled like its mass.
//!
//! ```text
//!  [M/h + K  −Bᵀ] (δ )   (−r)
//!  [A         E ] (Δλ) = (−φ)        implicit Euler steps; h → ∞ is Newton's method
//! ```
//!
//! The flow runs downhill in the potential, so that it ends in a stable equilibrium also where Newton's method goes
//! astray. h grows while steps are short and falls where they are long; Newton's method does the rest.

use super::balance::Balance;
use super::newton::{self, settle};
use super::{Point, Statics, StaticsError};

/// Longest step, in the measure of displacements.
const STRIDE: f64 = 0.2;
/// Most steps.
const STEPS: usize = 600;
/// The flow has come to rest where a Newton step would be this short.
const NEAR: f64 = 1e-3;
/// How h grows and falls.
const GROWTH: f64 = 1.5;
const FALL: f64 = 0.25;

/// Creeps to rest; tells Newton's iterations at the end and the steps.
pub(super) fn relax(
    balance: &mut Balance,
    here: &mut Point,
    settings: &Statics,
) -> Result<(usize, usize), StaticsError> {
    balance.place(&mut here.state);
    let heaviest = balance.eq.M.iter().fold(0.0_f64, |a, m| a.max(m.abs()));
    balance.factor(here, 0.0).or_else(|_| balance.factor(here, 1.0))?;
    // As stiff as the mechanism itself to begin with.
    let mut viscous = balance.stiffest.max(balance.force / balance.length) / heaviest.max(f64::MIN_POSITIVE);
    let weakest = 1e-12 * viscous;
    for step in 1..=STEPS {
        balance.place(&mut here.state);
        let (r, phi) = (balance.left(&here.lambda), balance.phi());
        let minus = |x: &[f64]| x.iter().map(|x| -x).collect::<Vec<f64>>();
        // What falls may just make up for the bath, or go far: a stiffer one then.
        let factored = balance.factor(here, viscous);
        let solved = factored.as_ref().ok().and_then(|()| balance.solve(&minus(&r), &minus(&phi)).ok());
        let Some((delta, dlambda)) = solved.filter(|(delta, _)| balance.norm(delta) <= STRIDE) else {
            viscous /= FALL;
            if !viscous.is_finite() {
                return Err(factored.err().unwrap_or_else(|| balance.stuck(step, &r, &phi)));
            }
            continue;
        };
        let size = balance.norm(&delta);
        here.state = balance.moved(&here.state, &delta, 1.0);
        here.lambda.iter_mut().zip(&dlambda).for_each(|(l, d)| *l += d);
        settle(balance, here)?;
        viscous /= GROWTH;
        // At rest: little is left to go, and the bath hardly holds it back.
        if size < NEAR && (viscous * heaviest < 1e-6 * balance.stiffest || viscous < weakest) {
            let mut end = here.clone();
            match newton::rest(balance, &mut end, settings) {
                Ok(iterations) => {
                    *here = end;
                    return Ok((iterations, step));
                }
                Err(e @ StaticsError::Singular { .. }) => return Err(e),
                Err(_) => {}
            }
        }
    }
    balance.place(&mut here.state);
    let (r, phi) = (balance.left(&here.lambda), balance.phi());
    Err(balance.stuck(STEPS, &r, &phi))
}
