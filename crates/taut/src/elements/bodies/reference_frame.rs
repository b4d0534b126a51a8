//! The frame that moves with a body, and how its velocities relate to it.

use crate::motion::{Mat3, Vec3};

/// The axes that move with a body, where its velocities are that of its reference point and its angular velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OwnAxes {
    /// It has none, or its velocities are others.
    None,
    /// In the plane: cosine and sine.
    Plane([f64; 2]),
    /// In space.
    Space(Mat3),
}

/// Whether a body can be carried round an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// Its velocities and accelerations are set.
    Carried,
    /// It cannot, for this reason.
    Refused(&'static str),
}

/// The reference frame of a body: its axes, its twist and its rotation as a rigid whole. All methods have defaults:
/// those of a body whose velocities have nothing to do with a twist.
pub trait ReferenceFrame {
    /// Why this body can carry no frames, if it cannot.
    fn frameless(&self) -> Option<&'static str> {
        None
    }
    /// Which components of the twist (v, w) of its reference frame its velocities are, one by one; none where they are
    /// others. Coordinates are displaced by δ as they are.
    fn own_twist(&self) -> &'static [usize] {
        &[]
    }
    /// The axes that move with it.
    fn own_axes(&self, _q: &[f64]) -> OwnAxes {
        OwnAxes::None
    }
    /// v and v̇ of the body carried round an axis through `point` with the angular velocity Ω; its first velocities are
    /// then those of its reference point, along the axes of the world.
    fn carried(&self, _q: &[f64], _point: &Vec3, _omega: &Vec3, v: &mut [f64], _vdot: &mut [f64]) -> Carriage {
        match v.is_empty() {
            true => Carriage::Carried,
            false => {
                Carriage::Refused("bodies of its kind do not know how; point masses, planar, rigid and modal bodies do")
            }
        }
    }
    /// The angle about z, counted through full turns, where the coordinates hold such a thing.
    fn turn(&self, _q: &[f64]) -> Option<f64> {
        None
    }
}
