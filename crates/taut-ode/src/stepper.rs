//! What all one-step integrators have in common.

use serde::{Deserialize, Serialize};

use crate::{Checkpoint, Controller, Method, Refusal, System, Tolerance};

/// Whether steps may be made smaller than planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// They may.
    #[default]
    Varying,
    /// They may not, but within a step whose stages are refused: an end that is refused ends the integration.
    Fixed,
}

/// A one-step integrator with dense output: it advances, takes back, cuts short and interpolates.
///
/// It owns the state `(t, y)`; the [`System`] is lent to each call.
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

    /// One accepted step towards `t_stop`, never beyond it, and landing on it exactly; tries
    /// smaller sizes by itself on too large an error and on a [`Refusal`]. Does nothing when
    /// `t_stop` is the present time. A step shortened by `t_stop` leaves the planned size as it was.
    ///
    /// Methods that do not need the derivative at the end of the step leave it to the next call
    /// (or to [`derivative`](Self::derivative)), since the state may yet be edited: a refusal there
    /// comes too late to reject this step, which can still be [taken back](Self::take_back).
    ///
    /// # Errors
    /// [`StepFailure`]; time and state are then those before the call, and the dense output of
    /// the previous step is lost.
    fn step(&mut self, system: &mut dyn System, t_stop: f64) -> Result<(), StepFailure>;

    /// The derivative at `(t, y)`, evaluated unless it is known already.
    ///
    /// # Errors
    /// The system's [`Refusal`].
    fn derivative(&mut self, system: &mut dyn System) -> Result<&[f64], Refusal>;

    /// The state, to be corrected in place, as a projection does: the dense output of the last
    /// step follows and ends in the corrected state with its derivative. Step size and controller
    /// stay as they are.
    fn correct(&mut self) -> &mut [f64];

    /// The state, to be changed discontinuously, as an impact does: the dense output of the last
    /// step stays as it was. Step size and controller stay as they are, too.
    ///
    /// If the *system* changes with the state, call [`interpolate`](Self::interpolate) once
    /// before, lest stages of the past step be evaluated with the new system.
    fn jump(&mut self) -> &mut [f64];

    /// Counts the present state as the start of another smooth piece, as [`resume_at`](Self::resume_at) does: where there are
    /// many, each may err by a part of the tolerance only.
    fn count_restart(&mut self);

    /// Holds the steps to come to a part of the tolerance, at most one.
    fn hold_to(&mut self, part: f64);

    /// Norm of `y − self.y()` in the units of the local error of the last step, one being as large as tolerated. Round-off
    /// counts for nothing.
    fn deviation(&self, y: &[f64]) -> f64;

    /// How far a state is from the end of the last step, in the norm of the tolerance.
    fn distance(&self, y: &[f64]) -> f64;

    /// Undoes the last step for an error of this norm that was found after it, and plans a smaller one.
    ///
    /// # Errors
    /// As [`take_back`](Self::take_back).
    fn reject(&mut self, error: f64) -> Result<(), StepFailure>;

    /// What a return to a manifold has amplified the error of the last step to, in the same units: kept here for whoever
    /// drives the stepper, so that checkpoints have it.
    fn amplified(&mut self) -> &mut f64;

    /// How far the stages of the step and the additional ones of its dense output disagree, one being as much as is still
    /// usual; zero where there are none, or they were not needed. These see the right-hand side where the step itself
    /// did not.
    fn defect(&mut self) -> f64 {
        0.0
    }

    /// Starts anew at `t`, next to the present time, as on the other side of a [`Break`](crate::Break); the state, which may
    /// be changed, is given back. The last step is forgotten, and with it all that a method remembers of the past. The
    /// size of the next step is chosen as at a start, but not above what was planned; fixed steps go on in their grid.
    fn resume_at(&mut self, t: f64) -> &mut [f64];

    /// Dense output at a `t` of the last step `[t_old, t]`, which it meets exactly at both ends.
    /// The additional stages a method needs are evaluated with the first call after a step.
    ///
    /// # Errors
    /// The system's [`Refusal`] from an additional stage; [`Refusal::OutsideDomain`] when `t` lies
    /// outside the step or `out` has another length than the state.
    fn interpolate(&mut self, system: &mut dyn System, t: f64, out: &mut [f64]) -> Result<(), Refusal>;

    /// Ends the last step at `t` inside it: the state becomes that of the dense output, which
    /// remains valid up to `t`. The size planned for the next step stays.
    ///
    /// # Errors
    /// As [`interpolate`](Self::interpolate); the step is then left whole.
    fn truncate(&mut self, system: &mut dyn System, t: f64) -> Result<(), Refusal>;

    /// An isolated time ahead at which the right-hand side is singular although the solution is
    /// smooth; `None` for none. Steps are then planned such that one of them crosses it in one
    /// stride, with the obstacle amid the widest gap between two stages, and none ends near it.
    fn stride_across(&mut self, obstacle: Option<f64>);

    /// The obstacle to be crossed, if any.
    fn obstacle(&self) -> Option<f64>;

    /// Undoes the last step and plans the next one `factor` times as large as it was. There is no
    /// dense output then until the next step.
    ///
    /// # Errors
    /// [`StepFailure::NothingToTakeBack`] before the first step and after a jump, a truncation or
    /// another taking back; [`StepFailure::StepTooSmall`] when the repetition would fall below the
    /// smallest step size.
    fn take_back(&mut self, factor: f64) -> Result<(), StepFailure>;

    /// Counts since construction.
    fn statistics(&self) -> Statistics;

    /// Everything needed to continue bit by bit as if not interrupted.
    fn save(&self) -> Checkpoint;

    /// Puts a saved state back.
    ///
    /// # Errors
    /// [`RestoreError`] when the checkpoint was made by another method or for another dimension.
    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), RestoreError>;

    /// Whether steps may be made smaller once they are made.
    fn pace(&self) -> Pace {
        Pace::Varying
    }

    /// How far the last steps used up the bound of stability of an explicit method: `h |lambda|` of the fastest decay or
    /// oscillation seen, as a share of the bound. Near one the bound, not the error, holds the steps back, and an implicit
    /// method is the better choice. `None` where nothing is known, and for implicit methods.
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

