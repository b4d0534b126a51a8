//! The equations of one state as dense matrices, and the interface of the methods that use them.

use super::orthogonal_decomposition::CompleteOrthogonalDecomposition;
use super::{CoordinateVelocity, Exactness, SolveError};
use crate::RowLevel;
use crate::Symmetry;
use nalgebra::allocator::Allocator;
use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, Dyn, OMatrix};
use std::fmt::Debug;

/// Rows and columns whose component independent of the others is smaller than this, relative to the largest, count as
/// dependent.
pub const RANK_TOLERANCE: f64 = 1e-9;

/// The equations of one state as dense matrices, the form in which the published methods are written.
///
/// ```text
///  M v̇ = f + Bᵀ λ        A v̇ = b        φ̇ = A v + φ_t
/// ```
///
/// The published methods are short when M and A are dense matrices. They are kept in this form to be read next to the
/// paper, to check each other, and to show their cost. [`ConstraintSolver`](crate::ConstraintSolver) is the method for
/// regular use: it works on sparse matrices and does not allocate.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseEquations {
    /// Mass matrix, n × n.
    pub M: DMatrix<f64>,
    /// Forces without the reactions, n.
    pub f: DVector<f64>,
    /// Jacobian of the rows, m × n.
    pub A: DMatrix<f64>,
    /// Generalised force of a unit of each multiplier, m × n; A itself if M is symmetric.
    pub B: DMatrix<f64>,
    /// Right-hand side at acceleration level, m.
    pub b: DVector<f64>,
    /// Position residuals; undefined for rows that have none.
    pub phi: DVector<f64>,
    /// Velocity residuals; undefined for rows that have none. They belong to the state only if the formulation is
    /// [`Penalised`](super::Exactness::Penalised) or the caller computed them; no other method may read them.
    pub phidot: DVector<f64>,
    /// Explicit rates, φ̇ − A v.
    pub phi_t: DVector<f64>,
    /// The level of each row.
    pub levels: Vec<RowLevel>,
    /// Whether M = Mᵀ, and so B = A.
    pub symmetry: Symmetry,
}

impl DenseEquations {
    /// Equations with a symmetric M and rows at acceleration level only.
    pub fn symmetric(M: DMatrix<f64>, f: DVector<f64>, A: DMatrix<f64>, b: DVector<f64>) -> DenseEquations {
        let none = DVector::zeros(A.nrows());
        DenseEquations {
            B: A.clone(),
            phi: none.clone(),
            phidot: none.clone(),
            phi_t: none,
            levels: vec![RowLevel::Acceleration; A.nrows()],
            symmetry: Symmetry::Symmetric,
            M,
            f,
            A,
            b,
        }
    }

    /// Velocities, n.
    pub fn n(&self) -> usize {
        self.M.nrows()
    }

    /// Rows, m.
    pub fn m(&self) -> usize {
        self.A.nrows()
    }

    /// Number of rows that depend on the others, after scaling each row to unit length, so that units do not matter.
    pub fn dependent_rows(&self, tolerance: f64) -> usize {
        let mut rows = self.A.clone();
        for mut row in rows.row_iter_mut() {
            let length = row.norm();
            if length > 0.0 {
                row /= length;
            }
        }
        CompleteOrthogonalDecomposition::new(&rows, tolerance).map_or(0, |found| self.m() - found.rank())
    }

    /// Rejects NaN and infinity before an iteration, which might not end otherwise.
    pub fn check_finite(&self) -> Result<(), SolveError> {
        let all = [self.M.as_slice(), self.f.as_slice(), self.A.as_slice(), self.B.as_slice(), self.b.as_slice()];
        if all.iter().all(|x| x.iter().all(|x| x.is_finite())) { Ok(()) } else { Err(SolveError::NotFinite) }
    }

    /// The message of a method that needs M = Mᵀ.
    pub fn symmetry_required(&self) -> Option<String> {
        (self.symmetry == Symmetry::NonSymmetric).then(|| "M is not symmetric".to_string())
    }

