//! Guards that oscillate too fast for the samples of a step.
//!
//! The search of a step is bounded. Where the bound ends it, most guards are smooth on the scale of the samples: they have at most
//! one turning point there, which [`turning`](super::turning) searches. A guard that turns more often between samples of equal sign may have
//! zeros that no sample shows.

use super::Guards;
use super::search::StepPart;
use crate::{Problem, Refusal, Stepper};

/// Turning points between five samples from which on a guard is not resolved.
const MIN_TURNING_POINTS: usize = 2;

/// Range of the samples, relative to the size of the guard along the step, below which turning points are round-off.
const MIN_RANGE: f64 = 1e-3;

/// A guard that is not resolved between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UnresolvedGuard {
    pub index: usize,
    pub from: f64,
    pub to: f64,
}

impl Guards {
    /// Sets the sizes of the guards from the first samples.
    pub(super) fn set_sizes(&mut self, parts: &[StepPart]) {
        for i in 0..self.count {
            let values = parts.iter().flat_map(|part| part.at).map(|place| self.value(place, i).abs());
            self.sizes[i] = values.filter(|g| g.is_finite()).fold(0.0, f64::max);
        }
    }

    /// Checks a part at which the bound of the search was reached, with two more samples if a guard may have a hidden zero there.
    pub(super) fn check_resolution(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        part: &StepPart,
    ) -> Result<(), Refusal> {
        let suspect = |i: &usize| {
            let g = part.at.map(|place| self.value(place, *i));
            let range = range(&g);
            self.is_switch(*i) && stays_near_zero(&g, range) && range > MIN_RANGE * self.sizes[*i]
        };
        if self.unresolved.is_some() || !(0..self.count).any(|i| suspect(&i)) {
            return Ok(());
        }
        let [a, m, b] = part.t;
        let left = self.sample_guards(stepper, problem, a + 0.5 * (m - a))?;
        let right = self.sample_guards(stepper, problem, m + 0.5 * (b - m))?;
        let [start, middle, end] = part.at;
        let oscillates = |i: &usize| {
            let g = [start, left, middle, right, end].map(|place| self.value(place, *i));
            let turns = g.windows(3).filter(|w| (w[1] - w[0]) * (w[2] - w[1]) < 0.0).count();
            let range = range(&g);
            self.is_switch(*i)
                && stays_near_zero(&g, range)
                && range > MIN_RANGE * self.sizes[*i]
                && turns >= MIN_TURNING_POINTS
        };
        let found = (0..self.count).find(oscillates);
        self.unresolved = found.map(|index| UnresolvedGuard { index, from: a, to: b });
        self.free.extend([left, right]);
        Ok(())
    }
}

/// Difference between the largest and the smallest value.
fn range(g: &[f64]) -> f64 {
    let fold = |f: fn(f64, f64) -> f64| g.iter().copied().fold(g[0], f);
    fold(f64::max) - fold(f64::min)
}

/// Whether the values lie on one side of zero, no farther from zero than they differ.
fn stays_near_zero(g: &[f64], range: f64) -> bool {
    let one_side = g.iter().all(|g| *g > 0.0) || g.iter().all(|g| *g < 0.0);
    let least = g.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
    range.is_finite() && one_side && least <= range
}
