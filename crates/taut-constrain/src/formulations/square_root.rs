//! M^(1/2) and M^(−1/2) of a symmetric positive definite matrix, by the three methods compared in
//! \[FumagalliMasarati2009\] §3.1.
//!
//! - spectral decomposition, M = V D Vᵀ, eqs. (9)–(12); the columns of V have length one, not the rows;
//! - the iteration of Denman and Beavers, eq. (13), which gives both at once and finally converges quadratically;
//! - the Schur form M = Q S Qᵀ and the recurrence of Björck and Hammarling for T² = S, eqs. (14)–(16). S is
//!   quasi-triangular where eigenvalues are complex pairs (not, as printed, where M cannot be diagonalised): here never.

use super::dense::lu_solve;
use nalgebra::{DMatrix, DVector, Schur, SymmetricEigen};

/// Maximum number of iterations of a decomposition per row, and of the Denman–Beavers iteration in total.
const MAX_ITERATIONS: usize = 100;

/// A root and its inverse.
#[derive(Clone, Debug)]
pub struct SquareRoot {
    /// M^(1/2).
    pub root: DMatrix<f64>,
    /// M^(−1/2).
    pub inverse: DMatrix<f64>,
}

/// By eigenvalues and eigenvectors. `None` unless M is finite and positive.
pub fn spectral(M: &DMatrix<f64>) -> Option<SquareRoot> {
    let n = size_if_finite(M)?;
    if n == 0 {
        return Some(empty());
    }
    let SymmetricEigen { eigenvectors: V, eigenvalues: D } =
        SymmetricEigen::try_new(M.clone(), f64::EPSILON, MAX_ITERATIONS * n)?;
    if D.iter().any(|d| *d <= 0.0) {
        return None;
    }
    let with = |of: fn(f64) -> f64| {
        let mut scaled = V.clone();
        scaled.column_iter_mut().zip(D.iter()).for_each(|(mut v, d)| v *= of(*d));
        scaled * V.transpose()
    };
    Some(SquareRoot { root: with(f64::sqrt), inverse: with(|d| d.sqrt().recip()) })
}

/// By the iteration of Denman and Beavers, with its number of steps. `None` unless M is finite and positive definite.
///
/// It stops if the change is negligible, or larger than half of the previous change: that is round-off, which grows
/// with the condition number of M, and most in M^(−1/2).
pub fn denman_beavers(M: &DMatrix<f64>) -> Option<(SquareRoot, usize)> {
    let n = size_if_finite(M)?;
    // Y stays positive definite if M is; roots of other matrices are not needed in mechanics.
    M.clone().cholesky()?;
    let identity = DMatrix::identity(n, n);
    let (mut Y, mut Z) = (M.clone(), identity.clone());
    let mut before = f64::INFINITY;
    for steps in 1..=MAX_ITERATIONS {
        let next = (&Y + lu_solve(Z.clone(), &identity).ok()?) * 0.5;
        Z = (&Z + lu_solve(Y.clone(), &identity).ok()?) * 0.5;
        let change = (&next - &Y).norm() / next.norm();
        Y = next;
        let settled = change <= f64::EPSILON * n as f64 || (change < 1e-6 && change > 0.5 * before);
        if n == 0 || settled {
            return Some((SquareRoot { root: Y, inverse: Z }, steps));
        }
        before = change;
    }
    None
}

/// By the Schur form. `None` unless M is finite and positive.
pub fn schur(M: &DMatrix<f64>) -> Option<SquareRoot> {
    let n = size_if_finite(M)?;
    if n == 0 {
        return Some(empty());
    }
    let (Q, S) = schur_form(M)?;
    let (size, mut T) = (M.norm(), DMatrix::zeros(n, n));
    for j in 0..n {
        // Entries below the diagonal are round-off or, for a non-symmetric matrix, a complex pair.
        if S[(j, j)] <= 0.0 || (j + 1 < n && S[(j + 1, j)].abs() > 1e-12 * size) {
            return None;
        }
        T[(j, j)] = S[(j, j)].sqrt();
        for i in (0..j).rev() {
            let sum: f64 = (i + 1..j).map(|k| T[(i, k)] * T[(k, j)]).sum();
            T[(i, j)] = (S[(i, j)] - sum) / (T[(i, i)] + T[(j, j)]);
        }
    }
    let inverse = T.solve_upper_triangular(&Q.transpose())?;
    Some(SquareRoot { root: &Q * T * Q.transpose(), inverse: Q * inverse })
}

/// Q and S with M = Q S Qᵀ.
///
/// nalgebra's iteration does not terminate for every matrix: equal eigenvalues can prevent convergence to ε, and some
/// small integer matrices make it cycle. A slightly larger tolerance then suffices, or other axes: M reflected.
fn schur_form(M: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let n = M.nrows();
    let u = DVector::from_fn(n, |i, _| 1.0 + 0.3 * (i as f64).sin()).normalize();
    let reflection = DMatrix::identity(n, n) - &u * u.transpose() * 2.0;
    let reflected = &reflection * M * &reflection;
    [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0].iter().find_map(|times| {
        let form = |M: &DMatrix<f64>| Schur::try_new(M.clone(), times * f64::EPSILON, 10 * n).map(Schur::unpack);
        form(M).or_else(|| form(&reflected).map(|(Q, S)| (&reflection * Q, S)))
    })
}

