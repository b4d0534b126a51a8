//! The spring and damper with polynomial characteristics.

use serde::{Deserialize, Serialize};

use crate::scalar::Scalar;
use crate::signals::SignalError;
use crate::signals::error::{finite, finite_entries};
use crate::signals::polynomial::horner;

/// A spring and damper with polynomial characteristics.
///
/// ```text
///  f = preload − (k₁ x + k₂ x² + …) − (c₁ ṡ + c₂ ṡ² + …),   x = s − rest
/// ```
///
/// An even power has the same sign on both sides of 0: in the damping it dissipates energy for one
/// sign of the rate and supplies energy for the other.
///
/// # Examples
///
/// ```
/// use taut::signals::{ForceLaw, PolynomialLaw};
///
/// // A spring that hardens: 100 x + 5000 x³.
/// let law = PolynomialLaw { stiffness: vec![100.0, 0.0, 5000.0], ..PolynomialLaw::default() };
/// let law = ForceLaw::Polynomial(law);
/// assert!((law.force(0.1, 0.0, 0.0) + 15.0).abs() < 1e-12);
/// assert!((law.force(-0.1, 0.0, 0.0) - 15.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolynomialLaw {
    /// k₁, k₂ …, from the linear term on.
    #[serde(default)]
    pub stiffness: Vec<f64>,
    /// c₁, c₂ …, from the linear term on.
    #[serde(default)]
    pub damping: Vec<f64>,
    /// Free length or angle s₀.
    #[serde(default)]
    pub rest: f64,
    /// Force on the coordinate at s = rest; positive increases s.
    #[serde(default)]
    pub preload: f64,
}

impl PolynomialLaw {
    pub(super) fn force<S: Scalar>(&self, s: S, rate: S) -> S {
        self.elastic_force(s) + self.viscous_force(rate)
    }

    pub(super) fn elastic_force<S: Scalar>(&self, s: S) -> S {
        let x = s - self.rest;
        -horner(&self.stiffness, x) * x + self.preload
    }

    pub(super) fn viscous_force<S: Scalar>(&self, rate: S) -> S {
        -horner(&self.damping, rate) * rate
    }

    /// U = k₁ x²/2 + k₂ x³/3 + … - preload x
    pub(super) fn stored_energy<S: Scalar>(&self, s: S) -> S {
        let x = s - self.rest;
        let mut sum = S::zero();
        for (i, &k) in self.stiffness.iter().enumerate().rev() {
            sum = sum * x + k / (i + 2) as f64;
        }
        (sum * x - self.preload) * x
    }

    pub(super) fn check(&self) -> Result<(), SignalError> {
        let place = "polynomial law";
        finite(place, &[("rest", self.rest), ("preload", self.preload)])?;
        finite_entries(place, "stiffness", &self.stiffness)?;
        finite_entries(place, "damping", &self.damping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardening_spring_by_hand() {
        let law =
            PolynomialLaw { stiffness: vec![10.0, 0.0, 4.0], damping: vec![1.0, 0.0, 2.0], rest: 1.0, preload: 0.5 };
        // x = 2: 20 + 32; v = -1: -1 - 2
        assert_eq!(law.force(3.0, -1.0), 0.5 - 52.0 + 3.0);
        assert_eq!(law.stored_energy(3.0), 20.0 + 16.0 - 1.0);
    }

    #[test]
    fn entries_must_be_finite() {
        let law = PolynomialLaw { damping: vec![f64::INFINITY], ..PolynomialLaw::default() };
        assert_eq!(law.check().unwrap_err().to_string(), "polynomial law: damping[0] is inf; give finite numbers");
    }
}
