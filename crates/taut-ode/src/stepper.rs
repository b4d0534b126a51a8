//! The interface of all integrators, their settings and their errors.

use serde::{Deserialize, Serialize};

use crate::{Checkpoint, Controller, Method, Refusal, System, Tolerance};

/// How the step size is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepControl {
    /// By error control.
    #[default]
    Varying,
    /// Constant. Only a step whose stages are refused is divided; if its end is refused, the integration ends.
    Fixed,
}

/// An integrator with dense output. It advances, undoes, truncates and interpolates steps.
///
/// It owns the state `(t, y)`; the [`System`] is passed to each call.
pub trait Stepper: Send {
    /// The present time.
    fn t(&self) -> f64;

    /// The present state.
    fn y(&self) -> &[f64];

    /// Where the last step began; equals [`t`](Self::t) while there is no last step.
    fn t_old(&self) -> f64;

    /// The state at [`t_old`](Self::t_old).
    fn y_old(&self) -> &[f64];

    /// Signed length `t - t_old` of the last step.
    fn h(&self) -> f64 {
        self.t() - self.t_old()
    }

    /// Size (not negative) planned for the next step; `None` until the first step chose one.
    fn h_next(&self) -> Option<f64>;

    /// Makes one accepted step towards `t_stop`, never beyond it; the last one ends at `t_stop` exactly. After too large an
    /// error or a [`Refusal`] it tries smaller sizes by itself. Does nothing when `t_stop` is the present time. A step
    /// shortened by `t_stop` does not change the planned size.
    ///
    /// Methods that do not need the derivative at the end of the step leave it to the next call
    /// (or to [`derivative`](Self::derivative)), since the state may still be edited. A refusal there
    /// comes too late to reject this step, but the step can be [undone](Self::undo_step).
    ///
    /// # Errors
    /// [`StepFailure`]; time and state are then those before the call, and the dense output of
    /// the previous step is lost.
    fn step(&mut self, system: &mut dyn System, t_stop: f64) -> Result<(), StepFailure>;

    /// The derivative at `(t, y)`, evaluated only if it is not known.
    ///
    /// # Errors
    /// The system's [`Refusal`].
    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal>;

    /// The state, to be corrected in place by a projection. The dense output of the last step follows: it ends in the corrected
    /// state with its derivative. Step size and controller do not change.
    fn correct(&mut self) -> &mut [f64];

    /// The state, to be changed discontinuously, for example by an impact. The dense output of the last step, the step size and
    /// the controller do not change.
    ///
    /// If the *system* changes with the state, call [`interpolate`](Self::interpolate) once before the jump. Otherwise stages
    /// of the last step might be evaluated with the new system.
    fn jump(&mut self) -> &mut [f64];

    /// Counts the present state as the start of another smooth piece, as [`restart_at`](Self::restart_at) does. If there are
    /// many, each gets only a part of the tolerance.
    fn count_restart(&mut self);

    /// Multiplies the tolerance of the steps ahead by a factor, at most one.
    fn set_tolerance_factor(&mut self, part: f64);

    /// Norm of `y − self.y()` relative to the tolerance of the last step: one is the largest error accepted. Round-off is not
    /// counted.
    fn deviation(&self, y: &[f64]) -> f64;

    /// Distance of a state from the end of the last step, in the norm of the tolerance.
    fn tolerance_distance(&self, y: &[f64]) -> f64;

    /// Undoes the last step because of an error of this norm that was found after it, and plans a smaller one.
    ///
    /// # Errors
    /// As [`undo_step`](Self::undo_step).
    fn reject(&mut self, error: f64) -> Result<(), StepFailure>;

    /// The error of the last step after amplification by a projection, in the same units. Stored here for the driver, so that
    /// checkpoints contain it.
    fn amplified_error(&mut self) -> &mut f64;

    /// Whether the dense output of the last step is to be computed in order to check the step, because its estimated error may be small by
    /// chance: it is much longer than the one before it, or near a restart.
    fn must_check_dense_output(&self) -> bool {
        false
    }

    /// Disagreement between the stages of the step and the additional stages of its dense output; one is the largest usual
    /// value. Zero if there are no additional stages or they were not needed. They evaluate the right-hand side at times that
    /// the step itself does not.
    fn dense_output_defect(&mut self) -> f64 {
        0.0
    }

