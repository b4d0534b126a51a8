//! Actions of user events: state changes under the constraints, with their energy.
//!
//! ```text
//!  M (v⁺ − v⁻) = Jᵀ p + Aᵀ Λ,   A v⁺ = −φ_t          an impulse p under the active rows
//!  ΔT = ½ (v⁺ + v⁻)ᵀ (Jᵀ p + Aᵀ Λ)                    of which −½ Λᵀ φ̇⁻ at rows just locked is lost
//! ```
//!
//! Rows with a law do not take part in this jump; the laws are then decided at the new state as at any other.

use super::event_functions::event_input;
use super::manifold::StateOrigin;
use super::{DecisionState, TransientProblem, split_state};
use crate::dynamics::{RowWeighting, inactive_rows};
use crate::equations::{StateView, assemble_positions};
use crate::events::{EventKind, EventRecord};
use crate::events::{EventRequest, RunAction, StateChange};
use crate::formulations::{Formulation, FormulationParameters, Method};
use crate::kkt::RankPolicy;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::ids::BodyId;
use crate::model::{BodyEntry, Topology};
use crate::motion::Wrench;
use crate::solution::{Cause, Outcome, PeakMonitor};
use crate::state::ConstraintMode;
use std::ops::Range;
use taut_ode::{EventResponse, Hook};

/// Position residual above which a constraint cannot be locked without moving a body, m or rad.
const LOCK_POSITION_TOLERANCE: f64 = 1e-6;
/// Rounds of the velocity projection; more than one for round-off and rows nonlinear in v.
const PROJECTION_ROUNDS: usize = 3;

/// Rate at which drivers close a gap further, relative to the speed of the mechanism.
const PRESCRIBED_RATE_TOLERANCE: f64 = 1e-8;
/// Part of a force that reactions leave, below which they balance it.
const NO_RESPONSE: f64 = 1e-9;

/// Impulses and rates of a velocity jump.
pub(super) struct VelocityJump {
    /// Λ of every row.
    pub impulse: Vec<f64>,
    /// φ̇ of every row before.
    pub rate: Vec<f64>,
}

impl VelocityJump {
    /// Energy lost at these rows.
    fn energy_loss(&self, rows: Range<usize>) -> f64 {
        -0.5 * rows.map(|r| self.impulse[r] * self.rate[r]).sum::<f64>()
    }
}

