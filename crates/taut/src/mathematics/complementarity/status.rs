//! Status of a block, and outcome of a solve.

use super::laws::{AdmissibleSet, ComplementarityLaw};

/// The branch of its law that a block is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlockStatus {
    /// p_n = 0: no contact force.
    Open,
    /// p_n > 0 and u_t = 0.
    Stick,
    /// p_n > 0 at the friction limit, with the unit direction of u_t (unused components are zero).
    Slide([f64; 3]),
    /// p at its lower bound.
    AtLower,
    /// p at its upper bound.
    AtUpper,
    /// u = 0 with p inside its bounds; for [`ComplementarityLaw::NonNegative`] p > 0.
    Inside,
}

/// Outcome of a solver. Residuals are those of the laws in variables scaled with the diagonal of G, relative to the larger of |ĉ|
/// and |Ĝ||p̂|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverOutcome {
    /// All laws are satisfied.
    Converged {
        /// Largest residual of a block.
        residual: f64,
    },
    /// The iteration limit was reached: there is no solution, or none was found.
    Stalled {
        /// Largest residual of a block.
        residual: f64,
        /// The block it belongs to.
        block: usize,
    },
}

impl SolverOutcome {
    /// Largest residual.
    pub fn residual(&self) -> f64 {
        match *self {
            SolverOutcome::Converged { residual } | SolverOutcome::Stalled { residual, .. } => residual,
        }
    }

    /// Whether all laws are satisfied.
    pub fn is_converged(&self) -> bool {
        matches!(self, SolverOutcome::Converged { .. })
    }
}

impl BlockStatus {
    /// Status of a block with p̂, û; values below `noise` count as zero. For a cone with torques: the status of sliding.
    pub(super) fn of(law: &ComplementarityLaw, p: &[f64], u: &[f64], noise: f64) -> BlockStatus {
        let mut status = BlockStatus::Inside;
        for (row, part) in law.admissible_sets().take(2) {
            status = BlockStatus::of_part(row, part, p, u, noise);
            if status == BlockStatus::Open {
                break;
            }
        }
        status
    }

    /// Status of spin and rolling of a [`ComplementarityLaw::ConeWithTorques`].
    pub(super) fn of_spin_and_rolling(law: &ComplementarityLaw, p: &[f64], u: &[f64], noise: f64) -> [BlockStatus; 2] {
        let mut status = [BlockStatus::Open; 2];
        if p[0] > noise {
            for (s, (row, part)) in status.iter_mut().zip(law.admissible_sets().skip(2)) {
                *s = BlockStatus::of_part(row, part, p, u, noise);
            }
        }
        status
    }

    fn of_part(row: usize, part: AdmissibleSet, p: &[f64], u: &[f64], noise: f64) -> BlockStatus {
        match part {
            AdmissibleSet::Normal if p[row] <= noise => BlockStatus::Open,
            AdmissibleSet::Normal => BlockStatus::Inside,
            AdmissibleSet::Interval { lower, .. } if p[row] - lower <= noise => BlockStatus::AtLower,
            AdmissibleSet::Interval { upper, .. } if upper - p[row] <= noise => BlockStatus::AtUpper,
            AdmissibleSet::Interval { .. } => BlockStatus::Inside,
            AdmissibleSet::FrictionInterval { .. } if u[row].abs() <= noise => BlockStatus::Stick,
            AdmissibleSet::FrictionInterval { .. } => BlockStatus::Slide([u[row].signum(), 0.0, 0.0]),
            AdmissibleSet::Disc { .. } | AdmissibleSet::Ball { .. } | AdmissibleSet::FrictionDisc { .. } => {
                let mut d = [0.0; 3];
                d.iter_mut().zip(&u[row..row + part.rows()]).for_each(|(d, u)| *d = *u);
                let speed = d[0].hypot(d[1]).hypot(d[2]);
                if speed <= noise { BlockStatus::Stick } else { BlockStatus::Slide(d.map(|d| d / speed)) }
            }
        }
    }
}
