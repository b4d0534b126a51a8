//! Coordinate partitioning: some velocities follow from the others.

use super::{DenseEquations, DenseFormulation, DenseSolution, FormulationParameters, RANK_TOLERANCE, SolveError};
use nalgebra::{DMatrix, DVector};

/// A selection is replaced if its smallest pivot is this many times smaller than that of the best selection: A_d⁺ A_i,
/// and with it T, has grown as much. Within a step a larger loss is accepted than between two steps, because a change
/// makes the rates discontinuous.
const MAX_PIVOT_LOSS: f64 = 1e3;
const MAX_PIVOT_LOSS_BETWEEN_STEPS: f64 = 3.0;

/// Minimal velocities chosen by pivots.
///
/// ```text
///  A = [A_d A_i] Πᵀ        v̇_d = A_d⁺ (b − A_i v̇_i)
///  v̇ = c + T v̇_i           c = Π [A_d⁺ b; 0],   T = Π [−A_d⁺ A_i; I]
///  (Tᵀ M T) v̇_i = Tᵀ (f − M c)
///  λ = Q R⁻ᵀ (M v̇ − f)_d   A_d = Q R
/// ```
///
/// The method of \[WehageHaug1982\]: as many velocities as A has rank are dependent, and the equations are those of the
/// others, the minimal set. Householder QR of A with column pivots selects them. The selection is kept from call to
/// call while it is suitable: a new selection changes v̇ only by round-off, but projections that move only dependent
/// coordinates depend on it. Since the columns of A_d span those of A, rows may repeat or contradict each other: A_d⁺
/// is the least-squares solution.
#[derive(Clone, Debug)]
pub struct Partitioning {
    tolerance: f64,
    dependent: Option<Vec<usize>>,
    repartitions: usize,
    max_pivot_loss: f64,
}

impl Partitioning {
    /// How often the selection was changed after the first.
    pub fn repartitions(&self) -> usize {
        self.repartitions
    }

    /// Keeps the dependent velocities if they are suitable for this A, or selects others.
    fn partition(&mut self, A: &DMatrix<f64>) {
        let qr = A.clone().col_piv_qr();
        let pivots = pivots_of(&qr.r());
        let least = self.tolerance * pivots.first().copied().unwrap_or(0.0);
        let rank = pivots.iter().take_while(|p| **p > least).count();
        if let Some(kept) = &self.dependent {
            let serves = || {
                let now = pivots_of(&A.select_columns(kept).col_piv_qr().r());
                now.last().zip(pivots[..rank].last()).is_none_or(|(now, best)| now * self.max_pivot_loss >= *best)
            };
            if kept.len() == rank && serves() {
                self.max_pivot_loss = MAX_PIVOT_LOSS;
                return;
            }
            self.repartitions += 1;
        }
        self.max_pivot_loss = MAX_PIVOT_LOSS;
        let mut order = DMatrix::from_fn(1, A.ncols(), |_, j| j);
        qr.p().permute_columns(&mut order);
        let mut chosen = order.as_slice()[..rank].to_vec();
        chosen.sort_unstable();
        self.dependent = Some(chosen);
    }
}

/// The diagonal of R, without signs.
fn pivots_of(R: &DMatrix<f64>) -> Vec<f64> {
    (0..R.nrows().min(R.ncols())).map(|k| R[(k, k)].abs()).collect()
}

impl DenseFormulation for Partitioning {
    fn new(setup: &FormulationParameters) -> Partitioning {
        let tolerance = setup.rank_tolerance.unwrap_or(RANK_TOLERANCE);
        Partitioning { tolerance, dependent: None, repartitions: 0, max_pivot_loss: MAX_PIVOT_LOSS }
    }

