//! The name of an interpolation in a file.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::interpolant::{Ends, Interpolation};

/// The name of an interpolation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Way {
    #[default]
    Linear,
    Pchip,
    Akima,
    Spline,
}

impl Way {
    /// The interpolation with the given spline ends; ends without a spline are an error.
    pub fn with(self, ends: Option<Ends>, place: &'static str) -> Result<Interpolation, SignalError> {
        let refuse = |interpolation| match ends {
            None => Ok(()),
            Some(_) => Err(SignalError::EndsWithoutSpline { place, interpolation }),
        };
        let interpolation = match self {
            Way::Linear => {
                refuse("linear")?;
                Interpolation::Linear
            }
            Way::Pchip => {
                refuse("pchip")?;
                Interpolation::Pchip
            }
            Way::Akima => {
                refuse("akima")?;
                Interpolation::Akima
            }
            Way::Spline => Interpolation::Spline(ends.unwrap_or_default()),
        };
        Ok(interpolation)
    }

    /// The name and the ends of an interpolation.
    pub fn of(interpolation: Interpolation) -> (Way, Option<Ends>) {
        match interpolation {
            Interpolation::Linear => (Way::Linear, None),
            Interpolation::Pchip => (Way::Pchip, None),
            Interpolation::Akima => (Way::Akima, None),
            Interpolation::Spline(ends) => (Way::Spline, Some(ends)),
        }
    }
}
