//! A rigid body in space with Gibbs–Rodrigues parameters.

use super::rotation_parameters::{self, RotationTangent};
use super::{
    Body, ChartChange, Definiteness, Energies, ExtraColumn, Jacobian, Manifold, MassMatrix, Quantities, Quantity,
    ReferenceFrame, RigidBody, Sizes, Symmetry,
};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Vec3, Wrench, rotation_of_quaternion};
use serde::{Deserialize, Serialize};

/// |g| above which the reference is changed: 2 tan 22.5°. A larger bound takes more steps: a free tumbling body took 140 with
/// a quarter of a turn, 114 with an eighth.
const REFERENCE_CHANGE_NORM: f64 = 0.828;

/// A rigid body in space with Gibbs–Rodrigues parameters: q = (p, g, reference), v = (ṗ, ġ), R = R(g) R_ref.
///
/// g = 2 tan(φ/2) n describes the rotation by φ about n from a reference orientation, with k = 4/(4 + g·g):
///
/// ```text
///  R(g) = I + k (g× + g×g×/2),   ω = Γ ġ,   Γ = k (I + g×/2),   Γ⁻¹ = I − g×/2 + g gᵀ/4
///  [m I, −m c×; m c×, J] (p̈, Γ g̈ + Γ̇ ġ) = f
/// ```
///
/// \[FumagalliMasarati2009\] appendix 2: the equations remain those of (p̈, ω̇) and only the unknowns become g̈, so that the
/// mass matrix M_ω diag(I, Γ) is not symmetric. A row acts on ġ as A_ω Γ, and its multiplier on the equations as A_ωᵀ:
/// `reaction_row` multiplies by Γ⁻ᵀ (the paper's A*ᵀ is wrong there).
///
/// At half a turn g is infinite. The reference is part of q, with rate zero. A step that ends more than an eighth of a turn
/// from it takes the present orientation as the next reference: g = 0, ġ = ω.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rodrigues {
    /// The body: mass properties and initial state.
    #[serde(flatten)]
    pub rigid: RigidBody,
}

fn parameters(q: &[f64]) -> Vec3 {
    Vec3::new(q[3], q[4], q[5])
}

/// Γ with ω = Γ ġ.
fn tangent(q: &[f64]) -> RotationTangent<3> {
    let g = parameters(q);
    (RotationTangent::identity() + g.cross_matrix() * 0.5) * (4.0 / (4.0 + g.norm_squared()))
}

/// Γ⁻¹.
fn tangent_inverse(q: &[f64]) -> RotationTangent<3> {
    let g = parameters(q);
    RotationTangent::identity() - g.cross_matrix() * 0.5 + g * g.transpose() * 0.25
}

impl Body for Rodrigues {
    fn check(&self) -> Result<(), ParameterError> {
        self.rigid.check()
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        let mut own = [0.0; 7];
        self.rigid.initial_state(&mut own, v, &mut []);
        q.fill(0.0);
        q[..3].copy_from_slice(&own[..3]);
        q[6..].copy_from_slice(&own[3..]);
    }

    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        own.p = Vec3::new(q[0], q[1], q[2]);
        own.R = rotation_of_quaternion(&self.attitude(q));
    }
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        rotation_parameters::marker_pose(q, own, marker, seen);
    }
    fn frame_twist(&self, q: &[f64], v: &[f64], own: &mut Motion) {
        let (g, u) = (parameters(q), Vec3::new(v[3], v[4], v[5]));
        own.v = Vec3::new(v[0], v[1], v[2]);
        own.w = tangent(q) * u;
        // Γ̇ ġ = (k̇/k) Γ ġ, since ġ×ġ = 0.
        own.bw = own.w * (-2.0 * g.dot(&u) / (4.0 + g.norm_squared()));
    }
    fn marker_twist(&self, _q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        rotation_parameters::marker_twist(v, own, marker, seen);
    }

    fn mass_matrix(&self, q: &[f64], own: &Motion, M: &mut [f64]) {
        let mut rigid = rotation_parameters::mass_matrix(&self.rigid, own);
        let turning = rigid.fixed_view::<6, 3>(0, 3) * tangent(q);
        rigid.fixed_view_mut::<6, 3>(0, 3).copy_from(&turning);
        M.copy_from_slice(rigid.as_slice());
    }
    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.fill(0.0);
        qdot[..6].copy_from_slice(v);
    }
    fn internal_forces(
        &self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _z: &[f64],
        own: &Motion,
        f: &mut [f64],
        _zdot: &mut [f64],
    ) {
        let (force, moment) = rotation_parameters::inertia_wrench(&self.rigid, own);
        rotation_parameters::add_generalised_force(&RotationTangent::<3>::identity(), &force, &moment, f);
    }
    fn gravity_force(&self, q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]) {
        self.rigid.gravity_force(q, own, g, f);
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..6).for_each(|i| q[i] += delta[i]);
    }
}

impl Quantities for Rodrigues {
    fn sizes(&self) -> Sizes {
        Sizes { q: 10, v: 6, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        let mut list = rotation_parameters::coordinates(&["gx", "gy", "gz"], "rad");
        list.extend(["rw", "rx", "ry", "rz"].map(|n| Quantity::new(n, "1")));
        list
    }
    fn velocities(&self) -> Vec<Quantity> {
        rotation_parameters::velocities(&["gx'", "gy'", "gz'"], "rad/s")
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        // g starts from zero with every new reference: no marker can refer to it.
        ["x", "y", "z"].iter().position(|c| *c == name)
    }
    fn extra_columns(&self) -> &'static [ExtraColumn] {
        &[ExtraColumn::Attitude, ExtraColumn::AngularVelocity]
    }
    fn attitude(&self, q: &[f64]) -> [f64; 4] {
        // (cos φ/2, n sin φ/2) is parallel to (2, g): below half a turn the sign does not change.
        rotation_parameters::unit_quaternion(&rotation_parameters::quaternion_product(
            &[2.0, q[3], q[4], q[5]],
            &[q[6], q[7], q[8], q[9]],
        ))
    }
}

impl Jacobian for Rodrigues {
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

impl Energies for Rodrigues {
    fn potential(&self, q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        self.rigid.potential(q, own, g)
    }
    fn kinetic(&self, q: &[f64], v: &[f64], own: &Motion) -> f64 {
        self.rigid.kinetic(q, v, own)
    }
}

impl MassMatrix for Rodrigues {
    fn symmetry(&self) -> Symmetry {
        Symmetry::NonSymmetric
    }
    fn definiteness(&self) -> Definiteness {
        self.rigid.definiteness()
    }
    fn reaction_row(&self, q: &[f64], row: &mut [f64]) {
        let moment = tangent_inverse(q).tr_mul(&Vec3::new(row[3], row[4], row[5]));
        row[3..].copy_from_slice(moment.as_slice());
    }
}

impl Manifold for Rodrigues {
    fn change_chart(&self, q: &mut [f64], v: &mut [f64]) -> ChartChange {
        if parameters(q).norm() <= REFERENCE_CHANGE_NORM {
            return ChartChange::Kept;
        }
        let w = tangent(q) * Vec3::new(v[3], v[4], v[5]);
        let attitude = self.attitude(q);
        q[3..6].fill(0.0);
        q[6..].copy_from_slice(&attitude);
        v[3..].copy_from_slice(w.as_slice());
        ChartChange::Changed
    }
}

impl ReferenceFrame for Rodrigues {}
