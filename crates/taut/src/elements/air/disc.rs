//! A disc: where induced velocity acts.

use super::inflow::Inflow;
use super::medium::BoundAir;
use crate::constraints::ElementInput;
use crate::error::ParameterError;
use crate::motion::{Motion, Vec3};
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

/// A stream in the plane slower than this has no direction, m/s.
const LEAST_STREAM: f64 = 1e-9;

impl DiscFrame {
    /// The frame of a disc at its hub.
    pub fn new(hub: &Motion, radius: f64, rotor_speed: f64, air: &BoundAir, at: &ElementInput) -> DiscFrame {
        let z = hub.axis(2);
        let x = fixed_direction(&z);
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

    /// ΩR.
    pub fn tip_speed(&self) -> f64 {
        self.rotor_speed.abs() * self.radius
    }

    /// A disc of radius one in the plane z = 0, in still air of density one.
    #[cfg(test)]
    pub fn unit() -> DiscFrame {
        let [x, y, z] = [Vec3::x(), Vec3::y(), Vec3::z()];
        let (p, rotor_speed, radius, density) = (Vec3::zeros(), 1.0, 1.0, 1.0);
        DiscFrame { p, x, y, z, downwind: x, in_plane: 0.0, through: 0.0, rotor_speed, radius, density }
    }
}

/// World x after the shortest rotation from world z (or −z) to the shaft axis.
fn fixed_direction(z: &Vec3) -> Vec3 {
    let up = if z.z > -0.7 { Vec3::z() } else { -Vec3::z() };
    (Vec3::x() - (up + z) * (z.x / (1.0 + up.dot(z)))).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_direction_is_normal_to_the_shaft() {
        for z in [Vec3::z(), -Vec3::z(), Vec3::x(), -Vec3::x(), Vec3::new(0.3, -0.4, 0.2)] {
            let z = z.normalize();
            let x = fixed_direction(&z);
            assert!(x.dot(&z).abs() < 1e-15 && (x.norm() - 1.0).abs() < 1e-15);
        }
        assert_eq!(fixed_direction(&Vec3::z()), Vec3::x());
    }
}
