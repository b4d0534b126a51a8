//! The panels of an interval, which end wherever the equations change their form.
//!
//! Inside a panel the coefficients must be smooth: inputs that switch at known times, short pulses, and conditions on the motion that
//! change the equations (a spring with a dead zone, a compliant contact) divide the interval. The coefficients at both sides of such
//! an instant are those just before and just after it.

use super::error::PeriodicError;
use crate::model::Model;
use crate::model::break_search::{BreakSearch, RapidChangeSearch};

/// Parts of the interval that are shorter than this count as none.
const SHORTEST_PART: f64 = 1e-10;
/// Distance from a switch, relative to the interval, at which its sides are taken.
const BESIDE_SWITCH: f64 = 1e-11;
/// Most instants that divide an interval.
const MAX_DIVISIONS: usize = 2000;

/// The number of panels: so many in proportion to the parts of an interval, and each divided by two so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analyses) struct Panels {
    pub first: usize,
    pub halvings: u32,
}

impl Panels {
    /// So many in an interval without switches.
    pub fn new(first: usize) -> Panels {
        Panels { first, halvings: 0 }
    }

    /// Twice as many.
    pub fn halved(self) -> Panels {
        Panels { halvings: self.halvings + 1, ..self }
    }

    /// Their number in an interval without switches.
    pub fn count(self) -> usize {
        self.first << self.halvings
    }

    /// Their number in a part of an interval.
    fn in_part(self, fraction: f64) -> usize {
        ((self.first as f64 * fraction).ceil() as usize).clamp(1, self.first) << self.halvings
    }
}

/// The ends of all panels from `from` to `to`, part by part; `switches` are times at which the motion changes the equations.
pub(in crate::analyses) fn panel_ends(
    model: &Model,
    [from, to]: [f64; 2],
    switches: &[f64],
    panels: Panels,
) -> Result<Vec<Vec<f64>>, PeriodicError> {
    let duration = to - from;
    let mut cuts = known_cuts(model, from, to)?;
    let beside = BESIDE_SWITCH * duration;
    cuts.extend(switches.iter().map(|t| [t - beside, t + beside]));
    if cuts.len() > MAX_DIVISIONS {
        return Err(PeriodicError::TooManySwitches { count: cuts.len(), period: duration });
    }
    cuts.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let shortest = SHORTEST_PART * duration;
    let (mut parts, mut start, mut end) = (Vec::new(), from, to);
    for [before, after] in cuts {
        if before - start <= shortest {
            start = start.max(after.min(to));
        } else if to - after <= shortest {
            end = before;
            break;
        } else {
            parts.push([start, before]);
            start = after;
        }
    }
    parts.push([start, end]);
    let one = |[a, b]: [f64; 2]| {
        let count = panels.in_part((b - a) / duration);
        let end = |k: usize| if k == count { b } else { a + (b - a) * k as f64 / count as f64 };
        (0..=count).map(end).collect()
    };
    Ok(parts.into_iter().map(one).collect())
}

/// Times at which inputs are not smooth, and the ends of short pulses.
fn known_cuts(model: &Model, from: f64, to: f64) -> Result<Vec<[f64; 2]>, PeriodicError> {
    let mut search = BreakSearch::new(from, to);
    let (mut cuts, mut t) = (Vec::new(), from);
    while let Some(found) = search.next(model, t) {
        if found.before >= to || cuts.len() > MAX_DIVISIONS {
            break;
        }
        cuts.push([found.before, found.after]);
        t = found.after;
    }
    if let Some(element) = search.incomplete().first() {
        return Err(PeriodicError::UnknownSwitches { element: element.clone() });
    }
    let rapid = RapidChangeSearch::all(model, from, to);
    cuts.extend(rapid.iter().flat_map(|r| [r.from, 0.5 * (r.from + r.to), r.to]).map(|t| [t, t]));
    cuts.retain(|[before, after]| *before >= from && *after <= to);
    Ok(cuts)
}
