//! Kinetic and potential energy of a body.

use crate::motion::{Motion, Vec3};

/// The energies of one body and its nonconservative power.
///
/// ```text
///  d(T + V)/dt = loss + power of forces and constraints        T = ½ vᵀ M v        V = −m g·p + strain energy
/// ```
pub trait Energies {
    /// Potential energy: −m g·p of the mass centre, and strain energy.
    fn potential(&self, q: &[f64], own: &Motion, g: &Vec3) -> f64;
    /// Kinetic energy.
    fn kinetic(&self, q: &[f64], v: &[f64], own: &Motion) -> f64;
    /// Power of the internal forces that do not derive from the potential.
    fn nonconservative_power(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64]) -> f64 {
        0.0
    }
}
