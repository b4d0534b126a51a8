//! The multipliers by a pseudo-inverse: a regular form of Lagrange's formulation.

use super::dense::lu_solve;
use super::pseudo_inverse::PseudoInverse;
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, RANK_TOLERANCE, SolveError};
use crate::Symmetry;

/// Eigenvalues of A M⁻¹ Aᵀ smaller than this, relative to the largest, are round-off of the products.
const ROUND_OFF: f64 = 1e-13;

/// Eqs. (46) and (60).
///
/// ```text
///  λ = (A M⁻¹ Bᵀ)⁺ (b − A a)        v̇ = a + M⁻¹ Bᵀ λ        a = M⁻¹ f
/// ```
///
/// \[FumagalliMasarati2009\] eq. (46), the cheapest of their three because the matrix to be inverted is m × m. Its
/// singular values are the squares of those of eq. (23), so dependent rows are distinguished with half as many digits.
///
/// Non-symmetric mass matrices follow eq. (60) of their appendix 2, with two corrections: the reaction stays in the
/// test space (Bᵀ here, their Aᵀ, never the A* of the coordinates), and b belongs to the coordinates in which v̇ is
/// written, b + A* c with c = (x*_/x ẋ)_/x ẋ; Taut's engine forms b in this way.
#[derive(Clone, Debug)]
pub struct Regularised {
    setup: FormulationParameters,
}

impl DenseFormulation for Regularised {
    fn new(setup: &FormulationParameters) -> Regularised {
        Regularised { setup: *setup }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.definite_mass_required()
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        let Bt = full.B.transpose();
        let (X, a) = match full.symmetry {
            Symmetry::Symmetric => {
                let M = full.M.clone().cholesky().ok_or(SolveError::NotFinite)?;
                (M.solve(&Bt), M.solve(&full.f))
            }
            Symmetry::NonSymmetric => (lu_solve(full.M.clone(), &Bt)?, lu_solve(full.M.clone(), &full.f)?),
        };
        let tolerance = self.setup.rank_tolerance.unwrap_or(RANK_TOLERANCE).powi(2).max(ROUND_OFF);
        let S = match full.symmetry {
            Symmetry::Symmetric => PseudoInverse::of_symmetric(&full.A * &X, tolerance),
            Symmetry::NonSymmetric => PseudoInverse::new(&(&full.A * &X), tolerance),
        };
        let S = S.ok_or(SolveError::NotFinite)?;
        let lambda = S.times(&(&full.b - &full.A * &a));
        DenseSolution::checked(a + X * &lambda, lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn solves_the_small_cases() {
        cases::assert_solves::<Regularised>(&cases::symmetric(), 1e-13);
    }

    #[test]
    fn solves_newton_euler_with_rotation_parameters() {
        cases::assert_solves::<Regularised>(&[cases::rotation_parameters()], 1e-13);
        // With the reaction along A, as printed, the accelerations would be wrong by 0.67.
        let (mut full, expected, _) = cases::rotation_parameters();
        full.B = full.A.clone();
        let found = Regularised::new(&FormulationParameters::default()).solve(&full).unwrap();
        assert!((found.vdot - expected).amax() > 0.1);
    }

    #[test]
    fn the_constraint_can_lengthen_the_accelerations() {
        // Not as printed in eqs. (47), (48): only in the norm of M the constrained accelerations are the shorter ones.
        let full = cases::norm_claim();
        let found = Regularised::new(&FormulationParameters::default()).solve(&full).unwrap().vdot;
        let a = cases::vector(&[0.0, 1.0]);
        assert!((found.norm() - 1.3598207330510528).abs() < 1e-14 && found.norm() > a.norm());
        assert!(found.dot(&(&full.M * &found)) < a.dot(&(&full.M * &a)));
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<Regularised>();
    }
}
