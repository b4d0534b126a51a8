//! What can be wrong with a signal or a force law.

use thiserror::Error;

use crate::expressions::ParseError;

/// Why the parameters of a signal or a force law make no function.
///
/// `place` names the signal or law and its part, such as `harmonic signal`.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SignalError {
    /// A parameter is NaN or infinite.
    #[error("{place}: {parameter} is {value}; give a finite number")]
    NotFinite {
        /// The signal or law.
        place: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it is.
        value: f64,
    },

    /// An entry of a list is NaN or infinite.
    #[error("{place}: {list}[{index}] is {value}; give finite numbers")]
    EntryNotFinite {
        /// The signal or law.
        place: &'static str,
        /// The list.
        list: &'static str,
        /// Index of the entry, counted from 0.
        index: usize,
        /// What it is.
        value: f64,
    },

    /// Abscissas and ordinates are not equal in number.
    #[error("{place}: {abscissas} points have {ordinates} values; give one value for each point")]
    LengthMismatch {
        /// The signal or law.
        place: &'static str,
        /// Number of abscissas.
        abscissas: usize,
        /// Number of ordinates.
        ordinates: usize,
    },

    /// A table has too few points for its kind of ends.
    #[error("{place}: {found} point(s) are too few; give at least {least}")]
    TooFewPoints {
        /// The signal or law.
        place: &'static str,
        /// Number of points given.
        found: usize,
        /// Number of points needed.
        least: usize,
    },

    /// The abscissas of a table do not increase.
    #[error(
        "{place}: point {index} lies at {value}, not beyond its predecessor at {previous}; \
         sort the points in strictly increasing order"
    )]
    Unsorted {
        /// The signal or law.
        place: &'static str,
        /// Index of the later point, counted from 0.
        index: usize,
        /// Abscissa of the earlier point.
        previous: f64,
        /// Abscissa of the later point.
        value: f64,
    },

    /// A periodic table ends at another value than it begins with.
    #[error(
        "{place}: the first value is {first} and the last {last}; \
         a period must end as it begins, or choose other ends"
    )]
    NotPeriodic {
        /// The signal or law.
        place: &'static str,
        /// First ordinate.
        first: f64,
        /// Last ordinate.
        last: f64,
    },

    /// The ends of a spline are given to a curve that is none.
    #[error(
        "{place}: `end_conditions` shape a spline, but the points are joined by {interpolation}; \
         add interpolation = \"spline\", or leave `end_conditions` out"
    )]
    EndsWithoutSpline {
        /// The signal or law.
        place: &'static str,
        /// How the points are joined.
        interpolation: &'static str,
    },

    /// The spline through a table overflows.
    #[error(
        "{place}: the spline through the points overflows; \
         points too close for their difference in value: remove one or rescale"
    )]
    Overflow {
        /// The signal or law.
        place: &'static str,
    },

    /// A transition ends before it begins.
    #[error("{place}: t1 = {t1} does not exceed t0 = {t0}; give a transition of positive length")]
    EmptyTransition {
        /// The signal or law.
        place: &'static str,
        /// Begin of the transition.
        t0: f64,
        /// End of the transition.
        t1: f64,
    },

    /// The text of an expression does not parse.
    #[error("{place}: {source}")]
    Expression {
        /// The signal or law.
        place: &'static str,
        /// What is wrong with the text.
        source: ParseError,
    },
}

/// Refuses the first parameter that is not finite.
pub(super) fn finite(place: &'static str, parameters: &[(&'static str, f64)]) -> Result<(), SignalError> {
    match parameters.iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(&(parameter, value)) => Err(SignalError::NotFinite { place, parameter, value }),
    }
}

/// Refuses the first entry of a list that is not finite.
pub(super) fn finite_entries(place: &'static str, list: &'static str, entries: &[f64]) -> Result<(), SignalError> {
    match entries.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(SignalError::EntryNotFinite { place, list, index, value: entries[index] }),
    }
}
