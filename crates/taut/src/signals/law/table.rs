//! The spring and damper with measured characteristics.

use serde::{Deserialize, Serialize};

use crate::scalar::Scalar;
use crate::signals::SignalError;
use crate::signals::error::finite;
use crate::signals::spline::{Ends, Extrapolation, Spline};

/// A measured curve of force over deflection or over rate, as a cubic spline.
///
/// As on a test bench the force counts positive where it resists: a spring in tension and a
/// damper being drawn out have positive forces.  Outside the points the curve goes straight on
/// unless told otherwise, since a spring that stops stiffening is the exception.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Points", into = "Points")]
pub struct Characteristic(Spline);

/// A characteristic as it is written in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Points {
    x: Vec<f64>,
    force: Vec<f64>,
    #[serde(default)]
    ends: Ends,
    #[serde(default = "linear")]
    extrapolation: Extrapolation,
}

fn linear() -> Extrapolation {
    Extrapolation::Linear
}

impl Characteristic {
    /// The curve through the points (x, force); x is a deflection or a rate.
    pub fn new(
        x: Vec<f64>,
        force: Vec<f64>,
        ends: Ends,
        extrapolation: Extrapolation,
    ) -> Result<Characteristic, SignalError> {
        Spline::new("characteristic of a table law", x, force, ends, extrapolation).map(Characteristic)
    }

    /// The spline itself.
    pub fn spline(&self) -> &Spline {
        &self.0
    }
}

impl TryFrom<Points> for Characteristic {
    type Error = SignalError;
    fn try_from(points: Points) -> Result<Characteristic, SignalError> {
        Characteristic::new(points.x, points.force, points.ends, points.extrapolation)
    }
}

impl From<Characteristic> for Points {
    fn from(characteristic: Characteristic) -> Points {
        let spline = characteristic.0;
        Points {
            x: spline.x().to_vec(),
            force: spline.y().to_vec(),
            ends: spline.ends(),
            extrapolation: spline.extrapolation(),
        }
    }
}

/// f = -elastic(s - rest) - viscous(rate)
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableLaw {
    /// Force over deflection; none for a pure damper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elastic: Option<Characteristic>,
    /// Force over rate; none for a pure spring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscous: Option<Characteristic>,
    /// Free length or angle, from which the deflection counts.
    #[serde(default)]
    pub rest: f64,
}

impl TableLaw {
    pub(super) fn force<S: Scalar>(&self, s: S, rate: S) -> S {
        self.elastic_force(s) + self.viscous_force(rate)
    }

    pub(super) fn elastic_force<S: Scalar>(&self, s: S) -> S {
        match &self.elastic {
            Some(curve) => -curve.0.at(s - self.rest),
            None => S::zero(),
        }
    }

    pub(super) fn viscous_force<S: Scalar>(&self, rate: S) -> S {
        match &self.viscous {
            Some(curve) => -curve.0.at(rate),
            None => S::zero(),
        }
    }

    /// The integral of the elastic curve from no deflection to that at s.
    pub(super) fn stored_energy(&self, s: f64) -> f64 {
        match &self.elastic {
            Some(curve) => curve.0.integral(s - self.rest) - curve.0.integral(0.0),
            None => 0.0,
        }
    }

    pub(super) fn check(&self) -> Result<(), SignalError> {
        finite("table law", &[("rest", self.rest)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight(slope: f64) -> Characteristic {
        let x = vec![-1.0, 0.0, 1.0];
        let force = x.iter().map(|x| slope * x).collect();
        Characteristic::new(x, force, Ends::Natural, Extrapolation::Linear).unwrap()
    }

    #[test]
    fn straight_curves_are_the_linear_law() {
        let law = TableLaw { elastic: Some(straight(100.0)), viscous: Some(straight(2.0)), rest: 0.5 };
        assert_eq!(law.force(0.75, 0.5), -25.0 - 1.0);
        assert_eq!(law.force(2.5, 0.0), -200.0);
        assert!((law.stored_energy(2.5) - 200.0).abs() < 1e-12);
        assert!((law.stored_energy(-1.5) - 200.0).abs() < 1e-12);
        assert_eq!(law.stored_energy(0.5), 0.0);
    }

    #[test]
    fn absent_curves_are_no_force() {
        let nothing = TableLaw::default();
        assert_eq!((nothing.force(1.0, 1.0), nothing.stored_energy(1.0)), (0.0, 0.0));
    }
}
