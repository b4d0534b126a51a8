//! A polar for all angles: correct in reversed flow.

use super::SectionCoefficients;
use crate::error::ParameterError;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};

/// cl = a sin α cos α, constant cd: the lift of flow from behind has the correct sign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatePolar {
    /// Slope a of the lift at α = 0, per rad.
    pub slope: f64,
    /// Drag coefficient.
    #[serde(default)]
    pub drag: f64,
}

impl PlatePolar {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("slope", &[self.slope])?;
        ParameterError::check_finite("drag", &[self.drag])
    }

    pub(super) fn coefficients<S: Scalar>(&self, alpha: S) -> SectionCoefficients<S> {
        SectionCoefficients { cl: alpha.sin() * alpha.cos() * self.slope, cd: S::from(self.drag), cm: S::from(0.0) }
    }
}
