//! The reference frame of a body, and how the velocities v relate to its twist.

use crate::motion::{Mat3, Vec3};

/// The body-fixed axes, if the velocities of the body are those of its reference point and its angular velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyAxes {
    /// The body has no axes, or other velocities.
    None,
    /// In the plane: cosine and sine.
    Plane([f64; 2]),
    /// In space.
    Space(Mat3),
}

/// Whether a body can rotate steadily about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyRotation {
    /// Its velocities and accelerations have been set.
    Prescribed,
    /// It cannot rotate so, for this reason.
    Unsupported(&'static str),
}

/// The reference frame of a body: its axes, its twist, and rotation as a rigid body. All methods have defaults, valid for
/// a body whose velocities are not the components of a twist.
pub trait ReferenceFrame {
    /// Why no frame can be attached to this body; none if frames can be attached.
    fn no_frame_reason(&self) -> Option<&'static str> {
        None
    }
    /// The components of the twist (v, w) of the reference frame that the velocities are, one by one; empty if the velocities
    /// are others. δ uses the same components.
    fn twist_components(&self) -> &'static [usize] {
        &[]
    }
    /// The body-fixed axes.
    fn body_axes(&self, _q: &[f64]) -> BodyAxes {
        BodyAxes::None
    }
    /// v and v̇ of the body in a steady rotation about an axis through `point` with the angular velocity Ω. The first
    /// velocities are those of its reference point, along the world axes.
    fn steady_rotation(
        &self,
        _q: &[f64],
        _point: &Vec3,
        _omega: &Vec3,
        v: &mut [f64],
        _vdot: &mut [f64],
    ) -> SteadyRotation {
        match v.is_empty() {
            true => SteadyRotation::Prescribed,
            false => SteadyRotation::Unsupported(
                "this kind of body cannot; point masses, planar, rigid and modal bodies can",
            ),
        }
    }
    /// The angle about z, counted through full turns, if the coordinates contain it.
    fn unwrapped_angle(&self, _q: &[f64]) -> Option<f64> {
        None
    }
}
