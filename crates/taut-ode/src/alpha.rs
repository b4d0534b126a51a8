//! The generalised-alpha method on second-order equations with constraints at position level.
//!
//! ```text
//! δ = h v₀ + h² ((½ − β) a₀ + β a₁)          q₁ = q₀ ⊕ δ          v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
//! (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀          M v̇₁ = f₁ + A₁ᵀ λ₁,  φ(t₁, q₁) = 0
//! α_m = (2ρ − 1)/(ρ + 1)    α_f = ρ/(ρ + 1)    γ = ½ + α_f − α_m    β = ¼ (γ + ½)²
//! ```
//!
//! \[ChungHulbert1993\] for the numbers, which leave the share ρ of the fastest oscillation per step; \[BrulsCardona2010\]
//! for displacements ⊕ of rotations. The unknowns of the one iteration per step are δ and λ; z follows by the trapezoidal
//! rule within it, by substitution, so that z itself must not be stiff. The velocity level is not held:
//! whoever drives the stepper brings it home by [`correct`](crate::Stepper::correct).
//!
//! v stands for the velocity u that the equations are written in ([`SecondOrder::own`]): in axes that move along, bodies
//! that turn about a fixed axis at a steady rate are followed exactly, however large the step \[BrulsCardonaArnold2012\].
//!
//! With constraints ρ must be below 1: nothing else damps what the rows excite. Where the steps vary, λ follows by one
//! order less, and velocities that nobody corrects cost accuracy.
//!
//! The algorithmic acceleration a is v̇ later by `Δ h`, `Δ = α_m − α_f`: where the step changes, it is moved along with it,
//! or order 2 would be lost.

use crate::alpha_dense::LISTS;
use crate::alpha_lists::Counts;
use crate::checkpoint::{Content, Service, Span, Tail};
use crate::implicit::{Scheme, Sizes, Slopes};
use crate::newton::{Convergence, Newton, Progress};
use crate::situation::Core;
use crate::{Method, Refusal, SecondOrder, Settings, System};
use std::ops::Range;

/// Spectral radius at infinity unless another is asked for.
const RHO: f64 = 0.8;

/// An iteration that converges at this rate or faster may keep its derivatives.
const FAST: f64 = 0.07;

/// The iteration is finer than the error of the step would ask for: what it leaves of φ is felt over h² in λ.
const FINER: f64 = 1e-2;

/// Most corrections: z by substitution takes more than a factor alone would.
const MOST: usize = 12;

/// More corrections than this cost more than new derivatives would.
const MANY: usize = 5;

/// So often is a correction halved.
const HALVINGS: u32 = 4;

/// The numbers of the method.
#[derive(Debug, Clone, Copy)]
pub struct Formula {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
}

impl Formula {
    // [ChungHulbert1993]: order 2, most damping where it is fast for the least where it is slow
    pub fn new(rho: f64) -> Self {
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5).powi(2), gamma }
    }

    /// By how much v̇ changes with δ, and by how much v.
    pub fn factors(&self, h: f64) -> (f64, f64) {
        let mass = (1.0 - self.alpha_m) / ((1.0 - self.alpha_f) * self.beta * h * h);
        (mass, self.gamma / (self.beta * h))
    }
}

/// Without a way out in the middle, which would cost more than it spares.
fn all_finite(list: &[f64]) -> bool {
    list.iter().fold(true, |all, x| all & x.is_finite())
}

/// The scheme with its workspace, which is made with the first step, when the sizes are known.
#[derive(Debug, Clone)]
pub struct Alpha {
    pub formula: Formula,
    pub counts: Counts,
    /// States that only follow.
    followers: usize,
    /// u at the start and at the end.
    u0: Vec<f64>,
    pub u1: Vec<f64>,
    /// a at the start, moved to this step.
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
    pub work: Vec<f64>,
    /// Corrections made last.
    pub d: Vec<f64>,
    d_lambda: Vec<f64>,
    d_z: Vec<f64>,
    /// One over the units of the error, component by component.
    weights: Vec<f64>,
    /// Whether the system holds the derivatives of the place in the memory, and the factor of which sizes.
    content: Content,
    factored: Option<(f64, f64)>,
    convergence: Convergence,
    service: Service,
}