    /// Restarts at `t`, next to the present time, for example behind a [`Break`](crate::Break). Returns the state, which may be
    /// edited. The last step and the history of the method are discarded. The size of the next step is chosen as at a start,
    /// but not above the planned one; fixed steps keep their grid.
    fn restart_at(&mut self, t: f64) -> &mut [f64];

    /// Dense output at a time within the last step `[t_old, t]`; exact at both ends. Additional stages, if the method needs
    /// them, are evaluated by the first call after a step.
    ///
    /// # Errors
    /// The system's [`Refusal`] from an additional stage; [`Refusal::OutsideDomain`] when `t` lies
    /// outside the step or `out` has another length than the state.
    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal>;

    /// Truncates the last step at a time `t` within it. The state becomes that of the dense output, which remains valid up to
    /// `t`. The planned step size does not change.
    ///
    /// # Errors
    /// As [`interpolate`](Self::interpolate); the step is then not truncated.
    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal>;

    /// Sets an isolated time ahead at which the right-hand side is singular although the solution is smooth, or `None`. Steps
    /// are then planned so that one step crosses it, with the singular time in the middle of the widest gap between two
    /// stages, and no step ends near it.
    fn set_singular_time(&mut self, obstacle: Option<f64>);

    /// The singular time ahead, if any.
    fn singular_time(&self) -> Option<f64>;

    /// Undoes the last step and plans the next one `factor` times as long. There is no dense output until the next step.
    ///
    /// # Errors
    /// [`StepFailure::NothingToUndo`] before the first step and after a jump, a truncation or another undo;
    /// [`StepFailure::StepTooSmall`] when the repeated step would be below the smallest step size.
    fn undo_step(&mut self, factor: f64) -> Result<(), StepFailure>;

    /// Work since construction.
    fn statistics(&self) -> Statistics;

    /// Everything needed to continue with the same bits as without an interruption.
    fn save(&self) -> Checkpoint;

    /// Restores a saved state.
    ///
    /// # Errors
    /// [`RestoreError`] when the checkpoint was made by another method or for another dimension.
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), RestoreError>;

    /// How the step size is chosen.
    fn step_control(&self) -> StepControl {
        StepControl::Varying
    }

    /// `h |lambda|` of the fastest decay or oscillation observed in the last steps, relative to the stability bound of an
    /// explicit method. Near one, stability and not the error limits the steps, and an implicit method is the better choice.
    /// `None` where nothing is known, and for implicit methods.
    fn stiffness(&self) -> Option<f64> {
        None
    }

    /// Order of convergence at the ends of the steps.
    fn order(&self) -> u32;

    /// Order of convergence of the dense output.
    fn interpolation_order(&self) -> u32;

    /// Name of the method.
    fn name(&self) -> &'static str;
}

/// Settings of a stepper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Tolerance of the local error.
    pub tolerance: Tolerance,
    /// Size of the first step, chosen automatically if absent. The fixed size for a fixed
    /// [`step_control`](Self::step_control) and for [`Method::Rk4`](crate::Method::Rk4), which need it.
    pub h_first: Option<f64>,
    /// Largest step size; none if absent.
    pub h_max: Option<f64>,
    /// Smallest step size; in any case 16 spacings of the floating-point numbers around `t`. Only
    /// the step that lands on its stopping time may be smaller.
    pub h_min: Option<f64>,
    /// Whether error control chooses the steps, or all have the size `h_first`.
    pub step_control: StepControl,
    /// Spectral radius at infinity, in `0..=1`, for the methods that have this parameter: the factor on the fastest oscillation
    /// per step. 0 damps most, 1 not at all. Default: that of the method.
    pub spectral_radius: Option<f64>,
    /// Length of the whole integration, if known. Methods of low order, which need many steps, then control the error per unit
    /// of time: otherwise the local errors would add up to hundreds of times the tolerance.
    pub span: Option<f64>,
    /// Step size controller. Default: that of the method.
    pub controller: Option<Controller>,
}

impl Settings {
    /// Settings of a scalar tolerance, all else automatic.
    #[must_use]
    pub fn with_tolerance(rtol: f64, atol: f64) -> Self {
        Self { tolerance: Tolerance::new(rtol, atol), ..Self::default() }
    }

