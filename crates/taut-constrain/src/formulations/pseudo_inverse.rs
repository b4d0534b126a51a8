//! The Moore–Penrose inverse by singular values, as used in the formulas of \[FumagalliMasarati2009\].
//!
//! ```text
//!  Hᵀ P = Q R        Householder reflections with pivots
//!  Rᵀ J = W Σ        plane rotations J until the columns of Rᵀ J are orthogonal (one-sided Jacobi)
//!  H = (P W) Σ (Q J)ᵀ
//! ```
//!
//! The rotations compute small and zero singular values to full precision, and always terminate. The usual bidiagonal
//! iteration, as in nalgebra 0.35, was tried first: of 38,664 random matrices up to 8 × 10, most of them of low rank,
//! 396 got factors whose product was a different matrix, at its own default tolerance. The rotations reproduced all of
//! them to 2e-15.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Maximum number of sweeps over all pairs of columns; about eight are usual.
const MAX_SWEEPS: usize = 60;
/// Maximum number of iterations for eigenvalues, per row; about two are usual.
const MAX_ITERATIONS_PER_ROW: usize = 100;

/// H⁺ = V Σ⁺ Uᵀ of an m × n matrix H.
#[derive(Clone, Debug)]
pub struct PseudoInverse {
    U: DMatrix<f64>,
    /// 1/σ, zero where σ counts as zero.
    inverse: DVector<f64>,
    V: DMatrix<f64>,
}

impl PseudoInverse {
    /// Singular values below `tolerance` times the largest count as zero. `None` if an entry is not finite.
    pub fn new(H: &DMatrix<f64>, tolerance: f64) -> Option<PseudoInverse> {
        let (U, sigma, V) = singular_values(H)?;
        let largest = sigma.iter().fold(0.0_f64, |a, s| a.max(*s));
        let inverse = sigma.map(|s| if s > tolerance * largest { s.recip() } else { 0.0 });
        Some(PseudoInverse { U, inverse, V })
    }

    /// The same for a symmetric matrix, by its eigenvalues, which is cheaper.
    pub fn of_symmetric(S: DMatrix<f64>, tolerance: f64) -> Option<PseudoInverse> {
        let n = S.nrows();
        if n == 0 || !S.iter().all(|x| x.is_finite()) {
            return PseudoInverse::new(&S, tolerance);
        }
        let SymmetricEigen { eigenvectors: V, eigenvalues } =
            SymmetricEigen::try_new(S, f64::EPSILON, MAX_ITERATIONS_PER_ROW * n)?;
        let largest = eigenvalues.amax();
        let inverse = eigenvalues.map(|s| if s.abs() > tolerance * largest { s.recip() } else { 0.0 });
        Some(PseudoInverse { U: V.clone(), inverse, V })
    }

    /// Number of nonzero singular values.
    pub fn rank(&self) -> usize {
        self.inverse.iter().filter(|s| **s != 0.0).count()
    }

    /// H⁺ x.
    pub fn times(&self, x: &DVector<f64>) -> DVector<f64> {
        &self.V * self.U.tr_mul(x).component_mul(&self.inverse)
    }

    /// (H⁺)ᵀ y.
    pub fn transposed_times(&self, y: &DVector<f64>) -> DVector<f64> {
        &self.U * self.V.tr_mul(y).component_mul(&self.inverse)
    }
}

/// U, σ and V with H = U diag(σ) Vᵀ, unordered; columns of U that belong to σ = 0 are zero. `None` if an entry is not
/// finite.
pub fn singular_values(H: &DMatrix<f64>) -> Option<(DMatrix<f64>, DVector<f64>, DMatrix<f64>)> {
    if !H.iter().all(|x| x.is_finite()) {
        return None;
    }
    let qr = H.transpose().col_piv_qr();
    let (mut W, mut J) = (qr.r().transpose(), DMatrix::identity(qr.r().nrows(), qr.r().nrows()));
    let k = W.ncols();
    for _ in 0..MAX_SWEEPS {
        let mut turned = 0;
        for i in 0..k {
            for j in i + 1..k {
                let (a, b, c) = (W.column(i).norm_squared(), W.column(j).norm_squared(), W.column(i).dot(&W.column(j)));
                if c.abs() > f64::EPSILON * (a * b).sqrt() {
                    turned += 1;
                    // The rotation that makes columns i and j orthogonal, with the smaller of its two angles.
                    let zeta = (b - a) / (2.0 * c);
                    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    let cos = t.hypot(1.0).recip();
                    rotate(&mut W, i, j, cos, cos * t);
                    rotate(&mut J, i, j, cos, cos * t);
                }
            }
        }
        if turned == 0 {
            break;
        }
    }
    let sigma = DVector::from_iterator(k, W.column_iter().map(|w| w.norm()));
    W.column_iter_mut().zip(sigma.iter()).filter(|(_, s)| **s > 0.0).for_each(|(mut w, s)| w /= *s);
    qr.p().inv_permute_rows(&mut W);
    Some((W, sigma, qr.q() * J))
}

