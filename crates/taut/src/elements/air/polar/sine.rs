//! A sine polar: makes the classical rotor equations exact.

use super::SectionCoefficients;
use crate::error::ParameterError;
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};

/// cl = a sin α, constant cd: U² cl cos φ = a U_T (U_T sin θ − U_P cos θ), the classical equations without reversed flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SinePolar {
    /// Slope a of the lift at α = 0, per rad.
    pub slope: f64,
    /// Drag coefficient.
    #[serde(default)]
    pub drag: f64,
}

impl SinePolar {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("slope", &[self.slope])?;
        ParameterError::check_finite("drag", &[self.drag])
    }

    pub(super) fn coefficients<S: Scalar>(&self, alpha: S) -> SectionCoefficients<S> {
        SectionCoefficients { cl: alpha.sin() * self.slope, cd: S::from(self.drag), cm: S::from(0.0) }
    }
}
