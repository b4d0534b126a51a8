//! The rows as stiff springs: the penalty method of index 3.

use super::dense::lu_solve;
use super::penalty::{Penalty, largest_delassus_eigenvalue, level_required};
use super::{
    DenseEquations, DenseFormulation, DenseSolution, Exactness, FormulationParameters, SolveError, Stiffness,
    StiffnessCharacter,
};
use crate::RowLevel;

/// Eq. (52).
///
/// ```text
///  M v̇ = f − Bᵀ μ φ        λ = −μ φ
/// ```
///
/// \[Newhart2019\] eqs. (51), (52), after Goicolea and Orden. The energy of the springs, μ φ·φ/2, belongs to the
/// mechanism and is conserved with it. The springs oscillate, faster the stiffer they are: ω = √(μ λ_max(A M⁻¹ Bᵀ)).
#[derive(Clone, Debug)]
pub struct GoicoleaOrden {
    mu: Penalty,
}

impl DenseFormulation for GoicoleaOrden {
    fn new(setup: &FormulationParameters) -> GoicoleaOrden {
        GoicoleaOrden { mu: Penalty::new(setup) }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.definite_mass_required().or_else(|| level_required(full, RowLevel::Position, "φ"))
    }

    fn exactness(&self) -> Exactness {
        Exactness::Penalised
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        let lambda = -self.mu.fixed_value(full) * &full.phi;
        let forces = &full.f + full.B.tr_mul(&lambda);
        DenseSolution::checked(lu_solve(full.M.clone(), &forces)?, lambda)
    }

    fn stiffness(&self, full: &DenseEquations) -> Option<Stiffness> {
        let rate = (self.mu.value_for(full) * largest_delassus_eigenvalue(full)?).sqrt();
        Some(Stiffness { rate, character: StiffnessCharacter::Oscillating })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn springs_pull_back() {
        let (mut full, ..) = cases::one_row();
        (full.phi[0], full.levels[0]) = (1e-3, RowLevel::Position);
        let mut method =
            GoicoleaOrden::new(&FormulationParameters { penalty: Some(2e3), ..FormulationParameters::default() });
        assert_eq!(method.unsupported_reason(&full), None);
        let found = method.solve(&full).unwrap();
        assert_eq!(found.lambda.as_slice(), [-2.0]);
        // M v̇ = (1, 2, 3) − 2 (1, 1, 0).
        assert!((&full.M * found.vdot - cases::vector(&[-1.0, 0.0, 3.0])).norm() < 1e-14);
    }

    #[test]
    fn the_rate_is_that_of_the_springs() {
        // A M⁻¹ Aᵀ = 1/2 for the row, ω² = 2e3/2.
        let (mut full, ..) = cases::one_row();
        full.levels[0] = RowLevel::Position;
        let method =
            GoicoleaOrden::new(&FormulationParameters { penalty: Some(2e3), ..FormulationParameters::default() });
        let found = method.stiffness(&full).unwrap();
        assert!((found.rate - 1e3_f64.sqrt()).abs() < 1e-10 && found.character == StiffnessCharacter::Oscillating);
        assert_eq!(method.stiffness(&cases::no_rows().0), None);
    }

    #[test]
    fn refuses_rows_without_position() {
        let (mut full, ..) = cases::doubled_row();
        full.levels = vec![RowLevel::Position, RowLevel::Velocity];
        let method = GoicoleaOrden::new(&FormulationParameters::default());
        let words = "rows without a position level (1 of 2) have no φ to penalise";
        assert_eq!(method.unsupported_reason(&full).as_deref(), Some(words));
    }

    #[test]
    fn free_motion_is_exact() {
        cases::assert_solves::<GoicoleaOrden>(&[cases::nothing(), cases::no_rows()], 1e-14);
    }

    #[test]
    fn reports_non_finite_numbers() {
        let (mut full, ..) = cases::one_row();
        full.phi[0] = f64::NAN;
        assert_eq!(GoicoleaOrden::new(&FormulationParameters::default()).solve(&full), Err(SolveError::NotFinite));
        cases::reports_non_finite_numbers::<GoicoleaOrden>();
    }
}
