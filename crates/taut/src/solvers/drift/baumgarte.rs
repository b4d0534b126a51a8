//! Baumgarte's stabilisation: φ̈ + 2α φ̇ + β² φ = 0.
//!
//! [Newhart2019] eq. (25) with +γ (printed −γ), [Masarati2010] §4.1 "(2,2)" with α = β = 2. With α = β both roots are
//! −α; a row without φ (nonholonomic) decays in the same way by ψ̇ + α ψ = 0.

use crate::constraints::RowLevel;
use crate::equations::Equations;

/// b ← b − 2α φ̇ − β² φ.
pub(super) fn modify_rhs(eq: &mut Equations, alpha: f64, beta: f64) {
    for (r, level) in eq.layout.levels.iter().enumerate() {
        eq.b[r] -= match level {
            RowLevel::Position => 2.0 * alpha * eq.phidot[r] + beta * beta * eq.phi[r],
            RowLevel::Velocity => alpha * eq.phidot[r],
            RowLevel::Acceleration => 0.0,
        };
    }
}
