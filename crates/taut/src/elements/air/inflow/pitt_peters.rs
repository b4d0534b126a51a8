//! Dynamic inflow with three states \[PittPeters1981\], in the nonlinear form of \[PetersHaQuang1988\].
//!
//! ```text
//!  M λ' + L⁻¹ λ = C      λ = (λ₀, λ_s, λ_c), prime by azimuth      M = diag(8/3π, 16/45π, 16/45π)
//!  L = ½                                 15π/64 terms: L(λ_c, C_T) = +t, L(λ₀, C_c) = −t, t = tan(χ/2)
//!      4/(1 + cos χ)                     the first column divided by V_T = √(μ² + λ²),
//!      4 cos χ/(1 + cos χ)               the others by V_m = (μ² + λ(λ + λ_i))/V_T
//! ```
//!
//! With velocities v = λ ΩR and loads C ρA(ΩR)² the rotor speed cancels: M ρAR v̇ + ρA L̂⁻¹ v = loads. The loads are those of the air
//! alone. cos ψ and sin ψ are counted from downwind; C_c and C_s are moments of the thrust by its radius.

use super::super::disc::DiscStream;
use super::super::momentum::mass_flow_speed;
use crate::scalar::Scalar;
use std::f64::consts::PI;

/// Loads of the air on a disc: thrust, and thrust weighted with x/R and y/R in the axes of the disc.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiscLoads<S = f64> {
    pub thrust: S,
    pub along_x: S,
    pub along_y: S,
}

const MEAN_MASS: f64 = 8.0 / (3.0 * PI);
const GRADIENT_MASS: f64 = 16.0 / (45.0 * PI);
/// L(λ_c, C_T) by tan(χ/2).
const COUPLING: f64 = 15.0 * PI / 64.0;

