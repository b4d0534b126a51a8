//! What an element asks for, and what it sees: the motions of its own markers and nothing else.

use super::motion::Motion;
use std::ops::Index;

/// What a marker must be to serve an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A frame.
    Frame,
    /// A scalar coordinate.
    Coordinate,
}

/// A reference from an element to a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    /// Name of the marker.
    pub name: &'a str,
    /// What it must be.
    pub needs: Needs,
}

impl<'a> Reference<'a> {
    /// Asks for a frame.
    pub fn frame(name: &'a str) -> Reference<'a> {
        Reference { name, needs: Needs::Frame }
    }
    /// Asks for a coordinate.
    pub fn coordinate(name: &'a str) -> Reference<'a> {
        Reference { name, needs: Needs::Coordinate }
    }
}

/// What an element sees: time, the motions of its own markers in the order it named them, its own states.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Time.
    pub t: f64,
    pub(crate) motions: &'a [Motion],
    pub(crate) ids: &'a [usize],
    /// Extra states of this element.
    pub z: &'a [f64],
}

impl<'a> View<'a> {
    /// A view of `motions` in their own order; `ids` is 0, 1, 2, …
    pub fn new(t: f64, motions: &'a [Motion], ids: &'a [usize], z: &'a [f64]) -> View<'a> {
        View { t, motions, ids, z }
    }

    /// How many markers there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Only the markers from `first` on, and the states from `z` on.
    pub fn tail(&self, first: usize, z: usize) -> View<'a> {
        View { t: self.t, motions: self.motions, ids: &self.ids[first..], z: &self.z[z.min(self.z.len())..] }
    }
}

impl Index<usize> for View<'_> {
    type Output = Motion;
    #[inline(always)]
    fn index(&self, i: usize) -> &Motion {
        &self.motions[self.ids[i]]
    }
}
