//! The name of an interpolation in a file.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::interpolant::{Interpolation, SplineEnds};

/// The name of an interpolation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InterpolationKind {
    #[default]
    Linear,
    Pchip,
    Akima,
    Spline,
}

impl InterpolationKind {
    /// The interpolation with the given spline ends; ends without a spline are an error.
    pub fn with_ends(self, ends: Option<SplineEnds>, place: &'static str) -> Result<Interpolation, SignalError> {
        let refuse = |interpolation| match ends {
            None => Ok(()),
            Some(_) => Err(SignalError::EndsWithoutSpline { place, interpolation }),
        };
        let interpolation = match self {
            InterpolationKind::Linear => {
                refuse("linear")?;
                Interpolation::Linear
            }
            InterpolationKind::Pchip => {
                refuse("pchip")?;
                Interpolation::Pchip
            }
            InterpolationKind::Akima => {
                refuse("akima")?;
                Interpolation::Akima
            }
            InterpolationKind::Spline => Interpolation::Spline(ends.unwrap_or_default()),
        };
        Ok(interpolation)
    }

    /// The name and the ends of an interpolation.
    pub fn of(interpolation: Interpolation) -> (InterpolationKind, Option<SplineEnds>) {
        match interpolation {
            Interpolation::Linear => (InterpolationKind::Linear, None),
            Interpolation::Pchip => (InterpolationKind::Pchip, None),
            Interpolation::Akima => (InterpolationKind::Akima, None),
            Interpolation::Spline(ends) => (InterpolationKind::Spline, Some(ends)),
        }
    }
}
