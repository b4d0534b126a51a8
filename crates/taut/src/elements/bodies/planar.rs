//! A rigid body that moves in the xy plane.

use super::{
    Body, BodyAxes, Definiteness, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame,
    Sizes, SteadyRotation, Variation,
};
use crate::error::ParameterError;
use crate::marker::{MarkerAxes, MarkerPlacement};
use crate::motion::{Motion, Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// A rigid body that moves in the xy plane: q = (x, y, θ), q̇ = v.
///
/// With the mass centre at c from the reference point (world axes), M = [m 0 −m c_y; 0 m m c_x; · · J] and
/// f = m θ̇² c on the translations: \[Masarati2010\] eq. (22) restricted to the plane.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("rod", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0)) // inertia m l²/12
///     .body("wheel", PlanarBody::new(3.0, 0.06).moving([0.0, 0.0], 10.0));
/// let model = spec.build()?;
/// assert_eq!(model.initial_state().q, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]); // x, y, θ of each
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanarBody {
    /// Mass, kg; zero if constraints determine its motion.
    pub mass: f64,
    /// Moment of inertia about the mass centre, kg m²; zero only if the mass is.
    pub inertia: f64,
    /// Mass centre in body axes, from the reference point, m.
    #[serde(default)]
    pub com: [f64; 2],
    /// Position of the reference point at the start, m.
    #[serde(default)]
    pub position: [f64; 2],
    /// Angle at the start, rad.
    #[serde(default)]
    pub angle: f64,
    /// Velocity of the reference point at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 2],
    /// Angular velocity at the start, rad/s.
    #[serde(default)]
    pub angular_velocity: f64,
}

impl PlanarBody {
    /// A body with its mass centre at the reference point, at rest in the origin.
    pub fn new(mass: f64, inertia: f64) -> PlanarBody {
        PlanarBody { mass, inertia, ..PlanarBody::default() }
    }

    /// A uniform slender rod along its own x axis; the reference point is the mass centre.
    pub fn rod(mass: f64, length: f64) -> PlanarBody {
        PlanarBody::new(mass, mass * length * length / 12.0)
    }

    /// The same with its mass centre elsewhere (body axes).
    pub fn com(mut self, com: [f64; 2]) -> PlanarBody {
        self.com = com;
        self
    }

    /// The same at another position and angle.
    pub fn at(mut self, position: [f64; 2], angle: f64) -> PlanarBody {
        self.position = position;
        self.angle = angle;
        self
    }

    /// The same in motion.
    pub fn moving(mut self, velocity: [f64; 2], angular_velocity: f64) -> PlanarBody {
        self.velocity = velocity;
        self.angular_velocity = angular_velocity;
        self
    }

    /// Mass centre from the reference point, world axes.
    #[inline(always)]
    fn mass_centre_offset(&self, own: &Motion) -> (f64, f64) {
        let [x, y] = self.com;
        (own.R[(0, 0)] * x + own.R[(0, 1)] * y, own.R[(1, 0)] * x + own.R[(1, 1)] * y)
    }

    /// Moment of inertia about the reference point.
    #[inline(always)]
    fn inertia_about_reference(&self) -> f64 {
        self.inertia + self.mass * (self.com[0] * self.com[0] + self.com[1] * self.com[1])
    }
}

impl Body for PlanarBody {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_not_negative("mass", self.mass)?;
        if self.mass == 0.0 {
            ParameterError::check_not_negative("inertia", self.inertia)?;
        } else {
            ParameterError::check_positive("inertia", self.inertia)?;
        }
        ParameterError::check_finite("com", &self.com)?;
        ParameterError::check_finite("position", &self.position)?;
        ParameterError::check_finite("angle", &[self.angle])?;
        ParameterError::check_finite("velocity", &self.velocity)?;
        ParameterError::check_finite("angular_velocity", &[self.angular_velocity])
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        q.copy_from_slice(&[self.position[0], self.position[1], self.angle]);
        v.copy_from_slice(&[self.velocity[0], self.velocity[1], self.angular_velocity]);
    }

    #[inline(always)]
    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        let (s, c) = q[2].sin_cos();
        (own.p.x, own.p.y) = (q[0], q[1]);
        (own.R[(0, 0)], own.R[(0, 1)]) = (c, -s);
        (own.R[(1, 0)], own.R[(1, 1)]) = (s, c);
    }
    #[inline(always)]
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match marker {
            MarkerPlacement::Frame(p_BM, axes) => {
                let (c, s) = (own.R[(0, 0)], own.R[(1, 0)]);
                match axes {
                    // The other entries remain those of the identity.
                    MarkerAxes::Aligned => {
                        (seen.R[(0, 0)], seen.R[(0, 1)]) = (c, -s);
                        (seen.R[(1, 0)], seen.R[(1, 1)]) = (s, c);
                    }
                    turned => seen.R = turned.world_orientation(&own.R),
                }
                seen.p.x = q[0] + c * p_BM.x - s * p_BM.y;
                seen.p.y = q[1] + s * p_BM.x + c * p_BM.y;
                seen.p.z = p_BM.z;
            }
            MarkerPlacement::Coordinate(i) => seen.p.x = q[*i],
        }
    }
    #[inline(always)]
    fn frame_twist(&self, _q: &[f64], v: &[f64], own: &mut Motion) {
        (own.v.x, own.v.y, own.w.z) = (v[0], v[1], v[2]);
    }
    #[inline(always)]
    fn marker_twist(&self, _q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match marker {
            MarkerPlacement::Frame(..) => {
                let (rx, ry, w) = (seen.p.x - own.p.x, seen.p.y - own.p.y, v[2]);
                seen.w.z = w;
                (seen.v.x, seen.v.y) = (v[0] - w * ry, v[1] + w * rx);
                (seen.bv.x, seen.bv.y) = (-w * w * rx, -w * w * ry);
            }
            MarkerPlacement::Coordinate(i) => seen.v.x = v[*i],
        }
    }

    #[inline(always)]
    fn mass_matrix(&self, _q: &[f64], own: &Motion, M: &mut [f64]) {
        let (cx, cy) = self.mass_centre_offset(own);
        let (m, J) = (self.mass, self.inertia_about_reference());
        M.copy_from_slice(&[m, 0.0, -m * cy, 0.0, m, m * cx, -m * cy, m * cx, J]);
    }
    #[inline(always)]
    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        // A fixed length lets the compiler copy three numbers without a call.
        qdot[..3].copy_from_slice(&v[..3]);
    }
    #[inline(always)]
    fn internal_forces(
        &self,
        _t: f64,
        _q: &[f64],
        v: &[f64],
        _z: &[f64],
        own: &Motion,
        f: &mut [f64],
        _zdot: &mut [f64],
    ) {
        let (cx, cy) = self.mass_centre_offset(own);
        let k = self.mass * v[2] * v[2];
        f[0] += k * cx;
        f[1] += k * cy;
    }
    #[inline(always)]
    fn gravity_force(&self, _q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]) {
        let (cx, cy) = self.mass_centre_offset(own);
        f[0] += self.mass * g.x;
        f[1] += self.mass * g.y;
        f[2] += self.mass * (cx * g.y - cy * g.x);
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        let q: &mut [f64; 3] = q.try_into().expect("three coordinates");
        q.iter_mut().zip(delta).for_each(|(q, delta)| *q += delta);
    }
}

