//! Coefficients of a section by angle of attack and Mach number.

mod formula;
mod linear;
mod plate;
mod sine;
mod table;

pub use formula::FormulaPolar;
pub use linear::LinearPolar;
pub use plate::PlatePolar;
pub use sine::SinePolar;
pub use table::{PolarGrid, PolarTable};

use crate::error::ParameterError;
use crate::scalar::Scalar;
use crate::signals::PassedEnd;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Lift, drag and moment coefficients; the moment is about the quarter-chord point, nose up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SectionCoefficients<S> {
    pub cl: S,
    pub cd: S,
    pub cm: S,
}

/// A polar; the tag is the `type` of the model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Polar {
    /// cl = a (α − α₀).
    Linear(LinearPolar),
    /// cl = a sin α.
    Sine(SinePolar),
    /// cl = a sin α cos α.
    Plate(PlatePolar),
    /// Text over `alpha` and `mach`.
    Formula(Box<FormulaPolar>),
    /// Measured curves over angle and Mach number.
    Table(PolarTable),
}

impl Polar {
    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        match self {
            Polar::Linear(p) => p.check(),
            Polar::Sine(p) => p.check(),
            Polar::Plate(p) => p.check(),
            Polar::Formula(p) => p.check(),
            Polar::Table(p) => p.check(),
        }
    }

    /// The coefficients at an angle of attack of any size, rad.
    #[inline]
    pub(crate) fn coefficients<S: Scalar>(&self, alpha: S, mach: S) -> SectionCoefficients<S> {
        let alpha = wrapped(alpha);
        match self {
            Polar::Linear(p) => p.coefficients(alpha),
            Polar::Sine(p) => p.coefficients(alpha),
            Polar::Plate(p) => p.coefficients(alpha),
            Polar::Formula(p) => p.coefficients(alpha, mach),
            Polar::Table(p) => p.coefficients(alpha, mach),
        }
    }

    /// The angle within −π … π.
    #[inline]
    pub(crate) fn within_range<S: Scalar>(&self, alpha: S) -> S {
        wrapped(alpha)
    }

    /// Whether the coefficients depend on the Mach number.
    pub(crate) fn depends_on_mach(&self) -> bool {
        match self {
            Polar::Linear(_) | Polar::Sine(_) | Polar::Plate(_) => false,
            Polar::Formula(p) => p.depends_on_mach(),
            Polar::Table(p) => p.depends_on_mach(),
        }
    }

    /// Whether it has an end.
    pub(crate) fn has_ends(&self) -> bool {
        matches!(self, Polar::Table(_))
    }

    /// The end of the table that lies before this angle or Mach number.
    pub(crate) fn passed_end(&self, alpha: f64, mach: f64) -> Option<PassedEnd> {
        match self {
            Polar::Table(p) => p.passed_end(wrapped(alpha), mach),
            _ => None,
        }
    }
}

/// The angle within −π … π.
#[inline(always)]
fn wrapped<S: Scalar>(alpha: S) -> S {
    let x = alpha.value();
    if x.abs() <= PI { alpha } else { alpha - TAU * (x / TAU).round() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_beyond_half_a_turn_are_wrapped() {
        let polar = Polar::Linear(LinearPolar { slope: 2.0, ..LinearPolar::default() });
        assert!((polar.coefficients(TAU + 0.1, 0.0).cl - 0.2).abs() < 1e-14);
        assert!((polar.coefficients(-TAU - 0.1, 0.0).cl + 0.2).abs() < 1e-14);
    }

    #[test]
    fn the_type_of_the_file_selects_the_polar() {
        let polar: Polar = serde_json::from_str(r#"{"type": "plate", "slope": 5.7, "drag": 0.01}"#).unwrap();
        assert_eq!(polar, Polar::Plate(PlatePolar { slope: 5.7, drag: 0.01 }));
        let sine: Polar = serde_json::from_str(r#"{"type": "sine", "slope": 5.7}"#).unwrap();
        assert!((sine.coefficients(0.3, 0.0).cl - 5.7 * 0.3_f64.sin()).abs() < 1e-15);
        assert!((polar.coefficients(2.0, 0.0).cl - 5.7 * 2.0_f64.sin() * 2.0_f64.cos()).abs() < 1e-15);
        assert!(Polar::Sine(SinePolar { slope: f64::NAN, drag: 0.0 }).check().is_err());
    }
}
