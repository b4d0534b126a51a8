//! Predicts singular poses, so that a single step can cross them.
//!
//! Where a mechanism passes a pose of lower rank (a parallelogram stretched flat), the constraints no longer control
//! one direction. The true motion is smooth there, but the computed accelerations are not: at a distance d from the
//! manifold their error is d/σ, where σ is the vanishing singular value, and for σ² ≲ ε it is O(1) in any case. A step
//! whose stages all stay away from the pose crosses it without harm; a step that ends near the pose makes the step
//! control reduce the steps more and more. The smallest pivot of the rows is proportional to σ², and σ to the remaining
//! time. Two accepted steps therefore predict the time of the pose, and the integrator steps across it.

use crate::kkt::Pivots;
use serde::{Deserialize, Serialize};

/// Monitors the pivots during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SingularPosePredictor {
    /// √pivot of regular poses.
    typical_sigma: f64,
    /// Time and √pivot at the end of the last step.
    last_sigma: Option<(f64, f64)>,
    /// Predicted time of a pose of lower rank.
    predicted_time: Option<f64>,
    /// Consecutive steps that ended with dependent rows.
    dependent_steps: usize,
}

/// Decay of the value for regular poses, per accepted step.
const TYPICAL_SIGMA_DECAY: f64 = 0.95;
/// A pose is monitored if σ is below this fraction of its regular value.
const NEAR_SINGULAR_FRACTION: f64 = 0.5;

impl SingularPosePredictor {
    /// Records a step that ended at `t` with these pivots.
    pub fn observe(&mut self, t: f64, pivots: Pivots) {
        self.dependent_steps = if pivots.dependent > 0 { self.dependent_steps.saturating_add(1) } else { 0 };
        let sigma = pivots.smallest.sqrt();
        if !sigma.is_finite() {
            // No row remains.
            (self.last_sigma, self.predicted_time) = (None, None);
            return;
        }
        self.typical_sigma = (TYPICAL_SIGMA_DECAY * self.typical_sigma).max(sigma);
        // σ vanishes where the line through both points does; this time is in the past once the pose has been passed. A
        // step that was undone still gives information: it may lie before or after this one.
        self.predicted_time = match self.last_sigma {
            Some((t_last, last)) if sigma.min(last) < NEAR_SINGULAR_FRACTION * self.typical_sigma && sigma != last => {
                Some(t + sigma * (t - t_last) / (last - sigma))
            }
            _ => None,
        };
        self.last_sigma = Some((t, sigma));
    }

    /// Whether the mechanism remains in poses of lower rank instead of passing through one.
    pub fn remains_singular(&self) -> bool {
        self.dependent_steps >= 3
    }

    /// Predicted time of a pose of lower rank, if any.
    pub fn predicted_time(&self) -> Option<f64> {
        self.predicted_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_pose_is_predicted_and_dropped_once_passed() {
        let pivots = |t: f64| Pivots { smallest: (t - 1.0).powi(2), dependent: 0 };
        let mut crossing = SingularPosePredictor::default();
        for t in [0.0, 0.3, 0.6] {
            crossing.observe(t, pivots(t));
        }
        assert!((crossing.predicted_time().unwrap() - 1.0).abs() < 1e-12);
        crossing.observe(1.3, pivots(1.3));
        crossing.observe(1.4, pivots(1.4));
        assert!(crossing.predicted_time().is_none_or(|t| t < 1.4));
    }

    #[test]
    fn ordinary_motion_expects_nothing() {
        let mut crossing = SingularPosePredictor::default();
        for k in 0..50 {
            let t = 0.1 * f64::from(k);
            crossing.observe(t, Pivots { smallest: 1.0 + 0.3 * t.sin(), dependent: 0 });
            assert_eq!(crossing.predicted_time(), None);
        }
    }
}
