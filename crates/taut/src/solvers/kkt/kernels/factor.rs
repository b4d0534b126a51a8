//! LDLᵀ of one diagonal block, with pivots bounded away from zero.

use super::blocks::{by_size, head, multiply_subtract};

/// Largest −(1/D) × scale of the rows of a constraint; `None` if one is not below `limit`, or NaN.
#[inline(always)]
pub(in crate::solvers::kkt) fn largest_inverse_pivot(inverse: &[f64], scale: &[f64], limit: f64) -> Option<f64> {
    let (mut worst, mut all) = (0.0_f64, true);
    let mut look = |softness: f64| {
        all &= softness < limit;
        worst = if softness > worst { softness } else { worst };
    };
    by_size!(inverse.len(), N => {
        let (inverse, scale) = (head::<N>(inverse), head::<N>(scale));
        (0..N).for_each(|i| look(-inverse[i] * scale[i]))
    }, inverse.iter().zip(scale).for_each(|(inverse, scale)| look(-inverse * scale)));
    all.then_some(worst)
}

/// LDLᵀ of a symmetric block in place: the unit lower triangle replaces the block, `d` receives 1/D.
///
/// `least[k]` bounds the pivot away from zero on the side of `sign`. Pivots are taken in pairs whose divisions are independent:
/// the chain of divisions, not the arithmetic, limits the speed of an elimination.
#[inline(always)]
pub(in crate::solvers::kkt) fn ldl_columns<const N: usize, const FUSED: bool>(
    P: &mut [[f64; N]; N],
    d: &mut [f64; N],
    sign: f64,
    least: &[f64; N],
) {
    // Unrolled by hand so that every index is known at compile time.
    if N > 1 && pivot_pair::<N, 0, FUSED>(P, d, sign, least) == PivotPair::Bounded {
        return single_pivots(P, d, sign, least, 0);
    }
    if N > 3 && pivot_pair::<N, 2, FUSED>(P, d, sign, least) == PivotPair::Bounded {
        return single_pivots(P, d, sign, least, 2);
    }
    if N > 5 && pivot_pair::<N, 4, FUSED>(P, d, sign, least) == PivotPair::Bounded {
        return single_pivots(P, d, sign, least, 4);
    }
    if N % 2 == 1 {
        let pivot = P[N - 1][N - 1] * sign;
        d[N - 1] = sign / if pivot < least[N - 1] { least[N - 1] } else { pivot };
    }
}

/// Whether a pair of pivots was used, or one of them needs its bound.
#[derive(PartialEq, Eq)]
enum PivotPair {
    Taken,
    Bounded,
}

/// Pivots J and J + 1, the second as determinant / first.
#[inline(always)]
fn pivot_pair<const N: usize, const J: usize, const FUSED: bool>(
    P: &mut [[f64; N]; N],
    d: &mut [f64; N],
    sign: f64,
    least: &[f64; N],
) -> PivotPair {
    let (a, b, c) = (P[J][J] * sign, P[J][J + 1] * sign, P[J + 1][J + 1] * sign);
    let determinant = multiply_subtract::<FUSED>(a * c, b, b);
    // Written so that NaN fails both tests and is found later.
    if !(a >= least[J] && determinant >= least[J + 1] * a) {
        return PivotPair::Bounded;
    }
    let (first, inverse) = (sign / a, sign / determinant);
    let second = a * inverse;
    let l = P[J][J + 1] * first;
    (d[J], d[J + 1]) = (first, second);
    let (x, mut y) = (P[J], P[J + 1]);
    for i in J + 2..N {
        y[i] = multiply_subtract::<FUSED>(y[i], x[i], l);
    }
    for k in J + 2..N {
        let u = x[k] * first;
        for i in k..N {
            // This product does not depend on the second pivot.
            P[k][i] = multiply_subtract::<FUSED>(multiply_subtract::<FUSED>(P[k][i], x[i], u), y[i] * y[k], second);
        }
    }
    P[J][J + 1] = l;
    for i in J + 2..N {
        P[J][i] = x[i] * first;
        P[J + 1][i] = y[i] * second;
    }
    PivotPair::Taken
}

/// Pivots one by one from `first` on, each with its bound.
#[cold]
#[inline(never)]
fn single_pivots<const N: usize>(P: &mut [[f64; N]; N], d: &mut [f64; N], sign: f64, least: &[f64; N], first: usize) {
    for j in first..N {
        let mut pivot = P[j][j] * sign;
        if pivot < least[j] {
            pivot = least[j];
        }
        let inverse = sign / pivot;
        d[j] = inverse;
        let column = P[j];
        for k in j + 1..N {
            let l = column[k] * inverse;
            for i in k..N {
                P[k][i] -= column[i] * l;
            }
        }
        for i in j + 1..N {
            P[j][i] = column[i] * inverse;
        }
    }
}

pub(in crate::solvers::kkt) fn ldl_any(n: usize, P: &mut [f64], d: &mut [f64], sign: f64, least: &[f64]) {
    for j in 0..n {
        let mut pivot = P[j * n + j] * sign;
        if pivot < least[j] {
            pivot = least[j];
        }
        d[j] = sign / pivot;
        for k in j + 1..n {
            let l = P[j * n + k] * d[j];
            for i in k..n {
                P[k * n + i] -= P[j * n + i] * l;
            }
        }
        for i in j + 1..n {
            P[j * n + i] *= d[j];
        }
    }
}
