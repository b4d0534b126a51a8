//! The rapid changes of a model in the course of a run, and the steps they permit.

use crate::breaks::{BreakList, RapidChange};
use crate::model::Model;

/// Parts of a run that are searched one by one. No step is longer than one of them.
const PARTS: u32 = 16;
/// Steps that a rapid change takes at least.
const STEPS: f64 = 8.0;

/// Finds the rapid changes of a model ahead of a run.
#[derive(Clone, Debug)]
pub(crate) struct RapidSearch {
    start: f64,
    end: f64,
    /// Parts of the run whose changes are known.
    known: u32,
    /// Changes that are not over.
    changes: Vec<RapidChange>,
    /// Whether there can be any.
    expected: bool,
}

impl RapidSearch {
    /// A search for a run from `start` to `end`.
    pub fn new(start: f64, end: f64) -> RapidSearch {
        let expected = end > start && (end - start).is_finite();
        RapidSearch { start, end, known: 0, changes: Vec::new(), expected }
    }

    /// The longest step from `t` that passes over no rapid change, if any limits it.
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

    /// Where a part of the run begins.
    fn edge(&self, part: u32) -> f64 {
        if part == PARTS { self.end } else { self.start + (self.end - self.start) * f64::from(part) / f64::from(PARTS) }
    }

    /// Finds the rapid changes of an interval; whether there can be any, now or later.
    fn search(&mut self, model: &Model, from: f64, to: f64) -> bool {
        let mut list = BreakList::of_rapid_changes(self.start, self.end);
        model.sources_of_breaks().for_each(|(_, ask)| ask(from, to, &mut list));
        self.changes.extend(list.take_rapid());
        list.expects_rapid()
    }
}
