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

use super::Promise;
use crate::dynamics::Dynamics;
use serde::{Deserialize, Serialize};

/// Steps of one window.
pub(crate) const WINDOW: u64 = 256;
/// Fraction of the tolerance that round-off may use.
const NOISE: f64 = 0.3;
/// Steps count as collapsed if the whole run would take more of them than this.
const COLLAPSED: f64 = 2_000.0;
/// Consecutive windows that confirm a finding.
const WINDOWS: u32 = 2;
/// A run makes little progress above this number of attempts per accepted step, if more than this many steps remain.
const ATTEMPTS: f64 = 1.5;
const MANY: f64 = 20_000.0;
/// Step length that the motion itself would allow, as a fraction of the run.
const NATURAL: f64 = 1e-2;

/// Statistics of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Steps {
    /// Steps accepted and attempted since the window began.
    pub accepted: u64,
    pub attempted: u64,
    /// Start of the window.
    begun: Option<f64>,
    /// Consecutive windows with round-off, and with repeated attempts.
    noisy: u32,
    crawling: u32,
    told: bool,
}

/// The reason for unnecessarily small steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Small {
    /// The round-off of a body exceeds the tolerance.
    RoundOff {
        body: String,
        /// Mean step, s.
        h: f64,
        /// The smallest tolerance that round-off permits.
        tolerance: f64,
    },
    /// Steps are attempted again and again.
    Crawl {
        /// Mean step, s.
        h: f64,
        /// Attempts per accepted step.
        attempts: f64,
    },
}

impl Steps {
    /// Checks a step to `t`; the dynamics are evaluated there, with the multipliers available.
    pub fn look(
        &mut self,
        d: &Dynamics,
        t: f64,
        t_end: f64,
        v: &[f64],
        promise: &Promise,
        scratch: &mut [f64],
    ) -> Option<Small> {
        let begun = *self.begun.get_or_insert(t);
        if self.accepted < WINDOW || self.told {
            return None;
        }
        let h = (t - begun) / self.accepted as f64;
        let attempts = self.attempted as f64 / self.accepted as f64;
        let left = (t_end - t) / h;
        (self.begun, self.accepted, self.attempted) = (Some(t), 0, 0);
        let (noise, body, rate) = noisiest(d, v, h, promise, scratch);
        let collapsed = promise.span > COLLAPSED * h;
        self.noisy = if noise > NOISE && collapsed { self.noisy + 1 } else { 0 };
        self.crawling = if attempts > ATTEMPTS && left > MANY { self.crawling + 1 } else { 0 };
        if self.noisy >= WINDOWS {
            self.told = true;
            let tolerance = rate * NATURAL * promise.span / NOISE;
            return Some(Small::RoundOff { body: body.to_string(), h, tolerance });
        }
        if self.crawling >= WINDOWS {
            self.told = true;
            return Some(Small::Crawl { h, attempts });
        }
        None
    }
}

/// The body whose round-off uses the largest fraction of the tolerance of a step: fraction, name and round-off of its
/// acceleration.
fn noisiest<'a>(d: &'a Dynamics, v: &[f64], h: f64, promise: &Promise, load: &mut [f64]) -> (f64, &'a str, f64) {
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
            let share = h * rate / (promise.atol + promise.rtol * v[i].abs()).max(f64::MIN_POSITIVE);
            if share.is_finite() && share > most.0 {
                most = (share, &b.name, rate);
            }
        }
    }
    most
}
