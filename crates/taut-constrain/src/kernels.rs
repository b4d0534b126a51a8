//! Factorisations of dense matrices in place, without allocation. Matrices are stored by columns.

/// Σ x y.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Four sums, so that the additions do not wait for each other.
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in xs.zip(ys) {
        (0..4).for_each(|k| sums[k] += x[k] * y[k]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// y += a x.
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// Columns i < j of a matrix with n rows.
fn two_columns(matrix: &mut [f64], n: usize, i: usize, j: usize) -> (&[f64], &mut [f64]) {
    let (left, right) = matrix.split_at_mut(j * n);
    (&left[i * n..(i + 1) * n], &mut right[..n])
}

/// M = L Lᵀ; L replaces the lower triangle. The number of the first pivot below `least` times its diagonal entry, if any.
pub(crate) fn cholesky(M: &mut [f64], n: usize, least: f64) -> Result<(), usize> {
    for j in 0..n {
        let original = M[j * n + j];
        for k in 0..j {
            let (source, target) = two_columns(M, n, k, j);
            let factor = source[j];
            if factor != 0.0 {
                axpy(-factor, &source[j..], &mut target[j..]);
            }
        }
        let pivot = M[j * n + j];
        if !(pivot > least * original && pivot > 0.0 && pivot.is_finite()) {
            return Err(j);
        }
        let root = pivot.sqrt();
        M[j * n + j..(j + 1) * n].iter_mut().for_each(|x| *x /= root);
    }
    Ok(())
}

/// x ← L⁻¹ x.
pub(crate) fn solve_lower(L: &[f64], n: usize, x: &mut [f64]) {
    for j in 0..n {
        let (head, tail) = x.split_at_mut(j + 1);
        head[j] /= L[j * n + j];
        if head[j] != 0.0 {
            axpy(-head[j], &L[j * n + j + 1..(j + 1) * n], tail);
        }
    }
}

/// x ← L⁻ᵀ x.
pub(crate) fn solve_lower_transposed(L: &[f64], n: usize, x: &mut [f64]) {
    for j in (0..n).rev() {
        let (head, tail) = x.split_at_mut(j + 1);
        head[j] = (head[j] - dot(&L[j * n + j + 1..(j + 1) * n], tail)) / L[j * n + j];
    }
}

/// Householder QR of a p × c matrix, H P = Q R: R replaces the upper triangle, the reflectors (with the factors `tau`)
/// the rest. With `pivots`, columns are exchanged so that the diagonal of R falls, and the factorisation stops at the
/// first remaining column shorter than `tolerance` times the first. Returns the number of steps: the rank.
pub(crate) fn qr(
    H: &mut [f64],
    p: usize,
    c: usize,
    tau: &mut [f64],
    mut pivots: Option<&mut [usize]>,
    tolerance: f64,
) -> usize {
    let mut first = 0.0;
    if let Some(pivots) = pivots.as_deref_mut() {
        pivots.iter_mut().enumerate().for_each(|(j, at)| *at = j);
    }
    for k in 0..p.min(c) {
        if let Some(pivots) = pivots.as_deref_mut() {
            let length = |H: &[f64], j: usize| dot(&H[j * p + k..(j + 1) * p], &H[j * p + k..(j + 1) * p]);
            let (mut best, mut longest) = (k, length(H, k));
            for j in k + 1..c {
                let found = length(H, j);
                if found > longest {
                    (best, longest) = (j, found);
                }
            }
            let longest = longest.sqrt();
            if k == 0 {
                first = longest;
            }
            if !(longest > tolerance * first) {
                return k;
            }
            if best != k {
                let (left, right) = H.split_at_mut(best * p);
                left[k * p..(k + 1) * p].swap_with_slice(&mut right[..p]);
                pivots.swap(k, best);
            }
        }
        tau[k] = reflector(&mut H[k * p + k..(k + 1) * p]);
        for j in k + 1..c {
            let (u, x) = two_columns(H, p, k, j);
            reflect(&u[k..], tau[k], &mut x[k..]);
        }
    }
    p.min(c)
}

/// Replaces x by (β, u₂, u₃, …) with (I − τ u uᵀ) x = β e₁, u₁ = 1. Returns τ.
fn reflector(x: &mut [f64]) -> f64 {
    let norm = dot(x, x).sqrt();
    if norm == 0.0 || x.len() == 1 {
        return 0.0;
    }
    let beta = if x[0] > 0.0 { -norm } else { norm };
    let tau = (beta - x[0]) / beta;
    let scale = (x[0] - beta).recip();
    x[1..].iter_mut().for_each(|x| *x *= scale);
    x[0] = beta;
    tau
}

/// x ← (I − τ u uᵀ) x, with u₁ = 1.
fn reflect(u: &[f64], tau: f64, x: &mut [f64]) {
    let along = tau * (x[0] + dot(&u[1..], &x[1..]));
    x[0] -= along;
    axpy(-along, &u[1..], &mut x[1..]);
}

/// x ← Qᵀ x for the first `rank` reflectors.
pub(crate) fn apply_q_transposed(H: &[f64], p: usize, tau: &[f64], rank: usize, x: &mut [f64]) {
    (0..rank).for_each(|k| reflect(&H[k * p + k..(k + 1) * p], tau[k], &mut x[k..p]));
}

/// x ← Q x.
pub(crate) fn apply_q(H: &[f64], p: usize, tau: &[f64], rank: usize, x: &mut [f64]) {
    (0..rank).rev().for_each(|k| reflect(&H[k * p + k..(k + 1) * p], tau[k], &mut x[k..p]));
}

/// x ← R⁻¹ x for the leading `rank` columns of H.
pub(crate) fn solve_upper(H: &[f64], p: usize, rank: usize, x: &mut [f64]) {
    for j in (0..rank).rev() {
        x[j] /= H[j * p + j];
        let (head, tail) = x.split_at_mut(j);
        axpy(-tail[0], &H[j * p..j * p + j], head);
    }
}

/// x ← R⁻ᵀ x.
pub(crate) fn solve_upper_transposed(H: &[f64], p: usize, rank: usize, x: &mut [f64]) {
    for j in 0..rank {
        let (head, tail) = x.split_at_mut(j);
        tail[0] = (tail[0] - dot(&H[j * p..j * p + j], head)) / H[j * p + j];
    }
}

/// K = P L U by Gaussian elimination with row exchanges. The number of the first column without a pivot, if any.
pub(crate) fn lu(K: &mut [f64], n: usize, exchanges: &mut [usize]) -> Result<(), usize> {
    let size = K.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    for j in 0..n {
        let mut best = j;
        (j..n).for_each(|i| best = if K[j * n + i].abs() > K[j * n + best].abs() { i } else { best });
        exchanges[j] = best;
        if !(K[j * n + best].abs() > 1e-14 * size) {
            return Err(j);
        }
        if best != j {
            (0..n).for_each(|c| K.swap(c * n + j, c * n + best));
        }
        let pivot = K[j * n + j];
        K[j * n + j + 1..(j + 1) * n].iter_mut().for_each(|x| *x /= pivot);
        for c in j + 1..n {
            let (source, target) = two_columns(K, n, j, c);
            let factor = target[j];
            if factor != 0.0 {
                axpy(-factor, &source[j + 1..], &mut target[j + 1..]);
            }
        }
    }
    Ok(())
}

/// x ← K⁻¹ x.
pub(crate) fn lu_solve_in_place(K: &[f64], n: usize, exchanges: &[usize], x: &mut [f64]) {
    // L has its rows in their final order: all exchanges come first.
    (0..n).for_each(|j| x.swap(j, exchanges[j]));
    for j in 0..n {
        let (head, tail) = x.split_at_mut(j + 1);
        axpy(-head[j], &K[j * n + j + 1..(j + 1) * n], tail);
    }
    solve_upper(K, n, n, x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn generic(m: usize, n: usize, seed: usize) -> DMatrix<f64> {
        DMatrix::from_fn(m, n, |i, j| (1e4 * ((1 + 37 * i + 101 * j + 1009 * seed) as f64).sin()).sin())
    }

    #[test]
    fn cholesky_and_lu_solve() {
        for n in [1, 2, 5, 6, 7, 8, 9, 13] {
            let G = generic(n, n, 1);
            let M = &G * G.transpose() + DMatrix::identity(n, n);
            let x = DVector::from_fn(n, |i, _| 1.0 + i as f64);
            let (mut L, mut y) = (M.clone(), &M * &x);
            cholesky(L.as_mut_slice(), n, 0.0).unwrap();
            solve_lower(L.as_slice(), n, y.as_mut_slice());
            solve_lower_transposed(L.as_slice(), n, y.as_mut_slice());
            assert!((y - &x).norm() < 1e-11);
            let (mut K, mut y, mut exchanges) = (G.clone(), &G * &x, vec![0; n]);
            lu(K.as_mut_slice(), n, &mut exchanges).unwrap();
            lu_solve_in_place(K.as_slice(), n, &exchanges, y.as_mut_slice());
            assert!((y - x).norm() < 1e-10);
        }
        assert_eq!(cholesky(&mut [1.0, 1.0, 1.0, 1.0], 2, 1e-13), Err(1));
        assert_eq!(lu(&mut [1.0, 1.0, 1.0, 1.0], 2, &mut [0; 2]), Err(1));
    }

    #[test]
    fn qr_finds_the_rank_and_the_factors() {
        for (p, c, rank) in [(5, 3, 3), (5, 3, 2), (3, 5, 3), (4, 4, 1), (1, 1, 1)] {
            let A = generic(p, rank, 2) * generic(rank, c, 3);
            let (mut H, mut tau, mut pivots) = (A.clone(), vec![0.0; p.min(c)], vec![0; c]);
            assert_eq!(qr(H.as_mut_slice(), p, c, &mut tau, Some(&mut pivots), 1e-10), rank);
            for j in 0..c {
                let mut column = vec![0.0; p];
                (0..=j.min(rank - 1)).for_each(|i| column[i] = H[(i, j)]);
                apply_q(H.as_slice(), p, &tau, rank, &mut column);
                let far = (0..p).fold(0.0_f64, |m, i| m.max((column[i] - A[(i, pivots[j])]).abs()));
                assert!(far < 1e-13, "{p} × {c}, rank {rank}: {far:e}");
                apply_q_transposed(H.as_slice(), p, &tau, rank, &mut column);
                assert!((column[0] - H[(0, j)]).abs() < 1e-13);
            }
        }
    }
}
