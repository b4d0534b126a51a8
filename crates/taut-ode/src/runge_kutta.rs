//! Explicit Runge-Kutta methods given by their tableaux.

use crate::checkpoint::{Content, Growth, Span, State, Tail};
use crate::first_step::{FirstStep, finite_rates};
use crate::tableau::{EndStage, ErrorEstimate, Tableau};
use crate::{
    Checkpoint, Controller, Method, Refusal, RestoreError, Settings, SetupError, Statistics,
    StepFailure, Stepper, System, Tolerance,
};

/// A step that would leave less than this share of itself to the stopping time is stretched to
/// land on it.
const STRETCH: f64 = 0.01;

/// The same for a fixed step, where only rounding of the accumulated time is to be absorbed.
const STRETCH_FIXED: f64 = 1e-6;

/// Smallest step in units of the spacing of the floating-point numbers around `t`.
const SPACINGS: f64 = 16.0;

/// The stepper of all explicit Runge-Kutta methods of this crate.
#[derive(Debug, Clone)]
pub struct RungeKutta {
    method: Method,
    pub(crate) tableau: &'static Tableau,
    tolerance: Tolerance,
    controller: Controller,
    h_fixed: Option<f64>,
    h_max: f64,
    h_min: f64,
    pub(crate) state: State,
    pub(crate) argument: Vec<f64>,
    y_new: Vec<f64>,
    error: Vec<f64>,
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
        let controller = settings
            .controller
            .unwrap_or_else(|| Controller::for_method(method));
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

    /// `argument = y + h sum_j weights_j k_j`
    pub(crate) fn combine(&mut self, weights: &[f64], y: Base, h: f64) {
        weighted_stages(weights, &self.state.k, &mut self.argument);
        let y = match y {
            Base::Present => &self.state.y,
            Base::Old => &self.state.y_old,
        };
        for (x, y) in self.argument.iter_mut().zip(y) {
            *x = y + h * *x;
        }
    }

    /// Evaluates stage `i` at the argument.
    pub(crate) fn evaluate_stage(
        &mut self,
        system: &mut dyn System,
        i: usize,
        t: f64,
    ) -> Result<(), Refusal> {
        let n = self.argument.len();
        self.state.statistics.evaluations += 1;
        let k = &mut self.state.k[i * n..(i + 1) * n];
        finite_rates(system, t, &self.argument, k)
    }

    /// Makes `y_new` for the step from the present state to `t_new`; returns its error.
    // [HairerNorsettWanner1993] II.1 eq. (1.8)
    fn attempt(&mut self, system: &mut dyn System, t_new: f64, h: f64) -> Result<f64, Refusal> {
        let tableau = self.tableau;
        let t = self.state.t;
        for i in 1..tableau.end() {
            self.combine(tableau.a[i], Base::Present, h);
            // At c = 1 the very time of the end, which the stopping time may have set.
            let c = tableau.c[i];
            let t_stage = if c == 1.0 { t_new } else { t + c * h };
            self.evaluate_stage(system, i, t_stage)?;
        }
        self.combine(tableau.b, Base::Present, h);
        if !self.argument.iter().all(|x| x.is_finite()) {
            return Err(Refusal::NotFinite);
        }
        self.y_new.copy_from_slice(&self.argument);
        if tableau.end_stage == EndStage::WithAttempt {
            self.evaluate_stage(system, tableau.end(), t_new)?;
        }
        Ok(self.estimate(h))
    }

    /// Norm of the local error of the attempted step.
    fn estimate(&mut self, h: f64) -> f64 {
        let h = h.abs();
        match self.tableau.error {
            ErrorEstimate::None => 0.0,
            ErrorEstimate::Embedded(weights) => h * self.error_norm(weights),
            ErrorEstimate::Combined { fifth, third } => {
                // [HairerNorsettWanner1993] II.10 eq. (10.17)
                let fifth = self.error_norm(fifth).powi(2);
                let third = self.error_norm(third).powi(2);
                if fifth == 0.0 && third == 0.0 {
                    return 0.0;
                }
                h * fifth / (fifth + 0.01 * third).sqrt()
            }
        }
    }

    fn error_norm(&mut self, weights: &[f64]) -> f64 {
        weighted_stages(weights, &self.state.k, &mut self.error);
        self.tolerance
            .norm(&self.error, &self.state.y, &self.y_new)
    }

