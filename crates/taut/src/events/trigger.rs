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

use super::deeds::{Act, Deed};
use super::sensed::Sensed;
use crate::analyses::{After, Change, Direction, Event, Look, Sight};
use crate::constraints::Reference;
use crate::error::BuildError;
use crate::model::{BodyEntry, ConstraintEntry};
use crate::names::Names;
use crate::spec::{Named, Spec};
use serde::{Deserialize, Serialize};

/// How often a trigger fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    /// At every crossing that counts.
    #[default]
    Always,
    /// At the first only.
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
    #[serde(default)]
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
    when: Sensed,
    acts: Vec<Act>,
}

impl EventEntry {
    /// Looks up the names of its expressions.
    pub(crate) fn bind(Named { name, item }: &Named<Trigger>, spec: &Spec) -> Result<EventEntry, BuildError> {
        let when = Sensed::bind(&item.when, name, "when", spec)?;
        let acts = item.then.iter().map(|deed| Act::bind(deed, name, spec)).collect::<Result<_, _>>()?;
        Ok(EventEntry { name: name.clone(), trigger: item.clone(), when, acts })
    }

    /// The markers it asks for.
    pub(crate) fn references(&self) -> impl Iterator<Item = Reference<'_>> {
        self.when.references().chain(self.acts.iter().flat_map(Act::references))
    }

    /// Finds markers, constraints and variables in the model.
    pub(crate) fn resolve(
        &mut self,
        names: &mut Names,
        bodies: &[BodyEntry],
        constraints: &[ConstraintEntry],
    ) -> Result<(), BuildError> {
        self.when.resolve(&self.name, names, bodies)?;
        self.acts.iter_mut().try_for_each(|act| act.resolve(&self.name, names, bodies, constraints))
    }
}

/// A trigger at work.
#[derive(Debug)]
pub(crate) struct Armed {
    entry: EventEntry,
    /// How often it has fired.
    fired: u64,
}

impl Armed {
    pub fn new(entry: &EventEntry) -> Armed {
        Armed { entry: entry.clone(), fired: 0 }
    }
}

impl Event for Armed {
    fn sight(&self) -> Sight {
        self.entry.when.sight
    }

    fn name(&self) -> &str {
        &self.entry.name
    }

    fn direction(&self) -> Direction {
        self.entry.trigger.direction
    }

    fn value(&self, seen: &Look) -> f64 {
        match self.entry.trigger.times {
            Times::Once if self.fired > 0 => f64::NAN,
            _ => self.entry.when.value(seen),
        }
    }

    fn peaks(&self) -> usize {
        self.entry.when.peaks()
    }

    fn peak(&self, seen: &Look, i: usize) -> f64 {
        self.entry.when.peak(seen, i)
    }

    fn action(&mut self, seen: &Look, change: &mut Change) -> After {
        self.fired += 1;
        let mut after = After::Continue;
        for act in &self.entry.acts {
            if act.perform(seen, change) == After::Stop {
                after = After::Stop;
            }
        }
        after
    }

    fn memory(&self) -> u64 {
        self.fired
    }

    fn recall(&mut self, memory: u64) {
        self.fired = memory;
    }
}
