//! All eigenvalues and eigenvectors of a dense symmetric matrix.

use crate::Singular;
use faer::{Mat, Side};

/// Eigenvalues in ascending order, and an orthonormal eigenvector of each.
///
/// # Errors
/// [`Singular`] if an entry is not finite, or the iteration does not converge.
pub fn symmetric_eigen(n: usize, columns: &[f64]) -> Result<(Vec<f64>, Vec<Vec<f64>>), Singular> {
    if columns.len() != n * n || columns.iter().any(|x| !x.is_finite()) {
        return Err(Singular);
    }
    if n == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let matrix = Mat::from_fn(n, n, |i, j| columns[j * n + i]);
    let found = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| Singular)?;
    let (values, vectors) = (found.S(), found.U());
    Ok(((0..n).map(|i| values[i]).collect(), (0..n).map(|j| (0..n).map(|i| vectors[(i, j)]).collect()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_springs() {
        // Tridiagonal (−1, 2, −1): 2 − 2 cos(k π / (n + 1)).
        let n = 7;
        let entry = |i: usize, j: usize| if i == j { 2.0 } else { -f64::from(i.abs_diff(j) == 1) };
        let columns: Vec<f64> = (0..n * n).map(|k| entry(k % n, k / n)).collect();
        let (values, vectors) = symmetric_eigen(n, &columns).unwrap();
        for (k, value) in values.iter().enumerate() {
            let exact = 2.0 - 2.0 * ((k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64).cos();
            assert!((value - exact).abs() < 1e-14, "{value}");
            assert!((vectors[k].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
        }
        assert_eq!(symmetric_eigen(0, &[]).unwrap().0.len(), 0);
        assert!(symmetric_eigen(2, &[1.0, f64::INFINITY, 0.0, 1.0]).is_err());
    }
}
