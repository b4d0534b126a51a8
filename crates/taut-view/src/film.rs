//! Where every figure was when.

use crate::scene::{Point, Turn};

/// Poses of one figure, one for each instant of its film.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Positions of the figure's origin in the world.
    pub p: Vec<Point>,
    /// Its axes; neighbours have the same sign (no jump from q to −q).
    pub q: Vec<Turn>,
}

/// Poses of every figure over time: `tracks[i]` belongs to `scene.figures[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Film {
    /// Instants, s.
    pub t: Vec<f64>,
    /// One track a figure; that of the ground rests at the origin.
    pub tracks: Vec<Track>,
}

impl Film {
    /// Pose of a figure at an instant.
    pub fn pose(&self, figure: usize, row: usize) -> (Point, Turn) {
        (self.tracks[figure].p[row], self.tracks[figure].q[row])
    }
}