/// How a stepper is to choose its steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Bound of the local error.
    pub tolerance: Tolerance,
    /// Size of the first step, chosen automatically if absent. The fixed size for a fixed [`pace`](Self::pace) and for
    /// [`Method::Rk4`](crate::Method::Rk4), which need it.
    pub h_first: Option<f64>,
    /// Largest step size; none if absent.
    pub h_max: Option<f64>,
    /// Smallest step size; in any case 16 spacings of the floating-point numbers around `t`. Only
    /// the step that lands on its stopping time may be smaller.
    pub h_min: Option<f64>,
    /// Whether the error steers the steps, or all are of the size `h_first`.
    pub pace: Pace,
    /// What is left of the fastest oscillation from one step to the next, in `0..=1`, for the methods that let it be
    /// chosen: 0 damps most, 1 not at all; the usual one for the method if absent.
    pub spectral_radius: Option<f64>,
    /// Length of the whole integration, if known. Methods of second order, whose steps are many, then hold their error per
    /// unit of time: local errors that only met the tolerance one by one would add up to hundreds of times it.
    pub span: Option<f64>,
    /// Step size controller; the one usual for the method if absent.
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
        Self { h_first: Some(h), pace: Pace::Fixed, ..Self::default() }
    }

    /// Checks the settings for a state of `dimension` components.
    ///
    /// # Errors
    /// [`SetupError`] for what makes no sense.
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
    /// Accepted steps that were not taken back.
    pub accepted: u64,
    /// Attempts rejected for their error.
    pub rejected: u64,
    /// Attempts given up, and steps taken back, for a [`Refusal`].
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
    /// The system refused down to the smallest step size, or at the start of the step.
    #[error("at t = {t}: {refusal}")]
    Refused {
        /// Time at the start of the step.
        t: f64,
        /// What the system said last.
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
    /// There is no last step, or it was edited beyond recovery.
    #[error("there is no step to take back")]
    NothingToTakeBack,
}

/// Why a stepper could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    #[error("a fixed-step method needs h_first")]
    StepMissing,
    /// A spectral radius must be within 0 and 1.
    #[error("spectral radius {rho} is not within 0 and 1")]
    SpectralRadius {
        /// Its value.
        rho: f64,
    },
    /// The method is implicit: [`Method::stepper`](crate::Method::stepper) makes its stepper.
    #[error("{0} is no explicit Runge-Kutta method")]
    Implicit(Method),
    /// The controller's values do not make a working controller.
    #[error("invalid controller")]
    Controller,
}

/// Why a checkpoint cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The checkpoint is another method's.
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
