//! Motion of a marker, wrench on a marker, and orientations.
//!
//! Monogram notation: `R_WM` transforms components in the axes of M into components in W; `p_WM` is the position of M
//! relative to the origin of W. All vectors are in world axes unless a name says otherwise.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// A vector in space.
pub type Vec3 = Vector3<f64>;
/// A 3×3 matrix.
pub type Mat3 = Matrix3<f64>;

/// The motion of a marker: pose, twist, and bias acceleration (the acceleration for v̇ = 0).
///
/// A marker that stands for one scalar coordinate s uses the first component of `p`, `v` and `bv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Orientation R_WM.
    pub R: Mat3,
    /// Position p_WM.
    pub p: Vec3,
    /// Angular velocity w_WM.
    pub w: Vec3,
    /// Velocity v_WM.
    pub v: Vec3,
    /// Angular bias acceleration: ẇ at v̇ = 0.
    pub bw: Vec3,
    /// Bias acceleration: v̇_WM at v̇ = 0.
    pub bv: Vec3,
}

impl Motion {
    /// At rest at the origin, aligned with the world.
    pub const REST: Motion = Motion {
        R: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        p: Vec3::new(0.0, 0.0, 0.0),
        w: Vec3::new(0.0, 0.0, 0.0),
        v: Vec3::new(0.0, 0.0, 0.0),
        bw: Vec3::new(0.0, 0.0, 0.0),
        bv: Vec3::new(0.0, 0.0, 0.0),
    };

    /// Axis `i` of the marker in world components.
    #[inline(always)]
    pub fn axis(&self, i: usize) -> Vec3 {
        self.R.column(i).into_owned()
    }

    /// Power of a wrench on this motion, f·v + m·w; for a row of D this is the rate of the row.
    #[inline(always)]
    pub fn power(&self, on: &Wrench) -> f64 {
        on.f.dot(&self.v) + on.m.dot(&self.w)
    }

    /// The same pairing with the bias acceleration.
    #[inline(always)]
    pub fn bias(&self, on: &Wrench) -> f64 {
        on.f.dot(&self.bv) + on.m.dot(&self.bw)
    }
}

/// Force and moment at a marker, in world axes. A row of D is also a wrench: the load of a unit multiplier λ = 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force through the marker's origin.
    pub f: Vec3,
    /// Moment.
    pub m: Vec3,
}

impl Wrench {
    /// No force, no moment.
    pub const ZERO: Wrench = Wrench { f: Vec3::new(0.0, 0.0, 0.0), m: Vec3::new(0.0, 0.0, 0.0) };

    /// A pure force.
    #[inline(always)]
    pub fn force(f: Vec3) -> Wrench {
        Wrench { f, m: Vec3::zeros() }
    }

    /// A pure moment.
    #[inline(always)]
    pub fn moment(m: Vec3) -> Wrench {
        Wrench { f: Vec3::zeros(), m }
    }

    /// k times this wrench.
    #[inline(always)]
    pub fn scaled(&self, k: f64) -> Wrench {
        Wrench { f: self.f * k, m: self.m * k }
    }

    /// Adds k times another wrench.
    #[inline(always)]
    pub fn add_scaled(&mut self, k: f64, other: &Wrench) {
        self.f += other.f * k;
        self.m += other.m * k;
    }
}

/// An orientation as given in a model file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Orientation {
    /// Axes along those of the parent.
    #[default]
    Aligned,
    /// Unit quaternion w, x, y, z.
    Quaternion([f64; 4]),
    /// Axis times angle, rad.
    RotationVector([f64; 3]),
    /// The direction of the third axis, and of the first axis (its component perpendicular to the third is used).
    Axes {
        /// Third axis (the axis of a hinge, of a slide).
        z: [f64; 3],
        /// First axis; default: any perpendicular direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        x: Option<[f64; 3]>,
    },
}

impl Orientation {
    /// The third axis along `z`; the other two are arbitrary.
    pub fn z(z: [f64; 3]) -> Orientation {
        Orientation::Axes { z, x: None }
    }

