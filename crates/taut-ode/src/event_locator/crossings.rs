//! The crossings of zero, and the events that fire together.

use super::EventLocator;
use super::sampling::FirstSampling;
use super::side::EventSide;
use crate::root_finding::Bracket;
use crate::{Problem, RearmPolicy, Refusal, Stepper};

/// A function jumps if its rate exceeds its mean rate within the step by this factor, and the change exceeds this share of its
/// largest value.
const JUMP_RATE: f64 = 1e6;
const MIN_JUMP: f64 = 1e-6;

/// Whether a function goes through zero or only touches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CrossingKind {
    Through,
    Touch,
}

/// A crossing of zero, or a touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crossing {
    pub(super) index: usize,
    /// Its time, on the side behind the crossing.
    pub(super) far: f64,
    /// Below this magnitude the function still counts as zero.
    pub(super) threshold: f64,
    /// The value behind the crossing, if the function jumped across zero.
    pub(super) jump: Option<f64>,
    pub(super) kind: CrossingKind,
}

/// The magnitude below which a function still counts as zero: its change within the resolution of time, and the value at which
/// the crossing was found, unless it jumped across zero.
fn zero_threshold(resolution: f64, found: f64) -> f64 {
    let near = 4.0 * found.abs();
    if near <= 64.0 * resolution { near.max(resolution) } else { resolution }
}

impl EventLocator {
    /// Keeps the events of the earliest time and sets all signs to those behind it.
    pub(super) fn accept_crossings(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        first: f64,
        resolution: f64,
    ) -> Result<f64, Refusal> {
        self.crossings.retain(|hit| (hit.far - first).abs() <= resolution);
        self.crossings.sort_unstable_by_key(|hit| hit.index);
        let direction = (stepper.t() - self.t).signum();
        // The latest of their times, at which all have crossed.
        let latest = self.crossings.iter().map(|hit| direction * hit.far);
        let t = direction * latest.fold(direction * first, f64::max);
        stepper.interpolate(problem, t, &mut self.y)?;
        problem.values(t, &self.y, &mut self.g);
        for (side, &g) in self.sides.iter_mut().zip(&self.g) {
            *side = side.after(g);
        }
        for hit in &self.crossings {
            match (hit.kind, hit.jump) {
                (CrossingKind::Through, None) => {
                    self.sides[hit.index] =
                        EventSide::Zero { threshold: zero_threshold(hit.threshold, self.g[hit.index]) };
                }
                (CrossingKind::Through, Some(found)) => {
                    self.sides[hit.index] = EventSide::of(found, EventSide::Zero { threshold: 0.0 })
                }
                (CrossingKind::Touch, _) => self.touches.retain(|touch| *touch != (hit.index, hit.far)),
            }
        }
        self.t = t;
        self.first_sampling = FirstSampling::Graded;
        Ok(t)
    }

    pub(super) fn earliest(&self) -> Option<f64> {
        let start = self.samples.times[0];
        let hits = self.crossings.iter().map(|hit| hit.far);
        hits.min_by(|a, b| (a - start).abs().total_cmp(&(b - start).abs()))
    }

    /// Locates the crossings between samples `j - 1` and `j`.
    pub(super) fn find_crossings(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        j: usize,
        resolution: f64,
    ) -> Result<(), Refusal> {
        let (near, far) = (self.samples.times[j - 1], self.samples.times[j]);
        for (index, t) in &self.touches {
            if (t - near) * (far - t) >= 0.0 && *t != near {
                self.crossings.push(Crossing {
                    index: *index,
                    far: *t,
                    threshold: 0.0,
                    jump: None,
                    kind: CrossingKind::Touch,
                });
            }
        }
        for i in 0..self.count {
            let (g_near, g_far) = (self.samples.value(j - 1, i), self.samples.value(j, i));
            let crosses = self.sides[i].crosses(g_far, problem.direction(i), problem.rearm_policy(i));
            if !crosses || self.crossings.iter().any(|hit| hit.index == i) {
                continue;
            }
            let start = Bracket { near, far, g_near, g_far };
            // A function that was zero or not a number on the near side has no sign to search with: its
            // crossing is at the far side.
            let found = if self.sides[i] == EventSide::of(g_near, EventSide::Zero { threshold: 0.0 }) {
                start.shrink(|t| self.value(stepper, problem, i, t))?
            } else {
                start
            };
            // The change of g within the resolution of time.
            let slope = (g_far - g_near).abs() / (far - near).abs();
            let threshold = zero_threshold(resolution * slope, found.g_far);
            let jumps = problem.rearm_policy(i) == RearmPolicy::AfterLeavingZero && self.jumps(i, &found);
            let jump = jumps.then_some(found.g_far);
            self.crossings.push(Crossing { index: i, far: found.far, threshold, jump, kind: CrossingKind::Through });
        }
        Ok(())
    }

    /// Whether function `i` jumps where it was found to cross zero.
    fn jumps(&self, i: usize, found: &Bracket) -> bool {
        let times = &self.samples.times;
        let step = (times[times.len() - 1] - times[0]).abs();
        let size = self.samples.magnitude(i);
        let change = (found.g_far - found.g_near).abs();
        change > MIN_JUMP * size && change * step > JUMP_RATE * size * (found.far - found.near).abs()
    }
}
