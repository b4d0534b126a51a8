//! Lists of breaks (times at which a function is not smooth) and of rapid changes (short intervals in which it changes).

use taut_ode::Break;
pub use taut_ode::GuardKind;

/// Breaks closer than this relative distance (64 units in the last place) are merged: `0.3` and `3*0.1` are the same time.
const SAME_TIME_TOLERANCE: f64 = 64.0 * f64::EPSILON;

/// A short interval in which a smooth function of time changes, such as a pulse after a rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RapidChange {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// Collects the breaks or the rapid changes of the elements.
#[derive(Clone, Debug, Default)]
pub struct BreakList {
    breaks: Vec<Break>,
    incomplete: bool,
    /// The time span to search for rapid changes; none if breaks are collected.
    rapid_change_span: Option<RapidChange>,
    rapid: Vec<RapidChange>,
    rapid_changes_possible: bool,
}

impl BreakList {
    /// A list that collects the rapid changes in a time span.
    pub(crate) fn for_rapid_changes(from: f64, to: f64) -> BreakList {
        BreakList { rapid_change_span: Some(RapidChange { from, to }), ..BreakList::default() }
    }

    /// The time span to search for rapid changes; none if breaks are collected.
    pub(crate) fn rapid_change_span(&self) -> Option<RapidChange> {
        self.rapid_change_span
    }

    /// Adds a rapid change.
    pub(crate) fn push_rapid(&mut self, found: RapidChange) {
        self.rapid.push(found);
    }

    /// Records that rapid changes are possible, now or later.
    pub(crate) fn mark_rapid_changes_possible(&mut self) {
        self.rapid_changes_possible = true;
    }

    /// Whether rapid changes are possible.
    pub(crate) fn rapid_changes_possible(&self) -> bool {
        self.rapid_changes_possible
    }

    /// The rapid changes found.
    pub(crate) fn take_rapid(&mut self) -> Vec<RapidChange> {
        std::mem::take(&mut self.rapid)
    }

    /// Adds a break.
    pub fn push(&mut self, found: Break) {
        self.breaks.push(found);
    }

    /// Records that the search was incomplete: some breaks may be missing.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Clears the flag of an incomplete search before the next element.
    pub(crate) fn clear_incomplete(&mut self) {
        self.incomplete = false;
    }

    /// Whether the search was incomplete.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The breaks in the order in which they were found.
    pub fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    /// The breaks in order of time, with equal times merged.
    pub fn into_sorted(self) -> Vec<Break> {
        let mut all = self.breaks;
        all.sort_by(|a, b| a.before.total_cmp(&b.before));
        let mut merged: Vec<Break> = Vec::with_capacity(all.len());
        for found in all {
            match merged.last_mut() {
                Some(last) if found.before - last.after <= SAME_TIME_TOLERANCE * last.after.abs() => {
                    last.after = last.after.max(found.after);
                }
                _ => merged.push(found),
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_differ_by_round_off_are_one_break() {
        let mut list = BreakList::default();
        for t in [0.3, 1.0, 3.0 * 0.1] {
            list.push(Break { before: t, after: t.next_up() });
        }
        let sorted = list.into_sorted();
        assert_eq!(sorted.len(), 2);
        assert_eq!(sorted[0], Break { before: 0.3, after: (3.0_f64 * 0.1).next_up() });
    }
}
