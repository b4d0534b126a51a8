//! The places on figures that an element speaks of.

use super::Stage;
use crate::scene::Spot;
use taut::Measure;

impl Stage {
    /// Spots of these markers, as far as they have a place.
    pub(super) fn spots(&self, markers: &[usize]) -> Vec<Spot> {
        markers.iter().filter_map(|m| self.cast.spot(&self.model, *m)).collect()
    }

    /// Spots of all these markers, or none.
    pub(super) fn all_spots(&self, markers: &[usize]) -> Option<Vec<Spot>> {
        let spots = self.spots(markers);
        (spots.len() == markers.len()).then_some(spots)
    }
}

/// What kind of line a measure runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// From one point to another.
    Straight,
    /// About an axis, or along a coordinate: there is nothing to draw between points.
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
