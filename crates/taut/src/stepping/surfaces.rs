//! What may touch what: surfaces on markers, and the rule of every pair.

use crate::error::Fault;
use crate::laws::{Friction, Impact};
use crate::shapes::Shape;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A contact of bodies that do not give way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigidContact {
    /// What happens where the gap closes with a speed.
    pub impact: Impact,
    /// Coulomb's coefficients.
    pub friction: Friction,
    /// Torque about the normal per normal force, m.
    #[serde(default)]
    pub spin: f64,
    /// Rolling torque per normal force, m.
    #[serde(default)]
    pub roll: f64,
}

impl RigidContact {
    /// No rebound, one coefficient of friction.
    pub fn plastic(mu: f64) -> RigidContact {
        RigidContact { impact: Impact::PLASTIC, friction: Friction::same(mu), spin: 0.0, roll: 0.0 }
    }

    /// The same with a rebound.
    pub fn restitution(mut self, e: f64) -> RigidContact {
        self.impact.restitution = e;
        self
    }

    /// Refuses numbers that make no sense.
    pub fn check(&self) -> Result<(), Fault> {
        self.impact.check()?;
        self.friction.check()?;
        for (name, x) in [("spin", self.spin), ("roll", self.roll)] {
            if !(x >= 0.0 && x.is_finite()) {
                return Err(Fault::value(name, format!("is {x}; it must be a length, zero or more")));
            }
        }
        Ok(())
    }
}

/// A shape on a marker.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// The marker that carries it.
    pub marker: usize,
    /// Its shape, in the frame of the marker.
    pub shape: Shape,
}

/// The rule of two surfaces; none where they pass through each other.
pub type Rule = Arc<dyn Fn(usize, usize) -> Option<RigidContact> + Send + Sync>;

/// All surfaces and the rule between them.
#[derive(Clone)]
pub struct Surfaces {
    /// The surfaces.
    pub list: Vec<Surface>,
    /// What holds between two of them, the smaller index first. Two surfaces of one body are never asked for.
    pub rule: Rule,
}

impl Surfaces {
    /// Nothing can touch.
    pub fn none() -> Surfaces {
        Surfaces { list: Vec::new(), rule: Arc::new(|_, _| None) }
    }

    /// The same rule for all.
    pub fn alike(list: Vec<Surface>, rule: RigidContact) -> Surfaces {
        Surfaces { list, rule: Arc::new(move |_, _| Some(rule)) }
    }
}

impl fmt::Debug for Surfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surfaces").field("list", &self.list).finish_non_exhaustive()
    }
}
