//! A particle in space.

use super::{
    Body, Definiteness, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame, Sizes,
    SteadyRotation, Variation,
};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// A particle in space: M = m I, q̇ = v. Its axes are always the world axes.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(0.2, [0.0, 0.0, 20.0]).moving([3.0, 0.0, 0.0]));
/// let model = spec.build()?;
/// let fall = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
/// assert!((fall.last("stone.z")? - (20.0 - 0.5 * 9.81)).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointMass {
    /// Mass, kg; zero if constraints determine its motion.
    pub mass: f64,
    /// Position at the start, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Velocity at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
}

impl PointMass {
    /// A particle at rest.
    pub fn new(mass: f64, position: [f64; 3]) -> PointMass {
        PointMass { mass, position, velocity: [0.0; 3] }
    }

    /// The same with a velocity at the start.
    pub fn moving(mut self, velocity: [f64; 3]) -> PointMass {
        self.velocity = velocity;
        self
    }
}

impl Body for PointMass {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_not_negative("mass", self.mass)?;
        ParameterError::check_finite("position", &self.position)?;
        ParameterError::check_finite("velocity", &self.velocity)
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        q.copy_from_slice(&self.position);
        v.copy_from_slice(&self.velocity);
    }
    #[inline(always)]
    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        own.p = Vec3::new(q[0], q[1], q[2]);
    }
    #[inline(always)]
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match marker {
            MarkerPlacement::Frame(p_BM, axes) => {
                seen.R = axes.world_orientation(&own.R);
                seen.p = own.p + p_BM;
            }
            MarkerPlacement::Coordinate(i) => seen.p.x = q[*i],
        }
    }
    #[inline(always)]
    fn frame_twist(&self, _q: &[f64], v: &[f64], own: &mut Motion) {
        own.v = Vec3::new(v[0], v[1], v[2]);
    }
    #[inline(always)]
    fn marker_twist(&self, _q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match marker {
            MarkerPlacement::Frame(..) => seen.v = own.v,
            MarkerPlacement::Coordinate(i) => seen.v.x = v[*i],
        }
    }

    #[inline(always)]
    fn mass_matrix(&self, _q: &[f64], _own: &Motion, M: &mut [f64]) {
        M.fill(0.0);
        (0..3).for_each(|i| M[4 * i] = self.mass);
    }
    #[inline(always)]
    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(v);
    }
    #[inline(always)]
    fn internal_forces(
        &self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _z: &[f64],
        _own: &Motion,
        _f: &mut [f64],
        _zdot: &mut [f64],
    ) {
    }
    #[inline(always)]
    fn gravity_force(&self, _q: &[f64], _own: &Motion, g: &Vec3, f: &mut [f64]) {
        (0..3).for_each(|i| f[i] += self.mass * g[i]);
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..3).for_each(|i| q[i] += delta[i]);
    }
}

impl Quantities for PointMass {
    fn sizes(&self) -> Sizes {
        Sizes { q: 3, v: 3, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("x", "m"), Quantity::new("y", "m"), Quantity::new("z", "m")]
    }
    fn velocities(&self) -> Vec<Quantity> {
        vec![Quantity::new("vx", "m/s"), Quantity::new("vy", "m/s"), Quantity::new("vz", "m/s")]
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        ["x", "y", "z"].iter().position(|c| *c == name)
    }
}

impl Jacobian for PointMass {
    #[inline(always)]
    fn apply_transpose(
        &self,
        _q: &[f64],
        _own: &Motion,
        marker: &MarkerPlacement,
        _seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        match marker {
            // A particle does not rotate: moments do no work.
            MarkerPlacement::Frame(..) => (0..3).for_each(|i| f[i] += on.f[i]),
            MarkerPlacement::Coordinate(i) => f[*i] += on.f.x,
        }
    }
}

impl Energies for PointMass {
    fn potential(&self, _q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        -self.mass * g.dot(&own.p)
    }
    fn kinetic(&self, _q: &[f64], _v: &[f64], own: &Motion) -> f64 {
        0.5 * self.mass * own.v.norm_squared()
    }
}

impl MassMatrix for PointMass {
    fn definiteness(&self) -> Definiteness {
        if self.mass > 0.0 { Definiteness::Definite } else { Definiteness::Semidefinite }
    }
    fn variation(&self) -> Variation {
        Variation::Constant
    }
}

impl Manifold for PointMass {}

impl ReferenceFrame for PointMass {
    fn steady_rotation(
        &self,
        q: &[f64],
        point: &Vec3,
        omega: &Vec3,
        v: &mut [f64],
        vdot: &mut [f64],
    ) -> SteadyRotation {
        let u = omega.cross(&(Vec3::new(q[0], q[1], q[2]) - point));
        let a = omega.cross(&u);
        (0..3).for_each(|i| (v[i], vdot[i]) = (u[i], a[i]));
        SteadyRotation::Prescribed
    }
    fn twist_components(&self) -> &'static [usize] {
        &[0, 1, 2]
    }
}
