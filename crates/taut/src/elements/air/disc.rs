//! A disc: where induced velocity acts.

use super::inflow::Inflow;
use super::medium::BoundAir;
use crate::constraints::ElementInput;
use crate::error::ParameterError;
use crate::motion::{Motion, Vec3};
use crate::scalar::{Dual, Scalar, norm, scale};
use serde::{Deserialize, Serialize};

/// A rotor disc: the wings that name it share its induced velocity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disc {
    /// The marker of the hub; its z axis is the shaft.
    pub at: String,
    /// Radius, m.
    pub radius: f64,
    /// Number of blades; default: the number of its wings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blades: Option<usize>,
    /// The induced velocity.
    #[serde(flatten)]
    pub inflow: Inflow,
}

impl Disc {
    /// Checks the parameters.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_positive("radius", self.radius)?;
        if self.blades == Some(0) {
            return Err(ParameterError::invalid("blades", "a disc needs one blade or more"));
        }
        self.inflow.check()
    }
}

/// Axes of a disc and the stream through it.
///
/// x and y do not turn with the shaft: x is world x, turned with the shaft axis by the shortest rotation from world z.
#[derive(Clone, Copy, Debug)]
pub(super) struct DiscFrame {
    pub p: Vec3,
    pub x: Vec3,
    pub y: Vec3,
    pub z: Vec3,
    /// The direction of the stream in the plane; x without one.
    pub downwind: Vec3,
    /// Speed of the stream in the plane.
    pub in_plane: f64,
    /// Speed of the stream against z.
    pub through: f64,
    /// Rotor speed about z, rad/s.
    pub rotor_speed: f64,
    pub radius: f64,
    pub density: f64,
}

/// The stream at a disc, and its tip speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct DiscStream<S> {
    /// Components in the plane, along x and y of the disc.
    pub along_x: S,
    pub along_y: S,
    /// Speed against z.
    pub through: S,
    /// ΩR.
    pub tip_speed: S,
}

impl<S: Scalar> DiscStream<S> {
    /// V_x².
    pub fn in_plane_squared(&self) -> S {
        self.along_x * self.along_x + self.along_y * self.along_y
    }

    /// V_x; zero without derivatives where there is no stream in the plane.
    pub fn in_plane(&self) -> S {
        let squared = self.in_plane_squared();
        if squared.value() > 0.0 { squared.sqrt() } else { S::from(0.0) }
    }
}

/// A change of the place and the axes of a disc, and of its stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameChange {
    pub p: Vec3,
    pub x: Vec3,
    pub y: Vec3,
    pub z: Vec3,
    /// Of [`DiscFrame::components`], by their places.
    pub stream: [f64; 4],
}

impl DiscStream<f64> {
    /// Each number translated by its place: x, y, through, tip speed.
    pub fn map<S>(&self, seed: impl Fn(f64, usize) -> S) -> DiscStream<S> {
        DiscStream {
            along_x: seed(self.along_x, 0),
            along_y: seed(self.along_y, 1),
            through: seed(self.through, 2),
            tip_speed: seed(self.tip_speed, 3),
        }
    }
}

/// A stream in the plane slower than this has no direction, m/s.
const LEAST_STREAM: f64 = 1e-9;

impl DiscFrame {
    /// The frame of a disc at its hub.
    pub fn new(hub: &Motion, radius: f64, rotor_speed: f64, air: &BoundAir, at: &ElementInput) -> DiscFrame {
        let z = hub.axis(2);
        let x = Vec3::from(fixed_direction([z.x, z.y, z.z]));
        let stream = air.wind(at, &hub.p) - hub.v;
        let through = -stream.dot(&z);
        let in_plane = stream + z * through;
        let speed = in_plane.norm();
        let downwind = if speed > LEAST_STREAM { in_plane / speed } else { x };
        let in_plane = if speed > LEAST_STREAM { speed } else { 0.0 };
        DiscFrame {
            p: hub.p,
            x,
            y: z.cross(&x),
            z,
            downwind,
            in_plane,
            through,
            rotor_speed,
            radius,
            density: air.density,
        }
    }

    /// x/R and y/R of a point.
    pub fn place(&self, p: &Vec3) -> [f64; 2] {
        let d = (p - self.p) / self.radius;
        [d.dot(&self.x), d.dot(&self.y)]
    }

    /// Distance of a point from the axis, and its azimuth from downwind.
    pub fn polar_place(&self, p: &Vec3) -> [f64; 2] {
        let d = p - self.p;
        let (along, across) = (d.dot(&self.downwind), d.dot(&self.z.cross(&self.downwind)));
        [along.hypot(across), across.atan2(along)]
    }

    /// The change as the hub moves along direction i: 0–2 displacement, 3–5 rotation, 6–8 velocity, 9–11 angular velocity.
    /// `spin` is the mean angular velocity of the blades.
    pub fn change(&self, hub: &Motion, air: &BoundAir, at: &ElementInput, spin: &Vec3, i: usize) -> FrameChange {
        let (e, none) = (Vec3::ith(i % 3, 1.0), Vec3::zeros());
        let (p, turn, v) = match i / 3 {
            0 => (e, none, none),
            1 => (none, e, none),
            2 => (none, none, e),
            _ => (none, none, none),
        };
        let z = turn.cross(&self.z);
        let turned = fixed_direction([0, 1, 2].map(|k| Dual::<1> { re: self.z[k], eps: [z[k]] }));
        let x = Vec3::from(turned.map(|x| x.eps[0]));
        let y = z.cross(&self.x) + self.z.cross(&x);
        let (stream, change) = (air.wind(at, &hub.p) - hub.v, air.wind_gradient(at, &hub.p) * p - v);
        let along = |axis: &Vec3, turned: &Vec3| change.dot(axis) + stream.dot(turned);
        let tip = self.rotor_speed.signum() * self.radius * spin.dot(&z);
        FrameChange { p, x, y, z, stream: [along(&self.x, &x), along(&self.y, &y), -along(&self.z, &z), tip] }
    }

    /// The stream by components.
    pub fn components(&self) -> DiscStream<f64> {
        DiscStream {
            along_x: self.in_plane * self.downwind.dot(&self.x),
            along_y: self.in_plane * self.downwind.dot(&self.y),
            through: self.through,
            tip_speed: self.tip_speed(),
        }
    }

    /// ΩR.
    pub fn tip_speed(&self) -> f64 {
        self.rotor_speed.abs() * self.radius
    }
}

/// World x after the shortest rotation from world z (or −z) to the shaft axis.
fn fixed_direction<S: Scalar>(z: [S; 3]) -> [S; 3] {
    let up = if z[2].value() > -0.7 { 1.0 } else { -1.0 };
    let factor = z[0] / (z[2] * up + 1.0);
    let x = [-(z[0] * factor) + 1.0, -(z[1] * factor), -((z[2] + up) * factor)];
    scale(x, S::from(1.0) / norm(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_direction_is_normal_to_the_shaft() {
        for z in [Vec3::z(), -Vec3::z(), Vec3::x(), -Vec3::x(), Vec3::new(0.3, -0.4, 0.2)] {
            let z = z.normalize();
            let x = Vec3::from(fixed_direction([z.x, z.y, z.z]));
            assert!(x.dot(&z).abs() < 1e-15 && (x.norm() - 1.0).abs() < 1e-15);
        }
        assert_eq!(fixed_direction([0.0, 0.0, 1.0]), [1.0, 0.0, 0.0]);
    }
}
