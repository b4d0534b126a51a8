//! Finds the largest reactions and efforts between the rows of the output.
//!
//! Every stage of a step yields multipliers at no extra cost. Their magnitudes show in which step a peak lies, and
//! roughly where. Only if this peak exceeds all earlier ones is the motion sampled by dense output: four times, the
//! last time at the vertex of the parabola through the first three samples.

use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A peak is sampled only if it exceeds all earlier ones by this relative amount.
const MIN_RELATIVE_INCREASE: f64 = 1e-4;
/// Spacing of the samples around a peak, as a fraction of the step.
const SAMPLE_SPACING: f64 = 0.1;
/// Fraction of all evaluations that sampling may cost, the cost of one sample, and the number of free evaluations.
const SAMPLE_BUDGET_FRACTION: f64 = 0.015;
const EVALUATIONS_PER_SAMPLE: f64 = 4.0;
const FREE_EVALUATIONS: f64 = 600.0;
/// Maximum number of peaks sampled in one step.
const MAX_PEAKS_PER_STEP: usize = 3;

/// The quantity whose peak is searched.
#[derive(Clone, Debug, PartialEq)]
enum PeakQuantity {
    /// Σλ² of these rows, the square of a force or a moment.
    SquaredNorm(Range<usize>),
    /// λ of a row with its sign.
    Signed(usize, f64),
}

impl PeakQuantity {
    #[inline]
    fn value(&self, lambda: &[f64]) -> f64 {
        match self {
            PeakQuantity::SquaredNorm(rows) => lambda[rows.clone()].iter().map(|l| l * l).sum::<f64>(),
            PeakQuantity::Signed(row, sign) => sign * lambda[*row],
        }
    }
}

/// The samples around a peak.
#[derive(Clone, Debug, PartialEq)]
struct PeakSearch {
    quantity: usize,
    /// Times and values of the samples.
    samples: Vec<(f64, f64)>,
    /// Times still to be sampled.
    pending_times: Vec<f64>,
    step: Range<f64>,
}

/// The peaks found so far: the part that a checkpoint keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct HighestPeaks {
    sizes: Vec<Option<f64>>,
    evaluations: u64,
    samples: u64,
    skipped: bool,
}

/// Monitors the multipliers during a run.
#[derive(Clone, Debug)]
pub(crate) struct PeakMonitor {
    quantities: Vec<PeakQuantity>,
    pub highest: HighestPeaks,
    /// The largest value among the stages of this step, and its time.
    stages: Vec<(f64, f64)>,
    /// Values at the latest stage, and at the end of the last accepted step.
    latest: Vec<f64>,
    end: Vec<f64>,
    t_latest: f64,
    search: Option<PeakSearch>,
    /// Quantities already sampled in this step.
    searched: Vec<usize>,
}

impl PeakMonitor {
    /// For all constraints of a model.
    pub fn of(model: &Model) -> PeakMonitor {
        let mut quantities = Vec::new();
        for c in &model.constraints {
            let mut start = c.rows.start;
            for rows in model.rows[c.rows.clone()].chunk_by(|a, b| a.unit == b.unit) {
                quantities.push(PeakQuantity::SquaredNorm(start..start + rows.len()));
                start += rows.len();
            }
            let driven = crate::results::WorkTracking::is_driven(c);
            let rows = c.rows.clone().filter(|_| driven);
            quantities.extend(rows.flat_map(|r| [PeakQuantity::Signed(r, 1.0), PeakQuantity::Signed(r, -1.0)]));
        }
        let n = quantities.len();
        let highest = HighestPeaks { sizes: vec![None; n], ..HighestPeaks::default() };
        let none = f64::NEG_INFINITY;
        PeakMonitor {
            quantities,
            highest,
            stages: vec![(none, 0.0); n],
            latest: vec![none; n],
            end: vec![none; n],
            t_latest: none,
            search: None,
            searched: Vec::new(),
        }
    }

    /// Whether some peaks were skipped because sampling them would have cost too much.
    pub fn skipped_peaks(&self) -> bool {
        self.highest.skipped
    }

    /// Begins an attempted step at `t`: its first stage is the end of the last step.
    pub fn begin(&mut self, t: f64) {
        self.searched.clear();
        (self.search, self.t_latest) = (None, t);
        for (stage, end) in self.stages.iter_mut().zip(&self.end) {
            *stage = (*end, t);
        }
    }

    /// Records a stage.
    #[inline]
    pub fn record_stage(&mut self, t: f64, lambda: &[f64]) {
        self.highest.evaluations += 1;
        // Stages of dense output are evaluated later and lie before the end.
        let latest = t >= self.t_latest;
        for ((size, stage), end) in self.quantities.iter().zip(&mut self.stages).zip(&mut self.latest) {
            let found = size.value(lambda);
            if found > stage.0 {
                *stage = (found, t);
            }
            if latest {
                *end = found;
            }
        }
        self.t_latest = self.t_latest.max(t);
    }

    /// Records multipliers of the motion itself, at an output row or a sample.
    pub fn record(&mut self, t: f64, lambda: &[f64]) {
        for (size, highest) in self.quantities.iter().zip(&mut self.highest.sizes) {
            let found = size.value(lambda);
            if found.is_finite() && highest.is_none_or(|h| found > h) {
                *highest = Some(found);
            }
        }
        if let Some(hunt) = &mut self.search {
            hunt.samples.push((t, self.quantities[hunt.quantity].value(lambda)));
        }
    }

