//! Rigid bodies whose rotational velocities are rates u other than ω: ω = T(q) u, ω̇ = T u̇ + β.
//!
//! With X = diag(I, T), v = (ṗ, u) and the equations of the [`RigidBody`] M_ω (p̈, ω̇) = f_ω, this file contains what all such
//! parametrisations share: twists of markers, Jᵀw, and f_ω − M_ω (0, β), the forces that remain when the unknowns are v̇.

use super::{Body, Quantity, RigidBody};
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::{Matrix6, SMatrix};

/// T with ω = T u.
pub(super) type RotationTangent<const K: usize> = SMatrix<f64, 3, K>;

/// Names and units of p, then of the rotation.
pub(super) fn coordinates(rotation: &[&str], unit: &'static str) -> Vec<Quantity> {
    let m = ["x", "y", "z"].iter().map(|n| Quantity::new(n, "m"));
    m.chain(rotation.iter().map(|n| Quantity::new(n, unit))).collect()
}

/// Names and units of ṗ, then of u.
pub(super) fn velocities(rates: &[&str], unit: &'static str) -> Vec<Quantity> {
    let v = ["vx", "vy", "vz"].iter().map(|n| Quantity::new(n, "m/s"));
    v.chain(rates.iter().map(|n| Quantity::new(n, unit))).collect()
}

/// Pose of a marker.
pub(super) fn marker_pose(q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
    match marker {
        MarkerPlacement::Frame(p_BM, axes) => {
            seen.R = axes.world_orientation(&own.R);
            seen.p = own.p + own.R * p_BM;
        }
        MarkerPlacement::Coordinate(i) => seen.p.x = q[*i],
    }
}

/// Twist and bias of a marker from those of the reference frame, whose angular bias is β.
pub(super) fn marker_twist(v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
    match marker {
        MarkerPlacement::Frame(..) => {
            let r = seen.p - own.p;
            let wr = own.w.cross(&r);
            (seen.w, seen.v) = (own.w, own.v + wr);
            (seen.bw, seen.bv) = (own.bw, own.w.cross(&wr) + own.bw.cross(&r));
        }
        MarkerPlacement::Coordinate(i) => seen.v.x = v[*i],
    }
}

/// f += Jᵀ w.
pub(super) fn apply_transpose<const K: usize>(
    T: &RotationTangent<K>,
    own: &Motion,
    marker: &MarkerPlacement,
    seen: &Motion,
    on: &Wrench,
    f: &mut [f64],
) {
    match marker {
        MarkerPlacement::Frame(..) => add_generalised_force(T, &on.f, &(on.m + (seen.p - own.p).cross(&on.f)), f),
        MarkerPlacement::Coordinate(i) => f[*i] += on.f.x,
    }
}

/// f += Xᵀ (force, moment).
pub(super) fn add_generalised_force<const K: usize>(
    T: &RotationTangent<K>,
    force: &Vec3,
    moment: &Vec3,
    f: &mut [f64],
) {
    (0..3).for_each(|i| f[i] += force[i]);
    let turning = T.tr_mul(moment);
    (0..K).for_each(|i| f[3 + i] += turning[i]);
}

/// M_ω of the body in this pose.
pub(super) fn mass_matrix(rigid: &RigidBody, own: &Motion) -> Matrix6<f64> {
    let mut M = Matrix6::zeros();
    rigid.mass_matrix(&[], own, M.as_mut_slice());
    M
}

/// Force and moment of f_ω − M_ω (0, β), weight excepted.
pub(super) fn inertia_wrench(rigid: &RigidBody, own: &Motion) -> (Vec3, Vec3) {
    let (mut f, w) = ([0.0; 6], own.w);
    rigid.internal_forces(0.0, &[], &[0.0, 0.0, 0.0, w.x, w.y, w.z], &[], own, &mut f, &mut []);
    let (J, s) = rigid.inertia_and_first_moment(&own.R);
    (Vec3::new(f[0], f[1], f[2]) + s.cross(&own.bw), Vec3::new(f[3], f[4], f[5]) - J * own.bw)
}

/// Force and moment of the weight.
pub(super) fn gravity_wrench(rigid: &RigidBody, own: &Motion, g: &Vec3) -> (Vec3, Vec3) {
    let mut f = [0.0; 6];
    rigid.gravity_force(&[], own, g, &mut f);
    (Vec3::new(f[0], f[1], f[2]), Vec3::new(f[3], f[4], f[5]))
}

/// The product of quaternions (w, x, y, z).
pub(super) fn quaternion_product(a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    ]
}

/// q / |q|.
pub(super) fn unit_quaternion(q: &[f64]) -> [f64; 4] {
    let k = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    [q[0] * k, q[1] * k, q[2] * k, q[3] * k]
}
