//! The equations of one state as full matrices, and the methods that are written on them.
//!
//! ```text
//!  M v̇ = f + Bᵀ λ        A v̇ = b        φ̇ = A v + φ_t
//! ```
//!
//! The published methods are short when M and A are whole matrices. They are kept so: to be read beside their paper, to
//! check each other, and to show what each of them costs. The sparse [`ConstraintForce`](super::ConstraintForce) is
//! the one for daily use.

use super::rank_revealing::RankRevealing;
use super::{Exactness, SolveError, Steers};
use crate::bodies::Symmetry;
use crate::constraints::Level;
use crate::equations::Equations;
use nalgebra::allocator::Allocator;
use nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, Dyn, OMatrix};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Rows and columns whose part beyond the others is smaller than this, relative to the largest, count as dependent.
pub const RANK_TOLERANCE: f64 = 1e-9;

/// The equations of one state as full matrices, the form in which the published methods are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Full {
    /// Mass matrix, n × n.
    pub M: DMatrix<f64>,
    /// Forces but the reactions, n.
    pub f: DVector<f64>,
    /// Jacobian of the rows, m × n.
    pub A: DMatrix<f64>,
    /// What one unit of each multiplier exerts, m × n; A itself where M is symmetric.
    pub B: DMatrix<f64>,
    /// Right-hand side at acceleration level, m.
    pub b: DVector<f64>,
    /// Residuals of position; without meaning in rows that have none.
    pub phi: DVector<f64>,
    /// Residuals of velocity; without meaning in rows that have none. Those of the state only where the formulation is
    /// [`Penalised`](super::Exactness::Penalised) or the caller computed them; no other method may read them.
    pub phidot: DVector<f64>,
    /// Explicit rates, φ̇ − A v.
    pub phi_t: DVector<f64>,
    /// The level of each row.
    pub levels: Vec<Level>,
    /// Whether M = Mᵀ, and so B = A.
    pub symmetry: Symmetry,
}

impl Full {
    /// Equations with a symmetric M whose rows are given at acceleration level only.
    pub fn symmetric(M: DMatrix<f64>, f: DVector<f64>, A: DMatrix<f64>, b: DVector<f64>) -> Full {
        let none = DVector::zeros(A.nrows());
        Full {
            B: A.clone(),
            phi: none.clone(),
            phidot: none.clone(),
            phi_t: none,
            levels: vec![Level::Acceleration; A.nrows()],
            symmetry: Symmetry::Symmetric,
            M,
            f,
            A,
            b,
        }
    }

    /// The equations of a state, as they were assembled; without the rows that say nothing, as those of an idle
    /// constraint do: [`rows_of`](Full::rows_of) tells which are there.
    pub fn of(eq: &Equations) -> Full {
        let A = eq.dense_jacobian();
        let rows = speaking(&A, &eq.b);
        let vector = |x: &[f64]| DVector::from_iterator(rows.len(), rows.iter().map(|r| x[*r]));
        Full {
            M: eq.dense_mass(),
            f: DVector::from_column_slice(&eq.f),
            B: eq.dense_reactions().select_rows(&rows),
            b: vector(&eq.b),
            phi: vector(&eq.phi),
            phidot: vector(eq.phidot.last()),
            phi_t: vector(&eq.phi_t),
            levels: rows.iter().map(|r| eq.layout.levels[*r]).collect(),
            symmetry: eq.layout.symmetry,
            A: A.select_rows(&rows),
        }
    }

    /// The rows of a state that [`of`](Full::of) takes.
    pub fn rows_of(eq: &Equations) -> Vec<usize> {
        speaking(&eq.dense_jacobian(), &eq.b)
    }

    /// Velocities, n.
    pub fn n(&self) -> usize {
        self.M.nrows()
    }

    /// Rows, m.
    pub fn m(&self) -> usize {
        self.A.nrows()
    }

    /// Rows that follow from the others, when each is taken with length one: a row is no less a row for its unit.
    pub fn dependent_rows(&self, tolerance: f64) -> usize {
        let mut rows = self.A.clone();
        for mut row in rows.row_iter_mut() {
            let length = row.norm();
            if length > 0.0 {
                row /= length;
            }
        }
        RankRevealing::new(&rows, tolerance).map_or(0, |found| self.m() - found.rank())
    }

    /// NaN and infinities are told before any iteration meets them, which might not end.
    pub(super) fn finite(&self) -> Result<(), SolveError> {
        let all = [self.M.as_slice(), self.f.as_slice(), self.A.as_slice(), self.B.as_slice(), self.b.as_slice()];
        if all.iter().all(|x| x.iter().all(|x| x.is_finite())) { Ok(()) } else { Err(SolveError::NotFinite) }
    }

    /// The sentence of a method that needs M = Mᵀ.
    pub(super) fn refused_as_not_symmetric(&self) -> Option<String> {
        (self.symmetry == Symmetry::NonSymmetric).then(|| "M is not symmetric".to_string())
    }

