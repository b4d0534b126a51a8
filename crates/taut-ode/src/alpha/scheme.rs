//! The generalised-alpha method as an implicit scheme: attempt, acceptance and memory of a step.

use super::dense::LISTS;
use super::iteration::all_finite;
use super::lists::Counts;
use super::{Alpha, Formula};
use crate::checkpoint::{Content, Service, Span, Tail};
use crate::implicit::{Scheme, Sizes, Slopes};
use crate::newton::Convergence;
use crate::situation::Core;
use crate::{Method, Refusal, Settings, System};

/// Default spectral radius at infinity.
const RHO: f64 = 0.8;

/// An iteration that converges at this rate or faster keeps its derivatives.
const FAST: f64 = 0.07;

/// More corrections than this cost more than new derivatives would.
const MANY: usize = 5;

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
            // There are no accelerations at the time of truncation.
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
                    // Derivatives at a guess that did not converge are not used for a smaller step.
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
        // The error estimate is filtered by the constraints: with outdated rows it would contain directions that they hold.
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

    // The equations were just solved there. A correction of v changes v̇ by less than the error of the dense output.
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
