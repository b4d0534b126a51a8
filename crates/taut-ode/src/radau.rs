//! Radau IIA of order 5: collocation at three points, L-stable and stiffly accurate.
//!
//! The increments `z_i = Y_i − y` of the stages solve `z = h (A ⊗ I) F(y + z)`. With `T⁻¹ A⁻¹ T` block diagonal and
//! `w = T⁻¹ z` a step of the simplified Newton iteration is one real and one complex system of the size of y:
//!
//! ```text
//! (γ/h − J) Δw₁ = (T⁻¹ F)₁ − γ/h w₁          ((α − iβ)/h − J) (Δw₂ + i Δw₃) = …
//! ```
//!
//! \[HairerWanner1996\] IV.8. The entries of T were recomputed with 40 digits; a test checks them against the definition.

use crate::checkpoint::{DenseOutputEnd, StepGrowth, Validity};
use crate::first_step::finite_rates;
use crate::implicit::{DenseOutputInputs, Scheme, SchemeSizes};
use crate::implicit_core::ImplicitCore;
use crate::newton::{Convergence, NewtonIteration, Progress};
use crate::{Method, Refusal, Settings, System};

const ROOT_6: f64 = 2.449_489_742_783_178;

/// Nodes.
const C: [f64; 3] = [(4.0 - ROOT_6) / 10.0, (4.0 + ROOT_6) / 10.0, 1.0];

/// Eigenvalues of `A⁻¹`: γ and α ± iβ.
const GAMMA: f64 = 3.637_834_252_744_496;
const ALPHA: f64 = 2.681_082_873_627_752;
const BETA: f64 = 3.050_430_199_247_410_6;

const T: [[f64; 3]; 3] = [
    [0.094_438_762_488_975_24, -0.141_255_295_020_954_2, 0.030_029_194_105_147_424],
    [0.250_213_122_965_333_3, 0.204_129_352_293_799_93, -0.382_942_112_757_261_9],
    [1.0, 1.0, 0.0],
];

const T_INVERSE: [[f64; 3]; 3] = [
    [4.178_718_591_551_905, 0.327_682_820_761_062_4, 0.523_376_445_499_449_5],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_4, 0.476_623_554_500_550_45],
    [0.502_872_634_945_786_9, -2.571_926_949_855_605, 0.596_039_204_828_224_9],
];

/// Weights of the z in the error estimate. [HairerWanner1996] IV.8
const E: [f64; 3] = [(-13.0 - 7.0 * ROOT_6) / 3.0, (-13.0 + 7.0 * ROOT_6) / 3.0, -1.0 / 3.0];

/// An iteration that converges at this rate or faster keeps its `J`.
const FAST_RATE: f64 = 1e-3;

/// The scheme with its workspace.
#[derive(Debug, Clone)]
pub struct Radau {
    w: Vec<f64>,
    F: Vec<f64>,
    sum: Vec<f64>,
    real: Vec<f64>,
    re: Vec<f64>,
    im: Vec<f64>,
    /// Of the last iteration.
    convergence: Convergence,
}

/// `u(θ) − y` of the collocation polynomial with these increments: that of Lagrange through 0 and the nodes.
fn collocation_weights(theta: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    for (i, weight) in weights.iter_mut().enumerate() {
        let (a, b) = (C[(i + 1) % 3], C[(i + 2) % 3]);
        *weight = theta * (theta - a) * (theta - b) / (C[i] * (C[i] - a) * (C[i] - b));
    }
    weights
}

/// `out = Σ_j row_j list_j` over three lists, one after the other.
fn combine(row: &[f64; 3], lists: &[f64], out: &mut [f64]) {
    let n = out.len();
    for i in 0..n {
        out[i] = row[0] * lists[i] + row[1] * lists[n + i] + row[2] * lists[2 * n + i];
    }
}

impl Radau {
    /// Initial guess of the iteration: the polynomial of the previous step, if there is one.
    fn start(&mut self, core: &mut ImplicitCore, h: f64) {
        let n = core.y_new.len();
        let memory = &core.memory;
        let z = &mut core.state.k[n..];
        if memory.past == Validity::Stale {
            z.fill(0.0);
            self.w.fill(0.0);
            return;
        }
        let theta = (core.state.t - memory.t_past) / memory.h_past;
        let here = collocation_weights(theta);
        for (i, c) in C.iter().enumerate() {
            let there = collocation_weights(theta + c * h / memory.h_past);
            let row = [there[0] - here[0], there[1] - here[1], there[2] - here[2]];
            combine(&row, &memory.kept, &mut z[i * n..(i + 1) * n]);
        }
        for (row, w) in T_INVERSE.iter().zip(self.w.chunks_exact_mut(n.max(1))) {
            combine(row, z, w);
        }
    }

