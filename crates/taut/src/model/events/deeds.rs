//! What an event does: deeds as data, and the same with their names looked up.
//!
//! Deeds follow each other in their order. The velocities jump under the constraints that hold at that point,
//!
//! ```text
//!  M (v⁺ − v⁻) = Jᵀ p + Aᵀ Λ        A v⁺ = −φ_t
//! ```
//!
//! with p the impulse given, and p = 0 where a constraint is locked: a plastic impact. Positions do not jump.

use super::sensed::Sensed;
use crate::constraints::Reference;
use serde::{Deserialize, Serialize};

/// One thing that an event does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// Ends the run, after all other deeds of the event.
    Stop,
    /// Adds a row to the table whatever the times of output; one for each side if the event makes a jump.
    Record,
    /// Makes a constraint hold. The velocities are brought onto its rows by a plastic impact, whose energy counts as
    /// lost; a constraint that grips is engaged, and grips within its bounds. Positions do not jump: a constraint whose
    /// position is off by more than 1e-6 ends the run with its name. To hold a joint wherever it is, lock a
    /// [`Relation`](crate::Relation) that holds its velocity at zero.
    Lock {
        /// The constraint.
        constraint: String,
    },
    /// Takes a constraint out; its reaction vanishes at once.
    Unlock {
        /// The constraint.
        constraint: String,
    },
    /// Gives a [`Variable`](crate::bodies::Variable) another value. What the expression reads is what was there before the
    /// event.
    Set {
        /// Its coordinate, `name.value`.
        variable: String,
        /// The new value, an expression.
        to: String,
    },
    /// Hits a frame, under the constraints that hold.
    Impulse {
        /// The frame.
        marker: String,
        /// Impulse through its origin, N s.
        #[serde(default)]
        force: [f64; 3],
        /// Impulse of a moment, N m s.
        #[serde(default)]
        moment: [f64; 3],
        /// Whose axes they are written in.
        #[serde(default)]
        axes: ImpulseAxes,
    },
    /// Hits a coordinate of a body: N s, or N m s on an angle.
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
    /// Those of the marker at that moment.
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

    /// Hits a frame with an impulse in the world's axes.
    pub fn impulse(marker: &str, force: [f64; 3]) -> Deed {
        Deed::Impulse { marker: marker.to_string(), force, moment: [0.0; 3], axes: ImpulseAxes::World }
    }

    /// Hits a coordinate.
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

/// A deed with its names looked up.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub deed: Deed,
    pub to: Option<Sensed>,
    /// The constraint, the coordinate in q, or the marker that it is about.
    pub index: usize,
}

impl Act {
    /// The markers it asks for.
    pub fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.to.iter().flat_map(Sensed::references).chain(self.deed.reference())
    }
}
