//! The spring and damper with measured characteristics.

use serde::{Deserialize, Serialize};

use crate::scalar::Scalar;
use crate::signals::SignalError;
use crate::signals::error::finite;
use crate::signals::interpolant::{Extrapolation, Interpolant, Interpolation, SplineEnds};
use crate::signals::interpolation_kind::InterpolationKind;

/// A measured curve of force over deflection or over rate; default: straight lines.
///
/// As on a test bench, the force is positive when it resists: a spring in tension and a damper
/// being extended have positive forces.  Outside the points the curve continues straight by
/// default, because a spring force rarely stays constant there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "CharacteristicData", into = "CharacteristicData")]
pub struct Characteristic(Interpolant);

/// A characteristic as written in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CharacteristicData {
    x: Vec<f64>,
    force: Vec<f64>,
    #[serde(default)]
    interpolation: InterpolationKind,
    #[serde(rename = "end_conditions", default, skip_serializing_if = "Option::is_none")]
    end_conditions: Option<SplineEnds>,
    #[serde(default = "linear")]
    extrapolation: Extrapolation,
}

fn linear() -> Extrapolation {
    Extrapolation::Linear
}

/// The name used in error messages.
const CONTEXT: &str = "characteristic of a table law";

impl Characteristic {
    /// The curve through the points (x, force); x is a deflection or a rate.
    pub fn new(
        x: Vec<f64>,
        force: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Characteristic, SignalError> {
        Interpolant::new(CONTEXT, x, force, interpolation, extrapolation).map(Characteristic)
    }

    /// The curve itself.
    pub fn curve(&self) -> &Interpolant {
        &self.0
    }
}

impl TryFrom<CharacteristicData> for Characteristic {
    type Error = SignalError;
    fn try_from(points: CharacteristicData) -> Result<Characteristic, SignalError> {
        let interpolation = points.interpolation.with_ends(points.end_conditions, CONTEXT)?;
        Characteristic::new(points.x, points.force, interpolation, points.extrapolation)
    }
}

impl From<Characteristic> for CharacteristicData {
    fn from(characteristic: Characteristic) -> CharacteristicData {
        let curve = characteristic.0;
        let (interpolation, ends) = InterpolationKind::of(curve.interpolation());
        let extrapolation = curve.extrapolation();
        CharacteristicData {
            x: curve.x().to_vec(),
            force: curve.y().to_vec(),
            interpolation,
            end_conditions: ends,
            extrapolation,
        }
    }
}

/// A spring and damper with measured characteristics.
///
/// ```text
///  f = −elastic(s − rest) − viscous(ṡ)
/// ```
///
/// # Examples
///
/// ```
/// use taut::signals::{Characteristic, Extrapolation, ForceLaw, Interpolation, TableLaw};
///
/// let (x, force) = (vec![-0.1, 0.0, 0.1, 0.12], vec![-2e3, 0.0, 2e3, 5e3]);
/// let stop = Characteristic::new(x, force, Interpolation::Linear, Extrapolation::Linear)?;
/// let law = ForceLaw::Table(TableLaw { elastic: Some(stop), ..TableLaw::default() });
/// assert!((law.force(0.11, 0.0, 0.0) + 3500.0).abs() < 1e-9);
/// # Ok::<(), taut::signals::SignalError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableLaw {
    /// Force over deflection; none for a pure damper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elastic: Option<Characteristic>,
    /// Force over rate; none for a pure spring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscous: Option<Characteristic>,
    /// Free length or angle, from which the deflection is measured.
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

    /// The integral of the elastic curve from zero deflection to that at s.
    pub(super) fn stored_energy(&self, s: f64) -> f64 {
        match &self.elastic {
            Some(curve) => curve.0.integral(s - self.rest) - curve.0.integral(0.0),
            None => 0.0,
        }
    }

    pub(super) fn guards(&self) -> usize {
        usize::from(self.elastic.is_some()) + usize::from(self.viscous.is_some())
    }

    /// A guard that crosses zero at every point of a curve.
    pub(super) fn guard(&self, i: usize, s: f64, rate: f64) -> f64 {
        self.curves(s, rate).nth(i).map_or(f64::INFINITY, |(curve, x)| curve.0.knot_guard(x))
    }

    /// Its curves, each with the abscissa at which it is evaluated.
    pub(super) fn curves(&self, s: f64, rate: f64) -> impl Iterator<Item = (&Characteristic, f64)> {
        let elastic = self.elastic.iter().map(move |curve| (curve, s - self.rest));
        elastic.chain(self.viscous.iter().map(move |curve| (curve, rate)))
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
        Characteristic::new(x, force, Interpolation::Linear, Extrapolation::Linear).unwrap()
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
