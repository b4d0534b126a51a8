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

pub(crate) mod axial_loads;
pub(crate) mod element_limits;
pub(crate) mod elements;
pub(crate) mod energy;
pub(crate) mod momentum;
pub(crate) mod steps;
pub(crate) mod switching;
#[cfg(test)]
mod tests;

use axial_loads::AxialLoadAudit;
use element_limits::ElementLimitAudit;
use elements::ElementAudit;
use energy::EnergyAudit;
use momentum::MomentumAudit;
use serde::{Deserialize, Serialize};
use steps::StepAudit;
use switching::{StepErrors, SwitchingAudit};
use taut_ode::ErrorControl;

/// The tolerances of a run, as the audit needs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunTolerances {
    /// Relative tolerance of a step.
    pub rtol: f64,
    /// Absolute tolerance of a step.
    pub atol: f64,
    /// Whether the tolerances bound the error of a step; they do not for steps of fixed length.
    pub steering: ErrorControl,
    /// Order of the method.
    pub order: u32,
    /// Length of the run, s.
    pub span: f64,
    /// The fraction of the tolerance by which even the shortest step may err, where errors of steps add up; otherwise
    /// zero.
    pub min_tolerance_fraction: f64,
    /// Errors of the steps of the method.
    pub errors: StepErrors,
    /// Whether the growth of these errors is followed along the whole run.
    pub follows_growth: bool,
}

impl RunTolerances {
    /// Upper bound of the accumulated error of so many steps, in tolerances, if it is large.
    pub fn accumulated_tolerances(&self, steps: u64) -> Option<f64> {
        Some(steps as f64 * self.min_tolerance_fraction).filter(|sum| *sum > MAX_ACCUMULATED_TOLERANCES)
    }
}

impl Default for RunTolerances {
    fn default() -> RunTolerances {
        RunTolerances {
            rtol: 0.0,
            atol: 0.0,
            steering: ErrorControl::Unreliable,
            order: 1,
            span: 0.0,
            min_tolerance_fraction: 0.0,
            errors: StepErrors::NONE,
            follows_growth: false,
        }
    }
}

/// Scratch memory: not part of the audit state, nor of a checkpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuditScratch<T>(pub T);

impl<T> PartialEq for AuditScratch<T> {
    fn eq(&self, _: &AuditScratch<T>) -> bool {
        true
    }
}

/// Number of steps at the start of a run that are all checked.
const ALWAYS_CHECKED_STEPS: u64 = 32;
/// Of the later steps, one in this many is checked; sums lose nothing between two checks.
const CHECK_INTERVAL: u32 = 8;

/// Number of tolerances to which the errors of all steps may add up without a warning.
const MAX_ACCUMULATED_TOLERANCES: f64 = 50.0;

/// State of the audit of a run; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Audit {
    pub energy: EnergyAudit,
    pub elements: ElementAudit,
    pub momentum: MomentumAudit,
    pub steps: StepAudit,
    pub limits: ElementLimitAudit,
    pub axial: AxialLoadAudit,
    pub switching: SwitchingAudit,
    /// Steps since the last check.
    steps_since_check: u32,
    total_steps: u64,
}

impl Audit {
    /// Counts a step.
    pub fn count_step(&mut self) {
        self.steps_since_check += 1;
        self.total_steps += 1;
        self.steps.accepted += 1;
    }

    /// Whether a check is due after this step.
    pub fn is_due(&self) -> bool {
        self.total_steps <= ALWAYS_CHECKED_STEPS || self.steps_since_check >= CHECK_INTERVAL
    }

    /// Whether elements are to be checked after this step: every second step is enough for the trapezoidal rule.
    pub fn elements_are_due(&self) -> bool {
        self.steps_since_check.is_multiple_of(2)
    }

    /// Returns the number of steps since the last check and resets it.
    pub fn take_steps_since_check(&mut self) -> u32 {
        std::mem::take(&mut self.steps_since_check)
    }
}
