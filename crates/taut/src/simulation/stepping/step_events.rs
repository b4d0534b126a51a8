//! Events of the user in time stepping. They can only stop the run and record rows.
//!
//! Their functions are evaluated at the end of every step. If one has crossed zero, the time is that of the chord,
//!
//! ```text
//!  t* = t₀ + (t₁ − t₀) g₀ / (g₀ − g₁)
//! ```
//!
//! and the action, a row of the table or the end of the run, follows at the end of the step. Actions that change the
//! motion would need the exact time and are rejected.

use crate::events::{
    Action, Event, EventEntry, EventInput, EventKind, EventRecord, ModelEvent, RunAction, StateChange,
};
use crate::model::Model;
use taut_ode::Direction;

/// Why time stepping cannot treat the events of a model, if it cannot.
pub(super) fn rejection_reason(model: &Model) -> Option<String> {
    let changes =
        |e: &&EventEntry| e.trigger.actions.iter().any(|action| !matches!(action, Action::Stop | Action::Record));
    let name = &model.events.iter().find(changes)?.name;
    Some(format!(
        "event `{name}` changes the motion at a time that only contact_method = \"event_driven\" locates; with time stepping \
         events can only stop and record"
    ))
}

/// An event that was crossed in a step, with its requests.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepEvent {
    pub record: EventRecord,
    pub wants_row: bool,
    pub after: RunAction,
}

/// The events of a model, and their values at the end of the last step.
#[derive(Debug)]
pub(super) struct StepEvents {
    events: Vec<ModelEvent>,
    t: f64,
    values: Vec<f64>,
}

impl StepEvents {
    pub fn new(model: &Model) -> StepEvents {
        StepEvents { events: model.events.iter().map(ModelEvent::new).collect(), t: 0.0, values: Vec::new() }
    }

    /// Time, values and memories of the last evaluation.
    pub fn save(&self) -> (f64, Vec<f64>, Vec<u64>) {
        (self.t, self.values.clone(), self.events.iter().map(|e| e.memory()).collect())
    }

    /// Restores them.
    pub fn restore(&mut self, (t, values, memories): &(f64, Vec<f64>, Vec<u64>)) {
        (self.t, self.values) = (*t, values.clone());
        self.events.iter_mut().zip(memories).for_each(|(e, memory)| e.restore_memory(*memory));
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The events crossed since the last call, sorted by time; none at the first call.
    pub fn find_crossings(&mut self, seen: &EventInput) -> Vec<StepEvent> {
        let now: Vec<f64> = self.events.iter().map(|e| e.value(seen)).collect();
        let before = std::mem::replace(&mut self.values, now);
        let t0 = std::mem::replace(&mut self.t, seen.t);
        let mut found = Vec::new();
        for (i, (event, (g0, g1))) in self.events.iter_mut().zip(before.iter().zip(&self.values)).enumerate() {
            if crosses(event.direction(), *g0, *g1) {
                let t = t0 + (seen.t - t0) * (g0 / (g0 - g1));
                let mut orders = Vec::new();
                // Stop and record change nothing; these copies satisfy the interface.
                let (mut q, mut v, mut z) = (seen.q.to_vec(), seen.v.to_vec(), seen.z.to_vec());
                let mut change = StateChange { q: &mut q, v: &mut v, z: &mut z, modes: &mut [], requests: &mut orders };
                let after = event.action(seen, &mut change);
                let reported = EventRecord::new(event.name(), i, t, EventKind::Event);
                found.push(StepEvent { record: reported, wants_row: !orders.is_empty(), after });
            }
        }
        found.sort_by(|a, b| a.record.t.total_cmp(&b.record.t));
        found
    }
}

/// Whether going from g₀ to g₁ is a crossing that counts. A function that starts at zero has to leave it first.
fn crosses(direction: Direction, g0: f64, g1: f64) -> bool {
    let (rises, falls) = (g0 < 0.0 && g1 >= 0.0, g0 > 0.0 && g1 <= 0.0);
    match direction {
        Direction::Rising => rises,
        Direction::Falling => falls,
        Direction::Either => rises || falls,
    }
}

#[cfg(test)]
mod tests {
    use crate::events::{Action, Trigger};
    use crate::stepping::{TimeSteppingSettings, simulate};
    use crate::{Outcome, PointMass, Spec};

    fn falling() -> Spec {
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(1.0, [0.0, 0.0, 5.0]));
        spec
    }

    #[test]
    fn an_event_stops_the_run_at_the_end_of_its_step() {
        let (h, z) = (1e-3, 3.0);
        let t = (2.0 * (5.0 - z) / 9.81_f64).sqrt();
        let mut spec = falling();
        spec.event("row", Trigger::when("stone.z - 4").falling().then(Action::Record))
            .event("up", Trigger::when("stone.z - 3.5").rising().then(Action::Stop))
            .event("low", Trigger::when("stone.z - 3").then(Action::Stop));
        let model = spec.build().unwrap();
        let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(2.0, h)).unwrap();
        let reported: Vec<&str> = run.events.iter().map(|o| o.name.as_str()).collect();
        assert_eq!(reported, ["row", "low"]);
        // The chord of a parabola is off by g h²/8 in z at most.
        assert!((run.events[1].t - t).abs() < h * h, "{} {t}", run.events[1].t);
        let Outcome::Event { name, t: end } = &run.outcome else { panic!("{}", run.outcome) };
        assert!(name == "low" && *end >= t && *end < t + h, "{end}");
        let at = |t: f64| run.column("t").unwrap().iter().any(|x| (x - t).abs() < h);
        assert!(at((2.0 / 9.81_f64).sqrt()) && at(t));
        assert_eq!(run.last("t").unwrap(), *end);
    }

    #[test]
    fn actions_that_change_the_motion_are_rejected_by_name() {
        let mut spec = falling();
        spec.event("kick", Trigger::at(1.0).then(Action::Unlock { constraint: "rail".to_string() }))
            .constraint("rail", crate::Joint::point_on_line("ground", "stone"));
        let model = spec.build().unwrap();
        let refused =
            simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(2.0, 1e-3)).unwrap_err().to_string();
        assert!(refused.contains("event `kick`") && refused.contains("stop and record"), "{refused}");
    }
}
