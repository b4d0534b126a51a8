//! The stepper of all implicit methods; a [`Scheme`] holds the equations of a single step.

use crate::bounds::Bounds;
use crate::checkpoint::{Content, Growth, Memory, Span, State, Tail};
use crate::dense::Place;
use crate::first_step::finite_rates;
use crate::share::{Restarts, Share};
use crate::situation::Core;
use crate::tangent::Tangent;
use crate::{
    Checkpoint, Controller, Method, Pace, Refusal, RestoreError, Settings, SetupError, Statistics, StepFailure,
    Stepper, System,
};

/// Factor after an iteration that did not converge.
const DIVERGED_FACTOR: f64 = 0.5;

/// The equations of a single step.
pub trait Scheme: Send + Sized {
    /// For a state of dimension `n`; also returns the sizes of the lists.
    fn new(method: Method, n: usize, settings: &Settings) -> (Self, Sizes);

    /// Stores what the next step needs from the last one, before that is discarded.
    fn remember(&mut self, core: &mut Core, system: &mut dyn System);

    /// Computes `y_new` for the step from the present state to `t_new`; returns its error.
    fn attempt(&mut self, core: &mut Core, system: &mut dyn System, t_new: f64, h: f64) -> Result<f64, Refusal>;

    /// Called after a step was accepted.
    fn accept(&mut self, core: &mut Core) {
        let _ = core;
    }

    /// Invalidates derivatives and factors stored in the system.
    fn doubt(&mut self) {}

    /// Whether the dense output needs the derivative at the end of the step.
    const SLOPES: Slopes;

    /// Sets the derivative at the end of the accepted step, if it is known without an evaluation.
    fn slope(&mut self, core: &mut Core, system: &mut dyn System) -> Content {
        let _ = (core, system);
        Content::Stale
    }

    /// Coefficients of the dense output.
    fn fill_rows(&mut self, core: &mut Core, system: &mut dyn System) {
        let _ = system;
        core.hermite();
    }

    /// Overwrites the components of `out` that the scheme interpolates by itself, at the share `theta` of the whole step. `out`
    /// contains the value of the polynomial.
    fn replace(&mut self, core: &mut Core, system: &mut dyn System, theta: f64, out: &mut [f64]) {
        let _ = (core, system, theta, out);
    }
}

/// Lengths of the lists of a scheme.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Lists of the length of y that a step stores for its dense output, besides the derivative at its start.
    pub stages: usize,
    /// Numbers stored from the previous step.
    pub kept: usize,
    /// Numbers besides y that describe where the Jacobian was evaluated.
    pub derived_at: usize,
    /// The dimension of `J`; 0 if the scheme needs none.
    pub tangent: usize,
}

/// The data from which the dense output is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slopes {
    /// States alone.
    Unused,
    /// States and derivatives at both ends.
    Used,
}

/// The stepper of an implicit method.
#[derive(Debug, Clone)]
pub struct Implicit<S> {
    core: Core,
    scheme: S,
}

impl<S: Scheme> Implicit<S> {
    /// A stepper starting at `(t, y)`.
    pub fn new(method: Method, t: f64, y: &[f64], settings: &Settings) -> Result<Self, SetupError> {
        if !t.is_finite() || !y.iter().all(|x| x.is_finite()) {
            return Err(SetupError::Start);
        }
        let n = y.len();
        settings.check(n)?;
        let bounds = Bounds::new(settings.pace, settings)?;
        let controller = settings.controller.unwrap_or_else(|| Controller::for_method(method));
        let (scheme, sizes) = S::new(method, n, settings);
        let mut state = State::new(t, y, 1 + sizes.stages, 3, controller.last_error);
        state.h_next = settings.h_first;
        state.restarts = Restarts::new(t, settings.span);
        let core = Core {
            method,
            tolerance: settings.tolerance.clone(),
            controller,
            bounds,
            state,
            memory: Memory::new(n + sizes.derived_at, sizes.kept),
            tangent: Tangent::new(sizes.tangent),
            y_new: vec![0.0; n],
            argument: vec![0.0; n],
            error: vec![0.0; n],
            given: settings.tolerance.clone(),
            share: Share::of(method, settings),
            ease: 1.0,
            uneven: 1.0,
        };
        Ok(Self { core, scheme })
    }

