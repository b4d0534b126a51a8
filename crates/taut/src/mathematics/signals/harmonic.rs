//! Harmonic oscillations.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::error::finite;
use crate::scalar::Scalar;

/// A harmonic oscillation.
///
/// ```text
///  y(t) = offset + amplitude · sin(ω t + phase)
/// ```
///
/// # Examples
///
/// ```
/// use taut::signals::Harmonic;
///
/// let sway = Harmonic { amplitude: 0.2, omega: 3.0, phase: 0.0, offset: 1.0 };
/// assert_eq!(sway.at(0.0), 1.0);
/// assert_eq!(sway.at(0.5), 1.0 + 0.2 * 1.5_f64.sin());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harmonic {
    /// Greatest deviation from the offset.
    pub amplitude: f64,
    /// Angular frequency ω in rad/s.
    pub omega: f64,
    /// Phase at time 0 in rad.
    #[serde(default)]
    pub phase: f64,
    /// Mean value.
    #[serde(default)]
    pub offset: f64,
}

impl Harmonic {
    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        (t * self.omega + self.phase).sin() * self.amplitude + self.offset
    }

    pub(super) fn check(&self) -> Result<(), SignalError> {
        finite(
            "harmonic signal",
            &[("amplitude", self.amplitude), ("omega", self.omega), ("phase", self.phase), ("offset", self.offset)],
        )
    }

    pub(super) fn is_constant(&self) -> bool {
        self.amplitude == 0.0 || self.omega == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    const SWING: Harmonic = Harmonic { amplitude: 0.5, omega: 3.0, phase: 0.2, offset: 1.0 };

    #[test]
    fn obeys_the_oscillator_equation() {
        for t in [-1.0, 0.0, 0.4, 7.0] {
            let y = SWING.at(Jet::variable(t));
            assert!((y.f - 1.0 - 0.5 * (3.0 * t + 0.2).sin()).abs() < 1e-15);
            assert!((y.df - 1.5 * (3.0 * t + 0.2).cos()).abs() < 1e-14);
            assert!((y.ddf + 9.0 * (y.f - 1.0)).abs() < 1e-14);
        }
    }

    #[test]
    fn parameters_must_be_finite() {
        let bad = Harmonic { omega: f64::INFINITY, ..SWING };
        assert_eq!(
            bad.check(),
            Err(SignalError::NotFinite { place: "harmonic signal", parameter: "omega", value: f64::INFINITY })
        );
    }
}
