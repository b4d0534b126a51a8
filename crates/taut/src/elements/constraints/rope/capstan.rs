//! Friction between a rope and one of its pulleys: Euler's capstan equation.
//!
//! ```text
//!  sticks    slip rate s = 0 while e^(−μβ) ≤ T₂/T₁ ≤ e^(μβ)       β: wrapped angle
//!  slips     T₂ = T₁ e^(μβ) in the direction of the slip
//! ```
//!
//! ℓ₁ and ℓ₂ are the lengths on both sides of a point of the disc. The tensions do the work −T₁ dℓ₁ − T₂ dℓ₂, which is
//! −λ d(ℓ₁ + ℓ₂) + λ_s d(ℓ₂ − ℓ₁)/2 with
//!
//! ```text
//!  λ = (T₁ + T₂)/2     λ_s = T₁ − T₂     s = (ℓ̇₂ − ℓ̇₁)/2 − L̇/2     |λ_s| ≤ 2 tanh(μβ/2) λ
//! ```
//!
//! This is Coulomb's law with a coefficient that depends on β. While the rope is taut, s = −ℓ̇₁: the speed at which it runs over
//! the disc towards its last point, where it is wound if L changes. A disc that rotates takes the rope along.
//! With friction on two pulleys the bounds would depend on both multipliers; a rope may therefore have one.

use super::{PathLength, PulleyContact, Rope, Via};
use crate::elements::constraints::{ElementInput, FrictionLaw};
use crate::error::ParameterError;
use crate::kinematics::UserPlace as MarkerPose;
use crate::laws::{Friction, FrictionBound, NormalForceSource};
use crate::motion::Motion;
use crate::scalar::Scalar;

impl Rope {
    /// The pulley with friction, and its coefficients.
    pub(super) fn rough_pulley(&self) -> Option<(usize, Friction)> {
        let rough = |(k, via): (usize, &Via)| match via {
            Via::Pulley { friction: Some(friction), .. } => Some((k, *friction)),
            _ => None,
        };
        self.through.iter().enumerate().find_map(rough)
    }

    /// Rejects invalid coefficients, and more than one pulley with friction.
    pub(super) fn check_friction(&self) -> Result<(), ParameterError> {
        let mut first: Option<&str> = None;
        for via in &self.through {
            let Via::Pulley { marker, friction: Some(friction), .. } = via else { continue };
            friction.check()?;
            if let Some(first) = first {
                let what =
                    format!("the pulleys on `{first}` and `{marker}` both have it; a rope may have one such pulley");
                return Err(ParameterError::invalid("friction", what));
            }
            first = Some(marker);
        }
        Ok(())
    }

    /// (ℓ₂ − ℓ₁)/2; zero if the rope does not touch the pulley.
    pub(super) fn slip<S: Scalar>(&self, path: PathLength<S>, touched: &[PulleyContact; Rope::MAX_POINTS]) -> S {
        match self.rough_pulley() {
            Some((k, _)) if touched[k] == PulleyContact::Wrapped => path.whole * 0.5 - path.first,
            _ => S::zero(),
        }
    }

    /// The wrapped angle of the pulley with friction; zero if the rope does not touch it.
    fn wrapped_angle(&self, at: &ElementInput, pulley: usize) -> f64 {
        let mut poses = [MarkerPose::from_motion(&Motion::REST); Self::MAX_POINTS];
        (0..at.len()).for_each(|k| poses[k] = MarkerPose::from_motion(&at[k]));
        let (poses, mut found) = (&poses[..at.len()], 0.0);
        self.path_length(poses, &self.pulley_contacts(poses), |k, angle| {
            if k == pulley {
                found = angle;
            }
        });
        found
    }
}

impl FrictionLaw for Rope {
    fn friction_bound(&self, at: &ElementInput) -> FrictionBound {
        let Some((pulley, Friction { stick, slip })) = self.rough_pulley() else {
            return FrictionBound::coulomb(Friction::NONE);
        };
        let angle = self.wrapped_angle(at, pulley);
        let ratio = |mu: f64| 2.0 * (0.5 * mu * angle).tanh();
        FrictionBound::coulomb(Friction { stick: ratio(stick), slip: ratio(slip) })
    }

    fn normal_force_source(&self) -> NormalForceSource<'_> {
        match self.rough_pulley() {
            Some(_) => NormalForceSource::OwnGap,
            None => NormalForceSource::Nothing,
        }
    }
}
