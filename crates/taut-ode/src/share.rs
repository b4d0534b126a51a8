//! The part of the tolerance that one step may use up.
//!
//! If every step may err by the whole tolerance, errors add up with the number of steps, and methods of low order need many.
//! Their tolerance is therefore scaled by the length of the step, h / `Share`, and never above the whole (error per unit
//! time).

use crate::{Method, Settings};

/// The least part of a tolerance that a step is held to, and the relative tolerance that round-off permits.
const LEAST_PART: f64 = 1e-3;
const LEAST_RTOL: f64 = 1e-12;

/// The length of a step that may err by the whole tolerance; zero where all may.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share(f64);

impl Share {
    /// Numbers set by measurement on chains of springs with switching forces, at 1e-6 to 1e-4: errors of the motion were to stay
    /// below a hundred times the tolerance.
    pub fn of(method: Method, settings: &Settings) -> Share {
        let steps = match method {
            // Its estimate is the least careful one.
            Method::GeneralisedAlpha => 5.0,
            Method::BogackiShampine => 40.0,
            _ if method.order() <= 2 => 15.0,
            // Steps are few.
            _ => f64::INFINITY,
        };
        Share(settings.span.unwrap_or(0.0) / steps)
    }

    /// The part for a step of length `h`.
    pub fn part(&self, h: f64, rtol: f64) -> f64 {
        let least = LEAST_PART.max(LEAST_RTOL / rtol).min(1.0);
        if self.0 > 0.0 { (h.abs() / self.0).clamp(least, 1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_steps_of_low_order_have_a_part_of_the_tolerance() {
        let settings = Settings { span: Some(10.0), ..Settings::with_tolerance(1e-6, 1e-6) };
        let part = |method: Method, h: f64| Share::of(method, &settings).part(h, 1e-6);
        assert_eq!(part(Method::Dop853, 1e-4), 1.0);
        assert_eq!(part(Method::BogackiShampine, 0.125), 0.5);
        assert_eq!(part(Method::BogackiShampine, -0.125), 0.5);
        assert_eq!(part(Method::BogackiShampine, 0.5), 1.0);
        assert_eq!(part(Method::Trapezoidal, 1e-9), LEAST_PART);
        assert_eq!(Share::of(Method::Trapezoidal, &Settings::default()).part(1e-9, 1e-6), 1.0);
    }
}
