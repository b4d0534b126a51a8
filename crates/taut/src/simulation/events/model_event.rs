//! Events of the model in a run: evaluates their functions and carries out their actions.

use super::event::{Event, EventInput, RunAction, StateChange};
use crate::constraints::{ElementInput, MeasureComponent};
use crate::mathematics::scratch::with_list;
use crate::model::events::{MeasuredExpression, ResolvedAction};
use crate::model::ids::{BodyId, ConstraintId, MarkerId};
use crate::motion::{Vec3, Wrench};
use crate::{Action, EventDependence, EventEntry, ImpulseAxes, Recurrence};
use taut_ode::Direction;

/// An event of the model, with its count.
#[derive(Debug)]
pub(crate) struct ModelEvent {
    entry: EventEntry,
    /// How often it has fired.
    fired: u64,
}

impl ModelEvent {
    pub fn new(entry: &EventEntry) -> ModelEvent {
        ModelEvent { entry: entry.clone(), fired: 0 }
    }
}

impl Event for ModelEvent {
    fn depends_on(&self) -> EventDependence {
        self.entry.when.dependence
    }

    fn name(&self) -> &str {
        &self.entry.name
    }

    fn direction(&self) -> Direction {
        self.entry.trigger.direction
    }

    fn value(&self, seen: &EventInput) -> f64 {
        match self.entry.trigger.crossings {
            Recurrence::First if self.fired > 0 => f64::NAN,
            _ => self.entry.when.value(seen),
        }
    }

    fn peak_function_count(&self) -> usize {
        self.entry.when.peaks()
    }

    fn peak_function(&self, seen: &EventInput, i: usize) -> f64 {
        self.entry.when.peak(seen, i)
    }

    fn action(&mut self, seen: &EventInput, change: &mut StateChange) -> RunAction {
        self.fired += 1;
        let mut after = RunAction::Continue;
        for act in &self.entry.actions {
            if act.perform(seen, change) == RunAction::Stop {
                after = RunAction::Stop;
            }
        }
        after
    }

    fn memory(&self) -> u64 {
        self.fired
    }

    fn restore_memory(&mut self, memory: u64) {
        self.fired = memory;
    }
}

impl ResolvedAction {
    /// Carries out the action.
    pub fn perform(&self, seen: &EventInput, change: &mut StateChange) -> RunAction {
        match &self.action {
            Action::Stop => return RunAction::Stop,
            Action::Record => change.record(),
            Action::Lock { .. } => change.lock(ConstraintId(self.index)),
            Action::Unlock { .. } => change.unlock(ConstraintId(self.index)),
            Action::Set { .. } => {
                let to = self.value.as_ref().map_or(f64::NAN, |to| to.value(seen));
                change.set(BodyId(self.index), to);
            }
            Action::Impulse { force, moment, axes, .. } => {
                let (f, m) = (Vec3::from(*force), Vec3::from(*moment));
                let on = match (axes, seen.motion(MarkerId(self.index))) {
                    (ImpulseAxes::Marker, Some(motion)) => Wrench { f: motion.R * f, m: motion.R * m },
                    _ => Wrench { f, m },
                };
                change.apply_impulse(MarkerId(self.index), on);
            }
            Action::Push { impulse, .. } => {
                change.apply_impulse(MarkerId(self.index), Wrench::force(Vec3::x() * *impulse));
            }
        }
        RunAction::Continue
    }
}

impl MeasuredExpression {
    /// The value; NaN if an input has none.
    pub fn value(&self, seen: &EventInput) -> f64 {
        self.with_inputs(seen, |given, at| self.reading.evaluate(given, |k| self.reading.names.value(k, at)))
    }

    /// Number of functions that show where the expression may have a narrow peak.
    pub fn peaks(&self) -> usize {
        self.reading.peak_guards().count()
    }

    pub fn peak(&self, seen: &EventInput, i: usize) -> f64 {
        let Some(guard) = self.reading.peak_guards().nth(i) else { return f64::INFINITY };
        self.with_inputs(seen, |given, at| self.reading.guard(guard, given, |k| self.reading.names.value(k, at)))
    }

    /// Calls `f` with time, the measures and the markers that the expression reads.
    fn with_inputs<T>(&self, seen: &EventInput, f: impl FnOnce(&[f64], &ElementInput) -> T) -> T {
        let measured = |(i, part): &(usize, MeasureComponent)| {
            let [s, rate] = seen.measured(*i).unwrap_or([f64::NAN; 2]);
            if *part == MeasureComponent::Value { s } else { rate }
        };
        with_list(|given| {
            given.push(seen.t);
            given.extend(self.measures.iter().map(measured));
            f(given, &ElementInput::new(seen.t, seen.motions, &self.markers, &[]))
        })
    }
}