    /// Size to begin with.
    fn planned(&mut self, system: &mut dyn System, t_stop: f64) -> f64 {
        let distance = (t_stop - self.state.t).abs();
        let h = match self.state.h_next {
            Some(h) => h,
            None => {
                let first = FirstStep {
                    tolerance: &self.tolerance,
                    exponent: f64::from(self.tableau.error_exponent),
                    h_most: distance.min(self.h_max),
                    direction: (t_stop - self.state.t).signum(),
                };
                let s = &mut self.state;
                let (h, evaluations) = first.choose(
                    system,
                    s.t,
                    &s.y,
                    &s.f,
                    &mut self.y_new,
                    &mut self.argument,
                );
                s.statistics.evaluations += evaluations;
                h
            }
        };
        h.min(self.h_max)
    }

    /// Time at the end of a step of size `h`: the stopping time if that is (almost) reached.
    fn end_of_step(&self, h: f64, t_stop: f64) -> (f64, Cut) {
        let t = self.state.t;
        let distance = (t_stop - t).abs();
        let stretch = match self.h_fixed {
            Some(_) => STRETCH_FIXED,
            None if distance > self.h_max => STRETCH_FIXED,
            None => STRETCH,
        };
        if distance > h * (1.0 + stretch) {
            (t + (t_stop - t).signum() * h, Cut::No)
        } else if distance < h {
            (t_stop, Cut::Yes { planned: h })
        } else {
            (t_stop, Cut::No)
        }
    }

    /// Takes over the attempted step.
    fn accept(&mut self, t_new: f64, h: f64, cut: Cut, error: f64) {
        let fsal = self.tableau.end_stage == EndStage::WithAttempt;
        let state = &mut self.state;
        self.controller.last_error = state.last_error;
        state.last_error_old = state.last_error;
        let size = h.abs();
        let h_next = if let Some(h) = self.h_fixed {
            h
        } else if let Cut::Yes { planned } = cut {
            // Its small error says little, so that neither the
            // plan nor the controller's memory should suffer, unless it shows the plan too bold.
            planned.min(size * self.controller.allowance(error))
        } else {
            let factor = self.controller.accepted(error);
            match state.growth {
                Growth::Free => size * factor,
                Growth::Held => size * factor.min(1.0),
            }
        };
        state.last_error = self.controller.last_error;
        state.h_next = Some(h_next.min(self.h_max));
        state.growth = Growth::Free;
        std::mem::swap(&mut state.y, &mut state.y_old);
        state.y.copy_from_slice(&self.y_new);
        state.t_old = state.t;
        state.t = t_new;
        state.h = h;
        state.span = Span::Whole;
        state.tail = Tail::Joined;
        state.extra_stages = Content::Stale;
        state.rows_content = Content::Stale;
        if fsal {
            let n = state.y.len();
            let end = self.tableau.end() * n;
            state.f.copy_from_slice(&state.k[end..end + n]);
            state.f_content = Content::Fresh;
            state.end_stage = Content::Fresh;
        } else {
            state.f_content = Content::Stale;
            state.end_stage = Content::Stale;
        }
        state.statistics.accepted += 1;
    }
}

/// Whether a step is cut short by its stopping time.
#[derive(Debug, Clone, Copy)]
enum Cut {
    No,
    Yes { planned: f64 },
}

/// To what a combination of stages is added.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Base {
    Present,
    Old,
}

/// `sum_j weights_j k_j`, in the order of the stages.
pub(crate) fn weighted_stages(weights: &[f64], k: &[f64], sum: &mut [f64]) {
    sum.fill(0.0);
    if sum.is_empty() {
        return;
    }
    for (w, k) in weights.iter().zip(k.chunks_exact(sum.len())) {
        if *w != 0.0 {
            for (s, k) in sum.iter_mut().zip(k) {
                *s += w * k;
            }
        }
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
            let failure = match self.attempt(system, t_new, h) {
                Ok(error) if self.controller.accepts(error) => {
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
            if h.abs() <= smallest {
                return Err(failure);
            }
        }
    }

    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal> {
        self.refresh(system)?;
        Ok(&self.state.f)
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

    fn interpolate(
        &mut self,
        system: &mut dyn System,
        t: f64,
        out: &mut [f64],
    ) -> Result<(), Refusal> {
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
        Checkpoint {
            method: self.method,
            state: self.state.clone(),
        }
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), RestoreError> {
        if checkpoint.method != self.method {
            return Err(RestoreError::Method {
                expected: self.method.to_string(),
                found: checkpoint.method.to_string(),
            });
        }
        if !checkpoint.state.fits(&self.state) {
            return Err(RestoreError::Dimension {
                expected: self.state.y.len(),
            });
        }
        self.state.clone_from(&checkpoint.state);
        Ok(())
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
