//! Transforms the elements of a part by the placement of the part.

use super::super::expand::{PartPlacement, PlacementKind};
use super::super::resolve::quaternion_product;
use taut::{Frame, PlanarBody, PointMass, RigidBody};

/// Transforms a frame of the world with its part.
pub(crate) fn transform_frame(frame: &mut Frame, part: &PartPlacement) {
    if part.placed == PlacementKind::AsWritten {
        return;
    }
    let at = rotate_vector(part.rotation, frame.at);
    frame.at = [0, 1, 2].map(|i| part.position[i] + at[i]);
    frame.orientation = rotate_orientation(&frame.orientation, part);
}

/// An orientation in world axes.
fn rotate_orientation(orientation: &taut::Orientation, part: &PartPlacement) -> taut::Orientation {
    match orientation.matrix() {
        Ok(R) => {
            let q = quaternion_product(part.rotation, taut::motion::quaternion_of_rotation(&R));
            let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
            taut::Orientation::Quaternion(q.map(|c| c / n))
        }
        Err(_) => orientation.clone(),
    }
}

pub(crate) fn transform_rigid(mut b: RigidBody, part: &PartPlacement) -> RigidBody {
    if part.placed != PlacementKind::AsWritten {
        let p = rotate_vector(part.rotation, b.position);
        b.position = [0, 1, 2].map(|i| part.position[i] + p[i]);
        b.orientation = rotate_orientation(&b.orientation, part);
        b.velocity = rotate_vector(part.rotation, b.velocity);
        b.angular_velocity = rotate_vector(part.rotation, b.angular_velocity);
    }
    b
}

pub(crate) fn transform_point(mut b: PointMass, part: &PartPlacement) -> PointMass {
    if part.placed != PlacementKind::AsWritten {
        let p = rotate_vector(part.rotation, b.position);
        b.position = [0, 1, 2].map(|i| part.position[i] + p[i]);
        b.velocity = rotate_vector(part.rotation, b.velocity);
    }
    b
}

pub(super) fn transform_planar(mut b: PlanarBody, part: &PartPlacement) -> Option<PlanarBody> {
    if part.placed != PlacementKind::AsWritten {
        let [w, x, y, z] = part.rotation;
        if x.abs().max(y.abs()) > 1e-12 || part.position[2] != 0.0 {
            return None;
        }
        let p = rotate_vector(part.rotation, [b.position[0], b.position[1], 0.0]);
        b.position = [part.position[0] + p[0], part.position[1] + p[1]];
        b.angle += 2.0 * z.atan2(w);
        let v = rotate_vector(part.rotation, [b.velocity[0], b.velocity[1], 0.0]);
        b.velocity = [v[0], v[1]];
    }
    Some(b)
}

/// The vector `v` rotated by the unit quaternion `q`.
pub(crate) fn rotate_vector(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let p = quaternion_product(quaternion_product(q, [0.0, v[0], v[1], v[2]]), [q[0], -q[1], -q[2], -q[3]]);
    [p[1], p[2], p[3]]
}