/// Rates of (mean, sine, cosine), where sine and cosine are the parts along y and x of the disc.
///
/// With h = tan(χ/2) times the direction of the stream, L⁻¹ needs no axes of the stream, which has no direction in hover:
///
/// ```text
///  L̂⁻¹ λ = (2(1 − h²) λ₀ + k h·λ₁)/D        D = 1 + (k² − 1) h²,  k = 15π/64,  λ₁ = (λ_x, λ_y)
///          λ₁/(2 + 2h²) + (2 − k²)(h·λ₁) h/(2D(1 + h²)) − k λ₀ h/D
/// ```
///
/// In a windmill the wake lies on the other side of the disc; there χ is that of the mirrored stream.
pub(crate) fn rates<S: Scalar>(
    stream: &DiscStream<S>,
    (radius, density): (f64, f64),
    [v_0, v_y, v_x]: [S; 3],
    loads: DiscLoads<S>,
) -> [S; 3] {
    let unit = 1.0 / (density * PI * radius * radius);
    let (axial, squared) = (stream.through + v_0, stream.in_plane_squared());
    let V_T = mass_flow_speed(squared, axial);
    if V_T.value() == 0.0 {
        let [mean, gradient] = [MEAN_MASS, GRADIENT_MASS].map(|mass| unit / (mass * radius));
        return [loads.thrust * mean, loads.along_y * gradient, loads.along_x * gradient];
    }
    let V_m = (squared + axial * (axial + v_0)) / V_T;
    let [h_x, h_y] = [stream.along_x, stream.along_y].map(|V| V / (V_T + axial.abs()));
    let (h_h, h_v) = (h_x * h_x + h_y * h_y, h_x * v_x + h_y * v_y);
    let D = h_h * (COUPLING * COUPLING - 1.0) + 1.0;
    let x_0 = V_T * ((-h_h + 1.0) * v_0 * 2.0 + h_v * COUPLING) / D;
    let along = (h_v * (1.0 - 0.5 * COUPLING * COUPLING) / (h_h + 1.0) - v_0 * COUPLING) / D;
    let rate = |load: S, v: S, h: S| {
        let x = V_m * (v / (h_h * 2.0 + 2.0) + h * along);
        (load * unit - x) / (GRADIENT_MASS * radius)
    };
    let mean = (loads.thrust * unit - x_0) / (MEAN_MASS * radius);
    [mean, rate(loads.along_y, v_y, h_y), rate(loads.along_x, v_x, h_x)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: (f64, f64) = (1.0, 1.0);

    fn stream(in_plane: f64, through: f64, angle: f64) -> DiscStream<f64> {
        let (sin, cos) = angle.sin_cos();
        DiscStream { along_x: in_plane * cos, along_y: in_plane * sin, through, tip_speed: 1.0 }
    }

    /// In hover 8/3π λ₀' + 2λ₀² = C_T and 16/45π λ_c' + λ₀ λ_c = C_c.
    #[test]
    fn hover_has_the_published_equations() {
        let area = PI;
        let loads = DiscLoads { thrust: 0.007 * area, along_x: 0.001 * area, along_y: -0.002 * area };
        let found = rates(&stream(0.0, 0.0, 0.0), UNIT, [0.05, 0.01, 0.02], loads);
        let expected = [
            (0.007 - 2.0 * 0.05 * 0.05) / MEAN_MASS,
            (-0.002 - 0.05 * 0.01) / GRADIENT_MASS,
            (0.001 - 0.05 * 0.02) / GRADIENT_MASS,
        ];
        found.iter().zip(expected).for_each(|(f, e)| assert!((f - e).abs() < 1e-14, "{f} {e}"));
    }

    /// A steady state fulfils λ = L C with the matrix written out; the direction of the wind only turns it.
    #[test]
    fn the_steady_state_is_the_gain_matrix_times_the_loads() {
        let (mu, through) = (0.2_f64, 0.01);
        let v: [f64; 3] = [0.03, 0.004, 0.02];
        let axial = through + v[0];
        let V_T = mu.hypot(axial);
        let V_m = (mu * mu + axial * (axial + v[0])) / V_T;
        let chi = mu.atan2(axial);
        let (t, k) = ((0.5 * chi).tan(), 15.0 * PI / 64.0);
        // Loads that belong to v: solve the 2×2 block by Cramer's rule.
        let (l00, l0c) = (0.5 / V_T, -k * t / V_m);
        let (lc0, lcc) = (k * t / V_T, 4.0 * chi.cos() / (1.0 + chi.cos()) / V_m);
        let det = l00 * lcc - l0c * lc0;
        let (thrust, c_c) = ((v[0] * lcc - l0c * v[2]) / det, (l00 * v[2] - lc0 * v[0]) / det);
        let c_s = v[1] * V_m * (1.0 + chi.cos()) / 4.0;
        let steady = DiscLoads { thrust: thrust * PI, along_x: c_c * PI, along_y: c_s * PI };
        let found = rates(&stream(mu, through, 0.0), UNIT, v, steady);
        assert!(found.iter().all(|r| r.abs() < 1e-14), "{found:?}");
        // The same with the wind along y: x → y, y → −x.
        let turned = DiscLoads { along_x: -steady.along_y, along_y: steady.along_x, ..steady };
        let found = rates(&stream(mu, through, 0.5 * PI), UNIT, [v[0], v[2], -v[1]], turned);
        assert!(found.iter().all(|r| r.abs() < 1e-14), "{found:?}");
    }

    /// A turbine whose shaft points downwind has the rates of the mirrored stream, also in axial flow.
    #[test]
    fn a_windmill_is_the_mirrored_rotor() {
        let loads = DiscLoads { thrust: 0.02, along_x: 0.003, along_y: -0.001 };
        let mirrored = DiscLoads { thrust: -0.02, along_x: -0.003, along_y: 0.001 };
        for in_plane in [0.0, 1e-9, 0.02] {
            let downwind = rates(&stream(in_plane, -0.1, 0.3), UNIT, [0.03, 0.004, -0.002], loads);
            let upwind = rates(&stream(in_plane, 0.1, 0.3), UNIT, [-0.03, -0.004, 0.002], mirrored);
            assert!(downwind.iter().zip(upwind).all(|(a, b)| (a + b).abs() < 1e-15), "{downwind:?} {upwind:?}");
        }
    }
}
