//! Load sharing by supports that only push.
//!
//! ```text
//!  E(z) least   with   λ₀ + G z ≥ 0 for every gap
//! ```
//!
//! Primal active-set method for convex quadratic programmes (\[NocedalWright2006\], algorithm 16.3). It starts at z = 0, where no gap
//! pulls.

use super::sharing::OpenReactions;
use nalgebra::{DMatrix, DVector};

/// A gap pulls if its multiplier is below this, relative to the largest of its group.
pub(super) const PULL_TOLERANCE: f64 = 1e-9;
/// A step or a slope below this is round-off, relative to its terms.
const ROUND_OFF: f64 = 1e-11;
/// Most changes of the active set per gap.
const CHANGES_PER_GAP: usize = 20;

/// A quadratic energy of the self-stresses.
pub(super) trait SharingEnergy {
    /// The y with the least energy at z + Z y.
    fn least(&self, z: &DVector<f64>, Z: &DMatrix<f64>) -> DVector<f64>;
    /// Its gradient at z.
    fn gradient(&self, z: &DVector<f64>) -> DVector<f64>;
}

/// The z of the least energy at which no gap pulls; `gaps` are their multipliers. None if one pulls at z = 0, or if the method does
/// not end.
pub(super) fn least_pushing(energy: &impl SharingEnergy, gaps: &OpenReactions) -> Option<DVector<f64>> {
    let (m, n) = gaps.N.shape();
    let size = gaps.x.amax();
    if gaps.x.iter().any(|x| *x < -PULL_TOLERANCE * size) {
        return None;
    }
    let mut z = DVector::zeros(n);
    let mut active: Vec<usize> = Vec::new();
    for _ in 0..CHANGES_PER_GAP * (m + 1) {
        let Z = kernel(&gaps.N.select_rows(&active));
        let step = if Z.ncols() > 0 { &Z * energy.least(&z, &Z) } else { DVector::zeros(n) };
        // The first gap that the step closes to zero.
        let (now, rates) = (gaps.at(&z), &gaps.N * &step);
        let mut blocking: Option<(usize, f64)> = None;
        for i in (0..m).filter(|i| !active.contains(i) && rates[*i] < -ROUND_OFF * (size + now.amax())) {
            let share = (now[i].max(0.0) / -rates[i]).max(0.0);
            if share < blocking.map_or(1.0, |(_, least)| least) {
                blocking = Some((i, share));
            }
        }
        if let Some((gap, share)) = blocking {
            z += step * share;
            active.push(gap);
            continue;
        }
        z += step;
        // The gradient is a sum of those of active gaps; a negative factor means that the gap wants to push again.
        let gradient = energy.gradient(&z);
        let of_active = gaps.N.select_rows(&active).transpose();
        let factors = match active.is_empty() {
            true => DVector::zeros(0),
            false => of_active.svd(true, true).solve(&gradient, ROUND_OFF).ok()?,
        };
        let least = (0..active.len()).min_by(|a, b| factors[*a].total_cmp(&factors[*b]));
        match least {
            Some(k) if factors[k] < -PULL_TOLERANCE * factors.amax() => _ = active.remove(k),
            _ => return Some(z),
        }
    }
    None
}

/// An orthonormal basis of the vectors that these rows map to zero.
fn kernel(rows: &DMatrix<f64>) -> DMatrix<f64> {
    let n = rows.ncols();
    if rows.nrows() == 0 {
        return DMatrix::identity(n, n);
    }
    let eigen = rows.tr_mul(rows).symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let zero: Vec<usize> = (0..n).filter(|k| eigen.eigenvalues[*k] <= ROUND_OFF * largest).collect();
    eigen.eigenvectors.select_columns(&zero)
}
