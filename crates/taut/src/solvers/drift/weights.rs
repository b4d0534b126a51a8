//! The weight W of a projection and what follows from it for the rows: diag(A W⁻¹ Aᵀ) and the condition of A W⁻¹ Aᵀ.

use super::ProjectionWeight;
use crate::equations::Equations;
use crate::model::Model;
use crate::solvers::massless::as_norm;

/// Blocks of W, laid out like those of M.
pub(super) fn weight_blocks(model: &Model, weight: &ProjectionWeight, eq: &Equations) -> Vec<f64> {
    if *weight == ProjectionWeight::Mass {
        return as_norm(&model.layout, &eq.M);
    }
    let mut W = vec![0.0; eq.M.len()];
    for b in &model.bodies {
        let n = b.v.len();
        for i in 0..n {
            W[b.mass.start + i * (n + 1)] = match weight {
                ProjectionWeight::Diagonal(w) => w[b.v.start + i],
                _ => 1.0,
            };
        }
    }
    W
}

/// Largest ratio of eigenvalues of A W⁻¹ Aᵀ within one constraint: how many digits its elimination can cost. It hardly
/// depends on the pose.
pub(crate) fn worst_row_condition(model: &Model, W: &[f64], eq: &Equations) -> f64 {
    let mut worst = 1.0_f64;
    for c in &model.constraints {
        let rows = c.rows.len();
        let mut S = nalgebra::DMatrix::zeros(rows, rows);
        for block in &c.blocks {
            let b = &model.bodies[block.body];
            let n = b.v.len();
            let W = nalgebra::DMatrix::from_column_slice(n, n, &W[b.mass.clone()]);
            let A = nalgebra::DMatrix::from_row_slice(rows, n, &eq.A[block.start..block.start + rows * n]);
            let Some(inverse) = W.try_inverse() else { continue };
            S += &A * inverse * A.transpose();
        }
        if S.iter().all(|x| x.is_finite()) {
            let eigenvalues = S.symmetric_eigenvalues();
            let (least, most) = (eigenvalues.min(), eigenvalues.max());
            // Rows that are dependent here are handled by the regularisation.
            if least > 1e-14 * most {
                worst = worst.max(most / least);
            }
        }
    }
    worst
}

/// diag(A W⁻¹ Aᵀ): the scale of each row. Rows with a vanishing gradient take the mean of the others.
pub(crate) fn row_scales(model: &Model, W: &[f64], eq: &Equations) -> Vec<f64> {
    let mut scale = vec![0.0; model.rows.len()];
    for c in &model.constraints {
        for block in &c.blocks {
            let b = &model.bodies[block.body];
            let n = b.v.len();
            let W = nalgebra::DMatrix::from_column_slice(n, n, &W[b.mass.clone()]);
            let Some(inverse) = W.try_inverse() else { continue };
            for (r, a) in c.rows.clone().zip(eq.A[block.start..].chunks_exact(n)) {
                let a = nalgebra::DVector::from_column_slice(a);
                scale[r] += (inverse.clone() * &a).dot(&a);
            }
        }
    }
    let mean = scale.iter().filter(|s| s.is_finite()).sum::<f64>() / scale.len().max(1) as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    scale.iter().map(|&s| if s.is_finite() && s > 1e-20 * mean { s } else { mean }).collect()
}
