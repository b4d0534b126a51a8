//! The interface between elements and markers: references by name, and the motions of the element's own markers.

use super::motion::Motion;
use std::ops::Index;

/// The kind of marker that an element needs.
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
    /// The kind it must have.
    pub needs: Needs,
}

impl<'a> Reference<'a> {
    /// Reference to a frame.
    pub fn frame(name: &'a str) -> Reference<'a> {
        Reference { name, needs: Needs::Frame }
    }
    /// Reference to a coordinate.
    pub fn coordinate(name: &'a str) -> Reference<'a> {
        Reference { name, needs: Needs::Coordinate }
    }
}

/// Input of an element: time, the motions of its own markers in the order of its references, and its own extra states.
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
    /// Input from all `motions` in their order; `ids` is 0, 1, 2, …
    pub fn new(t: f64, motions: &'a [Motion], ids: &'a [usize], z: &'a [f64]) -> View<'a> {
        View { t, motions, ids, z }
    }

    /// Number of markers.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no markers.
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
