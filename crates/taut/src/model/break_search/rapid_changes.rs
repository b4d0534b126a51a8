//! The rapid changes of a model during a run, and the step sizes they permit.

use crate::breaks::{BreakList, RapidChange};
use crate::model::Model;

/// Number of intervals into which a run is divided for the search. No step is longer than one interval.
const SEARCH_INTERVALS: u32 = 16;
/// Minimum number of steps within a rapid change.
const MIN_STEPS_PER_CHANGE: f64 = 8.0;

/// Finds the rapid changes of a model ahead of a run.
#[derive(Clone, Debug)]
pub(crate) struct RapidChangeSearch {
    start: f64,
    end: f64,
    /// Number of intervals searched so far.
    intervals_searched: u32,
    /// Changes that have not ended yet.
    changes: Vec<RapidChange>,
    /// Whether rapid changes are possible.
    changes_possible: bool,
}

impl RapidChangeSearch {
    /// A search for a run from `start` to `end`.
    pub fn new(start: f64, end: f64) -> RapidChangeSearch {
        let expected = end > start && (end - start).is_finite();
        RapidChangeSearch { start, end, intervals_searched: 0, changes: Vec::new(), changes_possible: expected }
    }

    /// All rapid changes of a run.
    pub fn all(model: &Model, start: f64, end: f64) -> Vec<RapidChange> {
        let mut search = RapidChangeSearch::new(start, end);
        for part in 0..SEARCH_INTERVALS {
            if !search.changes_possible {
                break;
            }
            let (from, to) = (search.interval_start(part), search.interval_start(part + 1));
            search.changes_possible = search.search_interval(model, from, to);
        }
        search.changes
    }

    /// The longest step from `t` that cannot miss a rapid change, if there is a limit.
    pub fn max_step(&mut self, model: &Model, t: f64) -> Option<f64> {
        let part = (self.end - self.start) / f64::from(SEARCH_INTERVALS);
        while self.changes_possible
            && self.intervals_searched < SEARCH_INTERVALS
            && self.interval_start(self.intervals_searched) < t + part
        {
            let (from, to) =
                (self.interval_start(self.intervals_searched), self.interval_start(self.intervals_searched + 1));
            self.intervals_searched += 1;
            if to > t {
                self.changes_possible = self.search_interval(model, from, to);
            }
        }
        if !self.changes_possible {
            return None;
        }
        self.changes.retain(|c| c.to > t);
        let ahead = |c: &RapidChange| (c.from - t).max((c.to - c.from) / MIN_STEPS_PER_CHANGE);
        self.changes.iter().map(ahead).chain([part]).reduce(f64::min)
    }

    /// Start of an interval.
    fn interval_start(&self, part: u32) -> f64 {
        if part == SEARCH_INTERVALS {
            self.end
        } else {
            self.start + (self.end - self.start) * f64::from(part) / f64::from(SEARCH_INTERVALS)
        }
    }

    /// Finds the rapid changes of an interval; returns whether any are possible, now or later.
    fn search_interval(&mut self, model: &Model, from: f64, to: f64) -> bool {
        let mut list = BreakList::for_rapid_changes(self.start, self.end);
        model.break_sources().for_each(|(_, ask)| ask(from, to, &mut list));
        self.changes.extend(list.take_rapid());
        list.rapid_changes_possible()
    }
}
