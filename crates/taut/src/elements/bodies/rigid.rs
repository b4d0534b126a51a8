//! A rigid body in space.

mod charts;

use super::{
    Body, BodyAxes, Definiteness, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, RateJacobian,
    ReferenceFrame, Sizes, SteadyRotation,
};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{
    Mat3, Motion, Orientation, Vec3, Wrench, inverse_rotation_jacobian, quaternion_of_rotation, rotation_of_quaternion,
};
use serde::{Deserialize, Serialize};

/// A rigid body in space: q = (p, unit quaternion), v = (v of the reference point, ω), world axes.
///
/// M = [m I, −m c×; m c×, J] with the mass centre at c from any reference point: \[Masarati2010\] eq. (22);
/// f = −(ω×(ω×m c), ω×Jω); q̇ = (v, ½ ω ∘ quaternion).
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let plate = RigidBody::new(2.0, [0.1, 0.1, 0.2]) // kg, kg m²
///     .at([0.0, 0.0, 1.0])
///     .oriented(Orientation::RotationVector([0.0, 0.0, 0.5]))
///     .moving([1.0, 0.0, 0.0], [0.0, 0.0, 3.0]);
/// let mut spec = Spec::new();
/// spec.body("plate", plate);
/// let model = spec.build()?;
/// assert_eq!((model.sizes.q, model.sizes.v), (7, 6)); // position and quaternion; velocity and ω
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigidBody {
    /// Mass, kg; zero if constraints determine its motion.
    pub mass: f64,
    /// Inertia tensor about the mass centre, body axes: xx, yy, zz, xy, xz, yz (the tensor's own entries), kg m²; zero
    /// only if the mass is.
    pub inertia: [f64; 6],
    /// Mass centre in body axes, from the reference point, m.
    #[serde(default)]
    pub com: [f64; 3],
    /// Position of the reference point at the start, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at the start.
    #[serde(default)]
    pub orientation: Orientation,
    /// Velocity of the reference point at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at the start, world axes, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
}

impl RigidBody {
    /// Mass and principal moments about the mass centre, which is the reference point; at rest in the origin.
    pub fn new(mass: f64, principal: [f64; 3]) -> RigidBody {
        let [x, y, z] = principal;
        RigidBody { mass, inertia: [x, y, z, 0.0, 0.0, 0.0], ..RigidBody::default() }
    }

    /// The same with its mass centre elsewhere (body axes).
    pub fn com(mut self, com: [f64; 3]) -> RigidBody {
        self.com = com;
        self
    }

    /// The same at another position.
    pub fn at(mut self, position: [f64; 3]) -> RigidBody {
        self.position = position;
        self
    }

    /// The same with another orientation.
    pub fn oriented(mut self, orientation: Orientation) -> RigidBody {
        self.orientation = orientation;
        self
    }

    /// The same in motion: velocity of the reference point and angular velocity, world axes.
    pub fn moving(mut self, velocity: [f64; 3], angular_velocity: [f64; 3]) -> RigidBody {
        self.velocity = velocity;
        self.angular_velocity = angular_velocity;
        self
    }

    /// Inertia tensor about the mass centre, body axes.
    #[inline(always)]
    pub fn tensor(&self) -> Mat3 {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// Whether the body axes are principal axes.
    #[inline(always)]
    fn has_principal_axes(&self) -> bool {
        self.inertia[3] == 0.0 && self.inertia[4] == 0.0 && self.inertia[5] == 0.0
    }

    /// J about the reference point, world axes, and m c.
    #[inline(always)]
    pub(super) fn inertia_and_first_moment(&self, R: &Mat3) -> (Mat3, Vec3) {
        let J = if self.has_principal_axes() {
            let (x, y, z) = (R.column(0), R.column(1), R.column(2));
            let [a, b, c] = [self.inertia[0], self.inertia[1], self.inertia[2]];
            let e = |i: usize, j: usize| a * x[i] * x[j] + b * y[i] * y[j] + c * z[i] * z[j];
            let (xy, xz, yz) = (e(0, 1), e(0, 2), e(1, 2));
            Mat3::new(e(0, 0), xy, xz, xy, e(1, 1), yz, xz, yz, e(2, 2))
        } else {
            R * self.tensor() * R.transpose()
        };
        if self.com == [0.0; 3] {
            return (J, Vec3::zeros());
        }
        let c = R * Vec3::from(self.com);
        (J + (Mat3::identity() * c.norm_squared() - c * c.transpose()) * self.mass, c * self.mass)
    }
}

impl Body for RigidBody {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_not_negative("mass", self.mass)?;
        ParameterError::check_finite("com", &self.com)?;
        ParameterError::check_finite("position", &self.position)?;
        ParameterError::check_finite("velocity", &self.velocity)?;
        ParameterError::check_finite("angular_velocity", &self.angular_velocity)?;
        self.orientation.matrix().map_err(|what| ParameterError::invalid("orientation", what))?;
        if self.mass == 0.0 && self.inertia == [0.0; 6] {
            return Ok(());
        }
        ParameterError::check_inertia("inertia", &self.inertia)
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        q[..3].copy_from_slice(&self.position);
        let R = self.orientation.matrix().unwrap_or_else(|_| Mat3::identity());
        q[3..].copy_from_slice(&quaternion_of_rotation(&R));
        v[..3].copy_from_slice(&self.velocity);
        v[3..].copy_from_slice(&self.angular_velocity);
    }

