//! The complete state of a stepper as a value.

use serde::{Deserialize, Serialize};

use crate::bounds::StepBounds;
use crate::dense::no_steps;
use crate::exact_bits;
use crate::tolerance_budget::RestartHistory;
use crate::{Method, Statistics, StepFailure, Tolerance};

/// Relative error to which round-off may be amplified.
pub const AMPLIFIED_ROUNDOFF: f64 = 1e4 * f64::EPSILON;

/// Everything a stepper needs to continue and to interpolate its last step with the same bits as without an interruption.
/// Tolerances and limits are not included: they are those of the stepper that restores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub(crate) method: Method,
    pub(crate) state: StepperState,
    /// Additional data of an implicit method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<ImplicitMemory>,
}

impl Checkpoint {
    /// The method whose stepper made it.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The time at which it was made.
    #[must_use]
    pub fn t(&self) -> f64 {
        self.state.t
    }

    /// The state at that time.
    #[must_use]
    pub fn y(&self) -> &[f64] {
        &self.state.y
    }
}

/// Whether a buffer is up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Validity {
    Stale,
    Fresh,
}

/// The extent of the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepExtent {
    /// No last step.
    Empty,
    /// The step as it was accepted.
    Whole,
    /// Truncated; the dense output is that of the whole step.
    Truncated,
}

/// Where the dense output ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DenseOutputEnd {
    /// In the present state, and follows its corrections.
    Joined,
    /// In the state before a jump.
    Parted,
}

/// Whether the next step size may exceed the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepGrowth {
    Free,
    /// Not right after a failed attempt.
    Held,
}

/// Whether the size of the next step follows from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StepSizeSource {
    /// It does.
    #[default]
    Known,
    /// The right-hand side has just changed its form.
    Restart,
}

/// State of a Runge-Kutta stepper. All lists are allocated at construction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepperState {
    #[serde(with = "exact_bits::number")]
    pub t: f64,
    #[serde(with = "exact_bits::number")]
    pub t_old: f64,
    /// Signed length of the last step as a whole.
    #[serde(with = "exact_bits::number")]
    pub h: f64,
    #[serde(with = "exact_bits::option")]
    pub h_next: Option<f64>,
    pub growth: StepGrowth,
    /// Whether the step ahead is the first of a smooth piece.
    #[serde(default)]
    pub opening: StepSizeSource,
    /// The length that a stopping time removed from the last step.
    #[serde(default, with = "exact_bits::option")]
    pub remainder: Option<f64>,
    /// A singular time to be crossed by one step.
    #[serde(with = "exact_bits::option")]
    pub obstacle: Option<f64>,
    /// The last error of the controller, and its value before the last step.
    #[serde(with = "exact_bits::number")]
    pub last_error: f64,
    #[serde(with = "exact_bits::number")]
    pub last_error_old: f64,
    pub span: StepExtent,
    pub tail: DenseOutputEnd,
    #[serde(with = "exact_bits::list")]
    pub y: Vec<f64>,
    #[serde(with = "exact_bits::list")]
    pub y_old: Vec<f64>,
    /// Derivative at `(t, y)`.
    #[serde(with = "exact_bits::list")]
    pub f: Vec<f64>,
    pub f_content: Validity,
    /// State before the jump and its derivative, for `DenseOutputEnd::Parted`.
    #[serde(with = "exact_bits::list")]
    pub y_end: Vec<f64>,
    #[serde(with = "exact_bits::list")]
    pub f_end: Vec<f64>,
    pub f_end_content: Validity,
    /// Dense output of the whole step at the time of truncation.
    #[serde(with = "exact_bits::list")]
    pub y_cut: Vec<f64>,
    /// Stages of the last step, one after the other; stage 0 is the derivative at its start.
    #[serde(with = "exact_bits::list")]
    pub k: Vec<f64>,
    pub end_stage: Validity,
    pub extra_stages: Validity,
    /// Coefficients of the dense output, one row after the other.
    #[serde(with = "exact_bits::list")]
    pub rows: Vec<f64>,
    pub rows_content: Validity,
    pub statistics: Statistics,
    /// The error of the last step after amplification by a projection, in units of the tolerance.
    #[serde(default = "unit_factor", with = "exact_bits::number")]
    pub amplified: f64,
    /// Step size of the last steps relative to the stability bound.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "exact_bits::option")]
    pub stiffness: Option<f64>,
    /// Factor on the tolerance set by the problem.
    #[serde(default = "unit_factor", with = "exact_bits::number")]
    pub part: f64,
    /// The time between restarts.
    #[serde(default = "no_restarts")]
    pub restarts: RestartHistory,
    /// Signed lengths of the last accepted step and of the one before it; zero if there is none.
    #[serde(default = "no_steps", with = "exact_bits::list")]
    pub accepted_lengths: Vec<f64>,
}

