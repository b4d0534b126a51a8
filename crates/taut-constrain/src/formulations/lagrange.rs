//! Lagrange's equations of the first kind: one system for accelerations and multipliers.

use super::dense::{RowCheck, lu_solve};
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, SolveError};
use nalgebra::{DMatrix, DVector};

/// The full saddle-point system by LU.
///
/// ```text
///  [ M  −Bᵀ ] [ v̇ ]   [ f ]
///  [ A   0  ] [ λ ] = [ b ]
/// ```
///
/// \[Newhart2019\] eq. (21), there with the opposite sign of λ and called index 3; with the rows at acceleration level it
/// has index 1. \[MitiguyBanerjee2000\] call it Newton–Euler: all unknowns at once, at the cost (n + m)³. M need not be
/// symmetric or regular, only the whole matrix must be regular; dependent rows make it singular.
#[derive(Clone, Debug)]
pub struct Lagrange {
    setup: FormulationParameters,
    rows: RowCheck,
}

impl DenseFormulation for Lagrange {
    fn new(setup: &FormulationParameters) -> Lagrange {
        Lagrange { setup: *setup, rows: RowCheck::default() }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.independent_rows_required(&self.setup)
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        self.rows.check(full, &self.setup)?;
        let (n, m) = (full.n(), full.m());
        let mut K = DMatrix::zeros(n + m, n + m);
        K.view_mut((0, 0), (n, n)).copy_from(&full.M);
        K.view_mut((0, n), (n, m)).copy_from(&-full.B.transpose());
        K.view_mut((n, 0), (m, n)).copy_from(&full.A);
        let rhs = DVector::from_iterator(n + m, full.f.iter().chain(full.b.iter()).copied());
        let x = lu_solve(K, &rhs).map_err(|_| SolveError::Singular)?;
        DenseSolution::checked(x.rows(0, n).into_owned(), x.rows(n, m).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn solves_the_small_cases() {
        cases::assert_solves::<Lagrange>(
            &[cases::nothing(), cases::no_rows(), cases::one_row(), cases::pin(), cases::rotation_parameters()],
            1e-13,
        );
    }

    #[test]
    fn refuses_dependent_rows() {
        cases::refuses_dependent_rows::<Lagrange>();
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<Lagrange>();
    }
}
