//! The stepper of all implicit methods; a [`Scheme`] holds the equations of a single step.

use crate::bounds::StepBounds;
use crate::checkpoint::{DenseOutputEnd, ImplicitMemory, StepExtent, StepGrowth, StepperState, Validity};
use crate::dense::StepLocation;
use crate::first_step::finite_rates;
use crate::implicit_core::ImplicitCore;
use crate::jacobian::JacobianFactors;
use crate::tolerance_budget::{RestartHistory, ToleranceBudget};
use crate::{
    Checkpoint, Controller, Method, Refusal, RestoreError, Settings, SetupError, Statistics, StepControl, StepFailure,
    Stepper, System,
};

/// Factor after an iteration that did not converge.
const DIVERGED_FACTOR: f64 = 0.5;

/// The equations of a single step.
pub trait Scheme: Send + Sized {
    /// For a state of dimension `n`; also returns the sizes of the lists.
    fn new(method: Method, n: usize, settings: &Settings) -> (Self, SchemeSizes);

    /// Stores what the next step needs from the last one, before that is discarded.
    fn save_history(&mut self, core: &mut ImplicitCore, system: &mut dyn System);

    /// Computes `y_new` for the step from the present state to `t_new`; returns its error.
    fn attempt(&mut self, core: &mut ImplicitCore, system: &mut dyn System, t_new: f64, h: f64)
    -> Result<f64, Refusal>;

    /// Called after a step was accepted.
    fn accept(&mut self, core: &mut ImplicitCore) {
        let _ = core;
    }

    /// Invalidates derivatives and factors stored in the system.
    fn invalidate(&mut self) {}

    /// Whether the dense output needs the derivative at the end of the step.
    const SLOPES: DenseOutputInputs;

    /// Sets the derivative at the end of the accepted step, if it is known without an evaluation.
    fn end_derivative(&mut self, core: &mut ImplicitCore, system: &mut dyn System) -> Validity {
        let _ = (core, system);
        Validity::Stale
    }

    /// Coefficients of the dense output.
    fn fill_rows(&mut self, core: &mut ImplicitCore, system: &mut dyn System) {
        let _ = system;
        core.fill_hermite_rows();
    }

    /// Overwrites the components of `out` that the scheme interpolates by itself, at the share `theta` of the whole step. `out`
    /// contains the value of the polynomial.
    fn replace_interpolation(&mut self, core: &mut ImplicitCore, system: &mut dyn System, theta: f64, out: &mut [f64]) {
        let _ = (core, system, theta, out);
    }
}

/// Lengths of the lists of a scheme.
#[derive(Debug, Clone, Copy)]
pub struct SchemeSizes {
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
pub enum DenseOutputInputs {
    /// States alone.
    Unused,
    /// States and derivatives at both ends.
    Used,
}

/// The stepper of an implicit method.
#[derive(Debug, Clone)]
pub struct Implicit<S> {
    core: ImplicitCore,
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
        let bounds = StepBounds::new(settings.step_control, settings)?;
        let controller = settings.controller.unwrap_or_else(|| Controller::for_method(method));
        let (scheme, sizes) = S::new(method, n, settings);
        let mut state = StepperState::new(t, y, 1 + sizes.stages, 3, controller.last_error);
        state.h_next = settings.h_first;
        state.restarts = RestartHistory::new(t, settings.span);
        let core = ImplicitCore {
            method,
            tolerance: settings.tolerance.clone(),
            controller,
            bounds,
            state,
            memory: ImplicitMemory::new(n + sizes.derived_at, sizes.kept),
            tangent: JacobianFactors::new(sizes.tangent),
            y_new: vec![0.0; n],
            argument: vec![0.0; n],
            error: vec![0.0; n],
            full_tolerance: settings.tolerance.clone(),
            budget: ToleranceBudget::new(method, settings),
            convergence_factor: 1.0,
            equal_step_error_factor: 1.0,
        };
        Ok(Self { core, scheme })
    }

    /// Evaluates the derivative at the present state if it is not known.
    fn ensure_derivative(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        if self.core.state.f_content == Validity::Stale {
            self.core.state.f_content = self.scheme.end_derivative(&mut self.core, system);
        }
        self.core.ensure_derivative(system)
    }

    /// The dense output of the whole step; needs its coefficients.
    fn evaluate_whole_step(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) {
        let state = &self.core.state;
        state.evaluate_rows(t, out);
        let theta = (t - state.t_old) / state.h;
        self.scheme.replace_interpolation(&mut self.core, system, theta, out);
    }

