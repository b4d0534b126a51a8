//! The projection method: forces are projected before the accelerations are computed.

use super::dense::{RowCheck, lu_solve};
use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, SolveError};
use nalgebra::DMatrix;

/// Eqs. (48), (49).
///
/// ```text
///  v̇ = M⁻¹ (P f + Bᵀ S⁻¹ b)        P = I − Bᵀ S⁻¹ A M⁻¹,   S = A M⁻¹ Bᵀ
/// ```
///
/// \[Newhart2019\] eqs. (48), (49), after Heaney and Hou. The last line of eq. (48) is printed with − before the second
/// term; it must be + as in the line above (with − a pendulum is 1e7 m away after 5 s). λ = S⁻¹ (b − A M⁻¹ f) is eq.
/// (47) with γ = b in the sense of eq. (22), and the opposite sign of λ. P is formed as a matrix, as in the thesis.
#[derive(Clone, Debug)]
pub struct HeaneyHou {
    setup: FormulationParameters,
    rows: RowCheck,
}

impl DenseFormulation for HeaneyHou {
    fn new(setup: &FormulationParameters) -> HeaneyHou {
        HeaneyHou { setup: *setup, rows: RowCheck::default() }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.definite_mass_required().or_else(|| full.independent_rows_required(&self.setup))
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        self.rows.check(full, &self.setup)?;
        let (A, Bt) = (&full.A, full.B.transpose());
        let inverse = lu_solve(full.M.clone(), &DMatrix::identity(full.n(), full.n()))?;
        let S = A * &inverse * &Bt;
        // S⁻¹ applied to A M⁻¹ and b at once.
        let mut both = (A * &inverse).insert_column(full.n(), 0.0);
        both.set_column(full.n(), &full.b);
        let both = lu_solve(S, &both).map_err(|_| SolveError::Singular)?;
        let (of_A, of_b) = (both.columns(0, full.n()), both.column(full.n()));
        let P = DMatrix::identity(full.n(), full.n()) - &Bt * of_A;
        DenseSolution::checked(inverse * (P * &full.f + Bt * of_b), of_b - of_A * &full.f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn solves_the_small_cases() {
        let all = [cases::nothing(), cases::no_rows(), cases::one_row(), cases::pin(), cases::rotation_parameters()];
        cases::assert_solves::<HeaneyHou>(&all, 1e-13);
    }

    #[test]
    fn refuses_dependent_rows() {
        cases::refuses_dependent_rows::<HeaneyHou>();
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<HeaneyHou>();
    }
}
