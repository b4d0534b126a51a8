//! What can be wrong with the input, and what can go wrong with the numbers.

use crate::formulations::SolveError;
use std::fmt;

/// Why a call was refused or failed: what was found, and what to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConstrainError {
    /// A vector or matrix has the wrong size.
    Size {
        /// Which one.
        what: &'static str,
        /// The size it must have.
        expected: usize,
        /// The size it has.
        found: usize,
    },
    /// An entry is NaN or infinite.
    NotFinite {
        /// Of which vector or matrix.
        what: &'static str,
        /// The entry, counted from 0.
        index: usize,
    },
    /// An index lies outside its range, or occurs twice.
    Index {
        /// Of which list.
        what: &'static str,
        /// The index found.
        index: usize,
        /// The number of entries it may refer to.
        limit: usize,
    },
    /// M is not positive on the directions that the rows leave free.
    Mass {
        /// A coordinate that takes part in such a direction.
        coordinate: usize,
    },
    /// The rows contradict each other.
    Contradictory {
        /// The row with the largest residual.
        row: usize,
        /// That residual.
        residual: f64,
    },
    /// Newton's method did not reach the constraints.
    NotConverged {
        /// The row with the largest residual.
        row: usize,
        /// That residual.
        residual: f64,
        /// Iterations made.
        iterations: usize,
    },
    /// An entry of the state that was declared a rate is not the derivative of its position.
    NotARate {
        /// The entry of the position in y.
        position: usize,
        /// The entry of the rate in y.
        rate: usize,
        /// The derivative that the user's function returned for the position.
        derivative: f64,
        /// The value of the rate.
        value: f64,
    },
    /// An option has an invalid value.
    Option {
        /// Its name.
        what: &'static str,
        /// The value found.
        value: f64,
    },
    /// The operation does not exist for this kind of mass matrix.
    Unsupported(&'static str),
    /// A user function reported this error.
    Function(i32),
    /// A published formulation failed.
    Formulation(SolveError),
}

impl fmt::Display for ConstrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConstrainError::Size { what, expected, found } => {
                write!(f, "{what} has {found} entries; it must have {expected}")
            }
            ConstrainError::NotFinite { what, index } => write!(
                f,
                "entry {index} of {what} is not a finite number; check the function that computes it at this state"
            ),
            ConstrainError::Index { what, index, limit } => {
                write!(f, "{what} contains {index}; its entries must be different and below {limit}")
            }
            ConstrainError::Mass { coordinate } => write!(
                f,
                "M is not positive along a motion that the constraints leave free (coordinate {coordinate} takes part in it); \
                 give that coordinate a mass, or add the constraint that determines it"
            ),
            ConstrainError::Contradictory { row, residual } => write!(
                f,
                "the constraints contradict each other: row {row} keeps a residual of {residual:e}; correct the rows, or \
                 accept the least-squares solution"
            ),
            ConstrainError::NotConverged { row, residual, iterations } => write!(
                f,
                "the position constraints were not met after {iterations} iterations: row {row} has a residual of \
                 {residual:e}; start closer to the constraints, or take smaller steps"
            ),
            ConstrainError::NotARate { position, rate, derivative, value } => write!(
                f,
                "entry {rate} of y ({value:e}) is not the rate of entry {position} (its derivative is {derivative:e}); \
                 check the two lists of indices"
            ),
            ConstrainError::Option { what, value } => write!(f, "{what} must be positive and finite, not {value}"),
            ConstrainError::Unsupported(why) => f.write_str(why),
            ConstrainError::Function(code) => write!(f, "a user function returned the error code {code}"),
            ConstrainError::Formulation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConstrainError {}

impl From<SolveError> for ConstrainError {
    fn from(error: SolveError) -> ConstrainError {
        ConstrainError::Formulation(error)
    }
}

/// Refuses a vector of the wrong size.
pub(crate) fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), ConstrainError> {
    if expected == found { Ok(()) } else { Err(ConstrainError::Size { what, expected, found }) }
}

/// Refuses NaN and infinity.
pub(crate) fn check_finite(what: &'static str, x: &[f64]) -> Result<(), ConstrainError> {
    x.iter().position(|x| !x.is_finite()).map_or(Ok(()), |index| Err(ConstrainError::NotFinite { what, index }))
}