/// The default for older checkpoints, which contain no restarts.
fn no_restarts() -> RestartHistory {
    RestartHistory::new(0.0, None)
}

/// One: the whole tolerance.
pub(crate) fn unit_factor() -> f64 {
    1.0
}

impl StepperState {
    pub fn new(t: f64, y: &[f64], stages: usize, rows: usize, last_error: f64) -> Self {
        let n = y.len();
        Self {
            t,
            t_old: t,
            h: 0.0,
            h_next: None,
            growth: StepGrowth::Free,
            opening: StepSizeSource::Known,
            remainder: None,
            obstacle: None,
            last_error,
            last_error_old: last_error,
            span: StepExtent::Empty,
            tail: DenseOutputEnd::Joined,
            y: y.to_vec(),
            y_old: y.to_vec(),
            f: vec![0.0; n],
            f_content: Validity::Stale,
            y_end: vec![0.0; n],
            f_end: vec![0.0; n],
            f_end_content: Validity::Stale,
            y_cut: vec![0.0; n],
            k: vec![0.0; stages * n],
            end_stage: Validity::Stale,
            extra_stages: Validity::Stale,
            rows: vec![0.0; rows * n],
            rows_content: Validity::Stale,
            statistics: Statistics::default(),
            amplified: unit_factor(),
            stiffness: None,
            part: unit_factor(),
            restarts: no_restarts(),
            accepted_lengths: no_steps(),
        }
    }

    /// Whether all lists have the lengths of those of `other`.
    pub fn fits(&self, other: &Self) -> bool {
        let lengths = |s: &Self| {
            [s.y.len(), s.y_old.len(), s.f.len(), s.y_end.len(), s.f_end.len(), s.y_cut.len(), s.k.len(), s.rows.len()]
        };
        lengths(self) == lengths(other)
    }

    /// Discards the last step.
    pub fn forget_step(&mut self) {
        self.span = StepExtent::Empty;
        self.tail = DenseOutputEnd::Joined;
        self.t_old = self.t;
        self.h = 0.0;
        self.y_old.copy_from_slice(&self.y);
        self.end_stage = Validity::Stale;
        self.extra_stages = Validity::Stale;
        self.rows_content = Validity::Stale;
    }

    /// The state, to be corrected; the dense output of a whole step follows.
    pub fn correct(&mut self) -> &mut [f64] {
        self.f_content = Validity::Stale;
        if self.tail == DenseOutputEnd::Joined && self.span == StepExtent::Whole {
            self.rows_content = Validity::Stale;
        }
        &mut self.y
    }

    /// The state, to be changed; the present one is stored for the dense output.
    pub fn jump(&mut self) -> &mut [f64] {
        if self.tail == DenseOutputEnd::Joined && self.span != StepExtent::Empty {
            self.y_end.copy_from_slice(&self.y);
            self.f_end.copy_from_slice(&self.f);
            self.f_end_content = self.f_content;
            self.tail = DenseOutputEnd::Parted;
        }
        self.f_content = Validity::Stale;
        &mut self.y
    }

    /// Norm of the difference to another state at the end of the step.
    pub fn deviation(&self, tolerance: &Tolerance, y: &[f64]) -> f64 {
        let size = self.y.iter().fold(1.0_f64, |size, y| size.max(y.abs()));
        let mut sum = 0.0;
        for (i, y) in y.iter().enumerate() {
            let magnitude = self.y_old[i].abs().max(self.y[i].abs());
            sum += ((y - self.y[i]) / (tolerance.scale(i, magnitude) + AMPLIFIED_ROUNDOFF * size)).powi(2);
        }
        (sum / y.len().max(1) as f64).sqrt()
    }

    /// Restarts at `t`.
    pub fn restart_at(&mut self, t: f64, bounds: &StepBounds) -> &mut [f64] {
        self.t = t;
        self.restarts.record(t);
        self.forget_step();
        self.f_content = Validity::Stale;
        self.stiffness = None;
        if let Some(h) = bounds.h_fixed {
            self.h_next = Some(self.remainder.take().unwrap_or(h));
        } else {
            self.opening = StepSizeSource::Restart;
        }
        &mut self.y
    }

