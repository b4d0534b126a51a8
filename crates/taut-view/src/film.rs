//! Poses of all figures over time.

use crate::scene::{Point, QuaternionWxyz};

/// Poses of one figure, one per instant of the film.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Positions of the figure's origin in world axes.
    pub p: Vec<Point>,
    /// Orientations; consecutive quaternions have the same sign (no jump from q to −q).
    pub q: Vec<QuaternionWxyz>,
}

/// Poses of every figure over time: `tracks[i]` belongs to `scene.figures[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Film {
    /// Instants, s.
    pub t: Vec<f64>,
    /// One track per figure; the ground stays at the origin.
    pub tracks: Vec<Track>,
}

impl Film {
    /// Pose of a figure at an instant.
    pub fn pose(&self, figure: usize, row: usize) -> (Point, QuaternionWxyz) {
        (self.tracks[figure].p[row], self.tracks[figure].q[row])
    }
}
