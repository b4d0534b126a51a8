//! Markers that are one coordinate of a body: the coordinate is the x of the pose, its rate the x of the twist, and a force along x
//! is the generalised force.

use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Wrench};

/// The coordinate as a pose.
#[inline(always)]
pub(super) fn coordinate_pose(marker: &MarkerPlacement, q: &[f64], seen: &mut Motion) {
    if let MarkerPlacement::Coordinate(i) = marker {
        seen.p.x = q[*i];
    }
}

/// Its rate as a twist.
#[inline(always)]
pub(super) fn coordinate_twist(marker: &MarkerPlacement, v: &[f64], seen: &mut Motion) {
    if let MarkerPlacement::Coordinate(i) = marker {
        seen.v.x = v[*i];
    }
}

/// Adds the generalised force of a wrench.
#[inline(always)]
pub(super) fn add_coordinate_force(marker: &MarkerPlacement, on: &Wrench, f: &mut [f64]) {
    if let MarkerPlacement::Coordinate(i) = marker {
        f[*i] += on.f.x;
    }
}
