//! Baumgarte's stabilisation: φ̈ + 2α φ̇ + β² φ = 0.
//!
//! [Newhart2019] eq. (25) with +γ (printed −γ), [Masarati2010] §4.1 "(2,2)" with α = β = 2. With α = β both roots are
//! −α; a row without φ (nonholonomic) decays in the same way by ψ̇ + α ψ = 0.

use super::{DriftAction, DriftParameters, ProjectionWeight};
use crate::constraints::RowLevel;
use crate::equations::Equations;
use crate::formulations::{Stiffness, StiffnessCharacter};
use serde::{Deserialize, Serialize};

/// The parameters of Baumgarte's stabilisation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baumgarte {
    /// α in 1/s.
    pub alpha: f64,
    /// β in 1/s.
    pub beta: f64,
}

pub(super) struct Control;

impl DriftAction for Control {
    type Values = Baumgarte;

    fn values(_weight: ProjectionWeight, given: DriftParameters) -> Baumgarte {
        let alpha = given.alpha.or(given.beta).unwrap_or(5.0);
        Baumgarte { alpha, beta: given.beta.unwrap_or(alpha) }
    }
    fn parameters(values: &Baumgarte) -> Vec<(&'static str, f64)> {
        vec![("alpha", values.alpha), ("beta", values.beta)]
    }
    const MODIFIES_RHS: bool = true;
    // b ← b − 2α φ̇ − β² φ.
    fn modify_rhs(&Baumgarte { alpha, beta }: &Baumgarte, eq: &mut Equations, _h: f64) {
        for (r, level) in eq.layout.levels.iter().enumerate() {
            eq.b[r] -= match level {
                RowLevel::Position => 2.0 * alpha * eq.phidot[r] + beta * beta * eq.phi[r],
                RowLevel::Velocity => alpha * eq.phidot[r],
                RowLevel::Acceleration => 0.0,
            };
        }
    }
    // Roots −α ± √(α² − β²).
    fn stiffness(&Baumgarte { alpha, beta }: &Baumgarte) -> Option<Stiffness> {
        Some(match beta > alpha {
            true => Stiffness { rate: beta, character: StiffnessCharacter::Oscillating },
            false => Stiffness {
                rate: alpha + (alpha * alpha - beta * beta).sqrt(),
                character: StiffnessCharacter::Decaying,
            },
        })
    }
}