    /// The message of a method that needs M⁻¹, if a coordinate or a combination of coordinates has no mass.
    pub fn definite_mass_required(&self) -> Option<String> {
        if self.symmetry == Symmetry::NonSymmetric || self.check_finite().is_err() || is_definite(&self.M) {
            return None;
        }
        let why = "it needs M⁻¹, but M is singular: a body or coordinate has no mass; use the default, lagrange, null_space \
                   or partitioning";
        Some(why.to_string())
    }

    /// The message of a method that needs independent rows.
    pub fn independent_rows_required(&self, setup: &FormulationParameters) -> Option<String> {
        let dependent = self.dependent_rows(setup.rank_tolerance.unwrap_or(RANK_TOLERANCE));
        let are = if dependent == 1 { "is" } else { "are" };
        (dependent > 0).then(|| format!("its rows must be independent: {dependent} of {} {are} not", self.m()))
    }
}

/// Refuses dependent rows for a method that would return any of their multipliers. Checked in the first equations and when the number of
/// rows changes: in between, rows depend on each other in single poses only.
#[derive(Clone, Debug, Default)]
pub struct RowCheck {
    /// Number of rows that were independent.
    passed: Option<usize>,
}

impl RowCheck {
    /// [`SolveError::Singular`] if rows depend on each other.
    pub fn check(&mut self, full: &DenseEquations, setup: &FormulationParameters) -> Result<(), SolveError> {
        if self.passed == Some(full.m()) {
            return Ok(());
        }
        if full.independent_rows_required(setup).is_some() {
            return Err(SolveError::Singular);
        }
        self.passed = Some(full.m());
        Ok(())
    }
}

/// Whether a symmetric matrix is positive definite beyond round-off, whatever the units of its coordinates.
fn is_definite(M: &DMatrix<f64>) -> bool {
    let root = M.diagonal().map(f64::sqrt);
    let unit = DMatrix::from_fn(M.nrows(), M.ncols(), |i, j| M[(i, j)] / (root[i] * root[j]));
    let least = 16.0 * f64::EPSILON * M.nrows() as f64;
    let finite = unit.iter().all(|x| x.is_finite());
    M.is_empty() || (finite && unit.symmetric_eigenvalues().min() > least)
}

/// The result of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseSolution {
    /// Accelerations v̇.
    pub vdot: DVector<f64>,
    /// Multipliers λ, with M v̇ = f + Bᵀλ.
    pub lambda: DVector<f64>,
}

impl DenseSolution {
    /// The result, if it is finite.
    pub fn checked(vdot: DVector<f64>, lambda: DVector<f64>) -> Result<DenseSolution, SolveError> {
        let finite = vdot.iter().chain(lambda.iter()).all(|x| x.is_finite());
        if finite { Ok(DenseSolution { vdot, lambda }) } else { Err(SolveError::NotFinite) }
    }
}

/// K⁻¹ rhs by LU; nalgebra does not support this for empty matrices.
pub fn lu_solve<C: Dim>(K: DMatrix<f64>, rhs: &OMatrix<f64, Dyn, C>) -> Result<OMatrix<f64, Dyn, C>, SolveError>
where
    DefaultAllocator: Allocator<Dyn, C>,
{
    if K.is_empty() { Ok(rhs.clone()) } else { K.lu().solve(rhs).ok_or(SolveError::NotFinite) }
}

/// Parameters of the formulations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FormulationParameters {
    /// Penalty factor μ; default: five orders of magnitude above the largest entry of M (\[Newhart2019\] §2.1).
    pub penalty: Option<f64>,
    /// Singular values below this, relative to the largest of A M^(−1/2) or A, count as zero; default:
    /// [`RANK_TOLERANCE`].
    pub rank_tolerance: Option<f64>,
}

