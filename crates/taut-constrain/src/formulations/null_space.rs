//! The equations of Maggi and Kane: only the free directions, in an orthonormal basis of ker A.

use super::dense::lu_solve;
use super::orthogonal_decomposition::CompleteOrthogonalDecomposition;
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, RANK_TOLERANCE, SolveError};
use crate::Symmetry;

/// Maggi–Kane with an orthogonal basis.
///
/// ```text
///  v̇ = A⁺ b + Z s        A Z = 0, Zᵀ Z = I
///  (Yᵀ M Z) s = Yᵀ (f − M A⁺ b)        B Y = 0; Y = Z where M is symmetric
///  λ = (Bᵀ)⁺ (M v̇ − f)
/// ```
///
/// The reactions do no work along Y and drop out; λ is computed afterwards by least squares. If rows contradict each
/// other, A⁺ b satisfies A v̇ = b in the least-squares sense, and s minimises Gauss' constraint: the result is that of
/// \[FumagalliMasarati2009\] eq. (6), without a root and without M⁻¹. M itself need not be regular, only Zᵀ M Z.
#[derive(Clone, Debug)]
pub struct NullSpace {
    tolerance: f64,
}

impl DenseFormulation for NullSpace {
    fn new(setup: &FormulationParameters) -> NullSpace {
        NullSpace { tolerance: setup.rank_tolerance.unwrap_or(RANK_TOLERANCE) }
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        let of_A = CompleteOrthogonalDecomposition::new(&full.A, self.tolerance).ok_or(SolveError::NotFinite)?;
        let of_B = match full.symmetry {
            Symmetry::Symmetric => of_A.clone(),
            Symmetry::NonSymmetric => {
                CompleteOrthogonalDecomposition::new(&full.B, self.tolerance).ok_or(SolveError::NotFinite)?
            }
        };
        let (Z, Y) = (of_A.kernel(), of_B.kernel());
        // If B and A have different ranks, the reactions cannot enforce the rows, and there is no solution.
        if Y.ncols() != Z.ncols() {
            return Err(SolveError::NotFinite);
        }
        let particular = of_A.solve(&full.b).ok_or(SolveError::NotFinite)?;
        let reduced = Y.tr_mul(&(&full.M * Z));
        let load = Y.tr_mul(&(&full.f - &full.M * &particular));
        let s = match full.symmetry {
            Symmetry::Symmetric => reduced.cholesky().map(|M| M.solve(&load)).ok_or(SolveError::NotFinite)?,
            Symmetry::NonSymmetric => lu_solve(reduced, &load)?,
        };
        let vdot = particular + Z * s;
        let lambda = of_B.solve_transposed(&(&full.M * &vdot - &full.f)).ok_or(SolveError::NotFinite)?;
        DenseSolution::checked(vdot, lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;
    use nalgebra::DMatrix;

    #[test]
    fn solves_the_small_cases() {
        cases::assert_solves::<NullSpace>(&cases::symmetric(), 1e-13);
        cases::assert_solves::<NullSpace>(&[cases::rotation_parameters()], 1e-13);
    }

    #[test]
    fn a_coordinate_without_mass_is_no_harm_if_a_row_holds_it() {
        // x₂ has no mass and follows x₁: 2 ẍ₁ = 3 + 1.
        let M = DMatrix::from_diagonal(&cases::vector(&[2.0, 0.0]));
        let A = DMatrix::from_row_slice(1, 2, &[1.0, -1.0]);
        let full = DenseEquations::symmetric(M, cases::vector(&[3.0, 1.0]), A, cases::vector(&[0.0]));
        let found = NullSpace::new(&FormulationParameters::default()).solve(&full).unwrap();
        assert!((found.vdot - cases::vector(&[2.0, 2.0])).norm() < 1e-14);
        assert!((found.lambda[0] - 1.0).abs() < 1e-14);
    }

    #[test]
    fn nothing_is_left_where_the_rows_hold_everything() {
        let (mut full, ..) = cases::one_row();
        (full.A, full.b) = (DMatrix::identity(3, 3), cases::vector(&[1.0, 2.0, 3.0]));
        full.B = full.A.clone();
        let found = NullSpace::new(&FormulationParameters::default()).solve(&full).unwrap();
        assert!(
            (&found.vdot - &full.b).norm() < 1e-14 && (found.lambda - (&full.M * &full.b - &full.f)).norm() < 1e-13
        );
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<NullSpace>();
    }
}
