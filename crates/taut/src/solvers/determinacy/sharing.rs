//! How joints share the load that statics alone does not distribute.
//!
//! ```text
//!  x(z) = x₀ + N z                     all reactions in balance with the same motion; columns of N are self-stresses
//!  minimum norm    Σ xᵢ²       least  1 N counts as 1 N m: a convention, not physics
//!  stiffness       Σ xᵢ²/(2kᵢ) + xᵢ eᵢ  least  rigid bodies on elastic joints with misfits e (\[WojtyraFraczek2013\])
//! ```

use nalgebra::{DMatrix, DVector};

/// Singular values below this count as zero, relative to the largest.
const RANK_TOLERANCE: f64 = 1e-12;

/// z of the least Σ wᵢ (x + N z)ᵢ² + 2 Σ eᵢ (N z)ᵢ with weights w ≥ 0; where that leaves z open, of the least Σ (x + N z)ᵢ².
pub(crate) fn share(N: &DMatrix<f64>, x: &DVector<f64>, weights: &DVector<f64>, misfit: &DVector<f64>) -> DVector<f64> {
    let root = weights.map(f64::sqrt);
    let weighted = DMatrix::from_diagonal(&root) * N;
    let target = -(weighted.tr_mul(&root.component_mul(x)) + N.tr_mul(misfit));
    let H = weighted.tr_mul(&weighted);
    let (mut z, open) = solve_semidefinite(&H, &target);
    if open.ncols() > 0 {
        let left = N * &open;
        let (rest, _) = solve_semidefinite(&left.tr_mul(&left), &-left.tr_mul(&(x + N * &z)));
        z += open * rest;
    }
    z
}

/// The solution of H z = g of least norm for a semidefinite H, and a basis of its kernel.
fn solve_semidefinite(H: &DMatrix<f64>, g: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let eigen = H.clone().symmetric_eigen();
    let largest = eigen.eigenvalues.amax();
    let mut z = DVector::zeros(g.len());
    let mut kernel = Vec::new();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > RANK_TOLERANCE * largest {
            z += vector * (vector.dot(g) / value);
        } else {
            kernel.push(vector.clone_owned());
        }
    }
    let kernel = if kernel.is_empty() { DMatrix::zeros(g.len(), 0) } else { DMatrix::from_columns(&kernel) };
    (z, kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beam on three supports at 0, 2 and 5 m; values by hand from (3, −5, 2).
    #[test]
    fn three_supports() {
        let N = DMatrix::from_column_slice(3, 1, &[3.0, -5.0, 2.0]);
        let x = DVector::from_column_slice(&[100.0, 100.0, 0.0]);
        let none = DVector::zeros(3);
        let even = &x + &N * share(&N, &x, &DVector::repeat(3, 1.0), &none);
        assert!(even.dot(&N.column(0)).abs() < 1e-12);
        let soft = DVector::from_column_slice(&[1.0, 2.0, 1.0]);
        let shared = &x + &N * share(&N, &x, &soft, &none);
        assert!(shared.component_mul(&soft).dot(&N.column(0)).abs() < 1e-12);
        // Joints without stiffness are rigid; the convention decides what they leave open.
        let rigid = &x + &N * share(&N, &x, &none, &none);
        assert!((rigid - even).amax() < 1e-12);
    }
}
