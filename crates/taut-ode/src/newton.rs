//! Convergence monitor of a simplified Newton iteration.

use crate::Refusal;
use crate::implicit_core::ImplicitCore;

/// Monitors an iteration by the norms of its corrections, in units of the tolerance.
#[derive(Debug, Clone, Copy)]
pub struct NewtonIteration {
    /// The error that may remain.
    tolerance: f64,
    /// Corrections below this norm are round-off.
    rounding: f64,
    /// Rate of convergence.
    pub rate: f64,
    last: f64,
    /// Corrections so far.
    pub count: usize,
    /// Most corrections, and the number from which on the remaining ones are predicted.
    max_corrections: usize,
    first_check: usize,
}

/// How fast an iteration converged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convergence {
    Fast,
    Slow,
}

/// Whether to continue after a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Underway,
    Converged,
}

impl NewtonIteration {
    /// Most corrections, by default.
    const MAX_CORRECTIONS: usize = 7;

    /// Records a correction of this norm. Refused if the iteration will not converge.
    // [HairerWanner1996] IV.8 eqs. (8.10) and (8.11)
    pub fn record_correction(&mut self, norm: f64) -> Result<Progress, Refusal> {
        if !norm.is_finite() {
            return Err(Refusal::NotFinite);
        }
        self.count += 1;
        if norm <= self.rounding {
            return Ok(Progress::Converged);
        }
        if self.count == 1 {
            self.last = norm;
            return Ok(Progress::Underway);
        }
        let ratio = norm / self.last;
        self.rate = if self.count > 2 { (ratio * self.rate).sqrt() } else { ratio };
        self.last = norm;
        let end = self.rate / (1.0 - self.rate) * norm <= self.tolerance;
        let left = self.max_corrections.saturating_sub(self.count) as i32;
        let foreseen = self.rate.powi(left) / (1.0 - self.rate) * norm;
        if self.rate >= 1.0 || (!end && left == 0) || (self.count >= self.first_check && foreseen > self.tolerance) {
            return Err(Refusal::NotConverged);
        }
        Ok(if end { Progress::Converged } else { Progress::Underway })
    }

    /// The same with a smaller tolerance and more corrections.
    pub fn tightened(self, factor: f64, most: usize) -> Self {
        Self { tolerance: (factor * self.tolerance).max(self.rounding), max_corrections: most, first_check: 4, ..self }
    }

    /// Whether a correction of this norm is larger than the last one and than the tolerance.
    pub fn grows(&self, norm: f64) -> bool {
        !(norm <= self.last || norm <= self.tolerance)
    }

    /// Factor on the next step size: below one if the iteration needed many corrections.
    pub fn step_factor(&self) -> f64 {
        (2 * self.max_corrections + 1) as f64 / (2 * self.max_corrections + self.count) as f64
    }

    /// Whether it converged at this rate or faster. Otherwise the next step should use a new Jacobian.
    pub fn convergence(&self, fast: f64) -> Convergence {
        if self.count > 2 && self.rate > fast { Convergence::Slow } else { Convergence::Fast }
    }
}

impl ImplicitCore {
    /// Starts a monitor for a step of length `h`.
    // [HairerWanner1996] IV.8: with this tolerance the error of the iteration is small against that of the method.
    pub fn newton(&mut self, h: f64) -> NewtonIteration {
        let (y, f) = (&self.state.y, &self.state.k[..self.state.y.len()]);
        for (x, (y, f)) in self.argument.iter_mut().zip(y.iter().zip(f)) {
            *x = y.abs() + (h * f).abs();
        }
        let rounding = 10.0 * f64::EPSILON * self.tolerance.norm(&self.argument, y, y);
        let rtol = if self.tolerance.rtol > 0.0 { self.tolerance.rtol } else { 1e-6 };
        NewtonIteration {
            tolerance: rtol.sqrt().min(0.03).max(rounding),
            rounding,
            rate: 0.0,
            last: 0.0,
            count: 0,
            max_corrections: NewtonIteration::MAX_CORRECTIONS,
            first_check: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newton() -> NewtonIteration {
        NewtonIteration {
            tolerance: 1e-3,
            rounding: 1e-9,
            rate: 0.0,
            last: 0.0,
            count: 0,
            max_corrections: NewtonIteration::MAX_CORRECTIONS,
            first_check: 2,
        }
    }

    #[test]
    fn it_ends_where_what_is_left_is_small() {
        let mut newton = newton();
        assert_eq!(newton.record_correction(1.0), Ok(Progress::Underway));
        assert_eq!(newton.record_correction(0.1), Ok(Progress::Underway));
        // At the rate 0.0316 what is left of 1e-3 is below 1e-4.
        assert_eq!(newton.record_correction(1e-3), Ok(Progress::Converged));
        assert_eq!(newton.convergence(1e-3), Convergence::Slow);
    }

    #[test]
    fn it_is_given_up_where_it_grows_or_creeps() {
        let mut growing = newton();
        assert_eq!(growing.record_correction(1.0), Ok(Progress::Underway));
        assert_eq!(growing.record_correction(1.1), Err(Refusal::NotConverged));
        let mut creeping = newton();
        assert_eq!(creeping.record_correction(1.0), Ok(Progress::Underway));
        assert_eq!(creeping.record_correction(0.9), Err(Refusal::NotConverged));
    }

    #[test]
    fn rounding_is_no_correction_and_infinity_none_either() {
        assert_eq!(newton().record_correction(1e-10), Ok(Progress::Converged));
        assert_eq!(newton().record_correction(f64::NAN), Err(Refusal::NotFinite));
    }
}
