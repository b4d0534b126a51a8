//! Lagrange's equations of the first kind: one system for accelerations and multipliers.
//!
//! ```text
//!  [ M  −Bᵀ ] [ v̇ ]   [ f ]
//!  [ A   0  ] [ λ ] = [ b ]
//! ```
//!
//! [Newhart2019] eq. (21), there with the opposite sign of λ and called index 3; with the rows at acceleration level it
//! has index 1. [MitiguyBanerjee2000] call it Newton–Euler: all unknowns at once, at the cost (n + m)³. M need not be
//! symmetric or regular, only the whole matrix must be regular; dependent rows make it singular.

use super::full::solved;
use super::{Answer, Dense, Full, Setup, SolveError};
use nalgebra::{DMatrix, DVector};

/// The full saddle-point system by LU.
#[derive(Clone, Debug)]
pub struct Lagrange {
    setup: Setup,
}

impl Dense for Lagrange {
    fn new(setup: &Setup) -> Lagrange {
        Lagrange { setup: *setup }
    }

    fn refuses(&self, full: &Full) -> Option<String> {
        full.refused_as_dependent(&self.setup)
    }

    fn solve(&mut self, full: &Full) -> Result<Answer, SolveError> {
        full.finite()?;
        let (n, m) = (full.n(), full.m());
        let mut K = DMatrix::zeros(n + m, n + m);
        K.view_mut((0, 0), (n, n)).copy_from(&full.M);
        K.view_mut((0, n), (n, m)).copy_from(&-full.B.transpose());
        K.view_mut((n, 0), (m, n)).copy_from(&full.A);
        let rhs = DVector::from_iterator(n + m, full.f.iter().chain(full.b.iter()).copied());
        let x = solved(K, &rhs).map_err(|_| SolveError::Singular)?;
        Answer::of(x.rows(0, n).into_owned(), x.rows(n, m).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn solves_the_small_cases() {
        cases::meets::<Lagrange>(
            &[cases::nothing(), cases::no_rows(), cases::one_row(), cases::pin(), cases::rotation_parameters()],
            1e-13,
        );
    }

    #[test]
    fn refuses_dependent_rows() {
        cases::refuses_dependent_rows::<Lagrange>();
    }

    #[test]
    fn tells_what_is_not_finite() {
        cases::tells_what_is_not_finite::<Lagrange>();
    }
}
