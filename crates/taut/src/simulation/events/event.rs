//! Events: zeros of functions of the motion, and their actions.

use crate::EventDependence;
use crate::model::Model;
use crate::model::ids::{BodyId, ConstraintId, MarkerId};
use crate::motion::{Motion, Wrench};
use crate::solution::{MeasureInput, Recorder};
use crate::state::ConstraintMode;
use std::fmt;
use taut_ode::Direction;

/// The mechanism at one moment, as an event function reads it.
#[derive(Clone, Copy, Debug)]
pub struct EventInput<'a> {
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

impl<'a> EventInput<'a> {
    /// The model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Motion of a marker ([`Model::find_marker`] finds it by name).
    pub fn motion(&self, marker: MarkerId) -> Option<&'a Motion> {
        self.motions.get(usize::from(marker))
    }

    /// Motion of the marker of that name.
    pub fn marker(&self, name: &str) -> Option<&'a Motion> {
        self.model.find_marker(name).and_then(|m| self.motion(m))
    }

    /// Value and rate of the declared measure of that index among [`Model::measures`]; an angle counts full turns
    /// in models that have events.
    pub fn measured(&self, measure: usize) -> Option<[f64; 2]> {
        let at = MeasureInput { model: self.model, q: self.q, motions: self.motions };
        self.recorder.measure_value_and_rate(measure, self.t, at)
    }
}

/// The quantities that an event may change.
#[derive(Debug)]
pub struct StateChange<'a> {
    /// Coordinates. They are projected onto the constraints afterwards.
    pub q: &'a mut [f64],
    /// Velocities. They are projected onto the constraints afterwards.
    pub v: &'a mut [f64],
    /// Extra states.
    pub z: &'a mut [f64],
    /// Modes of the constraints.
    pub modes: &'a mut [ConstraintMode],
    pub(crate) requests: &'a mut Vec<EventRequest>,
}

/// A request of an event, carried out after its action in the given order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EventRequest {
    /// A row of the table, on both sides of a jump.
    Record,
    /// Activates a constraint.
    Lock(ConstraintId),
    /// Deactivates a constraint.
    Unlock(ConstraintId),
    /// Sets a variable.
    Set(BodyId, f64),
    /// An impulse on a marker, in the world's axes.
    Impulse(MarkerId, Wrench),
}

/// Requests. They are carried out in order after the action has returned. A request that changes something restarts the motion,
/// whatever the action returns.
impl StateChange<'_> {
    /// Records a row here, and another after the jump if there is one.
    pub fn record(&mut self) {
        self.requests.push(EventRequest::Record);
    }

    /// Activates a constraint, by a plastic impact.
    pub fn lock(&mut self, constraint: ConstraintId) {
        self.requests.push(EventRequest::Lock(constraint));
    }

    /// Deactivates a constraint.
    pub fn unlock(&mut self, constraint: ConstraintId) {
        self.requests.push(EventRequest::Unlock(constraint));
    }

    /// Sets a variable ([`Variable`](crate::Variable)), a body whose coordinate has no velocity.
    pub fn set(&mut self, variable: BodyId, value: f64) {
        self.requests.push(EventRequest::Set(variable, value));
    }

    /// Applies an impulse, in world axes, to a marker under the active constraints. A scalar coordinate takes the first
    /// component of the force.
    pub fn apply_impulse(&mut self, marker: MarkerId, impulse: Wrench) {
        self.requests.push(EventRequest::Impulse(marker, impulse));
    }
}

/// How the run continues after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAction {
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
    fn value(&self, seen: &EventInput) -> f64;
    /// Number of functions that show where the value may have a narrow peak: where they cross zero or are nearest to it.
    fn peak_function_count(&self) -> usize {
        0
    }
    /// One of these functions.
    fn peak_function(&self, _seen: &EventInput, _i: usize) -> f64 {
        f64::INFINITY
    }
    /// What the function depends on.
    fn depends_on(&self) -> EventDependence {
        EventDependence::Motions
    }
    /// The action at a zero.
    fn action(&mut self, _seen: &EventInput, _change: &mut StateChange) -> RunAction {
        RunAction::Continue
    }
    /// Its memory of earlier zeros, for a checkpoint.
    fn memory(&self) -> u64 {
        0
    }
    /// Restores this memory.
    fn restore_memory(&mut self, _memory: u64) {}
}

type ValueFunction = Box<dyn Fn(&EventInput) -> f64 + Send>;
type ActionFunction = Box<dyn FnMut(&EventInput, &mut StateChange) -> RunAction + Send>;

/// An event made of closures.
pub struct EventFunction {
    name: String,
    direction: Direction,
    value: ValueFunction,
    then: ActionFunction,
}

impl EventFunction {
    /// Records every zero of `value`.
    pub fn new(name: &str, value: impl Fn(&EventInput) -> f64 + Send + 'static) -> EventFunction {
        let then = Box::new(|_: &EventInput, _: &mut StateChange| RunAction::Continue);
        EventFunction { name: name.to_string(), direction: Direction::Either, value: Box::new(value), then }
    }

    /// Only upward crossings count.
    pub fn rising(mut self) -> EventFunction {
        self.direction = Direction::Rising;
        self
    }

    /// Only downward crossings count.
    pub fn falling(mut self) -> EventFunction {
        self.direction = Direction::Falling;
        self
    }

    /// Stops the run at the first zero.
    pub fn stop(self) -> EventFunction {
        self.then(|_, _| RunAction::Stop)
    }

    /// Calls this at every zero.
    pub fn then(
        mut self,
        then: impl FnMut(&EventInput, &mut StateChange) -> RunAction + Send + 'static,
    ) -> EventFunction {
        self.then = Box::new(then);
        self
    }
}

impl Event for EventFunction {
    fn name(&self) -> &str {
        &self.name
    }
    fn direction(&self) -> Direction {
        self.direction
    }
    fn value(&self, seen: &EventInput) -> f64 {
        (self.value)(seen)
    }
    fn action(&mut self, seen: &EventInput, change: &mut StateChange) -> RunAction {
        (self.then)(seen, change)
    }
}

impl fmt::Debug for EventFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When").field("name", &self.name).field("direction", &self.direction).finish_non_exhaustive()
    }
}
