//! Guards: functions whose zeros mark where the right-hand side itself changes its form.
//!
//! A step that crosses such a zero mixes two right-hand sides, so its dense output gives only an approximate time of the zero.
//! The driver undoes the step and repeats it up to just before that time, until a step ends there without any stage behind
//! the zero. The state is then moved across the zero along its derivative, and the integration restarts.
//!
//! This file holds the signs of the guards and moves the state across a zero. The submodules search the last step:
//!
//! - [`search`] subdivides the step until no part of it can hide a zero;
//! - [`zeros`] locates the zeros within one part;
//! - [`turning`] searches for zeros of a guard that turns back between samples of equal sign;
//! - [`unresolved`] recognises a guard that oscillates too fast for the samples;
//! - [`peaks`] finds where the right-hand side may have a narrow peak.

mod peaks;
mod search;
mod turning;
mod unresolved;
mod zeros;

use crate::{GuardKind, Problem, Refusal, Stepper};
use search::{SAMPLE_ROWS, StepPart};
use unresolved::UnresolvedGuard;

/// A step ends this share of its length before a zero.
const END_MARGIN: f64 = 1e-13;

/// Distances by which the state is moved across a zero, in units of that margin.
const CROSSING_DISTANCES: [f64; 3] = [2.0, 8.0, 64.0];

/// Further distances, in units of the margin of a step of zero length, for a guard that round-off turns into a staircase, such as
/// `cos(x) - 0.9999998`.
const ROUNDOFF_CROSSING_DISTANCES: [f64; 4] = [512.0, 4096.0, 32_768.0, 262_144.0];

/// A zero within this many margins of the start of a step is crossed from there.
const START_MARGINS: f64 = 16.0;

/// A zero of a guard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardZero {
    pub index: usize,
    /// Its time, on the side before the zero.
    pub t: f64,
}

/// The signs of all guards, and the workspace of the search.
pub struct Guards {
    count: usize,
    kinds: Vec<GuardKind>,
    /// Times along the last step at which there may be a narrow peak.
    peaks: Vec<f64>,
    max_peaks: usize,
    /// Signs of the guards: zero for a guard that is zero, NaN for a sign that is not known yet.
    sides: Vec<f64>,
    y: Vec<f64>,
    g: Vec<f64>,
    /// Parts still to be searched, the next one last.
    parts: Vec<StepPart>,
    /// Values of all guards at the ends and middles of parts, one row per sample.
    values: Vec<f64>,
    /// Free rows of `values`.
    free: Vec<usize>,
    /// Largest magnitude of each guard among the first samples of the step.
    sizes: Vec<f64>,
    /// A guard that the samples of the last step do not resolve.
    unresolved: Option<UnresolvedGuard>,
}

/// Distance before a zero at which a step of length `h` around time `t` ends.
pub fn end_margin(t: f64, h: f64) -> f64 {
    let size = t.abs();
    4.0 * (size.next_up() - size) + END_MARGIN * h.abs()
}

/// The sign of a value: zero at zero, NaN if the value is not a number.
fn side(g: f64) -> f64 {
    if g == 0.0 { 0.0 } else { g.signum() }
}

/// The one of two zeros that is nearer to the start of the search.
fn earlier(start: f64, a: Option<GuardZero>, b: Option<GuardZero>) -> Option<GuardZero> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if (b.t - start).abs() < (a.t - start).abs() { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Guards {
    pub fn new(problem: &mut dyn Problem, t: f64, y: &[f64]) -> Self {
        let count = problem.guard_count();
        let mut guards = Self {
            count,
            kinds: (0..count).map(|i| problem.guard_kind(i)).collect(),
            peaks: Vec::new(),
            max_peaks: 0,
            sides: vec![0.0; count],
            y: y.to_vec(),
            g: vec![0.0; count],
            parts: Vec::with_capacity(SAMPLE_ROWS),
            values: vec![0.0; SAMPLE_ROWS * count],
            free: Vec::with_capacity(SAMPLE_ROWS),
            sizes: vec![0.0; count],
            unresolved: None,
        };
        guards.set(problem, t, y);
        guards
    }

    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// Sets all signs from the values at a state.
    pub fn set(&mut self, problem: &mut dyn Problem, t: f64, y: &[f64]) {
        if self.count > 0 {
            problem.guard_values(t, y, &mut self.g);
            self.sides.iter_mut().zip(&self.g).for_each(|(s, g)| *s = side(*g));
        }
    }

    /// Whether a zero is too near to the start of the step for another step to end before it.
    pub fn is_at_start(zero: GuardZero, stepper: &dyn Stepper) -> bool {
        let (t, h) = (stepper.t_old(), stepper.h());
        (zero.t - t).abs() <= START_MARGINS * end_margin(t, h)
    }

    /// Moves the present state along its derivative until a guard has changed its sign, and writes the moved state to `y`.
    /// Returns that guard and the time, or `None` if no guard changes within the distance allowed for steps of length `h`. A
    /// guard that only reaches zero counts if none goes beyond.
    pub fn cross_zero(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        h: f64,
        y: &mut [f64],
    ) -> Result<Option<GuardZero>, Refusal> {
        let t = stepper.t();
        self.y.copy_from_slice(stepper.derivative(problem)?);
        let moved = |stepper: &dyn Stepper, f: &[f64], after: f64, y: &mut [f64]| {
            for (y, (start, f)) in y.iter_mut().zip(stepper.y().iter().zip(f)) {
                *y = start + (after - t) * f;
            }
        };
        let near = CROSSING_DISTANCES.map(|far| far * end_margin(t, h));
        let farther = ROUNDOFF_CROSSING_DISTANCES.map(|far| far * end_margin(t, 0.0));
        let mut reached = None;
        for distance in near.into_iter().chain(farther.into_iter().filter(|far| *far > near[2])) {
            let after = t + distance * h.signum();
            moved(stepper, &self.y, after, y);
            problem.guard_values(after, y, &mut self.g);
            let changed = |i: &usize| {
                let (from, to) = (self.sides[*i], side(self.g[*i]));
                self.is_switch(*i) && from != to && !from.is_nan() && !to.is_nan()
            };
            if let Some(index) = (0..self.count).find(|i| changed(i) && self.g[*i] != 0.0) {
                return Ok(Some(GuardZero { index, t: after }));
            }
            reached = reached.or((0..self.count).find(changed).map(|index| GuardZero { index, t: after }));
        }
        if let Some(zero) = reached {
            moved(stepper, &self.y, zero.t, y);
        }
        Ok(reached)
    }

    /// Discards the sign of a guard: the next sample sets it.
    pub fn forget_side(&mut self, index: usize) {
        self.sides[index] = f64::NAN;
    }

    /// Times along the last step at which the right-hand side may have a narrow peak, as far as
    /// [`first`](Self::first) has searched.
    pub fn peaks(&self) -> &[f64] {
        &self.peaks
    }

    fn is_switch(&self, i: usize) -> bool {
        self.kinds[i] == GuardKind::Switch
    }
}