    /// Computes the coefficients of the dense output if that is not done.
    fn prepare_dense_output(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        if self.core.state.rows_content == Validity::Fresh {
            return Ok(());
        }
        if S::SLOPES == DenseOutputInputs::Used {
            match self.core.state.tail {
                DenseOutputEnd::Joined => self.ensure_derivative(system)?,
                DenseOutputEnd::Parted => {
                    let state = &mut self.core.state;
                    if state.f_end_content == Validity::Stale {
                        state.statistics.evaluations += 1;
                        finite_rates(system, state.t, &state.y_end, &mut state.f_end)?;
                        state.f_end_content = Validity::Fresh;
                    }
                }
            }
        }
        self.scheme.fill_rows(&mut self.core, system);
        self.core.state.rows_content = Validity::Fresh;
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
        self.ensure_derivative(system).map_err(|refusal| StepFailure::Refused { t, refusal })?;
        let core = &mut self.core;
        // From here on the stages belong to the new step.
        if core.state.span != StepExtent::Empty && core.state.tail == DenseOutputEnd::Joined {
            self.scheme.save_history(core, system);
        }
        core.state.forget_step();
        core.state.k[..expected].copy_from_slice(&core.state.f);

        let smallest = core.bounds.smallest_step(t);
        let mut planned = core.initial_step_size(system, t_stop);
        loop {
            planned = planned.max(smallest);
            let (t_new, cut) = core.bounds.end_of_step(t, planned, t_stop);
            // The exact difference of the times, so that stages and dense output agree.
            let h = t_new - t;
            // From the plan: the rounded difference might exceed the smallest size for ever.
            let least = planned.min(h.abs());
            system.attempt(t, h);
            let fixed = core.bounds.h_fixed.is_some();
            core.set_tolerance_for_step(h);
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
            core.state.growth = StepGrowth::Held;
            if least <= smallest || failure == (StepFailure::Refused { t, refusal: Refusal::NotSecondOrder }) {
                return Err(failure);
            }
        }
    }

    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal> {
        self.ensure_derivative(system)?;
        Ok(&self.core.state.f)
    }

    /// Ignored: the steps of an implicit method are not planned around their stages.
    fn set_singular_time(&mut self, obstacle: Option<f64>) {
        let _ = obstacle;
    }

    fn singular_time(&self) -> Option<f64> {
        None
    }

    fn correct(&mut self) -> &mut [f64] {
        self.core.state.correct()
    }

    fn jump(&mut self) -> &mut [f64] {
        self.core.memory.reset();
        self.core.state.jump()
    }

    fn count_restart(&mut self) {
        self.core.state.restarts.record(self.core.state.t);
    }

    fn set_tolerance_factor(&mut self, part: f64) {
        self.core.state.part = part;
    }

    fn deviation(&self, y: &[f64]) -> f64 {
        // Methods of second order leave the correction of the velocities to the driver.
        let held = !Method::SECOND_ORDER.contains(&self.core.method);
        if held { self.core.state.deviation(&self.core.tolerance, y) } else { 0.0 }
    }

    fn tolerance_distance(&self, y: &[f64]) -> f64 {
        self.core.state.deviation(&self.core.tolerance, y)
    }

    fn reject(&mut self, error: f64) -> Result<(), StepFailure> {
        self.core.state.reject(self.core.controller.rejected(error), &self.core.bounds)
    }

    fn amplified_error(&mut self) -> &mut f64 {
        &mut self.core.state.amplified
    }

    fn restart_at(&mut self, t: f64) -> &mut [f64] {
        self.core.memory.reset();
        self.core.state.restart_at(t, &self.core.bounds)
    }

    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal> {
        if self.core.state.at_ends(t, out)? == StepLocation::Inside {
            self.prepare_dense_output(system)?;
            self.evaluate_whole_step(system, t, out);
            self.core.state.blend_correction(t, out);
        }
        Ok(())
    }

    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal> {
        let core = &mut self.core;
        let inside = t != core.state.t && t != core.state.t_old && core.state.span != StepExtent::Empty;
        if !inside {
            return core.state.truncate(t, &mut core.argument);
        }
        self.prepare_dense_output(system)?;
        // Workspace of the attempts, moved out because the call borrows the rest.
        let (mut cut, mut y) = (std::mem::take(&mut self.core.error), std::mem::take(&mut self.core.y_new));
        self.evaluate_whole_step(system, t, &mut cut);
        y.copy_from_slice(&cut);
        self.core.state.blend_correction(t, &mut y);
        let done = self.core.state.truncate(t, &mut self.core.argument);
        if done.is_ok() {
            self.core.state.y.copy_from_slice(&y);
            self.core.state.y_cut.copy_from_slice(&cut);
        }
        (self.core.error, self.core.y_new) = (cut, y);
        done
    }

    fn undo_step(&mut self, factor: f64) -> Result<(), StepFailure> {
        self.core.state.undo_step(factor, &self.core.bounds)
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
        core.tangent.invalidate();
        self.scheme.invalidate();
        Ok(())
    }

    fn step_control(&self) -> StepControl {
        self.core.bounds.step_control()
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
