//! Finds the largest reactions and efforts between the rows of the output.
//!
//! Every stage of a step yields multipliers at no extra cost. The parabola through the largest of them and its neighbours
//! predicts the peak of each quantity. Only if this peak exceeds all earlier ones is the motion sampled by dense output:
//! three times around it, then at the vertex of the parabola through the best samples until that gains nothing more.

use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A peak is sampled only if it exceeds all earlier ones by this relative amount.
const MIN_RELATIVE_INCREASE: f64 = 1e-6;
/// Without budget for samples, a peak may be higher than the reported one by this relative amount.
const MAX_UNREPORTED_INCREASE: f64 = 1e-4;
/// Spacing of the samples around a peak, as a fraction of the step.
const SAMPLE_SPACING: f64 = 0.1;
/// Fraction of all evaluations that sampling may cost, the cost of one sample, and the number of free evaluations.
const SAMPLE_BUDGET_FRACTION: f64 = 0.015;
const EVALUATIONS_PER_SAMPLE: f64 = 4.0;
const FREE_EVALUATIONS: f64 = 600.0;
/// Maximum number of peaks sampled in one step, and of samples for one peak.
const MAX_PEAKS_PER_STEP: usize = 3;
const MAX_SAMPLES_PER_PEAK: usize = 7;
/// Maximum number of stages kept for one step.
const MAX_STAGES: usize = 32;

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
    stages: StageValues,
    /// Time and values of the last stage before the end of the last accepted step, and values at that end.
    before: (f64, Vec<f64>),
    end: Vec<f64>,
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
        PeakMonitor::for_quantities(quantities)
    }

    fn for_quantities(quantities: Vec<PeakQuantity>) -> PeakMonitor {
        let n = quantities.len();
        PeakMonitor {
            quantities,
            highest: HighestPeaks { sizes: vec![None; n], ..HighestPeaks::default() },
            stages: StageValues { count: n, ..StageValues::default() },
            before: (f64::NAN, vec![f64::NAN; n]),
            end: vec![f64::NEG_INFINITY; n],
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
        self.search = None;
        self.stages.clear();
        if let Some(values) = self.stages.at(t) {
            values.copy_from_slice(&self.end);
        }
    }

    /// Records a stage.
    #[inline]
    pub fn record_stage(&mut self, t: f64, lambda: &[f64]) {
        self.highest.evaluations += 1;
        let Some(values) = self.stages.at(t) else { return };
        for (quantity, value) in self.quantities.iter().zip(values) {
            *value = quantity.value(lambda);
        }
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
        self.stages.sort(t_old, t);
        self.keep_end();
        let (quantity, about, increase) = self.largest_new_peak()?;
        if !self.may_sample(4) {
            self.highest.skipped |= increase > MAX_UNREPORTED_INCREASE;
            return None;
        }
        self.searched.push(quantity);
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

    /// Keeps the end of the step just completed for the next one.
    fn keep_end(&mut self) {
        if let [.., before, last] = self.stages.order[..] {
            self.before.0 = self.stages.times[before];
            self.before.1.copy_from_slice(self.stages.values(before));
            self.end.copy_from_slice(self.stages.values(last));
        }
    }

    /// Whether the end of the step just completed needs a sample of its own, because a jump follows: a quantity that grew
    /// up to there does not continue to grow.
    pub fn needs_sample_before_jump(&mut self) -> bool {
        // The parabola through stages on both sides of a jump means nothing.
        self.before.0 = f64::NAN;
        let exceeds =
            |i: usize| relative_increase(self.stages.largest(i), self.highest.sizes[i]) > MIN_RELATIVE_INCREASE;
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

    /// The quantity whose peak in this step exceeds all earlier ones by the largest ratio, with time and ratio.
    fn largest_new_peak(&self) -> Option<(usize, f64, f64)> {
        if self.searched.len() >= MAX_PEAKS_PER_STEP {
            return None;
        }
        let excess = |i: usize| {
            let (at, peak) = self.predicted_peak(i).filter(|_| !self.searched.contains(&i))?;
            let increase = relative_increase(peak, self.highest.sizes[i]);
            (increase > MIN_RELATIVE_INCREASE).then_some((i, at, increase))
        };
        (0..self.quantities.len()).filter_map(excess).max_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// Time and value of the peak of a quantity in this step, by the parabola through its largest stage and the neighbours.
    /// None if it still grows at the end of the step: its peak comes later.
    fn predicted_peak(&self, i: usize) -> Option<(f64, f64)> {
        let order = &self.stages.order;
        let point = |k: usize| (self.stages.times[k], self.stages.values(k)[i]);
        let most = (0..order.len()).max_by(|a, b| point(order[*a]).1.total_cmp(&point(order[*b]).1))?;
        let (largest, last) = (point(order[most]), order.len() - 1);
        let neighbours = match most {
            _ if last < 2 => None,
            0 => (self.before.0 < largest.0).then(|| [(self.before.0, self.before.1[i]), largest, point(order[1])]),
            m if m == last => {
                let three = [point(order[m - 2]), point(order[m - 1]), largest];
                let at = vertex(three[0], three[1], three[2]).filter(|at| *at > three[1].0 && *at < largest.0)?;
                return Some((at, largest.1.max(parabola(three, at))));
            }
            m => Some([point(order[m - 1]), largest, point(order[m + 1])]),
        };
        let top = neighbours.and_then(|three| {
            let at = vertex(three[0], three[1], three[2])?;
            Some((at, parabola(three, at)))
        });
        Some(top.filter(|(_, value)| *value >= largest.1).unwrap_or(largest))
    }
}

/// Values of all quantities at the stages of a step.
#[derive(Clone, Debug, Default)]
struct StageValues {
    count: usize,
    times: Vec<f64>,
    values: Vec<f64>,
    /// The stages within the step just completed, in the order of time.
    order: Vec<usize>,
}

impl StageValues {
    fn clear(&mut self) {
        self.times.clear();
    }

    /// The values of the stage at `t`, new or to be replaced; none if there are too many stages.
    fn at(&mut self, t: f64) -> Option<&mut [f64]> {
        let k = self.times.iter().rposition(|x| *x == t).unwrap_or(self.times.len());
        if k == MAX_STAGES {
            return None;
        }
        if k == self.times.len() {
            self.times.push(t);
            self.values.resize(self.values.len().max(self.times.len() * self.count), f64::NEG_INFINITY);
        }
        Some(&mut self.values[k * self.count..(k + 1) * self.count])
    }

    fn values(&self, k: usize) -> &[f64] {
        &self.values[k * self.count..(k + 1) * self.count]
    }

    /// Orders the stages of a step by time, without those after its end, which an event has cut off.
    fn sort(&mut self, t_old: f64, t: f64) {
        let StageValues { times, order, .. } = self;
        order.clear();
        order.extend((0..times.len()).filter(|k| (t_old..=t).contains(&times[*k])));
        order.sort_unstable_by(|a, b| times[*a].total_cmp(&times[*b]));
    }

    /// The largest value of a quantity.
    fn largest(&self, i: usize) -> f64 {
        (0..self.times.len()).map(|k| self.values(k)[i]).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl PeakSearch {
    fn next_sample_time(&mut self) -> Option<f64> {
        if let Some(at) = self.pending_times.pop() {
            return Some(at);
        }
        if self.samples.len() >= MAX_SAMPLES_PER_PEAK {
            return None;
        }
        // The vertex of the parabola through the best sample and its neighbours.
        self.samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        let best = (0..self.samples.len()).max_by(|a, b| self.samples[*a].1.total_cmp(&self.samples[*b].1))?;
        let middle = best.clamp(1, self.samples.len().checked_sub(2)?);
        let three = [self.samples[middle - 1], self.samples[middle], self.samples[middle + 1]];
        let at = vertex(three[0], three[1], three[2]).filter(|at| self.step.contains(at))?;
        let gains = relative_increase(parabola(three, at), Some(self.samples[best].1)) > MIN_RELATIVE_INCREASE;
        (gains || self.samples.len() == 3).then_some(at)
    }
}

/// By which fraction of the highest value so far a value exceeds it.
fn relative_increase(found: f64, highest: Option<f64>) -> f64 {
    let before = highest.unwrap_or(0.0);
    let increase = (found - before) / before.abs().max(f64::MIN_POSITIVE);
    if found.is_finite() { increase } else { f64::NEG_INFINITY }
}

/// The value at `t` of the parabola through three points.
fn parabola([a, b, c]: [(f64, f64); 3], t: f64) -> f64 {
    let (p, q) = ((b.1 - a.1) / (b.0 - a.0), (c.1 - b.1) / (c.0 - b.0));
    a.1 + (t - a.0) * (p + (t - b.0) * (q - p) / (c.0 - a.0))
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
        let mut peaks = PeakMonitor::for_quantities(vec![PeakQuantity::Signed(0, 1.0)]);
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
