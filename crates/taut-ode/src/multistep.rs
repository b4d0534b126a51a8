//! The trapezoidal rule, and the two-step methods of order 2 with adjustable damping of stiff components.
//!
//! ```text
//! y₁ = (1 − β) y₀ + β y₋₁ + h (b₀ f₁ + b₁ f₀ + b₂ f₋₁)
//! ```
//!
//! For `y' = λ y` with `|h λ| → ∞` the roots of a two-step method are those of `b₀ ζ² + b₁ ζ + b₂`. A double root `−ρ`
//! requires `b₁ = 2 ρ b₀`, `b₂ = ρ² b₀`, and order 2 gives β and b₀ for any ratio `r = h₋₁/h` of the steps:
//!
//! ```text
//! b₀ (1 + ρ)² = 1 + β r          b₀ (2 ρ + ρ² (1 + r)) = ½ (1 + β (2 r + r²))
//! ```
//!
//! ρ = 0 is BDF2, L-stable; ρ = 1 is the trapezoidal rule across both steps, whose double root is on the unit circle. With
//! equal steps these are the methods of \[MasaratiLanzMantegazza2001\]. The first step, one after a discontinuity and one
//! much larger than the last are steps of the trapezoidal rule (β = b₂ = 0, b₀ = b₁ = ½).

use crate::checkpoint::Validity;
use crate::first_step::finite_rates;
use crate::implicit::{DenseOutputInputs, Scheme, SchemeSizes};
use crate::implicit_core::ImplicitCore;
use crate::newton::{Convergence, NewtonIteration, Progress};
use crate::{Method, Refusal, Settings, System};

/// Default spectral radius at infinity.
const DEFAULT_SPECTRAL_RADIUS: f64 = 0.6;

/// Steps that grow by more use the trapezoidal rule: two-step methods are stable up to 1 + √2 (BDF2).
const MAX_TWO_STEP_GROWTH: f64 = 2.2;

/// An iteration that converges at this rate or faster keeps its `J`.
const FAST_RATE: f64 = 0.03;

/// Coefficients of a step, and the constant of its error `C h³ y'''`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MultistepFormula {
    pub beta: f64,
    pub b: [f64; 3],
    pub C: f64,
}

impl MultistepFormula {
    pub const TRAPEZOIDAL: Self = Self { beta: 0.0, b: [0.5, 0.5, 0.0], C: -1.0 / 12.0 };

    /// With double root `−rho` at infinity, for a previous step of `r` times the present one.
    pub fn two_step(rho: f64, r: f64) -> Self {
        let ratio = (2.0 * rho + rho * rho * (1.0 + r)) / (1.0 + rho).powi(2);
        let beta = (0.5 - ratio) / (r * ratio - r - 0.5 * r * r);
        let b0 = (1.0 + beta * r) / (1.0 + rho).powi(2);
        let b = [b0, 2.0 * rho * b0, rho * rho * b0];
        // What y = t³/6 misses, with the end of the step at 0.
        let before = 1.0 + r;
        let C = ((1.0 - beta) + beta * before.powi(3)) / 6.0 - 0.5 * (b[1] + b[2] * before * before);
        Self { beta, b, C }
    }
}

/// The scheme with its workspace.
#[derive(Debug, Clone)]
pub struct Multistep {
    /// Spectral radius of the two-step method; none for the trapezoidal rule.
    rho: Option<f64>,
    known: Vec<f64>,
    f: Vec<f64>,
    d: Vec<f64>,
    /// Of the last iteration.
    convergence: Convergence,
}

/// What a step can use from the previous one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Past {
    None,
    /// `r = h₋₁/h`
    Ratio(f64),
}

impl Multistep {
    fn past(core: &ImplicitCore, h: f64) -> Past {
        let r = core.memory.h_past / h;
        if core.memory.past == Validity::Fresh && r > 0.0 { Past::Ratio(r) } else { Past::None }
    }

    fn formula(&self, past: Past) -> MultistepFormula {
        match (self.rho, past) {
            (Some(rho), Past::Ratio(r)) if r * MAX_TWO_STEP_GROWTH >= 1.0 => MultistepFormula::two_step(rho, r),
            _ => MultistepFormula::TRAPEZOIDAL,
        }
    }

    /// Computes all terms except `h b₀ f₁`, and a first guess.
    fn predict(&mut self, core: &mut ImplicitCore, formula: &MultistepFormula, past: Past, h: f64) {
        let n = core.y_new.len();
        let MultistepFormula { beta, b, .. } = formula;
        let (y, f) = (&core.state.y, &core.state.k[..n]);
        let (y_past, f_past) = core.memory.kept.split_at(n);
        for i in 0..n {
            self.known[i] = (1.0 - beta) * y[i] + h * b[1] * f[i];
            match past {
                Past::Ratio(r) => {
                    self.known[i] += beta * y_past[i] + h * b[2] * f_past[i];
                    // From states alone: the derivatives of stiff components would give a bad guess.
                    core.y_new[i] = y[i] + (y[i] - y_past[i]) / r;
                }
                Past::None => core.y_new[i] = y[i] + h * f[i],
            }
        }
    }

