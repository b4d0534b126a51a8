//! An expression of what is measured: `t`, coordinates and velocities of bodies and markers under the names of the
//! solution's columns, and the declared measures as `name` and `name.rate`. Angles are counted through turns.

use crate::constraints::{Reading, Reference};

/// What a name shows of a declared measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Value,
    Rate,
}

/// An expression with its names looked up.
#[derive(Clone, Debug)]
pub(crate) struct Sensed {
    pub reading: Reading,
    /// Declared measures that it reads, behind `t`.
    pub measures: Vec<(usize, Part)>,
    /// The markers of the model that the reading names; empty before they are resolved.
    pub markers: Vec<usize>,
    /// What it looks at.
    pub sight: Sight,
}

impl Sensed {
    /// The markers it reads, by their names.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.reading.markers().iter().map(|(name, needs)| Reference { name, needs: *needs })
    }
}

/// What the function of an event looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Where things are and how they move: all markers are placed for it.
    Motions,
    /// The time alone.
    Time,
    /// The time alone, of which it is a straight line.
    Straight,
}
