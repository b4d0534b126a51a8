//! A rigid body in space with three angles and v = (ṗ, ω).

use super::rotation_parameters;
use super::{
    Body, ChartChange, Definiteness, Energies, ExtraColumn, Jacobian, Manifold, MassMatrix, Quantities, Quantity,
    ReferenceFrame, RigidBody, Sizes,
};
use crate::error::ParameterError;
use crate::marker::MarkerPlacement;
use crate::motion::{Mat3, Motion, Vec3, Wrench};
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// |det T| below which the sequence is switched: |det T| of the next sequence is then at least 0.86.
const SWITCH_DETERMINANT: f64 = 0.5;
/// |det T| below which there is a warning if the sequence is fixed.
const WARNING_DETERMINANT: f64 = 0.1;
/// |det T| below which a run cannot start.
const SINGULAR_DETERMINANT: f64 = 1e-6;

/// The axes of three successive rotations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisSequence {
    /// Precession, nutation, spin; singular if the body's z is along the world's z.
    #[default]
    Zxz,
    /// Cardan angles; singular if the body's z is along the world's x.
    Xyz,
    /// Yaw, pitch, roll; singular if the body's x is along the world's z.
    Zyx,
}

impl AxisSequence {
    const ALL: [AxisSequence; 3] = [AxisSequence::Zxz, AxisSequence::Xyz, AxisSequence::Zyx];

    /// i, j, k.
    fn axes(self) -> [usize; 3] {
        match self {
            AxisSequence::Zxz => [2, 0, 2],
            AxisSequence::Xyz => [0, 1, 2],
            AxisSequence::Zyx => [2, 1, 0],
        }
    }

    /// A sequence whose singular poses are far from those of this one.
    fn next(self) -> AxisSequence {
        match self {
            AxisSequence::Zxz => AxisSequence::Xyz,
            AxisSequence::Xyz | AxisSequence::Zyx => AxisSequence::Zxz,
        }
    }

    /// |det T| in the pose R.
    fn tangent_determinant(self, R: &Mat3) -> f64 {
        let [i, _, k] = self.axes();
        (1.0 - R[(i, k)] * R[(i, k)]).max(0.0).sqrt()
    }

    /// Angles of R: of all triples that describe it, the one nearest to `old`.
    fn angles(self, R: &Mat3, old: &[f64; 3]) -> [f64; 3] {
        let [i, j, k] = self.axes();
        let m = 3 - i - j;
        // +1 where i, j, m are in cyclic order.
        let sign = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let found = if i == k {
            let b = R.fixed_view::<3, 1>(0, i).into_owned();
            let sine = b[j].hypot(b[m]);
            [b[j].atan2(-sign * b[m]), sine.atan2(R[(i, i)]), R[(i, j)].atan2(sign * R[(i, m)])]
        } else {
            let cosine = R[(i, i)].hypot(R[(i, j)]);
            [
                (-sign * R[(j, k)]).atan2(R[(k, k)]),
                (sign * R[(i, k)]).atan2(cosine),
                (-sign * R[(i, j)]).atan2(R[(i, i)]),
            ]
        };
        // The second triple of the same pose: half a turn more about the first and last axis, the middle angle reflected.
        let over = if i == k { -found[1] } else { PI - found[1] };
        let near = |a: [f64; 3]| [0, 1, 2].map(|n| a[n] + TAU * ((old[n] - a[n]) / TAU).round());
        let (one, two) = (near(found), near([found[0] + PI, over, found[2] + PI]));
        let far = |a: &[f64; 3]| (0..3).map(|n| (a[n] - old[n]).powi(2)).sum::<f64>();
        if far(&one) <= far(&two) { one } else { two }
    }

    /// The quaternion of the angles, continuous in them.
    fn quaternion(self, a: &[f64]) -> [f64; 4] {
        let turn = |axis: usize, angle: f64| {
            let (s, c) = (0.5 * angle).sin_cos();
            let mut q = [c, 0.0, 0.0, 0.0];
            q[1 + axis] = s;
            q
        };
        let [i, j, k] = self.axes();
        rotation_parameters::unit_quaternion(&rotation_parameters::quaternion_product(
            &rotation_parameters::quaternion_product(&turn(i, a[0]), &turn(j, a[1])),
            &turn(k, a[2]),
        ))
    }

    /// T with ω = T ȧ.
    fn tangent(self, a: &[f64]) -> Mat3 {
        let [i, j, k] = self.axes();
        let (one, two) = (rotation_about(i, a[0]), rotation_about(j, a[1]));
        let e = |n: usize| Mat3::identity().column(n).into_owned();
        Mat3::from_columns(&[e(i), one * e(j), one * two * e(k)])
    }
}

