//! Explicit Runge-Kutta methods given by their tableaux.

use crate::bounds::StepBounds;
use crate::checkpoint::{StepGrowth, StepperState, Validity};
use crate::first_step::finite_rates;
use crate::tableau::{ErrorEstimate, Tableau};
use crate::tolerance_budget::{RestartHistory, ToleranceBudget};
use crate::{
    Checkpoint, Controller, Method, Refusal, RestoreError, Settings, SetupError, Statistics, StepControl, StepFailure,
    Stepper, System, Tolerance,
};

/// The stepper of all explicit Runge-Kutta methods of this crate.
#[derive(Debug, Clone)]
pub struct RungeKutta {
    method: Method,
    pub(crate) tableau: &'static Tableau,
    pub(crate) tolerance: Tolerance,
    pub(crate) controller: Controller,
    pub(crate) bounds: StepBounds,
    pub(crate) state: StepperState,
    pub(crate) argument: Vec<f64>,
    pub(crate) y_new: Vec<f64>,
    pub(crate) error: Vec<f64>,
    budget: ToleranceBudget,
}

impl RungeKutta {
    /// A stepper starting at `(t, y)`.
    ///
    /// # Errors
    /// [`SetupError`] when the start or the settings are invalid, or the method is not explicit.
    pub fn new(method: Method, t: f64, y: &[f64], settings: &Settings) -> Result<Self, SetupError> {
        if !t.is_finite() || !y.iter().all(|x| x.is_finite()) {
            return Err(SetupError::Start);
        }
        settings.check(y.len())?;
        let tableau = method.tableau().ok_or(SetupError::Implicit(method))?;
        let step_control = match tableau.error {
            ErrorEstimate::None => StepControl::Fixed,
            _ => settings.step_control,
        };
        let bounds = StepBounds::new(step_control, settings)?;
        let controller = settings.controller.unwrap_or_else(|| Controller::for_method(method));
        let (stages, rows) = (tableau.c.len(), 3 + tableau.dense.len());
        let mut state = StepperState::new(t, y, stages, rows, controller.last_error);
        state.h_next = settings.h_first;
        state.restarts = RestartHistory::new(t, settings.span);
        Ok(Self {
            method,
            tableau,
            tolerance: settings.tolerance.clone(),
            controller,
            bounds,
            state,
            argument: vec![0.0; y.len()],
            y_new: vec![0.0; y.len()],
            error: vec![0.0; y.len()],
            budget: ToleranceBudget::new(method, settings),
        })
    }

    /// Evaluates the derivative at the present state if it is not known.
    pub(crate) fn ensure_derivative(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        let state = &mut self.state;
        if state.f_content == Validity::Stale {
            state.statistics.evaluations += 1;
            finite_rates(system, state.t, &state.y, &mut state.f)?;
            state.f_content = Validity::Fresh;
        }
        Ok(())
    }
}

impl Stepper for RungeKutta {
    fn t(&self) -> f64 {
        self.state.t
    }

    fn y(&self) -> &[f64] {
        &self.state.y
    }

    fn t_old(&self) -> f64 {
        self.state.t_old
    }

    fn y_old(&self) -> &[f64] {
        &self.state.y_old
    }

    fn h_next(&self) -> Option<f64> {
        self.state.h_next
    }

