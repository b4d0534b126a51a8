//! The event functions that the integrator follows: first the events of the user, then the laws of the constraints.

use super::{Problem, parts};
use crate::equations::{At, Scene, place};
use crate::events::{Happening, Look, Occurrence};
use crate::model::Model;
use crate::solution::Recorder;
use crate::{Sight, interruption};
use taut_ode::{Action, Between, Depend, Direction, Events, Follow, NearZero, Noted, Resting};

/// Parts into which a step is divided in the search for events while contacts are held whose features change with the poses.
const CLOSELY: usize = 32;

/// An event that has fired and cannot fire again yet.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Rest {
    event: usize,
    t: f64,
    #[serde(flatten)]
    resting: Resting,
}

/// What an event sees of y.
pub(super) fn look<'a>(model: &'a Model, scene: &'a Scene, recorder: &'a Recorder, t: f64, y: &'a [f64]) -> Look<'a> {
    let s = model.sizes;
    let (q, rest) = y.split_at(s.q);
    let (v, rest) = rest.split_at(s.v);
    Look { t, q, v, z: &rest[..s.z], model, motions: &scene.motions, recorder }
}

impl Events for Problem<'_> {
    fn count(&self) -> usize {
        self.events.len() + self.switches.count()
    }

    fn direction(&self, i: usize) -> Direction {
        self.events.get(i).map_or(Direction::Falling, |e| e.direction())
    }

    fn depend(&self) -> Depend {
        if self.looks() || !self.switches.is_empty() {
            Depend::OnState
        } else if self.events.iter().all(|e| e.sight() == Sight::Straight) {
            Depend::Straight
        } else {
            Depend::OnTime
        }
    }

    fn near_zero(&self, i: usize) -> NearZero {
        if i < self.events.len() { NearZero::Rests } else { NearZero::Watched }
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        if interruption::is_asked() {
            return g.fill(f64::NAN);
        }
        let (own, laws) = g.split_at_mut(self.events.len());
        if !own.is_empty() {
            if self.looks() {
                self.place_for_events(t, y);
            }
            let seen = look(self.dynamics.model, &self.scene, &self.log.recorder, t, y);
            self.events.iter().zip(own).for_each(|(e, g)| *g = e.value(&seen));
        }
        if self.switches.is_empty() {
            return;
        }
        // The error of interpolation exceeds the distance between features that touch: evaluate them on the manifold.
        let held = !self.dynamics.model.meetings.is_empty() && self.switches.needs_forces(&self.dynamics.modes);
        if held {
            self.seen.copy_from_slice(y);
            self.dynamics.show(t, &mut self.seen);
        }
        let (q, v, z) = parts(self.dynamics.model, if held { &self.seen } else { y });
        if self.switches.needs_forces(&self.dynamics.modes) {
            self.solves += 1;
            if self.dynamics.accelerate(t, q, v, z).is_err() {
                laws.fill(f64::NAN);
                return;
            }
        } else {
            self.dynamics.place(t, q, v, z);
        }
        self.switches.values(&self.dynamics, t, z, laws);
    }

    fn follow(&self, i: usize) -> Follow {
        match i.checked_sub(self.events.len()) {
            None => Follow::Values,
            Some(i) => self.switches.follow(&self.dynamics, i),
        }
    }

    fn parts(&self) -> Option<usize> {
        self.switches.meets(&self.dynamics).then_some(CLOSELY)
    }

    fn note(&mut self, at: Noted) {
        if !self.switches.is_empty() {
            self.switches.note(&self.dynamics, at);
        }
    }

    fn between(&mut self, i: usize, from: Noted, to: Noted) -> Between {
        match i.checked_sub(self.events.len()) {
            None => Between::Clear,
            Some(i) => self.switches.between(&self.dynamics, i, from, to),
        }
    }

    fn lost_sight(&mut self, i: usize, from: f64, to: f64) {
        let name = match i.checked_sub(self.events.len()) {
            None => self.events[i].name().to_string(),
            Some(i) => self.switches.name_of(self.dynamics.model, i).to_string(),
        };
        self.log.warn_doubtful(from, &format!("`{name}` could not be followed closely enough"), &name, || {
            format!(
                " between {from:.9e} s and {to:.9e} s: a zero crossing may have been missed; use a smaller `max_step`"
            )
        });
    }

    fn rests(&mut self, i: usize, t: f64, resting: Resting) {
        self.resting.retain(|rest| rest.t == t && rest.event != i);
        self.resting.push(Rest { event: i, t, resting });
    }

    fn resting(&self, i: usize, t: f64) -> Option<Resting> {
        self.resting.iter().find(|rest| rest.event == i && rest.t == t).map(|rest| rest.resting)
    }

    fn touched(&mut self, i: usize, t: f64, _: &[f64]) {
        if let Some(event) = self.events.get(i) {
            self.log.events.push(Occurrence::new(event.name(), i, t, Happening::Touches));
        }
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        if i < self.events.len() { self.triggered(i, t, y) } else { self.switched(i - self.events.len(), t, y) }
    }
}

impl Problem<'_> {
    /// Whether an event depends on more than the time.
    fn looks(&self) -> bool {
        self.events.iter().any(|e| e.sight() == Sight::Motions)
    }

    /// Updates the longest step in which compliant contacts can be followed.
    pub fn follow_depths(&mut self, t: f64, y: &[f64]) {
        if self.switches.soft().is_empty() {
            return;
        }
        self.place_for_events(t, y);
        let (_, _, z) = parts(self.dynamics.model, y);
        self.longest = self.switches.longest(self.dynamics.model, t, &self.scene.motions, z);
    }

    pub(super) fn place_for_events(&mut self, t: f64, y: &[f64]) {
        let s = self.dynamics.model.sizes;
        let (q, v) = (&y[..s.q], &y[s.q..s.q + s.v]);
        let z = &y[s.q + s.v..s.q + s.v + s.z];
        let at = At { t, q, v, z, modes: &self.dynamics.modes };
        place(self.dynamics.model, at, &mut self.scene, &mut self.eq);
    }
}
