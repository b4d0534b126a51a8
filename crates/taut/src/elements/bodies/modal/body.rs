//! The equations of a modal body: markers on its nodes, M, f and the energies.
//!
//! With d the offset of a marker from its node and s = J(θ) θ̇, θ = Ψ a (axes of the frame):
//!
//! ```text
//!  w = ω + s        v = v_F + ω × r + Φ ȧ + s × d
//!  bias of w: ω × s + ṡ        bias of v: ω × (ω × r) + 2 ω × (Φ ȧ + s × d) + ṡ × d + s × (s × d)
//! ```

use super::{MarkerNode, Modal};
use crate::beams::MotionSpace;
use crate::bodies::{
    Body, Energies, Jacobian, Manifold, MassMatrix, PlanarBody, Quantities, Quantity, RateJacobian, ReferenceFrame,
    RigidBody, Sizes, SteadyRotation,
};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Mat3, Motion, Orientation, Vec3, Wrench, quaternion_of_rotation};
use nalgebra::DMatrix;

/// The frame has the coordinates of a rigid body.
const FRAME: RigidBody = RigidBody {
    mass: 1.0,
    inertia: [0.0; 6],
    com: [0.0; 3],
    position: [0.0; 3],
    orientation: Orientation::Aligned,
    velocity: [0.0; 3],
    angular_velocity: [0.0; 3],
};

