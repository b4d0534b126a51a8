//! Row space, kernel and least squares of a rank-deficient matrix: a complete orthogonal decomposition.
//!
//! ```text
//!  Aᵀ P = [Q₁ Z] [R₁; 0]       Householder reflections with pivots, rank r from the diagonal
//!  R₁ᵀ = Q₂ R₂                 and so  A⁺ = Q₁ R₂⁻¹ Q₂ᵀ Pᵀ
//! ```
//!
//! Z is an orthonormal basis of ker A. The pivot is the column with the largest remaining entry.

use nalgebra::{DMatrix, DVector};

/// The decomposition of one matrix A, m × n.
#[derive(Clone, Debug)]
pub struct CompleteOrthogonalDecomposition {
    /// Orthonormal basis of the row space, n × r.
    rows: DMatrix<f64>,
    /// Orthonormal basis of ker A, n × (n − r).
    kernel: DMatrix<f64>,
    /// P Q₂, m × r: orthonormal basis of the column space.
    columns: DMatrix<f64>,
    /// R₂, r × r upper triangular.
    R2: DMatrix<f64>,
}

impl CompleteOrthogonalDecomposition {
    /// Pivots below `tolerance` times the first count as zero. `None` if an entry is not finite.
    pub fn new(A: &DMatrix<f64>, tolerance: f64) -> Option<CompleteOrthogonalDecomposition> {
        if !A.iter().all(|x| x.is_finite()) {
            return None;
        }
        let (m, n) = A.shape();
        let qr = A.transpose().col_piv_qr();
        let R = qr.r();
        let pivots: Vec<f64> = (0..m.min(n)).map(|i| R[(i, i)].abs()).collect();
        let first = pivots.first().copied().unwrap_or(0.0);
        let rank = pivots.iter().take_while(|p| **p > tolerance * first).count();
        // All of Q: the reflections applied to the identity.
        let mut Q = DMatrix::identity(n, n);
        qr.q_tr_mul(&mut Q);
        let Q = Q.transpose();
        let second = R.rows(0, rank).transpose().qr();
        let mut columns = second.q();
        qr.p().inv_permute_rows(&mut columns);
        Some(CompleteOrthogonalDecomposition {
            rows: Q.columns(0, rank).into_owned(),
            kernel: Q.columns(rank, n - rank).into_owned(),
            columns,
            R2: second.r(),
        })
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.R2.nrows()
    }

    /// Z, an orthonormal basis of ker A.
    pub fn kernel(&self) -> &DMatrix<f64> {
        &self.kernel
    }

    /// A⁺ b: the shortest x that minimises |A x − b|.
    pub fn solve(&self, b: &DVector<f64>) -> Option<DVector<f64>> {
        Some(&self.rows * self.R2.solve_upper_triangular(&self.columns.tr_mul(b))?)
    }

    /// (Aᵀ)⁺ r: the shortest λ that minimises |Aᵀ λ − r|.
    pub fn solve_transposed(&self, r: &DVector<f64>) -> Option<DVector<f64>> {
        Some(&self.columns * self.R2.tr_solve_upper_triangular(&self.rows.tr_mul(r))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases::generic;

    fn matrix(m: usize, n: usize, rank: usize) -> DMatrix<f64> {
        generic(m, rank, 1) * generic(rank, n, 2)
    }

    #[test]
    fn finds_rank_kernel_and_pseudo_inverse() {
        for (m, n, rank) in [(3, 7, 3), (5, 7, 3), (7, 7, 7), (9, 4, 4), (9, 4, 2), (0, 3, 0), (3, 3, 0)] {
            let A = matrix(m, n, rank);
            let found = CompleteOrthogonalDecomposition::new(&A, 1e-9).unwrap();
            assert_eq!(found.rank(), rank, "{m} × {n}");
            let Z = found.kernel();
            assert_eq!(Z.shape(), (n, n - rank));
            assert!((&A * Z).amax_or_zero() < 1e-13 && (Z.tr_mul(Z) - eye(n - rank)).amax_or_zero() < 1e-14);
            // The four conditions of Moore and Penrose, on the columns of the identity.
            let mut inverse = DMatrix::zeros(n, m);
            for j in 0..m {
                let mut e = DVector::zeros(m);
                e[j] = 1.0;
                inverse.set_column(j, &found.solve(&e).unwrap());
            }
            let (AP, PA) = (&A * &inverse, &inverse * &A);
            for (what, zero) in [
                ("A A⁺ A = A", &AP * &A - &A),
                ("A⁺ A A⁺ = A⁺", &PA * &inverse - &inverse),
                ("A A⁺ symmetric", &AP - AP.transpose()),
                ("A⁺ A symmetric", &PA - PA.transpose()),
            ] {
                assert!(zero.amax_or_zero() < 1e-12, "{m} × {n}, {what}: {}", zero.amax_or_zero());
            }
            for j in 0..n {
                let mut e = DVector::zeros(n);
                e[j] = 1.0;
                let row = found.solve_transposed(&e).unwrap();
                assert!((row - inverse.row(j).transpose()).iter().all(|x| x.abs() < 1e-12));
            }
        }
    }

    #[test]
    fn refuses_what_is_not_finite() {
        let mut A = matrix(2, 3, 2);
        A[(1, 2)] = f64::NAN;
        assert!(CompleteOrthogonalDecomposition::new(&A, 1e-9).is_none());
    }

    fn eye(n: usize) -> DMatrix<f64> {
        DMatrix::identity(n, n)
    }

    trait Largest {
        fn amax_or_zero(&self) -> f64;
    }

    impl Largest for DMatrix<f64> {
        fn amax_or_zero(&self) -> f64 {
            self.iter().fold(0.0, |a, x| a.max(x.abs()))
        }
    }
}
