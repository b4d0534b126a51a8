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
///
/// ```text
///  ‖e‖ = √(1/n Σ (e_i/(atol_i + rtol |y_i|))²) ≤ 1          or the largest of the parts
/// ```
///
/// # Examples
///
/// ```
/// use taut_ode::Tolerance;
///
/// let tolerance = Tolerance::new(1e-6, 1e-9);
/// assert_eq!(tolerance.scale(0, 2.0), 1e-9 + 2e-6);
/// assert!(tolerance.norm(&[1e-6, 0.0], &[2.0, 0.0], &[2.0, 0.0]) < 1.0); // an error of half a tolerance in one of two
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: AbsoluteTolerance,
    /// How the errors of the components are combined.
    #[serde(default)]
    pub norm: ErrorNorm,
    /// Components with a larger tolerance.
    #[serde(default)]
    pub loose: Option<LooseComponents>,
}

/// How the errors of the components of a state, each in units of its tolerance, make one number. A step is accepted if
/// that number is at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorNorm {
    /// The root mean square. \[HairerNorsettWanner1993\] II.4 eq. (4.11)
    #[default]
    Rms,
    /// The largest, as in MATLAB's ode23 and ode45.
    Max,
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
        Self { rtol, atol: AbsoluteTolerance::Same(atol), norm: ErrorNorm::default(), loose: None }
    }

    /// A tolerance with an absolute part for each component.
    #[must_use]
    pub fn with_each(rtol: f64, atol: Vec<f64>) -> Self {
        Self { rtol, atol: AbsoluteTolerance::Each(atol), norm: ErrorNorm::default(), loose: None }
    }

    /// Sets this tolerance to a multiple of another one of the same form.
    pub(crate) fn copy_scaled(&mut self, other: &Tolerance, part: f64) {
        self.rtol = part * other.rtol;
        (self.norm, self.loose) = (other.norm, other.loose);
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

    /// Norm of `v_i / scale_i` with `scale_i` for the larger of `|y_i|` and `|z_i|`.
    #[must_use]
    pub fn norm(&self, v: &[f64], y: &[f64], z: &[f64]) -> f64 {
        let ratio = |i: usize| {
            // Not f64::max: that would drop a NaN.
            let (y, z) = (y[i].abs(), z[i].abs());
            v[i] / self.scale(i, if y > z { y } else { z })
        };
        match self.norm {
            ErrorNorm::Rms => {
                let sum = (0..v.len()).fold(0.0, |sum, i| sum + ratio(i).powi(2));
                (sum / v.len().max(1) as f64).sqrt()
            }
            ErrorNorm::Max => {
                let larger = |max: f64, x: f64| if x > max || x.is_nan() { x } else { max };
                (0..v.len()).fold(0.0, |max: f64, i| if max.is_nan() { max } else { larger(max, ratio(i).abs()) })
            }
        }
    }

    /// One over the scale of each component of y.
    pub(crate) fn weights(&self, y: &[f64], weights: &mut Vec<f64>) {
        weights.clear();
        weights.extend(y.iter().enumerate().map(|(i, y)| 1.0 / self.scale(i, y.abs())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_of_errors() {
        let rms = Tolerance::new(0.0, 0.5);
        let max = Tolerance { norm: ErrorNorm::Max, ..rms.clone() };
        let (v, y) = ([1.5, -2.0], [0.0; 2]);
        assert_eq!((rms.norm(&v, &y, &y), max.norm(&v, &y, &y)), (12.5_f64.sqrt(), 4.0));
        for v in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(rms.norm(&v, &y, &y).is_nan() && max.norm(&v, &y, &y).is_nan());
        }
        assert_eq!((rms.norm(&[], &[], &[]), max.norm(&[], &[], &[])), (0.0, 0.0));
    }
}
