//! Detects steps that are small for no good reason: the tolerance demands more than round-off permits, or the equations
//! do not converge.
//!
//! The acceleration of a body is the quotient of the forces on it, which largely cancel, and its inertia. The round-off
//! that remains,
//!
//! ```text
//!  δv̇ᵢ = ε (Σ_r |A_ri λ_r| + |fᵢ|) / M_ii,
//! ```
//!
//! is noise in every stage. Over a step of length h it changes the velocity by h δv̇. If that is not small compared
//! with the tolerance, the error estimate is noise too, and the steps shrink until it fits.

use super::RunTolerances;
use crate::dynamics::Dynamics;
use serde::{Deserialize, Serialize};

/// Steps of one window.
pub(crate) const WINDOW_STEPS: u64 = 256;
/// Fraction of the tolerance that round-off may use.
const NOISE_FRACTION: f64 = 0.3;
/// Steps count as collapsed if the whole run would take more of them than this.
const COLLAPSED_STEPS_PER_RUN: f64 = 2_000.0;
/// Consecutive windows that confirm a finding.
const CONFIRMING_WINDOWS: u32 = 2;
/// A run makes little progress above this number of attempts per accepted step, if more than this many steps remain.
const REPEATED_ATTEMPTS_PER_STEP: f64 = 1.5;
const MANY_REMAINING_STEPS: f64 = 20_000.0;
/// Step length that the motion itself would allow, as a fraction of the run.
const NATURAL_STEP_FRACTION: f64 = 1e-2;

/// Statistics of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepAudit {
    /// Steps accepted and attempted since the window began.
    pub accepted: u64,
    pub attempted: u64,
    /// Start of the window.
    window_start: Option<f64>,
    /// Consecutive windows with round-off, and with repeated attempts.
    noisy_windows: u32,
    repeating_windows: u32,
    reported: bool,
}

/// The reason for unnecessarily small steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SmallSteps {
    /// The round-off of a body exceeds the tolerance.
    RoundOff {
        body: String,
        /// Mean step, s.
        h: f64,
        /// The smallest tolerance that round-off permits.
        tolerance: f64,
    },
    /// Steps are attempted again and again.
    RepeatedAttempts {
        /// Mean step, s.
        h: f64,
        /// Attempts per accepted step.
        attempts: f64,
    },
}

impl StepAudit {
    /// Checks a step to `t`; the dynamics are evaluated there, with the multipliers available.
    pub fn check(
        &mut self,
        d: &Dynamics,
        t: f64,
        t_end: f64,
        v: &[f64],
        promise: &RunTolerances,
        scratch: &mut [f64],
    ) -> Option<SmallSteps> {
        let begun = *self.window_start.get_or_insert(t);
        if self.accepted < WINDOW_STEPS || self.reported {
            return None;
        }
        let h = (t - begun) / self.accepted as f64;
        let attempts = self.attempted as f64 / self.accepted as f64;
        let left = (t_end - t) / h;
        (self.window_start, self.accepted, self.attempted) = (Some(t), 0, 0);
        let (noise, body, rate) = largest_round_off(d, v, h, promise, scratch);
        let collapsed = promise.span > COLLAPSED_STEPS_PER_RUN * h;
        self.noisy_windows = if noise > NOISE_FRACTION && collapsed { self.noisy_windows + 1 } else { 0 };
        self.repeating_windows = if attempts > REPEATED_ATTEMPTS_PER_STEP && left > MANY_REMAINING_STEPS {
            self.repeating_windows + 1
        } else {
            0
        };
        if self.noisy_windows >= CONFIRMING_WINDOWS {
            self.reported = true;
            let tolerance = rate * NATURAL_STEP_FRACTION * promise.span / NOISE_FRACTION;
            return Some(SmallSteps::RoundOff { body: body.to_string(), h, tolerance });
        }
        if self.repeating_windows >= CONFIRMING_WINDOWS {
            self.reported = true;
            return Some(SmallSteps::RepeatedAttempts { h, attempts });
        }
        None
    }
}

/// The body whose round-off uses the largest fraction of the tolerance of a step: fraction, name and round-off of its
/// acceleration.
fn largest_round_off<'a>(
    d: &'a Dynamics,
    v: &[f64],
    h: f64,
    promise: &RunTolerances,
    load: &mut [f64],
) -> (f64, &'a str, f64) {
    load.iter_mut().zip(&d.eq.f).for_each(|(load, f)| *load = f.abs());
    for c in &d.model.constraints {
        for block in &c.blocks {
            let range = d.model.bodies[block.body].v.clone();
            let n = range.len();
            for (i, r) in c.rows.clone().enumerate() {
                let row = &d.eq.A[block.start + i * n..block.start + (i + 1) * n];
                let terms = load[range.clone()].iter_mut().zip(row);
                terms.for_each(|(load, a)| *load += (a * d.lambda[r]).abs());
            }
        }
    }
    let mut most = (0.0, "", 0.0);
    for b in &d.model.bodies {
        let n = b.v.len();
        for (k, i) in b.v.clone().enumerate() {
            let inertia = d.eq.M[b.mass.start + k * (n + 1)];
            let rate = f64::EPSILON * load[i] / inertia;
            let ratio = h * rate / (promise.atol + promise.rtol * v[i].abs()).max(f64::MIN_POSITIVE);
            if ratio.is_finite() && ratio > most.0 {
                most = (ratio, &b.name, rate);
            }
        }
    }
    most
}
