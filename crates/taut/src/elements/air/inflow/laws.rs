//! Linear inflow laws: v (1 + k_x (r/R) cos ψ + k_y (r/R) sin ψ), ψ from downwind.
//!
//! χ = atan2(V_x, V_z + v) is the angle of the wake; μ = V_x/(ΩR). As tabulated in \[Leishman2006\] and \[Chen1989\].

use crate::scalar::Scalar;
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, SQRT_2};

/// The gradient of the induced velocity over the disc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinearInflow {
    /// k_x = tan(χ/2).
    Coleman,
    /// k_x = 4/3 (1 − cos χ − 1.8 μ²)/sin χ, k_y = −2 μ.
    Drees,
    /// k_x = 15π/32 tan(χ/2): the ratio in the gain matrix of \[PittPeters1981\], often misprinted as 15π/23.
    PittPeters,
    /// k_x = √2 sin χ.
    WhiteBlake,
    /// k_x = sin² χ.
    Howlett,
}

impl LinearInflow {
    /// k_x and k_y for the stream V_x in the plane and `through` against the axis, with the induced velocity.
    pub(crate) fn gradient<S: Scalar>(self, in_plane: f64, through: S, tip_speed: f64) -> [S; 2] {
        let zero = S::from(0.0);
        let speed = (through * through + in_plane * in_plane).sqrt();
        if in_plane <= 0.0 || speed.value() <= 0.0 {
            return [zero, zero];
        }
        let (sin, cos) = (S::from(in_plane) / speed, through / speed);
        // tan(χ/2) = sin χ/(1 + cos χ).
        let half = sin / (cos + 1.0);
        match self {
            LinearInflow::Coleman => [half, zero],
            LinearInflow::Drees => {
                let mu = if tip_speed > 0.0 { in_plane / tip_speed } else { 0.0 };
                [(-cos + (1.0 - 1.8 * mu * mu)) / sin * (4.0 / 3.0), S::from(-2.0 * mu)]
            }
            LinearInflow::PittPeters => [half * (15.0 * PI / 32.0), zero],
            LinearInflow::WhiteBlake => [sin * SQRT_2, zero],
            LinearInflow::Howlett => [sin * sin, zero],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at C_T = 0.008 computed independently from the formulas, tip speed 1.
    #[test]
    fn the_laws_agree_with_their_formulas() {
        let rows: [(f64, f64, [f64; 5]); 3] = [
            (
                0.05,
                0.05422880833616071,
                [0.3906544801330736, 0.5120212562962937, 0.5752862085365642, 0.9586389527541203, 0.4594943208687581],
            ),
            (
                0.15,
                0.03387285657231341,
                [0.7993610577031894, 1.0104550181222474, 1.1771563248966124, 1.3794781622060386, 0.9514800000016749],
            ),
            (
                0.4,
                0.08033501673686598,
                [0.8191309469912907, 0.7005066962763404, 1.206269890029323, 1.386526719066135, 0.9612281713421502],
            ),
        ];
        let laws = [
            LinearInflow::Coleman,
            LinearInflow::Drees,
            LinearInflow::PittPeters,
            LinearInflow::WhiteBlake,
            LinearInflow::Howlett,
        ];
        for (mu, lambda, expected) in rows {
            for (law, expected) in laws.into_iter().zip(expected) {
                let [kx, ky] = law.gradient(mu, lambda, 1.0);
                assert!((kx / expected - 1.0).abs() < 1e-12, "{law:?} {mu}: {kx} {expected}");
                assert_eq!(ky, if law == LinearInflow::Drees { -2.0 * mu } else { 0.0 });
            }
        }
        assert_eq!(LinearInflow::Drees.gradient(0.0, 0.06, 1.0), [0.0, 0.0]);
    }
}
