//! The pose of a frame in another one.

use taut::motion::{self, Mat3, Vec3};

/// The pose of a frame B in a frame A: R_AB and p_AB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// R_AB.
    pub R: Mat3,
    /// p_AB.
    pub p: Vec3,
}

impl Pose {
    /// B coincides with A.
    pub const IDENTITY: Pose =
        Pose { R: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), p: Vec3::new(0.0, 0.0, 0.0) };

    /// Axes along those of A, origin at `p`.
    pub fn at(p: Vec3) -> Pose {
        Pose { p, ..Pose::IDENTITY }
    }

    /// The pose in A of a frame C whose pose in B is given.
    pub fn compose(&self, next: &Pose) -> Pose {
        Pose { R: self.R * next.R, p: self.point(&next.p) }
    }

    /// The pose of A in B.
    pub fn inverse(&self) -> Pose {
        Pose { R: self.R.transpose(), p: -self.R.tr_mul(&self.p) }
    }

    /// A point given in B, seen from A.
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.p + self.R * p
    }
}

/// Rotation by `angle` about a unit axis.
pub fn rotation_of_axis_angle(axis: &Vec3, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    let cross = Mat3::new(0.0, -axis.z, axis.y, axis.z, 0.0, -axis.x, -axis.y, axis.x, 0.0);
    Mat3::identity() * c + cross * s + axis * axis.transpose() * (1.0 - c)
}

/// Rotation of a quaternion w, x, y, z of any non-zero length.
pub fn rotation_of_quaternion(q: [f64; 4]) -> Option<Mat3> {
    // Scaled first: squares of very large or small numbers are neither.
    let size = q.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
    if !(size > 1e-150 && size.is_finite()) {
        return None;
    }
    let q = q.map(|c| c / size);
    let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    Some(motion::rotation_of_quaternion(&q.map(|c| c / n)))
}

/// The unit vector along `v`, if it has a direction.
pub fn direction(v: [f64; 3]) -> Option<Vec3> {
    let size = v.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
    if !(size > 1e-150 && size.is_finite()) {
        return None;
    }
    Some((Vec3::from(v) / size).normalize())
}

/// A unit vector perpendicular to a unit vector `z`: along x unless z runs there.
pub fn perpendicular(z: &Vec3) -> Vec3 {
    let x = if z.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    (x - z * z.dot(&x)).normalize()
}

/// The axes with `z` as third and `x`, made perpendicular to it, as first.
pub fn axes(z: &Vec3, x: &Vec3) -> Mat3 {
    let x = (x - z * z.dot(x)).normalize();
    Mat3::from_columns(&[x, z.cross(&x), *z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_agree_and_poses_invert() {
        let axis = Vec3::new(1.0, -2.0, 0.5).normalize();
        let (s, c) = 0.35_f64.sin_cos();
        let q = [c, axis.x * s, axis.y * s, axis.z * s].map(|x| 3.0 * x);
        assert!((rotation_of_axis_angle(&axis, 0.7) - rotation_of_quaternion(q).unwrap()).norm() < 1e-15);
        let pose = Pose { R: rotation_of_axis_angle(&axis, 0.7), p: Vec3::new(1.0, 2.0, 3.0) };
        let back = pose.compose(&pose.inverse());
        assert!((back.R - Mat3::identity()).norm() < 1e-15 && back.p.norm() < 1e-15);
        assert!(rotation_of_quaternion([0.0; 4]).is_none() && direction([0.0, f64::NAN, 0.0]).is_none());
    }
}
