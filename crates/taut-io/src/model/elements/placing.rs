//! Transforms the elements of a part by the placement of the part.

use super::super::expand::{Part, Placed};
use super::super::resolve::multiplied;
use taut::{Frame, PlanarBody, PointMass, RigidBody};

/// Transforms a frame of the world with its part.
pub(crate) fn place_frame(frame: &mut Frame, part: &Part) {
    if part.placed == Placed::AsWritten {
        return;
    }
    let at = rotated(part.turned, frame.at);
    frame.at = [0, 1, 2].map(|i| part.position[i] + at[i]);
    frame.orientation = turned(&frame.orientation, part);
}

/// An orientation in world axes.
fn turned(orientation: &taut::Orientation, part: &Part) -> taut::Orientation {
    match orientation.matrix() {
        Ok(R) => {
            let q = multiplied(part.turned, taut::motion::quaternion_of_rotation(&R));
            let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
            taut::Orientation::Quaternion(q.map(|c| c / n))
        }
        Err(_) => orientation.clone(),
    }
}

pub(crate) fn placed_rigid(mut b: RigidBody, part: &Part) -> RigidBody {
    if part.placed != Placed::AsWritten {
        let p = rotated(part.turned, b.position);
        b.position = [0, 1, 2].map(|i| part.position[i] + p[i]);
        b.orientation = turned(&b.orientation, part);
        b.velocity = rotated(part.turned, b.velocity);
        b.angular_velocity = rotated(part.turned, b.angular_velocity);
    }
    b
}

pub(crate) fn placed_point(mut b: PointMass, part: &Part) -> PointMass {
    if part.placed != Placed::AsWritten {
        let p = rotated(part.turned, b.position);
        b.position = [0, 1, 2].map(|i| part.position[i] + p[i]);
        b.velocity = rotated(part.turned, b.velocity);
    }
    b
}

pub(super) fn placed_planar(mut b: PlanarBody, part: &Part) -> Option<PlanarBody> {
    if part.placed != Placed::AsWritten {
        let [w, x, y, z] = part.turned;
        if x.abs().max(y.abs()) > 1e-12 || part.position[2] != 0.0 {
            return None;
        }
        let p = rotated(part.turned, [b.position[0], b.position[1], 0.0]);
        b.position = [part.position[0] + p[0], part.position[1] + p[1]];
        b.angle += 2.0 * z.atan2(w);
        let v = rotated(part.turned, [b.velocity[0], b.velocity[1], 0.0]);
        b.velocity = [v[0], v[1]];
    }
    Some(b)
}

/// The vector `v` rotated by the unit quaternion `q`.
pub(crate) fn rotated(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let p = multiplied(multiplied(q, [0.0, v[0], v[1], v[2]]), [q[0], -q[1], -q[2], -q[3]]);
    [p[1], p[2], p[3]]
}