    /// The stages of the step.
    fn iterate(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        t_new: f64,
        h: f64,
    ) -> Result<NewtonIteration, Refusal> {
        let n = core.y_new.len();
        let mut newton = core.newton(h);
        self.start(core, h);
        loop {
            for (i, c) in C.iter().enumerate() {
                let z = &core.state.k[(1 + i) * n..(2 + i) * n];
                for (x, (y, z)) in core.argument.iter_mut().zip(core.state.y.iter().zip(z)) {
                    *x = y + z;
                }
                let t = if i == 2 { t_new } else { core.state.t + c * h };
                core.state.statistics.evaluations += 1;
                finite_rates(system, t, &core.argument, &mut self.F[i * n..(i + 1) * n])?;
            }
            combine(&T_INVERSE[0], &self.F, &mut self.real);
            combine(&T_INVERSE[1], &self.F, &mut self.re);
            combine(&T_INVERSE[2], &self.F, &mut self.im);
            for i in 0..n {
                let (w1, w2, w3) = (self.w[i], self.w[n + i], self.w[2 * n + i]);
                self.real[i] -= GAMMA / h * w1;
                self.re[i] -= (ALPHA * w2 + BETA * w3) / h;
                self.im[i] -= (ALPHA * w3 - BETA * w2) / h;
            }
            core.tangent.solve(system, 0, &mut self.real, &mut [])?;
            core.tangent.solve(system, 1, &mut self.re, &mut self.im)?;
            let norm = [&self.real, &self.re, &self.im]
                .map(|d| core.tolerance.norm(d, &core.state.y, &core.state.y).powi(2) / 3.0)
                .iter()
                .sum::<f64>()
                .sqrt();
            let progress = newton.record_correction(norm)?;
            for i in 0..n {
                self.w[i] += self.real[i];
                self.w[n + i] += self.re[i];
                self.w[2 * n + i] += self.im[i];
            }
            for (row, z) in T.iter().zip(core.state.k[n..].chunks_exact_mut(n.max(1))) {
                combine(row, &self.w, z);
            }
            if progress == Progress::Converged {
                return Ok(newton);
            }
        }
    }

    /// Norm of the error: the difference to an embedded formula of order 3, filtered so that stiff components are not
    /// overestimated.
    // [HairerWanner1996] IV.8 eqs. (8.19) and (8.20)
    fn estimate(&mut self, core: &mut ImplicitCore, system: &mut dyn System, h: f64) -> Result<f64, Refusal> {
        let n = core.y_new.len();
        combine(&E, &core.state.k[n..], &mut self.sum);
        for i in 0..n {
            self.sum[i] /= h;
            core.error[i] = core.state.k[i] + self.sum[i];
        }
        core.tangent.solve(system, 0, &mut core.error, &mut [])?;
        let error = core.tolerance.norm(&core.error, &core.state.y, &core.y_new);
        let suspect = core.memory.past == Validity::Stale || core.state.growth == StepGrowth::Held;
        if error <= 1.0 || !suspect {
            return Ok(error);
        }
        // Filtered twice: otherwise the first step into a transient would become too small.
        for i in 0..n {
            core.argument[i] = core.state.y[i] + core.error[i];
        }
        core.state.statistics.evaluations += 1;
        finite_rates(system, core.state.t, &core.argument, &mut core.error)?;
        for i in 0..n {
            core.error[i] += self.sum[i];
        }
        core.tangent.solve(system, 0, &mut core.error, &mut [])?;
        Ok(core.tolerance.norm(&core.error, &core.state.y, &core.y_new))
    }
}

impl Scheme for Radau {
    fn new(_: Method, n: usize, _: &Settings) -> (Self, SchemeSizes) {
        let list = || vec![0.0; n];
        let (w, F) = (vec![0.0; 3 * n], vec![0.0; 3 * n]);
        let radau = Self { w, F, sum: list(), real: list(), re: list(), im: list(), convergence: Convergence::Fast };
        (radau, SchemeSizes { stages: 3, kept: 3 * n, derived_at: 0, tangent: n })
    }

    fn save_history(&mut self, core: &mut ImplicitCore, _: &mut dyn System) {
        let n = core.y_new.len();
        core.memory.kept.copy_from_slice(&core.state.k[n..]);
        (core.memory.t_past, core.memory.h_past) = (core.state.t_old, core.state.h);
        core.memory.past = Validity::Fresh;
    }

