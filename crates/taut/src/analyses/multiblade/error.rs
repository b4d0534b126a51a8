//! Errors of multiblade coordinates.

use crate::analyses::linear::LinearError;
use crate::analyses::{AnalysisError, PeriodicError};
use thiserror::Error;

/// Why there are no multiblade coordinates.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MultibladeError {
    /// The motion or its small motions cannot be computed.
    #[error(transparent)]
    Motion(#[from] PeriodicError),
    /// The state of the wrong size.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// No body of that name with a number.
    #[error("no body is called `{word}` with a number{hint}; a group needs names such as `{word}1`, `{word}2`")]
    NoGroup {
        /// The word.
        word: String,
        /// ` (did you mean …?)`.
        hint: String,
    },
    /// A set with another number of bodies.
    #[error(
        "`{name}` and the bodies with other numbers are {found}, but the group has {expected} parts: each part needs one"
    )]
    Incomplete {
        /// One of them.
        name: String,
        /// Number found.
        found: usize,
        /// Number expected.
        expected: usize,
    },
    /// All bodies of the group lie on the axis.
    #[error("`{name}` and the other bodies of its group lie on the axis, so they have no azimuth; check the axis")]
    OnAxis {
        /// One of them.
        name: String,
    },
    /// Bodies that are not spaced evenly.
    #[error(
        "`{name}` is not where one of {count} like parts should be: it is off by {degrees:.3} degrees, or its radius or \
         height differs from that of `{first}`"
    )]
    Spacing {
        /// The body.
        name: String,
        /// The first body of the set.
        first: String,
        /// Number of parts.
        count: usize,
        /// Angle, degrees.
        degrees: f64,
    },
    /// Bodies of different masses.
    #[error("`{name}` is not like `{first}`: its mass, inertia or axes differ; a group needs like parts")]
    Unlike {
        /// The body.
        name: String,
        /// The first body of the set.
        first: String,
    },
    /// A point mass has no axes.
    #[error("`{name}` has no axes of its own; make it a rigid body, or leave it out of the group")]
    NoAxes {
        /// The body.
        name: String,
    },
    /// The motion does not repeat after one revolution.
    #[error(
        "after one revolution the state differs by {difference:.1e} of a length or radian: the motion is not periodic with \
         the rotation at {rate} rad/s; start from a settled state (--at), or give --rate"
    )]
    NotPeriodic {
        /// The largest difference.
        difference: f64,
        /// Rate of the rotation, rad/s.
        rate: f64,
    },
    /// The parts do not make one revolution in the period.
    #[error("the parts make {turns:.6} revolutions in the period, not one; check the period and the axis")]
    Revolution {
        /// Revolutions.
        turns: f64,
    },
    /// States of an element that acts on several parts.
    #[error(
        "`{force}` has states of its own and acts on several parts: which state belongs to which part is not known; compute the whole period"
    )]
    SharedStates {
        /// The element.
        force: String,
    },
    /// Parts that move differently.
    #[error(
        "the parts are not alike: `{name}` accelerates differently, by {fraction:.1e} of the largest, when the next part takes its \
         place; compute the whole period"
    )]
    Asymmetric {
        /// The body.
        name: String,
        /// Relative difference.
        fraction: f64,
    },
    /// No motion that repeats after one passage.
    #[error(
        "no motion was found that repeats after one passage of the parts: the state still differs by {difference:.1e} of a length \
         or radian; start nearer to it (--at), or compute the whole period"
    )]
    NoPassage {
        /// The largest difference.
        difference: f64,
    },
}

impl From<LinearError> for MultibladeError {
    fn from(e: LinearError) -> MultibladeError {
        MultibladeError::Motion(e.into())
    }
}
