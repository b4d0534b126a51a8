//! Events: zeros of functions of the motion, and their actions.

use crate::Sight;
use crate::model::Model;
use crate::motion::{Motion, Wrench};
use crate::solution::Recorder;
use crate::state::Mode;
use std::fmt;
use taut_ode::Direction;

/// The mechanism at one moment, as an event function reads it.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Time, s.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Extra states.
    pub z: &'a [f64],
    pub(crate) model: &'a Model,
    pub(crate) motions: &'a [Motion],
    pub(crate) recorder: &'a Recorder,
}

impl<'a> Look<'a> {
    /// The model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Motion of the marker of that index ([`Model::marker`] finds the index).
    pub fn motion(&self, marker: usize) -> Option<&'a Motion> {
        self.motions.get(marker)
    }

    /// Motion of the marker of that name.
    pub fn marker(&self, name: &str) -> Option<&'a Motion> {
        self.model.marker(name).and_then(|m| self.motion(m))
    }

    /// Value and rate of the declared measure of that index among [`Model::measures`]; an angle counts full turns
    /// in models that have events.
    pub fn measured(&self, measure: usize) -> Option<[f64; 2]> {
        self.recorder.measured(self.model, measure, self.t, self.motions)
    }
}

/// The quantities that an event may change.
#[derive(Debug)]
pub struct Change<'a> {
    /// Coordinates. They are projected onto the constraints afterwards.
    pub q: &'a mut [f64],
    /// Velocities. They are projected onto the constraints afterwards.
    pub v: &'a mut [f64],
    /// Extra states.
    pub z: &'a mut [f64],
    /// Modes of the constraints.
    pub modes: &'a mut [Mode],
    pub(crate) orders: &'a mut Vec<Order>,
}

/// A request of an event, carried out after its action in the given order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    /// A row of the table, on both sides of a jump.
    Record,
    /// Activates a constraint.
    Lock(usize),
    /// Deactivates a constraint.
    Unlock(usize),
    /// Sets a coordinate that has no velocity.
    Set(usize, f64),
    /// An impulse on a marker, in the world's axes.
    Hit(usize, Wrench),
}

/// Requests. They are carried out in order after the action has returned. A request that changes something restarts the motion,
/// whatever the action returns.
impl Change<'_> {
    /// Records a row here, and another after the jump if there is one.
    pub fn record(&mut self) {
        self.orders.push(Order::Record);
    }

    /// Activates a constraint, by a plastic impact.
    pub fn lock(&mut self, constraint: usize) {
        self.orders.push(Order::Lock(constraint));
    }

    /// Deactivates a constraint.
    pub fn unlock(&mut self, constraint: usize) {
        self.orders.push(Order::Unlock(constraint));
    }

    /// Sets a coordinate that has no velocity, such as a variable.
    pub fn set(&mut self, coordinate: usize, value: f64) {
        self.orders.push(Order::Set(coordinate, value));
    }

    /// Applies an impulse, in world axes, to a marker under the active constraints. A scalar coordinate takes the first
    /// component of the force.
    pub fn hit(&mut self, marker: usize, impulse: Wrench) {
        self.orders.push(Order::Hit(marker, impulse));
    }
}

/// How the run continues after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// Unchanged; the event is only recorded.
    Continue,
    /// The run stops.
    Stop,
    /// From the changed state.
    Jump,
}

/// A function of the motion whose zeros are events.
pub trait Event: Send {
    /// Its name in the solution.
    fn name(&self) -> &str;
    /// Which crossings of zero count.
    fn direction(&self) -> Direction {
        Direction::Either
    }
    /// The function. NaN is ignored.
    fn value(&self, seen: &Look) -> f64;
    /// Number of functions that show where the value may have a narrow peak: where they cross zero or are nearest to it.
    fn peaks(&self) -> usize {
        0
    }
    /// One of these functions.
    fn peak(&self, _seen: &Look, _i: usize) -> f64 {
        f64::INFINITY
    }
    /// What the function depends on.
    fn sight(&self) -> Sight {
        Sight::Motions
    }
    /// The action at a zero.
    fn action(&mut self, _seen: &Look, _change: &mut Change) -> After {
        After::Continue
    }
    /// Its memory of earlier zeros, for a checkpoint.
    fn memory(&self) -> u64 {
        0
    }
    /// Restores this memory.
    fn recall(&mut self, _memory: u64) {}
}

type Value = Box<dyn Fn(&Look) -> f64 + Send>;
type Then = Box<dyn FnMut(&Look, &mut Change) -> After + Send>;

/// An event made of closures.
pub struct When {
    name: String,
    direction: Direction,
    value: Value,
    then: Then,
}

impl When {
    /// Records every zero of `value`.
    pub fn new(name: &str, value: impl Fn(&Look) -> f64 + Send + 'static) -> When {
        let then = Box::new(|_: &Look, _: &mut Change| After::Continue);
        When { name: name.to_string(), direction: Direction::Either, value: Box::new(value), then }
    }

    /// Only upward crossings count.
    pub fn rising(mut self) -> When {
        self.direction = Direction::Rising;
        self
    }

    /// Only downward crossings count.
    pub fn falling(mut self) -> When {
        self.direction = Direction::Falling;
        self
    }

    /// Stops the run at the first zero.
    pub fn stop(self) -> When {
        self.then(|_, _| After::Stop)
    }

    /// Calls this at every zero.
    pub fn then(mut self, then: impl FnMut(&Look, &mut Change) -> After + Send + 'static) -> When {
        self.then = Box::new(then);
        self
    }
}

impl Event for When {
    fn name(&self) -> &str {
        &self.name
    }
    fn direction(&self) -> Direction {
        self.direction
    }
    fn value(&self, seen: &Look) -> f64 {
        (self.value)(seen)
    }
    fn action(&mut self, seen: &Look, change: &mut Change) -> After {
        (self.then)(seen, change)
    }
}

impl fmt::Debug for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When").field("name", &self.name).field("direction", &self.direction).finish_non_exhaustive()
    }
}
