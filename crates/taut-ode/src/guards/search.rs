//! The search of a step for the first zero of a guard.
//!
//! The step is sampled in a few unequal parts. A part in which a guard may have a zero that the samples do not show is halved,
//! until parabolas predict the new samples well.

use super::unresolved::UnresolvedGuard;
use super::{GuardZero, Guards, earlier};
use crate::{Problem, Refusal, StepControl, Stepper};

/// Ends of the parts of a step in which every guard is sampled first. The parts are unequal, so that an oscillating guard
/// is not sampled in phase with itself.
const PART_ENDS: [f64; 5] = [0.0, 0.17, 0.46, 0.71, 1.0];
const PARTS: usize = PART_ENDS.len() - 1;

/// A part is halved at most this often.
const MAX_DEPTH: u32 = 9;

/// Most additional samples of one step. The parts share them equally, so that a guard that no parabola predicts, such as
/// `1 - exp(u^2)`, does not use them up before the end of the step is searched.
const MAX_SAMPLES: usize = 800;

/// Rows needed for the values of the parts that are still to be searched.
pub(super) const SAMPLE_ROWS: usize = 2 * (PARTS + MAX_DEPTH as usize) + 8;

/// A prediction by parabolas is trusted if its error is at most this share of the smallest value, or of the change across the
/// part if the sign changes once.
const PREDICTION_TOLERANCE: f64 = 0.25;

/// Most places along a step at which narrow peaks are checked.
const MAX_PEAK_CHECKS: usize = 24;

/// A part of a step, with the rows of the values at its start, middle and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepPart {
    pub(super) t: [f64; 3],
    pub(super) at: [usize; 3],
    depth: u32,
    resolution: Resolution,
    /// Samples that may still be taken within the part.
    samples: usize,
}

impl StepPart {
    const EMPTY: StepPart = StepPart { t: [0.0; 3], at: [0; 3], depth: 0, resolution: Resolution::Unknown, samples: 0 };
}

/// Whether the samples of a part show all zeros of the guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolution {
    /// Parabolas predict the values between the samples.
    Resolved,
    Unknown,
}

impl Guards {
    /// The first zero along the last step. A guard that leaves the zero on which the step began crosses it there: the first
    /// derivative may belong to the other side.
    pub fn first_zero(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
    ) -> Result<Option<GuardZero>, Refusal> {
        let (start, h) = (stepper.t_old(), stepper.h());
        if self.count == 0 || h == 0.0 {
            return Ok(None);
        }
        self.peaks.clear();
        self.unresolved = None;
        // A fixed step cannot be repeated with a smaller size.
        self.max_peaks = if stepper.step_control() == StepControl::Fixed { 0 } else { MAX_PEAK_CHECKS };
        self.free.clear();
        let places = self.values.len() / self.count;
        self.free.extend((0..places).rev());
        self.parts.clear();
        let end = stepper.t();
        let time = |k: usize| if k == PARTS { end } else { start + h * PART_ENDS[k] };
        let mut last = self.sample_guards(stepper, problem, start)?;
        let mut whole = [StepPart::EMPTY; PARTS];
        for (k, part) in whole.iter_mut().enumerate() {
            let (from, to) = (time(k), time(k + 1));
            let t = [from, from + 0.5 * (to - from), to];
            let middle = self.sample_guards(stepper, problem, t[1])?;
            let end = self.sample_guards(stepper, problem, t[2])?;
            *part = StepPart { t, at: [last, middle, end], samples: MAX_SAMPLES / PARTS, ..StepPart::EMPTY };
            last = end;
        }
        self.set_sizes(&whole);
        if let Some(zero) = self.zero_near_start(stepper, problem, &whole[0])? {
            return Ok(Some(zero));
        }
        // Parts are taken from the end of the list, so they are added in reverse.
        self.parts.extend(whole.iter().rev());
        // The point before the part.
        let mut before: Option<(f64, usize)> = None;
        // Samples that earlier parts did not need.
        let mut spare = 0;
        while let Some(mut part) = self.parts.pop() {
            part.samples += std::mem::take(&mut spare);
            let narrow = part.depth >= MAX_DEPTH || part.samples < 2;
            if narrow && part.resolution == Resolution::Unknown {
                self.check_resolution(stepper, problem, &part)?;
            }
            if !narrow && self.may_hide_zero(&part) {
                let quarter = |a: f64, b: f64| a + 0.5 * (b - a);
                let [a, m, b] = part.t;
                let (l, r) = (quarter(a, m), quarter(m, b));
                if (l - a) * (m - l) > 0.0 && (r - m) * (b - r) > 0.0 {
                    let (left, right) =
                        (self.sample_guards(stepper, problem, l)?, self.sample_guards(stepper, problem, r)?);
                    let samples = [part.samples / 2 - 1, (part.samples - 1) / 2];
                    let (depth, resolution) = if self.is_predicted(&part, left, right) {
                        (MAX_DEPTH, Resolution::Resolved)
                    } else {
                        (part.depth + 1, Resolution::Unknown)
                    };
                    let half = |t, at, samples| StepPart { t, at, depth, resolution, samples };
                    self.parts.push(half([m, r, b], [part.at[1], right, part.at[2]], samples[1]));
                    self.parts.push(half([a, l, m], [part.at[0], left, part.at[1]], samples[0]));
                    continue;
                }
            }
            spare = part.samples;
            for half in 0..2 {
                let dip = match before {
                    Some(first) => self.zero_at_turn(stepper, problem, first, &part, half)?,
                    None => None,
                };
                let crossing = self.sign_change(stepper, problem, &part, half)?;
                if dip.is_some() || crossing.is_some() {
                    return Ok(earlier(stepper.t_old(), dip, crossing));
                }
                if let Some((_, place)) = before {
                    self.free.push(place);
                }
                before = Some((part.t[half], part.at[half]));
            }
        }
        if let Some(UnresolvedGuard { index, from, to }) = self.unresolved {
            problem.guard_search_exhausted(index, from, to);
        }
        Ok(None)
    }

