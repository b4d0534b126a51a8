//! The course of a simplified Newton iteration.

use crate::Refusal;
use crate::situation::Core;

/// The course of an iteration, by the norms of its corrections in units of the tolerance.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    /// What may be left out.
    tolerance: f64,
    /// Corrections that are nothing but rounding.
    rounding: f64,
    /// How fast it converges.
    pub rate: f64,
    last: f64,
    /// Corrections so far.
    pub count: usize,
    /// Most corrections, and from which on the end is foreseen.
    most: usize,
    judged: usize,
}

/// How an iteration went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convergence {
    Fast,
    Slow,
}

/// Whether to go on after a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Underway,
    Converged,
}

impl Newton {
    /// Most corrections, usually.
    const MOST: usize = 7;

    /// Takes note of a correction of this norm, which is refused where it shows that the end will not be reached.
    // [HairerWanner1996] IV.8 eqs. (8.10) and (8.11)
    pub fn corrected(&mut self, norm: f64) -> Result<Progress, Refusal> {
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
        let left = self.most.saturating_sub(self.count) as i32;
        let foreseen = self.rate.powi(left) / (1.0 - self.rate) * norm;
        if self.rate >= 1.0 || (!end && left == 0) || (self.count >= self.judged && foreseen > self.tolerance) {
            return Err(Refusal::NotConverged);
        }
        Ok(if end { Progress::Converged } else { Progress::Underway })
    }

    /// The same with a smaller tolerance, and more patience.
    pub fn finer(self, factor: f64, most: usize) -> Self {
        Self { tolerance: (factor * self.tolerance).max(self.rounding), most, judged: 4, ..self }
    }

    /// Whether a correction of this norm would be larger than the last one, and more than rounding.
    pub fn grows(&self, norm: f64) -> bool {
        !(norm <= self.last || norm <= self.tolerance)
    }

    /// Factor to the next step: below one if the iteration took long.
    pub fn ease(&self) -> f64 {
        (2 * self.most + 1) as f64 / (2 * self.most + self.count) as f64
    }

    /// Whether it converged at this rate or faster; else the next step should have a new derivative.
    pub fn convergence(&self, fast: f64) -> Convergence {
        if self.count > 2 && self.rate > fast { Convergence::Slow } else { Convergence::Fast }
    }
}

impl Core {
    /// How small the corrections of an iteration must get.
    // [HairerWanner1996] IV.8: below this the error of the iteration does not show beside that of the method.
    pub fn newton(&mut self, h: f64) -> Newton {
        let (y, f) = (&self.state.y, &self.state.k[..self.state.y.len()]);
        for (x, (y, f)) in self.argument.iter_mut().zip(y.iter().zip(f)) {
            *x = y.abs() + (h * f).abs();
        }
        let rounding = 10.0 * f64::EPSILON * self.tolerance.norm(&self.argument, y, y);
        let rtol = if self.tolerance.rtol > 0.0 { self.tolerance.rtol } else { 1e-6 };
        Newton {
            tolerance: rtol.sqrt().min(0.03).max(rounding),
            rounding,
            rate: 0.0,
            last: 0.0,
            count: 0,
            most: Newton::MOST,
            judged: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newton() -> Newton {
        Newton { tolerance: 1e-3, rounding: 1e-9, rate: 0.0, last: 0.0, count: 0, most: Newton::MOST, judged: 2 }
    }

    #[test]
    fn it_ends_where_what_is_left_is_small() {
        let mut newton = newton();
        assert_eq!(newton.corrected(1.0), Ok(Progress::Underway));
        assert_eq!(newton.corrected(0.1), Ok(Progress::Underway));
        // At the rate 0.0316 what is left of 1e-3 is below 1e-4.
        assert_eq!(newton.corrected(1e-3), Ok(Progress::Converged));
        assert_eq!(newton.convergence(1e-3), Convergence::Slow);
    }

    #[test]
    fn it_is_given_up_where_it_grows_or_creeps() {
        let mut growing = newton();
        assert_eq!(growing.corrected(1.0), Ok(Progress::Underway));
        assert_eq!(growing.corrected(1.1), Err(Refusal::NotConverged));
        let mut creeping = newton();
        assert_eq!(creeping.corrected(1.0), Ok(Progress::Underway));
        assert_eq!(creeping.corrected(0.9), Err(Refusal::NotConverged));
    }

    #[test]
    fn rounding_is_no_correction_and_infinity_none_either() {
        assert_eq!(newton().corrected(1e-10), Ok(Progress::Converged));
        assert_eq!(newton().corrected(f64::NAN), Err(Refusal::NotFinite));
    }
}