impl Body for Modal {
    fn check(&self) -> Result<(), ParameterError> {
        ParameterError::check_finite("position", &self.position)?;
        ParameterError::check_finite("velocity", &self.velocity)?;
        ParameterError::check_finite("angular_velocity", &self.angular_velocity)?;
        let R = self.orientation.matrix().map_err(|what| ParameterError::invalid("orientation", what))?;
        let [wx, wy, _] = self.angular_velocity;
        let leaves = (R.column(2) - Vec3::z()).norm() > 1e-9 || self.position[2] != 0.0 || self.velocity[2] != 0.0;
        if self.space == MotionSpace::Planar && (leaves || wx != 0.0 || wy != 0.0) {
            return Err(ParameterError::invalid(
                "space",
                "a planar modal body must lie in the xy plane and rotate about z only",
            ));
        }
        let n = self.shape_count();
        for (field, given) in [("amplitudes", &self.amplitudes), ("amplitude_rates", &self.amplitude_rates)] {
            ParameterError::check_finite(field, given)?;
            if !given.is_empty() && given.len() != n {
                return Err(ParameterError::invalid(
                    field,
                    format!("there are {} numbers for {n} shapes", given.len()),
                ));
            }
        }
        ParameterError::check_positive("mass", self.derived.inertia.mass)?;
        let (mut q, mut v) = (vec![0.0; self.sizes().q], vec![0.0; self.sizes().v]);
        self.initial_state(&mut q, &mut v, &mut []);
        let (mut own, mut M) = (Motion::REST, vec![0.0; v.len() * v.len()]);
        self.frame_pose(&q, &mut own);
        self.mass_matrix(&q, &own, &mut M);
        let M = DMatrix::from_vec(v.len(), v.len(), M);
        // Scaled to a unit diagonal, so that the test does not depend on units.
        let scale: Vec<f64> = (0..v.len()).map(|i| M[(i, i)].max(f64::MIN_POSITIVE).sqrt()).collect();
        let scaled = DMatrix::from_fn(v.len(), v.len(), |i, j| M[(i, j)] / (scale[i] * scale[j]));
        if scaled.symmetric_eigenvalues().min() < 1e-13 {
            let what = "some motion moves no mass: shapes that are linearly dependent or equal a motion of the frame, \
                        or nodes on a line without rotary inertia";
            return Err(ParameterError::invalid("nodes", what));
        }
        Ok(())
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        let (nv, nq) = self.rigid_sizes();
        let R = self.orientation.matrix().unwrap_or_else(|_| Mat3::identity());
        match self.space {
            MotionSpace::Planar => {
                let angle = match self.orientation {
                    Orientation::RotationVector([_, _, angle]) => angle,
                    _ => R[(1, 0)].atan2(R[(0, 0)]),
                };
                q[..3].copy_from_slice(&[self.position[0], self.position[1], angle]);
                v[..3].copy_from_slice(&[self.velocity[0], self.velocity[1], self.angular_velocity[2]]);
            }
            MotionSpace::Spatial => {
                q[..3].copy_from_slice(&self.position);
                q[3..7].copy_from_slice(&quaternion_of_rotation(&R));
                v[..3].copy_from_slice(&self.velocity);
                v[3..6].copy_from_slice(&self.angular_velocity);
            }
        }
        let fill = |into: &mut [f64], given: &[f64]| {
            into.fill(0.0);
            into.iter_mut().zip(given).for_each(|(x, given)| *x = *given);
        };
        fill(&mut q[nq..], &self.amplitudes);
        fill(&mut v[nv..], &self.amplitude_rates);
    }

    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        match self.space {
            MotionSpace::Planar => {
                let (s, c) = q[2].sin_cos();
                own.p = Vec3::new(q[0], q[1], 0.0);
                own.R = Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
            }
            MotionSpace::Spatial => FRAME.frame_pose(&q[..7], own),
        }
    }
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        let (nv, nq) = self.rigid_sizes();
        match marker {
            MarkerPlacement::Coordinate(i) => seen.p.x = if *i < nv { q[*i] } else { q[nq + i - nv] },
            MarkerPlacement::Frame(p, axes) => match self.marker_node(axes) {
                None => (seen.p, seen.R) = (own.p + own.R * p, axes.world_orientation(&own.R)),
                Some((node, R_NM)) => {
                    let a = &q[nq..];
                    let at = node.offset(a, p);
                    seen.p = own.p + own.R * (node.r + MarkerNode::sum(&node.phi, a) + at.d);
                    seen.R = own.R * at.turn.exp() * node.R * R_NM;
                }
            },
        }
    }
    fn frame_twist(&self, _q: &[f64], v: &[f64], own: &mut Motion) {
        match self.space {
            MotionSpace::Planar => (own.v, own.w) = (Vec3::new(v[0], v[1], 0.0), Vec3::new(0.0, 0.0, v[2])),
            MotionSpace::Spatial => (own.v, own.w) = (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5])),
        }
    }
    fn marker_twist(&self, q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        let (nv, nq) = self.rigid_sizes();
        match marker {
            MarkerPlacement::Coordinate(i) => seen.v.x = v[*i],
            MarkerPlacement::Frame(p, axes) => {
                let (w, wr) = (own.w, own.w.cross(&(seen.p - own.p)));
                (seen.w, seen.v, seen.bv) = (w, own.v + wr, w.cross(&wr));
                let Some((node, _)) = self.marker_node(axes) else { return };
                let (a, rate) = (&q[nq..], &v[nv..]);
                let at = node.offset(a, p);
                // θ = Ψ a rotates the node relative to the frame with s = J(θ) θ̇; ṡ at ä = 0.
                let theta_dot = MarkerNode::sum(&node.psi, rate);
                let (s, s_dot) = (at.turn.J() * theta_dot, at.turn.dJ(&theta_dot) * theta_dot);
                let sd = s.cross(&at.d);
                let spin = own.R * s;
                let slide = own.R * (MarkerNode::sum(&node.phi, rate) + sd);
                seen.w += spin;
                seen.v += slide;
                seen.bw = w.cross(&spin) + own.R * s_dot;
                seen.bv += w.cross(&slide) * 2.0 + own.R * (s_dot.cross(&at.d) + s.cross(&sd));
            }
        }
    }

    fn mass_matrix(&self, q: &[f64], own: &Motion, M: &mut [f64]) {
        let (nv, nq) = self.rigid_sizes();
        let (I, a) = (&self.derived.inertia, &q[nq..]);
        let n = nv + a.len();
        M.fill(0.0);
        let S = own.R * I.first_moment(a);
        let J = own.R * I.tensor(a) * own.R.transpose();
        match self.space {
            MotionSpace::Planar => {
                (M[0], M[n + 1]) = (I.mass, I.mass);
                (M[2 * n], M[2 * n + 1], M[2 * n + 2]) = (-S.y, S.x, J[(2, 2)]);
                (M[2], M[n + 2]) = (-S.y, S.x);
            }
            MotionSpace::Spatial => {
                let cross = S.cross_matrix();
                for i in 0..3 {
                    M[i * n + i] = I.mass;
                    for k in 0..3 {
                        M[(3 + k) * n + i] = -cross[(i, k)];
                        M[i * n + 3 + k] = -cross[(i, k)];
                        M[(3 + k) * n + 3 + i] = J[(i, k)];
                    }
                }
            }
        }
        for j in 0..a.len() {
            let column = &mut M[(nv + j) * n..(nv + j + 1) * n];
            self.add_frame_wrench(&(own.R * I.S1[j]), &(own.R * I.coupling(a, j)), column);
            (0..a.len()).for_each(|k| column[nv + k] = I.Maa[(k, j)]);
            (0..nv).for_each(|i| M[i * n + nv + j] = M[(nv + j) * n + i]);
        }
        for node in I.rotary.iter().map(|r| r.rotated(a)) {
            let J = own.R * node.J * own.R.transpose();
            (0..3).for_each(|i| (0..3).for_each(|k| M[(3 + k) * n + 3 + i] += J[(i, k)]));
            node.for_each_coupling(|j, moment| {
                let moment = own.R * moment;
                for i in 0..3 {
                    M[(nv + j) * n + 3 + i] += moment[i];
                    M[(3 + i) * n + nv + j] += moment[i];
                }
            });
            node.for_each_shape_pair(|j, k, x| {
                M[(nv + k) * n + nv + j] += x;
                if j != k {
                    M[(nv + j) * n + nv + k] += x;
                }
            });
        }
    }
    fn coordinate_rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        let (nv, nq) = self.rigid_sizes();
        match self.space {
            MotionSpace::Planar => qdot[..3].copy_from_slice(&v[..3]),
            MotionSpace::Spatial => FRAME.coordinate_rates(&q[..7], &v[..6], &mut qdot[..7]),
        }
        qdot[nq..].copy_from_slice(&v[nv..]);
    }
    fn internal_forces(
        &self,
        _t: f64,
        q: &[f64],
        v: &[f64],
        _z: &[f64],
        own: &Motion,
        f: &mut [f64],
        _zdot: &mut [f64],
    ) {
        let (nv, nq) = self.rigid_sizes();
        let (I, K, C) = (&self.derived.inertia, &self.derived.K, &self.derived.C);
        let (a, rate) = (&q[nq..], &v[nv..]);
        let w = own.R.tr_mul(&own.w);
        let shapes = &mut f[nv..];
        let (force, mut moment) = I.gyroscopic_forces(a, rate, &w, |j, x| shapes[j] += x);
        for node in I.rotary.iter().map(|r| r.rotated(a)) {
            moment += node.gyroscopic_forces(rate, &w, |j, x| shapes[j] += x);
        }
        for j in 0..a.len() {
            shapes[j] -= (0..a.len()).map(|k| K[(j, k)] * a[k] + C[(j, k)] * rate[k]).sum::<f64>();
        }
        self.add_frame_wrench(&(own.R * force), &(own.R * moment), f);
    }
    fn gravity_force(&self, q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]) {
        let (nv, nq) = self.rigid_sizes();
        let I = &self.derived.inertia;
        let S = own.R * I.first_moment(&q[nq..]);
        self.add_frame_wrench(&(g * I.mass), &S.cross(g), f);
        let g = own.R.tr_mul(g);
        f[nv..].iter_mut().zip(&I.S1).for_each(|(f, S)| *f += S.dot(&g));
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        let (nv, nq) = self.rigid_sizes();
        match self.space {
            MotionSpace::Planar => (0..3).for_each(|i| q[i] += delta[i]),
            MotionSpace::Spatial => FRAME.displace(&mut q[..7], &delta[..6]),
        }
        q[nq..].iter_mut().zip(&delta[nv..]).for_each(|(q, d)| *q += d);
    }
}

