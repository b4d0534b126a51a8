//! The rapid changes of a model during a run, and the step sizes they permit.

use crate::breaks::{BreakList, RapidChange};
use crate::model::Model;

/// Number of intervals into which a run is divided for the search. No step is longer than one interval.
const PARTS: u32 = 16;
/// Minimum number of steps within a rapid change.
const STEPS: f64 = 8.0;

/// Finds the rapid changes of a model ahead of a run.
#[derive(Clone, Debug)]
pub(crate) struct RapidSearch {
    start: f64,
    end: f64,
    /// Number of intervals searched so far.
    known: u32,
    /// Changes that have not ended yet.
    changes: Vec<RapidChange>,
    /// Whether rapid changes are possible.
    expected: bool,
}

impl RapidSearch {
    /// A search for a run from `start` to `end`.
    pub fn new(start: f64, end: f64) -> RapidSearch {
        let expected = end > start && (end - start).is_finite();
        RapidSearch { start, end, known: 0, changes: Vec::new(), expected }
    }

    /// The longest step from `t` that cannot miss a rapid change, if there is a limit.
    pub fn longest(&mut self, model: &Model, t: f64) -> Option<f64> {
        let part = (self.end - self.start) / f64::from(PARTS);
        while self.expected && self.known < PARTS && self.edge(self.known) < t + part {
            let (from, to) = (self.edge(self.known), self.edge(self.known + 1));
            self.known += 1;
            if to > t {
                self.expected = self.search(model, from, to);
            }
        }
        if !self.expected {
            return None;
        }
        self.changes.retain(|c| c.to > t);
        let ahead = |c: &RapidChange| (c.from - t).max((c.to - c.from) / STEPS);
        self.changes.iter().map(ahead).chain([part]).reduce(f64::min)
    }

    /// Start of an interval.
    fn edge(&self, part: u32) -> f64 {
        if part == PARTS { self.end } else { self.start + (self.end - self.start) * f64::from(part) / f64::from(PARTS) }
    }

    /// Finds the rapid changes of an interval; returns whether any are possible, now or later.
    fn search(&mut self, model: &Model, from: f64, to: f64) -> bool {
        let mut list = BreakList::of_rapid_changes(self.start, self.end);
        model.sources_of_breaks().for_each(|(_, ask)| ask(from, to, &mut list));
        self.changes.extend(list.take_rapid());
        list.expects_rapid()
    }
}