    /// The rotation matrix, or an error message.
    pub fn matrix(&self) -> Result<Mat3, &'static str> {
        match self {
            Orientation::Aligned => Ok(Mat3::identity()),
            Orientation::Quaternion(q) => {
                let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
                if !n.is_finite() || (n - 1.0).abs() > 1e-6 {
                    return Err("the quaternion (w, x, y, z) must have unit length");
                }
                Ok(rotation_of_quaternion(&[q[0] / n, q[1] / n, q[2] / n, q[3] / n]))
            }
            Orientation::RotationVector(r) => {
                if r.iter().any(|c| !c.is_finite()) {
                    return Err("the rotation vector must be finite");
                }
                Ok(nalgebra::Rotation3::new(Vec3::from(*r)).into_inner())
            }
            Orientation::Axes { z, x } => {
                let z = Vec3::from(*z);
                if !z.norm().is_finite() || z.norm() < 1e-12 {
                    return Err("the axis z must be a finite vector other than zero");
                }
                let z = z.normalize();
                // Default: the parent's x, unless z is nearly parallel to it.
                let x = x.map(Vec3::from).unwrap_or(if z.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() });
                let x = x - z * z.dot(&x);
                if !x.norm().is_finite() || x.norm() < 1e-9 {
                    return Err("the axis x must be finite and not along z");
                }
                let x = x.normalize();
                Ok(Mat3::from_columns(&[x, z.cross(&x), z]))
            }
        }
    }
}

/// R of a unit quaternion (w, x, y, z).
#[inline(always)]
pub fn rotation_of_quaternion(q: &[f64; 4]) -> Mat3 {
    let [w, x, y, z] = *q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    Mat3::new(1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy))
}

/// The unit quaternion (w, x, y, z), w ≥ 0, of a rotation matrix.
pub fn quaternion_of_rotation(R: &Mat3) -> [f64; 4] {
    let q = nalgebra::UnitQuaternion::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(*R));
    let s = if q.w < 0.0 { -1.0 } else { 1.0 };
    [s * q.w, s * q.i, s * q.j, s * q.k]
}

/// Rotation vector θ = log R, |θ| ≤ π.
#[inline(always)]
pub(crate) fn rotation_vector(R: &Mat3) -> Vec3 {
    let [w, x, y, z] = quaternion_of_rotation(R);
    let axis = Vec3::new(x, y, z);
    let sine = axis.norm();
    if sine > 0.0 { axis * (2.0 * sine.atan2(w) / sine) } else { Vec3::zeros() }
}

/// J(θ)⁻¹ = I − ½ [θ×] + β [θ×]²: θ̇ = J⁻¹ w for the rotation vector θ of a frame exp(θ×) with angular velocity w.
#[inline(always)]
pub fn inverse_rotation_jacobian(theta: &Vec3) -> Mat3 {
    let angle2 = theta.norm_squared();
    // For small angles 1 − x cot x cancels; the error of the series is ϑ⁶/1209600.
    let beta = if angle2 < 1e-4 {
        1.0 / 12.0 + angle2 / 720.0 + angle2 * angle2 / 30240.0
    } else {
        let half = 0.5 * angle2.sqrt();
        (1.0 - half / half.tan()) / angle2
    };
    let cross = theta.cross_matrix();
    Mat3::identity() - cross * 0.5 + cross * cross * beta
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_agree() {
        let r = [0.3, -0.5, 0.7];
        let R = Orientation::RotationVector(r).matrix().unwrap();
        let q = quaternion_of_rotation(&R);
        assert!((Orientation::Quaternion(q).matrix().unwrap() - R).norm() < 1e-14);
        let z = R.column(2);
        let x = R.column(0);
        let axes = Orientation::Axes { z: [z[0], z[1], z[2]], x: Some([x[0], x[1], x[2]]) };
        assert!((axes.matrix().unwrap() - R).norm() < 1e-14);
    }

    #[test]
    fn senseless_orientations_are_refused() {
        assert!(Orientation::z([0.0; 3]).matrix().is_err());
        assert!(Orientation::Quaternion([1.0, 1.0, 0.0, 0.0]).matrix().is_err());
        assert!(Orientation::RotationVector([f64::NAN, 0.0, 0.0]).matrix().is_err());
        assert!(Orientation::Axes { z: [1.0, 0.0, 0.0], x: Some([2.0, 0.0, 0.0]) }.matrix().is_err());
    }
}
