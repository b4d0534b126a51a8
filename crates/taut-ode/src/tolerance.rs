//! The tolerance of the local error of a step.

use serde::{Deserialize, Serialize};

use crate::SetupError;

/// Absolute part of a [`Tolerance`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AbsoluteTolerance {
    /// The same value for all components.
    Same(f64),
    /// One value for each component, for states whose components differ in scale or unit.
    Each(Vec<f64>),
}

/// Bound of the local error: component `i` is measured in units of
/// `atol_i + rtol * max(|y_i(t)|, |y_i(t + h)|)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: AbsoluteTolerance,
    /// Components with a larger tolerance.
    #[serde(default)]
    pub loose: Option<LooseComponents>,
}

/// The last components of a state, with a larger tolerance than the others: integrals along the motion that do not affect it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LooseComponents {
    /// The first of them.
    pub from: usize,
    /// Factor on their tolerance.
    pub times: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::new(1e-6, 1e-9)
    }
}

impl Tolerance {
    /// A tolerance with the same absolute part for all components.
    #[must_use]
    pub fn new(rtol: f64, atol: f64) -> Self {
        Self { rtol, atol: AbsoluteTolerance::Same(atol), loose: None }
    }

    /// A tolerance with an absolute part for each component.
    #[must_use]
    pub fn with_each(rtol: f64, atol: Vec<f64>) -> Self {
        Self { rtol, atol: AbsoluteTolerance::Each(atol), loose: None }
    }

    /// Sets this tolerance to a multiple of another one of the same form.
    pub(crate) fn copy_scaled(&mut self, other: &Tolerance, part: f64) {
        self.rtol = part * other.rtol;
        self.loose = other.loose;
        match (&mut self.atol, &other.atol) {
            (AbsoluteTolerance::Same(atol), AbsoluteTolerance::Same(given)) => *atol = part * given,
            (AbsoluteTolerance::Each(atol), AbsoluteTolerance::Each(given)) => {
                atol.iter_mut().zip(given).for_each(|(atol, given)| *atol = part * given);
            }
            (atol, given) => *atol = given.clone(),
        }
    }

    /// Checks that the tolerance fits a state of `dimension` components.
    ///
    /// # Errors
    /// [`SetupError::Tolerance`] for negative or non-finite values or when both parts vanish,
    /// [`SetupError::Dimension`] when the list of absolute tolerances has another length.
    pub fn check(&self, dimension: usize) -> Result<(), SetupError> {
        let acceptable = |atol: f64| {
            let valid = |x: f64| x.is_finite() && x >= 0.0;
            let times = self.loose.map_or(1.0, |loose| loose.times);
            valid(atol) && valid(self.rtol) && (atol > 0.0 || self.rtol > 0.0) && times.is_finite() && times > 0.0
        };
        match &self.atol {
            AbsoluteTolerance::Same(atol) if acceptable(*atol) => Ok(()),
            AbsoluteTolerance::Each(each) if each.len() != dimension => {
                Err(SetupError::Dimension { expected: dimension, found: each.len() })
            }
            AbsoluteTolerance::Each(each) if each.iter().all(|&atol| acceptable(atol)) => Ok(()),
            _ => Err(SetupError::Tolerance),
        }
    }

    /// The unit in which an error of component `i` is measured, given the component's magnitude.
    #[must_use]
    pub fn scale(&self, i: usize, magnitude: f64) -> f64 {
        let atol = match &self.atol {
            AbsoluteTolerance::Same(atol) => *atol,
            AbsoluteTolerance::Each(each) => each.get(i).copied().unwrap_or(0.0),
        };
        // With atol = 0 a component that is exactly zero would divide 0 by 0.
        let times = self.loose.filter(|loose| i >= loose.from).map_or(1.0, |loose| loose.times);
        (times * (atol + self.rtol * magnitude)).max(f64::MIN_POSITIVE)
    }

    /// Root mean square of `v_i / scale_i` with `scale_i` for the larger of `|y_i|` and `|z_i|`.
    // [HairerNorsettWanner1993] II.4 eq. (4.11)
    #[must_use]
    pub fn norm(&self, v: &[f64], y: &[f64], z: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (i, v) in v.iter().enumerate() {
            // Not f64::max: that would drop a NaN.
            let (y, z) = (y[i].abs(), z[i].abs());
            let magnitude = if y > z { y } else { z };
            sum += (v / self.scale(i, magnitude)).powi(2);
        }
        (sum / v.len().max(1) as f64).sqrt()
    }

    /// One over the scale of each component of y.
    pub(crate) fn weights(&self, y: &[f64], weights: &mut Vec<f64>) {
        weights.clear();
        weights.extend(y.iter().enumerate().map(|(i, y)| 1.0 / self.scale(i, y.abs())));
    }
}
