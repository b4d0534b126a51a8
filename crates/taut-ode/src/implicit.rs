//! What all implicit steppers have in common: all but the equations of a single step.

use crate::attempt::Cut;
use crate::bounds::Bounds;
use crate::checkpoint::{Content, Growth, Memory, Span, State, Tail};
use crate::dense::Place;
use crate::first_step::{FirstStep, finite_rates};
use crate::tangent::Tangent;
use crate::{
    Checkpoint, Controller, Method, Pace, Refusal, RestoreError, Settings, SetupError, Statistics, StepFailure,
    Stepper, System, Tolerance,
};

/// Factor after an iteration that did not converge.
const DIVERGED_FACTOR: f64 = 0.5;

/// A step that might grow by less than this keeps its size, and with it the factors.
const WORTHWHILE: f64 = 1.2;

/// The equations of a single step.
pub trait Scheme: Send + Sized {
    /// For a state of dimension `n`. A scheme that can also tells the sizes of its lists.
    fn new(method: Method, n: usize, settings: &Settings) -> (Self, Sizes);

    /// Takes what the next step needs of the last one, while that is still there.
    fn remember(&mut self, core: &mut Core, system: &mut dyn System);

    /// Makes `y_new` for the step from the present state to `t_new`; returns its error.
    fn attempt(&mut self, core: &mut Core, system: &mut dyn System, t_new: f64, h: f64) -> Result<f64, Refusal>;

    /// Takes note of an accepted step.
    fn accept(&mut self, core: &mut Core) {
        let _ = core;
    }

    /// What the system holds may be another's: it is to be taken anew.
    fn doubt(&mut self) {}

    /// Whether the dense output needs the derivative at the end of the step.
    const SLOPES: Slopes;

    /// Coefficients of the dense output.
    fn fill_rows(&self, core: &mut Core) {
        core.hermite();
    }
}

/// Lengths of the lists of a scheme.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Lists of the length of y that a step leaves for its dense output, besides the derivative at its start.
    pub stages: usize,
    /// Numbers kept from the step before.
    pub kept: usize,
    /// Numbers besides y that say where the derivative was taken.
    pub derived_at: usize,
    /// Complex factors needed.
    pub complex: usize,
    /// The dimension of `J`, 0 where the scheme needs none.
    pub tangent: usize,
}

/// What the dense output is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slopes {
    /// States alone.
    Unused,
    /// States and derivatives at both ends.
    Used,
}

/// The course of an iteration, by the norms of its corrections in units of the tolerance.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    /// What may be left out.
    tolerance: f64,
    /// Corrections that are nothing but rounding.
    rounding: f64,
    /// How fast it converges.
    pub rate: f64,
    last: f64,
    /// Corrections so far.
    pub count: usize,
    /// Most corrections, and from which on the end is foreseen.
    most: usize,
    judged: usize,
}

/// How an iteration went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convergence {
    Fast,
    Slow,
}

/// Whether to go on after a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Underway,
    Converged,
}

impl Newton {
    /// Most corrections, usually.
    const MOST: usize = 7;

    /// Takes note of a correction of this norm, which is refused where it shows that the end will not be reached.
    // [HairerWanner1996] IV.8 eqs. (8.10) and (8.11)
    pub fn corrected(&mut self, norm: f64) -> Result<Progress, Refusal> {
        if !norm.is_finite() {
            return Err(Refusal::NotFinite);
        }
        self.count += 1;
        if norm <= self.rounding {
            return Ok(Progress::Converged);
        }
        if self.count == 1 {
            self.last = norm;
            return Ok(Progress::Underway);
        }
        let ratio = norm / self.last;
        self.rate = if self.count > 2 { (ratio * self.rate).sqrt() } else { ratio };
        self.last = norm;
        let end = self.rate / (1.0 - self.rate) * norm <= self.tolerance;
        let left = self.most.saturating_sub(self.count) as i32;
        let foreseen = self.rate.powi(left) / (1.0 - self.rate) * norm;
        if self.rate >= 1.0 || (!end && left == 0) || (self.count >= self.judged && foreseen > self.tolerance) {
            return Err(Refusal::NotConverged);
        }
        Ok(if end { Progress::Converged } else { Progress::Underway })
    }

