//! The static penalty method: the rows at acceleration level as stiff springs of acceleration.

use super::dense::lu_solve;
use super::penalty::Penalty;
use super::{DenseEquations, DenseFormulation, DenseSolution, Exactness, FormulationParameters, SolveError};

/// Eqs. (71) and (72).
///
/// ```text
///  (M + μ Bᵀ A) v̇ = f + μ Bᵀ b        λ = μ (b − A v̇)
/// ```
///
/// \[Newhart2019\] eq. (71), with γ = b in the sense of eq. (22), as in its code; eqs. (69)–(71) are printed for the
/// opposite sign of γ. Eq. (72), the same with \[Baumgarte1972\], needs nothing more: it is eq. (71) with b − 2 α φ̇ − ζ²
/// φ instead of b, which is exactly what that drift control does. (As printed, the sign is wrong, so that it
/// destabilises, and ζ is not squared.)
///
/// The accelerations have an error of O(1/μ), and dependent rows need not be removed. Contradicting rows get
/// multipliers of order μ that cancel in Bᵀλ. No motion is added, so nothing becomes stiff.
#[derive(Clone, Debug)]
pub struct StaticPenalty {
    mu: Penalty,
}

/// v̇ and λ of eq. (71).
pub fn accelerations(full: &DenseEquations, mu: f64) -> Result<DenseSolution, SolveError> {
    let Bt = full.B.transpose();
    let K = &full.M + mu * (&Bt * &full.A);
    let vdot = lu_solve(K, &(&full.f + mu * (Bt * &full.b)))?;
    let lambda = mu * (&full.b - &full.A * &vdot);
    DenseSolution::checked(vdot, lambda)
}

impl DenseFormulation for StaticPenalty {
    fn new(setup: &FormulationParameters) -> StaticPenalty {
        StaticPenalty { mu: Penalty::new(setup) }
    }

    fn exactness(&self) -> Exactness {
        Exactness::Penalised
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        accelerations(full, self.mu.fixed_value(full))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::Lagrange;
    use crate::formulations::small_cases as cases;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn goes_to_the_exact_accelerations_as_the_factor_grows() {
        let all = [
            cases::one_row(),
            cases::doubled_row(),
            cases::contradicting_rows(),
            cases::pin(),
            cases::three_rows_of_rank_two(),
            cases::rotation_parameters(),
        ];
        for (full, vdot, lambda) in all {
            let far = |mu: f64| {
                let found = StaticPenalty::new(&FormulationParameters {
                    penalty: Some(mu),
                    ..FormulationParameters::default()
                })
                .solve(&full)
                .unwrap();
                // The forces between contradicting rows cancel in Bᵀ λ.
                let force = full.B.tr_mul(&(found.lambda - &lambda));
                ((found.vdot - &vdot).norm(), force.norm())
            };
            let (coarse, fine) = (far(1e3), far(1e5));
            assert!(coarse.0 < 1e-2 && (90.0..110.0).contains(&(coarse.0 / fine.0)), "{coarse:?}, {fine:?}");
            assert!(coarse.1 < 1e-1 && (90.0..110.0).contains(&(coarse.1 / fine.1)), "{coarse:?}, {fine:?}");
        }
    }

    #[test]
    fn is_the_saddle_point_system_with_soft_rows() {
        // A v̇ + λ/μ = b, by one additional coordinate per row: of mass μ, moved by λ alone, and added to the row.
        let (full, ..) = cases::pin();
        let (n, m, mu) = (full.n(), full.m(), 50.0);
        let mut M = DMatrix::from_diagonal_element(n + m, n + m, mu);
        M.view_mut((0, 0), (n, n)).copy_from(&full.M);
        let mut A = DMatrix::zeros(m, n + m);
        A.view_mut((0, 0), (m, n)).copy_from(&full.A);
        A.view_mut((0, n), (m, m)).fill_with_identity();
        let f = DVector::from_fn(n + m, |i, _| if i < n { full.f[i] } else { 0.0 });
        let soft = DenseEquations::symmetric(M, f, A, full.b.clone());
        let exact = Lagrange::new(&FormulationParameters::default()).solve(&soft).unwrap();
        let found =
            StaticPenalty::new(&FormulationParameters { penalty: Some(mu), ..FormulationParameters::default() })
                .solve(&full)
                .unwrap();
        assert!((found.vdot - exact.vdot.rows(0, n)).norm() < 1e-13 && (found.lambda - exact.lambda).norm() < 1e-12);
    }

    #[test]
    fn free_motion_is_exact() {
        cases::assert_solves::<StaticPenalty>(&[cases::nothing(), cases::no_rows()], 1e-14);
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<StaticPenalty>();
    }
}
