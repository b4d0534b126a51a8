//! Udwadia and Kalaba's formula without a square root: any factor of M works, and Cholesky's is the cheapest.

use super::udwadia_kalaba::least_constraint;
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, SolveError};

/// Eq. (23).
///
/// ```text
///  M = Uᵀ U        v̇ = a + U⁻¹ (A U⁻¹)⁺ (b − A a)        a = M⁻¹ f
/// ```
///
/// \[FumagalliMasarati2009\] eqs. (21)–(23); n³/3 operations for U, where the square root takes 12 to 17 n³.
#[derive(Clone, Debug)]
pub struct Cholesky {
    setup: FormulationParameters,
}

impl DenseFormulation for Cholesky {
    fn new(setup: &FormulationParameters) -> Cholesky {
        Cholesky { setup: *setup }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.symmetry_required().or_else(|| full.definite_mass_required())
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        let M = full.M.clone().cholesky().ok_or(SolveError::NotFinite)?;
        // L = Uᵀ, so that A U⁻¹ = (L⁻¹ Aᵀ)ᵀ.
        let L = M.l_dirty();
        let H = L.solve_lower_triangular(&full.A.transpose()).ok_or(SolveError::NotFinite)?.transpose();
        least_constraint(full, M.solve(&full.f), H, |y| L.tr_solve_lower_triangular(y), &self.setup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn solves_the_small_cases() {
        cases::assert_solves::<Cholesky>(&cases::symmetric(), 1e-13);
    }

    #[test]
    fn refuses_a_mass_matrix_without_symmetry() {
        cases::refuses_without_symmetry::<Cholesky>();
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<Cholesky>();
    }
}
