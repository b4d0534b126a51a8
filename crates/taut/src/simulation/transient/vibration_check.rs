//! What happens when a vibration keeps the steps of Radau IIA short.
//!
//! An implicit method with error control follows every vibration whose amplitude exceeds the tolerance, however fast it is. The damping
//! of the method acts only on steps that are long compared with the period, so the steps stay short until the vibration has
//! decayed by itself. The run then tells which motion it follows, how fast that is, and what else can be done. Methods of second order are
//! not checked: their dense output does not show the second derivative of the rates.

use crate::model::Model;
use crate::solution::Warning;
use taut_ode::{Stepper, Tolerance};

/// Consecutive checks from which the frequency is computed, one per hundred steps: a vibration of the start that decays soon is no
/// reason for a warning.
const CHECKS: u32 = 50;
/// Number of remaining steps that is worth a warning.
const MANY_STEPS: f64 = 1e6;
/// Largest ω h of steps that follow a vibration: a third of its period.
const RESOLVED: f64 = 2.0;

/// The checks so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum VibrationCheck {
    /// The number of consecutive checks that found short steps; the sums of a² and of −a ä over them, where a is the rate of the velocity
    /// that bends most.
    Counted { checks: u32, square: f64, product: f64 },
    /// The vibration was reported.
    Reported,
}

impl Default for VibrationCheck {
    fn default() -> VibrationCheck {
        VibrationCheck::Counted { checks: 0, square: 0.0, product: 0.0 }
    }
}

impl VibrationCheck {
    /// Checks the last step; `quarters` are the states after each quarter of it but the last.
    pub fn inspect(
        &mut self,
        model: &Model,
        stepper: &dyn Stepper,
        quarters: &[Vec<f64>; 3],
        tolerance: &Tolerance,
        t_end: f64,
    ) -> Option<Warning> {
        let VibrationCheck::Counted { checks, square, product } = self else { return None };
        let (t, h) = (stepper.t(), stepper.h().abs());
        let left = (t_end - t) / h;
        if left.is_nan() || left < MANY_STEPS {
            *self = VibrationCheck::default();
            return None;
        }
        let [first, middle, last] = quarters;
        let (before, after) = (stepper.y_old(), stepper.y());
        let size = |i: usize| (before[i] - 2.0 * middle[i] + after[i]).abs() / tolerance.scale(i, after[i].abs());
        let velocities = model.sizes.q..model.sizes.q + model.sizes.v;
        let i = velocities.max_by(|&i, &j| size(i).total_cmp(&size(j)))?;
        // a = b cos(ω t + φ) has ä = −ω² a at every phase, so Σ −a ä / Σ a² = ω².
        let values = [before[i], first[i], middle[i], last[i], after[i]];
        let rates: Vec<f64> = values.windows(2).map(|v| (v[1] - v[0]) / (0.25 * h)).collect();
        for a in rates.windows(3) {
            *square += a[1] * a[1];
            *product -= a[1] * (a[0] - 2.0 * a[1] + a[2]) / (0.0625 * h * h);
        }
        *checks += 1;
        if *checks < CHECKS {
            return None;
        }
        let omega = (*product / *square).sqrt();
        if omega.is_nan() || omega * h > RESOLVED {
            *self = VibrationCheck::default();
            return None;
        }
        *self = VibrationCheck::Reported;
        let name = model.state_names().1.swap_remove(i - model.sizes.q).name;
        let message = format!(
            "at t = {t:.4} s, {} follows a motion of about {omega:.0e} rad/s, largest in `{name}`, with steps of {h:.1e} s and about \
             {left:.0e} of them left: if this vibration matters, an explicit method (dop853) follows it at less cost; otherwise take fixed \
             steps (step_control = \"fixed\"), which damp it, give the part damping, or let the motion start smoothly",
            stepper.name()
        );
        Some(Warning::notice(t, message))
    }
}
