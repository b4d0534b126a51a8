//! Soft motions, which have a small stiffness, and free motions, which have none.
//!
//! If stiff elements take part in a soft motion, its stiffness is a small difference of large terms and is lost in the errors of the
//! differenced K. It is therefore recomputed along the motion itself, over displacements of several sizes: a spring, however soft,
//! gives the same stiffness for all of them; round-off does not.
//!
//! ```text
//!  κ_ij = x_i · ∂r/∂x_j,   x: an orthonormal basis of the motions that seem free in K
//! ```
//!
//! Newton's method moves along soft motions with this stiffness and does not move along free ones.

use super::equilibrium_equations::{EquilibriumEquations, INVERSE_ITERATIONS};
use super::{EquilibriumPoint, StaticsError};
use crate::mathematics::stencils;
use nalgebra::{DMatrix, DVector};

/// Displacements for the differences, relative to the size of the mechanism; rad for rotations.
const DIFFERENCE_REACHES: [f64; 5] = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3];
/// A stiffness must exceed the difference of two estimates by this factor.
const SIGNIFICANCE_FACTOR: f64 = 10.0;
/// Stiffness that counts as zero, relative to the force and length scales.
const ROUND_OFF: f64 = 1e-12;
/// Number of motions in the first search.
const INITIAL_SUBSPACE_SIZE: usize = 8;

/// A motion with little or no stiffness.
#[derive(Clone, Debug)]
pub(super) struct SoftMotion {
    /// Its direction, of unit length.
    pub delta: Vec<f64>,
    /// Its stiffness; `None` for a free motion.
    pub stiffness: Option<f64>,
}

