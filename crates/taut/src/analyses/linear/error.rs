//! Why there are no small motions to be told.

use crate::analyses::{AnalysisError, StaticsError};
use crate::formulations::SolveError;
use crate::tangent::Singular;
use thiserror::Error;

/// Misuse of a linear analysis, or a state that does not allow it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LinearError {
    /// A state of the wrong size, settings that make no sense.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Friction at its bound is no linear function of anything.
    #[error(
        "`{constraint}` slips: small motions about slipping are not linear; choose a state in which it sticks or is open"
    )]
    Slipping {
        /// The constraint.
        constraint: String,
    },
    /// Accelerations cannot be found.
    #[error("the accelerations of the state cannot be found: {0}; see `taut check`")]
    Accelerations(String),
    /// There is no equilibrium to look from.
    #[error("there is no steady state near the start: {0}")]
    Unbalanced(Box<StaticsError>),
    /// NaN or infinity in the equations.
    #[error("the equations of the state hold numbers that are not finite; check forces and signals at its time")]
    NotFinite,
    /// A body without a place in a turning frame.
    #[error(
        "body `{body}` cannot be described in a turning frame: its coordinates do not turn with it; use a rigid body"
    )]
    NotCarried {
        /// The body.
        body: String,
    },
    /// The matrix of the small motions has no inverse.
    #[error("the equations are singular at {at}: {why}")]
    Singular {
        /// Where.
        at: String,
        /// What may be behind it.
        why: &'static str,
    },
    /// Iterations that did not end.
    #[error("{what} did not converge: {left:.1e} is left; {remedy}")]
    NoConvergence {
        /// What.
        what: &'static str,
        /// Residual.
        left: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// A name that is not there.
    #[error("there is no {what} `{name}`{hint}")]
    Unknown {
        /// What it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// ` (did you mean …?)`, or what names there are.
        hint: String,
    },
}

impl From<SolveError> for LinearError {
    fn from(e: SolveError) -> LinearError {
        LinearError::Accelerations(e.to_string())
    }
}

impl LinearError {
    /// A matrix without an inverse at a value of λ.
    pub(super) fn singular(at: impl Into<String>) -> impl FnOnce(Singular) -> LinearError {
        let at = at.into();
        move |_| LinearError::Singular {
            at,
            why: "something moves without mass or stiffness, or rows depend on each other",
        }
    }
}
