//! The penalty method of index 2: dampers for the velocities, and a separate velocity for the coordinates.

use super::dense::lu_solve;
use super::penalty::{Penalty, largest_delassus_eigenvalue, largest_eigenvalue, level_required};
use super::{
    CoordinateVelocity, DenseEquations, DenseFormulation, DenseSolution, Exactness, FormulationParameters, SolveError,
    Stiffness, StiffnessCharacter,
};
use crate::RowLevel;
use nalgebra::DVector;

/// Eq. (58).
///
/// ```text
///  M v̇ = f − Bᵀ μ φ̇        λ = −μ φ̇,   φ̇ = A v + φ_t
///  q̇ = N w,  w = v − Aᵀ μ φ
/// ```
///
/// \[Newhart2019\] eq. (58), printed with C_,q for C_,t in the first block, after Goicolea and Orden. q̇ on the
/// right-hand side of that block is v; with w instead, one of the two residuals would not decay. Both decay, at the
/// rates μ λ_max(A M⁻¹ Bᵀ) and μ λ_max(A Aᵀ). The thesis uses one μ for two blocks with different units. Rows given as
/// velocities have no φ and do not change w.
#[derive(Clone, Debug)]
pub struct Index2 {
    mu: Penalty,
}

impl DenseFormulation for Index2 {
    fn new(setup: &FormulationParameters) -> Index2 {
        Index2 { mu: Penalty::new(setup) }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.definite_mass_required().or_else(|| level_required(full, RowLevel::Velocity, "φ̇"))
    }

    fn exactness(&self) -> Exactness {
        Exactness::Penalised
    }

    fn coordinate_velocity(&self) -> CoordinateVelocity {
        CoordinateVelocity::Corrected
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        let lambda = -self.mu.fixed_value(full) * &full.phidot;
        let forces = &full.f + full.B.tr_mul(&lambda);
        DenseSolution::checked(lu_solve(full.M.clone(), &forces)?, lambda)
    }

    fn correct_coordinate_velocity(&mut self, full: &DenseEquations, w: &mut DVector<f64>) {
        let held = |r: usize| if full.levels[r] == RowLevel::Position { full.phi[r] } else { 0.0 };
        let phi = DVector::from_fn(full.m(), |r, _| held(r));
        *w -= self.mu.fixed_value(full) * full.A.tr_mul(&phi);
    }

    fn stiffness(&self, full: &DenseEquations) -> Option<Stiffness> {
        let positions: Vec<usize> = (0..full.m()).filter(|r| full.levels[*r] == RowLevel::Position).collect();
        let A = full.A.select_rows(&positions);
        let kinematic = largest_eigenvalue(&(&A * A.transpose())).unwrap_or(0.0);
        let rate = self.mu.value_for(full) * largest_delassus_eigenvalue(full)?.max(kinematic);
        Some(Stiffness { rate, character: StiffnessCharacter::Decaying })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    fn soft() -> Index2 {
        Index2::new(&FormulationParameters { penalty: Some(1e3), ..FormulationParameters::default() })
    }

    #[test]
    fn dampers_pull_the_velocities_and_positions_steer() {
        let (mut full, ..) = cases::one_row();
        (full.phi[0], full.phidot[0], full.levels[0]) = (3e-3, 2e-3, RowLevel::Position);
        let mut method = soft();
        assert_eq!(method.unsupported_reason(&full), None);
        let found = method.solve(&full).unwrap();
        assert_eq!(found.lambda.as_slice(), [-2.0]);
        assert!((&full.M * found.vdot - cases::vector(&[-1.0, 0.0, 3.0])).norm() < 1e-14);
        let mut w = cases::vector(&[1.0, 2.0, 3.0]);
        method.correct_coordinate_velocity(&full, &mut w);
        assert!((w - cases::vector(&[-2.0, -1.0, 3.0])).norm() < 1e-14);
    }

    #[test]
    fn rows_of_velocity_do_not_steer() {
        let (mut full, ..) = cases::one_row();
        (full.phi[0], full.levels[0]) = (f64::NAN, RowLevel::Velocity);
        let mut method = soft();
        assert_eq!(method.unsupported_reason(&full), None);
        let mut w = cases::vector(&[1.0, 2.0, 3.0]);
        method.correct_coordinate_velocity(&full, &mut w);
        assert_eq!(w.as_slice(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn the_rate_is_the_faster_of_both() {
        // A M⁻¹ Aᵀ = 1/2, A Aᵀ = 2.
        let (mut full, ..) = cases::one_row();
        full.levels[0] = RowLevel::Position;
        let rate = |full: &DenseEquations| soft().stiffness(full).map(|s| (s.rate.round(), s.character));
        assert_eq!(rate(&full), Some((2e3, StiffnessCharacter::Decaying)));
        full.levels[0] = RowLevel::Velocity;
        assert_eq!(rate(&full), Some((500.0, StiffnessCharacter::Decaying)));
        assert_eq!(rate(&cases::no_rows().0), None);
    }

    #[test]
    fn refuses_rows_without_velocity() {
        let words = "rows without a velocity level (1 of 1) have no φ̇ to penalise";
        assert_eq!(soft().unsupported_reason(&cases::one_row().0).as_deref(), Some(words));
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<Index2>();
        cases::assert_solves::<Index2>(&[cases::nothing(), cases::no_rows()], 1e-14);
    }
}
