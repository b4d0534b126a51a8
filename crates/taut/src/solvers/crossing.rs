//! Singular poses on the way: foreseen, and crossed in one stride.
//!
//! Where a mechanism passes a pose of lower rank (a parallelogram stretched flat) the constraints lose hold of a
//! direction. The true motion is smooth there, but the accelerations found near it are not: off the manifold by d they
//! are wrong by d/σ, σ being the singular value that vanishes, and inside σ² ≲ ε by O(1) whatever one does. A step
//! with all its stages at a distance crosses without harm; one that ends near the pose makes the step control creep
//! into it. The smallest pivot of the rows goes like σ², and σ like the time that is left: two accepted steps foretell
//! the moment, and the integrator strides across it.

use crate::kkt::Pivots;
use serde::{Deserialize, Serialize};

/// Watches the pivots along a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Crossing {
    /// √pivot of ordinary poses.
    typical: f64,
    /// Time and √pivot at the end of the last step.
    last: Option<(f64, f64)>,
    /// When a pose of lower rank is expected.
    expected: Option<f64>,
    /// Steps in a row that ended with dependent rows.
    standing: usize,
}

/// How fast ordinary poses are forgotten, per accepted step.
const FORGET: f64 = 0.95;
/// Below which share of the ordinary σ a pose is watched.
const NEAR: f64 = 0.5;

impl Crossing {
    /// A step has ended at `t` with these pivots.
    pub fn observe(&mut self, t: f64, pivots: Pivots) {
        self.standing = if pivots.dependent > 0 { self.standing.saturating_add(1) } else { 0 };
        let sigma = pivots.smallest.sqrt();
        if !sigma.is_finite() {
            // No row is left to tell anything.
            (self.last, self.expected) = (None, None);
            return;
        }
        self.typical = (FORGET * self.typical).max(sigma);
        // σ vanishes where the straight line through both does; behind, once the pose has been passed. A step that was
        // taken back still tells: it may lie before or after this one.
        self.expected = match self.last {
            Some((t_last, last)) if sigma.min(last) < NEAR * self.typical && sigma != last => {
                Some(t + sigma * (t - t_last) / (last - sigma))
            }
            _ => None,
        };
        self.last = Some((t, sigma));
    }

    /// Whether the mechanism stays in poses of lower rank instead of passing one.
    pub fn stays(&self) -> bool {
        self.standing >= 3
    }

    /// When a pose of lower rank is expected, if one is.
    pub fn expected(&self) -> Option<f64> {
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_pose_is_foreseen_and_forgotten_once_passed() {
        let pivots = |t: f64| Pivots { smallest: (t - 1.0).powi(2), dependent: 0 };
        let mut crossing = Crossing::default();
        for t in [0.0, 0.3, 0.6] {
            crossing.observe(t, pivots(t));
        }
        assert!((crossing.expected().unwrap() - 1.0).abs() < 1e-12);
        crossing.observe(1.3, pivots(1.3));
        crossing.observe(1.4, pivots(1.4));
        assert!(crossing.expected().is_none_or(|t| t < 1.4));
    }

    #[test]
    fn ordinary_motion_expects_nothing() {
        let mut crossing = Crossing::default();
        for k in 0..50 {
            let t = 0.1 * f64::from(k);
            crossing.observe(t, Pivots { smallest: 1.0 + 0.3 * t.sin(), dependent: 0 });
            assert_eq!(crossing.expected(), None);
        }
    }
}
