//! Gear, Gupta and Leimkuhler: an additional multiplier for the velocity that moves the coordinates.
//!
//! [Masarati2010] eqs. (10a)–(11a): q̇ = N w, w = v − W⁻¹Aᵀ(A W⁻¹Aᵀ)⁺ (A v + φ_t). Neither v nor q is corrected
//! afterwards, so φ drifts only with the error of the quadrature.

use crate::equations::Equations;

/// r = φ̇, so that A (w − v) = −r.
pub(super) fn coordinate_velocity_residual(eq: &Equations, residual: &mut Vec<f64>) {
    residual.clear();
    residual.extend_from_slice(&eq.phidot);
}
