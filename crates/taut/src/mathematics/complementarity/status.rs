//! Status of a block, and outcome of a solve.

use super::laws::{Law, Part};

/// The branch of its law that a block is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
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
    /// u = 0 with p inside its bounds; for [`Law::NonNegative`] p > 0.
    Inside,
}

/// Outcome of a solver. Residuals are those of the laws in variables scaled with the diagonal of G, relative to the larger of |ĉ|
/// and |Ĝ||p̂|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
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

impl Outcome {
    /// Largest residual.
    pub fn residual(&self) -> f64 {
        match *self {
            Outcome::Converged { residual } | Outcome::Stalled { residual, .. } => residual,
        }
    }

    /// Whether all laws are satisfied.
    pub fn is_converged(&self) -> bool {
        matches!(self, Outcome::Converged { .. })
    }
}

impl Status {
    /// Status of a block with p̂, û; values below `noise` count as zero. For a cone with torques: the status of sliding.
    pub(super) fn of(law: &Law, p: &[f64], u: &[f64], noise: f64) -> Status {
        let mut status = Status::Inside;
        for (row, part) in law.parts().take(2) {
            status = Status::of_part(row, part, p, u, noise);
            if status == Status::Open {
                break;
            }
        }
        status
    }

    /// Status of spin and rolling of a [`Law::Cone6`].
    pub(super) fn of_turning(law: &Law, p: &[f64], u: &[f64], noise: f64) -> [Status; 2] {
        let mut status = [Status::Open; 2];
        if p[0] > noise {
            for (s, (row, part)) in status.iter_mut().zip(law.parts().skip(2)) {
                *s = Status::of_part(row, part, p, u, noise);
            }
        }
        status
    }

    fn of_part(row: usize, part: Part, p: &[f64], u: &[f64], noise: f64) -> Status {
        match part {
            Part::Normal if p[row] <= noise => Status::Open,
            Part::Normal => Status::Inside,
            Part::Segment { lower, .. } if p[row] - lower <= noise => Status::AtLower,
            Part::Segment { upper, .. } if upper - p[row] <= noise => Status::AtUpper,
            Part::Segment { .. } => Status::Inside,
            Part::Share { .. } if u[row].abs() <= noise => Status::Stick,
            Part::Share { .. } => Status::Slide([u[row].signum(), 0.0, 0.0]),
            Part::Disc { .. } | Part::Ball { .. } | Part::DiscShare { .. } => {
                let mut d = [0.0; 3];
                d.iter_mut().zip(&u[row..row + part.rows()]).for_each(|(d, u)| *d = *u);
                let speed = d[0].hypot(d[1]).hypot(d[2]);
                if speed <= noise { Status::Stick } else { Status::Slide(d.map(|d| d / speed)) }
            }
        }
    }
}
