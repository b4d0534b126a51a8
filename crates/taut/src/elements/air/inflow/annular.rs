//! Blade-element momentum theory: every annulus has its own induced velocity, with Prandtl's loss at the tip.
//!
//! ```text
//!  4πρ r F v √(V_x² + (V_z + v)²) = N F_z        F = (2/π) arccos e^(−f),  f = (N/2) (1 − r/R)/(r/R · |U_P/U_T|)
//! ```
//!
//! F_z is the load of one blade per length along the axis of the disc; all blades are assumed to carry the same load.

use super::super::momentum::{Stream, Tangent, Validity, mass_flow_speed};
use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_2_PI, PI};

/// Loss of lift at the tip of a blade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TipLoss {
    /// None.
    #[default]
    None,
    /// Prandtl's factor.
    Prandtl,
}

/// An annulus of a disc.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annulus {
    /// V_x and V_z at the disc.
    pub in_plane: f64,
    pub through: f64,
    pub density: f64,
    /// r and r/R.
    pub radius: f64,
    pub relative_radius: f64,
    pub blades: f64,
    pub tip_loss: TipLoss,
}

impl Annulus {
    /// Prandtl's factor at r/R; `inflow_angle` is |U_P/U_T|.
    fn loss<S: Scalar>(&self, r: S, inflow_angle: S) -> S {
        if self.tip_loss == TipLoss::None {
            return 1.0.into();
        }
        if r.value() >= 1.0 {
            return 0.0.into();
        }
        let exponent = inflow_angle * (r * 2.0 / ((-r + 1.0) * self.blades));
        // e^(−f) underflows far from the tip: no loss.
        if exponent.value() <= 1e-3 {
            return 1.0.into();
        }
        let decay = (-(S::from(1.0) / exponent)).exp();
        decay.acos() * FRAC_2_PI
    }

    /// 4πρ r F v √(V_x² + (V_z + v)²) as a function of v, r/R, V_x, V_z and |U_P/U_T|.
    pub fn momentum<S: Scalar>(&self, [v, r, in_plane, through, inflow_angle]: [S; 5]) -> S {
        let factor = 4.0 * PI * self.density * (self.radius / self.relative_radius);
        v * r * factor * mass_flow_speed(in_plane * in_plane, through + v) * self.loss(r, inflow_angle)
    }
}

/// The induced velocity of an annulus; `blade` returns F_z of one blade per length and |U_P/U_T|.
pub(crate) fn induced_velocity(annulus: &Annulus, blade: impl Fn(Tangent) -> (Tangent, Tangent)) -> (f64, Validity) {
    let factor = 4.0 * PI * annulus.density * annulus.radius;
    let stream = Stream { in_plane: annulus.in_plane, through: annulus.through, factor };
    stream.solve(|v| blade(v).0 * annulus.blades, |v| annulus.loss(annulus.relative_radius.into(), blade(v).1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// σa/2 (θ r − λ) = 4 F λ² without loss has the closed form of \[Gessow1948\].
    #[test]
    fn an_annulus_in_hover_has_a_closed_form() {
        let (sigma, a, theta, r) = (0.1061, 2.0 * PI, 0.14, 0.7);
        let mut annulus = Annulus {
            in_plane: 0.0,
            through: 0.0,
            density: 1.0,
            radius: r,
            relative_radius: r,
            blades: 2.0,
            tip_loss: TipLoss::None,
        };
        // F_z of one blade per length: ρ c a/2 r (θ r − λ), c = σπ/N.
        let blade = |v: Tangent| ((-v + theta * r) * (sigma * PI / 2.0 * a / 2.0 * r), v / r);
        let (v, _) = induced_velocity(&annulus, blade);
        let k = sigma * a / 16.0;
        assert!((v - k * ((1.0 + 2.0 * theta * r / k).sqrt() - 1.0)).abs() < 1e-15);
        annulus.tip_loss = TipLoss::Prandtl;
        let (v, _) = induced_velocity(&annulus, blade);
        let loss = FRAC_2_PI * (-(1.0 - r) / v).exp().acos();
        assert!((4.0 * loss * v * v - sigma * a / 2.0 * (theta * r - v)).abs() < 1e-15);
    }
}
