//! Where the event functions are sampled along a step.
//!
//! The first samples divide the step into parts, graded more densely behind a start, a jump or an event. Then samples are added,
//! round by round, to intervals in which a function may have a hidden zero.

use super::Watch;
use crate::{Between, Depend, Follow, NearZero, Noted, Problem, Refusal, Stepper};

/// After a start, a jump or an event, the first part of a step is sampled at distances that grow by this factor: a body that
/// rebounds may return long before the first part ends.
const SPREAD: f64 = 4.0;

/// Number of those distances; 4^-24 of a part is below the resolution of time.
pub(super) const SPREAD_POINTS: i32 = 24;

/// A sample this share of a part inside each end of a step shows minima of `|g|` close to the end.
const MARGIN: f64 = 1.0 / 64.0;

/// Additional samples, as shares of a step, for functions that are judged by their values. They have no simple ratio to each
/// other or to the parts of the step, so that no oscillation is in phase with them.
pub(super) const ODD: [f64; 4] = [0.131_782_4, 0.340_926_3, 0.618_034, 0.871_503_7];

/// Intervals shorter than this share of a step, or than this many times the resolution of time, get no more samples.
const SHORT: f64 = 1e-10;
const SHORTEST: f64 = 16.0;

/// Most rounds of added samples; each at least halves the doubtful intervals.
const ROUNDS: usize = 120;

/// How densely the beginning of the next search is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Opening {
    Even,
    Spread,
}

impl Watch {
    /// Evaluates all functions at a time and appends the sample.
    fn look(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem, t: f64) -> Result<(), Refusal> {
        if problem.depend() == Depend::OnState {
            stepper.interpolate(problem, t, &mut self.y)?;
        }
        problem.values(t, &self.y, &mut self.g);
        problem.note(Noted { slot: self.samples.slot(), t });
        self.samples.push(t, &self.g);
        Ok(())
    }

    /// Continues with the samples of the same step behind an event that changed nothing.
    pub(super) fn go_on(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let direction = (stepper.t() - self.t).signum();
        self.samples.begin_at(self.t, direction, &self.g);
        // The function of an event that fires only once is NaN from now on.
        let t = self.samples.times[1];
        if problem.depend() == Depend::OnState {
            stepper.interpolate(problem, t, &mut self.y)?;
        }
        problem.values(t, &self.y, &mut self.g);
        for i in 0..self.count {
            if self.g[i].is_nan() && !self.samples.value(1, i).is_nan() {
                self.samples.values.iter_mut().skip(i).step_by(self.count).for_each(|g| *g = f64::NAN);
            }
        }
        Ok(())
    }

    /// Takes the first samples of the step.
    pub(super) fn sample(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem) -> Result<(), Refusal> {
        let (start, end) = (self.t, stepper.t());
        let parts = problem.parts().unwrap_or(self.search.parts);
        let part = (end - start) / parts as f64;
        self.samples.clear();
        self.look(stepper, problem, start)?;
        if problem.depend() != Depend::Straight {
            let by_values = (0..self.count).any(|i| problem.follow(i) == Follow::Values);
            let odd = if by_values { &ODD[..] } else { &[] };
            let mut odd = odd.iter().map(|share| start + share * (end - start)).peekable();
            if self.opening == Opening::Spread {
                for k in (1..=SPREAD_POINTS).rev() {
                    self.look_before(stepper, problem, start + part * SPREAD.powi(-k), end)?;
                }
            } else {
                self.look_before(stepper, problem, start + part * MARGIN, end)?;
            }
            for k in 1..=parts {
                let even = if k < parts { start + part * k as f64 } else { end - part * MARGIN };
                while let Some(t) = odd.next_if(|t| (even - t) * part > 0.0) {
                    self.look_before(stepper, problem, t, end)?;
                }
                self.look_before(stepper, problem, even, end)?;
            }
        }
        self.look(stepper, problem, end)
    }

    /// Samples a time if it lies, as rounded, between the last sample and the end.
    fn look_before(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        t: f64,
        end: f64,
    ) -> Result<(), Refusal> {
        let last = self.samples.times[self.samples.len() - 1];
        let between = (t - last) * (end - last) > 0.0 && (end - t) * (end - last) > 0.0;
        if between { self.look(stepper, problem, t) } else { Ok(()) }
    }

    /// Adds samples wherever a zero may have been missed.
    pub(super) fn look_closer(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        resolution: f64,
    ) -> Result<(), Refusal> {
        if problem.depend() == Depend::Straight {
            return Ok(());
        }
        let step = (stepper.t() - self.t).abs();
        let shortest = (SHORT * step).max(SHORTEST * resolution);
        let mut wanted = std::mem::take(&mut self.wanted);
        for _ in 0..ROUNDS {
            wanted.clear();
            let mut lost = None;
            for j in 0..self.horizon(problem) {
                let (from, to) = (self.noted(j), self.noted(j + 1));
                if self.samples.is_judged(j) || (to.t - from.t).abs() <= shortest {
                    continue;
                }
                for i in 0..self.count {
                    if let Between::Doubtful(share) = self.judge(problem, i, j) {
                        let t = from.t + share * (to.t - from.t);
                        let inside = (t - from.t) * (to.t - t) > 0.0;
                        wanted.push((j, if inside { t } else { from.t + 0.5 * (to.t - from.t) }));
                        lost = lost.or(Some((i, from.t, to.t)));
                        break;
                    }
                }
            }
            self.samples.judge();
            if let Some((i, from, to)) = lost.filter(|_| self.samples.len() + wanted.len() > self.search.most) {
                problem.lost_sight(i, from, to);
                break;
            }
            if wanted.is_empty() {
                break;
            }
            let before = self.samples.len();
            for (_, t) in &wanted {
                self.look(stepper, problem, *t)?;
            }
            self.samples.merge(before, &wanted);
        }
        self.wanted = wanted;
        Ok(())
    }

    fn noted(&self, j: usize) -> Noted {
        Noted { slot: self.samples.slots[j], t: self.samples.times[j] }
    }

    /// Whether function `i` needs another sample between the samples `j` and `j + 1`.
    fn judge(&mut self, problem: &mut dyn Problem, i: usize, j: usize) -> Between {
        match problem.follow(i) {
            Follow::Parts => Between::Clear,
            Follow::Bounds => problem.between(i, self.noted(j), self.noted(j + 1)),
            Follow::Values if self.samples.is_doubtful(i, j) => Between::Doubtful(0.5),
            Follow::Values => Between::Clear,
        }
    }

    /// Number of intervals to be checked. Those behind the first crossing that is certain to change the motion are not.
    fn horizon(&self, problem: &mut dyn Problem) -> usize {
        let ends = |j: &usize| {
            (0..self.count).any(|i| {
                let (near, far) = (self.samples.value(*j, i), self.samples.value(j + 1, i));
                problem.near_zero(i) == NearZero::Watched && near > 0.0 && far <= 0.0
            })
        };
        let all = self.samples.len() - 1;
        (0..all).find(ends).map_or(all, |j| j + 1)
    }
}
