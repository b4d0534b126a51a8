//! Events as data: where an expression of measured quantities crosses zero, deeds are done.
//!
//! ```text
//!  when = "arm.theta - 1.2"   direction = "rising"   then = [{ lock = { constraint = "brake" } }, "record"]
//!  when = "t - 2"             a schedule
//! ```
//!
//! Only a crossing counts. An expression that is zero at the start, or past it already, does not fire there: what
//! shall hold from the start is part of the start. An event that has fired rests until its expression has left zero.
//! Events of one time take place in the order of the model, each with what those before it have done.

mod deeds;
mod sensed;

pub(crate) use deeds::Act;
pub use deeds::{Deed, ImpulseAxes};
pub use sensed::Sight;
pub(crate) use sensed::{Part, Sensed};

use crate::constraints::Reference;
use serde::{Deserialize, Serialize};
use taut_ode::Direction;

/// How often a trigger fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    /// At every crossing that counts.
    #[default]
    #[serde(rename = "all")]
    Always,
    /// At the first only.
    #[serde(rename = "first")]
    Once,
}

/// An event of the model: when it happens, and what then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// An expression in `t`, coordinates, velocities and declared measures (`name`, `name.rate`), whose zeros count.
    pub when: String,
    /// Which crossings count.
    #[serde(default)]
    pub direction: Direction,
    /// How often.
    #[serde(rename = "crossings", default)]
    pub times: Times,
    /// What is done, in this order.
    #[serde(default)]
    pub then: Vec<Deed>,
}

impl Trigger {
    /// At every zero of an expression.
    pub fn when(expression: &str) -> Trigger {
        Trigger { when: expression.to_string(), direction: Direction::Either, times: Times::Always, then: Vec::new() }
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
        Trigger { times: Times::Once, ..self }
    }

    /// Does this, after what it does already.
    pub fn then(mut self, deed: Deed) -> Trigger {
        self.then.push(deed);
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
    pub(crate) when: Sensed,
    pub(crate) acts: Vec<Act>,
}

impl EventEntry {
    /// The markers it asks for.
    pub(crate) fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.when.references().chain(self.acts.iter().flat_map(Act::references))
    }
}
