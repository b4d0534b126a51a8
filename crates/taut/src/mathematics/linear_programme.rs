//! Small linear programmes: the largest value of a linear function under linear inequalities.
//!
//! ```text
//!  maximise cᵀz   with   G z ≤ h,  h ≥ 0,  z free
//! ```
//!
//! Simplex method with dictionaries; z = 0 is feasible and the start. Bland's rule excludes cycles (\[Dantzig1963\], \[Bland1977\]).
//!
//! A dictionary expresses the slacks s = h − G z and some of the z in terms of as many other variables as there are z, which are zero:
//! x_B = b − T x_N. A z has no sign, so it may enter in both directions and never leaves.

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
    let size = c.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    if size == 0.0 {
        return Some(Optimum::At(0.0, vec![0.0; n]));
    }
    let scales: Vec<f64> = G.row_iter().map(|row| if row.amax() > 0.0 { 1.0 / row.amax() } else { 1.0 }).collect();
    let mut T = DMatrix::from_fn(m, n, |i, j| scales[i] * G[(i, j)]);
    let mut b: Vec<f64> = h.iter().zip(&scales).map(|(h, scale)| (scale * h).max(0.0)).collect();
    let mut gain: Vec<f64> = c.iter().map(|c| c / size).collect();
    // Variables by number: first z, then the slacks.
    let mut basic: Vec<usize> = (n..n + m).collect();
    let mut zero: Vec<usize> = (0..n).collect();
    for _ in 0..MAX_EXCHANGES {
        let enters = |j: &usize| if zero[*j] < n { gain[*j].abs() > ROUND_OFF } else { gain[*j] > ROUND_OFF };
        let Some(column) = (0..n).filter(enters).min_by_key(|j| zero[*j]) else {
            let mut z = vec![0.0; n];
            for (x, b) in basic.iter().zip(&b).filter(|(x, _)| **x < n) {
                z[*x] = *b;
            }
            return Some(Optimum::At(c.iter().zip(&z).map(|(c, z)| c * z).sum(), z));
        };
        let direction = gain[column].signum();
        let ratio = |i: usize| b[i] / (direction * T[(i, column)]);
        let leaves = (0..m)
            .filter(|i| basic[*i] >= n && direction * T[(*i, column)] > ROUND_OFF)
            .min_by(|a, b| ratio(*a).total_cmp(&ratio(*b)).then(basic[*a].cmp(&basic[*b])));
        let Some(row) = leaves else { return Some(Optimum::Unbounded) };
        exchange(&mut T, &mut b, &mut gain, row, column);
        std::mem::swap(&mut basic[row], &mut zero[column]);
    }
    None
}

/// Solves row `row` for the variable of `column`, and eliminates it from the other rows and from the objective.
fn exchange(T: &mut DMatrix<f64>, b: &mut [f64], gain: &mut [f64], row: usize, column: usize) {
    let pivot = T[(row, column)];
    T[(row, column)] = 1.0;
    T.row_mut(row).scale_mut(1.0 / pivot);
    b[row] /= pivot;
    let own = T.row(row).clone_owned();
    for i in (0..b.len()).filter(|i| *i != row) {
        let factor = std::mem::take(&mut T[(i, column)]);
        if factor != 0.0 {
            T.row_mut(i).iter_mut().zip(own.iter()).for_each(|(x, p)| *x -= factor * p);
            b[i] -= factor * b[row];
        }
    }
    let factor = std::mem::take(&mut gain[column]);
    gain.iter_mut().zip(own.iter()).for_each(|(x, p)| *x -= factor * p);
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
