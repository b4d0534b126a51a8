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

use super::super::disc::DiscFrame;
use std::f64::consts::PI;

/// Loads of the air on a disc: thrust, and thrust weighted with x/R and y/R in the axes of the disc.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiscLoads {
    pub thrust: f64,
    pub along_x: f64,
    pub along_y: f64,
}

const MEAN_MASS: f64 = 8.0 / (3.0 * PI);
const GRADIENT_MASS: f64 = 16.0 / (45.0 * PI);

/// Rates of (mean, sine, cosine), where sine and cosine are the parts along y and x of the disc.
pub(crate) fn rates(frame: &DiscFrame, v: [f64; 3], loads: DiscLoads) -> [f64; 3] {
    let area = PI * frame.radius * frame.radius;
    let unit = 1.0 / (frame.density * area);
    // In the axes of the wind, c downwind and s to its left.
    let (cos, sin) = (frame.downwind.dot(&frame.x), frame.downwind.dot(&frame.y));
    let to_wind = |x: f64, y: f64| (x * cos + y * sin, y * cos - x * sin);
    let (load_c, load_s) = to_wind(loads.along_x * unit, loads.along_y * unit);
    let (v_c, v_s) = to_wind(v[2], v[1]);
    let (axial, V_x) = (frame.through + v[0], frame.in_plane);
    let V_T = V_x.hypot(axial);
    let V_m = if V_T > 0.0 { (V_x * V_x + axial * (axial + v[0])) / V_T } else { 0.0 };
    let (cos_chi, half) = if V_T > 0.0 { (axial / V_T, V_x / (V_T + axial)) } else { (1.0, 0.0) };
    let half = if half.is_finite() { half } else { 0.0 };
    // L⁻¹ λ without division by V_T and V_m, which vanish together with it: solve L̂ diag(1/V_T, 1/V_m) x = λ.
    let (a, d, k) = (0.5, 4.0 * cos_chi / (1.0 + cos_chi), 15.0 * PI / 64.0 * half);
    let determinant = a * d + k * k;
    let x_0 = V_T * (d * v[0] + k * v_c) / determinant;
    let x_c = V_m * (a * v_c - k * v[0]) / determinant;
    let x_s = V_m * v_s * (1.0 + cos_chi) / 4.0;
    let mean = (loads.thrust * unit - x_0) / (MEAN_MASS * frame.radius);
    let rate_c = (load_c - x_c) / (GRADIENT_MASS * frame.radius);
    let rate_s = (load_s - x_s) / (GRADIENT_MASS * frame.radius);
    [mean, rate_c * sin + rate_s * cos, rate_c * cos - rate_s * sin]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Vec3;

    fn frame(in_plane: f64, through: f64, angle: f64) -> DiscFrame {
        let (sin, cos) = angle.sin_cos();
        DiscFrame { in_plane, through, downwind: Vec3::new(cos, sin, 0.0), ..DiscFrame::unit() }
    }

    /// In hover 8/3π λ₀' + 2λ₀² = C_T and 16/45π λ_c' + λ₀ λ_c = C_c.
    #[test]
    fn hover_has_the_published_equations() {
        let area = PI;
        let loads = DiscLoads { thrust: 0.007 * area, along_x: 0.001 * area, along_y: -0.002 * area };
        let found = rates(&frame(0.0, 0.0, 0.0), [0.05, 0.01, 0.02], loads);
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
        let found = rates(&frame(mu, through, 0.0), v, steady);
        assert!(found.iter().all(|r| r.abs() < 1e-14), "{found:?}");
        // The same with the wind along y: x → y, y → −x.
        let turned = DiscLoads { along_x: -steady.along_y, along_y: steady.along_x, ..steady };
        let found = rates(&frame(mu, through, 0.5 * PI), [v[0], v[2], -v[1]], turned);
        assert!(found.iter().all(|r| r.abs() < 1e-14), "{found:?}");
    }
}