impl TransientProblem<'_> {
    /// An event of the model or of the user has crossed zero.
    pub(super) fn fire_event(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
        self.sample_before_jump(t, y);
        self.evaluate_for_events(t, y);
        let before = y.to_vec();
        let model = self.dynamics.model;
        let s = model.sizes;
        let modes = self.dynamics.modes.clone();
        let mut orders = std::mem::take(&mut self.requests);
        orders.clear();
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let (z, requested) = (&mut rest[..s.z], &mut orders);
        let mut change = StateChange { q, v, z, modes: &mut self.dynamics.modes, requests: requested };
        let event = &mut self.events[i];
        let after = event.action(&event_input(model, &self.scene, &self.log.recorder, t, &before), &mut change);
        self.log.events.push(EventRecord::new(event.name(), i, t, EventKind::Event));
        let changes = orders.iter().any(|o| *o != EventRequest::Record);
        let records = orders.contains(&EventRequest::Record);
        let edited = after == RunAction::Jump;
        let wanted = std::mem::replace(&mut self.dynamics.modes, modes.clone());
        if records {
            self.record_before(t, &before);
        }
        let mut action = EventResponse::Continue;
        if edited {
            self.dynamics.modes = wanted;
        } else {
            y.copy_from_slice(&before);
        }
        if edited || changes {
            action = self.carry_out_requests(t, y, &before, &modes, &orders);
            if action == EventResponse::Jump && records && !self.both_sides {
                self.last_output = None;
                self.output(t, y);
            }
        }
        self.requests = orders;
        match (action, after) {
            (EventResponse::Jump, RunAction::Stop) => EventResponse::JumpAndStop,
            (EventResponse::Continue, RunAction::Stop) => {
                self.truncate_angle_step(t, y);
                self.end_step_at(t, y);
                EventResponse::Stop
            }
            (action, _) => action,
        }
    }

    /// Sets variables at the present time, as the action of an event would.
    pub fn set_variables(&mut self, t: f64, y: &mut [f64], values: &[(BodyId, f64)]) {
        self.sample_before_jump(t, y);
        let (before, modes) = (y.to_vec(), self.dynamics.modes.clone());
        let orders: Vec<EventRequest> = values.iter().map(|(i, value)| EventRequest::Set(*i, *value)).collect();
        let lost = self.log.events.last().map(|e| e.lost);
        self.carry_out_requests(t, y, &before, &modes, &orders);
        // The last event is not the reason for this change, so its loss stays.
        self.log.events.last_mut().zip(lost).into_iter().for_each(|(event, lost)| event.lost = lost);
        self.set_recorded(None);
    }

    /// Samples the reactions before a jump, if they may be the largest so far.
    pub(super) fn sample_before_jump(&mut self, t: f64, y: &[f64]) {
        if self.peaks.as_mut().is_some_and(PeakMonitor::needs_sample_before_jump) {
            self.sample(t, y);
        }
    }

    /// Records the state before an event, unless it is recorded already.
    fn record_before(&mut self, t: f64, y: &[f64]) {
        let recorded =
            self.last_output.as_ref().is_some_and(|last| last.t == t && (self.jumped_at != Some(t) || last.y == y));
        if !recorded {
            self.last_output = None;
            self.output(t, y);
        }
    }

    /// Carries out the requests of an event, records their energy, and decides the contact modes.
    fn carry_out_requests(
        &mut self,
        t: f64,
        y: &mut [f64],
        before: &[f64],
        modes: &[ConstraintMode],
        orders: &[EventRequest],
    ) -> EventResponse {
        let model = self.dynamics.model;
        let energy = self.total_energy(t, before);
        // Residuals before the event are subtracted.
        let wanted = std::mem::replace(&mut self.dynamics.modes, modes.to_vec());
        let kept = self.evaluate_bilateral(t, before);
        self.dynamics.modes = wanted;
        let moves = |b: &BodyEntry| !b.v.is_empty() && y[b.q.clone()] != before[b.q.clone()];
        let moved = model.bodies.iter().any(moves);
        self.change_chart(t, y);
        // Recorded at the end: a rejected request costs nothing.
        let mut losses: Vec<(usize, f64)> = Vec::new();
        let lost_at = |c: usize, jolt: &VelocityJump| (c, jolt.energy_loss(model.constraints[c].rows.clone()));
        if moved {
            self.return_to_bilateral(t, y);
        }
        if y != before || self.dynamics.modes != modes {
            let jolt = self.apply_velocity_jump(t, y, None);
            for c in (0..model.constraints.len()).filter(|c| modes[*c] == ConstraintMode::Idle) {
                if self.dynamics.modes[c] == ConstraintMode::Active
                    && model.constraints[c].law == ConstraintLaw::Bilateral
                {
                    losses.push(lost_at(c, &jolt));
                }
            }
        }
        for order in orders {
            match *order {
                EventRequest::Record => {}
                EventRequest::Unlock(c) => self.dynamics.modes[usize::from(c)] = ConstraintMode::Idle,
                EventRequest::Set(variable, value) => {
                    y[model[variable].q.start] = value;
                    self.apply_velocity_jump(t, y, None);
                }
                EventRequest::Impulse(marker, on) => {
                    self.apply_velocity_jump(t, y, Some((marker.into(), on)));
                }
                EventRequest::Lock(c) if self.dynamics.modes[usize::from(c)] == ConstraintMode::Idle => {
                    self.dynamics.modes[usize::from(c)] = ConstraintMode::Active;
                    if model[c].law == ConstraintLaw::Bilateral {
                        losses.push(lost_at(c.into(), &self.apply_velocity_jump(t, y, None)));
                    }
                }
                EventRequest::Lock(_) => {}
            }
        }
        let phi = self.evaluate_bilateral(t, y);
        let off: Vec<f64> = phi.iter().zip(&kept).map(|(now, kept)| now - kept).collect();
        let (residual, row) = largest_magnitude(&off);
        if !moved && (residual.is_nan() || residual > LOCK_POSITION_TOLERANCE) {
            let cause = Cause::Constraint { row: model.row_name(row), residual };
            self.own_outcome = Some(Outcome::ConstraintsLost { t, cause });
            y.copy_from_slice(before);
            self.dynamics.modes.copy_from_slice(modes);
            return EventResponse::Stop;
        }
        losses.iter().for_each(|(c, lost)| self.impact_losses[*c] += lost);
        let lost: f64 = losses.iter().map(|(_, lost)| lost).sum();
        self.jump_work += self.total_energy(t, y) - energy + lost;
        if let Some(reported) = self.log.events.last_mut() {
            reported.lost = lost;
        }
        self.bind_contact_features(t, y);
        let (q, v, z) = split_state(model, y);
        self.dynamics.apply_modes(StateView { t, q, v, z, modes: &[] });
        if self.contact_switches.watched().is_empty() {
            // If the projection fails, the next step is rejected.
            _ = self.return_to_manifold(t, y, StateOrigin::Elsewhere);
        }
        self.decided = DecisionState::Already;
        self.decide_and_continue(t, y)
    }

    /// T + V of y.
    fn total_energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let (q, v, z) = split_state(self.dynamics.model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        let (kinetic, potential) = self.dynamics.energy(q, v, z, t);
        kinetic + potential
    }

    fn bilateral_modes(&self) -> Vec<ConstraintMode> {
        self.dynamics.model.bilateral_modes(&self.dynamics.modes).collect()
    }

    /// Evaluates the equations at y with every constraint that has a law inactive. Returns φ.
    pub(super) fn evaluate_bilateral(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let (q, v, z) = split_state(self.dynamics.model, y);
        let modes = self.bilateral_modes();
        assemble_positions(self.dynamics.model, StateView { t, q, v, z, modes: &modes }, &mut self.scene, &mut self.eq);
        self.eq.phi.clone()
    }

    /// Projects positions that the user changed onto the bilateral constraints.
    fn return_to_bilateral(&mut self, t: f64, y: &mut [f64]) {
        let bare = self.bilateral_modes();
        let modes = std::mem::replace(&mut self.dynamics.modes, bare);
        let (q, v, z) = split_state(self.dynamics.model, y);
        self.dynamics.apply_modes(StateView { t, q, v, z, modes: &[] });
        _ = self.return_to_manifold(t, y, StateOrigin::Elsewhere);
        self.dynamics.modes = modes;
    }

    /// Solves the equations with all active bilateral rows only; they are evaluated at y.
    fn bilateral_formulation(&mut self, t: f64, y: &[f64]) -> Box<dyn Formulation> {
        let model = self.dynamics.model;
        let mut formulation = Method::default().formulation(
            &model.layout,
            &self.dynamics.row_scales,
            &RankPolicy::default(),
            &FormulationParameters::default(),
            RowWeighting::Scaled,
        );
        let masked = inactive_rows(model, &self.bilateral_modes());
        self.evaluate_bilateral(t, y);
        if let Some(projector) = formulation.projector() {
            projector.set_inactive_rows(&masked);
            if model.topology == Topology::Loops {
                projector.detect_rank(&self.eq.M, &self.eq.A);
            }
        }
        formulation
    }

    /// The first closed gap that drivers close further: its rate is negative, and no force in it can change that.
    pub(super) fn contradicted_gap(&mut self, t: f64, y: &[f64]) -> Option<String> {
        let model = self.dynamics.model;
        // The rates that the bilateral rows prescribe.
        let mut y = y.to_vec();
        self.apply_velocity_jump(t, &mut y, None);
        let closed = |c: &usize| {
            let first = model.constraints[*c].rows.start;
            let speed = model.contact_scale.length() + largest_magnitude(&y[model.sizes.q..][..model.sizes.v]).0;
            model.constraints[*c].law.has_gap()
                && self.eq.inactive.phi[first] <= model.contact_scale.closed_gap()
                && self.eq.inactive.rate[first] < -PRESCRIBED_RATE_TOLERANCE * speed
        };
        let candidates: Vec<usize> = (0..model.constraints.len()).filter(closed).collect();
        if candidates.is_empty() {
            return None;
        }
        let mut formulation = self.bilateral_formulation(t, &y);
        let (mut response, mut impulse) = (vec![0.0; model.sizes.v], vec![0.0; model.rows.len()]);
        let mut remaining = vec![0.0; model.sizes.v];
        let unmoved = |c: &usize| {
            self.eq.f.fill(0.0);
            self.eq.b.fill(0.0);
            let mut force = vec![0.0; model.sizes.v];
            self.eq.add_inactive_row(&model.constraints[*c], 0, 1.0, &mut force);
            self.eq.f.copy_from_slice(&force);
            self.solves += 1;
            // M x is what the reactions leave of the force.
            formulation.prepare_and_solve(&self.eq, &mut response, &mut impulse).is_ok() && {
                self.eq.mass_times(&response, &mut remaining);
                largest_magnitude(&remaining).0 <= NO_RESPONSE * largest_magnitude(&force).0
            }
        };
        candidates.into_iter().find(unmoved).map(|c| model.constraints[c].name.clone())
    }

    /// Applies an impulse on a marker under all active bilateral rows. Without an impulse, projects the
    /// velocities onto these rows.
    pub(super) fn apply_velocity_jump(&mut self, t: f64, y: &mut [f64], hit: Option<(usize, Wrench)>) -> VelocityJump {
        let model = self.dynamics.model;
        let s = model.sizes;
        let mut formulation = self.bilateral_formulation(t, y);
        self.eq.f.fill(0.0);
        if let Some((marker, on)) = hit {
            self.scene.add_generalised_force(model, &y[..s.q], marker, &on, &mut self.eq.f);
        }
        let mut jolt = VelocityJump { impulse: vec![0.0; model.rows.len()], rate: self.eq.phidot.to_vec() };
        let (mut delta, mut impulse) = (vec![0.0; s.v], vec![0.0; model.rows.len()]);
        for _ in 0..PROJECTION_ROUNDS {
            self.eq.b.iter_mut().zip(&self.eq.phidot).for_each(|(b, rate)| *b = -rate);
            self.solves += 1;
            // Without a solution nothing jumps; the next step reports why.
            if formulation.prepare_and_solve(&self.eq, &mut delta, &mut impulse).is_err() {
                return jolt;
            }
            y[s.q..s.q + s.v].iter_mut().zip(&delta).for_each(|(v, d)| *v += d);
            jolt.impulse.iter_mut().zip(&impulse).for_each(|(sum, one)| *sum += one);
            self.evaluate_bilateral(t, y);
            self.eq.f.fill(0.0);
        }
        jolt
    }
}
