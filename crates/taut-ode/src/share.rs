//! The tolerance budget: the factor on the tolerance of one step.
//!
//! If every step may use the whole tolerance, the errors add up with the number of steps, and methods of low order need many.
//! Their tolerance is therefore proportional to the length of the step, up to the whole tolerance (error per unit time).
//!
//! The errors of restarts add up in the same way, for methods of any order: a body that bounces two thousand times has two
//! thousand first steps. Where restarts are frequent, the tolerance is also proportional to the time between them.
//!
//! A third factor comes from the problem ([`Hook::part`](crate::Hook::part)). [`Share::part`] is the product of all three.

use crate::checkpoint::State;
use crate::exact;
use crate::{Method, Settings};
use serde::{Deserialize, Serialize};

/// The smallest factor for a short step and for frequent restarts, and the smallest relative tolerance that round-off permits.
const LEAST_PART: f64 = 1e-3;
const LEAST_RTOL: f64 = 1e-12;
/// The same for methods that iterate.
const LEAST_RTOL_IMPLICIT: f64 = 1e-9;

/// Number of restarts of a whole run that may use the whole tolerance each.
const RESTARTS: f64 = 15.0;
/// Weight of the latest restart in the mean time between them.
const RECENT: f64 = 0.125;

/// The time between restarts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Restarts {
    /// Time of the last restart.
    #[serde(with = "exact::number")]
    last: f64,
    /// Moving average of the time between restarts. Its initial value is the length of the whole integration, or zero if that is
    /// not known.
    #[serde(with = "exact::number")]
    apart: f64,
}

impl Restarts {
    pub fn new(t: f64, span: Option<f64>) -> Restarts {
        Restarts { last: t, apart: span.unwrap_or(0.0) }
    }

    /// Records a restart at `t`; several at the same time count once.
    pub fn note(&mut self, t: f64) {
        let since = (t - self.last).abs();
        if since > 0.0 {
            self.last = t;
            self.apart += RECENT * (since - self.apart);
        }
    }

    /// The time between restarts, as estimated at `t`.
    fn apart(&self, t: f64) -> f64 {
        self.apart.max((t - self.last).abs())
    }
}

/// The lengths from which on the whole tolerance applies; zero if it always applies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// Of a step.
    step: f64,
    /// Between two restarts.
    apart: f64,
    least_rtol: f64,
}

impl Share {
    /// Constants calibrated on chains of springs with switching forces, for tolerances of 1e-6 to 1e-4, so that the error of the
    /// motion stays below a hundred times the tolerance.
    pub fn of(method: Method, settings: &Settings) -> Share {
        let steps = match method {
            // Its error estimate is the least conservative one.
            Method::GeneralisedAlpha => 5.0,
            Method::BogackiShampine => 40.0,
            _ if method.order() <= 2 => 15.0,
            // These take few steps.
            _ => f64::INFINITY,
        };
        let span = settings.span.unwrap_or(0.0);
        let implicit = Method::IMPLICIT.contains(&method) || method == Method::GeneralisedAlpha;
        let least_rtol = if implicit { LEAST_RTOL_IMPLICIT } else { LEAST_RTOL };
        Share { step: span / steps, apart: span / RESTARTS, least_rtol }
    }

    /// The smallest factor for a short step; `None` where the whole tolerance always applies.
    pub fn least_part(method: Method, rtol: f64) -> Option<f64> {
        let share = Share::of(method, &Settings { span: Some(1.0), ..Settings::default() });
        (share.step > 0.0).then(|| LEAST_PART.max(share.least_rtol / rtol).min(1.0))
    }

    /// The factor for a step of length `h` from a state.
    pub fn part(&self, h: f64, state: &State, rtol: f64) -> f64 {
        self.part_of(state.t, h, &state.restarts, state.part, rtol)
    }

    fn part_of(&self, t: f64, h: f64, restarts: &Restarts, asked: f64, rtol: f64) -> f64 {
        let of = |length: f64, whole: f64| if whole > 0.0 { (length / whole).clamp(LEAST_PART, 1.0) } else { 1.0 };
        let least = (self.least_rtol / rtol).min(1.0);
        (asked * of(h.abs(), self.step) * of(restarts.apart(t), self.apart)).clamp(least, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_steps_of_low_order_have_a_part_of_the_tolerance() {
        let settings = Settings { span: Some(10.0), ..Settings::with_tolerance(1e-6, 1e-6) };
        let none = Restarts::new(0.0, settings.span);
        let part = |method: Method, h: f64| Share::of(method, &settings).part_of(3.0, h, &none, 1.0, 1e-6);
        assert_eq!(part(Method::Dop853, 1e-4), 1.0);
        assert_eq!(part(Method::BogackiShampine, 0.125), 0.5);
        assert_eq!(part(Method::BogackiShampine, -0.125), 0.5);
        assert_eq!(part(Method::BogackiShampine, 0.5), 1.0);
        assert_eq!(part(Method::Trapezoidal, 1e-9), LEAST_PART);
        let unknown = Restarts::new(0.0, None);
        assert_eq!(Share::of(Method::Trapezoidal, &Settings::default()).part_of(0.0, 1e-9, &unknown, 1.0, 1e-6), 1.0);
    }

    #[test]
    fn steps_between_many_restarts_have_a_part_of_the_tolerance() {
        let settings = Settings { span: Some(10.0), ..Settings::with_tolerance(1e-6, 1e-6) };
        let share = Share::of(Method::Dop853, &settings);
        let mut restarts = Restarts::new(0.0, settings.span);
        for k in 1..=15 {
            restarts.note(0.01 * f64::from(k));
            restarts.note(0.01 * f64::from(k));
        }
        assert_eq!(share.part_of(0.15, 0.01, &restarts, 1.0, 1e-6), 1.0, "a few restarts cost nothing");
        for k in 16..=200 {
            restarts.note(0.01 * f64::from(k));
        }
        // A thousand in the whole run: each has three two-hundredths.
        assert!((share.part_of(2.0, 0.01, &restarts, 1.0, 1e-6) * 200.0 / 3.0 - 1.0).abs() < 1e-6);
        assert_eq!(share.part_of(3.0, 0.01, &restarts, 1.0, 1e-6), 1.0, "none for a while");
    }
}