    /// The same with a smaller tolerance, and more patience.
    pub fn finer(self, factor: f64, most: usize) -> Self {
        Self { tolerance: (factor * self.tolerance).max(self.rounding), most, judged: 4, ..self }
    }

    /// Whether a correction of this norm would be larger than the last one, and more than rounding.
    pub fn grows(&self, norm: f64) -> bool {
        !(norm <= self.last || norm <= self.tolerance)
    }

    /// Factor to the next step: below one if the iteration took long.
    pub fn ease(&self) -> f64 {
        (2 * self.most + 1) as f64 / (2 * self.most + self.count) as f64
    }

    /// Whether it converged at this rate or faster; else the next step should have a new derivative.
    pub fn convergence(&self, fast: f64) -> Convergence {
        if self.count > 2 && self.rate > fast { Convergence::Slow } else { Convergence::Fast }
    }
}

/// Where an implicit stepper is, without its scheme.
#[derive(Debug, Clone)]
pub struct Core {
    pub method: Method,
    pub tolerance: Tolerance,
    pub controller: Controller,
    pub bounds: Bounds,
    pub state: State,
    pub memory: Memory,
    pub tangent: Tangent,
    pub y_new: Vec<f64>,
    pub argument: Vec<f64>,
    pub error: Vec<f64>,
    /// Factor to the next step for the iteration's sake: below one if it took long.
    pub ease: f64,
    /// How much smaller the error would have been after a step of the same size: what steps to come will have.
    pub uneven: f64,
}

impl Core {
    /// Evaluates the derivative at the present state unless known.
    pub fn refresh(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        let state = &mut self.state;
        if state.f_content == Content::Stale {
            state.statistics.evaluations += 1;
            finite_rates(system, state.t, &state.y, &mut state.f)?;
            state.f_content = Content::Fresh;
        }
        Ok(())
    }

    /// How small the corrections of an iteration must get.
    // [HairerWanner1996] IV.8: below this the error of the iteration does not show beside that of the method.
    pub fn newton(&mut self, h: f64) -> Newton {
        let (y, f) = (&self.state.y, &self.state.k[..self.state.y.len()]);
        for (x, (y, f)) in self.argument.iter_mut().zip(y.iter().zip(f)) {
            *x = y.abs() + (h * f).abs();
        }
        let rounding = 10.0 * f64::EPSILON * self.tolerance.norm(&self.argument, y, y);
        let rtol = if self.tolerance.rtol > 0.0 { self.tolerance.rtol } else { 1e-6 };
        Newton {
            tolerance: rtol.sqrt().min(0.03).max(rounding),
            rounding,
            rate: 0.0,
            last: 0.0,
            count: 0,
            most: Newton::MOST,
            judged: 2,
        }
    }

    /// Makes sure of a derivative `J`.
    pub fn derive(&mut self, system: &mut dyn System, h: f64) -> Result<(), Refusal> {
        let state = &mut self.state;
        self.tangent.prepare(system, &mut self.memory, &mut state.statistics, state.t, &state.y, h)
    }

    /// Whether `J` is that of the present state: another one would not help.
    pub fn derived_here(&self) -> bool {
        let n = self.state.y.len();
        self.memory.t_derived == self.state.t && self.memory.derived_at[..n] == self.state.y
    }

    /// Rows of the cubic through states and derivatives at both ends.
    pub fn hermite(&mut self) {
        let state = &mut self.state;
        let (n, h) = (state.y.len(), state.h);
        let (y_end, f_end) = match state.tail {
            Tail::Joined => (&state.y, &state.f),
            Tail::Parted => (&state.y_end, &state.f_end),
        };
        for i in 0..n {
            let difference = y_end[i] - state.y_old[i];
            let bow = h * state.k[i] - difference;
            state.rows[i] = difference;
            state.rows[n + i] = bow;
            state.rows[2 * n + i] = difference - h * f_end[i] - bow;
        }
    }

