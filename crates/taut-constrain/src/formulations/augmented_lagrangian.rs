//! The augmented Lagrangian: a penalty whose error an iteration of multipliers removes.

use super::dense::lu_solve;
use super::penalty::Penalty;
use super::{DenseEquations, DenseFormulation, DenseSolution, Exactness, FormulationParameters, SolveError};
use nalgebra::DVector;

/// Most iterations; a few are usual.
const MAX_ITERATIONS: usize = 20;
/// Correction of the accelerations that counts as round-off, relative to the accelerations.
const ROUND_OFF: f64 = 1e-15;

/// The iteration of \[BayoJalonSerna1988\], constraints at acceleration level.
///
/// ```text
///  (M + α AᵀA) δ = f + Aᵀ (λ − α r) − M v̇        r = A v̇ − b
///  v̇ ← v̇ + δ        λ ← λ − α r
/// ```
///
/// Each iteration divides the error of a direction by 1 + α σ², σ² its eigenvalue of A M⁻¹ Aᵀ. Three or four are enough
/// unless rows are nearly dependent. At convergence r = 0 and λ is the multiplier. The matrix is regular for dependent
/// rows, and the multipliers of redundant ones have least Euclidean norm. If rows contradict each other, r converges to
/// their least-squares residual; its sum, by which these rows only act on each other, is left out of λ.
///
/// With the integrator `trapezoidal_index3` the same α regularises the constraints at position level, and velocities and
/// accelerations are projected after each step: the method of \[Cuadrado1997\].
#[derive(Clone, Debug)]
pub struct AugmentedLagrangian {
    alpha: Penalty,
}

impl DenseFormulation for AugmentedLagrangian {
    fn new(setup: &FormulationParameters) -> AugmentedLagrangian {
        AugmentedLagrangian { alpha: Penalty::new(setup) }
    }

    // Nearly dependent rows keep an error.
    fn exactness(&self) -> Exactness {
        Exactness::Penalised
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.symmetry_required()
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        let DenseEquations { M, f, A, b, .. } = full;
        let alpha = self.alpha.fixed_value(full);
        let K = M + alpha * A.tr_mul(A);
        let factor = K.clone().cholesky();
        let (mut vdot, mut lambda) = (DVector::zeros(full.n()), DVector::zeros(full.m()));
        // λ without what contradictory rows keep: −α Σ (r_i − r_n), written with the changes of r, which lose no digits.
        let (mut r, mut shared, mut before) = (-b, lambda.clone(), f64::INFINITY);
        for step in 0..MAX_ITERATIONS {
            let rest = f + A.tr_mul(&(&lambda - alpha * &r)) - M * &vdot;
            let delta = match &factor {
                Some(factor) => factor.solve(&rest),
                None => lu_solve(K.clone(), &rest)?,
            };
            vdot += &delta;
            let change = A * &delta;
            r += &change;
            lambda -= alpha * &r;
            shared += (alpha * step as f64) * change;
            // Converged, or round-off is reached.
            let size = delta.amax();
            if !(size > ROUND_OFF * vdot.amax() && size < before) {
                break;
            }
            before = size;
        }
        DenseSolution::checked(vdot, shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn finds_the_exact_accelerations_and_multipliers() {
        let all = [
            cases::one_row(),
            cases::doubled_row(),
            cases::contradicting_rows(),
            cases::pin(),
            cases::three_rows_of_rank_two(),
            cases::nothing(),
            cases::no_rows(),
        ];
        cases::assert_solves::<AugmentedLagrangian>(&all, 1e-9);
    }

    #[test]
    fn the_penalty_is_no_accuracy() {
        let (full, vdot, _) = cases::three_rows_of_rank_two();
        for penalty in [1e2, 1e5, 1e8] {
            let setup = FormulationParameters { penalty: Some(penalty), ..FormulationParameters::default() };
            let found = AugmentedLagrangian::new(&setup).solve(&full).unwrap();
            assert!((found.vdot - &vdot).norm() < 1e-9, "{penalty}");
        }
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<AugmentedLagrangian>();
    }
}
