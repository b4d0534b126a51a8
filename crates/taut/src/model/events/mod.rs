//! Events as data: actions are executed where an expression of measured quantities crosses zero.
//!
//! ```text
//!  when = "arm.theta - 1.2"   direction = "rising"   then = [{ lock = { constraint = "brake" } }, "record"]
//!  when = "t - 2"             a schedule
//! ```
//!
//! Only crossings count. An expression that is zero, or already past zero, at the start does not fire there: what holds
//! from the start belongs to the initial state. An event that has fired is inactive until its expression has left zero.
//! Simultaneous events are executed in the order of the model; each uses the result of those before it.

mod actions;
mod measured_expression;

pub(crate) use actions::ResolvedAction;
pub use actions::{Action, ImpulseAxes};
pub use measured_expression::EventDependence;
pub(crate) use measured_expression::MeasuredExpression;

use crate::constraints::MarkerReference;
use serde::{Deserialize, Serialize};
use taut_ode::Direction;

/// How often a trigger fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recurrence {
    /// At every crossing in the given direction.
    #[default]
    #[serde(rename = "all")]
    All,
    /// At the first only.
    #[serde(rename = "first")]
    First,
}

/// An event of the model: its condition and its actions.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81])
///     .body("stone", PointMass::new(1.0, [0.0, 0.0, 5.0]))
///     .event("ground", Trigger::when("stone.z").falling().then(Action::Stop));
/// let model = spec.build()?;
/// let fall = simulate(&model, &model.initial_state(), &Transient::to(10.0))?;
/// assert!((fall.events[0].t - (10.0_f64 / 9.81).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// An expression in `t`, coordinates, velocities, signals, measures and coordinates of joints (`name`, `name.rate`). Its
    /// zeros trigger the event.
    pub when: String,
    /// Which crossings count.
    #[serde(default)]
    pub direction: Direction,
    /// How often.
    #[serde(rename = "crossings", default)]
    pub crossings: Recurrence,
    /// The actions, in this order.
    #[serde(default)]
    pub actions: Vec<Action>,
}

impl Trigger {
    /// At every zero of an expression.
    pub fn when(expression: &str) -> Trigger {
        Trigger {
            when: expression.to_string(),
            direction: Direction::Either,
            crossings: Recurrence::All,
            actions: Vec::new(),
        }
    }

    /// At a time.
    pub fn at(t: f64) -> Trigger {
        Trigger::when(&format!("t - ({t:?})"))
    }

    /// Counts only zeros crossed upwards.
    pub fn rising(self) -> Trigger {
        Trigger { direction: Direction::Rising, ..self }
    }

    /// Counts only zeros crossed downwards.
    pub fn falling(self) -> Trigger {
        Trigger { direction: Direction::Falling, ..self }
    }

    /// Counts only the first.
    pub fn once(self) -> Trigger {
        Trigger { crossings: Recurrence::First, ..self }
    }

    /// Appends an action.
    pub fn then(mut self, action: Action) -> Trigger {
        self.actions.push(action);
        self
    }
}

/// A trigger in a model.
#[derive(Clone, Debug)]
pub struct EventEntry {
    /// Name.
    pub name: String,
    /// The event as data.
    pub trigger: Trigger,
    pub(crate) when: MeasuredExpression,
    pub(crate) actions: Vec<ResolvedAction>,
}

impl EventEntry {
    /// The markers it refers to.
    pub(crate) fn references(&self) -> impl Iterator<Item = MarkerReference<'_>> {
        self.when.references().chain(self.actions.iter().flat_map(ResolvedAction::references))
    }
}