    /// Evaluates the derivative at the present state if it is not known.
    fn refresh(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        if self.core.state.f_content == Content::Stale {
            self.core.state.f_content = self.scheme.slope(&mut self.core, system);
        }
        self.core.refresh(system)
    }

    /// The dense output of the whole step; needs its coefficients.
    fn whole(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) {
        let state = &self.core.state;
        state.evaluate_rows(t, out);
        let theta = (t - state.t_old) / state.h;
        self.scheme.replace(&mut self.core, system, theta, out);
    }

    /// Computes the coefficients of the dense output if that is not done.
    fn prepare(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        if self.core.state.rows_content == Content::Fresh {
            return Ok(());
        }
        if S::SLOPES == Slopes::Used {
            match self.core.state.tail {
                Tail::Joined => self.refresh(system)?,
                Tail::Parted => {
                    let state = &mut self.core.state;
                    if state.f_end_content == Content::Stale {
                        state.statistics.evaluations += 1;
                        finite_rates(system, state.t, &state.y_end, &mut state.f_end)?;
                        state.f_end_content = Content::Fresh;
                    }
                }
            }
        }
        self.scheme.fill_rows(&mut self.core, system);
        self.core.state.rows_content = Content::Fresh;
        Ok(())
    }
}

impl<S: Scheme> Stepper for Implicit<S> {
    fn t(&self) -> f64 {
        self.core.state.t
    }

    fn y(&self) -> &[f64] {
        &self.core.state.y
    }

    fn t_old(&self) -> f64 {
        self.core.state.t_old
    }

    fn y_old(&self) -> &[f64] {
        &self.core.state.y_old
    }

    fn h_next(&self) -> Option<f64> {
        self.core.state.h_next
    }

    fn step(&mut self, system: &mut dyn System, t_stop: f64) -> Result<(), StepFailure> {
        let t = self.core.state.t;
        let (expected, found) = (self.core.state.y.len(), system.dimension());
        if expected != found {
            return Err(StepFailure::Dimension { expected, found });
        }
        if t_stop.is_nan() {
            return Err(StepFailure::StoppingTime);
        }
        if t_stop == t {
            return Ok(());
        }
        self.refresh(system).map_err(|refusal| StepFailure::Refused { t, refusal })?;
        let core = &mut self.core;
        // From here on the stages belong to the new step.
        if core.state.span != Span::Empty && core.state.tail == Tail::Joined {
            self.scheme.remember(core, system);
        }
        core.state.forget_step();
        core.state.k[..expected].copy_from_slice(&core.state.f);

        let smallest = core.bounds.smallest(t);
        let mut planned = core.planned(system, t_stop);
        loop {
            planned = planned.max(smallest);
            let (t_new, cut) = core.bounds.towards(t, planned, t_stop);
            // The exact difference of the times, so that stages and dense output agree.
            let h = t_new - t;
            // From the plan: the rounded difference might exceed the smallest size for ever.
            let least = planned.min(h.abs());
            system.attempt(t, h);
            let fixed = core.bounds.h_fixed.is_some();
            core.hold_to(h);
            let failure = match self.scheme.attempt(core, system, t_new, h) {
                Ok(error) if fixed || core.controller.accepts(error) => {
                    core.accept(t_new, h, cut, error);
                    self.scheme.accept(core);
                    return Ok(());
                }
                Ok(error) => {
                    core.state.statistics.rejected += 1;
                    planned = h.abs() * core.controller.rejected(error);
                    StepFailure::StepTooSmall { t, h: planned }
                }
                Err(refusal) => {
                    core.state.statistics.refused += 1;
                    let diverged = refusal == Refusal::NotConverged;
                    planned = h.abs() * if diverged { DIVERGED_FACTOR } else { Controller::REFUSED_FACTOR };
                    StepFailure::Refused { t, refusal }
                }
            };
            core.state.growth = Growth::Held;
            if least <= smallest || failure == (StepFailure::Refused { t, refusal: Refusal::NotSecondOrder }) {
                return Err(failure);
            }
        }
    }

    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal> {
        self.refresh(system)?;
        Ok(&self.core.state.f)
    }

