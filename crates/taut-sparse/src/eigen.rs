//! All eigenvalues and eigenvectors of a dense matrix.

use crate::{Singular, c64};
use faer::Mat;

/// Eigenvalues and eigenvectors, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// The eigenvalues, in no order.
    pub values: Vec<c64>,
    /// The eigenvector of each.
    pub vectors: Vec<Vec<c64>>,
}

/// Eigenvalues and right eigenvectors of a square matrix, given column by column.
///
/// # Errors
/// [`Singular`] if an entry is not finite, or the iteration does not converge.
pub fn eigen(n: usize, columns: &[f64]) -> Result<Eigen, Singular> {
    if columns.len() != n * n || columns.iter().any(|x| !x.is_finite()) {
        return Err(Singular);
    }
    let matrix = Mat::from_fn(n, n, |i, j| columns[j * n + i]);
    let found = matrix.eigen().map_err(|_| Singular)?;
    let (values, vectors) = (found.S(), found.U());
    Ok(Eigen {
        values: (0..n).map(|i| values[i]).collect(),
        vectors: (0..n).map(|j| (0..n).map(|i| vectors[(i, j)]).collect()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_real_ones() {
        // A rotation by a right angle beside a factor of 3, mixed by a shear.
        let columns = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 2.0, 3.0];
        let found = eigen(3, &columns).unwrap();
        for (value, vector) in found.values.iter().zip(&found.vectors) {
            for i in 0..3 {
                let product = (0..3).fold(c64::new(0.0, 0.0), |sum, j| sum + vector[j] * columns[j * 3 + i]);
                assert!((product - *value * vector[i]).norm() < 1e-13, "{value}");
            }
        }
        let mut sizes: Vec<f64> = found.values.iter().map(|v| v.norm()).collect();
        sizes.sort_by(f64::total_cmp);
        assert!((sizes[0] - 1.0).abs() + (sizes[1] - 1.0).abs() + (sizes[2] - 3.0).abs() < 1e-13);
        assert!(eigen(1, &[f64::NAN]).is_err());
        assert!(eigen(0, &[]).unwrap().values.is_empty());
    }
}
