//! A rigid body in space with Euler parameters.

use super::rotation_parameters::{self, RotationTangent};
use super::{
    Body, Definiteness, Energies, ExtraColumn, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame,
    RigidBody, Sizes,
};
use crate::constraints::{ConstraintKind, UnitNorm};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench, rotation_of_quaternion};
use nalgebra::SVector;
use serde::{Deserialize, Serialize};

/// A rigid body in space with Euler parameters and their rates: q = (p, e), v = (ṗ, ė), and |e|² = 1 as a constraint.
///
/// \[Newhart2019\] eqs. (30)–(35), with ë on the left of (32) and the multiplier + 2 e λ on the right:
///
/// ```text
///  4 GᵀJG ë = 2 Gᵀn' + 8 ĠᵀJĠ e + 2 e λ,     |e|² = 1
/// ```
///
/// In world axes ω = T ė with T = 2 E(e)/|e|² (34), which is the angular velocity of e/|e| also off the manifold, and
/// 4 GᵀJG = TᵀJT. This matrix has rank 3, since E e = 0. Therefore c e eᵀ with c = tr J is added to the mass matrix and
/// c e |ė|² subtracted from the forces. Together they are c e (e·ë + |ė|²), which vanishes if the constraint holds at
/// acceleration level: the motion is that of (32). They are the Lagrange terms of the energy ½ c (e·ė)².
///
/// Forces enter as Tᵀm, without a component along e. The component of 8 ĠᵀJĠ e along e, which (32) balances by λ = −ω·Jω, is
/// omitted on both sides: here λ = 0 except for errors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EulerParameters {
    /// The body: mass properties and initial state.
    #[serde(flatten)]
    pub rigid: RigidBody,
}

/// Components of e.
const NAMES: [&str; 4] = ["qw", "qx", "qy", "qz"];

/// T = 2 E(e)/|e|².
fn tangent(q: &[f64]) -> RotationTangent<4> {
    let [e0, e1, e2, e3] = [q[3], q[4], q[5], q[6]];
    let k = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3);
    // [Newhart2019] eq. (34)
    RotationTangent::<4>::new(-e1, e0, -e3, e2, -e2, e3, e0, -e1, -e3, -e2, e1, e0) * k
}

impl EulerParameters {
    /// c = tr J, of the order of the other inertia terms.
    fn norm_inertia(&self) -> f64 {
        self.rigid.tensor().trace()
    }
}

impl Body for EulerParameters {
    fn check(&self) -> Result<(), ParameterError> {
        self.rigid.check()
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        let mut turning = [0.0; 6];
        self.rigid.initial_state(q, &mut turning, &mut []);
        // The quaternion's own ė = ½ (0, ω) ∘ e.
        let mut rate = [0.0; 7];
        self.rigid.coordinate_rates(q, &turning, &mut rate);
        v.copy_from_slice(&rate);
    }

    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        own.p = Vec3::new(q[0], q[1], q[2]);
        own.R = rotation_of_quaternion(&rotation_parameters::unit_quaternion(&q[3..]));
    }
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        rotation_parameters::marker_pose(q, own, marker, seen);
    }
    fn frame_twist(&self, q: &[f64], v: &[f64], own: &mut Motion) {
        let (e, u) = (SVector::<f64, 4>::from_column_slice(&q[3..]), SVector::<f64, 4>::from_column_slice(&v[3..]));
        own.v = Vec3::new(v[0], v[1], v[2]);
        own.w = tangent(q) * u;
        // Ė ė = 0: only |e| changes T.
        own.bw = own.w * (-2.0 * e.dot(&u) / e.norm_squared());
    }
    fn marker_twist(&self, _q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        rotation_parameters::marker_twist(v, own, marker, seen);
    }

    fn mass_matrix(&self, q: &[f64], own: &Motion, M: &mut [f64]) {
        let (T, rigid, c) = (tangent(q), rotation_parameters::mass_matrix(&self.rigid, own), self.norm_inertia());
        let coupling = rigid.fixed_view::<3, 3>(0, 3) * T;
        let turning = T.transpose() * rigid.fixed_view::<3, 3>(3, 3) * T;
        M.fill(0.0);
        (0..3).for_each(|i| M[8 * i] = self.rigid.mass);
        for j in 0..4 {
            for i in 0..3 {
                M[7 * (3 + j) + i] = coupling[(i, j)];
                M[7 * i + 3 + j] = coupling[(i, j)];
            }
            (0..4).for_each(|i| M[7 * (3 + j) + 3 + i] = turning[(i, j)] + c * q[3 + i] * q[3 + j]);
        }
    }
    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(v);
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
        let (force, moment) = rotation_parameters::inertia_wrench(&self.rigid, own);
        rotation_parameters::add_generalised_force(&tangent(q), &force, &moment, f);
        let k = self.norm_inertia() * v[3..].iter().map(|u| u * u).sum::<f64>();
        (3..7).for_each(|i| f[i] -= k * q[i]);
    }
    fn gravity_force(&self, q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]) {
        let (force, moment) = rotation_parameters::gravity_wrench(&self.rigid, own, g);
        rotation_parameters::add_generalised_force(&tangent(q), &force, &moment, f);
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..7).for_each(|i| q[i] += delta[i]);
    }
}

