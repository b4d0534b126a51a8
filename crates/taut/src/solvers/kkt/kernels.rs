//! Dense kernels on small blocks, column by column. Sizes up to six are compiled with their size known.

/// Runs `$known` with the constant `$size`, or `$any` for sizes above six.
macro_rules! by_size {
    ($n:expr, $size:ident => $known:expr, $any:expr) => {
        match $n {
            1 => {
                const $size: usize = 1;
                $known
            }
            2 => {
                const $size: usize = 2;
                $known
            }
            3 => {
                const $size: usize = 3;
                $known
            }
            4 => {
                const $size: usize = 4;
                $known
            }
            5 => {
                const $size: usize = 5;
                $known
            }
            6 => {
                const $size: usize = 6;
                $known
            }
            _ => $any,
        }
    };
}
pub(super) use by_size;

/// c − a b: with one rounding where the processor has the instruction (`FUSED`), else with two.
#[inline(always)]
fn minus<const FUSED: bool>(c: f64, a: f64, b: f64) -> f64 {
    if FUSED { (-a).mul_add(b, c) } else { c - a * b }
}

#[inline(always)]
pub(super) fn block<const N: usize, const M: usize>(x: &[f64]) -> &[[f64; M]; N] {
    (&x.as_chunks::<M>().0[..N]).try_into().expect("block of N columns")
}

#[inline(always)]
pub(super) fn block_mut<const N: usize, const M: usize>(x: &mut [f64]) -> &mut [[f64; M]; N] {
    (&mut x.as_chunks_mut::<M>().0[..N]).try_into().expect("block of N columns")
}

#[inline(always)]
pub(super) fn head<const N: usize>(x: &[f64]) -> &[f64; N] {
    x[..N].try_into().expect("N values")
}

#[inline(always)]
pub(super) fn head_mut<const N: usize>(x: &mut [f64]) -> &mut [f64; N] {
    (&mut x[..N]).try_into().expect("N values")
}

/// Copies blocks of the usual sizes without a call.
#[inline(always)]
pub(super) fn copy(from: &[f64], to: &mut [f64]) {
    macro_rules! known {
        ($($n:literal)*) => {
            match from.len() {
                $($n => *head_mut::<$n>(to) = *head::<$n>(from),)*
                _ => to.copy_from_slice(from),
            }
        };
    }
    known!(6 9 12 15 18 24 30 36)
}

/// Clears blocks of the usual sizes without a call.
#[inline(always)]
pub(super) fn clear(to: &mut [f64]) {
    macro_rules! known {
        ($($n:literal)*) => {
            match to.len() {
                $($n => *head_mut::<$n>(to) = [0.0; $n],)*
                _ => to.fill(0.0),
            }
        };
    }
    known!(1 4 9 16 25 36)
}

/// Columns of `from`, which lies row by row.
#[inline(always)]
pub(super) fn transpose(rows: usize, columns: usize, from: &[f64], to: &mut [f64]) {
    by_size!(rows, R => by_size!(columns, C => {
        let (from, to) = (block::<R, C>(from), block_mut::<C, R>(to));
        for r in 0..R {
            for c in 0..C {
                to[c][r] = from[r][c];
            }
        }
        return
    }, {}), {});
    for (r, row) in from.chunks_exact(columns).enumerate() {
        row.iter().enumerate().for_each(|(c, a)| to[c * rows + r] = *a);
    }
}

/// Largest −(1/D) × scale of the rows of a constraint, if all are below `limit`; NaN never is.
#[inline(always)]
pub(super) fn softest(inverse: &[f64], scale: &[f64], limit: f64) -> Option<f64> {
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
/// `least[k]` bounds the pivot away from zero on the side of `sign`. Pivots go in pairs whose divisions do not wait for
/// each other: the chain of divisions, not the arithmetic, is what an elimination waits for.
#[inline(always)]
pub(super) fn ldl_columns<const N: usize, const FUSED: bool>(
    P: &mut [[f64; N]; N],
    d: &mut [f64; N],
    sign: f64,
    least: &[f64; N],
) {
    // Spelled out so that every index is known when compiled.
    if N > 1 && pair::<N, 0, FUSED>(P, d, sign, least) == Pair::Bounded {
        return singles(P, d, sign, least, 0);
    }
    if N > 3 && pair::<N, 2, FUSED>(P, d, sign, least) == Pair::Bounded {
        return singles(P, d, sign, least, 2);
    }
    if N > 5 && pair::<N, 4, FUSED>(P, d, sign, least) == Pair::Bounded {
        return singles(P, d, sign, least, 4);
    }
    if N % 2 == 1 {
        let pivot = P[N - 1][N - 1] * sign;
        d[N - 1] = sign / if pivot < least[N - 1] { least[N - 1] } else { pivot };
    }
}

/// Whether a pair of pivots was taken, or one of them needs its bound.
#[derive(PartialEq, Eq)]
enum Pair {
    Taken,
    Bounded,
}

/// Pivots J and J + 1, the second as determinant / first.
#[inline(always)]
fn pair<const N: usize, const J: usize, const FUSED: bool>(
    P: &mut [[f64; N]; N],
    d: &mut [f64; N],
    sign: f64,
    least: &[f64; N],
) -> Pair {
    let (a, b, c) = (P[J][J] * sign, P[J][J + 1] * sign, P[J + 1][J + 1] * sign);
    let determinant = minus::<FUSED>(a * c, b, b);
    // Written so that NaN fails both and is found later.
    if !(a >= least[J] && determinant >= least[J + 1] * a) {
        return Pair::Bounded;
    }
    let (first, inverse) = (sign / a, sign / determinant);
    let second = a * inverse;
    let l = P[J][J + 1] * first;
    (d[J], d[J + 1]) = (first, second);
    let (x, mut y) = (P[J], P[J + 1]);
    for i in J + 2..N {
        y[i] = minus::<FUSED>(y[i], x[i], l);
    }
    for k in J + 2..N {
        let u = x[k] * first;
        for i in k..N {
            // The product does not wait for the second pivot.
            P[k][i] = minus::<FUSED>(minus::<FUSED>(P[k][i], x[i], u), y[i] * y[k], second);
        }
    }
    P[J][J + 1] = l;
    for i in J + 2..N {
        P[J][i] = x[i] * first;
        P[J + 1][i] = y[i] * second;
    }
    Pair::Taken
}

/// Pivots one by one from `first` on, each bounded where it must be.
#[cold]
#[inline(never)]
fn singles<const N: usize>(P: &mut [[f64; N]; N], d: &mut [f64; N], sign: f64, least: &[f64; N], first: usize) {
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

pub(super) fn ldl_any(n: usize, P: &mut [f64], d: &mut [f64], sign: f64, least: &[f64]) {
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

/// Y = B L⁻ᵀ, then B ← Y D⁻¹. `B` is M×N.
#[inline(always)]
pub(super) fn below_columns<const N: usize, const M: usize, const FUSED: bool>(
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
                y[i] = minus::<FUSED>(y[i], Y[j][i], l);
            }
        }
        Y[k] = y;
        for i in 0..M {
            B[k][i] = y[i] * d[k];
        }
    }
}

