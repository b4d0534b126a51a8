//! Contacts: surfaces of bodies that must not pass through each other.
//!
//! A [`Surface`] is a shape on a marker, a [`Contact`] a rule for two of them, for two groups, or for all. Every pair that
//! a rule covers becomes a few unilateral constraints, one per point in which it can touch ([`ContactPoint`]), or a force
//! where the contact is compliant. Where the pairs are too many to be listed the model keeps the rules alone, and time
//! stepping finds the points as it goes.

mod ahead;
mod compliant;
mod point;
mod turning;

pub(crate) use ahead::Ahead;
pub use compliant::{CompliantPair, HuntCrossley};
pub(crate) use compliant::{GAP, Stored};
pub use point::ContactPoint;
pub(crate) use point::{CLOSED, Features, Range, Tangents, unbind};
pub use turning::ContactTurning;
pub(crate) use turning::Turn;

use crate::error::Fault;
use crate::laws::{Friction, Impact};
use crate::shapes::Shape;
use serde::{Deserialize, Serialize};

/// A shape on a marker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// The marker that carries it.
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

/// Which surfaces a contact is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Between {
    /// These two.
    Pair(String, String),
    /// Each of one group with each of the other; the same group twice means all pairs within it.
    Groups(String, String),
    /// Every two surfaces.
    All,
}

/// A rule for surfaces that touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Which surfaces.
    pub between: Between,
    /// What they do to each other.
    pub kind: ContactKind,
}

impl Contact {
    /// Two surfaces, rigid.
    pub fn pair(a: &str, b: &str, kind: impl Into<ContactKind>) -> Contact {
        Contact { between: Between::Pair(a.to_string(), b.to_string()), kind: kind.into() }
    }

    /// Two groups.
    pub fn groups(a: &str, b: &str, kind: impl Into<ContactKind>) -> Contact {
        Contact { between: Between::Groups(a.to_string(), b.to_string()), kind: kind.into() }
    }

    /// All surfaces.
    pub fn all(kind: impl Into<ContactKind>) -> Contact {
        Contact { between: Between::All, kind: kind.into() }
    }

    pub(crate) fn check(&self) -> Result<(), Fault> {
        match &self.kind {
            ContactKind::Rigid(rigid) => rigid.check(),
            ContactKind::Compliant(soft) => soft.check(),
        }
    }
}

/// What surfaces that touch do to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContactKind {
    /// They hold each other off exactly.
    Rigid(RigidContact),
    /// They give way like springs.
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

/// Surfaces that hold each other off exactly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigidContact {
    /// Law of impact.
    pub impact: Impact,
    /// Coulomb's coefficients.
    pub friction: Friction,
    /// Moment about the normal per normal force, m.
    #[serde(rename = "torsional_friction", default)]
    pub spin: f64,
    /// Rolling moment per normal force, m.
    #[serde(rename = "rolling_friction", default)]
    pub roll: f64,
}

impl RigidContact {
    /// Without friction and rebound.
    pub const SMOOTH: RigidContact =
        RigidContact { impact: Impact::PLASTIC, friction: Friction::NONE, spin: 0.0, roll: 0.0 };

    /// The same with a rebound after Newton's law.
    pub fn restitution(mut self, e: f64) -> RigidContact {
        self.impact.restitution = e;
        self
    }

    /// The same with one coefficient of friction.
    pub fn friction(mut self, mu: f64) -> RigidContact {
        self.friction = Friction::same(mu);
        self
    }

    fn check(&self) -> Result<(), Fault> {
        self.impact.check()?;
        self.friction.check()?;
        for (field, x) in [("torsional_friction", self.spin), ("rolling_friction", self.roll)] {
            Fault::finite(field, &[x])?;
            if x < 0.0 {
                return Err(Fault::value(field, format!("is {x}, it must not be negative")));
            }
        }
        Ok(())
    }
}
