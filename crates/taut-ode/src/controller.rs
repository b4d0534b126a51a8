//! Choice of the step size from the error of the last steps.

use serde::{Deserialize, Serialize};

use crate::Method;

/// A proportional-integral step size controller.
///
/// After an accepted step with error `err` (1 = as large as tolerated) the next step is larger by
/// `safety * err^-alpha * last_error^beta`, within `[min_factor, max_factor]`. The controller is
/// a plain value: restoring a copy undoes a step.
// [HairerNorsettWanner1993] II.4 eq. (4.13); [HairerWanner1996] IV.2 eq. (2.43c), after Gustafsson
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Controller {
    /// Share of the step size the error would allow.
    pub safety: f64,
    /// Exponent of the present error.
    pub alpha: f64,
    /// Exponent of the previous error; 0 makes the controller purely integral.
    pub beta: f64,
    /// Smallest factor from one step to the next.
    pub min_factor: f64,
    /// Largest factor from one step to the next.
    pub max_factor: f64,
    /// Error of the last accepted step, not below [`Controller::LEAST_ERROR`].
    pub last_error: f64,
}

impl Controller {
    /// Smaller errors are stored as this one: a single step with almost no error, as on a polynomial, must not slow down the
    /// steps that follow.
    pub const LEAST_ERROR: f64 = 1e-4;

    /// Factor after a step that could not be completed and whose error is unknown.
    pub const REFUSED_FACTOR: f64 = 0.25;

    /// The default controller of a method: Hairer's for Dormand-Prince and DOP853, that of Dormand-Prince with the exponents of
    /// its order for Bogacki-Shampine, purely integral ones for the implicit methods.
    #[must_use]
    pub fn for_method(method: Method) -> Self {
        let exponent = f64::from(method.error_exponent());
        let (beta, min_factor, max_factor) = match method {
            Method::Dop853 => (0.0, 0.333, 6.0),
            // The implicit methods predict the next error themselves (`situation.rs`).
            Method::RadauIia5 => (0.0, 0.2, 8.0),
            // The zero-stability of two steps bounds the growth from one to the next by 1 + sqrt 2.
            Method::Trapezoidal | Method::TwoStep | Method::GeneralisedAlpha | Method::TrapezoidalIndex3 => {
                (0.0, 0.2, 2.0)
            }
            _ => (0.2 / exponent, 0.2, 10.0),
        };
        Self {
            safety: 0.9,
            alpha: 1.0 / exponent - 0.75 * beta,
            beta,
            min_factor,
            max_factor,
            last_error: Self::LEAST_ERROR,
        }
    }

    /// Whether a step with this error is accepted. A NaN is not.
    #[must_use]
    pub fn accepts(&self, error: f64) -> bool {
        error <= 1.0
    }

    /// Factor for the step after an accepted one with this error, which is stored.
    pub fn accepted(&mut self, error: f64) -> f64 {
        let factor = self.safety * error.powf(-self.alpha) * self.last_error.powf(self.beta);
        self.last_error = error.max(Self::LEAST_ERROR);
        // An error of zero asks for an infinite factor, which the clamp turns into the largest.
        factor.clamp(self.min_factor, self.max_factor)
    }

    /// Factor for the next attempt after a step was rejected, also for an error that is not finite.
    #[must_use]
    pub fn rejected(&self, error: f64) -> f64 {
        if error.is_finite() {
            (self.safety * error.powf(-self.alpha)).clamp(self.min_factor, self.safety)
        } else {
            Self::REFUSED_FACTOR
        }
    }

    /// The factor that the error alone would allow, neither limited nor stored: the information that a step shortened by its
    /// stopping time gives about the planned size.
    #[must_use]
    pub fn allowance(&self, error: f64) -> f64 {
        self.safety * error.powf(-(self.alpha + 0.75 * self.beta))
    }

    /// Whether the parameters are valid.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let all = [self.safety, self.alpha, self.beta, self.min_factor, self.max_factor, self.last_error];
        all.iter().all(|x| x.is_finite() && *x >= 0.0)
            && self.safety > 0.0
            && self.safety < 1.0
            && self.alpha > 0.0
            && self.min_factor > 0.0
            && self.min_factor < self.safety
            && self.max_factor > 1.0
            && self.last_error > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_tolerance_size_shrinks_by_the_safety() {
        let mut controller = Controller { beta: 0.0, ..Controller::for_method(Method::DormandPrince) };
        assert!((controller.accepted(1.0) - 0.9).abs() < 1e-15);
    }

    #[test]
    fn a_larger_previous_error_allows_a_larger_step() {
        // Falling errors mean that the problem gets easier: beta > 0 anticipates this.
        let calm = Controller::for_method(Method::DormandPrince);
        let mut after_large = Controller { last_error: 0.8, ..calm };
        let mut after_small = Controller { last_error: 0.01, ..calm };
        assert!(after_large.accepted(0.1) > after_small.accepted(0.1));
        assert_eq!(after_large.last_error, 0.1);
    }

    #[test]
    fn factors_stay_within_their_limits() {
        let mut controller = Controller::for_method(Method::DormandPrince);
        assert_eq!(controller.accepted(0.0), 10.0);
        assert_eq!(controller.last_error, Controller::LEAST_ERROR);
        assert_eq!(controller.rejected(1e30), 0.2);
        assert!(controller.rejected(1.0 + 1e-12) <= 0.9);
    }

    #[test]
    fn what_is_not_finite_is_rejected() {
        let controller = Controller::for_method(Method::Dop853);
        for error in [f64::NAN, f64::INFINITY] {
            assert!(!controller.accepts(error));
            assert_eq!(controller.rejected(error), Controller::REFUSED_FACTOR);
        }
        assert!(controller.accepts(1.0) && !controller.accepts(1.0 + f64::EPSILON));
    }

    #[test]
    fn on_a_model_problem_the_step_settles_at_the_safety() {
        // err = (h / h*)^5 with constant h*: the fixed point has err slightly below one.
        let mut controller = Controller::for_method(Method::DormandPrince);
        let mut h = 1e-3;
        for _ in 0..200 {
            let error = f64::powi(h, 5);
            assert!(controller.accepts(error));
            h *= controller.accepted(error);
        }
        // safety h^(-5 alpha + 5 beta) = 1
        let fixed = 0.9_f64.powf(1.0 / (5.0 * (controller.alpha - controller.beta)));
        assert!((h - fixed).abs() < 1e-6, "{h} {fixed}");
    }

    #[test]
    fn senseless_values_are_found() {
        let good = Controller::for_method(Method::BogackiShampine);
        assert!(good.is_valid());
        assert!(!Controller { safety: 1.5, ..good }.is_valid());
        assert!(!Controller { alpha: f64::NAN, ..good }.is_valid());
        assert!(!Controller { max_factor: 1.0, ..good }.is_valid());
    }
}
