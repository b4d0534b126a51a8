//! Whether redundant contact points can hold a body at rest: whether some load distribution lies within all friction cones.

use super::delassus::CandidateConstraint;
use super::load_sharing::{Reserve, maximise_least_reserve};
use super::mode_verification::{DEPENDENT_ROW_TOLERANCE, RESERVE_TOLERANCE};
use crate::formulations::CompleteOrthogonalDecomposition;
use nalgebra::{DMatrix, DVector};

/// Largest residual acceleration in equilibrium, relative to the accelerations without contact forces.
const EQUILIBRIUM_TOLERANCE: f64 = 1e-9;

/// Forces p with G p + c = 0, all gaps in compression and all friction within its static bounds, if the forces are not unique.
/// Each candidate has a gap and may have friction rows.
pub(super) fn holding_forces(
    G: &DMatrix<f64>,
    c: &DVector<f64>,
    candidates: &[CandidateConstraint],
) -> Option<DVector<f64>> {
    let found = CompleteOrthogonalDecomposition::new(G, DEPENDENT_ROW_TOLERANCE)?;
    let K = found.kernel();
    if K.ncols() == 0 {
        return None;
    }
    let p = found.solve(&-c)?;
    if (G * &p + c).amax() > EQUILIBRIUM_TOLERANCE * c.amax() {
        return None;
    }
    let slope = |r: usize| K.row(r).transpose();
    let mut reserves = Vec::new();
    for k in candidates {
        let (n, slips) = (k.rows.start, k.rows.start + 1..k.rows.end);
        let mu = k.friction_bound.friction.stick;
        reserves.push(Reserve::Linear { a: p[n], b: slope(n) });
        match slips.len() {
            0 => {}
            1 => {
                for sign in [-1.0, 1.0] {
                    let (a, b) = (mu * p[n] + sign * p[n + 1], slope(n) * mu + slope(n + 1) * sign);
                    reserves.push(Reserve::Linear { a, b });
                }
            }
            several => {
                let (l, L) = (p.rows(n + 1, several).into_owned(), K.rows(n + 1, several).into_owned());
                reserves.push(Reserve::Cone { a: mu * p[n], b: slope(n) * mu, l, L });
            }
        }
    }
    let size = 1.0 + p.amax();
    let x = maximise_least_reserve(&reserves, K.ncols(), 2.0 * size);
    let least = reserves.iter().map(|r| r.value(&x)).fold(f64::INFINITY, f64::min);
    (least > RESERVE_TOLERANCE * size).then(|| p + K * x)
}