    fn attempt(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        t_new: f64,
        h: f64,
    ) -> Result<f64, Refusal> {
        let n = core.y_new.len();
        let newton = loop {
            core.ensure_jacobian(system, h)?;
            core.tangent.factor(system, 0, GAMMA / h, 0.0)?;
            core.tangent.factor(system, 1, ALPHA / h, -BETA / h)?;
            match self.iterate(core, system, t_new, h) {
                Ok(newton) => break newton,
                Err(Refusal::NotConverged) if !core.jacobian_is_current() => core.memory.derived = Validity::Stale,
                Err(refusal) => return Err(refusal),
            }
        };
        for i in 0..n {
            core.y_new[i] = core.state.y[i] + core.state.k[3 * n + i];
        }
        core.convergence_factor = newton.step_factor();
        self.convergence = newton.convergence(FAST_RATE);
        self.estimate(core, system, h)
    }

    fn accept(&mut self, core: &mut ImplicitCore) {
        if self.convergence == Convergence::Slow {
            core.memory.derived = Validity::Stale;
        }
    }

    const SLOPES: DenseOutputInputs = DenseOutputInputs::Unused;

    // The collocation polynomial in the form of the rows, and a cubic to a corrected end.
    fn fill_rows(&mut self, core: &mut ImplicitCore, _: &mut dyn System) {
        let state = &mut core.state;
        let n = state.y.len();
        let y_end = if state.tail == DenseOutputEnd::Joined { &state.y } else { &state.y_end };
        // u(1) = r0, u'(0) = r0 + r1, u'(1) = r0 − r1 − r2… from three values of θ.
        let (half, quarter) = (collocation_weights(0.5), collocation_weights(0.25));
        for i in 0..n {
            let z = [state.k[n + i], state.k[2 * n + i], state.k[3 * n + i]];
            let value = |w: [f64; 3]| w[0] * z[0] + w[1] * z[1] + w[2] * z[2];
            let r0 = z[2];
            // u(θ) = θ (r0 + (1 − θ) (r1 + θ r2))
            let at_half = (value(half) / 0.5 - r0) / 0.5;
            let at_quarter = (value(quarter) / 0.25 - r0) / 0.75;
            let r2 = (at_half - at_quarter) / 0.25;
            let r1 = at_half - 0.5 * r2;
            let correction = y_end[i] - (state.y_old[i] + z[2]);
            state.rows[i] = r0 + correction;
            state.rows[n + i] = r1 - correction;
            state.rows[2 * n + i] = r2 + 2.0 * correction;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collocation: `Σ_j a_ij c_j^(k−1) = c_i^k / k`, solved for the row of A by Cramer's rule.
    fn a(i: usize) -> [f64; 3] {
        let determinant = |m: [[f64; 3]; 3]| {
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        };
        let vandermonde = [0, 1, 2].map(|k| C.map(|c| c.powi(k)));
        let right = [1, 2, 3].map(|k| C[i].powi(k) / f64::from(k));
        [0, 1, 2].map(|j| {
            let mut replaced = vandermonde;
            for k in 0..3 {
                replaced[k][j] = right[k];
            }
            determinant(replaced) / determinant(vandermonde)
        })
    }

    fn times(x: [[f64; 3]; 3], y: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
        x.map(|row| [0, 1, 2].map(|j| row[0] * y[0][j] + row[1] * y[1][j] + row[2] * y[2][j]))
    }

    #[test]
    fn the_transformation_makes_blocks_of_the_inverse() {
        // T = A T D with D = T⁻¹ A⁻¹ T.
        let A = [a(0), a(1), a(2)];
        let D = [[GAMMA, 0.0, 0.0], [0.0, ALPHA, BETA], [0.0, -BETA, ALPHA]];
        let whole = times(A, times(T, D));
        let unit = times(T, T_INVERSE);
        for i in 0..3 {
            for j in 0..3 {
                assert!((whole[i][j] - T[i][j]).abs() < 5e-15, "{whole:?}");
                assert!((unit[i][j] - f64::from(u8::from(i == j))).abs() < 5e-15, "{unit:?}");
            }
        }
    }

    #[test]
    fn the_polynomial_passes_through_the_stages() {
        for (i, c) in C.iter().enumerate() {
            let w = collocation_weights(*c);
            for (j, w) in w.iter().enumerate() {
                assert!((w - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
        assert_eq!(collocation_weights(0.0), [0.0; 3]);
    }
}
