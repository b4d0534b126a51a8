//! Finds the largest reactions and efforts between the rows of the output.
//!
//! Every stage of a step yields multipliers at no extra cost. Their magnitudes show in which step a peak lies, and
//! roughly where. Only if this peak exceeds all earlier ones is the motion sampled by dense output: four times, the
//! last time at the vertex of the parabola through the first three samples.

use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A peak is sampled only if it exceeds all earlier ones by this relative amount.
const HIGHER: f64 = 1e-4;
/// Spacing of the samples around a peak, as a fraction of the step.
const APART: f64 = 0.1;
/// Fraction of all evaluations that sampling may cost, the cost of one sample, and the number of free evaluations.
const BUDGET: f64 = 0.015;
const COST: f64 = 4.0;
const FREE: f64 = 60.0;
/// Maximum number of peaks sampled in one step.
const PER_STEP: usize = 3;

/// The quantity whose peak is searched.
#[derive(Clone, Debug, PartialEq)]
enum Size {
    /// Σλ² of these rows, the square of a force or a moment.
    Of(Range<usize>),
    /// λ of a row with its sign.
    Signed(usize, f64),
}

impl Size {
    #[inline]
    fn of(&self, lambda: &[f64]) -> f64 {
        match self {
            Size::Of(rows) => lambda[rows.clone()].iter().map(|l| l * l).sum::<f64>(),
            Size::Signed(row, sign) => sign * lambda[*row],
        }
    }
}

/// The samples around a peak.
#[derive(Clone, Debug, PartialEq)]
struct Hunt {
    quantity: usize,
    /// Times and values of the samples.
    seen: Vec<(f64, f64)>,
    /// Times still to be sampled.
    ahead: Vec<f64>,
    step: Range<f64>,
}

/// The peaks found so far: the part that a checkpoint keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Highest {
    sizes: Vec<Option<f64>>,
    evaluations: u64,
    looks: u64,
    missed: bool,
}

/// Monitors the multipliers during a run.
#[derive(Clone, Debug)]
pub(crate) struct Peaks {
    quantities: Vec<Size>,
    pub highest: Highest,
    /// The largest value among the stages of this step, and its time.
    stages: Vec<(f64, f64)>,
    /// Values at the latest stage, and at the end of the last accepted step.
    latest: Vec<f64>,
    end: Vec<f64>,
    t_latest: f64,
    hunt: Option<Hunt>,
    /// Quantities already sampled in this step.
    done: Vec<usize>,
}

impl Peaks {
    /// For all constraints of a model.
    pub fn of(model: &Model) -> Peaks {
        let mut quantities = Vec::new();
        for c in &model.constraints {
            let mut start = c.rows.start;
            for rows in model.rows[c.rows.clone()].chunk_by(|a, b| a.unit == b.unit) {
                quantities.push(Size::Of(start..start + rows.len()));
                start += rows.len();
            }
            let driven = crate::results::Work::drives(c);
            let rows = c.rows.clone().filter(|_| driven);
            quantities.extend(rows.flat_map(|r| [Size::Signed(r, 1.0), Size::Signed(r, -1.0)]));
        }
        let n = quantities.len();
        let highest = Highest { sizes: vec![None; n], ..Highest::default() };
        let none = f64::NEG_INFINITY;
        Peaks {
            quantities,
            highest,
            stages: vec![(none, 0.0); n],
            latest: vec![none; n],
            end: vec![none; n],
            t_latest: none,
            hunt: None,
            done: Vec::new(),
        }
    }

    /// Whether some peaks were skipped because sampling them would have cost too much.
    pub fn missed(&self) -> bool {
        self.highest.missed
    }

    /// Begins an attempted step at `t`: its first stage is the end of the last step.
    pub fn begin(&mut self, t: f64) {
        self.done.clear();
        (self.hunt, self.t_latest) = (None, t);
        for (stage, end) in self.stages.iter_mut().zip(&self.end) {
            *stage = (*end, t);
        }
    }

