//! Explicit Runge-Kutta methods given by their tableaux.

use crate::checkpoint::{Content, Growth, Span, State, Tail};
use crate::first_step::finite_rates;
use crate::tableau::{ErrorEstimate, Tableau};
use crate::{
    Checkpoint, Controller, Method, Pace, Refusal, RestoreError, Settings, SetupError, Statistics, StepFailure,
    Stepper, System, Tolerance,
};

/// Smallest step in units of the spacing of the floating-point numbers around `t`.
const SPACINGS: f64 = 16.0;

/// The stepper of all explicit Runge-Kutta methods of this crate.
#[derive(Debug, Clone)]
pub struct RungeKutta {
    method: Method,
    pub(crate) tableau: &'static Tableau,
    pub(crate) tolerance: Tolerance,
    pub(crate) controller: Controller,
    pub(crate) h_fixed: Option<f64>,
    pub(crate) h_max: f64,
    h_min: f64,
    pub(crate) state: State,
    pub(crate) argument: Vec<f64>,
    pub(crate) y_new: Vec<f64>,
    pub(crate) error: Vec<f64>,
}

impl RungeKutta {
    /// A stepper starting at `(t, y)`.
    ///
    /// # Errors
    /// [`SetupError`] when the start or the settings make no sense.
    pub fn new(method: Method, t: f64, y: &[f64], settings: &Settings) -> Result<Self, SetupError> {
        if !t.is_finite() || !y.iter().all(|x| x.is_finite()) {
            return Err(SetupError::Start);
        }
        settings.check(y.len())?;
        let tableau = method.tableau();
        let h_fixed = match tableau.error {
            ErrorEstimate::None => Some(settings.h_first.ok_or(SetupError::StepMissing)?),
            _ => None,
        };
        let controller = settings.controller.unwrap_or_else(|| Controller::for_method(method));
        let (stages, rows) = (tableau.c.len(), 3 + tableau.dense.len());
        let mut state = State::new(t, y, stages, rows, controller.last_error);
        state.h_next = settings.h_first;
        Ok(Self {
            method,
            tableau,
            tolerance: settings.tolerance.clone(),
            controller,
            h_fixed,
            h_max: settings.h_max.unwrap_or(f64::INFINITY),
            h_min: settings.h_min.unwrap_or(0.0),
            state,
            argument: vec![0.0; y.len()],
            y_new: vec![0.0; y.len()],
            error: vec![0.0; y.len()],
        })
    }

    /// Smallest step size around `t`.
    fn smallest(&self, t: f64) -> f64 {
        let spacing = t.abs().next_up() - t.abs();
        self.h_min.max(SPACINGS * spacing)
    }

    /// Evaluates the derivative at the present state unless known.
    pub(crate) fn refresh(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        let state = &mut self.state;
        if state.f_content == Content::Stale {
            state.statistics.evaluations += 1;
            finite_rates(system, state.t, &state.y, &mut state.f)?;
            state.f_content = Content::Fresh;
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
        let start = self.refresh(system);
        start.map_err(|refusal| StepFailure::Refused { t, refusal })?;
        // From here on the stages are the new step's.
        self.state.forget_step();
        self.state.k[..expected].copy_from_slice(&self.state.f);

        let smallest = self.smallest(t);
        let mut planned = self.planned(system, t_stop);
        loop {
            planned = planned.max(smallest);
            let (t_new, cut) = self.end_of_step(planned, t_stop);
            // What the times really differ by, so that stages and dense output agree on it.
            let h = t_new - t;
            // By the plan: rounded, the difference may exceed the smallest size for ever.
            let least = planned.min(h.abs());
            let failure = match self.attempt(system, t_new, h) {
                Ok(error) if self.controller.accepts(error / self.lenience(t_new)) => {
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
            self.state.growth = Growth::Held;
            if least <= smallest {
                return Err(failure);
            }
        }
    }

    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal> {
        self.refresh(system)?;
        Ok(&self.state.f)
    }

    fn stride_across(&mut self, obstacle: Option<f64>) {
        self.state.obstacle = obstacle.filter(|t| t.is_finite());
    }

    fn obstacle(&self) -> Option<f64> {
        self.state.obstacle
    }

    fn correct(&mut self) -> &mut [f64] {
        let state = &mut self.state;
        state.f_content = Content::Stale;
        if state.tail == Tail::Joined && state.span == Span::Whole {
            state.rows_content = Content::Stale;
        }
        &mut state.y
    }

    fn jump(&mut self) -> &mut [f64] {
        let state = &mut self.state;
        if state.tail == Tail::Joined && state.span != Span::Empty {
            state.y_end.copy_from_slice(&state.y);
            state.f_end.copy_from_slice(&state.f);
            state.f_end_content = state.f_content;
            state.tail = Tail::Parted;
        }
        state.f_content = Content::Stale;
        &mut state.y
    }

    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal> {
        self.dense_output(system, t, out)
    }

    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal> {
        self.cut(system, t)
    }

    fn take_back(&mut self, factor: f64) -> Result<(), StepFailure> {
        let state = &self.state;
        if state.span != Span::Whole || state.tail != Tail::Joined {
            return Err(StepFailure::NothingToTakeBack);
        }
        let (t, h) = (state.t_old, state.h.abs() * factor);
        // Written so that a factor that is not a number ends here, too.
        if !(h >= self.smallest(t) && h < f64::INFINITY) {
            return Err(StepFailure::StepTooSmall { t, h });
        }
        let state = &mut self.state;
        state.t = t;
        std::mem::swap(&mut state.y, &mut state.y_old);
        let n = state.y.len();
        state.f.copy_from_slice(&state.k[..n]);
        state.f_content = Content::Fresh;
        state.last_error = state.last_error_old;
        state.h_next = Some(h);
        state.growth = Growth::Held;
        state.statistics.accepted -= 1;
        state.statistics.refused += 1;
        state.forget_step();
        Ok(())
    }

    fn statistics(&self) -> Statistics {
        self.state.statistics
    }

    fn save(&self) -> Checkpoint {
        Checkpoint { method: self.method, state: self.state.clone() }
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

    fn pace(&self) -> Pace {
        if self.h_fixed.is_some() { Pace::Fixed } else { Pace::Varying }
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
