//! Integrates extra states along a prescribed motion: filters, controllers, clocks.
//!
//! The pose follows from the time, so ż = g(t, q(t), v(t), z) is a system in z only. Radau IIA integrates it with error control and
//! handles stiff lags. Sampled controllers take their samples at guards.

use super::continuation::move_to_time;
use crate::constraints::{ElementInput, ResetGuardActivity};
use crate::equations::assemble_rates;
use crate::model::Model;
use crate::simulation::position_newton::PositionNewton;
use crate::solution::Cause;
use crate::state::State;
use taut_ode::{Direction, EventResponse, Events, Hook, Method, Plan, Refusal, Settings, Stepper, System, integrate};

/// Tolerance of the integration.
const TOLERANCE: f64 = 1e-10;

/// The element that a guard belongs to.
#[derive(Clone, Copy, Debug)]
enum GuardOwner {
    Constraint(usize),
    Force(usize),
}

/// Integrates the extra states of a model on its prescribed motion.
pub(super) struct ExtraStateIntegrator<'m> {
    newton: PositionNewton<'m>,
    /// The pose of the last requested time.
    state: State,
    /// Indices of the extra states other than turn counters.
    indices: Vec<usize>,
    guards: Vec<(GuardOwner, usize)>,
    cause: Option<Cause>,
}

impl<'m> ExtraStateIntegrator<'m> {
    /// `None` if the model has no extra states other than turn counters.
    pub fn new(model: &'m Model, newton: PositionNewton<'m>, state: &State) -> Option<ExtraStateIntegrator<'m>> {
        let mut counter = vec![false; model.sizes.z];
        let constraints = model.constraints.iter().map(|c| (c.z.clone(), c.kind.constraint().angle_markers().len()));
        let forces = model.forces.iter().map(|f| (f.z.clone(), f.kind.force().angle_markers().len()));
        constraints.chain(forces).for_each(|(z, n)| counter[z].iter_mut().take(n).for_each(|c| *c = true));
        // States of contact features are set where gaps are sampled.
        for c in model.contact_slots.iter().flat_map(|m| &m.slots) {
            counter[model.constraints[*c].z.clone()].fill(true);
        }
        let own: Vec<usize> = (0..model.sizes.z).filter(|z| !counter[*z]).collect();
        let always =
            |c: &usize| model.constraints[*c].kind.constraint().reset_guard_activity() == ResetGuardActivity::Always;
        let of_constraints = (0..model.constraints.len()).filter(always).flat_map(|c| {
            (0..model.constraints[c].kind.constraint().reset_guard_count()).map(move |i| (GuardOwner::Constraint(c), i))
        });
        let of_forces = (0..model.forces.len()).flat_map(|f| {
            (0..model.forces[f].kind.force().reset_guard_count()).map(move |i| (GuardOwner::Force(f), i))
        });
        let alarms = of_constraints.chain(of_forces).collect();
        (!own.is_empty()).then(|| ExtraStateIntegrator {
            newton,
            state: state.clone(),
            indices: own,
            guards: alarms,
            cause: None,
        })
    }

    fn set_states(&mut self, y: &[f64]) {
        self.indices.iter().zip(y).for_each(|(z, y)| self.state.z[*z] = *y);
    }

    fn states(&self) -> Vec<f64> {
        self.indices.iter().map(|z| self.state.z[*z]).collect()
    }

    /// Fires the guards that are not positive at the start.
    pub fn fire_initial_guards(&mut self, state: &mut State) {
        self.state.clone_from(state);
        self.newton.evaluate(&self.state);
        for k in 0..self.guards.len() {
            if self.guard(k) <= 0.0 {
                self.fire_guard(k);
            }
        }
        state.z.clone_from(&self.state.z);
    }

    /// Integrates the extra states of `state` to the time `t`.
    ///
    /// # Errors
    /// The cause, if the integration fails.
    pub fn advance(&mut self, state: &mut State, t: f64) -> Result<(), Cause> {
        if t <= state.t {
            return Ok(());
        }
        self.state.clone_from(state);
        let failed = || Cause::Formulation("the extra states cannot be integrated".to_string());
        let settings = Settings::with_tolerance(TOLERANCE, TOLERANCE);
        let mut stepper: Box<dyn Stepper> =
            Method::RadauIia5.stepper(state.t, &self.states(), &settings).map_err(|_| failed())?;
        let run = integrate(&mut *stepper, self, &Plan::to(t)).map_err(|_| failed())?;
        if run.outcome != taut_ode::IntegrationOutcome::Finished {
            return Err(self.cause.take().unwrap_or_else(failed));
        }
        let y = stepper.y().to_vec();
        self.indices.iter().zip(&y).for_each(|(z, y)| state.z[*z] = *y);
        Ok(())
    }

    /// Evaluates the pose at the time `t` with the extra states `y`.
    fn place_at(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        if t != self.state.t {
            let from = self.state.clone();
            if let Err(cause) = move_to_time(&mut self.newton, &mut self.state, t) {
                self.state = from;
                self.cause = Some(cause);
                return Err(Refusal::NotConverged);
            }
        }
        self.set_states(y);
        self.newton.evaluate(&self.state);
        Ok(())
    }

    fn guard(&self, k: usize) -> f64 {
        let (owner, i) = self.guards[k];
        let (model, motions, t) = (self.newton.model, &self.newton.scene.motions, self.state.t);
        match owner {
            GuardOwner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = ElementInput { t, motions, markers: &entry.markers, z: &self.state.z[entry.z.clone()] };
                entry.kind.constraint().reset_guard(&view, i)
            }
            GuardOwner::Force(f) => {
                let entry = &model.forces[f];
                let view = ElementInput { t, motions, markers: &entry.markers, z: &self.state.z[entry.z.clone()] };
                entry.kind.force().reset_guard(&view, i)
            }
        }
    }

    fn fire_guard(&mut self, k: usize) {
        let (owner, i) = self.guards[k];
        let (model, motions, t) = (self.newton.model, &self.newton.scene.motions, self.state.t);
        let before = self.state.z.clone();
        match owner {
            GuardOwner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = ElementInput { t, motions, markers: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.constraint().reset_states(&view, i, &mut self.state.z[entry.z.clone()]);
            }
            GuardOwner::Force(f) => {
                let entry = &model.forces[f];
                let view = ElementInput { t, motions, markers: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.force().reset_states(&view, i, &mut self.state.z[entry.z.clone()]);
            }
        }
    }
}

impl System for ExtraStateIntegrator<'_> {
    fn dimension(&self) -> usize {
        self.indices.len()
    }

    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        self.place_at(t, y)?;
        let PositionNewton { model, scene, eq, .. } = &mut self.newton;
        assemble_rates(model, (&self.state).into(), scene, eq);
        dydt.iter_mut().zip(&self.indices).for_each(|(d, z)| *d = eq.zdot[*z]);
        if dydt.iter().all(|d| d.is_finite()) { Ok(()) } else { Err(Refusal::NotFinite) }
    }
}

impl Events for ExtraStateIntegrator<'_> {
    fn event_count(&self) -> usize {
        self.guards.len()
    }

    fn direction(&self, _i: usize) -> Direction {
        Direction::Falling
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let there = self.place_at(t, y).is_ok();
        (0..g.len()).for_each(|k| g[k] = if there { self.guard(k) } else { f64::NAN });
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
        if self.place_at(t, y).is_err() {
            return EventResponse::Stop;
        }
        self.fire_guard(i);
        y.copy_from_slice(&self.states());
        EventResponse::Jump
    }
}

impl Hook for ExtraStateIntegrator<'_> {}
