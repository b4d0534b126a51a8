//! Blocks as arrays of known size: views, copies, transposes, and dispatch by size.

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
pub(in crate::solvers::kkt) use by_size;

/// c − a b: with one rounding if the processor has the instruction (`FUSED`), otherwise with two.
#[inline(always)]
pub(super) fn multiply_subtract<const FUSED: bool>(c: f64, a: f64, b: f64) -> f64 {
    if FUSED { (-a).mul_add(b, c) } else { c - a * b }
}

#[inline(always)]
pub(in crate::solvers::kkt) fn block<const N: usize, const M: usize>(x: &[f64]) -> &[[f64; M]; N] {
    (&x.as_chunks::<M>().0[..N]).try_into().expect("block of N columns")
}

#[inline(always)]
pub(in crate::solvers::kkt) fn block_mut<const N: usize, const M: usize>(x: &mut [f64]) -> &mut [[f64; M]; N] {
    (&mut x.as_chunks_mut::<M>().0[..N]).try_into().expect("block of N columns")
}

#[inline(always)]
pub(in crate::solvers::kkt) fn head<const N: usize>(x: &[f64]) -> &[f64; N] {
    x[..N].try_into().expect("N values")
}

#[inline(always)]
pub(in crate::solvers::kkt) fn head_mut<const N: usize>(x: &mut [f64]) -> &mut [f64; N] {
    (&mut x[..N]).try_into().expect("N values")
}

/// Copies blocks of the usual sizes without a call.
#[inline(always)]
pub(in crate::solvers::kkt) fn copy(from: &[f64], to: &mut [f64]) {
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
pub(in crate::solvers::kkt) fn clear(to: &mut [f64]) {
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

/// Writes a block column by column; `from` is stored row by row.
#[inline(always)]
pub(in crate::solvers::kkt) fn transpose(rows: usize, columns: usize, from: &[f64], to: &mut [f64]) {
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
