//! Coordinates that do not form a vector space: unit quaternions, angles, charts.

use crate::constraints::ConstraintKind;
use crate::motion::Vec3;

/// Whether a pose and its motion were rewritten in another chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartChange {
    /// The chart is the same.
    Kept,
    /// The chart was changed: another reference orientation, another sequence of angles.
    Changed,
    /// The chart cannot be changed and becomes ill-conditioned, for this reason.
    IllConditioned(&'static str),
}

/// The derivative of q̇ = N(q) v by q at fixed velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateJacobian {
    /// Zero (q̇ = v), or not needed.
    Zero,
    /// Coordinates 3 to 6 are a quaternion e, velocities 3 to 5 are ω: ė = ½ ω ∘ e.
    Quaternion(Vec3),
}

/// The manifold on which the coordinates of a body lie. All methods have defaults, valid for q̇ = v, where q + δ is again
/// a pose.
///
/// ```text
///  q ⊕ δ: Body::displace        δ = N⁺ dq: displacement        δ̇ = H(δ) v: unroll
/// ```
pub trait Manifold {
    /// The displacement δ of a small change dq; the part of dq off the manifold is ignored.
    fn displacement(&self, _q: &[f64], dq: &[f64], delta: &mut [f64]) {
        let n = delta.len();
        delta.copy_from_slice(&dq[..n]);
    }
    /// The rate of the finite displacement δ that led to the present pose, if the velocity is v.
    fn displacement_rate(&self, _delta: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
    }
    /// The derivative of q̇ by q at fixed velocities.
    fn rate_jacobian(&self, _v: &[f64]) -> RateJacobian {
        RateJacobian::Zero
    }
    /// Projects q onto its manifold (unit quaternion).
    fn normalise(&self, _q: &mut [f64]) {}
    /// Rewrites the same pose and motion in another chart when the present one becomes ill-conditioned. Called between two
    /// steps.
    fn change_chart(&self, _q: &mut [f64], _v: &mut [f64]) -> ChartChange {
        ChartChange::Kept
    }
    /// The constraint between the coordinates of a body of this name, such as a unit norm, if there is one. The model adds it
    /// as `body.norm`.
    fn coordinate_constraint(&self, _name: &str) -> Option<ConstraintKind> {
        None
    }
}
