//! The effect of an elimination on the blocks below the pivot: Y = B L⁻ᵀ, and T ← T − B Yᵀ.

use super::blocks::{block, block_mut, by_size, multiply_subtract};

/// Y = B L⁻ᵀ, then B ← Y D⁻¹. `B` is M×N.
#[inline(always)]
pub(in crate::solvers::kkt) fn below_columns<const N: usize, const M: usize, const FUSED: bool>(
    L: &[[f64; N]; N],
    d: &[f64; N],
    B: &mut [[f64; M]; N],
    Y: &mut [[f64; M]; N],
) {
    for k in 0..N {
        let mut y = B[k];
        for j in 0..k {
            let l = L[j][k];
            for i in 0..M {
                y[i] = multiply_subtract::<FUSED>(y[i], Y[j][i], l);
            }
        }
        Y[k] = y;
        for i in 0..M {
            B[k][i] = y[i] * d[k];
        }
    }
}

pub(in crate::solvers::kkt) fn below_any(n: usize, m: usize, L: &[f64], d: &[f64], B: &mut [f64], Y: &mut [f64]) {
    for k in 0..n {
        for i in 0..m {
            let mut y = B[k * m + i];
            for j in 0..k {
                y -= Y[j * m + i] * L[j * n + k];
            }
            Y[k * m + i] = y;
            B[k * m + i] = y * d[k];
        }
    }
}

/// T ← T − B Yᵀ with B M×N, Y K×N, T M×K.
#[inline(always)]
pub(in crate::solvers::kkt) fn update_columns<const N: usize, const M: usize, const K: usize, const FUSED: bool>(
    B: &[[f64; M]; N],
    Y: &[[f64; K]; N],
    T: &mut [[f64; M]; K],
) {
    for c in 0..K {
        let mut t = T[c];
        for k in 0..N {
            let y = Y[k][c];
            for i in 0..M {
                t[i] = multiply_subtract::<FUSED>(t[i], B[k][i], y);
            }
        }
        T[c] = t;
    }
}

/// The same, with dispatch by the sizes of the blocks.
#[inline(always)]
pub(in crate::solvers::kkt) fn update<const N: usize, const FUSED: bool>(
    m: usize,
    k: usize,
    B: &[f64],
    Y: &[f64],
    T: &mut [f64],
) {
    by_size!(m, M => by_size!(k, K => {
        return update_columns::<N, M, K, FUSED>(block(B), block(Y), block_mut(T))
    }, {}), {});
    update_any(N, m, k, B, Y, T);
}

pub(in crate::solvers::kkt) fn update_any(n: usize, m: usize, k: usize, B: &[f64], Y: &[f64], T: &mut [f64]) {
    for c in 0..k {
        for j in 0..n {
            let y = Y[j * k + c];
            for i in 0..m {
                T[c * m + i] -= B[j * m + i] * y;
            }
        }
    }
}
