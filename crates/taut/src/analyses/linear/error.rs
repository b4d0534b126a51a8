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
    /// Friction or a brake that would have to hold more than it can.
    #[error(
        "`{constraint}` cannot hold: it would have to give {needed:.6} {unit}, and its bound is {bound:.6} {unit}; the state slides. Choose \
         one in which it sticks, or make it stronger"
    )]
    GivesWay {
        /// The constraint.
        constraint: String,
        /// What it would have to give.
        needed: f64,
        /// What it can give.
        bound: f64,
        /// Of both.
        unit: &'static str,
    },
    /// A gap that closes with a speed.
    #[error("`{constraint}` strikes in this very state; choose one before or after the impact")]
    Strikes {
        /// The constraint.
        constraint: String,
    },
    /// Neither an equilibrium nor a steady motion.
    #[error(
        "the state is neither an equilibrium nor a steady motion (accelerations of {share:.1e} of the forces at work): {remedy}; --frozen takes \
         its coefficients as they are at this instant"
    )]
    Unsteady {
        /// Accelerations that should not be, relative to the forces at work.
        share: f64,
        /// What to do.
        remedy: String,
    },
    /// Coefficients that change along the steady motion.
    #[error(
        "the coefficients are not constant in this frame: a little later small motions answer otherwise, by {share:.1e} of their size; {remedy}"
    )]
    Varying {
        /// Relative change of the response.
        share: f64,
        /// What to do.
        remedy: String,
    },
    /// Shapes that turn with their body.
    #[error(
        "the shapes of `{body}` turn with it, at {rate} rad/s against this frame: its frequencies would be those that the body sees, not those of \
         the frame; take {remedy}"
    )]
    SeenFromBody {
        /// The body.
        body: String,
        /// Its rate in the frame, rad/s.
        rate: f64,
        /// The options that say its frame.
        remedy: String,
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
