//! Solves with the factored stiffness: displacements, the softest motion, and free motions.

use super::EquilibriumEquations;
use crate::analyses::statics::{EquilibriumPoint, StaticsError};
use crate::tangent::Singular;

/// Refinements with the same factor that remove the effect of E.
const REFINEMENTS: usize = 2;
/// Inverse iterations that find the softest motion.
pub(in crate::analyses::statics) const INVERSE_ITERATIONS: usize = 3;
/// If the largest stiffness of a pose, relative to that of earlier poses, is below this, no force acts there any more.
const LOST_STIFFNESS_RATIO: f64 = 1e-6;

/// The softest motion of a stiffness.
#[derive(Clone, Debug)]
pub(in crate::analyses::statics) struct SoftestMotion {
    /// Its direction, of unit length.
    pub delta: Vec<f64>,
    /// Its stiffness, with its sign.
    pub stiffness: f64,
}

impl EquilibriumEquations<'_> {
    /// δ and Δλ of a right-hand side with the present factor. Free motions do not move.
    pub fn solve(&mut self, forces: &[f64], rows: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Singular> {
        let (mut delta, dlambda) = self.solve_with_factor(forces, rows)?;
        self.correct_soft_motions(forces, &mut delta);
        Ok((delta, dlambda))
    }

    /// The same without regard to free motions.
    pub fn solve_with_factor(&mut self, forces: &[f64], rows: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Singular> {
        let (n, m) = (forces.len(), rows.len());
        let mut x = vec![0.0; n + m + self.model.sizes.z];
        x[..n].copy_from_slice(forces);
        x[n..n + m].copy_from_slice(rows);
        self.matrix.sparse.solve(&mut x)?;
        let mut sum = x.clone();
        for _ in 0..if m > 0 { REFINEMENTS } else { 0 } {
            // Removes the effect of E on the rows.
            x[..n].fill(0.0);
            for r in 0..m {
                let held = self.shift[r] < 1.0;
                x[n + r] = if held { self.shift[r] * x[n + r] } else { 0.0 };
            }
            self.matrix.sparse.solve(&mut x)?;
            sum.iter_mut().zip(&x).for_each(|(s, x)| *s += x);
        }
        Ok((sum[..n].to_vec(), sum[n..n + m].to_vec()))
    }

    /// The softest motion, by subspace iteration with the present factor.
    pub fn softest_motion(&mut self) -> Result<SoftestMotion, StaticsError> {
        let n = self.model.sizes.v;
        if n == 0 {
            return Ok(SoftestMotion { delta: Vec::new(), stiffness: f64::INFINITY });
        }
        let (X, stiffness) = self.softest_motions(4.min(n))?;
        Ok(SoftestMotion { delta: X.column(0).iter().copied().collect(), stiffness: stiffness[0] })
    }

    /// Estimates the least stiffness by a few inverse iterations, which is enough to decide whether it is zero.
    fn estimate_min_stiffness(&mut self) -> Result<f64, StaticsError> {
        let (n, m) = (self.model.sizes.v, self.model.rows.len());
        let none = vec![0.0; m];
        let mut x = start_vector(n);
        let mut stiffness = 0.0;
        for _ in 0..INVERSE_ITERATIONS {
            let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size == 0.0 {
                // Nothing can move at all.
                return Ok(f64::INFINITY);
            }
            x.iter_mut().for_each(|x| *x /= size);
            let Ok((y, _)) = self.solve_with_factor(&x, &none) else { return Err(self.free_motion_error()) };
            let along = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>();
            stiffness = if along == 0.0 { f64::INFINITY } else { 1.0 / along };
            x = y;
        }
        Ok(stiffness)
    }

    /// Factors the stiffness of an evaluated pose, and examines motions that seem to be free.
    ///
    /// # Errors
    /// [`StaticsError::Singular`] if one of them is free and the residual forces act along it.
    pub fn factor_checked(&mut self, here: &EquilibriumPoint, r: &[f64]) -> Result<(), StaticsError> {
        let held = self.factor(here, 0.0).and_then(|()| self.estimate_min_stiffness());
        if held.is_ok_and(|stiffness| stiffness.abs() > self.zero_stiffness_so_far) {
            return Ok(());
        }
        self.find_soft_motions(here)?;
        if let Some(free) = self.loaded_free_motion(r).filter(|_| self.relative_force(r) > 1e-12 * self.force_scale) {
            return Err(self.singular_error(&free));
        }
        // A mechanism that has drifted to a place without forces is not in equilibrium.
        let lost = self.max_stiffness < LOST_STIFFNESS_RATIO * self.max_stiffness_so_far;
        match self.soft_motions.first().filter(|_| lost) {
            Some(free) => Err(self.singular_error(&free.delta)),
            None => Ok(()),
        }
    }

    /// The error that names the free motion of a singular stiffness: the softest one after adding a small stiffness everywhere.
    pub(super) fn free_motion_error(&mut self) -> StaticsError {
        let little = self.zero_stiffness().max(f64::MIN_POSITIVE * 1e10).max(1e-14 * self.max_stiffness).max(1e-14);
        self.assemble_matrix(0.0);
        self.add_to_diagonal(little);
        let n = self.model.sizes.v;
        let mut x = start_vector(n);
        if self.matrix.sparse.factor().is_ok() {
            for _ in 0..INVERSE_ITERATIONS {
                let Ok((y, _)) = self.solve_with_factor(&x, &vec![0.0; self.model.rows.len()]) else { break };
                let size = y.iter().map(|y| y * y).sum::<f64>().sqrt();
                if size == 0.0 || !size.is_finite() {
                    break;
                }
                x = y.iter().map(|y| y / size).collect();
            }
        }
        self.singular_error(&x)
    }
}

/// A start vector with a part in every direction: a fixed quasi-random sequence.
fn start_vector(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 + (0.618_033_988_749_895 * (i + 1) as f64).fract()).collect()
}
