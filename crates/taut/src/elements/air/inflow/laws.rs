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
    /// The gradient of v/mean per speed of the stream in the plane: along the stream, and across it.
    ///
    /// `axial` is V_z + v. In a windmill the wake lies on the other side of the disc; there χ is that of the mirrored stream.
    pub(crate) fn gradient<S: Scalar>(self, in_plane: S, axial: S, tip_speed: S) -> [S; 2] {
        let (zero, axial) = (S::from(0.0), axial.abs());
        let squared = axial * axial + in_plane * in_plane;
        if squared.value() <= 0.0 {
            return [zero, zero];
        }
        let speed = squared.sqrt();
        // tan(χ/2) = sin χ/(1 + cos χ), and (1 − cos χ)/sin χ is the same.
        let half = S::from(1.0) / (speed + axial);
        match self {
            LinearInflow::Coleman => [half, zero],
            LinearInflow::Drees if tip_speed.value() > 0.0 => {
                let by_speed = speed / (tip_speed * tip_speed) * 1.8;
                [(half - by_speed) * (4.0 / 3.0), S::from(-2.0) / tip_speed]
            }
            LinearInflow::Drees => [half * (4.0 / 3.0), zero],
            LinearInflow::PittPeters => [half * (15.0 * PI / 32.0), zero],
            LinearInflow::WhiteBlake => [S::from(SQRT_2) / speed, zero],
            LinearInflow::Howlett => [in_plane / squared, zero],
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
                let [kx, ky] = law.gradient(mu, lambda, 1.0).map(|k| k * mu);
                assert!((kx / expected - 1.0).abs() < 1e-12, "{law:?} {mu}: {kx} {expected}");
                assert_eq!(ky, if law == LinearInflow::Drees { -2.0 * mu } else { 0.0 });
            }
        }
        // A windmill is the mirrored rotor, also where the stream is along the shaft.
        for law in laws {
            assert_eq!(law.gradient(0.05, -0.04, 1.0), law.gradient(0.05, 0.04, 1.0));
            assert!(law.gradient(0.0, -0.06, 1.0).iter().all(|k| k.is_finite()));
        }
    }
}
