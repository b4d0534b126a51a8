//! Errors of signals and force laws.

use thiserror::Error;

use crate::expressions::ParseError;

/// Invalid parameters of a signal or a force law.
///
/// `place` names the signal or law and its part, such as `harmonic signal`.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SignalError {
    /// A parameter is NaN or infinite.
    #[error("{place}: {parameter} is {value}; give a finite number")]
    NotFinite {
        /// The signal or law.
        place: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Its value.
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
        /// Its value.
        value: f64,
    },

    /// The numbers of abscissas and ordinates differ.
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

    /// First and last value of a periodic table differ.
    #[error(
        "{place}: the first value is {first} and the last {last}; \
         make them equal for a periodic table, or choose other ends"
    )]
    NotPeriodic {
        /// The signal or law.
        place: &'static str,
        /// First ordinate.
        first: f64,
        /// Last ordinate.
        last: f64,
    },

    /// Spline ends are given for a curve that is not a spline.
    #[error(
        "{place}: `end_conditions` apply to splines only, but the interpolation is {interpolation}; \
         add interpolation = \"spline\", or leave `end_conditions` out"
    )]
    EndsWithoutSpline {
        /// The signal or law.
        place: &'static str,
        /// The interpolation.
        interpolation: &'static str,
    },

    /// The spline through a table overflows.
    #[error(
        "{place}: the spline through the points overflows; \
         two points are too close for their difference in value: remove one or rescale"
    )]
    Overflow {
        /// The signal or law.
        place: &'static str,
    },

    /// A transition with t1 ≤ t0.
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

/// Rejects parameters that are not finite.
pub(super) fn finite(place: &'static str, parameters: &[(&'static str, f64)]) -> Result<(), SignalError> {
    match parameters.iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some(&(parameter, value)) => Err(SignalError::NotFinite { place, parameter, value }),
    }
}

/// Rejects lists with an entry that is not finite.
pub(super) fn finite_entries(place: &'static str, list: &'static str, entries: &[f64]) -> Result<(), SignalError> {
    match entries.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(SignalError::EntryNotFinite { place, list, index, value: entries[index] }),
    }
}