impl Alpha {
    /// Lists of the right lengths.
    fn size(&mut self, core: &mut Core, counts: Counts) {
        if self.counts == counts && core.memory.kept.len() == counts.total() {
            return;
        }
        if core.memory.kept.len() != counts.total() {
            core.memory.kept = vec![0.0; counts.total()];
            core.memory.forget();
        }
        self.counts = counts;
        for list in [&mut self.u0, &mut self.u1, &mut self.a0, &mut self.a1, &mut self.udot, &mut self.vdot] {
            *list = vec![0.0; counts.v];
        }
        for list in [&mut self.delta, &mut self.r, &mut self.work, &mut self.d] {
            *list = vec![0.0; counts.v];
        }
        (self.zdot, self.d_z) = (vec![0.0; counts.z], vec![0.0; counts.z]);
        for list in [&mut self.lambda, &mut self.g, &mut self.d_lambda] {
            *list = vec![0.0; counts.lambda];
        }
    }

    /// a₁, v̇₁ and y_new (but for z) from δ.
    fn spread(&mut self, core: &mut Core, equations: &dyn SecondOrder, h: f64) {
        let Formula { alpha_m, alpha_f, beta, gamma } = self.formula;
        let Counts { v: nv, z: nz, .. } = self.counts;
        let nq = core.y_new.len() - nv - nz;
        let udot0 = self.counts.split(self.counts.start(&core.memory.kept)).1;
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
        equations.seen(q, &self.u1, &self.udot, &mut rest[..nv], &mut self.vdot);
    }

    /// The first guess: the acceleration goes on changing as it did, or stays.
    fn predict(&mut self, core: &mut Core, equations: &dyn SecondOrder, h: f64) {
        let Counts { v: nv, z: nz, .. } = self.counts;
        let n = core.y_new.len();
        let (nq, stretch) = (n - nv - nz, h / core.memory.h_past);
        let (a, udot, zdot, lambda) = self.counts.split(self.counts.start(&core.memory.kept));
        let (udot_past, _) = self.counts.before(&core.memory.kept);
        let (q, rest) = core.state.y.split_at(nq);
        // Of v̇ nothing is asked here.
        equations.own(q, &rest[..nv], udot, &mut self.u0, &mut self.work);
        for i in 0..nv {
            let mut change = 0.0;
            self.a0[i] = a[i];
            if core.memory.past == Content::Fresh {
                self.a0[i] = udot[i] + stretch * (a[i] - udot[i]);
                change = stretch * (udot[i] - udot_past[i]);
            }
            self.delta[i] = h * (self.u0[i] + h * (0.5 * self.a0[i] + self.formula.beta * change));
        }
        self.lambda.copy_from_slice(lambda);
        for i in 0..nz {
            core.y_new[n - nz + i] = core.state.y[n - nz + i] + h * zdot[i];
        }
        self.spread(core, equations, h);
    }

    /// Derivatives: those in the memory, or new ones at the guess.
    fn derive(&mut self, core: &mut Core, equations: &mut dyn SecondOrder, t_new: f64) -> Result<(), Refusal> {
        let memory = &mut core.memory;
        let at = self.counts.total() - self.counts.v - self.counts.lambda;
        if memory.derived == Content::Stale {
            self.content = Content::Stale;
            memory.t_derived = t_new;
            memory.derived_at.copy_from_slice(&core.y_new);
            memory.kept[at..at + self.counts.v].copy_from_slice(&self.vdot);
            memory.kept[at + self.counts.v..].copy_from_slice(&self.lambda);
        }
        if self.content == Content::Stale {
            let (vdot, lambda) = memory.kept[at..].split_at(self.counts.v);
            equations.derive(memory.t_derived, &memory.derived_at, vdot, lambda)?;
            (self.content, self.factored) = (Content::Fresh, None);
            memory.derived = Content::Fresh;
        }
        Ok(())
    }

