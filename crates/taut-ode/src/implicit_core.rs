//! The data of an implicit stepper that its scheme and its step control share.

use crate::attempt::StepCut;
use crate::bounds::StepBounds;
use crate::checkpoint::{
    DenseOutputEnd, ImplicitMemory, StepExtent, StepGrowth, StepSizeSource, StepperState, Validity,
};
use crate::first_step::{FirstStep, finite_rates};
use crate::jacobian::JacobianFactors;
use crate::tolerance_budget::ToleranceBudget;
use crate::{Controller, Method, Refusal, System, Tolerance};

/// A step that could grow by less than this factor keeps its size, so that the LU factors can be reused.
const LEAST_GROWTH: f64 = 1.2;

/// The data of an implicit stepper, without its scheme.
#[derive(Debug, Clone)]
pub struct ImplicitCore {
    pub method: Method,
    pub tolerance: Tolerance,
    pub controller: Controller,
    pub bounds: StepBounds,
    pub state: StepperState,
    pub memory: ImplicitMemory,
    pub tangent: JacobianFactors,
    pub y_new: Vec<f64>,
    pub argument: Vec<f64>,
    pub error: Vec<f64>,
    /// The whole tolerance; `tolerance` is the one of the present step.
    pub full_tolerance: Tolerance,
    pub budget: ToleranceBudget,
    /// Factor on the next step size; below one if the iteration converged slowly.
    pub convergence_factor: f64,
    /// Ratio of the error constants of a step after one of equal size and of the present step.
    pub equal_step_error_factor: f64,
}

impl ImplicitCore {
    /// Sets the tolerance for a step of this length.
    pub fn set_tolerance_for_step(&mut self, h: f64) {
        let part = self.budget.factor(h, &self.state, self.full_tolerance.rtol);
        self.tolerance.copy_scaled(&self.full_tolerance, part);
    }

    /// Evaluates the derivative at the present state if it is not known.
    pub fn ensure_derivative(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        let state = &mut self.state;
        if state.f_content == Validity::Stale {
            state.statistics.evaluations += 1;
            finite_rates(system, state.t, &state.y, &mut state.f)?;
            state.f_content = Validity::Fresh;
        }
        Ok(())
    }

    /// Provides the Jacobian `J`.
    pub fn ensure_jacobian(&mut self, system: &mut dyn System, h: f64) -> Result<(), Refusal> {
        let state = &mut self.state;
        self.tangent.ensure(system, &mut self.memory, &mut state.statistics, state.t, &state.y, h)
    }

    /// Whether `J` was evaluated at the present state, so that a new one would not help.
    pub fn jacobian_is_current(&self) -> bool {
        let n = self.state.y.len();
        self.memory.t_derived == self.state.t && self.memory.derived_at[..n] == self.state.y
    }

    /// Computes the coefficients of the cubic through states and derivatives at both ends.
    pub fn fill_hermite_rows(&mut self) {
        let state = &mut self.state;
        let (n, h) = (state.y.len(), state.h);
        let (y_end, f_end) = match state.tail {
            DenseOutputEnd::Joined => (&state.y, &state.f),
            DenseOutputEnd::Parted => (&state.y_end, &state.f_end),
        };
        for i in 0..n {
            let difference = y_end[i] - state.y_old[i];
            let bow = h * state.k[i] - difference;
            state.rows[i] = difference;
            state.rows[n + i] = bow;
            state.rows[2 * n + i] = difference - h * f_end[i] - bow;
        }
    }

    /// Size of the first attempt.
    pub fn initial_step_size(&mut self, system: &mut dyn System, t_stop: f64) -> f64 {
        // From the state alone, so that a restored stepper begins with the same size.
        self.set_tolerance_for_step(f64::INFINITY);
        let s = &mut self.state;
        let h = match (s.h_next, s.opening) {
            (Some(h), StepSizeSource::Known) => h,
            (plan, _) => {
                let first = FirstStep {
                    tolerance: &self.tolerance,
                    exponent: f64::from(self.method.error_exponent()),
                    plan,
                    h_most: (t_stop - s.t).abs().min(self.bounds.h_max),
                    direction: (t_stop - s.t).signum(),
                };
                let (h, evaluations) = first.choose(system, s.t, &s.y, &s.f, &mut self.y_new, &mut self.argument);
                s.statistics.evaluations += evaluations;
                h
            }
        };
        h.min(self.bounds.h_max)
    }

    /// Size of the step after one of size `h` with this error.
    fn next_step_size(&mut self, h: f64, cut: StepCut, error: f64) -> f64 {
        if let Some(h) = self.bounds.h_fixed {
            return h;
        }
        let error = error * self.equal_step_error_factor;
        if let StepCut::ByStoppingTime { planned } = cut {
            // The error of a shortened step says little: plan and controller do not change, unless it shows that the planned
            // size is too large.
            return planned.min(h * self.controller.allowance(error));
        }
        let last_error = self.controller.last_error;
        let mut factor = self.convergence_factor * self.controller.accepted(error);
        if self.memory.past == Validity::Fresh {
            // [HairerWanner1996] IV.8 eq. (8.25), after Gustafsson: a growing error is extrapolated.
            let power = 1.0 / f64::from(self.method.error_exponent());
            let trend = h / self.memory.h_past.abs() * (last_error / error).powf(power);
            factor = factor.min(self.controller.safety * trend * error.powf(-power)).max(self.controller.min_factor);
        }
        if self.state.growth == StepGrowth::Held {
            factor = factor.min(1.0);
        }
        if (1.0..LEAST_GROWTH).contains(&factor) { h } else { h * factor }
    }

    /// Accepts the attempted step.
    pub fn accept(&mut self, t_new: f64, h: f64, cut: StepCut, error: f64) {
        self.controller.last_error = self.state.last_error;
        let h_next = self.next_step_size(h.abs(), cut, error);
        let state = &mut self.state;
        state.last_error_old = state.last_error;
        state.last_error = self.controller.last_error;
        state.h_next = Some(h_next.min(self.bounds.h_max));
        (state.growth, state.opening) = (StepGrowth::Free, StepSizeSource::Known);
        state.remainder = cut.remainder(h.abs());
        std::mem::swap(&mut state.y, &mut state.y_old);
        state.y.copy_from_slice(&self.y_new);
        state.t_old = state.t;
        state.t = t_new;
        state.h = h;
        state.span = StepExtent::Whole;
        state.tail = DenseOutputEnd::Joined;
        state.rows_content = Validity::Stale;
        state.f_content = Validity::Stale;
        state.statistics.accepted += 1;
    }
}
