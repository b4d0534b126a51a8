//! Options of the solver, and what its solution satisfies.

use crate::pseudo_solve::RowWeighting;

/// Options of a [`ConstraintSolver`](crate::ConstraintSolver).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// Weighting of contradictory and redundant rows; default: as written.
    pub weighting: RowWeighting,
    /// A row whose part independent of the others is smaller than this, relative to its length in the norm of M⁻¹,
    /// counts as dependent; default: 1e-9.
    pub rank_tolerance: f64,
}

impl Default for SolverOptions {
    fn default() -> SolverOptions {
        SolverOptions { weighting: RowWeighting::AsWritten, rank_tolerance: 1e-9 }
    }
}

/// What a solution satisfies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Number of independent rows.
    pub rank: usize,
    /// The largest |A v̇ − b|, or |A δ + φ̇| of a correction: round-off unless rows contradict each other.
    pub residual: f64,
    /// The row in which it occurs; 0 if there are no rows.
    pub row: usize,
    /// Gauss' function ½ (v̇ − a)ᵀ M (v̇ − a), a = M⁻¹ f, or ½ δᵀ W δ of a correction; none if M is singular or not
    /// symmetric. \[Masarati2010\] eq. (9); the sum of both is its eq. (15).
    pub gaussian: Option<f64>,
}