/// R of a rotation about a coordinate axis.
fn rotation_about(axis: usize, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    let (n, m) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut R = Mat3::identity();
    (R[(n, n)], R[(m, m)], R[(m, n)], R[(n, m)]) = (c, c, s, -s);
    R
}

/// What to do near the singularity of a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequenceSwitching {
    /// Switch to another sequence.
    #[default]
    Automatic,
    /// Keep the sequence; the solution contains a warning.
    Off,
}

/// A rigid body in space with three angles: q = (p, a, sequence), v = (ṗ, ω), R = R_i(a₁) R_j(a₂) R_k(a₃) about the rotated axes.
///
/// ```text
///  ω = T ȧ,  T = [e_i, R_i e_j, R_i R_j e_k],  ȧ = T⁻¹ ω,  det T = ∓ sin a₂ (i = k) or cos a₂ (i ≠ k)
/// ```
///
/// The velocities are (ṗ, ω), not the rates of the angles. The mass matrix is then that of the [`RigidBody`], regular in
/// every pose and independent of ȧ; only q̇ = N(q) v is singular, and a change of the sequence does not change v. With the
/// rates as velocities, TᵀJT would be singular where T is. \[Newhart2019\] eqs. (26)–(29), where the element (2,1) of the matrix
/// of z–x–z must read sin φ cos ψ + cos φ cos θ sin ψ.
///
/// A step that ends near the singularity, with |det T| < 0.5, switches to a sequence that is regular there. The current
/// sequence is the last entry of q, with rate zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EulerAngles {
    /// The body: mass properties and initial state.
    #[serde(flatten)]
    pub rigid: RigidBody,
    /// The sequence at the start.
    #[serde(default)]
    pub sequence: AxisSequence,
    /// What to do near its singularity.
    #[serde(rename = "sequence_switching", default)]
    pub sequence_switching: SequenceSwitching,
}

impl EulerAngles {
    /// The body with angles of this sequence, which is switched near its singularity.
    pub fn new(rigid: RigidBody, sequence: AxisSequence) -> EulerAngles {
        EulerAngles { rigid, sequence, sequence_switching: SequenceSwitching::Automatic }
    }

    /// The same without switching the sequence.
    pub fn without_switching(mut self) -> EulerAngles {
        self.sequence_switching = SequenceSwitching::Off;
        self
    }
}

/// The current sequence.
fn current_sequence(q: &[f64]) -> AxisSequence {
    AxisSequence::ALL[(q[6].round().max(0.0) as usize).min(2)]
}

fn rotation_matrix(q: &[f64]) -> Mat3 {
    let [i, j, k] = current_sequence(q).axes();
    rotation_about(i, q[3]) * rotation_about(j, q[4]) * rotation_about(k, q[5])
}

/// Writes the angles of R in a sequence; their quaternion has the sign of `attitude`.
fn write_angles(q: &mut [f64], R: &Mat3, s: AxisSequence, attitude: &[f64; 4]) {
    let mut a = s.angles(R, &[0.0, if s.axes()[0] == s.axes()[2] { 1.0 } else { 0.0 }, 0.0]);
    if s.quaternion(&a).iter().zip(attitude).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
        a[0] += TAU;
    }
    q[3..6].copy_from_slice(&a);
    q[6] = AxisSequence::ALL.iter().position(|x| *x == s).unwrap_or(0) as f64;
}

impl Body for EulerAngles {
    fn check(&self) -> Result<(), ParameterError> {
        self.rigid.check()?;
        let R = self.rigid.orientation.matrix().unwrap_or_else(|_| Mat3::identity());
        if self.sequence_switching == SequenceSwitching::Off
            && self.sequence.tangent_determinant(&R) < SINGULAR_DETERMINANT
        {
            let what = "the angles are singular in the initial orientation: use another sequence, or let it be \
                        switched";
            return Err(ParameterError::invalid("sequence", what));
        }
        Ok(())
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        let mut own = [0.0; 7];
        self.rigid.initial_state(&mut own, v, &mut []);
        q[..3].copy_from_slice(&own[..3]);
        let R = self.rigid.orientation.matrix().unwrap_or_else(|_| Mat3::identity());
        let near = self.sequence_switching == SequenceSwitching::Automatic
            && self.sequence.tangent_determinant(&R) < SWITCH_DETERMINANT;
        let sequence = if near { self.sequence.next() } else { self.sequence };
        write_angles(q, &R, sequence, &[own[3], own[4], own[5], own[6]]);
    }

