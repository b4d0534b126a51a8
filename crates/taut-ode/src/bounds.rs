//! Bounds on the step size, and how steps reach their stopping time.

use crate::attempt::StepCut;
use crate::{Settings, SetupError, StepControl};

/// Smallest step, in spacings of the floating-point numbers around `t`.
const LEAST_SPACINGS: f64 = 16.0;

/// A step that would end within this share of its length before the stopping time is stretched to
/// reach it.
const STRETCH: f64 = 0.01;

/// The same for a fixed step: only absorbs round-off of the accumulated time.
const STRETCH_FIXED: f64 = 1e-6;

/// Permitted step sizes.
#[derive(Debug, Clone, Copy)]
pub struct StepBounds {
    pub h_fixed: Option<f64>,
    pub h_max: f64,
    h_min: f64,
}

impl StepBounds {
    pub fn new(step_control: StepControl, settings: &Settings) -> Result<Self, SetupError> {
        let h_fixed = match step_control {
            StepControl::Fixed => Some(settings.h_first.ok_or(SetupError::StepMissing)?),
            StepControl::Varying => None,
        };
        let (h_max, h_min) = (settings.h_max.unwrap_or(f64::INFINITY), settings.h_min.unwrap_or(0.0));
        Ok(Self { h_fixed, h_max, h_min })
    }

    pub fn step_control(&self) -> StepControl {
        if self.h_fixed.is_some() { StepControl::Fixed } else { StepControl::Varying }
    }

    /// Smallest step size around `t`.
    pub fn smallest_step(&self, t: f64) -> f64 {
        let spacing = t.abs().next_up() - t.abs();
        self.h_min.max(LEAST_SPACINGS * spacing)
    }

    /// The end of a step of size `h` from `t`, possibly the stopping time.
    pub fn end_of_step(&self, t: f64, h: f64, t_stop: f64) -> (f64, StepCut) {
        let distance = (t_stop - t).abs();
        let stretch = match self.h_fixed {
            Some(_) => STRETCH_FIXED,
            None if distance > self.h_max => STRETCH_FIXED,
            None => STRETCH,
        };
        if distance > h * (1.0 + stretch) {
            (t + (t_stop - t).signum() * h, StepCut::No)
        } else if distance < h {
            (t_stop, StepCut::ByStoppingTime { planned: h })
        } else {
            (t_stop, StepCut::No)
        }
    }
}
