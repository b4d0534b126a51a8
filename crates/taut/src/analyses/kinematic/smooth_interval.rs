//! The intervals between two times at which a driver is not smooth: several poses of each are computed, so that a pulse between two
//! output times cannot pass unseen.

use crate::simulation::transient::problem::TransientProblem;

/// Number of poses in an interval.
const POSES: f64 = 4.0;

/// The present interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmoothInterval {
    /// Where it ends.
    pub end: f64,
    /// Longest step in it.
    pub step: f64,
    /// Whether it is the break between two others.
    pub is_break: bool,
}

impl SmoothInterval {
    /// None yet at a time `t`.
    pub fn unknown(t: f64) -> SmoothInterval {
        SmoothInterval { end: t, step: 0.0, is_break: false }
    }

    /// The next pose after `t`, at `wanted` or before.
    pub fn limit(&mut self, problem: &mut TransientProblem, t: f64, wanted: f64) -> f64 {
        if t >= self.end {
            let mut ahead = problem.find_break(t);
            // A break at `t` itself ends the last interval.
            while ahead.is_some_and(|b| b.after <= t) {
                ahead = problem.find_break(t.next_up());
            }
            self.is_break = ahead.is_some_and(|b| b.before <= t);
            self.end = ahead.map_or(f64::INFINITY, |b| if self.is_break { b.after } else { b.before });
            self.step = (self.end - t) / POSES;
        }
        let model = problem.dynamics.model;
        let rapid = problem.rapid.as_mut().and_then(|search| search.max_step(model, t)).unwrap_or(f64::INFINITY);
        let next = t + self.step.min(rapid);
        // The last step of an interval ends it exactly.
        let next = if self.end - next < 0.5 * self.step { self.end } else { next };
        // Across the break itself, steps are too short to be divided.
        (if next > t { next } else { self.end }).min(wanted)
    }
}
