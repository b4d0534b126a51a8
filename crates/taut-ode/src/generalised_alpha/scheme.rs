//! The generalised-alpha method as an implicit scheme: attempt, acceptance and memory of a step.

use super::dense::STORED_LISTS;
use super::iteration::all_finite;
use super::layout::VariableSizes;
use super::{AlphaParameters, GeneralisedAlphaScheme, StartAcceleration};
use crate::checkpoint::{DenseOutputEnd, JacobianUse, StepExtent, Validity};
use crate::implicit::{DenseOutputInputs, Scheme, SchemeSizes};
use crate::implicit_core::ImplicitCore;
use crate::newton::Convergence;
use crate::{Method, Refusal, Settings, System};

/// Default spectral radius at infinity.
const DEFAULT_SPECTRAL_RADIUS: f64 = 0.8;

/// An iteration that converges at this rate or faster keeps its derivatives.
const FAST_RATE: f64 = 0.07;

/// More corrections than this cost more than new derivatives would.
const MANY_CORRECTIONS: usize = 5;

impl Scheme for GeneralisedAlphaScheme {
    fn new(method: Method, _: usize, settings: &Settings) -> (Self, SchemeSizes) {
        let list = Vec::new;
        let (parameters, start) = match method {
            Method::TrapezoidalIndex3 => (AlphaParameters::trapezoidal(), StartAcceleration::Consistent),
            _ => {
                let rho = settings.spectral_radius.unwrap_or(DEFAULT_SPECTRAL_RADIUS);
                (AlphaParameters::new(rho), StartAcceleration::Continued)
            }
        };
        let alpha = Self {
            parameters,
            start,
            sizes: VariableSizes::default(),
            passive_states: 0,
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
            g_end: list(),
            work: list(),
            d: list(),
            d_lambda: list(),
            d_z: list(),
            weights: list(),
            content: Validity::Stale,
            factor_key: None,
            convergence: Convergence::Fast,
            service: JacobianUse::New,
        };
        (alpha, SchemeSizes { stages: STORED_LISTS, kept: 0, derived_at: 0, tangent: 0 })
    }

    fn invalidate(&mut self) {
        self.content = Validity::Stale;
    }

    fn save_history(&mut self, core: &mut ImplicitCore, system: &mut dyn System) {
        if let Some(equations) = system.second_order() {
            self.resize(core, VariableSizes::of(equations));
        }
        let counts = self.sizes;
        let memory = &mut core.memory;
        if core.state.span == StepExtent::Truncated || memory.kept.len() != counts.total() {
            // There are no accelerations at the time of truncation.
            (memory.started, memory.past) = (Validity::Stale, Validity::Stale);
            return;
        }
        let block = counts.block();
        memory.kept.copy_within(counts.v..2 * counts.v + counts.z, 2 * block);
        memory.kept.copy_within(block..2 * block, 0);
        (memory.t_past, memory.h_past) = (core.state.t_old, core.state.h);
        (memory.started, memory.past) = (Validity::Fresh, Validity::Fresh);
    }

    fn attempt(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        t_new: f64,
        h: f64,
    ) -> Result<f64, Refusal> {
        let equations = system.second_order().ok_or(Refusal::NotSecondOrder)?;
        let counts = VariableSizes::of(equations);
        if counts.v + counts.z > core.y_new.len() {
            return Err(Refusal::NotSecondOrder);
        }
        self.resize(core, counts);
        self.passive_states = equations.passive_state_count().min(counts.z);
        if core.memory.started == Validity::Stale || self.start == StartAcceleration::Consistent {
            let block = counts.block();
            let (a, udot, zdot, lambda) = counts.split_mut(&mut core.memory.kept[..block]);
            core.state.statistics.evaluations += 1;
            // The iteration continues with its own multipliers: those of the accelerations are large near singular poses.
            let lambda = if core.memory.started == Validity::Fresh { &mut self.d_lambda[..] } else { lambda };
            equations.accelerations(core.state.t, &core.state.y, &mut self.vdot, lambda, zdot)?;
            let (q, rest) = core.state.y.split_at(core.y_new.len() - counts.v - counts.z);
            equations.to_step_velocity(q, &rest[..counts.v], &self.vdot, &mut self.u0, udot);
            a.copy_from_slice(udot);
            core.memory.started = Validity::Fresh;
        }
        let mut fresh = core.memory.derived == Validity::Stale;
        self.service = if fresh { JacobianUse::New } else { JacobianUse::Good };
        let newton = loop {
            self.predict(core, equations, h);
            self.derive(core, equations, t_new)?;
            self.factor(equations, h)?;
            match self.iterate(core, equations, t_new, h) {
                Ok(newton) => break newton,
                Err(Refusal::NotConverged) if !fresh => {
                    (core.memory.derived, fresh) = (Validity::Stale, true);
                    self.service = JacobianUse::Poor;
                }
                Err(refusal) => {
                    // Derivatives at a guess that did not converge are not used for a smaller step.
                    core.memory.derived = Validity::Stale;
                    return Err(refusal);
                }
            }
        };
        if !all_finite(&core.y_new) {
            return Err(Refusal::NotFinite);
        }
        core.convergence_factor = newton.step_factor();
        self.convergence = newton.convergence(FAST_RATE);
        if !fresh && newton.count > MANY_CORRECTIONS {
            self.service = JacobianUse::Poor;
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

    fn accept(&mut self, core: &mut ImplicitCore) {
        // The error estimate is filtered by the constraints: with outdated rows it would contain directions that they hold.
        let steered = core.bounds.h_fixed.is_none() && self.sizes.lambda > 0;
        if self.convergence == Convergence::Slow || steered {
            core.memory.derived = Validity::Stale;
        }
        core.memory.record_jacobian_use(self.service);
        self.keep_displacement(core);
    }

    fn fill_rows(&mut self, core: &mut ImplicitCore, system: &mut dyn System) {
        core.fill_hermite_rows();
        if let Some(equations) = system.second_order() {
            self.resize(core, VariableSizes::of(equations));
            self.fill_displacement(core, equations);
        }
    }

    fn replace_interpolation(&mut self, core: &mut ImplicitCore, system: &mut dyn System, theta: f64, out: &mut [f64]) {
        self.interpolate_displacement(core, system, theta, out);
    }

    const SLOPES: DenseOutputInputs = DenseOutputInputs::Used;

    // The equations were just solved there. A correction of v changes v̇ by less than the error of the dense output.
    fn end_derivative(&mut self, core: &mut ImplicitCore, system: &mut dyn System) -> Validity {
        let whole = core.state.span == StepExtent::Whole && core.state.tail == DenseOutputEnd::Joined;
        let Some(equations) = system.second_order().filter(|_| whole) else { return Validity::Stale };
        let counts = VariableSizes::of(equations);
        if core.memory.kept.len() != counts.total() {
            return Validity::Stale;
        }
        self.resize(core, counts);
        let state = &mut core.state;
        let block = counts.block();
        let (_, udot, zdot, _) = counts.split(&core.memory.kept[block..2 * block]);
        let n = state.y.len();
        let nq = n - counts.v - counts.z;
        let (q, v) = (&state.y[..nq], &state.y[nq..nq + counts.v]);
        equations.to_step_velocity(q, v, udot, &mut self.u1, &mut self.work);
        equations.from_step_velocity(q, &self.u1, udot, &mut self.work, &mut self.vdot);
        equations.kinematics(q, v, &mut state.f[..nq]);
        state.f[nq..nq + counts.v].copy_from_slice(&self.vdot);
        state.f[n - counts.z..].copy_from_slice(zdot);
        Validity::Fresh
    }
}
