//! Braun and Goldfarb: first-order decay of both residuals, as described by [Kamaraj2021] eq. (15).

use super::{DriftAction, DriftParameters, ProjectionWeight};
use crate::constraints::RowLevel;
use crate::equations::Equations;
use crate::formulations::{CoordinateVelocity, Stiffness, StiffnessCharacter};
use serde::{Deserialize, Serialize};

/// The gain g of the corrections, in 1/s.
///
/// ```text
///  q̇ = N w,   w = v + M⁻¹Aᵀ(…)⁺ (−φ_t − A v − g φ)
///             v̇ with A v̇ = b − g φ̇
/// ```
///
/// The second row is printed with φ where φ̇ is meant: the units do not match, and it diverges. The gain is 1/h, with h
/// the current step, or a given number. With step-size control the gain 1/h drives the steps down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gain {
    /// 1/h with the current step; the first stage of a step of varying size still uses that of the previous step.
    #[default]
    PerStep,
    /// A fixed number.
    Fixed(f64),
}

impl Gain {
    /// Its value; zero before the first step, because the start satisfies the constraints.
    fn value(self, h: f64) -> f64 {
        match self {
            Gain::Fixed(gain) => gain,
            Gain::PerStep if h > 0.0 => 1.0 / h,
            Gain::PerStep => 0.0,
        }
    }
}

pub(super) struct Control;

impl DriftAction for Control {
    type Values = Gain;

    fn values(_weight: ProjectionWeight, given: DriftParameters) -> Gain {
        given.gain.map_or(Gain::PerStep, Gain::Fixed)
    }
    fn weight(_gain: &Gain) -> Option<&ProjectionWeight> {
        Some(&ProjectionWeight::Mass)
    }
    fn parameters(gain: &Gain) -> Vec<(&'static str, f64)> {
        match gain {
            Gain::Fixed(gain) => vec![("gain", *gain)],
            Gain::PerStep => Vec::new(),
        }
    }
    const MODIFIES_RHS: bool = true;
    // b ← b − g φ̇.
    fn modify_rhs(gain: &Gain, eq: &mut Equations, h: f64) {
        let gain = gain.value(h);
        for (r, level) in eq.layout.levels.iter().enumerate() {
            if *level != RowLevel::Acceleration {
                eq.b[r] -= gain * eq.phidot[r];
            }
        }
    }
    const COORDINATE_VELOCITY: CoordinateVelocity = CoordinateVelocity::Corrected;
    // r = φ̇ + g φ.
    fn coordinate_velocity_residual(gain: &Gain, eq: &Equations, h: f64, residual: &mut Vec<f64>) {
        let gain = gain.value(h);
        residual.clear();
        residual.extend(eq.phidot.iter().zip(&eq.phi).map(|(rate, phi)| rate + gain * phi));
    }
    fn stiffness(gain: &Gain) -> Option<Stiffness> {
        match gain {
            Gain::Fixed(gain) => Some(Stiffness { rate: *gain, character: StiffnessCharacter::Decaying }),
            Gain::PerStep => None,
        }
    }
}
