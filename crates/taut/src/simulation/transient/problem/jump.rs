//! Actions of user events: state changes under the constraints, with their energy.
//!
//! ```text
//!  M (v⁺ − v⁻) = Jᵀ p + Aᵀ Λ,   A v⁺ = −φ_t          an impulse p under the active rows
//!  ΔT = ½ (v⁺ + v⁻)ᵀ (Jᵀ p + Aᵀ Λ)                    of which −½ Λᵀ φ̇⁻ at rows just locked is lost
//! ```
//!
//! Rows with a law do not take part in this jump; the laws are then decided at the new state as at any other.

use super::manifold::From;
use super::watch::look;
use super::{Decided, Problem, parts};
use crate::dynamics::masked;
use crate::equations::{At, place};
use crate::events::{After, Change, Order};
use crate::events::{Happening, Occurrence};
use crate::formulations::{Method, Setup};
use crate::kkt::Policy;
use crate::laws::Law;
use crate::model::{BodyEntry, Topology};
use crate::motion::Wrench;
use crate::solution::{Blame, Outcome, worst};
use crate::state::Mode;
use std::ops::Range;
use taut_ode::{Action, Hook};

/// Position residual above which a constraint cannot be locked without moving a body, m or rad.
const OFF: f64 = 1e-6;
/// Rounds of the velocity projection; more than one for round-off and rows nonlinear in v.
const ROUNDS: usize = 3;

/// Impulses and rates of a velocity jump.
pub(super) struct Jolt {
    /// Λ of every row.
    pub impulse: Vec<f64>,
    /// φ̇ of every row before.
    pub rate: Vec<f64>,
}

impl Jolt {
    /// Energy lost at these rows.
    fn lost(&self, rows: Range<usize>) -> f64 {
        -0.5 * rows.map(|r| self.impulse[r] * self.rate[r]).sum::<f64>()
    }
}

