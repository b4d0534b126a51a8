//! Actions of events, as data and with resolved names.
//!
//! Actions are executed in order. The velocities jump under the constraints that are active at that point,
//!
//! ```text
//!  M (v⁺ − v⁻) = Jᵀ p + Aᵀ Λ        A v⁺ = −φ_t
//! ```
//!
//! where p is the given impulse; p = 0 where a constraint is locked, which is a plastic impact. Positions do not jump.

use super::measured_expression::MeasuredExpression;
use crate::constraints::MarkerReference;
use serde::{Deserialize, Serialize};

/// One action of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
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

impl Action {
    /// Locks a constraint.
    pub fn lock(constraint: &str) -> Action {
        Action::Lock { constraint: constraint.to_string() }
    }

    /// Unlocks a constraint.
    pub fn unlock(constraint: &str) -> Action {
        Action::Unlock { constraint: constraint.to_string() }
    }

    /// Sets a variable to an expression.
    pub fn set(variable: &str, to: &str) -> Action {
        Action::Set { variable: variable.to_string(), to: to.to_string() }
    }

    /// Applies an impulse to a frame, in world axes.
    pub fn impulse(marker: &str, force: [f64; 3]) -> Action {
        Action::Impulse { marker: marker.to_string(), force, moment: [0.0; 3], axes: ImpulseAxes::World }
    }

    /// Applies an impulse to a coordinate.
    pub fn push(coordinate: &str, impulse: f64) -> Action {
        Action::Push { coordinate: coordinate.to_string(), impulse }
    }

    pub(crate) fn reference(&self) -> Option<MarkerReference<'_>> {
        match self {
            Action::Impulse { marker, .. } => Some(MarkerReference::frame(marker)),
            Action::Push { coordinate, .. } => Some(MarkerReference::coordinate(coordinate)),
            _ => None,
        }
    }
}

/// An action with resolved names.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedAction {
    pub action: Action,
    pub value: Option<MeasuredExpression>,
    /// Index of the constraint, the variable (a body), or the marker on which it acts.
    pub index: usize,
}

impl ResolvedAction {
    /// The markers it refers to.
    pub fn references(&self) -> impl Iterator<Item = MarkerReference<'_>> {
        self.value.iter().flat_map(MeasuredExpression::references).chain(self.action.reference())
    }
}
