//! The generalised-alpha method on second-order equations with constraints at position level.
//!
//! ```text
//! δ = h v₀ + h² ((½ − β) a₀ + β a₁)          q₁ = q₀ ⊕ δ          v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
//! (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀          M v̇₁ = f₁ + A₁ᵀ λ₁,  φ(t₁, q₁) = 0
//! α_m = (2ρ − 1)/(ρ + 1)    α_f = ρ/(ρ + 1)    γ = ½ + α_f − α_m    β = ¼ (γ + ½)²
//! ```
//!
//! The parameters are those of \[ChungHulbert1993\]; a step leaves the share ρ of the fastest oscillation. The
//! displacements ⊕ of rotations follow \[BrulsCardona2010\]. Each step solves for δ and λ by one Newton iteration. The
//! first-order states z are updated within it by substitution in the trapezoidal rule, so z itself must not be stiff. The
//! velocity level is not enforced: the driver projects v by [`correct`](crate::Stepper::correct).
//!
//! v stands for the velocity u in which the equations are written ([`SecondOrder::to_step_velocity`]). In moving axes, bodies that turn
//! about a fixed axis at a steady rate are followed exactly, however large the step \[BrulsCardonaArnold2012\].
//!
//! With constraints ρ must be below 1: nothing else damps the oscillations of λ. With variable steps λ converges with one order
//! less, and velocities that are not projected reduce the accuracy.
//!
//! The algorithmic acceleration a is v̇ at a time later by `Δ h`, `Δ = α_m − α_f`. Where the step size changes, a is shifted
//! accordingly; otherwise order 2 would be lost.
//!
//! The trapezoidal rule is the case α_m = α_f = 0, β = ¼, γ = ½ ([`Method::TrapezoidalIndex3`](crate::Method)). It does not
//! damp λ. Its steps therefore do not continue with a₁: each starts from accelerations that satisfy the constraints at the
//! corrected state. This is the projection of the accelerations of \[Cuadrado1997\], without a penalty of its own.
//!
//! This file holds the parameters, the workspace and the step from δ to the new state. [`scheme`] runs an attempt,
//! [`iteration`] solves for δ, λ and z, [`error`] estimates the error, [`dense`] interpolates, and [`layout`] lays out what
//! is kept from step to step.

mod dense;
mod error;
mod iteration;
mod layout;
mod scheme;

use crate::SecondOrder;
use crate::checkpoint::{JacobianUse, Validity};
use crate::implicit_core::ImplicitCore;
use crate::newton::Convergence;
use layout::VariableSizes;

/// The parameters of the method.
#[derive(Debug, Clone, Copy)]
pub struct AlphaParameters {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
}

impl AlphaParameters {
    // [ChungHulbert1993]: order 2, with the least damping of low frequencies for a given damping of high ones.
    pub fn new(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5).powi(2), gamma }
    }

    /// The trapezoidal rule.
    pub fn trapezoidal() -> Self {
        Self { alpha_m: 0.0, alpha_f: 0.0, beta: 0.25, gamma: 0.5 }
    }

    /// ∂v̇/∂δ and ∂v/∂δ.
    pub fn factors(&self, h: f64) -> (f64, f64) {
        let mass = (1.0 - self.alpha_m) / ((1.0 - self.alpha_f) * self.beta * h * h);
        (mass, self.gamma / (self.beta * h))
    }
}

/// The acceleration with which a step starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAcceleration {
    /// The algorithmic one at the end of the step before.
    Continued,
    /// That of the equations at the corrected state.
    Consistent,
}

/// The scheme with its workspace, which is allocated with the first step, when the sizes are known.
#[derive(Debug, Clone)]
pub struct GeneralisedAlphaScheme {
    pub parameters: AlphaParameters,
    start: StartAcceleration,
    pub sizes: VariableSizes,
    /// Number of states at the end of z on which nothing else depends.
    passive_states: usize,
    /// u at the start and at the end.
    u0: Vec<f64>,
    pub u1: Vec<f64>,
    /// a at the start, shifted to this step.
    pub a0: Vec<f64>,
    pub a1: Vec<f64>,
    pub udot: Vec<f64>,
    /// v̇ that belongs to u̇.
    pub vdot: Vec<f64>,
    pub zdot: Vec<f64>,
    pub lambda: Vec<f64>,
    pub delta: Vec<f64>,
    pub r: Vec<f64>,
    pub g: Vec<f64>,
    /// g at the end of the step.
    pub g_end: Vec<f64>,
    pub work: Vec<f64>,
    /// The last corrections.
    pub d: Vec<f64>,
    d_lambda: Vec<f64>,
    d_z: Vec<f64>,
    /// One over the tolerance of each component.
    weights: Vec<f64>,
    /// Whether the system holds the derivatives described in the memory.
    content: Validity,
    /// The factors of mass and damping for which the system holds a factorisation.
    factor_key: Option<(f64, f64)>,
    convergence: Convergence,
    service: JacobianUse,
}

