//! Polynomials in time.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::error::{finite, finite_entries};
use crate::scalar::Scalar;

/// A polynomial in time.
///
/// ```text
///  y(t) = c₀ + c₁ (t − t₀) + c₂ (t − t₀)² + …
/// ```
///
/// # Examples
///
/// ```
/// use taut::signals::Polynomial;
///
/// let fall = Polynomial { coefficients: vec![10.0, 0.0, -4.905], t0: 1.0 };
/// assert_eq!(fall.at(3.0), 10.0 - 4.905 * 4.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polynomial {
    /// c₀, c₁, c₂ …; an empty list is the zero polynomial.
    pub coefficients: Vec<f64>,
    /// The time t₀ the powers are counted from.
    #[serde(default)]
    pub t0: f64,
}

impl Polynomial {
    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        horner(&self.coefficients, t - self.t0)
    }

    pub(super) fn check(&self) -> Result<(), SignalError> {
        let place = "polynomial signal";
        finite(place, &[("t0", self.t0)])?;
        finite_entries(place, "coefficients", &self.coefficients)
    }

    pub(super) fn is_constant(&self) -> bool {
        self.coefficients.iter().skip(1).all(|&c| c == 0.0)
    }
}

/// c₀ + c₁ x + c₂ x² + … by Horner's rule.
pub(super) fn horner<S: Scalar>(coefficients: &[f64], x: S) -> S {
    let mut sum = S::zero();
    for &c in coefficients.iter().rev() {
        sum = sum * x + c;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    #[test]
    fn fall_with_initial_velocity() {
        let fall = Polynomial { coefficients: vec![10.0, 2.0, -4.905], t0: 1.0 };
        let y = fall.at(Jet::variable(3.0));
        assert!((y.f - (10.0 + 4.0 - 4.905 * 4.0)).abs() < 1e-14);
        assert!((y.df - (2.0 - 9.81 * 2.0)).abs() < 1e-14);
        assert_eq!(y.ddf, -9.81);
    }

    #[test]
    fn no_coefficients_make_the_zero_polynomial() {
        let nothing = Polynomial { coefficients: vec![], t0: 0.0 };
        assert_eq!(nothing.at(5.0), 0.0);
        assert!(nothing.is_constant());
    }

    #[test]
    fn coefficients_must_be_finite() {
        let bad = Polynomial { coefficients: vec![1.0, f64::NAN], t0: 0.0 };
        let error = bad.check().unwrap_err();
        assert_eq!(error.to_string(), "polynomial signal: coefficients[1] is NaN; give finite numbers");
    }
}