    fn frame_pose(&self, q: &[f64], own: &mut Motion) {
        own.p = Vec3::new(q[0], q[1], q[2]);
        own.R = rotation_matrix(q);
    }
    fn marker_pose(&self, q: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        rotation_parameters::marker_pose(q, own, marker, seen);
    }
    fn frame_twist(&self, q: &[f64], v: &[f64], own: &mut Motion) {
        self.rigid.frame_twist(q, v, own);
    }
    fn marker_twist(&self, q: &[f64], v: &[f64], own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        self.rigid.marker_twist(q, v, own, marker, seen);
    }

    fn mass_matrix(&self, q: &[f64], own: &Motion, M: &mut [f64]) {
        self.rigid.mass_matrix(q, own, M);
    }
    fn coordinate_rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot[..3].copy_from_slice(&v[..3]);
        // In the singular pose the rates do not exist: NaN, so that step-size control reduces the step.
        let N = current_sequence(q).tangent(&q[3..6]).try_inverse().unwrap_or_else(|| Mat3::repeat(f64::NAN));
        qdot[3..6].copy_from_slice((N * Vec3::new(v[3], v[4], v[5])).as_slice());
        qdot[6] = 0.0;
    }
    fn internal_forces(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], own: &Motion, f: &mut [f64], zdot: &mut [f64]) {
        self.rigid.internal_forces(t, q, v, z, own, f, zdot);
    }
    fn gravity_force(&self, q: &[f64], own: &Motion, g: &Vec3, f: &mut [f64]) {
        self.rigid.gravity_force(q, own, g, f);
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        (0..3).for_each(|i| q[i] += delta[i]);
        // Finite rotation by the rotation vector δ, as for the quaternion.
        let turn = Vec3::new(delta[3], delta[4], delta[5]);
        if turn != Vec3::zeros() {
            let R = nalgebra::Rotation3::new(turn).into_inner() * rotation_matrix(q);
            let a = current_sequence(q).angles(&R, &[q[3], q[4], q[5]]);
            q[3..6].copy_from_slice(&a);
        }
    }
}

impl Quantities for EulerAngles {
    fn sizes(&self) -> Sizes {
        Sizes { q: 7, v: 6, z: 0 }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        let mut list = rotation_parameters::coordinates(&["angle_1", "angle_2", "angle_3"], "rad");
        list.push(Quantity::new("sequence", "1"));
        list
    }
    fn velocities(&self) -> Vec<Quantity> {
        self.rigid.velocities()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        self.rigid.coordinate_index(name)
    }
    fn extra_columns(&self) -> &'static [ExtraColumn] {
        &[ExtraColumn::Attitude]
    }
    fn attitude(&self, q: &[f64]) -> [f64; 4] {
        current_sequence(q).quaternion(&q[3..6])
    }
}

impl Jacobian for EulerAngles {
    fn apply_transpose(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        self.rigid.apply_transpose(q, own, marker, seen, on, f);
    }
}

impl Energies for EulerAngles {
    fn potential(&self, q: &[f64], own: &Motion, g: &Vec3) -> f64 {
        self.rigid.potential(q, own, g)
    }
    fn kinetic(&self, q: &[f64], v: &[f64], own: &Motion) -> f64 {
        self.rigid.kinetic(q, v, own)
    }
}

impl MassMatrix for EulerAngles {
    fn definiteness(&self) -> Definiteness {
        self.rigid.definiteness()
    }
}

impl Manifold for EulerAngles {
    fn displacement(&self, q: &[f64], dq: &[f64], delta: &mut [f64]) {
        delta[..3].copy_from_slice(&dq[..3]);
        let turn = current_sequence(q).tangent(&q[3..6]) * Vec3::new(dq[3], dq[4], dq[5]);
        delta[3..].copy_from_slice(turn.as_slice());
    }
    fn displacement_rate(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        self.rigid.displacement_rate(delta, v, rate);
    }
    fn change_chart(&self, q: &mut [f64], _v: &mut [f64]) -> ChartChange {
        let (R, s) = (rotation_matrix(q), current_sequence(q));
        let regularity = s.tangent_determinant(&R);
        match self.sequence_switching {
            SequenceSwitching::Automatic if regularity < SWITCH_DETERMINANT => {
                let attitude = self.attitude(q);
                write_angles(q, &R, s.next(), &attitude);
                ChartChange::Changed
            }
            SequenceSwitching::Off if regularity < WARNING_DETERMINANT => {
                ChartChange::IllConditioned("the angles of its sequence are nearly singular")
            }
            _ => ChartChange::Kept,
        }
    }
}

impl ReferenceFrame for EulerAngles {}
