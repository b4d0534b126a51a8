//! The audit of a run: laws of mechanics that every motion keeps, checked as it is computed.
//!
//! ```text
//!  energy      B = T + V + losses − work − (T + V)₀ stays zero                       energy.rs
//!  elements    what is elastic or dissipative creates no energy                      elements.rs
//!  momentum    of what nothing outside acts on is kept                               momentum.rs
//!  axial       loads along modal bodies, which do not feel them, do not matter       axial.rs
//!  limits      elements are not taken beyond what they are made for                  limits.rs
//!  switching   conditions on the motion do not let errors grow                       switching.rs
//!  steps       are not held down by round-off, nor by equations that do not converge steps.rs
//! ```
//!
//! Thresholds come from the tolerances of the run: see [`energy`]. What is found becomes a [`Warning`](crate::Warning) with a severity,
//! and the warnings make the verdict. `docs/trust.md` is the reader's side of it.

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

/// What the tolerances of a run promise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Promise {
    /// Relative tolerance of a step.
    pub rtol: f64,
    /// Absolute tolerance of a step.
    pub atol: f64,
    /// Whether they tell how far steps err; they do not for steps of fixed length.
    pub steering: Steering,
    /// Order of the method.
    pub order: u32,
    /// Length of the run, s.
    pub span: f64,
    /// The part of the tolerance that even the shortest step may err by, where errors of steps add up; else zero.
    pub least_part: f64,
}

impl Promise {
    /// How many tolerances the errors of so many steps add up to at most, if that is many.
    pub fn sum_of_errors(&self, steps: u64) -> Option<f64> {
        Some(steps as f64 * self.least_part).filter(|sum| *sum > MANY_TOLERANCES)
    }
}

impl Default for Promise {
    fn default() -> Promise {
        Promise { rtol: 0.0, atol: 0.0, steering: Steering::Loose, order: 1, span: 0.0, least_part: 0.0 }
    }
}

/// Space to work in: no part of what was seen, and of no checkpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<T>(pub T);

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Scratch<T>) -> bool {
        true
    }
}

/// Steps at the start of a run that are all looked at.
const ALL: u64 = 32;
/// Of the later ones, one in so many: what is summed up loses nothing between two looks.
const BETWEEN: u32 = 8;

/// Tolerances that the errors of all steps may add up to.
const MANY_TOLERANCES: f64 = 50.0;

/// What the audit of a run has seen so far; part of a checkpoint.
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
    /// Steps since the last look.
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

    /// Whether a look is due after this step.
    pub fn is_due(&self) -> bool {
        self.total <= ALL || self.since >= BETWEEN
    }

    /// Whether elements are to be looked at after this step: every other one is enough for the trapezoidal rule.
    pub fn elements_are_due(&self) -> bool {
        self.since.is_multiple_of(2)
    }

    /// Steps since the last look, of which there is none then.
    pub fn take_steps(&mut self) -> u32 {
        std::mem::take(&mut self.since)
    }
}
