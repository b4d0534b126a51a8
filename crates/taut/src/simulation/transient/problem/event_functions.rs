//! The event functions that the integrator follows: first the events of the user, then the laws of the constraints.

use super::{TransientProblem, split_state};
use crate::equations::{MarkerKinematics, StateView, assemble_positions};
use crate::events::{EventInput, EventKind, EventRecord};
use crate::model::Model;
use crate::solution::Recorder;
use crate::{EventDependence, interruption};
use taut_ode::{self, Direction, EventResponse, Events, IntervalCheck, RearmPolicy, Resting, SampleId, SamplingPolicy};

/// Parts into which a step is divided in the search for events while contacts are held whose features change with the poses.
const SEARCH_PARTS: usize = 32;

/// An event that has fired and cannot fire again yet.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct RestingEvent {
    event: usize,
    t: f64,
    #[serde(flatten)]
    resting: Resting,
}

/// What an event sees of y.
pub(super) fn event_input<'a>(
    model: &'a Model,
    scene: &'a MarkerKinematics,
    recorder: &'a Recorder,
    t: f64,
    y: &'a [f64],
) -> EventInput<'a> {
    let s = model.sizes;
    let (q, rest) = y.split_at(s.q);
    let (v, rest) = rest.split_at(s.v);
    EventInput { t, q, v, z: &rest[..s.z], model, motions: &scene.motions, recorder }
}

impl Events for TransientProblem<'_> {
    fn event_count(&self) -> usize {
        self.events.len() + self.contact_switches.count()
    }

    fn direction(&self, i: usize) -> Direction {
        self.events.get(i).map_or(Direction::Falling, |e| e.direction())
    }

    fn dependence(&self) -> taut_ode::EventDependence {
        if self.has_motion_events() || !self.contact_switches.is_empty() {
            taut_ode::EventDependence::OnState
        } else if self.events.iter().all(|e| e.depends_on() == EventDependence::LinearInTime) {
            taut_ode::EventDependence::LinearInTime
        } else {
            taut_ode::EventDependence::OnTime
        }
    }

    fn rearm_policy(&self, i: usize) -> RearmPolicy {
        if i < self.events.len() { RearmPolicy::AfterLeavingZero } else { RearmPolicy::Immediately }
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        if interruption::is_requested() {
            return g.fill(f64::NAN);
        }
        let (own, laws) = g.split_at_mut(self.events.len());
        if !own.is_empty() {
            if self.has_motion_events() {
                self.evaluate_for_events(t, y);
            }
            let seen = event_input(self.dynamics.model, &self.scene, &self.log.recorder, t, y);
            self.events.iter().zip(own).for_each(|(e, g)| *g = e.value(&seen));
        }
        if self.contact_switches.is_empty() {
            return;
        }
        // The error of interpolation exceeds the distance between features that touch: evaluate them on the manifold.
        let held =
            !self.dynamics.model.contact_slots.is_empty() && self.contact_switches.needs_forces(&self.dynamics.modes);
        if held {
            self.work_state.copy_from_slice(y);
            self.dynamics.project_output(t, &mut self.work_state);
        }
        let (q, v, z) = split_state(self.dynamics.model, if held { &self.work_state } else { y });
        // Guards of forces that read reactions depend on multipliers too.
        let read = !self.dynamics.model.reaction_forces.is_empty();
        if read || self.contact_switches.needs_forces(&self.dynamics.modes) {
            self.solves += 1;
            if self.dynamics.solve_accelerations(t, q, v, z).is_err() {
                laws.fill(f64::NAN);
                return;
            }
        } else {
            self.dynamics.assemble_positions(t, q, v, z);
        }
        self.contact_switches.values(&self.dynamics, t, z, laws);
    }

    fn sampling_policy(&self, i: usize) -> SamplingPolicy {
        match i.checked_sub(self.events.len()) {
            None => SamplingPolicy::ByValues,
            Some(i) => self.contact_switches.follow(&self.dynamics, i),
        }
    }

    fn initial_parts(&self) -> Option<usize> {
        self.contact_switches.has_held_features(&self.dynamics).then_some(SEARCH_PARTS)
    }

    fn record_sample(&mut self, at: SampleId) {
        if !self.contact_switches.is_empty() {
            self.contact_switches.store_gaps(&self.dynamics, at);
        }
    }

    fn check_interval(&mut self, i: usize, from: SampleId, to: SampleId) -> IntervalCheck {
        match i.checked_sub(self.events.len()) {
            None => IntervalCheck::NoHiddenZero,
            Some(i) => self.contact_switches.between(&self.dynamics, i, from, to),
        }
    }

    fn search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        let name = match i.checked_sub(self.events.len()) {
            None => self.events[i].name().to_string(),
            Some(i) => self.contact_switches.name_of(self.dynamics.model, i).to_string(),
        };
        self.warn_of_unresolved(&name, from, to);
    }

    fn set_resting(&mut self, i: usize, t: f64, resting: Resting) {
        self.resting_events.retain(|rest| rest.t == t && rest.event != i);
        self.resting_events.push(RestingEvent { event: i, t, resting });
    }

    fn resting(&self, i: usize, t: f64) -> Option<Resting> {
        self.resting_events.iter().find(|rest| rest.event == i && rest.t == t).map(|rest| rest.resting)
    }

    fn touched(&mut self, i: usize, t: f64, _: &[f64]) {
        if let Some(event) = self.events.get(i) {
            self.log.events.push(EventRecord::new(event.name(), i, t, EventKind::Touches));
        }
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
        if i < self.events.len() { self.fire_event(i, t, y) } else { self.fire_switch(i - self.events.len(), t, y) }
    }
}

impl TransientProblem<'_> {
    /// Warns that the bounded search for zeros of an event, a gap or a switching condition ended without a certain result.
    pub(super) fn warn_of_unresolved(&mut self, name: &str, from: f64, to: f64) {
        self.log.warn_doubtful(from, &format!("`{name}` could not be followed closely enough"), name, || {
            format!(
                " between {from:.9e} s and {to:.9e} s: a zero crossing may have been missed; use a smaller `max_step`"
            )
        });
    }

    /// Whether an event depends on more than the time.
    fn has_motion_events(&self) -> bool {
        self.events.iter().any(|e| e.depends_on() == EventDependence::Motions)
    }

    /// Updates the longest step in which compliant contacts can be followed.
    pub fn update_compliant_step(&mut self, t: f64, y: &[f64]) {
        if self.contact_switches.compliant_forces().is_empty() {
            return;
        }
        self.evaluate_for_events(t, y);
        let (_, _, z) = split_state(self.dynamics.model, y);
        self.longest_compliant_step =
            self.contact_switches.longest_compliant_step(self.dynamics.model, t, &self.scene.motions, z);
    }

    pub(super) fn evaluate_for_events(&mut self, t: f64, y: &[f64]) {
        let s = self.dynamics.model.sizes;
        let (q, v) = (&y[..s.q], &y[s.q..s.q + s.v]);
        let z = &y[s.q + s.v..s.q + s.v + s.z];
        let at = StateView { t, q, v, z, modes: &self.dynamics.modes };
        assemble_positions(self.dynamics.model, at, &mut self.scene, &mut self.eq);
    }
}