    /// Settings of a fixed step.
    #[must_use]
    pub fn with_step(h: f64) -> Self {
        Self { h_first: Some(h), step_control: StepControl::Fixed, ..Self::default() }
    }

    /// Checks the settings for a state of `dimension` components.
    ///
    /// # Errors
    /// [`SetupError`] for invalid settings.
    pub fn check(&self, dimension: usize) -> Result<(), SetupError> {
        self.tolerance.check(dimension)?;
        let sizes = [("h_first", self.h_first), ("h_max", self.h_max), ("h_min", self.h_min)];
        for (name, size) in sizes {
            if let Some(h) = size
                && !(h.is_finite() && h > 0.0)
            {
                return Err(SetupError::StepSize { name, h });
            }
        }
        if let Some(span) = self.span
            && !(span.is_finite() && span >= 0.0)
        {
            return Err(SetupError::StepSize { name: "span", h: span });
        }
        if let Some(rho) = self.spectral_radius
            && !(0.0..=1.0).contains(&rho)
        {
            return Err(SetupError::SpectralRadius { rho });
        }
        match self.controller {
            Some(controller) if !controller.is_valid() => Err(SetupError::Controller),
            _ => Ok(()),
        }
    }
}

/// Work done by a stepper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
    /// Accepted steps that were not undone.
    pub accepted: u64,
    /// Attempts rejected because of their error.
    pub rejected: u64,
    /// Attempts abandoned and steps undone because of a [`Refusal`].
    pub refused: u64,
}

/// Why a step was not made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum StepFailure {
    /// The error tolerance would need a step below the smallest size.
    #[error("step size {h:e} at t = {t} is too small")]
    StepTooSmall {
        /// Time at the start of the step.
        t: f64,
        /// Size that was to be tried next.
        h: f64,
    },
    /// The system refused even the smallest step size, or the start of the step.
    #[error("at t = {t}: {refusal}")]
    Refused {
        /// Time at the start of the step.
        t: f64,
        /// The last refusal.
        refusal: Refusal,
    },
    /// The system has another dimension than the state.
    #[error("system of dimension {found} for a state of dimension {expected}")]
    Dimension {
        /// Dimension of the state.
        expected: usize,
        /// Dimension of the system.
        found: usize,
    },
    /// The stopping time is not a number.
    #[error("stopping time is not a number")]
    StoppingTime,
    /// There is no last step, or it was edited and cannot be undone.
    #[error("there is no step to undo")]
    NothingToUndo,
}

/// Why a stepper could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Start time or state is infinite or not a number.
    #[error("start time or state is not finite")]
    Start,
    /// Tolerances must be finite, not negative and not both zero.
    #[error("tolerances must be finite, not negative and not both zero")]
    Tolerance,
    /// A list has another length than the state.
    #[error("{found} values for a state of dimension {expected}")]
    Dimension {
        /// Dimension of the state.
        expected: usize,
        /// Length of the list.
        found: usize,
    },
    /// A step size must be finite and positive.
    #[error("{name} = {h} is not a positive step size")]
    StepSize {
        /// Which size.
        name: &'static str,
        /// Its value.
        h: f64,
    },
    /// A method of fixed step was given none.
    #[error("a method with fixed steps needs the size of its steps")]
    StepMissing,
    /// A spectral radius must be between 0 and 1.
    #[error("spectral radius {rho} is not between 0 and 1")]
    SpectralRadius {
        /// Its value.
        rho: f64,
    },
    /// The method is implicit: [`Method::stepper`](crate::Method::stepper) makes its stepper.
    #[error("{0} is not an explicit Runge-Kutta method")]
    Implicit(Method),
    /// The parameters of the controller are invalid.
    #[error("invalid step size controller")]
    Controller,
}

/// Why a checkpoint cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The checkpoint belongs to another method.
    #[error("checkpoint of method {found} for a stepper of method {expected}")]
    Method {
        /// Method of the stepper.
        expected: String,
        /// Method of the checkpoint.
        found: String,
    },
    /// The checkpoint is for another dimension or its lists do not fit together.
    #[error("checkpoint does not fit a state of dimension {expected}")]
    Dimension {
        /// Dimension of the stepper.
        expected: usize,
    },
}