pub(super) fn below_any(n: usize, m: usize, L: &[f64], d: &[f64], B: &mut [f64], Y: &mut [f64]) {
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
pub(super) fn update_columns<const N: usize, const M: usize, const K: usize, const FUSED: bool>(
    B: &[[f64; M]; N],
    Y: &[[f64; K]; N],
    T: &mut [[f64; M]; K],
) {
    for c in 0..K {
        let mut t = T[c];
        for k in 0..N {
            let y = Y[k][c];
            for i in 0..M {
                t[i] = minus::<FUSED>(t[i], B[k][i], y);
            }
        }
        T[c] = t;
    }
}

/// The same with the sizes of the blocks looked up.
#[inline(always)]
pub(super) fn update<const N: usize, const FUSED: bool>(m: usize, k: usize, B: &[f64], Y: &[f64], T: &mut [f64]) {
    by_size!(m, M => by_size!(k, K => {
        return update_columns::<N, M, K, FUSED>(block(B), block(Y), block_mut(T))
    }, {}), {});
    update_any(N, m, k, B, Y, T);
}

pub(super) fn update_any(n: usize, m: usize, k: usize, B: &[f64], Y: &[f64], T: &mut [f64]) {
    for c in 0..k {
        for j in 0..n {
            let y = Y[j * k + c];
            for i in 0..m {
                T[c * m + i] -= B[j * m + i] * y;
            }
        }
    }
}

/// x ← L⁻¹ x, and a copy of it.
#[inline(always)]
pub(super) fn forward_columns<const N: usize, const FUSED: bool>(L: &[[f64; N]; N], x: &mut [f64; N]) -> [f64; N] {
    let mut z = *x;
    for j in 0..N {
        for i in j + 1..N {
            z[i] = minus::<FUSED>(z[i], L[j][i], z[j]);
        }
    }
    *x = z;
    z
}

pub(super) fn forward_any(n: usize, L: &[f64], x: &mut [f64]) {
    for j in 0..n {
        for i in j + 1..n {
            x[i] -= L[j * n + i] * x[j];
        }
    }
}

/// x ← L⁻ᵀ x. What is found last enters last, so that each value waits for one product only.
#[inline(always)]
pub(super) fn backward_columns<const N: usize, const FUSED: bool>(L: &[[f64; N]; N], x: &mut [f64; N]) {
    for j in (0..N).rev() {
        for i in (j + 1..N).rev() {
            x[j] = minus::<FUSED>(x[j], L[j][i], x[i]);
        }
    }
}

pub(super) fn backward_any(n: usize, L: &[f64], x: &mut [f64]) {
    for j in (0..n).rev() {
        for i in j + 1..n {
            x[j] -= L[j * n + i] * x[i];
        }
    }
}

/// r ← r − B z with B m×N.
#[inline(always)]
pub(super) fn push<const N: usize, const FUSED: bool>(m: usize, B: &[f64], z: &[f64; N], r: &mut [f64]) {
    by_size!(m, M => {
        let (B, r) = (block::<N, M>(B), head_mut::<M>(r));
        let mut s = *r;
        for k in 0..N {
            for i in 0..M {
                s[i] = minus::<FUSED>(s[i], B[k][i], z[k]);
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
pub(super) fn push_any(n: usize, m: usize, B: &[f64], from: usize, to: usize, x: &mut [f64]) {
    for k in 0..n {
        for i in 0..m {
            x[to + i] -= B[k * m + i] * x[from + k];
        }
    }
}

/// z ← z − Bᵀ x with B m×N. The first value of x is the one that has been found last.
#[inline(always)]
pub(super) fn pull<const N: usize, const FUSED: bool>(m: usize, B: &[f64], x: &[f64], z: &mut [f64; N]) {
    by_size!(m, M => {
        let (B, x) = (block::<N, M>(B), head::<M>(x));
        for k in 0..N {
            let mut s = z[k];
            for i in (0..M).rev() {
                s = minus::<FUSED>(s, B[k][i], x[i]);
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
pub(super) fn pull_any(n: usize, m: usize, B: &[f64], to: usize, from: usize, x: &mut [f64]) {
    for k in 0..n {
        x[to + k] -= (0..m).map(|i| B[k * m + i] * x[from + i]).sum::<f64>();
    }
}
