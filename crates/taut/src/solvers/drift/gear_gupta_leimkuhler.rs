//! Gear, Gupta and Leimkuhler: an additional multiplier for the velocity that moves the coordinates.
//!
//! [Masarati2010] eqs. (10a)–(11a): q̇ = N w, w = v − W⁻¹Aᵀ(A W⁻¹Aᵀ)⁺ (A v + φ_t). Neither v nor q is corrected
//! afterwards, so φ drifts only with the error of the quadrature.

use super::{DriftAction, DriftParameters, ProjectionWeight};
use crate::equations::Equations;
use crate::formulations::CoordinateVelocity;

pub(super) struct Control;

impl DriftAction for Control {
    type Values = ProjectionWeight;

    fn values(weight: ProjectionWeight, _given: DriftParameters) -> ProjectionWeight {
        weight
    }
    fn weight(weight: &ProjectionWeight) -> Option<&ProjectionWeight> {
        Some(weight)
    }
    const COORDINATE_VELOCITY: CoordinateVelocity = CoordinateVelocity::Corrected;
    // r = φ̇.
    fn coordinate_velocity_residual(_weight: &ProjectionWeight, eq: &Equations, _h: f64, residual: &mut Vec<f64>) {
        residual.clear();
        residual.extend_from_slice(&eq.phidot);
    }
}
