//! The factor μ of the penalty methods, and the rates of the motions that they add.

use super::full::solved;
use super::{Full, Setup};
use crate::constraints::Level;
use nalgebra::DMatrix;

/// Five orders of magnitude above the largest entry of M ([Newhart2019] §2.1).
const ABOVE_MASS: f64 = 1e5;
/// Maximum number of power iterations.
const STEPS: usize = 200;

/// μ as given, or from the first M and constant from then on: a factor that varied with M would do work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalty(Option<f64>);

impl Penalty {
    pub fn new(setup: &Setup) -> Penalty {
        Penalty(setup.penalty)
    }

    /// μ for these equations, if they are the first.
    pub fn seen(&self, full: &Full) -> f64 {
        self.0.unwrap_or_else(|| usual(full.M.as_slice()))
    }

    /// μ, fixed from now on.
    pub fn of(&mut self, full: &Full) -> f64 {
        *self.0.insert(self.seen(full))
    }
}

/// The default factor, from the entries of M.
pub(crate) fn usual(M: &[f64]) -> f64 {
    ABOVE_MASS * M.iter().fold(0.0_f64, |a, x| a.max(x.abs()))
}

/// The largest eigenvalue of A M⁻¹ Bᵀ: the square of the highest frequency with springs of unit stiffness in the rows.
pub(super) fn fastest(full: &Full) -> Option<f64> {
    full.finite().ok()?;
    let X = solved(full.M.clone(), &full.B.transpose()).ok()?;
    largest_eigenvalue(&(&full.A * X))
}

/// The largest eigenvalue by power iteration from a generic start, accurate to one per cent; the matrix need not be
/// symmetric.
pub(super) fn largest_eigenvalue(S: &DMatrix<f64>) -> Option<f64> {
    let mut x = DMatrix::from_fn(S.nrows(), 1, |i, _| 1.0 + 0.1 * (i as f64).sin());
    let mut value = 0.0;
    for _ in 0..STEPS {
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
pub(super) fn refused_without(full: &Full, least: Level, symbol: &str) -> Option<String> {
    let has = |level: &Level| match least {
        Level::Position => *level == Level::Position,
        Level::Velocity => *level != Level::Acceleration,
        Level::Acceleration => true,
    };
    let count = full.levels.iter().filter(|level| !has(level)).count();
    let words = if least == Level::Position { "position" } else { "velocity" };
    (count > 0).then(|| format!("rows without a {words} level ({count} of {}) have no {symbol} to penalise", full.m()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn the_factor_is_that_of_the_first_mass_matrix() {
        let (mut full, ..) = cases::one_row();
        let mut mu = Penalty::new(&Setup::default());
        assert_eq!((mu.seen(&full), mu.of(&full)), (4e5, 4e5));
        full.M *= 2.0;
        assert_eq!((mu.seen(&full), mu.of(&full)), (4e5, 4e5));
        assert_eq!(Penalty::new(&Setup { penalty: Some(7.0), ..Setup::default() }).of(&full), 7.0);
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
