//! Finds the times at which the equations of a model are not smooth, and the functions whose zeros mark such times.
//!
//! There are three kinds. A *break* depends on time alone: a corner of a table, or a zero of `sin(50*t)` in
//! `abs(sin(50*t))`. Elements list their breaks over an interval; [`BreakSearch`] queries all of them, window by
//! window. A *guard* depends on the state: the corner of a spring's table is reached at a position, not at a time.
//! Elements provide such functions ([`NonSmooth::guard`](crate::forces::NonSmooth::guard)), and a run locates their
//! zeros. A *rapid change* is smooth, but so short that a step could miss it: a pulse after a period of rest.
//! [`RapidChangeSearch`] finds those that depend on time alone.

mod rapid_changes;

pub(crate) use rapid_changes::RapidChangeSearch;

use super::Model;
use crate::breaks::BreakList;
use crate::kinematics::ElementInput;
use crate::motion::Motion;
use crate::signals::PassedEnd;
use taut_ode::Break;

/// The first window of a search is the run divided by this number.
const INITIAL_WINDOWS_PER_RUN: f64 = 1024.0;
/// How often a window is narrowed before its search counts as incomplete.
const MAX_WINDOW_REDUCTIONS: usize = 3;
/// A window with fewer breaks than this makes the next one wider.
const SPARSE_WINDOW_BREAKS: usize = 64;

/// The breaks of a model during one run.
///
/// Elements are queried over windows that grow where breaks are rare, so the search is cheap both for runs without
/// breaks and for runs with millions of them.
#[derive(Clone, Debug)]
pub struct BreakSearch {
    end: f64,
    width: f64,
    /// The window searched last, and its breaks.
    from: f64,
    to: f64,
    breaks: Vec<Break>,
    incomplete: Vec<String>,
}

impl BreakSearch {
    /// A search for a run from `start` to `end`.
    pub fn new(start: f64, end: f64) -> BreakSearch {
        let width = (end - start) / INITIAL_WINDOWS_PER_RUN;
        let width = if width.is_finite() && width > 0.0 { width } else { 1.0 };
        BreakSearch { end, width, from: start, to: start, breaks: Vec::new(), incomplete: Vec::new() }
    }

    /// The first break before the end that has not passed at `t` (its [`before`](Break::before) is `t` or later).
    pub fn next(&mut self, model: &Model, t: f64) -> Option<Break> {
        if t < self.from {
            // An event moved the run back in time.
            (self.from, self.to) = (t, t);
            self.breaks.clear();
        }
        loop {
            let k = self.breaks.partition_point(|b| b.before < t);
            if let Some(found) = self.breaks.get(k) {
                return Some(*found);
            }
            if self.to >= self.end || t.is_nan() {
                return None;
            }
            // No break lies between t and the end of the window: search the next window.
            self.from = self.to.max(t);
            self.breaks = self.search_window(model);
            self.width *= if self.breaks.len() < SPARSE_WINDOW_BREAKS { 4.0 } else { 0.5 };
        }
    }

    /// The names of elements that may have more breaks than were found.
    pub fn incomplete(&self) -> &[String] {
        &self.incomplete
    }

    /// The breaks of the window that begins at `from`. The window is narrowed if it holds too many breaks for one
    /// search.
    fn search_window(&mut self, model: &Model) -> Vec<Break> {
        for attempt in 0.. {
            self.to = (self.from + self.width).min(self.end);
            if self.to <= self.from {
                self.to = self.from.next_up();
            }
            let mut all = BreakList::default();
            let mut hard = Vec::new();
            for (name, ask) in model.break_sources() {
                all.clear_incomplete();
                ask(self.from, self.to, &mut all);
                if all.is_incomplete() && !self.incomplete.iter().any(|known| known == name) {
                    hard.push(name.to_string());
                }
            }
            if hard.is_empty() || attempt == MAX_WINDOW_REDUCTIONS {
                self.incomplete.extend(hard);
                return all.into_sorted();
            }
            self.width /= 16.0;
        }
        Vec::new()
    }
}

/// An element of a model with guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardedElement {
    /// The force with this index.
    Force(usize),
    /// The constraint with this index.
    Constraint(usize),
}

/// Query for the breaks of one element.
type BreakQuery<'a> = Box<dyn Fn(f64, f64, &mut BreakList) + 'a>;

impl Model {
    /// The first break at `t` or later and before `end`. A run uses a [`BreakSearch`] instead, which keeps its results.
    pub fn next_break(&self, t: f64, end: f64) -> Option<Break> {
        BreakSearch::new(t, end).next(self, t)
    }

    /// All elements that have guards, each with their number.
    pub fn guarded_elements(&self) -> Vec<(GuardedElement, usize)> {
        let forces =
            self.forces.iter().enumerate().map(|(i, f)| (GuardedElement::Force(i), f.kind.force().guard_count()));
        let constraints = self
            .constraints
            .iter()
            .enumerate()
            .map(|(i, c)| (GuardedElement::Constraint(i), c.kind.constraint().guard_count()));
        forces.chain(constraints).filter(|(_, count)| *count > 0).collect()
    }

    /// All elements with tables of finite range.
    pub fn elements_with_finite_tables(&self) -> Vec<GuardedElement> {
        let forces = self.forces.iter().enumerate().filter(|(_, f)| f.kind.force().has_bounded_tables());
        let constraints = self.constraints.iter().enumerate().filter(|(_, c)| c.kind.constraint().has_bounded_tables());
        forces
            .map(|(i, _)| GuardedElement::Force(i))
            .chain(constraints.map(|(i, _)| GuardedElement::Constraint(i)))
            .collect()
    }

    /// The table whose range a motion has left, if any, with the name of its element.
    pub(crate) fn exceeded_table(
        &self,
        element: GuardedElement,
        t: f64,
        motions: &[Motion],
        z: &[f64],
    ) -> Option<(&str, PassedEnd)> {
        match element {
            GuardedElement::Force(i) => {
                let f = &self.forces[i];
                let view = ElementInput { t, motions, markers: &f.markers, z: &z[f.z.clone()] };
                f.kind.force().exceeded_table(&view).map(|beyond| (f.name.as_str(), beyond))
            }
            GuardedElement::Constraint(i) => {
                let c = &self.constraints[i];
                let view = ElementInput { t, motions, markers: &c.markers, z: &z[c.z.clone()] };
                c.kind.constraint().exceeded_table(&view).map(|beyond| (c.name.as_str(), beyond))
            }
        }
    }

    /// All elements that may have breaks, by name. Those of events are among them: a step that ends where the function of an
    /// event changes its form cannot pass over a pulse of that function.
    fn break_sources(&self) -> impl Iterator<Item = (&str, BreakQuery<'_>)> {
        let forces = self.forces.iter().map(|f| {
            let ask: BreakQuery = Box::new(|from, to, list| f.kind.force().breaks(from, to, list));
            (f.name.as_str(), ask)
        });
        let constraints = self.constraints.iter().map(|c| {
            let ask: BreakQuery = Box::new(|from, to, list| c.kind.constraint().breaks(from, to, list));
            (c.name.as_str(), ask)
        });
        let events = self.events.iter().map(|e| {
            let ask: BreakQuery = Box::new(|from, to, list| e.when.reading.breaks(from, to, list));
            (e.name.as_str(), ask)
        });
        forces.chain(constraints).chain(events)
    }
}