impl Quantities for PlanarBody {
    fn sizes(&self) -> Sizes {
        Sizes { q: 3, v: 3, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("x", "m"), Quantity::new("y", "m"), Quantity::new("theta", "rad")]
    }
    fn velocities(&self) -> Vec<Quantity> {
        vec![Quantity::new("vx", "m/s"), Quantity::new("vy", "m/s"), Quantity::new("omega", "rad/s")]
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        ["x", "y", "theta"].iter().position(|c| *c == name)
    }
}

impl Jacobian for PlanarBody {
    #[inline(always)]
    fn apply_transpose(
        &self,
        _q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        match marker {
            MarkerPlacement::Frame(..) => {
                let (rx, ry) = (seen.p.x - own.p.x, seen.p.y - own.p.y);
                f[0] += on.f.x;
                f[1] += on.f.y;
                f[2] += on.m.z + rx * on.f.y - ry * on.f.x;
            }
            MarkerPlacement::Coordinate(i) => f[*i] += on.f.x,
        }
    }
    #[inline(always)]
    fn constraint_rows(
        &self,
        _q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &[Wrench],
        step: usize,
        rows: &mut [f64],
    ) {
        let rows = rows.as_chunks_mut::<3>().0.iter_mut().enumerate();
        match marker {
            MarkerPlacement::Frame(..) => {
                let (rx, ry) = (seen.p.x - own.p.x, seen.p.y - own.p.y);
                rows.for_each(|(i, row)| {
                    let on = &on[i * step];
                    *row = [on.f.x, on.f.y, on.m.z + rx * on.f.y - ry * on.f.x];
                });
            }
            MarkerPlacement::Coordinate(c) => rows.for_each(|(i, row)| {
                *row = [0.0; 3];
                row[*c] += on[i * step].f.x;
            }),
        }
    }
}

impl Energies for PlanarBody {
    fn potential(&self, _q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        let (cx, cy) = self.mass_centre_offset(own);
        -self.mass * (g.x * (own.p.x + cx) + g.y * (own.p.y + cy))
    }
    fn kinetic(&self, _q: &[f64], v: &[f64], own: &Motion) -> f64 {
        let (cx, cy) = self.mass_centre_offset(own);
        let (vx, vy) = (v[0] - v[2] * cy, v[1] + v[2] * cx);
        0.5 * self.mass * (vx * vx + vy * vy) + 0.5 * self.inertia * v[2] * v[2]
    }
}

impl MassMatrix for PlanarBody {
    fn definiteness(&self) -> Definiteness {
        if self.mass > 0.0 { Definiteness::Definite } else { Definiteness::Semidefinite }
    }
    fn variation(&self) -> Variation {
        if self.com == [0.0; 2] { Variation::Constant } else { Variation::StateDependent }
    }
}

impl Manifold for PlanarBody {
    #[inline(always)]
    fn displacement_rate(&self, _delta: &[f64], v: &[f64], rate: &mut [f64]) {
        rate[..3].copy_from_slice(&v[..3]);
    }
}

impl ReferenceFrame for PlanarBody {
    fn twist_components(&self) -> &'static [usize] {
        &[0, 1, 5]
    }
    fn body_axes(&self, q: &[f64]) -> BodyAxes {
        let (s, c) = q[2].sin_cos();
        BodyAxes::Plane([c, s])
    }
    fn unwrapped_angle(&self, q: &[f64]) -> Option<f64> {
        Some(q[2])
    }
    fn steady_rotation(
        &self,
        q: &[f64],
        point: &Vec3,
        omega: &Vec3,
        v: &mut [f64],
        vdot: &mut [f64],
    ) -> SteadyRotation {
        if omega.x != 0.0 || omega.y != 0.0 {
            return SteadyRotation::Unsupported("a planar body can rotate about z only");
        }
        let u = omega.cross(&(Vec3::new(q[0], q[1], 0.0) - point));
        let a = omega.cross(&u);
        v.copy_from_slice(&[u.x, u.y, omega.z]);
        vdot.copy_from_slice(&[a.x, a.y, 0.0]);
        SteadyRotation::Prescribed
    }
}
