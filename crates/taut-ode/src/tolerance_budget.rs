//! The tolerance budget: the factor on the tolerance of one step.
//!
//! If every step may use the whole tolerance, the errors add up with the number of steps, and methods of low order need many.
//! Their tolerance is therefore proportional to the length of the step, up to the whole tolerance (error per unit time).
//!
//! The errors of restarts add up in the same way, for methods of any order: a body that bounces two thousand times has two
//! thousand first steps. Where restarts are frequent, the tolerance is also proportional to the time between them.
//!
//! A third factor comes from the problem ([`Hook::tolerance_factor`](crate::Hook::tolerance_factor)). [`ToleranceBudget::factor`] is the product of all three.

use crate::checkpoint::StepperState;
use crate::exact_bits;
use crate::{Method, Settings};
use serde::{Deserialize, Serialize};

/// The smallest factor for a short step and for frequent restarts, and the smallest relative tolerance that round-off permits.
const LEAST_FACTOR: f64 = 1e-3;
const LEAST_RTOL: f64 = 1e-12;
/// The same for methods that iterate.
const LEAST_RTOL_IMPLICIT: f64 = 1e-9;

/// Number of restarts of a whole run that may use the whole tolerance each.
const FREE_RESTARTS: f64 = 15.0;
/// Weight of the latest restart in the mean time between them.
const RECENT_WEIGHT: f64 = 0.125;

/// The time between restarts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RestartHistory {
    /// Time of the last restart.
    #[serde(with = "exact_bits::number")]
    last: f64,
    /// Moving average of the time between restarts. Its initial value is the length of the whole integration, or zero if that is
    /// not known.
    #[serde(with = "exact_bits::number")]
    apart: f64,
}

impl RestartHistory {
    pub fn new(t: f64, span: Option<f64>) -> RestartHistory {
        RestartHistory { last: t, apart: span.unwrap_or(0.0) }
    }

    /// Records a restart at `t`; several at the same time count once.
    pub fn record(&mut self, t: f64) {
        let since = (t - self.last).abs();
        if since > 0.0 {
            self.last = t;
            self.apart += RECENT_WEIGHT * (since - self.apart);
        }
    }

    /// Whether the last restart was at `t`.
    pub fn is_at(&self, t: f64) -> bool {
        self.last == t
    }

    /// Whether the last restart was at most a length `h` before `t`.
    pub fn is_within(&self, h: f64, t: f64) -> bool {
        (t - self.last).abs() <= h.abs()
    }

    /// The time between restarts, as estimated at `t`.
    fn spacing(&self, t: f64) -> f64 {
        self.apart.max((t - self.last).abs())
    }
}

/// The lengths from which on the whole tolerance applies; zero if it always applies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ToleranceBudget {
    /// Of a step.
    full_step: f64,
    /// Between two restarts.
    full_spacing: f64,
    least_rtol: f64,
}

impl ToleranceBudget {
    /// Constants calibrated on chains of springs with switching forces, for tolerances of 1e-6 to 1e-4, so that the error of the
    /// motion stays below a hundred times the tolerance.
    pub fn new(method: Method, settings: &Settings) -> ToleranceBudget {
        let steps = match method {
            // Its error estimate is the least conservative one.
            Method::GeneralisedAlpha | Method::TrapezoidalIndex3 => 5.0,
            Method::BogackiShampine => 40.0,
            _ if method.order() <= 2 => 15.0,
            // These take few steps.
            _ => f64::INFINITY,
        };
        let span = settings.span.unwrap_or(0.0);
        let implicit = Method::IMPLICIT.contains(&method) || Method::SECOND_ORDER.contains(&method);
        let least_rtol = if implicit { LEAST_RTOL_IMPLICIT } else { LEAST_RTOL };
        ToleranceBudget { full_step: span / steps, full_spacing: span / FREE_RESTARTS, least_rtol }
    }

    /// The smallest factor for a short step; `None` where the whole tolerance always applies.
    pub fn least_factor(method: Method, rtol: f64) -> Option<f64> {
        let budget = ToleranceBudget::new(method, &Settings { span: Some(1.0), ..Settings::default() });
        (budget.full_step > 0.0).then(|| LEAST_FACTOR.max(budget.least_rtol / rtol).min(1.0))
    }

    /// The factor for a step of length `h` from a state.
    pub fn factor(&self, h: f64, state: &StepperState, rtol: f64) -> f64 {
        self.factor_for(state.t, h, &state.restarts, state.part, rtol)
    }

    fn factor_for(&self, t: f64, h: f64, restarts: &RestartHistory, requested: f64, rtol: f64) -> f64 {
        let of = |length: f64, whole: f64| if whole > 0.0 { (length / whole).clamp(LEAST_FACTOR, 1.0) } else { 1.0 };
        let least = (self.least_rtol / rtol).min(1.0);
        (requested * of(h.abs(), self.full_step) * of(restarts.spacing(t), self.full_spacing)).clamp(least, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_steps_of_low_order_have_a_part_of_the_tolerance() {
        let settings = Settings { span: Some(10.0), ..Settings::with_tolerance(1e-6, 1e-6) };
        let none = RestartHistory::new(0.0, settings.span);
        let part =
            |method: Method, h: f64| ToleranceBudget::new(method, &settings).factor_for(3.0, h, &none, 1.0, 1e-6);
        assert_eq!(part(Method::Dop853, 1e-4), 1.0);
        assert_eq!(part(Method::BogackiShampine, 0.125), 0.5);
        assert_eq!(part(Method::BogackiShampine, -0.125), 0.5);
        assert_eq!(part(Method::BogackiShampine, 0.5), 1.0);
        assert_eq!(part(Method::Trapezoidal, 1e-9), LEAST_FACTOR);
        let unknown = RestartHistory::new(0.0, None);
        assert_eq!(
            ToleranceBudget::new(Method::Trapezoidal, &Settings::default()).factor_for(0.0, 1e-9, &unknown, 1.0, 1e-6),
            1.0
        );
    }

    #[test]
    fn steps_between_many_restarts_have_a_part_of_the_tolerance() {
        let settings = Settings { span: Some(10.0), ..Settings::with_tolerance(1e-6, 1e-6) };
        let budget = ToleranceBudget::new(Method::Dop853, &settings);
        let mut restarts = RestartHistory::new(0.0, settings.span);
        for k in 1..=15 {
            restarts.record(0.01 * f64::from(k));
            restarts.record(0.01 * f64::from(k));
        }
        assert_eq!(budget.factor_for(0.15, 0.01, &restarts, 1.0, 1e-6), 1.0, "a few restarts cost nothing");
        for k in 16..=200 {
            restarts.record(0.01 * f64::from(k));
        }
        // A thousand in the whole run: each has three two-hundredths.
        assert!((budget.factor_for(2.0, 0.01, &restarts, 1.0, 1e-6) * 200.0 / 3.0 - 1.0).abs() < 1e-6);
        assert_eq!(budget.factor_for(3.0, 0.01, &restarts, 1.0, 1e-6), 1.0, "none for a while");
    }
}