    /// Size to begin with.
    fn planned(&mut self, system: &mut dyn System, t_stop: f64) -> f64 {
        let s = &mut self.state;
        let h = match s.h_next {
            Some(h) => h,
            None => {
                let first = FirstStep {
                    tolerance: &self.tolerance,
                    exponent: f64::from(self.method.error_exponent()),
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

    /// Size of the step after one of size `h` and this error.
    fn next_size(&mut self, h: f64, cut: Cut, error: f64) -> f64 {
        if let Some(h) = self.bounds.h_fixed {
            return h;
        }
        let error = error * self.uneven;
        if let Cut::Yes { planned } = cut {
            // Its small error says little, so that neither the plan nor the controller's memory should suffer, unless it
            // shows the plan too bold.
            return planned.min(h * self.controller.allowance(error));
        }
        let last_error = self.controller.last_error;
        let mut factor = self.ease * self.controller.accepted(error);
        if self.memory.past == Content::Fresh {
            // [HairerWanner1996] IV.8 eq. (8.25), after Gustafsson: errors that grow will go on growing.
            let power = 1.0 / f64::from(self.method.error_exponent());
            let trend = h / self.memory.h_past.abs() * (last_error / error).powf(power);
            factor = factor.min(self.controller.safety * trend * error.powf(-power)).max(self.controller.min_factor);
        }
        if self.state.growth == Growth::Held {
            factor = factor.min(1.0);
        }
        if (1.0..WORTHWHILE).contains(&factor) { h } else { h * factor }
    }

    /// Takes over the attempted step.
    fn accept(&mut self, t_new: f64, h: f64, cut: Cut, error: f64) {
        self.controller.last_error = self.state.last_error;
        let h_next = self.next_size(h.abs(), cut, error);
        let state = &mut self.state;
        state.last_error_old = state.last_error;
        state.last_error = self.controller.last_error;
        state.h_next = Some(h_next.min(self.bounds.h_max));
        state.growth = Growth::Free;
        std::mem::swap(&mut state.y, &mut state.y_old);
        state.y.copy_from_slice(&self.y_new);
        state.t_old = state.t;
        state.t = t_new;
        state.h = h;
        state.span = Span::Whole;
        state.tail = Tail::Joined;
        state.rows_content = Content::Stale;
        state.f_content = Content::Stale;
        state.statistics.accepted += 1;
    }
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
        let core = Core {
            method,
            tolerance: settings.tolerance.clone(),
            controller,
            bounds,
            state,
            memory: Memory::new(n + sizes.derived_at, sizes.kept),
            tangent: Tangent::new(sizes.tangent, sizes.complex),
            y_new: vec![0.0; n],
            argument: vec![0.0; n],
            error: vec![0.0; n],
            ease: 1.0,
            uneven: 1.0,
        };
        Ok(Self { core, scheme })
    }

    /// Makes the coefficients of the dense output unless made.
    fn prepare(&mut self, system: &mut dyn System) -> Result<(), Refusal> {
        if self.core.state.rows_content == Content::Fresh {
            return Ok(());
        }
        if S::SLOPES == Slopes::Used {
            match self.core.state.tail {
                Tail::Joined => self.core.refresh(system)?,
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
        self.scheme.fill_rows(&mut self.core);
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
        let core = &mut self.core;
        let t = core.state.t;
        let (expected, found) = (core.state.y.len(), system.dimension());
        if expected != found {
            return Err(StepFailure::Dimension { expected, found });
        }
        if t_stop.is_nan() {
            return Err(StepFailure::StoppingTime);
        }
        if t_stop == t {
            return Ok(());
        }
        core.refresh(system).map_err(|refusal| StepFailure::Refused { t, refusal })?;
        // From here on the stages are the new step's.
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
            // What the times really differ by, so that stages and dense output agree on it.
            let h = t_new - t;
            // By the plan: rounded, the difference may exceed the smallest size for ever.
            let least = planned.min(h.abs());
            system.attempt(t, h);
            let fixed = core.bounds.h_fixed.is_some();
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
        self.core.refresh(system)?;
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

    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal> {
        if self.core.state.ends(t, out)? == Place::Inside {
            self.prepare(system)?;
            self.core.state.inside(t, out);
        }
        Ok(())
    }

    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal> {
        if t != self.core.state.t && self.core.state.span != Span::Empty {
            self.prepare(system)?;
        }
        self.core.state.cut(t, &mut self.core.argument)
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