    /// Solves for `y_new`.
    fn iterate(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        t_new: f64,
        sigma: f64,
    ) -> Result<NewtonIteration, Refusal> {
        let n = core.y_new.len();
        let mut newton = core.newton(t_new - core.state.t);
        loop {
            core.state.statistics.evaluations += 1;
            finite_rates(system, t_new, &core.y_new, &mut self.d)?;
            for i in 0..n {
                self.d[i] += sigma * (self.known[i] - core.y_new[i]);
            }
            core.tangent.solve(system, 0, &mut self.d, &mut [])?;
            let norm = core.tolerance.norm(&self.d, &core.state.y, &core.state.y);
            let progress = newton.record_correction(norm)?;
            for (y, d) in core.y_new.iter_mut().zip(&self.d) {
                *y += d;
            }
            if progress == Progress::Converged {
                return Ok(newton);
            }
        }
    }

    /// Norm of the error, filtered so that stiff components are not overestimated.
    fn estimate(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        formula: &MultistepFormula,
        past: Past,
        h: f64,
    ) -> Result<f64, Refusal> {
        let n = core.y_new.len();
        let sigma = 1.0 / (h * formula.b[0]);
        // The end derivative as implied by the formula: an evaluation would amplify the remaining error of the iteration.
        for i in 0..n {
            self.f[i] = sigma * (core.y_new[i] - self.known[i]);
        }
        let f = &core.state.k[..n];
        match past {
            Past::Ratio(r) => {
                let f_past = &core.memory.kept[n..];
                for i in 0..n {
                    let second = (self.f[i] - f[i]) - (f[i] - f_past[i]) / r;
                    core.error[i] = formula.C * h * 2.0 * second / (1.0 + r);
                }
            }
            Past::None => {
                // A third derivative from the middle of the step, on the cubic through its ends.
                let y = &core.state.y;
                for i in 0..n {
                    core.argument[i] = 0.5 * (y[i] + core.y_new[i]) + 0.125 * h * (f[i] - self.f[i]);
                }
                core.state.statistics.evaluations += 1;
                finite_rates(system, core.state.t + 0.5 * h, &core.argument, &mut self.d)?;
                for i in 0..n {
                    core.error[i] = formula.C * h * 4.0 * (f[i] - 2.0 * self.d[i] + self.f[i]);
                }
            }
        }
        for e in &mut core.error {
            *e *= sigma;
        }
        core.tangent.solve(system, 0, &mut core.error, &mut [])?;
        Ok(core.tolerance.norm(&core.error, &core.state.y, &core.y_new))
    }
}

impl Scheme for Multistep {
    fn new(method: Method, n: usize, settings: &Settings) -> (Self, SchemeSizes) {
        let rho = (method == Method::TwoStep).then(|| settings.spectral_radius.unwrap_or(DEFAULT_SPECTRAL_RADIUS));
        let list = || vec![0.0; n];
        let sizes = SchemeSizes { stages: 0, kept: 2 * n, derived_at: 0, tangent: n };
        (Self { rho, known: list(), f: list(), d: list(), convergence: Convergence::Fast }, sizes)
    }

    fn save_history(&mut self, core: &mut ImplicitCore, _: &mut dyn System) {
        let n = core.y_new.len();
        let (state, memory) = (&core.state, &mut core.memory);
        memory.kept[..n].copy_from_slice(&state.y_old);
        memory.kept[n..].copy_from_slice(&state.k[..n]);
        (memory.t_past, memory.h_past) = (state.t_old, state.t - state.t_old);
        memory.past = Validity::Fresh;
    }

    fn attempt(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        t_new: f64,
        h: f64,
    ) -> Result<f64, Refusal> {
        let past = Self::past(core, h);
        let formula = self.formula(past);
        let sigma = 1.0 / (h * formula.b[0]);
        let newton = loop {
            core.ensure_jacobian(system, h)?;
            core.tangent.factor(system, 0, sigma, 0.0)?;
            self.predict(core, &formula, past, h);
            match self.iterate(core, system, t_new, sigma) {
                Ok(newton) => break newton,
                Err(Refusal::NotConverged) if !core.jacobian_is_current() => core.memory.derived = Validity::Stale,
                Err(refusal) => return Err(refusal),
            }
        };
        core.convergence_factor = newton.step_factor();
        core.equal_step_error_factor = self.formula(Past::Ratio(1.0)).C / formula.C;
        self.convergence = newton.convergence(FAST_RATE);
        self.estimate(core, system, &formula, past, h)
    }

