//! The pieces between two times at which a driver is not smooth: several poses of each are computed, so that a pulse between two
//! output times cannot pass unseen.

use crate::simulation::transient::problem::TransientProblem;

/// Number of poses in a piece.
const POSES: f64 = 4.0;

/// The present piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmoothPiece {
    /// Where it ends.
    pub end: f64,
    /// Longest step in it.
    pub step: f64,
}

impl SmoothPiece {
    /// The next pose after `t`, at `wanted` or before.
    pub fn limit(&mut self, problem: &mut TransientProblem, t: f64, wanted: f64) -> f64 {
        if t >= self.end {
            let mut ahead = problem.find_break(t);
            // A break at `t` itself ends the last piece.
            while ahead.is_some_and(|b| b.after <= t) {
                ahead = problem.find_break(t.next_up());
            }
            self.end = ahead.map_or(f64::INFINITY, |b| if b.before > t { b.before } else { b.after });
            self.step = (self.end - t) / POSES;
        }
        let model = problem.dynamics.model;
        let rapid = problem.rapid.as_mut().and_then(|search| search.max_step(model, t)).unwrap_or(f64::INFINITY);
        let next = t + self.step.min(rapid);
        // The last step of a piece ends it exactly.
        let next = if self.end - next < 0.5 * self.step { self.end } else { next };
        // Across the break itself, steps are too short to be divided.
        (if next > t { next } else { self.end }).min(wanted)
    }
}