/// The size of M, if all its entries are finite.
fn size_if_finite(M: &DMatrix<f64>) -> Option<usize> {
    M.iter().all(|x| x.is_finite()).then(|| M.nrows())
}

fn empty() -> SquareRoot {
    SquareRoot { root: DMatrix::zeros(0, 0), inverse: DMatrix::zeros(0, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases::generic;

    /// n = 12 with logarithmically spaced eigenvalues from 1 to the condition number, and its root.
    fn matrix(condition: f64) -> (DMatrix<f64>, DMatrix<f64>) {
        let n = 12;
        let V = DMatrix::from_fn(n, n, |i, j| ((i * i + 3 * i * j + 7 * j + 1) as f64).sin()).qr().q();
        let with =
            |power: f64| {
                let D = DMatrix::from_fn(n, n, |i, j| {
                    if i == j { condition.powf(power * i as f64 / (n - 1) as f64) } else { 0.0 }
                });
                &V * D * V.transpose()
            };
        (with(1.0), with(0.5))
    }

    #[test]
    fn roots_meet_the_matrix() {
        // An independent run with random matrices gave at worst 2e-15, 3e-15 and 2e-13.
        for (condition, bound) in [(1e1, 1e-14), (1e4, 1e-14), (1e8, 1e-12)] {
            let (M, R) = matrix(condition);
            let (iterated, _) = denman_beavers(&M).unwrap();
            for (name, found) in
                [("spectral", spectral(&M).unwrap()), ("iterated", iterated), ("schur", schur(&M).unwrap())]
            {
                let squared = (&found.root * &found.root - &M).norm() / M.norm();
                let error = (&found.root - &R).norm() / R.norm();
                assert!(squared < 2.0 * bound && error < bound, "{name} at {condition:e}: {squared:e}, {error:e}");
            }
        }
    }

    #[test]
    fn equal_eigenvalues_are_no_harm() {
        // Low rank and a multiple of the identity: all but a few eigenvalues are equal.
        for n in 2..10 {
            for rank in 1..n {
                let L = generic(n, rank, n + 10 * rank);
                let M = &L * L.transpose() + DMatrix::identity(n, n) * 0.01;
                let (iterated, _) = denman_beavers(&M).unwrap();
                for (name, found) in
                    [("spectral", spectral(&M).unwrap()), ("iterated", iterated), ("schur", schur(&M).unwrap())]
                {
                    let error = (&found.root * &found.root - &M).norm() / M.norm();
                    assert!(error < 1e-12, "{name}, {n}, {rank}: {error:e}");
                    let error = (&found.inverse * &found.root - DMatrix::identity(n, n)).norm();
                    assert!(error < 1e-11, "{name}, {n}, {rank}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn whole_numbers_are_no_harm() {
        // L Lᵀ + 0.01 for all 3 × 2 matrices L of −1, 0 and 1.
        for code in 0..3_i32.pow(6) {
            let L = DMatrix::from_fn(3, 2, |i, j| f64::from(code / 3_i32.pow((2 * i + j) as u32) % 3 - 1));
            let M = &L * L.transpose() + DMatrix::identity(3, 3) * 0.01;
            let found = schur(&M).unwrap_or_else(|| panic!("no root of {M}"));
            assert!((&found.root * &found.root - &M).norm() < 1e-13 * M.norm(), "{M}");
        }
    }

    #[test]
    fn inverse_roots_meet_the_identity() {
        for condition in [1e1, 1e4, 1e8] {
            let (M, R) = matrix(condition);
            let (iterated, _) = denman_beavers(&M).unwrap();
            for (name, found) in
                [("spectral", spectral(&M).unwrap()), ("iterated", iterated), ("schur", schur(&M).unwrap())]
            {
                let error = (&found.inverse * &R - DMatrix::identity(12, 12)).norm();
                assert!(error < 1e-14 * condition, "{name} at {condition:e}: {error:e}");
            }
        }
    }

    #[test]
    fn the_iteration_takes_longer_the_worse_the_condition() {
        // An independent run took 7, 12 and 19 steps for random matrices of these condition numbers.
        let steps = [1e1, 1e4, 1e8].map(|condition| denman_beavers(&matrix(condition).0).unwrap().1);
        let near = steps.iter().zip([7, 12, 19_usize]).all(|(s, r)| s.abs_diff(r) <= 1);
        assert!(near, "{steps:?}");
    }

    #[test]
    fn what_has_no_real_root_is_refused() {
        let mut M = DMatrix::identity(3, 3);
        M[(1, 1)] = -1.0;
        assert!(spectral(&M).is_none() && denman_beavers(&M).is_none() && schur(&M).is_none());
        M[(1, 1)] = f64::NAN;
        assert!(spectral(&M).is_none() && denman_beavers(&M).is_none() && schur(&M).is_none());
        let none = DMatrix::zeros(0, 0);
        assert!(spectral(&none).is_some() && denman_beavers(&none).is_some() && schur(&none).is_some());
    }
}