    /// The sentence of a method that needs independent rows.
    pub(super) fn refused_as_dependent(&self, setup: &Setup) -> Option<String> {
        let dependent = self.dependent_rows(setup.rank_tolerance.unwrap_or(RANK_TOLERANCE));
        let are = if dependent == 1 { "is" } else { "are" };
        (dependent > 0).then(|| format!("its rows must be independent: {dependent} of {} {are} not", self.m()))
    }
}

/// Rows with any number in A or b.
fn speaking(A: &DMatrix<f64>, b: &[f64]) -> Vec<usize> {
    (0..A.nrows()).filter(|r| b[*r] != 0.0 || A.row(*r).iter().any(|a| *a != 0.0)).collect()
}

/// What a method finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Accelerations v̇.
    pub vdot: DVector<f64>,
    /// Multipliers λ, with M v̇ = f + Bᵀλ.
    pub lambda: DVector<f64>,
}

impl Answer {
    /// The answer, if it is one.
    pub(super) fn of(vdot: DVector<f64>, lambda: DVector<f64>) -> Result<Answer, SolveError> {
        let finite = vdot.iter().chain(lambda.iter()).all(|x| x.is_finite());
        if finite { Ok(Answer { vdot, lambda }) } else { Err(SolveError::NotFinite) }
    }
}

/// K⁻¹ rhs by LU, which in nalgebra has no answer for matrices without entries.
pub(super) fn solved<C: Dim>(K: DMatrix<f64>, rhs: &OMatrix<f64, Dyn, C>) -> Result<OMatrix<f64, Dyn, C>, SolveError>
where
    DefaultAllocator: Allocator<Dyn, C>,
{
    if K.is_empty() { Ok(rhs.clone()) } else { K.lu().solve(rhs).ok_or(SolveError::NotFinite) }
}

/// What a method is told before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Penalty factor μ; without, five orders above the largest entry of M ([Newhart2019] §2.1).
    pub penalty: Option<f64>,
    /// Singular values below this, relative to the largest of A M^(−1/2) or A, count as zero; without,
    /// [`RANK_TOLERANCE`].
    pub rank_tolerance: Option<f64>,
}

impl Setup {
    /// What is wrong with it, if anything: one sentence for the user.
    pub fn fault(&self) -> Option<String> {
        let good = |x: f64, below: f64| x > 0.0 && x < below;
        match *self {
            Setup { penalty: Some(mu), .. } if !good(mu, f64::INFINITY) => {
                Some(format!("the penalty factor must be positive and finite, not {mu}"))
            }
            Setup { rank_tolerance: Some(r), .. } if !good(r, 1.0) => {
                Some(format!("the rank tolerance must lie between 0 and 1, not be {r}"))
            }
            _ => None,
        }
    }
}

/// Fastest motion that a method adds of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Its rate, 1/s.
    pub rate: f64,
    /// Its character.
    pub character: Character,
}

/// How a motion that a method adds goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Character {
    /// As an oscillation that lasts.
    Oscillating,
    /// It dies out.
    Decaying,
}

/// A published method on full matrices.
pub trait Dense: Debug + Send {
    /// The method as set up.
    fn new(setup: &Setup) -> Self
    where
        Self: Sized;
    /// Why it cannot treat these equations, if so: one sentence for the user.
    fn refuses(&self, _full: &Full) -> Option<String> {
        None
    }
    /// v̇ and λ.
    fn solve(&mut self, full: &Full) -> Result<Answer, SolveError>;
    /// Whether it meets A v̇ = b.
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
    /// Whether [`steer`](Dense::steer) does anything.
    fn steers(&self) -> Steers {
        Steers::Straight
    }
    /// Changes the velocity w that moves the coordinates, q̇ = N w, where the method does so; w comes in as v.
    fn steer(&mut self, _full: &Full, _w: &mut DVector<f64>) {}
    /// Velocities it takes as dependent: a return to the manifold may move only these.
    fn dependent(&self) -> Option<&[usize]> {
        None
    }
    /// Takes up the dependent velocities of an earlier run, as they were after a step.
    fn recall(&mut self, _dependent: &[usize]) {}
    /// Told after each step: what changes discontinuously had best do it now.
    fn step_ended(&mut self) {}
    /// Fastest motion that it adds of its own.
    fn stiffness(&self, _full: &Full) -> Option<Stiffness> {
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
    fn setups_that_make_no_sense_are_told() {
        assert_eq!(Setup::default().fault(), None);
        for mu in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Setup { penalty: Some(mu), ..Setup::default() }.fault().is_some_and(|s| s.contains("penalty")));
        }
        for r in [0.0, 1.0, f64::NAN] {
            assert!(Setup { rank_tolerance: Some(r), ..Setup::default() }.fault().is_some_and(|s| s.contains("rank")));
        }
    }
}