impl Problem<'_> {
    /// An event of the model or of the user has crossed zero.
    pub(super) fn triggered(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        self.place_for_events(t, y);
        let before = y.to_vec();
        let model = self.dynamics.model;
        let s = model.sizes;
        let modes = self.dynamics.modes.clone();
        let mut orders = std::mem::take(&mut self.orders);
        orders.clear();
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let (z, asked) = (&mut rest[..s.z], &mut orders);
        let mut change = Change { q, v, z, modes: &mut self.dynamics.modes, orders: asked };
        let event = &mut self.events[i];
        let after = event.action(&look(model, &self.scene, &self.log.recorder, t, &before), &mut change);
        self.log.events.push(Occurrence::new(event.name(), i, t, Happening::Event));
        let changes = orders.iter().any(|o| *o != Order::Record);
        let records = orders.contains(&Order::Record);
        let edited = after == After::Jump;
        let wanted = std::mem::replace(&mut self.dynamics.modes, modes.clone());
        if records {
            self.record_before(t, &before);
        }
        let mut action = Action::Continue;
        if edited {
            self.dynamics.modes = wanted;
        } else {
            y.copy_from_slice(&before);
        }
        if edited || changes {
            action = self.reshape(t, y, &before, &modes, &orders);
            if action == Action::Jump && records && !self.both_sides {
                self.last_output = None;
                self.output(t, y);
            }
        }
        self.orders = orders;
        match (action, after) {
            (Action::Jump, After::Stop) => Action::JumpAndStop,
            (Action::Continue, After::Stop) => {
                self.place_for_events(t, y);
                self.log.recorder.turns.cut(t, &self.log.recorder.gauges, &self.scene.motions);
                self.t_step = t;
                Action::Stop
            }
            (action, _) => action,
        }
    }

    /// Records the state before an event, unless it is recorded already.
    fn record_before(&mut self, t: f64, y: &[f64]) {
        let recorded = self
            .last_output
            .as_ref()
            .is_some_and(|(last, seen)| *last == t && (self.jumped_at != Some(t) || seen == y));
        if !recorded {
            self.last_output = None;
            self.output(t, y);
        }
    }

    /// Carries out the requests of an event, records their energy, and decides the contact modes.
    fn reshape(&mut self, t: f64, y: &mut [f64], before: &[f64], modes: &[Mode], orders: &[Order]) -> Action {
        let model = self.dynamics.model;
        let energy = self.energy_of(t, before);
        // Residuals before the event are subtracted.
        let wanted = std::mem::replace(&mut self.dynamics.modes, modes.to_vec());
        let kept = self.place_bare(t, before);
        self.dynamics.modes = wanted;
        let moves = |b: &BodyEntry| !b.v.is_empty() && y[b.q.clone()] != before[b.q.clone()];
        let moved = model.bodies.iter().any(moves);
        self.rewrite(t, y);
        // Recorded at the end: a rejected request costs nothing.
        let mut losses: Vec<(usize, f64)> = Vec::new();
        let lost_at = |c: usize, jolt: &Jolt| (c, jolt.lost(model.constraints[c].rows.clone()));
        if moved {
            self.return_bare(t, y);
        }
        if y != before || self.dynamics.modes != modes {
            let jolt = self.jolt(t, y, None);
            for c in (0..model.constraints.len()).filter(|c| modes[*c] == Mode::Idle) {
                if self.dynamics.modes[c] == Mode::Active && model.constraints[c].law == Law::Bilateral {
                    losses.push(lost_at(c, &jolt));
                }
            }
        }
        for order in orders {
            match *order {
                Order::Record => {}
                Order::Unlock(c) => self.dynamics.modes[c] = Mode::Idle,
                Order::Set(i, value) => {
                    y[i] = value;
                    self.jolt(t, y, None);
                }
                Order::Hit(marker, on) => {
                    self.jolt(t, y, Some((marker, on)));
                }
                Order::Lock(c) if self.dynamics.modes[c] == Mode::Idle => {
                    self.dynamics.modes[c] = Mode::Active;
                    if model.constraints[c].law == Law::Bilateral {
                        losses.push(lost_at(c, &self.jolt(t, y, None)));
                    }
                }
                Order::Lock(_) => {}
            }
        }
        let phi = self.place_bare(t, y);
        let off: Vec<f64> = phi.iter().zip(&kept).map(|(now, kept)| now - kept).collect();
        let (residual, row) = worst(&off);
        if !moved && (residual.is_nan() || residual > OFF) {
            let blame = Blame::Constraint { row: model.row_name(row), residual };
            self.ending = Some(Outcome::ConstraintsLost { t, blame });
            y.copy_from_slice(before);
            self.dynamics.modes.copy_from_slice(modes);
            return Action::Stop;
        }
        losses.iter().for_each(|(c, lost)| self.impact_losses[*c] += lost);
        let lost: f64 = losses.iter().map(|(_, lost)| lost).sum();
        self.jump_work += self.energy_of(t, y) - energy + lost;
        if let Some(told) = self.log.events.last_mut() {
            told.lost = lost;
        }
        self.bind(t, y);
        let (q, v, z) = parts(model, y);
        self.dynamics.engage(At { t, q, v, z, modes: &[] });
        if self.switches.watched().is_empty() {
            // If the projection fails, the next step is rejected.
            _ = self.return_to_manifold(t, y, From::Elsewhere);
        }
        self.decided = Decided::Already;
        self.go_on(t, y)
    }

    /// T + V of y.
    fn energy_of(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v, z) = parts(self.dynamics.model, y);
        self.dynamics.place(t, q, v, z);
        let (kinetic, potential) = self.dynamics.energy(q, v, z, t);
        kinetic + potential
    }

    /// The modes with every constraint that has a law inactive.
    fn bare(&self) -> Vec<Mode> {
        let constraints = self.dynamics.model.constraints.iter().zip(&self.dynamics.modes);
        constraints.map(|(c, mode)| if c.law == Law::Bilateral { *mode } else { Mode::Idle }).collect()
    }

    /// Evaluates the equations at y with every constraint that has a law inactive. Returns φ.
    pub(super) fn place_bare(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let (q, v, z) = parts(self.dynamics.model, y);
        let modes = self.bare();
        place(self.dynamics.model, At { t, q, v, z, modes: &modes }, &mut self.scene, &mut self.eq);
        self.eq.phi.clone()
    }

    /// Projects positions that the user changed onto the bilateral constraints.
    fn return_bare(&mut self, t: f64, y: &mut [f64]) {
        let bare = self.bare();
        let modes = std::mem::replace(&mut self.dynamics.modes, bare);
        let (q, v, z) = parts(self.dynamics.model, y);
        self.dynamics.engage(At { t, q, v, z, modes: &[] });
        _ = self.return_to_manifold(t, y, From::Elsewhere);
        self.dynamics.modes = modes;
    }

    /// Applies an impulse on a marker under all active bilateral rows. Without an impulse, projects the
    /// velocities onto these rows.
    pub(super) fn jolt(&mut self, t: f64, y: &mut [f64], hit: Option<(usize, Wrench)>) -> Jolt {
        let model = self.dynamics.model;
        let s = model.sizes;
        let mut formulation =
            Method::default().formulation(&model.layout, &self.dynamics.scale, &Policy::default(), &Setup::default());
        let masked = masked(model, &self.bare());
        self.place_bare(t, y);
        if let Some(projector) = formulation.projector() {
            projector.mask(&masked);
            if model.topology == Topology::Loops {
                projector.examine(&self.eq.M, &self.eq.A);
            }
        }
        self.eq.f.fill(0.0);
        if let Some((marker, on)) = hit {
            self.pull(marker, &on, &y[..s.q]);
        }
        let mut jolt = Jolt { impulse: vec![0.0; model.rows.len()], rate: self.eq.phidot.to_vec() };
        let (mut delta, mut impulse) = (vec![0.0; s.v], vec![0.0; model.rows.len()]);
        for _ in 0..ROUNDS {
            self.eq.b.iter_mut().zip(&self.eq.phidot).for_each(|(b, rate)| *b = -rate);
            self.solves += 1;
            // Without a solution nothing jumps; the next step reports why.
            if formulation.prepare_and_solve(&self.eq, &mut delta, &mut impulse).is_err() {
                return jolt;
            }
            y[s.q..s.q + s.v].iter_mut().zip(&delta).for_each(|(v, d)| *v += d);
            jolt.impulse.iter_mut().zip(&impulse).for_each(|(sum, one)| *sum += one);
            self.place_bare(t, y);
            self.eq.f.fill(0.0);
        }
        jolt
    }

    /// f += Jᵀ w of a wrench on a marker.
    fn pull(&mut self, marker: usize, on: &Wrench, q: &[f64]) {
        let model = self.dynamics.model;
        let Some(b) = model.markers[marker].body.map(|b| &model.bodies[b]) else { return };
        let (own, seen) = (&self.scene.motions[b.markers.start], &self.scene.motions[marker]);
        let (q, place, mut f) = (&q[b.q.clone()], &model.markers[marker].place, vec![0.0; b.v.len()]);
        b.kind.body().pull(q, own, place, seen, on, &mut f);
        if !self.eq.B.is_empty() {
            b.kind.body().react(q, &mut f);
        }
        self.eq.f[b.v.clone()].iter_mut().zip(&f).for_each(|(sum, f)| *sum += f);
    }
}