impl FormulationParameters {
    /// Why it is invalid, if it is: one sentence for the user.
    pub fn invalid_reason(&self) -> Option<String> {
        let good = |x: f64, below: f64| x > 0.0 && x < below;
        match *self {
            FormulationParameters { penalty: Some(mu), .. } if !good(mu, f64::INFINITY) => {
                Some(format!("the penalty factor must be positive and finite, not {mu}"))
            }
            FormulationParameters { rank_tolerance: Some(r), .. } if !good(r, 1.0) => {
                Some(format!("the rank tolerance must lie between 0 and 1, not be {r}"))
            }
            _ => None,
        }
    }
}

/// The fastest motion that a method adds to the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Its rate, 1/s.
    pub rate: f64,
    /// Its character.
    pub character: StiffnessCharacter,
}

/// The character of such a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StiffnessCharacter {
    /// An undamped oscillation.
    Oscillating,
    /// It decays.
    Decaying,
}

/// A published method for dense matrices.
pub trait DenseFormulation: Debug + Send {
    /// The method with its parameters.
    fn new(setup: &FormulationParameters) -> Self
    where
        Self: Sized;
    /// Why it cannot handle these equations, if so: one sentence for the user.
    fn unsupported_reason(&self, _full: &DenseEquations) -> Option<String> {
        None
    }
    /// v̇ and λ.
    fn solve(&mut self, full: &DenseEquations) -> Result<DenseSolution, SolveError>;
    /// Whether it satisfies A v̇ = b.
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
    /// Whether [`correct_coordinate_velocity`](DenseFormulation::correct_coordinate_velocity) does anything.
    fn coordinate_velocity(&self) -> CoordinateVelocity {
        CoordinateVelocity::Given
    }
    /// Corrects the velocity w that moves the coordinates, q̇ = N w, if the method does so; w is v on entry.
    fn correct_coordinate_velocity(&mut self, _full: &DenseEquations, _w: &mut DVector<f64>) {}
    /// The dependent velocities: a projection onto the manifold may change only these.
    fn dependent_velocities(&self) -> Option<&[usize]> {
        None
    }
    /// Restores the dependent velocities of an earlier run, as they were after a step.
    fn restore_dependent_velocities(&mut self, _dependent: &[usize]) {}
    /// Called after each step, the best time for discontinuous changes.
    fn step_ended(&mut self) {}
    /// The fastest motion that it adds to the equations.
    fn stiffness(&self, _full: &DenseEquations) -> Option<Stiffness> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::small_cases as cases;

    #[test]
    fn dependent_rows_are_counted_whatever_their_length() {
        assert_eq!(cases::one_row().0.dependent_rows(RANK_TOLERANCE), 0);
        assert_eq!(cases::doubled_row().0.dependent_rows(RANK_TOLERANCE), 1);
        assert_eq!(cases::three_rows_of_rank_two().0.dependent_rows(RANK_TOLERANCE), 1);
        assert_eq!(cases::no_rows().0.dependent_rows(RANK_TOLERANCE), 0);
        let mut short = cases::one_row().0;
        short.A = DMatrix::from_row_slice(2, 3, &[1.0, 1.0, 0.0, 0.0, 1e-12, 1e-12]);
        assert_eq!(short.dependent_rows(RANK_TOLERANCE), 0);
        short.A.row_mut(1).fill(0.0);
        assert_eq!(short.dependent_rows(RANK_TOLERANCE), 1);
    }

    #[test]
    fn invalid_parameters_are_reported() {
        assert_eq!(FormulationParameters::default().invalid_reason(), None);
        for mu in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                FormulationParameters { penalty: Some(mu), ..FormulationParameters::default() }
                    .invalid_reason()
                    .is_some_and(|s| s.contains("penalty"))
            );
        }
        for r in [0.0, 1.0, f64::NAN] {
            assert!(
                FormulationParameters { rank_tolerance: Some(r), ..FormulationParameters::default() }
                    .invalid_reason()
                    .is_some_and(|s| s.contains("rank"))
            );
        }
    }
}
