//! The linear spring and damper.

use serde::{Deserialize, Serialize};

use crate::scalar::Scalar;
use crate::signals::SignalError;
use crate::signals::error::finite;

/// A linear spring and damper.
///
/// ```text
///  f = preload − k (s − s₀) − c ṡ          V = ½ k (s − s₀)² − preload (s − s₀)
/// ```
///
/// # Examples
///
/// ```
/// use taut::signals::{ForceLaw, LinearLaw};
///
/// let strut = ForceLaw::Linear(LinearLaw { stiffness: 2e4, damping: 1500.0, rest: 0.4, preload: 0.0 });
/// assert!((strut.force(0.35, 0.1, 0.0) - (1000.0 - 150.0)).abs() < 1e-9); // shorter by 5 cm, and getting longer
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearLaw {
    /// Stiffness k; negative for a spring that pushes away.
    #[serde(default)]
    pub stiffness: f64,
    /// Damping constant c; negative supplies energy.
    #[serde(default)]
    pub damping: f64,
    /// Free length or angle s₀.
    #[serde(default)]
    pub rest: f64,
    /// Force on the coordinate at s = rest.  Positive increases s, like a spring installed under
    /// compression; use a negative value for tension.
    #[serde(default)]
    pub preload: f64,
}

impl LinearLaw {
    pub(super) fn force<S: Scalar>(&self, s: S, rate: S) -> S {
        self.elastic_force(s) + self.viscous_force(rate)
    }

    pub(super) fn elastic_force<S: Scalar>(&self, s: S) -> S {
        -(s - self.rest) * self.stiffness + self.preload
    }

    pub(super) fn viscous_force<S: Scalar>(&self, rate: S) -> S {
        -rate * self.damping
    }

    /// U = k (s - s₀)² / 2 - preload (s - s₀)
    pub(super) fn stored_energy<S: Scalar>(&self, s: S) -> S {
        let x = s - self.rest;
        (x * (0.5 * self.stiffness) - self.preload) * x
    }

    pub(super) fn check(&self) -> Result<(), SignalError> {
        finite(
            "linear law",
            &[("stiffness", self.stiffness), ("damping", self.damping), ("rest", self.rest), ("preload", self.preload)],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulls_back_and_resists() {
        let law = LinearLaw { stiffness: 100.0, damping: 2.0, rest: 0.5, preload: 3.0 };
        assert_eq!(law.force(0.75, 4.0), -100.0 * 0.25 - 8.0 + 3.0);
        assert_eq!(law.stored_energy(0.75), 50.0 * 0.0625 - 0.75);
        assert_eq!(law.stored_energy(0.5), 0.0);
    }

    #[test]
    fn parameters_must_be_finite() {
        let law = LinearLaw { rest: f64::NAN, ..LinearLaw::default() };
        assert_eq!(law.check().unwrap_err().to_string(), "linear law: rest is NaN; give a finite number");
    }
}
