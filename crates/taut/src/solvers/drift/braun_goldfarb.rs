//! Braun and Goldfarb: first-order decay of both residuals, as described by [Kamaraj2021] eq. (15).

use crate::constraints::RowLevel;
use crate::equations::Equations;
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
    pub(super) fn value(self, h: f64) -> f64 {
        match self {
            Gain::Fixed(gain) => gain,
            Gain::PerStep if h > 0.0 => 1.0 / h,
            Gain::PerStep => 0.0,
        }
    }
}

/// b ← b − g φ̇.
pub(super) fn modify_rhs(eq: &mut Equations, gain: f64) {
    for (r, level) in eq.layout.levels.iter().enumerate() {
        if *level != RowLevel::Acceleration {
            eq.b[r] -= gain * eq.phidot[r];
        }
    }
}

/// r = φ̇ + g φ, so that A (w − v) = −r.
pub(super) fn coordinate_velocity_residual(eq: &Equations, gain: f64, residual: &mut Vec<f64>) {
    residual.clear();
    residual.extend(eq.phidot.iter().zip(&eq.phi).map(|(rate, phi)| rate + gain * phi));
}