impl Quantities for EulerParameters {
    fn sizes(&self) -> Sizes {
        Sizes { q: 7, v: 7, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        rotation_parameters::coordinates(&NAMES, "1")
    }
    fn velocities(&self) -> Vec<Quantity> {
        rotation_parameters::velocities(&["qw'", "qx'", "qy'", "qz'"], "1/s")
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        self.coordinates().iter().position(|c| c.name == name)
    }
    fn extra_columns(&self) -> &'static [ExtraColumn] {
        &[ExtraColumn::AngularVelocity]
    }
}

impl Jacobian for EulerParameters {
    fn apply_transpose(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        rotation_parameters::apply_transpose(&tangent(q), own, marker, seen, on, f);
    }
}

impl Energies for EulerParameters {
    fn potential(&self, q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        self.rigid.potential(q, own, g)
    }
    fn kinetic(&self, q: &[f64], v: &[f64], own: &Motion) -> f64 {
        let along: f64 = (3..7).map(|i| q[i] * v[i]).sum();
        self.rigid.kinetic(q, v, own) + 0.5 * self.norm_inertia() * along * along
    }
}

impl MassMatrix for EulerParameters {
    fn definiteness(&self) -> Definiteness {
        self.rigid.definiteness()
    }
}

impl Manifold for EulerParameters {
    fn coordinate_constraint(&self, name: &str) -> Option<ConstraintKind> {
        Some(UnitNorm::of(NAMES.map(|e| format!("{name}.{e}"))).into())
    }
}

impl ReferenceFrame for EulerParameters {}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3x4, SMatrix, Vector4};

    /// G of [Newhart2019] eq. (33).
    fn G(e: &Vector4<f64>) -> Matrix3x4<f64> {
        let [e0, e1, e2, e3] = [e[0], e[1], e[2], e[3]];
        Matrix3x4::new(-e1, e0, e3, -e2, -e2, -e3, e0, e1, -e3, e2, -e1, e0)
    }

    #[test]
    fn accelerations_are_those_of_the_thesis() {
        let mut rigid = RigidBody::new(1.0, [0.5, 0.6, 0.7]).moving([0.0; 3], [1.1, 0.7, -0.8]);
        rigid.inertia[3..].copy_from_slice(&[0.05, -0.08, 0.03]);
        rigid.orientation = crate::Orientation::RotationVector([0.4, -0.7, 0.5]);
        let body = EulerParameters { rigid };
        let (mut q, mut v, mut own) = ([0.0; 7], [0.0; 7], Motion::REST);
        body.initial_state(&mut q, &mut v, &mut []);
        body.frame_pose(&q, &mut own);
        body.frame_twist(&q, &v, &mut own);
        assert!((own.w - Vec3::new(1.1, 0.7, -0.8)).norm() < 1e-15);
        let (e, u) = (Vector4::from_column_slice(&q[3..]), Vector4::from_column_slice(&v[3..]));
        let n = Vec3::new(0.3, -0.2, 0.6);

        // [4GᵀJG, −2e; 2eᵀ, 0] (ë, λ) = (2Gᵀn' + 8ĠᵀJĠe, −2|ė|²), n' the moment in body axes.
        let J = body.rigid.tensor();
        let mut K = SMatrix::<f64, 5, 5>::zeros();
        K.fixed_view_mut::<4, 4>(0, 0).copy_from(&(4.0 * G(&e).transpose() * J * G(&e)));
        K.fixed_view_mut::<4, 1>(0, 4).copy_from(&(-2.0 * e));
        K.fixed_view_mut::<1, 4>(4, 0).copy_from(&(2.0 * e.transpose()));
        let mut right = SMatrix::<f64, 5, 1>::zeros();
        let own_right = 2.0 * G(&e).tr_mul(&own.R.tr_mul(&n)) + 8.0 * G(&u).tr_mul(&(J * G(&u) * e));
        right.fixed_view_mut::<4, 1>(0, 0).copy_from(&own_right);
        right[4] = -2.0 * u.norm_squared();
        let thesis = K.lu().solve(&right).unwrap();
        let w_B = own.R.tr_mul(&own.w);
        assert!((thesis[4] + w_B.dot(&(J * w_B))).abs() < 1e-14, "λ = −ω·Jω");

        // M v̇ = f alone satisfies the norm already, since λ = 0.
        let (mut M, mut f) = ([0.0; 49], [0.0; 7]);
        body.mass_matrix(&q, &own, &mut M);
        body.internal_forces(0.0, &q, &v, &[], &own, &mut f, &mut []);
        let here = MarkerPlacement::Frame(Vec3::zeros(), crate::MarkerAxes::Aligned);
        body.apply_transpose(&q, &own, &here, &own, &Wrench::moment(n), &mut f);
        let vdot = SMatrix::<f64, 7, 7>::from_column_slice(&M).lu().solve(&SVector::from_column_slice(&f)).unwrap();
        assert!((vdot.fixed_rows::<4>(3) - thesis.fixed_rows::<4>(0)).norm() < 1e-14);
    }
}
