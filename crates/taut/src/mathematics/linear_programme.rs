//! Small linear programmes: the largest value of a linear function under linear inequalities.
//!
//! ```text
//!  maximise cᵀz   with   G z ≤ h,  h ≥ 0,  z free
//! ```
//!
//! Dense simplex method; z = 0 is feasible and the start. Bland's rule excludes cycles (\[Dantzig1963\], \[Bland1977\]).

use nalgebra::DMatrix;

/// Entries below this are round-off, for rows of largest entry one.
const ROUND_OFF: f64 = 1e-11;
/// Most exchanges; programmes of this size need a few dozen.
const MAX_EXCHANGES: usize = 500;

/// The solution of a linear programme.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Optimum {
    /// The largest value, and where it is reached.
    At(f64, Vec<f64>),
    /// There is no largest value.
    Unbounded,
}

/// Maximises cᵀz under G z ≤ h. Negative entries of h count as zero. None if it takes too many exchanges.
pub(crate) fn maximise(c: &[f64], G: &DMatrix<f64>, h: &[f64]) -> Option<Optimum> {
    let (m, n) = G.shape();
    // Columns: z₊, z₋, slacks, right-hand side. Last row: reduced costs.
    let width = 2 * n + m + 1;
    let mut T = DMatrix::zeros(m + 1, width);
    for i in 0..m {
        let size = G.row(i).amax();
        let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
        for j in 0..n {
            T[(i, j)] = scale * G[(i, j)];
            T[(i, n + j)] = -scale * G[(i, j)];
        }
        T[(i, 2 * n + i)] = 1.0;
        T[(i, width - 1)] = (scale * h[i]).max(0.0);
    }
    let size = c.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    if size == 0.0 {
        return Some(Optimum::At(0.0, vec![0.0; n]));
    }
    for j in 0..n {
        T[(m, j)] = -c[j] / size;
        T[(m, n + j)] = c[j] / size;
    }
    let mut basis: Vec<usize> = (2 * n..2 * n + m).collect();
    for _ in 0..MAX_EXCHANGES {
        let Some(enters) = (0..width - 1).find(|j| T[(m, *j)] < -ROUND_OFF) else {
            let mut z = vec![0.0; n];
            for (i, b) in basis.iter().enumerate() {
                match *b {
                    b if b < n => z[b] += T[(i, width - 1)],
                    b if b < 2 * n => z[b - n] -= T[(i, width - 1)],
                    _ => {}
                }
            }
            return Some(Optimum::At(c.iter().zip(&z).map(|(c, z)| c * z).sum(), z));
        };
        let ratio = |i: usize| T[(i, width - 1)] / T[(i, enters)];
        let leaves = (0..m)
            .filter(|i| T[(*i, enters)] > ROUND_OFF)
            .min_by(|a, b| ratio(*a).total_cmp(&ratio(*b)).then(basis[*a].cmp(&basis[*b])));
        let Some(row) = leaves else { return Some(Optimum::Unbounded) };
        let divisor = T[(row, enters)];
        T.row_mut(row).scale_mut(1.0 / divisor);
        let pivot_row = T.row(row).clone_owned();
        for i in (0..=m).filter(|i| *i != row) {
            let factor = T[(i, enters)];
            if factor != 0.0 {
                T.row_mut(i).iter_mut().zip(pivot_row.iter()).for_each(|(x, p)| *x -= factor * p);
            }
        }
        basis[row] = enters;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_and_a_half_plane() {
        // z₁ + z₂ ≤ 4, z₁ ≤ 3, −z₂ ≤ 0, −z₁ ≤ 0
        let G = DMatrix::from_row_slice(4, 2, &[1.0, 1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 0.0]);
        let h = [4.0, 3.0, 0.0, 0.0];
        assert_eq!(maximise(&[2.0, 1.0], &G, &h), Some(Optimum::At(7.0, vec![3.0, 1.0])));
        assert_eq!(maximise(&[-2.0, -1.0], &G, &h), Some(Optimum::At(0.0, vec![0.0, 0.0])));
        let half = DMatrix::from_row_slice(1, 2, &[1.0, 0.0]);
        assert_eq!(maximise(&[0.0, 1.0], &half, &[1.0]), Some(Optimum::Unbounded));
        assert_eq!(maximise(&[1.0, 0.0], &half, &[-1e-20]), Some(Optimum::At(0.0, vec![0.0, 0.0])));
    }

    /// The four legs of a table that only push: by hand, with the self-stress (1, −1, 1, −1).
    #[test]
    fn legs_of_a_table() {
        let x = [68.75, 43.75, 31.25, 56.25];
        let n = [1.0, -1.0, 1.0, -1.0];
        let G = DMatrix::from_fn(4, 1, |i, _| -n[i]);
        let expected = [[37.5, 112.5], [0.0, 75.0], [0.0, 75.0], [12.5, 87.5]];
        for (i, [least, most]) in expected.into_iter().enumerate() {
            for (sign, bound) in [(1.0, most), (-1.0, least)] {
                let Some(Optimum::At(gain, _)) = maximise(&[sign * n[i]], &G, &x) else { panic!() };
                assert!((x[i] + sign * gain - bound).abs() < 1e-12);
            }
        }
    }
}
