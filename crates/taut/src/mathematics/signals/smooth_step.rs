//! Smooth transitions.

use serde::{Deserialize, Serialize};

use super::SignalError;
use super::error::finite;
use crate::breaks::BreakList;
use crate::scalar::Scalar;
use taut_ode::Break;

/// Transition from y₀ (before t₀) to y₁ (after t₁) with continuous velocity and acceleration.
///
/// ```text
///  y = y₀ + (y₁ − y₀)(10 u³ − 15 u⁴ + 6 u⁵),   u = (t − t₀)/(t₁ − t₀)
/// ```
///
/// This is the polynomial of least degree whose first and second derivatives vanish at both ends.
///
/// # Examples
///
/// ```
/// use taut::signals::SmoothStep;
///
/// let rise = SmoothStep { t0: 1.0, t1: 3.0, y0: 0.0, y1: 0.1 };
/// assert_eq!([rise.at(0.0), rise.at(2.0), rise.at(4.0)], [0.0, 0.05, 0.1]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmoothStep {
    /// Start of the transition.
    pub t0: f64,
    /// End of the transition.
    pub t1: f64,
    /// Value up to t₀.
    pub y0: f64,
    /// Value from t₁ on.
    pub y1: f64,
}

impl SmoothStep {
    /// The value at time `t`.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        if t <= self.t0 {
            S::from(self.y0)
        } else if t >= self.t1 {
            S::from(self.y1)
        } else {
            let u = (t - self.t0) / (self.t1 - self.t0);
            let rise = u * u * u * ((u * 6.0 - 15.0) * u + 10.0);
            rise * (self.y1 - self.y0) + self.y0
        }
    }

    /// The third derivative jumps at both ends.
    pub(super) fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let begin = Break { before: self.t0, after: self.t0.next_up() };
        let end = Break { before: self.t1.next_down(), after: self.t1 };
        for found in [begin, end] {
            if found.before >= from && found.after <= to && !self.is_constant() {
                list.push(found);
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), SignalError> {
        let place = "smooth_step signal";
        let SmoothStep { t0, t1, y0, y1 } = *self;
        finite(place, &[("t0", t0), ("t1", t1), ("y0", y0), ("y1", y1)])?;
        if t1 > t0 { Ok(()) } else { Err(SignalError::EmptyTransition { place, t0, t1 }) }
    }

    pub(super) fn is_constant(&self) -> bool {
        self.y0 == self.y1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    const RAMP: SmoothStep = SmoothStep { t0: 1.0, t1: 3.0, y0: -1.0, y1: 5.0 };

    #[test]
    fn joins_its_two_levels_to_second_order() {
        for (t, level) in [(1.0 + 1e-7, -1.0), (3.0 - 1e-7, 5.0)] {
            let y = RAMP.at(Jet::variable(t));
            assert!((y.f - level).abs() < 1e-12);
            assert!(y.df.abs() < 1e-10);
            assert!(y.ddf.abs() < 1e-5);
        }
        for (t, level) in [(0.0, -1.0), (1.0, -1.0), (3.0, 5.0), (9.0, 5.0)] {
            let y = RAMP.at(Jet::variable(t));
            assert_eq!((y.f, y.df, y.ddf), (level, 0.0, 0.0));
        }
    }

    #[test]
    fn passes_the_middle_with_its_greatest_slope() {
        let y = RAMP.at(Jet::variable(2.0));
        // 15/8 of the secant's slope
        assert_eq!((y.f, y.df, y.ddf), (2.0, 15.0 / 8.0 * 3.0, 0.0));
    }

    #[test]
    fn a_transition_takes_time() {
        let jump = SmoothStep { t1: 1.0, ..RAMP };
        assert!(matches!(jump.check(), Err(SignalError::EmptyTransition { t0: 1.0, t1: 1.0, .. })));
    }
}
