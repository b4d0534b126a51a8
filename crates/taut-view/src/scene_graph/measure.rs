//! Spots of the markers of an element.

use super::RunScene;
use crate::scene::Spot;
use taut::Measure;

impl RunScene {
    /// Spots of those markers that have a pose.
    pub(super) fn spots(&self, markers: &[usize]) -> Vec<Spot> {
        markers.iter().filter_map(|m| self.graph.spot(&self.model, *m)).collect()
    }

    /// Spots of all these markers, or `None` if one has no pose.
    pub(super) fn all_spots(&self, markers: &[usize]) -> Option<Vec<Spot>> {
        let spots = self.spots(markers);
        (spots.len() == markers.len()).then_some(spots)
    }
}

/// Whether a measure can be drawn as a line between points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeasureLine {
    /// A line from one point to another.
    Straight,
    /// A rotation about an axis or a coordinate: no line.
    Turning,
}

impl MeasureLine {
    pub fn of(measure: &Measure) -> MeasureLine {
        match measure {
            Measure::Distance { .. } | Measure::Slide { .. } => MeasureLine::Straight,
            Measure::Angle { .. } | Measure::Elevation { .. } | Measure::Coordinate(_) => MeasureLine::Turning,
        }
    }
}