    /// The next sample time in the step just completed.
    pub fn next_sample_time(&mut self, t_old: f64, t: f64) -> Option<f64> {
        if let Some(at) = self.search.as_mut().and_then(PeakSearch::next_sample_time) {
            self.highest.samples += 1;
            return Some(at);
        }
        self.search = None;
        self.end.copy_from_slice(&self.latest);
        let quantity = self.largest_new_peak(t_old, t)?;
        if !self.may_sample(4) {
            self.highest.skipped = true;
            return None;
        }
        self.searched.push(quantity);
        let about = self.stages[quantity].1;
        let d = SAMPLE_SPACING * (t - t_old);
        let about = about.clamp(t_old + d, t - d);
        self.search = Some(PeakSearch {
            quantity,
            samples: Vec::new(),
            pending_times: vec![about + d, about - d, about],
            step: t_old..t,
        });
        self.next_sample_time(t_old, t)
    }

    /// Whether the end of the step just completed needs a sample of its own, because a jump follows: a quantity that grew
    /// up to there does not continue to grow.
    pub fn needs_sample_before_jump(&mut self) -> bool {
        let exceeds = |i: usize| is_higher(self.stages[i].0, self.highest.sizes[i]);
        if !(0..self.quantities.len()).any(exceeds) {
            return false;
        }
        self.search = None;
        let may = self.may_sample(1);
        self.highest.samples += u64::from(may);
        self.highest.skipped |= !may;
        may
    }

    /// Whether the budget allows this many samples.
    fn may_sample(&self, count: u64) -> bool {
        EVALUATIONS_PER_SAMPLE * (self.highest.samples + count) as f64
            <= SAMPLE_BUDGET_FRACTION * self.highest.evaluations as f64 + FREE_EVALUATIONS
    }

    /// The quantity whose peak in this step exceeds all earlier ones by the largest ratio.
    fn largest_new_peak(&self, t_old: f64, t: f64) -> Option<usize> {
        if self.searched.len() >= MAX_PEAKS_PER_STEP {
            return None;
        }
        let excess = |i: usize| {
            let ((found, at), before) = (self.stages[i], self.highest.sizes[i].unwrap_or(0.0));
            // A quantity that still grows at the end of the step has its peak later.
            let grows = at >= t - 1e-9 * (t - t_old);
            (is_higher(found, self.highest.sizes[i]) && !grows && !self.searched.contains(&i))
                .then(|| (found - before) / before.abs().max(1e-300))
        };
        let all = (0..self.quantities.len()).filter_map(|i| Some((i, excess(i)?)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    }
}

impl PeakSearch {
    fn next_sample_time(&mut self) -> Option<f64> {
        if let Some(at) = self.pending_times.pop() {
            return Some(at);
        }
        // The last sample is at the vertex of the parabola through the first three.
        let at = match self.samples[..] {
            [a, b, c] => vertex(a, b, c),
            _ => None,
        };
        at.filter(|at| self.step.contains(at))
    }
}

/// Whether a value exceeds the highest one so far by enough to be sampled.
fn is_higher(found: f64, highest: Option<f64>) -> bool {
    let before = highest.unwrap_or(0.0);
    found.is_finite() && found > before + MIN_RELATIVE_INCREASE * before.abs().max(f64::MIN_POSITIVE)
}

/// Where the parabola through three points has its largest value, if it has one.
fn vertex(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Option<f64> {
    let (p, q) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    let curvature = (q - p) / (c.0 - a.0);
    let at = 0.5 * (a.0 + b.0) - 0.5 * p / curvature;
    (curvature < 0.0 && at.is_finite()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monitors one multiplier through steps of stages, and returns the largest value found.
    fn follow(lambda: impl Fn(f64) -> f64, h: f64, steps: usize) -> (f64, u64) {
        let mut peaks = PeakMonitor {
            quantities: vec![PeakQuantity::Signed(0, 1.0)],
            highest: HighestPeaks { sizes: vec![None], ..HighestPeaks::default() },
            stages: vec![(f64::NEG_INFINITY, 0.0)],
            latest: vec![f64::NEG_INFINITY],
            end: vec![f64::NEG_INFINITY],
            t_latest: 0.0,
            search: None,
            searched: Vec::new(),
        };
        for k in 0..steps {
            let t = h * k as f64;
            peaks.begin(t);
            for c in [0.05, 0.12, 0.28, 0.33, 0.6, 0.65, 0.86, 1.0] {
                peaks.record_stage(t + c * h, &[lambda(t + c * h)]);
            }
            while let Some(at) = peaks.next_sample_time(t, t + h) {
                peaks.record(at, &[lambda(at)]);
            }
        }
        (peaks.highest.sizes[0].unwrap_or(f64::NAN), peaks.highest.samples)
    }

    #[test]
    fn the_peak_of_an_oscillation_is_met_between_the_rows() {
        // 3 Hz, in steps of a quarter of a period, without any output row.
        let (found, looks) = follow(|t| 5.0 + (6.0 * std::f64::consts::PI * t + 0.4).sin(), 0.083, 200);
        assert!((found - 6.0).abs() < 1e-5, "{found}");
        assert!(looks < 60, "{looks}");
    }

    #[test]
    fn a_growing_quantity_is_not_sampled() {
        let (_, looks) = follow(|t| t, 0.1, 50);
        assert_eq!(looks, 0);
    }
}
