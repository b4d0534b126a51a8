//! Gauss' principle in closed form, by a root of the mass matrix.
//!
//! ```text
//!  v̇ = a + R⁻¹ (A R⁻¹)⁺ (b − A a)        a = M⁻¹ f,   Rᵀ R = M
//! ```
//!
//! With R = M^(1/2) this is the formula of \[UdwadiaKalaba1992\], \[FumagalliMasarati2009\] eq. (6); with the Cholesky
//! factor it is their eq. (23). Three methods for the square root are provided, because the root dominates the cost. If
//! rows are dependent or contradictory, the pseudo-inverse takes the least-squares solutions of A v̇ = b and, among
//! these, the least constraint of Gauss. The multipliers, λ = (A M⁻¹ Aᵀ)⁺ (b − A a), have least Euclidean norm (not, as
//! printed after eq. (46), a norm weighted by M).

use super::pseudo_inverse::PseudoInverse;
use super::square_root::SquareRoot;
use super::{DenseEquations, DenseSolution, FormulationParameters, RANK_TOLERANCE, SolveError};
use nalgebra::{DMatrix, DVector};

/// Eq. (6) with a given root.
pub fn with_square_root(
    full: &DenseEquations,
    root: Option<SquareRoot>,
    setup: &FormulationParameters,
) -> Result<DenseSolution, SolveError> {
    let inverse = root.ok_or(SolveError::NotFinite)?.inverse;
    let a = &inverse * (&inverse * &full.f);
    let H = &full.A * &inverse;
    least_constraint(full, a, H, |y| Some(inverse * y), setup)
}

/// v̇ = a + R⁻¹ y and λ = (H⁺)ᵀ y, y = H⁺ (b − A a), from H = A R⁻¹ and a function that applies R⁻¹.
pub fn least_constraint(
    full: &DenseEquations,
    a: DVector<f64>,
    H: DMatrix<f64>,
    unroot: impl FnOnce(&DVector<f64>) -> Option<DVector<f64>>,
    setup: &FormulationParameters,
) -> Result<DenseSolution, SolveError> {
    let H = PseudoInverse::new(&H, setup.rank_tolerance.unwrap_or(RANK_TOLERANCE)).ok_or(SolveError::NotFinite)?;
    let y = H.times(&(&full.b - &full.A * &a));
    DenseSolution::checked(a + unroot(&y).ok_or(SolveError::NotFinite)?, H.transposed_times(&y))
}

#[cfg(test)]
mod tests {
    use crate::formulations::small_cases as cases;
    use crate::formulations::{UdwadiaKalabaDenmanBeavers, UdwadiaKalabaSchur, UdwadiaKalabaSpectral};

    #[test]
    fn solves_the_small_cases_with_every_root() {
        cases::assert_solves::<UdwadiaKalabaSpectral>(&cases::symmetric(), 1e-13);
        cases::assert_solves::<UdwadiaKalabaDenmanBeavers>(&cases::symmetric(), 1e-13);
        cases::assert_solves::<UdwadiaKalabaSchur>(&cases::symmetric(), 1e-13);
    }

    #[test]
    fn refuses_a_mass_matrix_without_symmetry() {
        cases::refuses_without_symmetry::<UdwadiaKalabaSpectral>();
        cases::refuses_without_symmetry::<UdwadiaKalabaDenmanBeavers>();
        cases::refuses_without_symmetry::<UdwadiaKalabaSchur>();
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<UdwadiaKalabaSpectral>();
        cases::reports_non_finite_numbers::<UdwadiaKalabaDenmanBeavers>();
        cases::reports_non_finite_numbers::<UdwadiaKalabaSchur>();
    }
}
