//! Where the event functions are sampled along a step.
//!
//! The first samples divide the step into parts, graded more densely behind a start, a jump or an event. Then samples are added,
//! round by round, to intervals in which a function may have a hidden zero.

use super::EventLocator;
use crate::{EventDependence, IntervalCheck, Problem, RearmPolicy, Refusal, SampleId, SamplingPolicy, Stepper};

/// After a start, a jump or an event, the first part of a step is sampled at distances that grow by this factor: a body that
/// rebounds may return long before the first part ends.
const GRADING_FACTOR: f64 = 4.0;

/// Number of those distances; 4^-24 of a part is below the resolution of time.
pub(super) const GRADING_POINTS: i32 = 24;

/// A sample this fraction of a part inside each end of a step shows minima of `|g|` close to the end.
const END_SAMPLE_SHARE: f64 = 1.0 / 64.0;

/// Additional samples, as fractions of a step, for functions that are judged by their values. They have no simple ratio to each
/// other or to the parts of the step, so that no oscillation is in phase with them.
pub(super) const IRREGULAR_POINTS: [f64; 4] = [0.131_782_4, 0.340_926_3, 0.618_034, 0.871_503_7];

/// Intervals shorter than this fraction of a step, or than this many times the resolution of time, get no more samples.
const MIN_INTERVAL_SHARE: f64 = 1e-10;
const MIN_INTERVAL_RESOLUTIONS: f64 = 16.0;

/// Most rounds of added samples; each at least halves the doubtful intervals.
const MAX_ROUNDS: usize = 120;

/// How densely the beginning of the next search is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FirstSampling {
    Even,
    Graded,
}

impl EventLocator {
    /// Evaluates all functions at a time and appends the sample.
    fn sample_at(&mut self, stepper: &mut dyn Stepper, problem: &mut dyn Problem, t: f64) -> Result<(), Refusal> {
        if problem.dependence() == EventDependence::OnState {
            stepper.interpolate(problem, t, &mut self.y)?;
        }
        problem.values(t, &self.y, &mut self.g);
        problem.record_sample(SampleId { slot: self.samples.next_slot(), t });
        self.samples.push(t, &self.g);
        Ok(())
    }

    /// Continues with the samples of the same step behind an event that changed nothing.
    pub(super) fn reuse_samples(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
    ) -> Result<(), Refusal> {
        let direction = (stepper.t() - self.t).signum();
        self.samples.restart_at(self.t, direction, &self.g);
        // The function of an event that fires only once is NaN from now on.
        let t = self.samples.times[1];
        if problem.dependence() == EventDependence::OnState {
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
        let parts = problem.initial_parts().unwrap_or(self.search.parts);
        let part = (end - start) / parts as f64;
        self.samples.clear();
        self.sample_at(stepper, problem, start)?;
        if problem.dependence() != EventDependence::LinearInTime {
            let by_values = (0..self.count).any(|i| problem.sampling_policy(i) == SamplingPolicy::ByValues);
            let irregular = if by_values { &IRREGULAR_POINTS[..] } else { &[] };
            let mut irregular = irregular.iter().map(|fraction| start + fraction * (end - start)).peekable();
            if self.first_sampling == FirstSampling::Graded {
                for k in (1..=GRADING_POINTS).rev() {
                    self.sample_before(stepper, problem, start + part * GRADING_FACTOR.powi(-k), end)?;
                }
            } else {
                self.sample_before(stepper, problem, start + part * END_SAMPLE_SHARE, end)?;
            }
            for k in 1..=parts {
                let even = if k < parts { start + part * k as f64 } else { end - part * END_SAMPLE_SHARE };
                while let Some(t) = irregular.next_if(|t| (even - t) * part > 0.0) {
                    self.sample_before(stepper, problem, t, end)?;
                }
                self.sample_before(stepper, problem, even, end)?;
            }
        }
        self.sample_at(stepper, problem, end)
    }

    /// Samples a time if it lies, as rounded, between the last sample and the end.
    fn sample_before(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        t: f64,
        end: f64,
    ) -> Result<(), Refusal> {
        let last = self.samples.times[self.samples.len() - 1];
        let between = (t - last) * (end - last) > 0.0 && (end - t) * (end - last) > 0.0;
        if between { self.sample_at(stepper, problem, t) } else { Ok(()) }
    }

    /// Adds samples wherever a zero may have been missed.
    pub(super) fn refine_samples(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        resolution: f64,
    ) -> Result<(), Refusal> {
        if problem.dependence() == EventDependence::LinearInTime {
            return Ok(());
        }
        let step = (stepper.t() - self.t).abs();
        let shortest = (MIN_INTERVAL_SHARE * step).max(MIN_INTERVAL_RESOLUTIONS * resolution);
        let mut wanted = std::mem::take(&mut self.requests);
        for round in 1..=MAX_ROUNDS {
            wanted.clear();
            let mut lost = None;
            for j in 0..self.horizon(problem) {
                let (from, to) = (self.sample_id(j), self.sample_id(j + 1));
                if self.samples.is_checked(j) || (to.t - from.t).abs() <= shortest {
                    continue;
                }
                for i in 0..self.count {
                    if let IntervalCheck::MayHideZero(fraction) = self.check_between(problem, i, j) {
                        let t = from.t + fraction * (to.t - from.t);
                        let inside = (t - from.t) * (to.t - t) > 0.0;
                        wanted.push((j, if inside { t } else { from.t + 0.5 * (to.t - from.t) }));
                        lost = lost.or(Some((i, from.t, to.t)));
                        break;
                    }
                }
            }
            self.samples.mark_checked();
            let exhausted = round == MAX_ROUNDS || self.samples.len() + wanted.len() > self.search.most;
            if let Some((i, from, to)) = lost.filter(|_| exhausted) {
                problem.search_exhausted(i, from, to);
                break;
            }
            if wanted.is_empty() {
                break;
            }
            let before = self.samples.len();
            for (_, t) in &wanted {
                self.sample_at(stepper, problem, *t)?;
            }
            self.samples.merge(before, &wanted);
        }
        self.requests = wanted;
        Ok(())
    }

    fn sample_id(&self, j: usize) -> SampleId {
        SampleId { slot: self.samples.slots[j], t: self.samples.times[j] }
    }

    /// Whether function `i` needs another sample between the samples `j` and `j + 1`.
    fn check_between(&mut self, problem: &mut dyn Problem, i: usize, j: usize) -> IntervalCheck {
        match problem.sampling_policy(i) {
            SamplingPolicy::EqualParts => IntervalCheck::NoHiddenZero,
            SamplingPolicy::ByBounds => problem.check_interval(i, self.sample_id(j), self.sample_id(j + 1)),
            SamplingPolicy::ByValues if self.samples.may_hide_zero(i, j) => IntervalCheck::MayHideZero(0.5),
            SamplingPolicy::ByValues => IntervalCheck::NoHiddenZero,
        }
    }

    /// Number of intervals to be checked. Those behind the first crossing that is certain to change the motion are not.
    fn horizon(&self, problem: &mut dyn Problem) -> usize {
        let ends = |j: &usize| {
            (0..self.count).any(|i| {
                let (near, far) = (self.samples.value(*j, i), self.samples.value(j + 1, i));
                problem.rearm_policy(i) == RearmPolicy::Immediately && near > 0.0 && far <= 0.0
            })
        };
        let all = self.samples.len() - 1;
        (0..all).find(ends).map_or(all, |j| j + 1)
    }
}