impl EquilibriumEquations<'_> {
    /// Finds the soft and free motions of the evaluated pose, with a regularised factor.
    pub fn find_soft_motions(&mut self, here: &EquilibriumPoint) -> Result<(), StaticsError> {
        self.factor_regularised(here)?;
        let n = self.model.sizes.v;
        let held = self.regularisation();
        let mut count = INITIAL_SUBSPACE_SIZE.min(n);
        loop {
            let (X, stiffness) = self.softest_motions(count)?;
            let soft: Vec<usize> = (0..count).filter(|&i| stiffness[i].abs() <= 2.0 * held).collect();
            if soft.len() == count && count < n {
                count = (2 * count).min(n);
                continue;
            }
            self.soft_motions = self.classify_motions(here, &X.select_columns(&soft));
            return Ok(());
        }
    }

    /// The softest motions of the present factor, as orthonormal columns, and their stiffness.
    pub fn softest_motions(&mut self, count: usize) -> Result<(DMatrix<f64>, Vec<f64>), StaticsError> {
        let n = self.model.sizes.v;
        let none = vec![0.0; self.model.rows.len()];
        // A fixed quasi-random start with a part in every direction.
        let turn = |i: usize, j: usize| ((i * (j + 1) + j * j) as f64 * 0.618_033_988_749_895).fract() - 0.5;
        let mut X = DMatrix::from_fn(n, count, |i, j| turn(i + 1, j)).qr().q();
        let mut last = vec![0.0; count];
        for _ in 0..20 * INVERSE_ITERATIONS {
            let mut Y = DMatrix::zeros(n, count);
            for j in 0..count {
                let column: Vec<f64> = X.column(j).iter().copied().collect();
                let Ok((y, _)) = self.solve_with_factor(&column, &none) else {
                    return Err(self.singular_error(&column));
                };
                Y.column_mut(j).copy_from_slice(&y);
            }
            // Rayleigh–Ritz on the flexibility.
            let T = X.tr_mul(&Y);
            let eigen = ((&T + T.transpose()) * 0.5).symmetric_eigen();
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|a, b| eigen.eigenvalues[*b].abs().total_cmp(&eigen.eigenvalues[*a].abs()));
            let stiffness: Vec<f64> = order
                .iter()
                .map(|i| if eigen.eigenvalues[*i] == 0.0 { f64::INFINITY } else { 1.0 / eigen.eigenvalues[*i] })
                .collect();
            let settled =
                stiffness.iter().zip(&last).take(1).all(|(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs());
            let ritz = &X * eigen.eigenvectors.select_columns(&order);
            if settled || Y.amax() == 0.0 {
                return Ok((ritz, stiffness));
            }
            last = stiffness;
            X = (Y * eigen.eigenvectors.select_columns(&order)).qr().q();
        }
        Ok((X, last))
    }

    /// Classifies the motions in these columns as soft or free.
    pub fn classify_motions(&mut self, here: &EquilibriumPoint, X: &DMatrix<f64>) -> Vec<SoftMotion> {
        if X.ncols() == 0 {
            return Vec::new();
        }
        let looks: Vec<DMatrix<f64>> =
            DIFFERENCE_REACHES.iter().map(|reach| self.stiffness_along(here, X, *reach)).collect();
        let apart = |pair: &[DMatrix<f64>]| (&pair[0] - &pair[1]).amax();
        let best = looks.windows(2).min_by(|a, b| apart(a).total_cmp(&apart(b)));
        let Some([one, two]) = best else { return Vec::new() };
        let spread = (one - two).amax();
        let mean = (one + two + one.transpose() + two.transpose()) * 0.25;
        let eigen = mean.symmetric_eigen();
        let soft = |i: usize| {
            let delta: DVector<f64> = X * eigen.eigenvectors.column(i);
            let delta: Vec<f64> = delta.iter().copied().collect();
            // Forces have a relative error, and so has the geometric stiffness they cause.
            let square = delta.iter().zip(&self.displacement_scale).map(|(d, s)| (d / s) * (d / s)).sum::<f64>();
            let none = (ROUND_OFF * self.force_scale * self.length_scale * square).max(SIGNIFICANCE_FACTOR * spread);
            let stiffness = Some(eigen.eigenvalues[i]).filter(|k| k.abs() > none);
            SoftMotion { delta, stiffness }
        };
        (0..X.ncols()).map(soft).collect()
    }

    /// Xᵀ ∂r/∂x with fixed multipliers, by differences of sixth order over this reach.
    fn stiffness_along(&mut self, here: &EquilibriumPoint, X: &DMatrix<f64>, reach: f64) -> DMatrix<f64> {
        let d = X.ncols();
        let mut found = DMatrix::zeros(d, d);
        for j in 0..d {
            let column: Vec<f64> = X.column(j).iter().copied().collect();
            let h = reach / self.displacement_norm(&column).max(f64::MIN_POSITIVE);
            let mut slope = DVector::zeros(X.nrows());
            for (place, weight) in stencils::SIXTH_ORDER {
                let mut moved = self.displaced(&here.state, &column, place * h / 3.0);
                self.evaluate(&mut moved);
                slope += DVector::from_vec(self.residual_forces(&here.lambda)) * (3.0 * weight / h);
            }
            found.set_column(j, &X.tr_mul(&slope));
        }
        let mut back = here.state.clone();
        self.evaluate(&mut back);
        found
    }

    /// The part of the residual forces along the free motions, if it is significant.
    pub fn loaded_free_motion(&self, r: &[f64]) -> Option<Vec<f64>> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut along = vec![0.0; r.len()];
        for free in self.soft_motions.iter().filter(|s| s.stiffness.is_none()) {
            let part = dot(&free.delta, r);
            along.iter_mut().zip(&free.delta).for_each(|(a, d)| *a += part * d);
        }
        (dot(&along, &along) > 1e-6 * dot(r, r)).then_some(along)
    }

    /// Corrects a step: along soft motions with their own stiffness, zero along free ones.
    pub(super) fn correct_soft_motions(&self, forces: &[f64], step: &mut [f64]) {
        for soft in &self.soft_motions {
            let along = |x: &[f64]| soft.delta.iter().zip(x).map(|(d, x)| d * x).sum::<f64>();
            let by = soft.stiffness.map_or(0.0, |k| along(forces) / k) - along(step);
            step.iter_mut().zip(&soft.delta).for_each(|(s, d)| *s += by * d);
        }
    }
}
