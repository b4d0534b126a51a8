//! Which entries of y are constrained, and how.

use crate::error::{ConstrainError, check_size};
use crate::quality::SolverOptions;

/// Which entries of y are positions, and which are their rates. All others are extra states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateMap {
    /// Number of entries of y.
    pub states: usize,
    /// Entries that are coordinates q.
    pub positions: Vec<usize>,
    /// For each of them the entry that is its rate q̇ = v.
    pub rates: Vec<usize>,
}

impl StateMap {
    /// y = (q, v): n positions, then their rates.
    pub fn positions_then_rates(n: usize) -> StateMap {
        StateMap { states: 2 * n, positions: (0..n).collect(), rates: (n..2 * n).collect() }
    }

    /// Number of coordinates.
    pub fn n(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn check(&self) -> Result<(), ConstrainError> {
        check_size("the list of rates", self.positions.len(), self.rates.len())?;
        let mut seen = vec![false; self.states];
        for index in self.positions.iter().chain(&self.rates) {
            match seen.get_mut(*index) {
                Some(seen) if !*seen => *seen = true,
                _ => {
                    let what = "the lists of positions and rates";
                    return Err(ConstrainError::Index { what, index: *index, limit: self.states });
                }
            }
        }
        Ok(())
    }
}

/// What an evaluation corrects before it calls the user's function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StageCorrection {
    /// Nothing: the baseline, \[Masarati2010\] eq. (8).
    None,
    /// The velocities, eq. (11a).
    #[default]
    Velocity,
    /// Positions by Newton's method, then velocities, eqs. (17) and (11a).
    PositionAndVelocity,
}

/// What to do with constraints that contradict each other in position or velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Inconsistent {
    /// Return an error that names the row.
    #[default]
    Stop,
    /// Continue with the least-squares solution; the residual is in the report.
    LeastSquares,
}

/// Options of a [`ConstrainedOde`](crate::ConstrainedOde).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdeOptions {
    /// Rank and weighting of the rows.
    pub solver: SolverOptions,
    /// Correction in every evaluation; default: velocities.
    pub stage: StageCorrection,
    /// Largest |φ| and |φ̇| accepted after a projection; default: 1e-9. Newton's method does not stop there but
    /// continues to round-off.
    pub tolerance: f64,
    /// Iterations of Newton's method; default: 25.
    pub max_iterations: usize,
    /// Contradictory constraints; default: stop.
    pub inconsistent: Inconsistent,
}

impl Default for OdeOptions {
    fn default() -> OdeOptions {
        OdeOptions {
            solver: SolverOptions::default(),
            stage: StageCorrection::default(),
            tolerance: 1e-9,
            max_iterations: 25,
            inconsistent: Inconsistent::default(),
        }
    }
}

/// What a projection did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// The largest |φ| left.
    pub position_residual: f64,
    /// The largest |φ̇|, |ψ| left.
    pub velocity_residual: f64,
    /// The largest change of a coordinate.
    pub position_change: f64,
    /// The largest change of a velocity.
    pub velocity_change: f64,
    /// Number of independent rows at velocity level.
    pub rank: usize,
}
