//! Static penalties for both accelerations and velocities: both blocks of the equations of index 2.

use super::penalty::Penalty;
use super::static_penalty::accelerations;
use super::{
    CoordinateVelocity, DenseEquations, DenseFormulation, DenseSolution, Exactness, FormulationParameters, SolveError,
};
use crate::RowLevel;
use nalgebra::{DMatrix, DVector};

/// Eq. (55), both blocks penalised.
///
/// ```text
///  (M + μ Bᵀ A) v̇ = f + μ Bᵀ b        λ = μ (b − A v̇)
///  q̇ = N w,  (I + μ Aᵀ A) w = v − μ Aᵀ φ_t
/// ```
///
/// \[Newhart2019\] eq. (55) with both multipliers replaced by penalties (and +γ on the right, with eq. (22)). The code
/// printed in the thesis computes w but does not return it, so that it is the static penalty method. Here q̇ satisfies
/// the rows to O(1/μ) for any v. Rows given as accelerations do not change w.
#[derive(Clone, Debug)]
pub struct Index2Static {
    mu: Penalty,
}

impl DenseFormulation for Index2Static {
    fn new(setup: &FormulationParameters) -> Index2Static {
        Index2Static { mu: Penalty::new(setup) }
    }

    fn exactness(&self) -> Exactness {
        Exactness::Penalised
    }

    fn coordinate_velocity(&self) -> CoordinateVelocity {
        CoordinateVelocity::Corrected
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        accelerations(full, self.mu.fixed_value(full))
    }

    fn correct_coordinate_velocity(&mut self, full: &DenseEquations, w: &mut DVector<f64>) {
        let mu = self.mu.fixed_value(full);
        let held: Vec<usize> = (0..full.m()).filter(|r| full.levels[*r] != RowLevel::Acceleration).collect();
        let (A, phi_t) = (full.A.select_rows(&held), full.phi_t.select_rows(&held));
        let K = DMatrix::identity(full.n(), full.n()) + mu * A.tr_mul(&A);
        let load = &*w - mu * A.tr_mul(&phi_t);
        // K is positive definite; if it is not finite, w becomes NaN as well.
        *w = K.cholesky().map_or_else(|| DVector::from_element(full.n(), f64::NAN), |K| K.solve(&load));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::StaticPenalty;
    use crate::formulations::small_cases as cases;

    #[test]
    fn the_coordinates_move_along_the_rows() {
        let (mut full, ..) = cases::one_row();
        (full.phi_t[0], full.levels[0]) = (-0.5, RowLevel::Position);
        let v = cases::vector(&[1.0, 2.0, 3.0]);
        for mu in [1e3, 1e6] {
            let mut method =
                Index2Static::new(&FormulationParameters { penalty: Some(mu), ..FormulationParameters::default() });
            let mut w = v.clone();
            method.correct_coordinate_velocity(&full, &mut w);
            // Exact: w = v + Aᵀ k with A v + |A|² k + k/μ + φ_t = 0, k = −2.5/(2 + 1/μ).
            let k = -2.5 / (2.0 + 1.0 / mu);
            assert!((&w - cases::vector(&[1.0 + k, 2.0 + k, 3.0])).norm() < 1e-15 * mu, "{w}");
            assert!(((&full.A * &w)[0] - 0.5).abs() < 2.0 / mu);
        }
    }

    #[test]
    fn rows_of_acceleration_do_not_steer() {
        let (full, ..) = cases::one_row();
        let mut w = cases::vector(&[1.0, 2.0, 3.0]);
        Index2Static::new(&FormulationParameters::default()).correct_coordinate_velocity(&full, &mut w);
        assert_eq!(w.as_slice(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn accelerations_are_those_of_the_static_penalty() {
        for (full, ..) in cases::symmetric() {
            let one = Index2Static::new(&FormulationParameters::default()).solve(&full).unwrap();
            assert_eq!(one, StaticPenalty::new(&FormulationParameters::default()).solve(&full).unwrap());
        }
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<Index2Static>();
    }
}
