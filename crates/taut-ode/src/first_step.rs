//! Size of the first step.

use crate::{Refusal, System, Tolerance};

/// The inputs to the choice of the first step.
pub struct FirstStep<'a> {
    pub tolerance: &'a Tolerance,
    /// The error estimate behaves as `h` to this power.
    pub exponent: f64,
    /// The size planned before a restart.
    pub plan: Option<f64>,
    /// Distance to the stopping time or the largest step, whichever is less; may be infinite.
    pub h_most: f64,
    /// Sign of the direction of integration.
    pub direction: f64,
}

impl FirstStep<'_> {
    /// Chooses a size such that an explicit Euler step would be small against the state, and
    /// that the leading error term, guessed from a second derivative, is about 1/100 of the
    /// tolerance. `y1` and `f1` are workspace. Returns the size and the number of evaluations.
    // [HairerNorsettWanner1993] II.4, "Starting Step Size", a) to f)
    pub fn choose(
        &self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        f: &[f64],
        y1: &mut [f64],
        f1: &mut [f64],
    ) -> (f64, u64) {
        let d0 = self.tolerance.norm(y, y, y);
        let d1 = self.tolerance.norm(f, y, y);
        // At rest only a plan gives a size; a small share of it is used.
        let at_rest = self.plan.map_or(1e-6, |plan| (1e-3 * plan).max(1e-6));
        let guess = if d0 < 1e-5 || d1 < 1e-5 { at_rest } else { 0.01 * d0 / d1 };
        let mut h0 = guess.min(self.h_most);
        let mut evaluations = 0;
        // A refusal at the Euler point means that h0 is too large.
        for _ in 0..8 {
            for i in 0..y.len() {
                y1[i] = y[i] + self.direction * h0 * f[i];
            }
            evaluations += 1;
            let result = system.rates(t + self.direction * h0, y1, f1);
            if let (Ok(()), true) = (result, f1.iter().all(|x| x.is_finite())) {
                for i in 0..y.len() {
                    y1[i] = f1[i] - f[i];
                }
                let d2 = self.tolerance.norm(y1, y, y) / h0;
                let steepest = if d1 > d2 { d1 } else { d2 };
                let h1 =
                    if steepest <= 1e-15 { (h0 * 1e-3).max(1e-6) } else { (0.01 / steepest).powf(1.0 / self.exponent) };
                let h = h1.min(100.0 * h0).min(self.h_most);
                let h = if h > 0.0 { h } else { h0 };
                return (self.plan.map_or(h, |plan| h.min(plan)), evaluations);
            }
            h0 *= 0.1;
        }
        (h0, evaluations)
    }
}

/// Evaluates `rates`; a result that is not finite is a refusal.
pub fn finite_rates(system: &mut dyn System, t: f64, y: &[f64], f: &mut [f64]) -> Result<(), Refusal> {
    system.rates(t, y, f)?;
    if f.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Refusal::NotFinite) }
}