    fn unsupported_reason(&self, full: &DenseEquations) -> Option<String> {
        full.symmetry_required()
    }

    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError> {
        full.check_finite()?;
        self.partition(&full.A);
        let d = self.dependent.as_deref().unwrap_or_default();
        let i: Vec<usize> = (0..full.n()).filter(|j| !d.contains(j)).collect();
        let qr = full.A.select_columns(d).qr();
        let (Q, R) = (qr.q(), qr.r());
        let inverse = |x: DMatrix<f64>| R.solve_upper_triangular(&Q.tr_mul(&x)).ok_or(SolveError::NotFinite);
        let (mut c, mut T) = (DVector::zeros(full.n()), DMatrix::zeros(full.n(), i.len()));
        let (on_d, of_b) =
            (inverse(full.A.select_columns(&i))?, inverse(DMatrix::from_column_slice(full.m(), 1, full.b.as_slice()))?);
        for (k, row) in d.iter().enumerate() {
            c[*row] = of_b[k];
            T.row_mut(*row).copy_from(&-on_d.row(k));
        }
        i.iter().enumerate().for_each(|(k, row)| T[(*row, k)] = 1.0);
        let reduced = T.tr_mul(&(&full.M * &T)).cholesky().ok_or(SolveError::NotFinite)?;
        let free = reduced.solve(&T.tr_mul(&(&full.f - &full.M * &c)));
        let vdot = c + T * free;
        let reaction = (&full.M * &vdot - &full.f).select_rows(d);
        let lambda = Q * R.tr_solve_upper_triangular(&reaction).ok_or(SolveError::NotFinite)?;
        DenseSolution::checked(vdot, lambda)
    }

    fn dependent_velocities(&self) -> Option<&[usize]> {
        Some(self.dependent.as_deref().unwrap_or_default())
    }

    fn restore_dependent_velocities(&mut self, dependent: &[usize]) {
        self.dependent = Some(dependent.to_vec()).filter(|d| !d.is_empty());
        self.step_ended();
    }

    fn step_ended(&mut self) {
        self.max_pivot_loss = MAX_PIVOT_LOSS_BETWEEN_STEPS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn solves_the_small_cases() {
        cases::assert_solves::<Partitioning>(&cases::symmetric(), 1e-13);
    }

    #[test]
    fn refuses_a_mass_matrix_without_symmetry() {
        cases::refuses_without_symmetry::<Partitioning>();
    }

    #[test]
    fn as_many_velocities_depend_as_rows_are_independent() {
        for ((full, ..), rank) in
            [(cases::no_rows(), 0), (cases::doubled_row(), 1), (cases::three_rows_of_rank_two(), 2)]
        {
            let mut method = Partitioning::new(&FormulationParameters::default());
            assert_eq!(method.dependent_velocities(), Some(&[][..]));
            method.solve(&full).unwrap();
            assert_eq!(method.dependent_velocities().map(<[usize]>::len), Some(rank));
        }
    }

    #[test]
    fn the_choice_is_kept_while_it_serves() {
        // A point on a circle: x cos θ + y sin θ. x is dependent at θ = 0 and would be unsuitable at 90 degrees.
        let mut method = Partitioning::new(&FormulationParameters::default());
        let at = |theta: f64, method: &mut Partitioning| {
            let A = DMatrix::from_row_slice(1, 2, &[theta.cos(), theta.sin()]);
            let full = DenseEquations::symmetric(
                DMatrix::identity(2, 2),
                cases::vector(&[1.0, 2.0]),
                A,
                cases::vector(&[0.5]),
            );
            let found = method.solve(&full).unwrap();
            // v̇ = f + A (b − A f) for M = I and |A| = 1.
            let exact = &full.f + full.A.transpose() * (&full.b - &full.A * &full.f);
            assert!((found.vdot - exact).norm() < 1e-10, "at {theta}");
            method.dependent_velocities().map(<[usize]>::to_vec)
        };
        assert_eq!(at(0.0, &mut method), Some(vec![0]));
        assert_eq!(at(1.5, &mut method), Some(vec![0]));
        assert_eq!(method.repartitions(), 0);
        assert_eq!(at(1.5705, &mut method), Some(vec![1]));
        assert_eq!(at(0.1, &mut method), Some(vec![1]));
        assert_eq!(method.repartitions(), 1);
    }

    #[test]
    fn rows_that_come_and_go_change_the_choice() {
        let mut method = Partitioning::new(&FormulationParameters::default());
        for (full, vdot, _) in [cases::one_row(), cases::three_rows_of_rank_two(), cases::no_rows()] {
            assert!((method.solve(&full).unwrap().vdot - vdot).norm() < 1e-13);
        }
        assert_eq!(method.repartitions(), 2);
    }

    #[test]
    fn reports_non_finite_numbers() {
        cases::reports_non_finite_numbers::<Partitioning>();
    }
}