    fn factor(&mut self, equations: &mut dyn SecondOrder, h: f64) -> Result<(), Refusal> {
        let (mass, damping) = self.formula.factors(h);
        if self.factored != Some((mass, damping)) {
            self.factored = None;
            equations.factor(mass, damping)?;
            self.factored = Some((mass, damping));
        }
        Ok(())
    }

    /// The correction at the present guess.
    fn correction(
        &mut self,
        core: &mut Core,
        equations: &mut dyn SecondOrder,
        t_new: f64,
        h: f64,
    ) -> Result<(), Refusal> {
        core.state.statistics.evaluations += 1;
        let (r, g) = (&mut self.r, &mut self.g);
        equations.residual(t_new, &core.y_new, &self.vdot, &self.lambda, r, g, &mut self.zdot)?;
        r.iter_mut().for_each(|x| *x = -*x);
        g.iter_mut().for_each(|x| *x = -*x);
        equations.solve(r, g)?;
        // A displacement of where q is now, as a change of the whole δ.
        let nq = core.y_new.len() - self.counts.v - self.counts.z;
        equations.unroll(&core.y_new[..nq], &self.delta, r, &mut self.work);
        self.trapezoid(core, 0..self.counts.z - self.followers, h);
        let finite = [&self.work, &self.g, &self.d_z].iter().all(|list| all_finite(list));
        if finite { Ok(()) } else { Err(Refusal::NotFinite) }
    }

    /// By how much some of z change for the trapezoidal rule.
    fn trapezoid(&mut self, core: &Core, which: Range<usize>, h: f64) {
        let first = core.y_new.len() - self.counts.z;
        let zdot0 = self.counts.split(self.counts.start(&core.memory.kept)).2;
        for i in which {
            let z = core.state.y[first + i] + 0.5 * h * (zdot0[i] + self.zdot[i]);
            self.d_z[i] = z - core.y_new[first + i];
        }
    }

    /// Adds the last correction times `share`.
    fn advance(&mut self, core: &mut Core, equations: &dyn SecondOrder, h: f64, share: f64) {
        for (x, d) in self.delta.iter_mut().zip(&self.d) {
            *x += share * d;
        }
        for (x, d) in self.lambda.iter_mut().zip(&self.d_lambda) {
            *x += share * d;
        }
        self.spread(core, equations, h);
    }

    /// Norm of the correction as the change of q and z that it makes. That of v is not measured: it is the one of q over
    /// h, with the rounding of q over h.
    fn norm(&mut self, core: &mut Core, equations: &dyn SecondOrder) -> f64 {
        let Counts { v: nv, z: nz, .. } = self.counts;
        let n = core.y_new.len();
        let nq = n - nv - nz;
        core.argument[..nq].copy_from_slice(&core.y_new[..nq]);
        equations.displace(&mut core.argument[..nq], &self.r);
        for i in 0..nq {
            core.argument[i] -= core.y_new[i];
        }
        let squares = |d: &[f64], weights: &[f64]| d.iter().zip(weights).map(|(d, w)| (d * w).powi(2)).sum::<f64>();
        let moved = squares(&core.argument[..nq], &self.weights);
        ((moved + squares(&self.d_z, &self.weights[n - nz..])) / n.max(1) as f64).sqrt()
    }

