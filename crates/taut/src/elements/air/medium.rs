//! The air: density, speed of sound, wind.

use super::formula_field::{BoundField, Taken};
use crate::constraints::{ElementInput, Scope};
use crate::error::{BuildError, ParameterError, element_error};
use crate::motion::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// A number, or a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Field {
    /// A number.
    Constant(f64),
    /// A formula as text.
    Formula(String),
}

impl Default for Field {
    fn default() -> Field {
        Field::Constant(0.0)
    }
}

/// The medium of all wings.
///
/// # Examples
///
/// ```
/// use taut::air::{Air, Field};
///
/// // A boundary layer over flat ground: 9 m/s at a height of 90 m.
/// let shear = Field::Formula("9*(z/90)^0.2".to_string());
/// let air = Air { wind: [shear, Field::Constant(0.0), Field::Constant(0.0)], ..Air::default() };
/// assert_eq!(air.density, 1.225);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Air {
    /// Density, kg/m³.
    pub density: f64,
    /// Speed of sound, m/s.
    pub sound: f64,
    /// Velocity of the air in world axes, m/s: numbers, or formulas of `x`, `y`, `z`, `t` and signals.
    pub wind: [Field; 3],
}

impl Default for Air {
    fn default() -> Air {
        Air { density: 1.225, sound: 340.0, wind: [Field::default(), Field::default(), Field::default()] }
    }
}

pub(super) const WIND_VARIABLES: [&str; 4] = ["x", "y", "z", "t"];

impl Air {
    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("density", self.density)?;
        ParameterError::check_positive("sound", self.sound)?;
        let constants = self.wind.iter().filter_map(|f| match f {
            Field::Constant(value) => Some(*value),
            Field::Formula(_) => None,
        });
        ParameterError::check_finite("wind", &constants.collect::<Vec<_>>())
    }
}

/// The air with its formulas resolved.
#[derive(Clone, Debug)]
pub(super) struct BoundAir {
    pub density: f64,
    pub sound: f64,
    wind: [BoundField; 3],
}

impl BoundAir {
    /// Resolves the names.
    pub fn new(air: &Air, scope: &Scope) -> Result<BoundAir, BuildError> {
        let bound = |field: &Field| {
            let mut taken = Taken::default();
            let found = BoundField::new(field, &WIND_VARIABLES, ("air", "air", "wind"), scope, &mut taken)?;
            if taken.markers > 0 {
                let what = "the wind may depend on x, y, z, t and signals, not on the motion of the mechanism";
                return Err(element_error("air", "air", ParameterError::invalid("wind", what)));
            }
            Ok(found)
        };
        let [x, y, z] = &air.wind;
        Ok(BoundAir { density: air.density, sound: air.sound, wind: [bound(x)?, bound(y)?, bound(z)?] })
    }

    /// The velocity of the air at a point.
    #[inline]
    pub fn wind(&self, at: &ElementInput, p: &Vec3) -> Vec3 {
        let given = [p.x, p.y, p.z, at.t];
        Vec3::new(self.wind[0].value(at, &given), self.wind[1].value(at, &given), self.wind[2].value(at, &given))
    }

    /// ∂wind/∂p.
    pub fn wind_gradient(&self, at: &ElementInput, p: &Vec3) -> Mat3 {
        let mut gradient = Mat3::zeros();
        for (i, wind) in self.wind.iter().enumerate() {
            let Some(formula) = wind.formula() else { continue };
            let [x, y, z, _] = formula.gradient(at, &[p.x, p.y, p.z, at.t]).eps;
            gradient.set_row(i, &Vec3::new(x, y, z).transpose());
        }
        gradient
    }

    /// The three components.
    pub fn components(&self) -> &[BoundField; 3] {
        &self.wind
    }
}
