//! Local minima of the magnitude of event functions between samples of equal sign.
//!
//! A minimum beyond zero means two crossings. A minimum at zero only touches it: that is reported, but no event fires.

use super::EventLocator;
use crate::root_finding::{LocalMinimum, MinimumSearch};
use crate::{Direction, Problem, RearmPolicy, Refusal, SampleId, Stepper};

/// A minimum touches zero if it is below this share of the largest value of its function within the step.
const TOUCH_TOLERANCE: f64 = 1e-10;

/// Two touches within this share of a step count as one.
const SAME_TOUCH_SHARE: f64 = 1e-4;

impl EventLocator {
    /// Inserts a sample at each minimum beyond zero, so that both crossings are found, and records the minima that only touch
    /// zero.
    pub(super) fn insert_minima(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
    ) -> Result<(), Refusal> {
        let step = (stepper.t() - self.samples.times[0]).abs();
        let last = self.touches.clone();
        self.touches.clear();
        for i in 0..self.count {
            let touches = if problem.rearm_policy(i) == RearmPolicy::AfterLeavingZero {
                TOUCH_TOLERANCE * self.samples.magnitude(i)
            } else {
                0.0
            };
            if touches > 0.0 {
                self.samples.clamp_touching(i, touches);
            }
            let mut j = 1;
            while j + 1 < self.samples.len() {
                let dip = LocalMinimum {
                    t: [j - 1, j, j + 1].map(|j| self.samples.times[j]),
                    g: [j - 1, j, j + 1].map(|j| self.samples.value(j, i)),
                };
                j += 1;
                if !dip.is_minimum() {
                    continue;
                }
                match dip.search(touches, |t| self.value(stepper, problem, i, t))? {
                    MinimumSearch::StaysAway => {}
                    MinimumSearch::Crosses(t, _) => {
                        let here = if (t - dip.t[1]) * (dip.t[2] - dip.t[1]) > 0.0 { j } else { j - 1 };
                        // All values at t are in g from the last evaluation.
                        problem.record_sample(SampleId { slot: self.samples.next_slot(), t });
                        self.samples.insert(here, t, &self.g);
                        j += 1;
                    }
                    MinimumSearch::Touches(t) => {
                        let counts = match problem.direction(i) {
                            Direction::Either => true,
                            Direction::Falling => dip.g[1] > 0.0,
                            Direction::Rising => dip.g[1] < 0.0,
                        };
                        let near =
                            |touch: &&(usize, f64)| touch.0 == i && (touch.1 - t).abs() <= SAME_TOUCH_SHARE * step;
                        let known = self.touches.iter().chain(&last).find(near).is_some();
                        if counts && !known {
                            self.touches.push((i, t));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