impl Quantities for Modal {
    fn sizes(&self) -> Sizes {
        let (v, q) = self.rigid_sizes();
        Sizes { q: q + self.shape_count(), v: v + self.shape_count(), z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        let rigid = match self.space {
            MotionSpace::Planar => {
                vec![Quantity::new("x", "m"), Quantity::new("y", "m"), Quantity::new("theta", "rad")]
            }
            MotionSpace::Spatial => RigidBody::default().coordinates(),
        };
        rigid.into_iter().chain((1..=self.shape_count()).map(|j| Quantity::new(&format!("a{j}"), "m"))).collect()
    }
    fn velocities(&self) -> Vec<Quantity> {
        let rigid = match self.space {
            MotionSpace::Planar => PlanarBody::new(1.0, 1.0).velocities(),
            MotionSpace::Spatial => RigidBody::default().velocities(),
        };
        rigid.into_iter().chain((1..=self.shape_count()).map(|j| Quantity::new(&format!("a{j}'"), "m/s"))).collect()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        let rigid: &[&str] = if self.space == MotionSpace::Planar { &["x", "y", "theta"] } else { &["x", "y", "z"] };
        let shape = || (1..=self.shape_count()).position(|j| format!("a{j}") == name).map(|j| self.rigid_sizes().0 + j);
        rigid.iter().position(|c| *c == name).or_else(shape)
    }
}

impl Jacobian for Modal {
    fn apply_transpose(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        let (nv, nq) = self.rigid_sizes();
        match marker {
            MarkerPlacement::Coordinate(i) => f[*i] += on.f.x,
            MarkerPlacement::Frame(p, axes) => {
                self.add_frame_wrench(&on.f, &(on.m + (seen.p - own.p).cross(&on.f)), f);
                let Some((node, _)) = self.marker_node(axes) else { return };
                let at = node.offset(&q[nq..], p);
                let force = own.R.tr_mul(&on.f);
                let moment = at.turn.J().tr_mul(&(own.R.tr_mul(&on.m) + at.d.cross(&force)));
                let shapes = f[nv..].iter_mut();
                shapes.zip(&node.phi).for_each(|(f, phi)| *f += phi.dot(&force));
                f[nv..].iter_mut().zip(&node.psi).for_each(|(f, psi)| *f += psi.dot(&moment));
            }
        }
    }
}

impl Energies for Modal {
    fn potential(&self, q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        let (I, K, a) = (&self.derived.inertia, &self.derived.K, &q[self.rigid_sizes().1..]);
        let strain: f64 = (0..a.len()).map(|j| a[j] * (0..a.len()).map(|k| K[(j, k)] * a[k]).sum::<f64>()).sum();
        0.5 * strain - g.dot(&(own.p * I.mass + own.R * I.first_moment(a)))
    }
    fn kinetic(&self, q: &[f64], v: &[f64], own: &Motion) -> f64 {
        let (nv, nq) = self.rigid_sizes();
        let (I, a, rate) = (&self.derived.inertia, &q[nq..], &v[nv..]);
        let (v, w) = (own.R.tr_mul(&own.v), own.R.tr_mul(&own.w));
        let mut T =
            0.5 * I.mass * v.norm_squared() + v.dot(&w.cross(&I.first_moment(a))) + 0.5 * w.dot(&(I.tensor(a) * w));
        for j in 0..a.len() {
            T += rate[j] * (v.dot(&I.S1[j]) + w.dot(&I.coupling(a, j)));
            T += 0.5 * rate[j] * (0..a.len()).map(|k| I.Maa[(j, k)] * rate[k]).sum::<f64>();
        }
        T + I.rotary.iter().map(|r| r.rotated(a).kinetic(rate, &w)).sum::<f64>()
    }
    fn nonconservative_power(&self, _t: f64, _q: &[f64], v: &[f64], _z: &[f64]) -> f64 {
        let (C, rate) = (&self.derived.C, &v[self.rigid_sizes().0..]);
        -(0..rate.len()).map(|j| rate[j] * (0..rate.len()).map(|k| C[(j, k)] * rate[k]).sum::<f64>()).sum::<f64>()
    }
}

impl MassMatrix for Modal {}

impl Manifold for Modal {
    fn displacement(&self, q: &[f64], dq: &[f64], delta: &mut [f64]) {
        let (nv, nq) = self.rigid_sizes();
        match self.space {
            MotionSpace::Planar => delta[..3].copy_from_slice(&dq[..3]),
            MotionSpace::Spatial => FRAME.displacement(&q[..7], &dq[..7], &mut delta[..6]),
        }
        delta[nv..].copy_from_slice(&dq[nq..]);
    }
    fn displacement_rate(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
        if self.space == MotionSpace::Spatial {
            FRAME.displacement_rate(&delta[..6], &v[..6], &mut rate[..6]);
        }
    }
    fn rate_jacobian(&self, v: &[f64]) -> RateJacobian {
        match self.space {
            MotionSpace::Planar => RateJacobian::Zero,
            MotionSpace::Spatial => RateJacobian::Quaternion(Vec3::new(v[3], v[4], v[5])),
        }
    }
    fn normalise(&self, q: &mut [f64]) {
        if self.space == MotionSpace::Spatial {
            FRAME.normalise(&mut q[..7]);
        }
    }
}

impl ReferenceFrame for Modal {
    fn steady_rotation(
        &self,
        q: &[f64],
        point: &Vec3,
        omega: &Vec3,
        v: &mut [f64],
        vdot: &mut [f64],
    ) -> SteadyRotation {
        let nv = self.rigid_sizes().0;
        // The frame rotates, and the shapes keep their amplitudes.
        v[nv..].fill(0.0);
        vdot[nv..].fill(0.0);
        match self.space {
            MotionSpace::Planar => {
                PlanarBody::new(1.0, 1.0).steady_rotation(&q[..3], point, omega, &mut v[..3], &mut vdot[..3])
            }
            MotionSpace::Spatial => FRAME.steady_rotation(&q[..7], point, omega, &mut v[..6], &mut vdot[..6]),
        }
    }
    fn unwrapped_angle(&self, q: &[f64]) -> Option<f64> {
        (self.space == MotionSpace::Planar).then(|| q[2])
    }
}