    /// Undoes the last step because of its error.
    pub fn reject(&mut self, factor: f64, bounds: &StepBounds) -> Result<(), StepFailure> {
        self.undo_step(factor, bounds)?;
        self.statistics.refused -= 1;
        self.statistics.rejected += 1;
        Ok(())
    }

    /// Undoes the last step and plans the next.
    pub fn undo_step(&mut self, factor: f64, bounds: &StepBounds) -> Result<(), StepFailure> {
        if self.span != StepExtent::Whole || self.tail != DenseOutputEnd::Joined {
            return Err(StepFailure::NothingToUndo);
        }
        let (t, h) = (self.t_old, self.h.abs() * factor);
        // Negated, so that a NaN is refused too.
        if !(h >= bounds.smallest_step(t) && h < f64::INFINITY) {
            return Err(StepFailure::StepTooSmall { t, h });
        }
        self.t = t;
        std::mem::swap(&mut self.y, &mut self.y_old);
        let n = self.y.len();
        self.f.copy_from_slice(&self.k[..n]);
        self.f_content = Validity::Fresh;
        self.last_error = self.last_error_old;
        self.accepted_lengths[0] = self.accepted_lengths[1];
        self.h_next = Some(h);
        self.growth = StepGrowth::Held;
        self.statistics.accepted -= 1;
        self.statistics.refused += 1;
        self.forget_step();
        Ok(())
    }
}

/// Most steps with new derivatives before the stepper tries again to reuse them.
const MAX_FRESH_STEPS: u32 = 64;

/// How well the derivatives worked in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JacobianUse {
    /// They were evaluated for this step.
    New,
    /// They were reused, and the iteration converged well.
    Good,
    /// They were reused, and the iteration failed or converged slowly.
    Poor,
}

/// The data of an implicit stepper, besides its [`StepperState`], that persist from step to step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImplicitMemory {
    /// Whether the last Jacobian may still be used.
    pub derived: Validity,
    /// Where it was evaluated, and for which step: a restored stepper evaluates it there again and continues with the same bits.
    #[serde(with = "exact_bits::number")]
    pub t_derived: f64,
    #[serde(with = "exact_bits::number")]
    pub h_derived: f64,
    #[serde(with = "exact_bits::list")]
    pub derived_at: Vec<f64>,
    /// Whether the method has the initial values that it needs besides y.
    pub started: Validity,
    /// Whether the data of the previous step are valid.
    pub past: Validity,
    /// Its start, its length and the values stored from it.
    #[serde(with = "exact_bits::number")]
    pub t_past: f64,
    #[serde(with = "exact_bits::number")]
    pub h_past: f64,
    #[serde(with = "exact_bits::list")]
    pub kept: Vec<f64>,
    /// Number of steps that will still evaluate new derivatives, and its initial value when that was last decided.
    #[serde(default)]
    pub anew: [u32; 2],
}

impl ImplicitMemory {
    pub fn new(derived_at: usize, kept: usize) -> Self {
        Self {
            derived: Validity::Stale,
            t_derived: 0.0,
            h_derived: 0.0,
            derived_at: vec![0.0; derived_at],
            started: Validity::Stale,
            past: Validity::Stale,
            t_past: 0.0,
            h_past: 0.0,
            kept: vec![0.0; kept],
            anew: [0; 2],
        }
    }

    /// Called after a step. If reused derivatives worked badly, the next steps evaluate new ones; each time for twice as many steps.
    pub fn record_jacobian_use(&mut self, served: JacobianUse) {
        let [left, last] = &mut self.anew;
        match served {
            JacobianUse::Poor => {
                *last = (2 * *last).clamp(1, MAX_FRESH_STEPS);
                *left = *last;
            }
            JacobianUse::New => *left = left.saturating_sub(1),
            JacobianUse::Good => *last = 0,
        }
        if *left > 0 {
            self.derived = Validity::Stale;
        }
    }

    /// Whether all lists have the lengths of those of `other`, whose lengths may be unknown before its first step.
    pub fn fits(&self, other: &Self) -> bool {
        let kept = self.kept.len() == other.kept.len() || other.kept.is_empty();
        self.derived_at.len() == other.derived_at.len() && kept
    }

    /// Discards everything, as after a discontinuity.
    pub fn reset(&mut self) {
        self.derived = Validity::Stale;
        self.started = Validity::Stale;
        self.past = Validity::Stale;
    }
}