/// Columns i and j become cos·i − sin·j and sin·i + cos·j.
fn rotate(W: &mut DMatrix<f64>, i: usize, j: usize, cos: f64, sin: f64) {
    for r in 0..W.nrows() {
        let (x, y) = (W[(r, i)], W[(r, j)]);
        (W[(r, i)], W[(r, j)]) = (cos * x - sin * y, sin * x + cos * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::orthogonal_decomposition::CompleteOrthogonalDecomposition;
    use crate::formulations::small_cases::generic;

    #[test]
    fn the_factors_make_the_matrix() {
        for (m, n, rank) in [(1, 1, 1), (2, 3, 1), (3, 7, 3), (5, 7, 3), (7, 7, 7), (9, 4, 4), (9, 4, 2), (2, 2, 0)] {
            let H = generic(m, rank, 1) * generic(rank, n, 2);
            let (U, sigma, V) = singular_values(&H).unwrap();
            let again = &U * DMatrix::from_diagonal(&sigma) * V.transpose();
            assert!((again - &H).norm() <= 1e-14 * H.norm(), "{m} × {n}");
            assert!((V.tr_mul(&V) - DMatrix::identity(m.min(n), m.min(n))).norm() < 1e-14 * 5.0, "{m} × {n}");
        }
    }

    #[test]
    fn singular_values_of_equal_rows() {
        let H = DMatrix::from_row_slice(2, 3, &[3.0, 0.0, 4.0, 3.0, 0.0, 4.0]);
        let mut sigma = singular_values(&H).unwrap().1;
        sigma.as_mut_slice().sort_by(f64::total_cmp);
        assert!(sigma[0] < 1e-15 && (sigma[1] - 50.0_f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn agrees_with_the_orthogonal_decomposition() {
        for (m, n, rank) in [(3, 7, 3), (5, 7, 3), (7, 7, 7), (9, 4, 4), (9, 4, 2), (0, 3, 0), (2, 2, 0), (3, 3, 2)] {
            let H = generic(m, rank, 3) * generic(rank, n, 4);
            let (one, two) =
                (CompleteOrthogonalDecomposition::new(&H, 1e-9).unwrap(), PseudoInverse::new(&H, 1e-9).unwrap());
            assert_eq!((one.rank(), two.rank()), (rank, rank), "{m} × {n}");
            let (x, y) = (DVector::from_fn(m, |i, _| 1.0 + i as f64), DVector::from_fn(n, |i, _| 2.0 - i as f64));
            assert!((one.solve(&x).unwrap() - two.times(&x)).norm() <= 1e-12 * x.norm(), "{m} × {n}");
            assert!((one.solve_transposed(&y).unwrap() - two.transposed_times(&y)).norm() < 1e-12 * y.norm());
        }
    }

    #[test]
    fn symmetric_matrices_are_no_other_matrices() {
        for (n, rank) in [(1, 1), (2, 1), (3, 2), (5, 5), (8, 3), (12, 12), (4, 0), (0, 0)] {
            let R = generic(n, rank, 5);
            let S = &R * R.transpose();
            let x = DVector::from_fn(n, |i, _| 1.0 + i as f64);
            let (one, two) = (PseudoInverse::new(&S, 1e-11).unwrap(), PseudoInverse::of_symmetric(S, 1e-11).unwrap());
            assert_eq!((one.rank(), two.rank()), (rank, rank), "{n}");
            let scale = one.times(&x).norm().max(1.0);
            assert!((one.times(&x) - two.times(&x)).norm() <= 1e-10 * scale, "{n}, {rank}");
            assert!((two.times(&x) - two.transposed_times(&x)).norm() <= 1e-13 * scale, "{n}, {rank}");
        }
        assert!(PseudoInverse::of_symmetric(DMatrix::from_element(2, 2, f64::NAN), 1e-9).is_none());
    }

    #[test]
    fn refuses_what_is_not_finite() {
        assert!(PseudoInverse::new(&DMatrix::from_element(2, 3, f64::INFINITY), 1e-9).is_none());
    }
}
