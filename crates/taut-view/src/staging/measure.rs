//! Spots of the markers of an element.

use super::Stage;
use crate::scene::Spot;
use taut::Measure;

impl Stage {
    /// Spots of those markers that have a pose.
    pub(super) fn spots(&self, markers: &[usize]) -> Vec<Spot> {
        markers.iter().filter_map(|m| self.cast.spot(&self.model, *m)).collect()
    }

    /// Spots of all these markers, or `None` if one has no pose.
    pub(super) fn all_spots(&self, markers: &[usize]) -> Option<Vec<Spot>> {
        let spots = self.spots(markers);
        (spots.len() == markers.len()).then_some(spots)
    }
}

/// Whether a measure can be drawn as a line between points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// A line from one point to another.
    Straight,
    /// A rotation about an axis or a coordinate: no line.
    Turning,
}

impl Course {
    pub fn of(measure: &Measure) -> Course {
        match measure {
            Measure::Distance { .. } | Measure::Slide { .. } => Course::Straight,
            Measure::Angle { .. } | Measure::Elevation { .. } | Measure::Coordinate(_) => Course::Turning,
        }
    }
}