    #[inline(always)]
    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        own.p = Vec3::new(q[0], q[1], q[2]);
        // Inside a step the quaternion has only approximately unit norm.
        let k = 1.0 / (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]).sqrt();
        own.R = rotation_of_quaternion(&[q[3] * k, q[4] * k, q[5] * k, q[6] * k]);
    }
    #[inline(always)]
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match marker {
            MarkerPlacement::Frame(p_BM, axes) => {
                seen.R = axes.world_orientation(&own.R);
                // Read from q: reading back values that were just written is slow.
                seen.p = Vec3::new(q[0], q[1], q[2]) + own.R * p_BM;
            }
            MarkerPlacement::Coordinate(i) => seen.p.x = q[*i],
        }
    }
    #[inline(always)]
    fn frame_twist(&self, _q: &[f64], v: &[f64], own: &mut Motion) {
        own.v = Vec3::new(v[0], v[1], v[2]);
        own.w = Vec3::new(v[3], v[4], v[5]);
    }
    #[inline(always)]
    fn marker_twist(&self, _q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match marker {
            MarkerPlacement::Frame(..) => {
                let w = Vec3::new(v[3], v[4], v[5]);
                let wr = w.cross(&(seen.p - own.p));
                seen.w = w;
                seen.v = Vec3::new(v[0], v[1], v[2]) + wr;
                seen.bv = w.cross(&wr);
            }
            MarkerPlacement::Coordinate(i) => seen.v.x = v[*i],
        }
    }

    #[inline(always)]
    fn mass_matrix(&self, _q: &[f64], own: &Motion, M: &mut [f64]) {
        let (J, s) = self.inertia_and_first_moment(&own.R);
        let m = self.mass;
        let (xx, yy, zz, xy, xz, yz) = (J[(0, 0)], J[(1, 1)], J[(2, 2)], J[(1, 0)], J[(2, 0)], J[(2, 1)]);
        let M: &mut [f64; 36] = M.try_into().expect("six velocities");
        *M = [
            m, 0.0, 0.0, 0.0, s.z, -s.y, //
            0.0, m, 0.0, -s.z, 0.0, s.x, //
            0.0, 0.0, m, s.y, -s.x, 0.0, //
            0.0, -s.z, s.y, xx, xy, xz, //
            s.z, 0.0, -s.x, xy, yy, yz, //
            -s.y, s.x, 0.0, xz, yz, zz,
        ];
    }
    #[inline(always)]
    fn coordinate_rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        let [e0, e1, e2, e3] = [q[3], q[4], q[5], q[6]];
        let [x, y, z] = [0.5 * v[3], 0.5 * v[4], 0.5 * v[5]];
        qdot.copy_from_slice(&[
            v[0],
            v[1],
            v[2],
            -(x * e1 + y * e2 + z * e3),
            x * e0 + y * e3 - z * e2,
            y * e0 + z * e1 - x * e3,
            z * e0 + x * e2 - y * e1,
        ]);
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
        let w = Vec3::new(v[3], v[4], v[5]);
        // Jω in body axes: two products with R are cheaper than the rotated tensor.
        let w_B = own.R.tr_mul(&w);
        let [a, b, c] = [self.inertia[0], self.inertia[1], self.inertia[2]];
        let h_B =
            if self.has_principal_axes() { Vec3::new(a * w_B.x, b * w_B.y, c * w_B.z) } else { self.tensor() * w_B };
        let mut h = own.R * h_B;
        if self.com != [0.0; 3] {
            let c = own.R * Vec3::from(self.com);
            let wc = w.cross(&c);
            h += c.cross(&wc) * self.mass;
            let k = w.cross(&wc) * self.mass;
            (0..3).for_each(|i| f[i] -= k[i]);
        }
        let k = w.cross(&h);
        (0..3).for_each(|i| f[3 + i] -= k[i]);
    }
    #[inline(always)]
    fn gravity_force(&self, _q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]) {
        (0..3).for_each(|i| f[i] += self.mass * g[i]);
        if self.com != [0.0; 3] {
            let k = (own.R * Vec3::from(self.com)).cross(g) * self.mass;
            (0..3).for_each(|i| f[3 + i] += k[i]);
        }
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..3).for_each(|i| q[i] += delta[i]);
        // Finite rotation by the rotation vector δ: exact, so that the assembly analysis may take large steps.
        let r = Vec3::new(delta[3], delta[4], delta[5]);
        let half = 0.5 * r.norm();
        let k = if half < 1e-8 { 0.5 } else { half.sin() / (2.0 * half) };
        let (c, d) = (half.cos(), r * k);
        let [e0, e1, e2, e3] = [q[3], q[4], q[5], q[6]];
        q[3] = c * e0 - d.x * e1 - d.y * e2 - d.z * e3;
        q[4] = c * e1 + d.x * e0 + d.y * e3 - d.z * e2;
        q[5] = c * e2 + d.y * e0 + d.z * e1 - d.x * e3;
        q[6] = c * e3 + d.z * e0 + d.x * e2 - d.y * e1;
        self.normalise(q);
    }
}