    fn accept(&mut self, core: &mut ImplicitCore) {
        if self.convergence == Convergence::Slow {
            core.memory.derived = Validity::Stale;
        }
    }

    const SLOPES: DenseOutputInputs = DenseOutputInputs::Used;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Larger root (in size) of `(1 − z b₀) ζ² − (1 − β + z b₁) ζ − (β + z b₂)`, for real or imaginary `z`.
    fn radius(formula: &MultistepFormula, re: f64, im: f64) -> f64 {
        use crate::lu::Complex;
        let part = |b: f64, constant: f64| Complex { re: constant + b * re, im: b * im };
        let a = part(-formula.b[0], 1.0);
        let (p, q) = (part(formula.b[1], 1.0 - formula.beta) / a, part(formula.b[2], formula.beta) / a);
        // ζ² = p ζ + q: the power iteration on the companion matrix, its growth over many steps.
        let (mut x, mut y) = (Complex { re: 0.3, im: 0.4 }, Complex { re: -0.5, im: 0.1 });
        let mut logarithm = 0.0;
        for step in 0..4000 {
            let (px, qy) = (p * x, q * y);
            let next = Complex { re: px.re + qy.re, im: px.im + qy.im };
            (x, y) = (next, x);
            let size = x.re.hypot(x.im).max(y.re.hypot(y.im)).max(1e-300);
            if step >= 2000 {
                logarithm += size.ln();
            }
            let scale = Complex { re: size, im: 0.0 };
            (x, y) = (x / scale, y / scale);
        }
        (logarithm / 2000.0_f64).exp()
    }

    #[test]
    fn no_damping_is_two_trapezoids_and_most_is_bdf2() {
        let bdf2 = MultistepFormula::two_step(0.0, 1.0);
        assert!((bdf2.beta + 1.0 / 3.0).abs() < 1e-15 && (bdf2.b[0] - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!((bdf2.b[1], bdf2.b[2]), (0.0, 0.0));
        let undamped = MultistepFormula::two_step(1.0, 1.0);
        assert!((undamped.beta - 1.0).abs() < 1e-15 && (undamped.b[0] - 0.5).abs() < 1e-15);
        // BDF2 with steps of ratio ω = 1/r: β = −ω²/(1 + 2ω).
        let doubled = MultistepFormula::two_step(0.0, 0.5);
        assert!((doubled.beta + 4.0 / 5.0).abs() < 1e-15, "{doubled:?}");
    }

    #[test]
    fn quadratics_are_solved_exactly_for_any_ratio_of_steps() {
        for rho in [0.0, 0.3, 0.6, 1.0] {
            for r in [0.5, 0.8, 1.0, 1.7, 4.0] {
                let MultistepFormula { beta, b, C } = MultistepFormula::two_step(rho, r);
                // y = t^k, end of the step at 0, starts at −1 and −1 − r.
                for k in 0..=3_i32 {
                    let y = |t: f64| t.powi(k);
                    let f = |t: f64| if k == 0 { 0.0 } else { f64::from(k) * t.powi(k - 1) };
                    let (s, u) = (-1.0, -1.0 - r);
                    let right = (1.0 - beta) * y(s) + beta * y(u) + b[0] * f(0.0) + b[1] * f(s) + b[2] * f(u);
                    let expected = if k == 3 { 6.0 * C } else { 0.0 };
                    assert!((y(0.0) - right - expected).abs() < 1e-13, "rho {rho} r {r} k {k}");
                }
            }
        }
    }

    #[test]
    fn what_is_stiff_is_damped_to_the_spectral_radius() {
        for rho in [0.0, 0.3, 0.6, 0.9] {
            for r in [0.6, 1.0, 1.5] {
                let formula = MultistepFormula::two_step(rho, r);
                for (re, im) in [(-1e10, 0.0), (0.0, 1e10)] {
                    let found = radius(&formula, re, im);
                    // A double root: its growth over 2000 steps is seen to a part in a thousand.
                    assert!((found - rho).abs() < 2e-3, "rho {rho} r {r}: {found}");
                }
            }
            // A-stable with equal steps.
            for k in -30..=30 {
                let z = 10.0_f64.powf(f64::from(k) / 5.0);
                let formula = MultistepFormula::two_step(rho, 1.0);
                assert!(radius(&formula, 0.0, z) <= 1.0 + 1e-6 && radius(&formula, -z, 0.0) <= 1.0 + 1e-6);
            }
        }
    }
}
