//! Errors of the linear analyses.

use crate::analyses::{AnalysisError, StaticsError};
use crate::formulations::SolveError;
use crate::solvers::UndeterminedMotion;
use crate::tangent::Singular;
use thiserror::Error;

/// Wrong use of a linear analysis, or a state that does not allow it.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LinearError {
    /// A state of the wrong size, or invalid settings.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// Slipping friction cannot be linearised.
    #[error("`{constraint}` slips, which cannot be linearised; choose a state in which it sticks or is open")]
    Slipping {
        /// The constraint.
        constraint: String,
    },
    /// Friction or a brake that is too weak.
    #[error(
        "`{constraint}` cannot hold: it needs {needed:.6} {unit}, and its bound is {bound:.6} {unit}, so it slips. Choose \
         a state in which it sticks, or increase the bound"
    )]
    FrictionTooWeak {
        /// The constraint.
        constraint: String,
        /// The required force.
        needed: f64,
        /// The available force.
        bound: f64,
        /// Unit of both.
        unit: &'static str,
    },
    /// A gap that closes with a velocity: an impact.
    #[error("`{constraint}` has an impact in this state; choose a state before or after it")]
    Impact {
        /// The constraint.
        constraint: String,
    },
    /// Neither an equilibrium nor a steady motion.
    #[error(
        "the state is neither an equilibrium nor a steady motion (accelerations of {fraction:.1e} of the acting forces): {remedy}; --frozen uses \
         the coefficients of this instant"
    )]
    Unsteady {
        /// Accelerations in the frame, relative to the acting forces.
        fraction: f64,
        /// What to do.
        remedy: String,
    },
    /// Coefficients that vary along the steady motion.
    #[error(
        "the coefficients are not constant in this frame: a little later the response differs by {fraction:.1e} of its size; {remedy}"
    )]
    TimeVarying {
        /// Relative change of the response.
        fraction: f64,
        /// What to do.
        remedy: String,
    },
    /// Modal shapes that rotate with their body relative to the frame.
    #[error(
        "the shapes of `{body}` rotate with it, at {rate} rad/s relative to this frame: its frequencies would be those of the body frame, not of \
         this frame; use {remedy}"
    )]
    BodyFrameModes {
        /// The body.
        body: String,
        /// Its rate in the frame, rad/s.
        rate: f64,
        /// The options that define its frame.
        remedy: String,
    },
    /// A body without mass whose motion no constraint determines.
    #[error("{0}")]
    Massless(UndeterminedMotion),
    /// The accelerations cannot be computed.
    #[error("the accelerations of the state cannot be computed: {0}; see `taut check`")]
    Accelerations(String),
    /// No equilibrium was found.
    #[error("there is no steady state near the start: {0}")]
    NoEquilibrium(Box<StaticsError>),
    /// NaN or infinity in the equations.
    #[error("the equations of the state contain numbers that are not finite; check forces and signals at its time")]
    NotFinite,
    /// A body that cannot be described in a rotating frame.
    #[error(
        "body `{body}` cannot be described in a rotating frame: its coordinates do not rotate with it; use a rigid body"
    )]
    RotatingFrameUnsupported {
        /// The body.
        body: String,
    },
    /// The matrix of the small motions is singular.
    #[error("the equations are singular at {at}: {why}")]
    Singular {
        /// The frequency or value.
        at: String,
        /// Likely cause.
        why: &'static str,
    },
    /// An iteration that did not converge.
    #[error("{what} did not converge: the residual is {left:.1e}; {remedy}")]
    NoConvergence {
        /// The iteration.
        what: &'static str,
        /// Residual.
        left: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// An unknown name.
    #[error("there is no {what} `{name}`{hint}")]
    UnknownName {
        /// What kind of name.
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
    /// The error for a singular matrix at a value of λ.
    pub(super) fn singular(at: impl Into<String>) -> impl FnOnce(Singular) -> LinearError {
        let at = at.into();
        move |_| LinearError::Singular {
            at,
            why: "a motion has neither mass nor stiffness, or rows depend on each other",
        }
    }
}