    /// Solves for δ, λ and z.
    fn iterate(
        &mut self,
        core: &mut Core,
        equations: &mut dyn SecondOrder,
        t_new: f64,
        h: f64,
    ) -> Result<Newton, Refusal> {
        let mut newton = core.newton(h).finer(FINER, MOST);
        core.tolerance.weights(&core.state.y, &mut self.weights);
        let first = core.y_new.len() - self.counts.z;
        let felt = self.counts.z - self.followers;
        self.d_z[felt..].fill(0.0);
        let (mut halvings, mut share) = (0, 1.0);
        loop {
            let found = self.correction(core, equations, t_new, h);
            let norm = if found.is_ok() { self.norm(core, equations) } else { f64::INFINITY };
            // The correction before led to where things are worse: half of it is taken back.
            if newton.grows(norm) && newton.count > 0 && halvings < HALVINGS {
                halvings += 1;
                share *= 0.5;
                self.advance(core, equations, h, -share);
                continue;
            }
            found?;
            let progress = newton.corrected(norm)?;
            (halvings, share) = (0, 1.0);
            self.d.copy_from_slice(&self.work);
            self.d_lambda.copy_from_slice(&self.g);
            if progress == Progress::Converged && self.followers > 0 {
                equations.follow(t_new, &core.y_new, &self.vdot, &self.lambda, &mut self.zdot[felt..]);
                self.trapezoid(core, felt..self.counts.z, h);
            }
            for (z, d) in core.y_new[first..].iter_mut().zip(&self.d_z) {
                *z += d;
            }
            self.advance(core, equations, h, 1.0);
            if progress == Progress::Converged {
                return Ok(newton);
            }
        }
    }
}

impl Scheme for Alpha {
    fn new(_: Method, _: usize, settings: &Settings) -> (Self, Sizes) {
        let list = Vec::new;
        let alpha = Self {
            formula: Formula::new(settings.spectral_radius.unwrap_or(RHO)),
            counts: Counts::default(),
            followers: 0,
            u0: list(),
            u1: list(),
            a0: list(),
            a1: list(),
            udot: list(),
            vdot: list(),
            zdot: list(),
            lambda: list(),
            delta: list(),
            r: list(),
            g: list(),
            work: list(),
            d: list(),
            d_lambda: list(),
            d_z: list(),
            weights: list(),
            content: Content::Stale,
            factored: None,
            convergence: Convergence::Fast,
            service: Service::New,
        };
        (alpha, Sizes { stages: LISTS, kept: 0, derived_at: 0, tangent: 0 })
    }

    fn doubt(&mut self) {
        self.content = Content::Stale;
    }

    fn remember(&mut self, core: &mut Core, system: &mut dyn System) {
        if let Some(equations) = system.second_order() {
            self.size(core, Counts::of(equations));
        }
        let counts = self.counts;
        let memory = &mut core.memory;
        if core.state.span == Span::Truncated || memory.kept.len() != counts.total() {
            // There are no accelerations where the step was cut.
            (memory.started, memory.past) = (Content::Stale, Content::Stale);
            return;
        }
        let block = counts.block();
        memory.kept.copy_within(counts.v..2 * counts.v + counts.z, 2 * block);
        memory.kept.copy_within(block..2 * block, 0);
        (memory.t_past, memory.h_past) = (core.state.t_old, core.state.h);
        (memory.started, memory.past) = (Content::Fresh, Content::Fresh);
    }