    /// Ignored: the steps of an implicit method are not planned around their stages.
    fn stride_across(&mut self, obstacle: Option<f64>) {
        let _ = obstacle;
    }

    fn obstacle(&self) -> Option<f64> {
        None
    }

    fn correct(&mut self) -> &mut [f64] {
        self.core.state.correct()
    }

    fn jump(&mut self) -> &mut [f64] {
        self.core.memory.forget();
        self.core.state.jump()
    }

    fn count_restart(&mut self) {
        self.core.state.restarts.note(self.core.state.t);
    }

    fn hold_to(&mut self, part: f64) {
        self.core.state.part = part;
    }

    fn deviation(&self, y: &[f64]) -> f64 {
        // Generalised-alpha leaves the correction of the velocities to the driver.
        let held = self.core.method != Method::GeneralisedAlpha;
        if held { self.core.state.deviation(&self.core.tolerance, y) } else { 0.0 }
    }

    fn distance(&self, y: &[f64]) -> f64 {
        self.core.state.deviation(&self.core.tolerance, y)
    }

    fn reject(&mut self, error: f64) -> Result<(), StepFailure> {
        self.core.state.reject(self.core.controller.rejected(error), &self.core.bounds)
    }

    fn amplified(&mut self) -> &mut f64 {
        &mut self.core.state.amplified
    }

    fn resume_at(&mut self, t: f64) -> &mut [f64] {
        self.core.memory.forget();
        self.core.state.resume_at(t, &self.core.bounds)
    }

    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal> {
        if self.core.state.ends(t, out)? == Place::Inside {
            self.prepare(system)?;
            self.whole(system, t, out);
            self.core.state.bend(t, out);
        }
        Ok(())
    }

    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal> {
        let core = &mut self.core;
        let inside = t != core.state.t && t != core.state.t_old && core.state.span != Span::Empty;
        if !inside {
            return core.state.cut(t, &mut core.argument);
        }
        self.prepare(system)?;
        // Workspace of the attempts, moved out because the call borrows the rest.
        let (mut cut, mut y) = (std::mem::take(&mut self.core.error), std::mem::take(&mut self.core.y_new));
        self.whole(system, t, &mut cut);
        y.copy_from_slice(&cut);
        self.core.state.bend(t, &mut y);
        let done = self.core.state.cut(t, &mut self.core.argument);
        if done.is_ok() {
            self.core.state.y.copy_from_slice(&y);
            self.core.state.y_cut.copy_from_slice(&cut);
        }
        (self.core.error, self.core.y_new) = (cut, y);
        done
    }

    fn take_back(&mut self, factor: f64) -> Result<(), StepFailure> {
        self.core.state.take_back(factor, &self.core.bounds)
    }

    fn statistics(&self) -> Statistics {
        self.core.state.statistics
    }

    fn save(&self) -> Checkpoint {
        let core = &self.core;
        Checkpoint { method: core.method, state: core.state.clone(), memory: Some(core.memory.clone()) }
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), RestoreError> {
        let core = &mut self.core;
        if checkpoint.method != core.method {
            return Err(RestoreError::Method {
                expected: core.method.to_string(),
                found: checkpoint.method.to_string(),
            });
        }
        let memory = checkpoint.memory.as_ref().filter(|memory| memory.fits(&core.memory));
        let (Some(memory), true) = (memory, checkpoint.state.fits(&core.state)) else {
            return Err(RestoreError::Dimension { expected: core.state.y.len() });
        };
        core.state.clone_from(&checkpoint.state);
        core.memory.clone_from(memory);
        core.tangent.doubt();
        self.scheme.doubt();
        Ok(())
    }

    fn pace(&self) -> Pace {
        self.core.bounds.pace()
    }

    fn order(&self) -> u32 {
        self.core.method.order()
    }

    fn interpolation_order(&self) -> u32 {
        self.core.method.interpolation_order()
    }

    fn name(&self) -> &'static str {
        self.core.method.name()
    }
}
