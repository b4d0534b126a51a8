//! The audit of a run: laws of mechanics that hold for every motion, checked while it is computed.
//!
//! ```text
//!  energy      B = T + V + losses − work − (T + V)₀ stays zero                       energy.rs
//!  elements    elastic and dissipative elements create no energy                     elements.rs
//!  momentum    is conserved where no external force acts                             momentum.rs
//!  axial       axial loads, which modal bodies ignore, do not matter                 axial.rs
//!  limits      elements are used within their range                                  limits.rs
//!  switching   errors do not grow at switching conditions                            switching.rs
//!  steps       are not limited by round-off or by equations that do not converge     steps.rs
//! ```
//!
//! Thresholds come from the tolerances of the run: see [`energy`]. Each finding becomes a [`Warning`](crate::Warning)
//! with a severity, and the warnings determine the verdict. `docs/trust.md` describes this for users.

pub(crate) mod axial;
pub(crate) mod elements;
pub(crate) mod energy;
pub(crate) mod limits;
pub(crate) mod momentum;
pub(crate) mod steps;
pub(crate) mod switching;
#[cfg(test)]
mod tests;

use axial::Axial;
use elements::Elements;
use energy::Energy;
use limits::Limits;
use momentum::Momentum;
use serde::{Deserialize, Serialize};
use steps::Steps;
use switching::Switching;
use taut_ode::Steering;

/// The tolerances of a run, as the audit needs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Promise {
    /// Relative tolerance of a step.
    pub rtol: f64,
    /// Absolute tolerance of a step.
    pub atol: f64,
    /// Whether the tolerances bound the error of a step; they do not for steps of fixed length.
    pub steering: Steering,
    /// Order of the method.
    pub order: u32,
    /// Length of the run, s.
    pub span: f64,
    /// The fraction of the tolerance by which even the shortest step may err, where errors of steps add up; otherwise
    /// zero.
    pub least_part: f64,
}

impl Promise {
    /// Upper bound of the accumulated error of so many steps, in tolerances, if it is large.
    pub fn sum_of_errors(&self, steps: u64) -> Option<f64> {
        Some(steps as f64 * self.least_part).filter(|sum| *sum > MANY_TOLERANCES)
    }
}

impl Default for Promise {
    fn default() -> Promise {
        Promise { rtol: 0.0, atol: 0.0, steering: Steering::Loose, order: 1, span: 0.0, least_part: 0.0 }
    }
}

/// Scratch memory: not part of the audit state, nor of a checkpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<T>(pub T);

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Scratch<T>) -> bool {
        true
    }
}

/// Number of steps at the start of a run that are all checked.
const ALL: u64 = 32;
/// Of the later steps, one in this many is checked; sums lose nothing between two checks.
const BETWEEN: u32 = 8;

/// Number of tolerances to which the errors of all steps may add up without a warning.
const MANY_TOLERANCES: f64 = 50.0;

/// State of the audit of a run; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Audit {
    pub energy: Energy,
    pub elements: Elements,
    pub momentum: Momentum,
    pub steps: Steps,
    pub limits: Limits,
    pub axial: Axial,
    pub switching: Switching,
    /// Steps since the last check.
    since: u32,
    total: u64,
}

impl Audit {
    /// Counts a step.
    pub fn stepped(&mut self) {
        self.since += 1;
        self.total += 1;
        self.steps.accepted += 1;
    }

    /// Whether a check is due after this step.
    pub fn is_due(&self) -> bool {
        self.total <= ALL || self.since >= BETWEEN
    }

    /// Whether elements are to be checked after this step: every second step is enough for the trapezoidal rule.
    pub fn elements_are_due(&self) -> bool {
        self.since.is_multiple_of(2)
    }

    /// Returns the number of steps since the last check and resets it.
    pub fn take_steps(&mut self) -> u32 {
        std::mem::take(&mut self.since)
    }
}
