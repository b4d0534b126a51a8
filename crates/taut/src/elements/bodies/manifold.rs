//! Coordinates that are no vector space: unit quaternions, angles, charts.

use crate::constraints::ConstraintKind;
use crate::motion::Vec3;

/// Whether the numbers of a pose and its motion were changed for others that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// They were not.
    Kept,
    /// They were: another reference, another sequence of angles.
    Changed,
    /// They could not be, and get ill-conditioned for this reason.
    Strained(&'static str),
}

/// How the rates of the coordinates change with the coordinates themselves, at fixed velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Swirl {
    /// Not at all, or nobody asks: q̇ = v.
    Straight,
    /// Coordinates 3 to 6 are a quaternion e, velocities 3 to 5 are ω: ė = ½ ω ∘ e.
    Turning(Vec3),
}

/// How the coordinates of a body behave besides q̇ = N(q) v. All methods have defaults: those of q̇ = v, where
/// q + δ is again a pose.
///
/// ```text
///  q ⊕ δ: Body::displace        δ = N⁺ dq: displacement        δ̇ = H(δ) v: unroll
/// ```
pub trait Manifold {
    /// The displacement that a small change of q means, as far as it is one.
    fn displacement(&self, _q: &[f64], dq: &[f64], delta: &mut [f64]) {
        let n = delta.len();
        delta.copy_from_slice(&dq[..n]);
    }
    /// The rate of the finite displacement δ that led to the present pose, where the velocity is v.
    fn unroll(&self, _delta: &[f64], v: &[f64], rate: &mut [f64]) {
        rate.copy_from_slice(v);
    }
    /// How q̇ changes with q at fixed velocities.
    fn swirl(&self, _v: &[f64]) -> Swirl {
        Swirl::Straight
    }
    /// Brings q back to its own manifold (unit quaternion).
    fn normalise(&self, _q: &mut [f64]) {}
    /// Writes the same pose and motion in other numbers where these get ill-conditioned; called between two steps.
    fn rechart(&self, _q: &mut [f64], _v: &mut [f64]) -> Chart {
        Chart::Kept
    }
    /// The constraint that belongs to the coordinates themselves, if there is one, for a body of this name. The model
    /// takes it in as `body.norm`.
    fn constraint(&self, _name: &str) -> Option<ConstraintKind> {
        None
    }
}
