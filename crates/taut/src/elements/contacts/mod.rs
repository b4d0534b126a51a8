//! Contacts: surfaces of bodies that must not penetrate each other.
//!
//! A [`Surface`] is a shape on a marker; a [`ContactRule`] is a rule for two surfaces, for two groups, or for all. Every pair that
//! a rule covers becomes a few unilateral constraints, one per possible contact point ([`ContactPoint`]), or a force if the
//! contact is compliant. If there are too many pairs to list, the model keeps only the rules, and time stepping detects the
//! contact points during the run.

mod compliant;
mod gap_state;
mod point;
mod rotational_friction;
mod scale;

pub use compliant::{CompliantPair, HuntCrossley};
pub(crate) use compliant::{EnergyTracking, GAP_GUARD};
pub(crate) use gap_state::GapState;
pub use point::ContactPoint;
pub(crate) use point::{ContactTangents, Features, SearchRange, clear_features};
pub use rotational_friction::ContactRotationalFriction;
pub(crate) use rotational_friction::RotationalFrictionKind;
pub(crate) use scale::ContactScale;

use crate::error::ParameterError;
use crate::laws::{Friction, Impact};
use crate::shapes::Shape;
use serde::{Deserialize, Serialize};

/// A shape on a marker.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// // A ball falls onto a floor and bounces.
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("ball", RigidBody::new(0.5, [1e-3; 3]).at([0.0, 0.0, 1.1]))
///     .surface("skin", Surface::new("ball", Shape::Sphere { radius: 0.1 }))
///     .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
///     .contact("touch", ContactRule::all(RigidContact::SMOOTH.restitution(0.5)));
/// let model = spec.build()?;
/// let run = simulate(&model, &model.initial_state(), &Transient::to(0.5))?;
/// assert!((run.events[0].t - (2.0_f64 / 9.81).sqrt()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// The marker it is attached to.
    pub marker: String,
    /// The shape, in the frame of the marker.
    #[serde(flatten)]
    pub shape: Shape,
    /// Groups it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}

impl Surface {
    /// A shape on a marker, in no group.
    pub fn new(marker: &str, shape: Shape) -> Surface {
        Surface { marker: marker.to_string(), shape, groups: Vec::new() }
    }

    /// The same in a group.
    pub fn group(mut self, group: &str) -> Surface {
        self.groups.push(group.to_string());
        self
    }
}

/// The surfaces that a contact rule applies to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ContactScope {
    /// These two surfaces.
    Pair(String, String),
    /// Each surface of one group with each of the other; the same group twice means all pairs within it.
    Groups(String, String),
    /// All pairs of surfaces.
    All,
}

/// A rule for contacts between surfaces.
///
/// # Examples
///
/// ```
/// use taut::contacts::ContactRule;
/// use taut::prelude::*;
///
/// let rigid = ContactRule::all(RigidContact::SMOOTH.friction(0.4).restitution(0.2)); // between all surfaces
/// let soft = ContactRule::groups("tyres", "road", HuntCrossley::new(1e7).dissipation(0.1)); // more specific: it wins
/// let mut spec = Spec::new();
/// spec.contact("rigid", rigid).contact("soft", soft);
/// assert_eq!(spec.contacts.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactRule {
    /// The surfaces.
    pub between: ContactScope,
    /// The contact law.
    pub kind: ContactKind,
}

impl ContactRule {
    /// Two surfaces, rigid.
    pub fn pair(a: &str, b: &str, kind: impl Into<ContactKind>) -> ContactRule {
        ContactRule { between: ContactScope::Pair(a.to_string(), b.to_string()), kind: kind.into() }
    }

    /// Two groups.
    pub fn groups(a: &str, b: &str, kind: impl Into<ContactKind>) -> ContactRule {
        ContactRule { between: ContactScope::Groups(a.to_string(), b.to_string()), kind: kind.into() }
    }

    /// All surfaces.
    pub fn all(kind: impl Into<ContactKind>) -> ContactRule {
        ContactRule { between: ContactScope::All, kind: kind.into() }
    }

    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        match &self.kind {
            ContactKind::Rigid(rigid) => rigid.check(),
            ContactKind::Compliant(soft) => soft.check(),
        }
    }
}

/// The contact law between surfaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContactKind {
    /// Rigid: no penetration.
    Rigid(RigidContact),
    /// Compliant: a force that depends on the penetration depth.
    Compliant(HuntCrossley),
}

impl From<HuntCrossley> for ContactKind {
    fn from(soft: HuntCrossley) -> ContactKind {
        ContactKind::Compliant(soft)
    }
}

impl From<RigidContact> for ContactKind {
    fn from(rigid: RigidContact) -> ContactKind {
        ContactKind::Rigid(rigid)
    }
}

/// A rigid contact: unilateral constraints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigidContact {
    /// Impact law.
    pub impact: Impact,
    /// Coulomb's coefficients.
    pub friction: Friction,
    /// Spinning friction: moment about the normal per normal force, m.
    #[serde(rename = "torsional_friction", default)]
    pub torsional_friction: f64,
    /// Rolling friction: moment per normal force, m.
    #[serde(rename = "rolling_friction", default)]
    pub rolling_friction: f64,
}

impl RigidContact {
    /// Without friction and rebound.
    pub const SMOOTH: RigidContact = RigidContact {
        impact: Impact::PLASTIC,
        friction: Friction::NONE,
        torsional_friction: 0.0,
        rolling_friction: 0.0,
    };

    /// The same with a coefficient of restitution in Newton's law.
    pub fn restitution(mut self, e: f64) -> RigidContact {
        self.impact.restitution = e;
        self
    }

    /// The same with one coefficient of friction.
    pub fn friction(mut self, mu: f64) -> RigidContact {
        self.friction = Friction::same(mu);
        self
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.impact.check()?;
        self.friction.check()?;
        for (field, x) in [("torsional_friction", self.torsional_friction), ("rolling_friction", self.rolling_friction)]
        {
            ParameterError::check_finite(field, &[x])?;
            if x < 0.0 {
                return Err(ParameterError::invalid(field, format!("it is {x}; it must not be negative")));
            }
        }
        Ok(())
    }
}
