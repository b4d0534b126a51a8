//! Forward and backward substitution with the blocks of a factor.

use super::blocks::{block, by_size, head, head_mut, multiply_subtract};

/// x ← L⁻¹ x, and a copy of it.
#[inline(always)]
pub(in crate::solvers::kkt) fn forward_columns<const N: usize, const FUSED: bool>(
    L: &[[f64; N]; N],
    x: &mut [f64; N],
) -> [f64; N] {
    let mut z = *x;
    for j in 0..N {
        for i in j + 1..N {
            z[i] = multiply_subtract::<FUSED>(z[i], L[j][i], z[j]);
        }
    }
    *x = z;
    z
}

pub(in crate::solvers::kkt) fn forward_any(n: usize, L: &[f64], x: &mut [f64]) {
    for j in 0..n {
        for i in j + 1..n {
            x[i] -= L[j * n + i] * x[j];
        }
    }
}

/// x ← L⁻ᵀ x. The value computed last is used last, so that each value waits for one product only.
#[inline(always)]
pub(in crate::solvers::kkt) fn backward_columns<const N: usize, const FUSED: bool>(
    L: &[[f64; N]; N],
    x: &mut [f64; N],
) {
    for j in (0..N).rev() {
        for i in (j + 1..N).rev() {
            x[j] = multiply_subtract::<FUSED>(x[j], L[j][i], x[i]);
        }
    }
}

pub(in crate::solvers::kkt) fn backward_any(n: usize, L: &[f64], x: &mut [f64]) {
    for j in (0..n).rev() {
        for i in j + 1..n {
            x[j] -= L[j * n + i] * x[i];
        }
    }
}

/// r ← r − B z with B m×N.
#[inline(always)]
pub(in crate::solvers::kkt) fn subtract_product<const N: usize, const FUSED: bool>(
    m: usize,
    B: &[f64],
    z: &[f64; N],
    r: &mut [f64],
) {
    by_size!(m, M => {
        let (B, r) = (block::<N, M>(B), head_mut::<M>(r));
        let mut s = *r;
        for k in 0..N {
            for i in 0..M {
                s[i] = multiply_subtract::<FUSED>(s[i], B[k][i], z[k]);
            }
        }
        *r = s;
        return
    }, {});
    for k in 0..N {
        for i in 0..m {
            r[i] -= B[k * m + i] * z[k];
        }
    }
}

/// The same within one vector: the part at `to` minus B times the part at `from`.
pub(in crate::solvers::kkt) fn subtract_product_any(
    n: usize,
    m: usize,
    B: &[f64],
    from: usize,
    to: usize,
    x: &mut [f64],
) {
    for k in 0..n {
        for i in 0..m {
            x[to + i] -= B[k * m + i] * x[from + k];
        }
    }
}

/// z ← z − Bᵀ x with B m×N. The first value of x is the one computed last.
#[inline(always)]
pub(in crate::solvers::kkt) fn subtract_transposed_product<const N: usize, const FUSED: bool>(
    m: usize,
    B: &[f64],
    x: &[f64],
    z: &mut [f64; N],
) {
    by_size!(m, M => {
        let (B, x) = (block::<N, M>(B), head::<M>(x));
        for k in 0..N {
            let mut s = z[k];
            for i in (0..M).rev() {
                s = multiply_subtract::<FUSED>(s, B[k][i], x[i]);
            }
            z[k] = s;
        }
        return
    }, {});
    for k in 0..N {
        z[k] -= (0..m).map(|i| B[k * m + i] * x[i]).sum::<f64>();
    }
}

/// The same within one vector: the part at `to` minus Bᵀ times the part at `from`.
pub(in crate::solvers::kkt) fn subtract_transposed_product_any(
    n: usize,
    m: usize,
    B: &[f64],
    to: usize,
    from: usize,
    x: &mut [f64],
) {
    for k in 0..n {
        x[to + k] -= (0..m).map(|i| B[k * m + i] * x[from + i]).sum::<f64>();
    }
}
