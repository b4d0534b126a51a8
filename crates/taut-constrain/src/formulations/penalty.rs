//! The factor μ of the penalty methods, and the rates of the motions that they add.

use super::dense::lu_solve;
use super::{DenseEquations, FormulationParameters};
use crate::RowLevel;
use nalgebra::DMatrix;

/// Five orders of magnitude above the largest entry of M ([Newhart2019] §2.1).
const PENALTY_PER_MASS: f64 = 1e5;
/// Maximum number of power iterations.
const MAX_POWER_ITERATIONS: usize = 200;

/// μ as given, or from the first M and constant from then on: a factor that varied with M would do work.
#[derive(Clone, Copy, Debug)]
pub struct Penalty(Option<f64>);

impl Penalty {
    /// The factor of the parameters, if they give one.
    pub fn new(setup: &FormulationParameters) -> Penalty {
        Penalty(setup.penalty)
    }

    /// μ for these equations, if they are the first.
    pub fn value_for(&self, full: &DenseEquations) -> f64 {
        self.0.unwrap_or_else(|| default_penalty(full.M.as_slice()))
    }

    /// μ, fixed from now on.
    pub fn fixed_value(&mut self, full: &DenseEquations) -> f64 {
        *self.0.insert(self.value_for(full))
    }
}

/// The default factor, from the entries of M.
pub fn default_penalty(M: &[f64]) -> f64 {
    PENALTY_PER_MASS * M.iter().fold(0.0_f64, |a, x| a.max(x.abs()))
}

/// The largest eigenvalue of A M⁻¹ Bᵀ: the square of the highest frequency with springs of unit stiffness in the rows.
pub fn largest_delassus_eigenvalue(full: &DenseEquations) -> Option<f64> {
    full.check_finite().ok()?;
    let X = lu_solve(full.M.clone(), &full.B.transpose()).ok()?;
    largest_eigenvalue(&(&full.A * X))
}

/// The largest eigenvalue by power iteration from a generic start, accurate to one per cent; the matrix need not be
/// symmetric.
pub fn largest_eigenvalue(S: &DMatrix<f64>) -> Option<f64> {
    let mut x = DMatrix::from_fn(S.nrows(), 1, |i, _| 1.0 + 0.1 * (i as f64).sin());
    let mut value = 0.0;
    for _ in 0..MAX_POWER_ITERATIONS {
        x /= x.norm();
        let next = S * &x;
        let found = next.norm();
        if found == 0.0 || (found - value).abs() <= 1e-6 * found {
            value = found;
            break;
        }
        (x, value) = (next, found);
    }
    (value.is_finite() && value > 0.0).then_some(value)
}

/// The message about rows that lack the level that a method penalises; `least` is the level it needs.
pub fn level_required(full: &DenseEquations, least: RowLevel, symbol: &str) -> Option<String> {
    let has = |level: &RowLevel| match least {
        RowLevel::Position => *level == RowLevel::Position,
        RowLevel::Velocity => *level != RowLevel::Acceleration,
        RowLevel::Acceleration => true,
    };
    let count = full.levels.iter().filter(|level| !has(level)).count();
    let words = if least == RowLevel::Position { "position" } else { "velocity" };
    (count > 0).then(|| format!("rows without a {words} level ({count} of {}) have no {symbol} to penalise", full.m()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn the_factor_is_that_of_the_first_mass_matrix() {
        let (mut full, ..) = cases::one_row();
        let mut mu = Penalty::new(&FormulationParameters::default());
        assert_eq!((mu.value_for(&full), mu.fixed_value(&full)), (4e5, 4e5));
        full.M *= 2.0;
        assert_eq!((mu.value_for(&full), mu.fixed_value(&full)), (4e5, 4e5));
        assert_eq!(
            Penalty::new(&FormulationParameters { penalty: Some(7.0), ..FormulationParameters::default() })
                .fixed_value(&full),
            7.0
        );
    }

    #[test]
    fn the_largest_eigenvalue_is_found() {
        for n in [1, 2, 5, 20] {
            let R = cases::generic(n, n, 9);
            let S = R.tr_mul(&R);
            let exact = S.clone().symmetric_eigenvalues().max();
            let found = largest_eigenvalue(&S).unwrap();
            assert!((found / exact - 1.0).abs() < 1e-2, "{found} for {exact}");
        }
        assert_eq!(largest_eigenvalue(&DMatrix::zeros(0, 0)), None);
        assert_eq!(largest_eigenvalue(&DMatrix::zeros(2, 2)), None);
        assert_eq!(largest_eigenvalue(&DMatrix::from_element(2, 2, f64::NAN)), None);
    }
}
