//! Actions of events, as data and with resolved names.
//!
//! Actions are executed in order. The velocities jump under the constraints that are active at that point,
//!
//! ```text
//!  M (v⁺ − v⁻) = Jᵀ p + Aᵀ Λ        A v⁺ = −φ_t
//! ```
//!
//! where p is the given impulse; p = 0 where a constraint is locked, which is a plastic impact. Positions do not jump.

use super::sensed::Sensed;
use crate::constraints::Reference;
use serde::{Deserialize, Serialize};

/// One action of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// Ends the run, after all other actions of the event.
    Stop,
    /// Adds a row to the table, independent of the output times; one row before and one after if the event causes a
    /// jump.
    Record,
    /// Activates a constraint. A plastic impact brings the velocities onto its rows; its energy counts as lost. A
    /// constraint with friction is engaged and holds within its bounds. Positions do not jump: if the position error of
    /// the constraint exceeds 1e-6, the run ends and names the constraint. To hold a joint in its current position,
    /// lock a [`Relation`](crate::Relation) that keeps its velocity at zero.
    Lock {
        /// The constraint.
        constraint: String,
    },
    /// Deactivates a constraint; its reaction vanishes at once.
    Unlock {
        /// The constraint.
        constraint: String,
    },
    /// Gives a [`Variable`](crate::bodies::Variable) a new value. The expression is evaluated with the values before
    /// the event.
    Set {
        /// Its coordinate, `name.value`.
        variable: String,
        /// The new value, an expression.
        to: String,
    },
    /// Applies an impulse to a frame, under the active constraints.
    Impulse {
        /// The frame.
        marker: String,
        /// Linear impulse through its origin, N s.
        #[serde(default)]
        force: [f64; 3],
        /// Angular impulse, N m s.
        #[serde(default)]
        moment: [f64; 3],
        /// The axes in which they are given.
        #[serde(default)]
        axes: ImpulseAxes,
    },
    /// Applies an impulse to a coordinate of a body: N s, or N m s for an angle.
    Push {
        /// The coordinate, `body.coordinate`.
        coordinate: String,
        /// The impulse.
        impulse: f64,
    },
}

/// The axes of an impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImpulseAxes {
    /// Those of the world.
    #[default]
    World,
    /// Those of the marker at the time of the event.
    Marker,
}

impl Deed {
    /// Locks a constraint.
    pub fn lock(constraint: &str) -> Deed {
        Deed::Lock { constraint: constraint.to_string() }
    }

    /// Unlocks a constraint.
    pub fn unlock(constraint: &str) -> Deed {
        Deed::Unlock { constraint: constraint.to_string() }
    }

    /// Sets a variable to an expression.
    pub fn set(variable: &str, to: &str) -> Deed {
        Deed::Set { variable: variable.to_string(), to: to.to_string() }
    }

    /// Applies an impulse to a frame, in world axes.
    pub fn impulse(marker: &str, force: [f64; 3]) -> Deed {
        Deed::Impulse { marker: marker.to_string(), force, moment: [0.0; 3], axes: ImpulseAxes::World }
    }

    /// Applies an impulse to a coordinate.
    pub fn push(coordinate: &str, impulse: f64) -> Deed {
        Deed::Push { coordinate: coordinate.to_string(), impulse }
    }

    pub(crate) fn reference(&self) -> Option<Reference<'_>> {
        match self {
            Deed::Impulse { marker, .. } => Some(Reference::frame(marker)),
            Deed::Push { coordinate, .. } => Some(Reference::coordinate(coordinate)),
            _ => None,
        }
    }
}

/// An action with resolved names.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub deed: Deed,
    pub to: Option<Sensed>,
    /// Index of the constraint, the coordinate in q, or the marker on which it acts.
    pub index: usize,
}

impl Act {
    /// The markers it refers to.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.to.iter().flat_map(Sensed::references).chain(self.deed.reference())
    }
}
