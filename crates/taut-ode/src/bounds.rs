//! Bounds on the step size, and how steps reach their stopping time.

use crate::attempt::Cut;
use crate::{Pace, Settings, SetupError};

/// Smallest step, in spacings of the floating-point numbers around `t`.
const SPACINGS: f64 = 16.0;

/// A step that would end within this share of its length before the stopping time is stretched to
/// reach it.
const STRETCH: f64 = 0.01;

/// The same for a fixed step: only absorbs round-off of the accumulated time.
const STRETCH_FIXED: f64 = 1e-6;

/// Permitted step sizes.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub h_fixed: Option<f64>,
    pub h_max: f64,
    h_min: f64,
}

impl Bounds {
    pub fn new(pace: Pace, settings: &Settings) -> Result<Self, SetupError> {
        let h_fixed = match pace {
            Pace::Fixed => Some(settings.h_first.ok_or(SetupError::StepMissing)?),
            Pace::Varying => None,
        };
        let (h_max, h_min) = (settings.h_max.unwrap_or(f64::INFINITY), settings.h_min.unwrap_or(0.0));
        Ok(Self { h_fixed, h_max, h_min })
    }

    pub fn pace(&self) -> Pace {
        if self.h_fixed.is_some() { Pace::Fixed } else { Pace::Varying }
    }

    /// Smallest step size around `t`.
    pub fn smallest(&self, t: f64) -> f64 {
        let spacing = t.abs().next_up() - t.abs();
        self.h_min.max(SPACINGS * spacing)
    }

    /// The end of a step of size `h` from `t`, possibly the stopping time.
    pub fn towards(&self, t: f64, h: f64, t_stop: f64) -> (f64, Cut) {
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
}