    fn step(&mut self, system: &mut dyn System, t_stop: f64) -> Result<(), StepFailure> {
        let t = self.state.t;
        let (expected, found) = (self.state.y.len(), system.dimension());
        if expected != found {
            return Err(StepFailure::Dimension { expected, found });
        }
        if t_stop.is_nan() {
            return Err(StepFailure::StoppingTime);
        }
        if t_stop == t {
            return Ok(());
        }
        let start = self.ensure_derivative(system);
        start.map_err(|refusal| StepFailure::Refused { t, refusal })?;
        self.estimate_stiffness();
        // From here on the stages belong to the new step.
        self.state.forget_step();
        self.state.k[..expected].copy_from_slice(&self.state.f);

        let smallest = self.bounds.smallest_step(t);
        let mut planned = self.initial_step_size(system, t_stop);
        loop {
            planned = planned.max(smallest);
            let (t_new, cut) = self.end_of_step(planned, t_stop);
            // The exact difference of the times, so that stages and dense output agree.
            let h = t_new - t;
            // From the plan: the rounded difference might exceed the smallest size for ever.
            let least = planned.min(h.abs());
            let part = self.budget.factor(h, &self.state, self.tolerance.rtol);
            let failure = match self.attempt(system, t_new, h).map(|error| error / part) {
                Ok(error)
                    if self.bounds.h_fixed.is_some()
                        || self.controller.accepts(error / self.error_allowance(t, t_new)) =>
                {
                    self.accept(t_new, h, cut, error);
                    return Ok(());
                }
                Ok(error) => {
                    self.state.statistics.rejected += 1;
                    planned = h.abs() * self.controller.rejected(error);
                    StepFailure::StepTooSmall { t, h: planned }
                }
                Err(refusal) => {
                    self.state.statistics.refused += 1;
                    planned = h.abs() * Controller::REFUSED_FACTOR;
                    StepFailure::Refused { t, refusal }
                }
            };
            self.state.growth = StepGrowth::Held;
            if least <= smallest {
                return Err(failure);
            }
        }
    }

    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal> {
        self.ensure_derivative(system)?;
        Ok(&self.state.f)
    }

    fn set_singular_time(&mut self, obstacle: Option<f64>) {
        self.state.obstacle = obstacle.filter(|t| t.is_finite());
    }

    fn singular_time(&self) -> Option<f64> {
        self.state.obstacle
    }

    fn correct(&mut self) -> &mut [f64] {
        self.state.correct()
    }

    fn jump(&mut self) -> &mut [f64] {
        self.state.jump()
    }

    fn count_restart(&mut self) {
        self.state.restarts.record(self.state.t);
    }

    fn set_tolerance_factor(&mut self, part: f64) {
        self.state.part = part;
    }

    fn deviation(&self, y: &[f64]) -> f64 {
        self.state.deviation(&self.tolerance, y) / self.error_allowance(self.state.t_old, self.state.t)
    }

    fn tolerance_distance(&self, y: &[f64]) -> f64 {
        self.state.deviation(&self.tolerance, y)
    }

    fn reject(&mut self, error: f64) -> Result<(), StepFailure> {
        self.state.reject(self.controller.rejected(error), &self.bounds)
    }

    fn dense_output_defect(&mut self) -> f64 {
        let unestimated = self.unestimated_error();
        let worst = if unestimated > 1.0 { unestimated } else { self.dense_defect() };
        worst / self.error_allowance(self.state.t_old, self.state.t)
    }

    fn must_check_dense_output(&self) -> bool {
        self.needs_dense_output()
    }

    fn amplified_error(&mut self) -> &mut f64 {
        &mut self.state.amplified
    }

    fn restart_at(&mut self, t: f64) -> &mut [f64] {
        self.state.restart_at(t, &self.bounds)
    }

    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal> {
        self.dense_output(system, t, out)
    }

    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal> {
        self.cut(system, t)
    }

    fn undo_step(&mut self, factor: f64) -> Result<(), StepFailure> {
        self.state.undo_step(factor, &self.bounds)
    }

    fn statistics(&self) -> Statistics {
        self.state.statistics
    }

    fn save(&self) -> Checkpoint {
        Checkpoint { method: self.method, state: self.state.clone(), memory: None }
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), RestoreError> {
        if checkpoint.method != self.method {
            return Err(RestoreError::Method {
                expected: self.method.to_string(),
                found: checkpoint.method.to_string(),
            });
        }
        if !checkpoint.state.fits(&self.state) {
            return Err(RestoreError::Dimension { expected: self.state.y.len() });
        }
        self.state.clone_from(&checkpoint.state);
        Ok(())
    }

    fn step_control(&self) -> StepControl {
        self.bounds.step_control()
    }

    fn stiffness(&self) -> Option<f64> {
        self.state.stiffness
    }

    fn order(&self) -> u32 {
        self.tableau.order
    }

    fn interpolation_order(&self) -> u32 {
        self.tableau.interpolation_order
    }

    fn name(&self) -> &'static str {
        self.method.name()
    }
}