    /// Records a stage.
    #[inline]
    pub fn stage(&mut self, t: f64, lambda: &[f64]) {
        self.highest.evaluations += 1;
        // Stages of dense output are evaluated later and lie before the end.
        let latest = t >= self.t_latest;
        for ((size, stage), end) in self.quantities.iter().zip(&mut self.stages).zip(&mut self.latest) {
            let found = size.of(lambda);
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
    pub fn see(&mut self, t: f64, lambda: &[f64]) {
        for (size, highest) in self.quantities.iter().zip(&mut self.highest.sizes) {
            let found = size.of(lambda);
            if found.is_finite() && highest.is_none_or(|h| found > h) {
                *highest = Some(found);
            }
        }
        if let Some(hunt) = &mut self.hunt {
            hunt.seen.push((t, self.quantities[hunt.quantity].of(lambda)));
        }
    }

    /// The next sample time in the step just completed.
    pub fn next(&mut self, t_old: f64, t: f64) -> Option<f64> {
        if let Some(at) = self.hunt.as_mut().and_then(Hunt::next) {
            self.highest.looks += 1;
            return Some(at);
        }
        self.hunt = None;
        self.end.copy_from_slice(&self.latest);
        let quantity = self.highest_of_step(t_old, t)?;
        if COST * (self.highest.looks + 4) as f64 > BUDGET * self.highest.evaluations as f64 + FREE {
            self.highest.missed = true;
            return None;
        }
        self.done.push(quantity);
        let about = self.stages[quantity].1;
        let d = APART * (t - t_old);
        let about = about.clamp(t_old + d, t - d);
        self.hunt = Some(Hunt { quantity, seen: Vec::new(), ahead: vec![about + d, about - d, about], step: t_old..t });
        self.next(t_old, t)
    }

    /// The quantity whose peak in this step exceeds all earlier ones by the largest ratio.
    fn highest_of_step(&self, t_old: f64, t: f64) -> Option<usize> {
        if self.done.len() >= PER_STEP {
            return None;
        }
        let excess = |i: usize| {
            let ((found, at), before) = (self.stages[i], self.highest.sizes[i].unwrap_or(0.0));
            // A quantity that still grows at the end of the step has its peak later.
            let grows = at >= t - 1e-9 * (t - t_old);
            let higher = found.is_finite() && found > before + HIGHER * before.abs().max(f64::MIN_POSITIVE);
            (higher && !grows && !self.done.contains(&i)).then(|| (found - before) / before.abs().max(1e-300))
        };
        let all = (0..self.quantities.len()).filter_map(|i| Some((i, excess(i)?)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    }
}

impl Hunt {
    fn next(&mut self) -> Option<f64> {
        if let Some(at) = self.ahead.pop() {
            return Some(at);
        }
        // The last sample is at the vertex of the parabola through the first three.
        let at = match self.seen[..] {
            [a, b, c] => vertex(a, b, c),
            _ => None,
        };
        at.filter(|at| self.step.contains(at))
    }
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
        let mut peaks = Peaks {
            quantities: vec![Size::Signed(0, 1.0)],
            highest: Highest { sizes: vec![None], ..Highest::default() },
            stages: vec![(f64::NEG_INFINITY, 0.0)],
            latest: vec![f64::NEG_INFINITY],
            end: vec![f64::NEG_INFINITY],
            t_latest: 0.0,
            hunt: None,
            done: Vec::new(),
        };
        for k in 0..steps {
            let t = h * k as f64;
            peaks.begin(t);
            for c in [0.05, 0.12, 0.28, 0.33, 0.6, 0.65, 0.86, 1.0] {
                peaks.stage(t + c * h, &[lambda(t + c * h)]);
            }
            while let Some(at) = peaks.next(t, t + h) {
                peaks.see(at, &[lambda(at)]);
            }
        }
        (peaks.highest.sizes[0].unwrap_or(f64::NAN), peaks.highest.looks)
    }

    #[test]
    fn the_peak_of_an_oscillation_is_met_between_the_rows() {
        // 3 Hz, in steps of a quarter of a period, without any output row.
        let (found, looks) = follow(|t| 5.0 + (6.0 * std::f64::consts::PI * t + 0.4).sin(), 0.083, 200);
        assert!((found - 6.0).abs() < 1e-5, "{found}");
        assert!(looks < 60, "{looks}");
    }

    #[test]
    fn what_only_grows_is_not_looked_at() {
        let (_, looks) = follow(|t| t, 0.1, 50);
        assert_eq!(looks, 0);
    }
}
