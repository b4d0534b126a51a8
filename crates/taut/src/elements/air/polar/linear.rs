//! A linear polar: thin airfoils at small angles.

use super::SectionCoefficients;
use crate::error::ParameterError;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};

/// cl = a (α − α₀), constant cd and cm.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearPolar {
    /// Slope a of the lift, per rad.
    pub slope: f64,
    /// Angle α₀ without lift, rad.
    #[serde(default)]
    pub zero_lift_angle: f64,
    /// Drag coefficient.
    #[serde(default)]
    pub drag: f64,
    /// Moment coefficient about the quarter-chord point, nose up.
    #[serde(default)]
    pub moment: f64,
}

impl LinearPolar {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("slope", &[self.slope])?;
        ParameterError::check_finite("zero_lift_angle", &[self.zero_lift_angle])?;
        ParameterError::check_finite("drag", &[self.drag])?;
        ParameterError::check_finite("moment", &[self.moment])
    }

    pub(super) fn coefficients<S: Scalar>(&self, alpha: S) -> SectionCoefficients<S> {
        SectionCoefficients {
            cl: (alpha - self.zero_lift_angle) * self.slope,
            cd: S::from(self.drag),
            cm: S::from(self.moment),
        }
    }
}