    fn attempt(&mut self, core: &mut Core, system: &mut dyn System, t_new: f64, h: f64) -> Result<f64, Refusal> {
        let equations = system.second_order().ok_or(Refusal::NotSecondOrder)?;
        let counts = Counts::of(equations);
        if counts.v + counts.z > core.y_new.len() {
            return Err(Refusal::NotSecondOrder);
        }
        self.size(core, counts);
        self.followers = equations.followers().min(counts.z);
        if core.memory.started == Content::Stale {
            let block = counts.block();
            let (a, udot, zdot, lambda) = counts.split_mut(&mut core.memory.kept[..block]);
            core.state.statistics.evaluations += 1;
            equations.accelerations(core.state.t, &core.state.y, &mut self.vdot, lambda, zdot)?;
            let (q, rest) = core.state.y.split_at(core.y_new.len() - counts.v - counts.z);
            equations.own(q, &rest[..counts.v], &self.vdot, &mut self.u0, udot);
            a.copy_from_slice(udot);
            core.memory.started = Content::Fresh;
        }
        let mut fresh = core.memory.derived == Content::Stale;
        self.service = if fresh { Service::New } else { Service::Good };
        let newton = loop {
            self.predict(core, equations, h);
            self.derive(core, equations, t_new)?;
            self.factor(equations, h)?;
            match self.iterate(core, equations, t_new, h) {
                Ok(newton) => break newton,
                Err(Refusal::NotConverged) if !fresh => {
                    (core.memory.derived, fresh) = (Content::Stale, true);
                    self.service = Service::Poor;
                }
                Err(refusal) => {
                    // Those of a guess that led nowhere are no good for a smaller step.
                    core.memory.derived = Content::Stale;
                    return Err(refusal);
                }
            }
        };
        if !all_finite(&core.y_new) {
            return Err(Refusal::NotFinite);
        }
        core.ease = newton.ease();
        self.convergence = newton.convergence(FAST);
        if !fresh && newton.count > MANY {
            self.service = Service::Poor;
        }
        let error = if core.bounds.h_fixed.is_some() { 0.0 } else { self.estimate(core, equations, t_new, h)? };
        let block = counts.block();
        let (a, udot, zdot, lambda) = counts.split_mut(&mut core.memory.kept[block..2 * block]);
        a.copy_from_slice(&self.a1);
        udot.copy_from_slice(&self.udot);
        zdot.copy_from_slice(&self.zdot);
        lambda.copy_from_slice(&self.lambda);
        Ok(error)
    }

    fn accept(&mut self, core: &mut Core) {
        // The estimate of the error lies along the constraints: with rows of long ago it would see what they hold.
        let steered = core.bounds.h_fixed.is_none() && self.counts.lambda > 0;
        if self.convergence == Convergence::Slow || steered {
            core.memory.derived = Content::Stale;
        }
        core.memory.serve(self.service);
        self.keep_displacement(core);
    }

    fn fill_rows(&mut self, core: &mut Core, system: &mut dyn System) {
        core.hermite();
        if let Some(equations) = system.second_order() {
            self.size(core, Counts::of(equations));
            self.fill_displacement(core, equations);
        }
    }

    fn replace(&mut self, core: &mut Core, system: &mut dyn System, theta: f64, out: &mut [f64]) {
        self.along(core, system, theta, out);
    }

    const SLOPES: Slopes = Slopes::Used;

    // The equations were just solved there: what a correction of v changes of v̇ is less than the dense output errs.
    fn slope(&mut self, core: &mut Core, system: &mut dyn System) -> Content {
        let whole = core.state.span == Span::Whole && core.state.tail == Tail::Joined;
        let Some(equations) = system.second_order().filter(|_| whole) else { return Content::Stale };
        let counts = Counts::of(equations);
        if core.memory.kept.len() != counts.total() {
            return Content::Stale;
        }
        self.size(core, counts);
        let state = &mut core.state;
        let block = counts.block();
        let (_, udot, zdot, _) = counts.split(&core.memory.kept[block..2 * block]);
        let n = state.y.len();
        let nq = n - counts.v - counts.z;
        let (q, v) = (&state.y[..nq], &state.y[nq..nq + counts.v]);
        equations.own(q, v, udot, &mut self.u1, &mut self.work);
        equations.seen(q, &self.u1, udot, &mut self.work, &mut self.vdot);
        equations.kinematics(q, v, &mut state.f[..nq]);
        state.f[nq..nq + counts.v].copy_from_slice(&self.vdot);
        state.f[n - counts.z..].copy_from_slice(zdot);
        Content::Fresh
    }
}