impl Quantities for RigidBody {
    fn sizes(&self) -> Sizes {
        Sizes { q: 7, v: 6, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        let m = ["x", "y", "z"].map(|n| Quantity::new(n, "m"));
        let q = ["qw", "qx", "qy", "qz"].map(|n| Quantity::new(n, "1"));
        m.into_iter().chain(q).collect()
    }
    fn velocities(&self) -> Vec<Quantity> {
        let v = ["vx", "vy", "vz"].map(|n| Quantity::new(n, "m/s"));
        let w = ["wx", "wy", "wz"].map(|n| Quantity::new(n, "rad/s"));
        v.into_iter().chain(w).collect()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        ["x", "y", "z"].iter().position(|c| *c == name)
    }
}

impl Jacobian for RigidBody {
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
                let m = on.m + (seen.p - own.p).cross(&on.f);
                let f: &mut [f64; 6] = f.try_into().expect("six velocities");
                f[0] += on.f.x;
                f[1] += on.f.y;
                f[2] += on.f.z;
                f[3] += m.x;
                f[4] += m.y;
                f[5] += m.z;
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
        let rows = rows.as_chunks_mut::<6>().0.iter_mut().enumerate();
        match marker {
            MarkerPlacement::Frame(..) => {
                let r = seen.p - own.p;
                rows.for_each(|(i, row)| {
                    let on = &on[i * step];
                    let m = on.m + r.cross(&on.f);
                    *row = [on.f.x, on.f.y, on.f.z, m.x, m.y, m.z];
                });
            }
            MarkerPlacement::Coordinate(c) => rows.for_each(|(i, row)| {
                *row = [0.0; 6];
                row[*c] += on[i * step].f.x;
            }),
        }
    }
    #[inline(always)]
    fn coincidence_rows(
        &self,
        _q: &[f64],
        own: &Motion,
        _marker: &MarkerPlacement,
        seen: &Motion,
        sense: f64,
        on: &[Wrench],
        step: usize,
        rows: &mut [f64],
    ) {
        // r×e only permutes the components of r.
        let r = (seen.p - own.p) * sense;
        let (axes, turns) = rows.split_at_mut(18);
        let axes: &mut [f64; 18] = axes.try_into().expect("three rows of six velocities");
        *axes = [
            sense, 0.0, 0.0, 0.0, r.z, -r.y, //
            0.0, sense, 0.0, -r.z, 0.0, r.x, //
            0.0, 0.0, sense, r.y, -r.x, 0.0,
        ];
        for (i, row) in turns.as_chunks_mut::<6>().0.iter_mut().enumerate() {
            let m = &on[(3 + i) * step].m;
            *row = [0.0, 0.0, 0.0, m.x, m.y, m.z];
        }
    }
}

impl Energies for RigidBody {
    fn potential(&self, _q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        -self.mass * g.dot(&(own.p + own.R * Vec3::from(self.com)))
    }
    fn kinetic(&self, _q: &[f64], _v: &[f64], own: &Motion) -> f64 {
        let v = own.v + own.w.cross(&(own.R * Vec3::from(self.com)));
        let w_B = own.R.tr_mul(&own.w);
        0.5 * self.mass * v.norm_squared() + 0.5 * w_B.dot(&(self.tensor() * w_B))
    }
}

impl MassMatrix for RigidBody {
    fn definiteness(&self) -> Definiteness {
        if self.mass > 0.0 { Definiteness::Definite } else { Definiteness::Semidefinite }
    }
}
