//! The interface between elements and markers: references by name, and the motions of the element's own markers.

use super::motion::Motion;
use std::ops::Index;

/// The kind of marker that an element needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    /// A frame.
    Frame,
    /// A scalar coordinate.
    Coordinate,
    /// The reaction of the constraint of this name.
    Reaction,
}

/// A reference from an element to a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerReference<'a> {
    /// Name of the marker.
    pub name: &'a str,
    /// The kind it must have.
    pub kind: MarkerKind,
}

impl<'a> MarkerReference<'a> {
    /// Reference to a frame.
    pub fn frame(name: &'a str) -> MarkerReference<'a> {
        MarkerReference { name, kind: MarkerKind::Frame }
    }
    /// Reference to a coordinate.
    pub fn coordinate(name: &'a str) -> MarkerReference<'a> {
        MarkerReference { name, kind: MarkerKind::Coordinate }
    }
}

/// Input of an element: time, the motions of its own markers in the order of its references, and its own extra states.
#[derive(Clone, Copy, Debug)]
pub struct ElementInput<'a> {
    /// Time.
    pub t: f64,
    pub(crate) motions: &'a [Motion],
    pub(crate) markers: &'a [usize],
    /// Extra states of this element.
    pub z: &'a [f64],
}

impl<'a> ElementInput<'a> {
    /// Input from all `motions` in their order; `markers` is 0, 1, 2, …
    pub fn new(t: f64, motions: &'a [Motion], ids: &'a [usize], z: &'a [f64]) -> ElementInput<'a> {
        ElementInput { t, motions, markers: ids, z }
    }

    /// Number of markers.
    pub fn len(&self) -> usize {
        self.markers.len()
    }

    /// Whether there are no markers.
    pub fn is_empty(&self) -> bool {
        self.markers.is_empty()
    }

    /// Only the markers from `first` on, and the states from `z` on.
    pub fn tail(&self, first: usize, z: usize) -> ElementInput<'a> {
        ElementInput {
            t: self.t,
            motions: self.motions,
            markers: &self.markers[first..],
            z: &self.z[z.min(self.z.len())..],
        }
    }
}

impl Index<usize> for ElementInput<'_> {
    type Output = Motion;
    #[inline(always)]
    fn index(&self, i: usize) -> &Motion {
        &self.motions[self.markers[i]]
    }
}
