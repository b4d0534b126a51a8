//! Dense kernels on small blocks, column by column. Sizes up to six are compiled with their size known.

/// LDLᵀ of a symmetric block in place: the unit lower triangle replaces the block, `d` receives 1/D.
///
/// `least[k]` bounds the pivot away from zero on the side of `sign`.
#[inline(always)]
fn ldl_columns<const N: usize>(P: &mut [[f64; N]; N], d: &mut [f64; N], sign: f64, least: &[f64; N]) {
    for j in 0..N {
        let mut pivot = P[j][j] * sign;
        // Written so that NaN stays NaN and is found later.
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

/// B ← B L⁻ᵀ, kept in `Y`; then B ← B D⁻¹. `B` is M×N.
#[inline(always)]
fn below_columns<const N: usize, const M: usize>(
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
                y[i] -= Y[j][i] * l;
            }
        }
        Y[k] = y;
        for i in 0..M {
            B[k][i] = y[i] * d[k];
        }
    }
}

/// T ← T − B Yᵀ with B M×N, Y K×N, T M×K.
#[inline(always)]
fn update_columns<const N: usize, const M: usize, const K: usize>(
    B: &[[f64; M]; N],
    Y: &[[f64; K]; N],
    T: &mut [[f64; M]; K],
) {
    for c in 0..K {
        let mut t = T[c];
        for k in 0..N {
            let y = Y[k][c];
            for i in 0..M {
                t[i] -= B[k][i] * y;
            }
        }
        T[c] = t;
    }
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
fn head<const N: usize>(x: &[f64]) -> &[f64; N] {
    x[..N].try_into().expect("N values")
}

#[inline(always)]
fn head_mut<const N: usize>(x: &mut [f64]) -> &mut [f64; N] {
    (&mut x[..N]).try_into().expect("N values")
}

/// Chooses the kernel of a known size, or the one for any.
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

/// Factors a pivot of size `n`.
pub(super) fn ldl(n: usize, P: &mut [f64], d: &mut [f64], sign: f64, least: &[f64]) {
    by_size!(n, N => ldl_columns::<N>(block_mut(P), head_mut(d), sign, head(least)), {
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
    })
}

/// Turns the `m`×`n` block below a pivot into its part of L; `Y` keeps L D.
pub(super) fn below(n: usize, m: usize, L: &[f64], d: &[f64], B: &mut [f64], Y: &mut [f64]) {
    by_size!(n, N => by_size!(m, M => {
        return below_columns::<N, M>(block(L), head(d), block_mut(B), block_mut(Y))
    }, {}), {});
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

/// T ← T − B Yᵀ: `B` is m×n, `Y` k×n, `T` m×k.
pub(super) fn update(n: usize, m: usize, k: usize, B: &[f64], Y: &[f64], T: &mut [f64]) {
    by_size!(n, N => by_size!(m, M => by_size!(k, K => {
        return update_columns::<N, M, K>(block(B), block(Y), block_mut(T))
    }, {}), {}), {});
    for c in 0..k {
        for j in 0..n {
            let y = Y[j * k + c];
            for i in 0..m {
                T[c * m + i] -= B[j * m + i] * y;
            }
        }
    }
}

/// x ← L⁻¹ x.
pub(super) fn forward(n: usize, L: &[f64], x: &mut [f64]) {
    by_size!(n, N => {
        let (L, x) = (block::<N, N>(L), head_mut::<N>(x));
        for j in 0..N {
            for i in j + 1..N {
                x[i] -= L[j][i] * x[j];
            }
        }
    }, for j in 0..n {
        for i in j + 1..n {
            x[i] -= L[j * n + i] * x[j];
        }
    })
}

/// x ← L⁻ᵀ x.
pub(super) fn backward(n: usize, L: &[f64], x: &mut [f64]) {
    by_size!(n, N => {
        let (L, x) = (block::<N, N>(L), head_mut::<N>(x));
        for j in (0..N).rev() {
            for i in j + 1..N {
                x[j] -= L[j][i] * x[i];
            }
        }
    }, for j in (0..n).rev() {
        for i in j + 1..n {
            x[j] -= L[j * n + i] * x[i];
        }
    })
}

/// r ← r − B z with B m×n.
pub(super) fn push(n: usize, m: usize, B: &[f64], z: &[f64], r: &mut [f64]) {
    by_size!(n, N => by_size!(m, M => {
        let (B, z, r) = (block::<N, M>(B), head::<N>(z), head_mut::<M>(r));
        for k in 0..N {
            for i in 0..M {
                r[i] -= B[k][i] * z[k];
            }
        }
        return
    }, {}), {});
    for k in 0..n {
        for i in 0..m {
            r[i] -= B[k * m + i] * z[k];
        }
    }
}

/// z ← z − Bᵀ x with B m×n.
pub(super) fn pull(n: usize, m: usize, B: &[f64], x: &[f64], z: &mut [f64]) {
    by_size!(n, N => by_size!(m, M => {
        let (B, x, z) = (block::<N, M>(B), head::<M>(x), head_mut::<N>(z));
        for k in 0..N {
            let mut s = 0.0;
            for i in 0..M {
                s += B[k][i] * x[i];
            }
            z[k] -= s;
        }
        return
    }, {}), {});
    for k in 0..n {
        z[k] -= (0..m).map(|i| B[k * m + i] * x[i]).sum::<f64>();
    }
}
