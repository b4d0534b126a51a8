//! The instants of one period at which a column is recorded, and the weights of integrals over the period.
//!
//! Equal intervals integrate smooth periodic columns best: the error of the trapezoidal rule falls faster than any power. A column that
//! jumps or has a corner inside the period spoils that. Where the equations change their form, the period is divided into panels between
//! these instants, each with Gauss points.

use super::periodic::panels::{Panels, panel_ends};
use super::{PeriodicError, PeriodicMotion};

/// Gauss points on the interval 0 … 1, and their weights.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];
/// Distance from the ends of the period, relative to it, within which a change of the equations counts as one at the ends.
const AT_THE_ENDS: f64 = 1e-9;

/// Whether the equations change their form at the instant at which the period begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeriodEnds {
    /// They do not.
    Smooth,
    /// They do.
    Abrupt,
}

/// Instants and weights. The rows of all segments follow each other; the last instant of a segment is the first of the next.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    /// Times of every segment, from its start to its end.
    pub times: Vec<Vec<f64>>,
    /// Every row: time since the start of the motion by the period.
    pub fractions: Vec<f64>,
    /// Every row: its weight in a mean over the period.
    pub weights: Vec<f64>,
    /// The instant between the last row and the first.
    pub ends: PeriodEnds,
}

impl Samples {
    /// About so many equal intervals.
    pub fn equal(motion: &PeriodicMotion, samples: usize) -> Samples {
        let count = motion.starts.len();
        let per = samples.div_ceil(count);
        let parts: Vec<(f64, f64)> = (0..=per).map(|k| (k as f64 / per as f64, 1.0 / per as f64)).collect();
        let mut found = Samples::of(motion, &vec![parts; count]);
        // The last row repeats the first.
        if let Some(last) = found.weights.last_mut() {
            *last = 0.0;
        }
        found
    }

    /// For integrals over the period: as many as `samples` equal intervals, or panels where the equations change their form.
    pub fn for_integrals(motion: &PeriodicMotion, samples: usize) -> Result<Samples, PeriodicError> {
        let count = motion.starts.len();
        let duration = motion.period / count as f64;
        let margin = AT_THE_ENDS * motion.period;
        let (mut changes, mut ends) = (false, PeriodEnds::Smooth);
        let mut all = Vec::with_capacity(count);
        for (i, start) in motion.starts.iter().enumerate() {
            let (from, to) = (start.t, start.t + duration);
            let switches = motion.flow.switch_times(start, duration)?;
            let near = |at: f64| {
                let known = motion.model.next_break(at - margin, at + margin).is_some();
                known || switches.iter().any(|t| (t - at).abs() <= margin)
            };
            let (at_start, at_end) = (near(from), near(to));
            if (i == 0 && at_start) || (i + 1 == count && at_end) {
                ends = PeriodEnds::Abrupt;
            }
            let panels = Panels::new(samples.div_ceil(count * GAUSS.len()));
            let parts = panel_ends(motion.model, [from, to], &switches, panels)?;
            changes |= at_start || at_end || parts.len() > 1;
            let mut rows = vec![(0.0, 0.0)];
            for panel in parts.iter().flat_map(|part| part.windows(2)) {
                let (place, width) = ((panel[0] - from) / duration, (panel[1] - panel[0]) / duration);
                rows.extend(GAUSS.map(|(x, weight)| (place + x * width, weight * width)));
            }
            rows.push((1.0, 0.0));
            all.push(rows);
        }
        Ok(if changes { Samples { ends, ..Samples::of(motion, &all) } } else { Samples::equal(motion, samples) })
    }

    /// From places and weights within each segment, as parts of it.
    fn of(motion: &PeriodicMotion, segments: &[Vec<(f64, f64)>]) -> Samples {
        let count = segments.len();
        let duration = motion.period / count as f64;
        let mut found =
            Samples { times: Vec::new(), fractions: Vec::new(), weights: Vec::new(), ends: PeriodEnds::Smooth };
        for (i, (start, rows)) in motion.starts.iter().zip(segments).enumerate() {
            found.times.push(rows.iter().map(|(place, _)| start.t + duration * place).collect());
            let kept = if i + 1 < count { rows.len() - 1 } else { rows.len() };
            for (place, weight) in &rows[..kept] {
                found.fractions.push((i as f64 + place) / count as f64);
                found.weights.push(weight / count as f64);
            }
        }
        found
    }
}