    /// Samples all guards at `t`, and returns the row of the values.
    pub(super) fn sample_guards(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        t: f64,
    ) -> Result<usize, Refusal> {
        stepper.interpolate(problem, t, &mut self.y)?;
        problem.guard_values(t, &self.y, &mut self.g);
        let place = self.free.pop().unwrap_or(0);
        self.values[place * self.count..(place + 1) * self.count].copy_from_slice(&self.g);
        Ok(place)
    }

    pub(super) fn value(&self, place: usize, i: usize) -> f64 {
        self.values[place * self.count + i]
    }

    /// Whether some guard may cross zero twice within the part, or once before its middle. It cannot if its three values
    /// lie on one side of zero, farther from zero than they differ.
    fn may_hide_zero(&self, part: &StepPart) -> bool {
        (0..self.count).any(|i| {
            let [a, m, b] = part.at.map(|place| self.value(place, i));
            let least = a.abs().min(m.abs()).min(b.abs());
            let range = a.max(m).max(b) - a.min(m).min(b);
            let one_side = (a > 0.0 && m > 0.0 && b > 0.0) || (a < 0.0 && m < 0.0 && b < 0.0);
            range.is_finite() && range > 0.0 && !(one_side && least > range)
        })
    }

    /// Whether the parabolas through the three points predict the values at the quarters well enough to be trusted.
    fn is_predicted(&self, part: &StepPart, left: usize, right: usize) -> bool {
        (0..self.count).all(|i| {
            let [a, m, b] = part.at.map(|place| self.value(place, i));
            let (l, r) = (self.value(left, i), self.value(right, i));
            if a.is_infinite() && [l, m, r, b].iter().all(|g| *g == a) {
                // The argument of an outer function overflows far from its peak. Equal infinities count as predicted: subdividing
                // there would only waste samples.
                return true;
            }
            let miss = (0.375 * a + 0.75 * m - 0.125 * b - l).abs().max((0.375 * b + 0.75 * m - 0.125 * a - r).abs());
            let signs = [a, l, m, r, b];
            let changes = signs.windows(2).filter(|pair| pair[0] * pair[1] <= 0.0).count();
            let least = signs.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
            let slope = (b - a).abs();
            match changes {
                0 => miss <= PREDICTION_TOLERANCE * least,
                1 => miss <= PREDICTION_TOLERANCE * slope,
                _ => false,
            }
        })
    }
}