impl GeneralisedAlphaScheme {
    /// Gives all lists the right lengths.
    fn resize(&mut self, core: &mut ImplicitCore, counts: VariableSizes) {
        if self.sizes == counts && core.memory.kept.len() == counts.total() {
            return;
        }
        if core.memory.kept.len() != counts.total() {
            core.memory.kept = vec![0.0; counts.total()];
            core.memory.reset();
        }
        self.sizes = counts;
        for list in [&mut self.u0, &mut self.u1, &mut self.a0, &mut self.a1, &mut self.udot, &mut self.vdot] {
            *list = vec![0.0; counts.v];
        }
        for list in [&mut self.delta, &mut self.r, &mut self.work, &mut self.d] {
            *list = vec![0.0; counts.v];
        }
        (self.zdot, self.d_z) = (vec![0.0; counts.z], vec![0.0; counts.z]);
        for list in [&mut self.lambda, &mut self.g, &mut self.g_end, &mut self.d_lambda] {
            *list = vec![0.0; counts.lambda];
        }
    }

    /// a₁, v̇₁ and y_new except z, from δ.
    fn update_end_state(&mut self, core: &mut ImplicitCore, equations: &dyn SecondOrder, h: f64) {
        let AlphaParameters { alpha_m, alpha_f, beta, gamma } = self.parameters;
        let VariableSizes { v: nv, z: nz, .. } = self.sizes;
        let nq = core.y_new.len() - nv - nz;
        let udot0 = self.sizes.split(self.sizes.start(&core.memory.kept)).1;
        let (per_h, per_a, kept) = (1.0 / h, 1.0 / (beta * h), 1.0 / (1.0 - alpha_f));
        let (u0, a0, delta, udot0) = (&self.u0[..nv], &self.a0[..nv], &self.delta[..nv], &udot0[..nv]);
        let (a1, u1, udot) = (&mut self.a1[..nv], &mut self.u1[..nv], &mut self.udot[..nv]);
        for i in 0..nv {
            let (u, a) = (u0[i], a0[i]);
            a1[i] = (delta[i] * per_h - u - (0.5 - beta) * h * a) * per_a;
            u1[i] = u + h * ((1.0 - gamma) * a + gamma * a1[i]);
            udot[i] = ((1.0 - alpha_m) * a1[i] + alpha_m * a - alpha_f * udot0[i]) * kept;
        }
        let (q, rest) = core.y_new.split_at_mut(nq);
        q.copy_from_slice(&core.state.y[..nq]);
        equations.displace(q, &self.delta);
        equations.from_step_velocity(q, &self.u1, &self.udot, &mut rest[..nv], &mut self.vdot);
    }

    /// The first guess: the acceleration changes as in the previous step, or stays constant.
    fn predict(&mut self, core: &mut ImplicitCore, equations: &dyn SecondOrder, h: f64) {
        let VariableSizes { v: nv, z: nz, .. } = self.sizes;
        let n = core.y_new.len();
        let (nq, stretch) = (n - nv - nz, h / core.memory.h_past);
        let (a, udot, zdot, lambda) = self.sizes.split(self.sizes.start(&core.memory.kept));
        let (udot_past, _) = self.sizes.before(&core.memory.kept);
        let (q, rest) = core.state.y.split_at(nq);
        // v̇ is not needed here.
        equations.to_step_velocity(q, &rest[..nv], udot, &mut self.u0, &mut self.work);
        for i in 0..nv {
            let mut change = 0.0;
            self.a0[i] = a[i];
            if core.memory.past == Validity::Fresh {
                self.a0[i] = udot[i] + stretch * (a[i] - udot[i]);
                change = stretch * (udot[i] - udot_past[i]);
            }
            self.delta[i] = h * (self.u0[i] + h * (0.5 * self.a0[i] + self.parameters.beta * change));
        }
        self.lambda.copy_from_slice(lambda);
        for i in 0..nz {
            core.y_new[n - nz + i] = core.state.y[n - nz + i] + h * zdot[i];
        }
        self.update_end_state(core, equations, h);
    }
}
