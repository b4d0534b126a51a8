//! Rotary inertia of the nodes of a modal body: it rotates with them, like that of a rigid disc on a shaft.
//!
//! ```text
//!  θ = Ψ a      R = exp(θ×)      s = T θ̇        rotation, and angular velocity relative to the frame; T the tangent of exp
//!  w = ω + s    Jₙ = R J Rᵀ                     T_rot = ½ w·Jₙ w
//!  M += [1 TΨ]ᵀ Jₙ [1 TΨ]       f −= [1 TΨ]ᵀ (Jₙ (ω × s + Ṫ θ̇) + w × Jₙ w)
//! ```
//!
//! This is exact: M stays positive definite however light the rest of the body is.

use crate::beams::RotationVector;
use crate::motion::{Mat3, Vec3};

/// Rotary inertia of a node, about its mass centre, and its rotation in each shape.
#[derive(Clone, Debug)]
pub(super) struct RotaryInertia {
    pub J: Mat3,
    pub psi: Vec<Vec3>,
}

/// The rotary inertia of a node in its rotated pose.
pub(super) struct RotatedInertia<'a> {
    rotary: &'a RotaryInertia,
    turn: RotationVector,
    /// Jₙ.
    pub J: Mat3,
    /// T.
    tangent: Mat3,
}

fn sum(psi: &[Vec3], x: &[f64]) -> Vec3 {
    psi.iter().zip(x).fold(Vec3::zeros(), |sum, (psi, x)| sum + psi * *x)
}

impl RotaryInertia {
    /// At these amplitudes.
    pub fn rotated(&self, a: &[f64]) -> RotatedInertia<'_> {
        let turn = RotationVector::new(sum(&self.psi, a));
        let R = turn.exp();
        RotatedInertia { rotary: self, J: R * self.J * R.transpose(), tangent: turn.J(), turn }
    }
}

impl RotatedInertia<'_> {
    /// Calls `call` with each shape and its coupling column of M to rotations of the frame.
    pub fn for_each_coupling(&self, mut call: impl FnMut(usize, Vec3)) {
        let JT = self.J * self.tangent;
        self.rotary.psi.iter().enumerate().for_each(|(j, psi)| call(j, JT * psi));
    }

    /// Calls `call` with each pair of shapes (first ≤ second) and their entry of M.
    pub fn for_each_shape_pair(&self, mut call: impl FnMut(usize, usize, f64)) {
        let inner = self.tangent.tr_mul(&(self.J * self.tangent));
        for (j, psi) in self.rotary.psi.iter().enumerate() {
            let with = inner * psi;
            self.rotary.psi[j..].iter().enumerate().for_each(|(k, other)| call(j, j + k, other.dot(&with)));
        }
    }

    /// w.
    fn angular_velocity(&self, rate: &[f64], w: &Vec3) -> Vec3 {
        w + self.tangent * sum(&self.rotary.psi, rate)
    }

    /// T_rot.
    pub fn kinetic(&self, rate: &[f64], w: &Vec3) -> f64 {
        let w = self.angular_velocity(rate, w);
        0.5 * w.dot(&(self.J * w))
    }

    /// The gyroscopic moment on the frame; calls `on_shape` with each shape and the force on it.
    pub fn gyroscopic_forces(&self, rate: &[f64], w: &Vec3, mut on_shape: impl FnMut(usize, f64)) -> Vec3 {
        let theta_dot = sum(&self.rotary.psi, rate);
        let s = self.tangent * theta_dot;
        let (bias, whole) = (w.cross(&s) + self.turn.dJ(&theta_dot) * theta_dot, w + s);
        let moment = -(self.J * bias + whole.cross(&(self.J * whole)));
        let on = self.tangent.tr_mul(&moment);
        self.rotary.psi.iter().enumerate().for_each(|(j, psi)| on_shape(j, psi.dot(&on)));
        moment
    }
}
