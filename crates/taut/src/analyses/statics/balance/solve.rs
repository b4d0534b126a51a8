//! Solves with the factored stiffness: displacements, the softest motion, and free motions.

use super::Balance;
use crate::analyses::statics::{Point, StaticsError};
use crate::tangent::Singular;

/// Refinements with the same factor that remove the effect of E.
const REFINEMENTS: usize = 2;
/// Inverse iterations that find the softest motion.
pub(in crate::analyses::statics) const SEARCHES: usize = 3;
/// If the largest stiffness of a pose, relative to that of earlier poses, is below this, no force acts there any more.
const GONE: f64 = 1e-6;

/// The softest motion of a stiffness.
#[derive(Clone, Debug)]
pub(in crate::analyses::statics) struct Softest {
    /// Its direction, of unit length.
    pub delta: Vec<f64>,
    /// Its stiffness, with its sign.
    pub stiffness: f64,
}

impl Balance<'_> {
    /// δ and Δλ of a right-hand side with the present factor. Free motions do not move.
    pub fn solve(&mut self, forces: &[f64], rows: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Singular> {
        let (mut delta, dlambda) = self.solve_with_factor(forces, rows)?;
        self.soften(forces, &mut delta);
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
    pub fn softest(&mut self) -> Result<Softest, StaticsError> {
        let n = self.model.sizes.v;
        if n == 0 {
            return Ok(Softest { delta: Vec::new(), stiffness: f64::INFINITY });
        }
        let (X, stiffness) = self.softest_motions(4.min(n))?;
        Ok(Softest { delta: X.column(0).iter().copied().collect(), stiffness: stiffness[0] })
    }

    /// Estimates the least stiffness by a few inverse iterations, which is enough to decide whether it is zero.
    fn softest_quickly(&mut self) -> Result<f64, StaticsError> {
        let (n, m) = (self.model.sizes.v, self.model.rows.len());
        let none = vec![0.0; m];
        let mut x = probe(n);
        let mut stiffness = 0.0;
        for _ in 0..SEARCHES {
            let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size == 0.0 {
                // Nothing can move at all.
                return Ok(f64::INFINITY);
            }
            x.iter_mut().for_each(|x| *x /= size);
            let Ok((y, _)) = self.solve_with_factor(&x, &none) else { return Err(self.loose()) };
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
    pub fn factor_regular(&mut self, here: &Point, r: &[f64]) -> Result<(), StaticsError> {
        let held = self.factor(here, 0.0).and_then(|()| self.softest_quickly());
        if held.is_ok_and(|stiffness| stiffness.abs() > self.ever) {
            return Ok(());
        }
        self.look_for_soft(here)?;
        if let Some(free) = self.pushed(r).filter(|_| self.relative(r) > 1e-12 * self.force) {
            return Err(self.named(&free));
        }
        // A mechanism that has drifted to a place without forces is not in equilibrium.
        let gone = self.stiffest < GONE * self.stiffest_ever;
        match self.soft.first().filter(|_| gone) {
            Some(free) => Err(self.named(&free.delta)),
            None => Ok(()),
        }
    }

    /// The error that names the free motion of a singular stiffness: the softest one after adding a small stiffness everywhere.
    pub(super) fn loose(&mut self) -> StaticsError {
        let little = self.none().max(f64::MIN_POSITIVE * 1e10).max(1e-14 * self.stiffest).max(1e-14);
        self.fill(0.0);
        self.add_to_diagonal(little);
        let n = self.model.sizes.v;
        let mut x = probe(n);
        if self.matrix.sparse.factor().is_ok() {
            for _ in 0..SEARCHES {
                let Ok((y, _)) = self.solve_with_factor(&x, &vec![0.0; self.model.rows.len()]) else { break };
                let size = y.iter().map(|y| y * y).sum::<f64>().sqrt();
                if size == 0.0 || !size.is_finite() {
                    break;
                }
                x = y.iter().map(|y| y / size).collect();
            }
        }
        self.named(&x)
    }
}

/// A start vector with a part in every direction: a fixed quasi-random sequence.
fn probe(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 + (0.618_033_988_749_895 * (i + 1) as f64).fract()).collect()
}
