//! Integrates extra states along a prescribed motion: filters, controllers, clocks.
//!
//! The pose follows from the time, so ż = g(t, q(t), v(t), z) is a system in z only. Radau IIA integrates it with error control and
//! handles stiff lags. Sampled controllers take their samples at guards.

use super::follow::stand;
use crate::constraints::{Alert, View};
use crate::equations::carry;
use crate::model::Model;
use crate::simulation::newton::Newton;
use crate::solution::Blame;
use crate::state::State;
use taut_ode::{Action, Direction, Events, Hook, Method, Plan, Refusal, Settings, Stepper, System, integrate};

/// Tolerance of the integration.
const TOLERANCE: f64 = 1e-10;

/// The element that a guard belongs to.
#[derive(Clone, Copy, Debug)]
enum Owner {
    Constraint(usize),
    Force(usize),
}

/// Integrates the extra states of a model on its prescribed motion.
pub(super) struct States<'m> {
    newton: Newton<'m>,
    /// The pose of the last requested time.
    state: State,
    /// Indices of the extra states other than turn counters.
    own: Vec<usize>,
    alarms: Vec<(Owner, usize)>,
    blame: Option<Blame>,
}

impl<'m> States<'m> {
    /// `None` if the model has no extra states other than turn counters.
    pub fn new(model: &'m Model, newton: Newton<'m>, state: &State) -> Option<States<'m>> {
        let mut counter = vec![false; model.sizes.z];
        let constraints = model.constraints.iter().map(|c| (c.z.clone(), c.kind.constraint().angles().len()));
        let forces = model.forces.iter().map(|f| (f.z.clone(), f.kind.force().angles().len()));
        constraints.chain(forces).for_each(|(z, n)| counter[z].iter_mut().take(n).for_each(|c| *c = true));
        // States of contact features are set where gaps are sampled.
        for c in model.meetings.iter().flat_map(|m| &m.slots) {
            counter[model.constraints[*c].z.clone()].fill(true);
        }
        let own: Vec<usize> = (0..model.sizes.z).filter(|z| !counter[*z]).collect();
        let always = |c: &usize| model.constraints[*c].kind.constraint().alert() == Alert::Always;
        let of_constraints = (0..model.constraints.len())
            .filter(always)
            .flat_map(|c| (0..model.constraints[c].kind.constraint().alarms()).map(move |i| (Owner::Constraint(c), i)));
        let of_forces = (0..model.forces.len())
            .flat_map(|f| (0..model.forces[f].kind.force().alarms()).map(move |i| (Owner::Force(f), i)));
        let alarms = of_constraints.chain(of_forces).collect();
        (!own.is_empty()).then(|| States { newton, state: state.clone(), own, alarms, blame: None })
    }

    fn take(&mut self, y: &[f64]) {
        self.own.iter().zip(y).for_each(|(z, y)| self.state.z[*z] = *y);
    }

    fn give(&self) -> Vec<f64> {
        self.own.iter().map(|z| self.state.z[*z]).collect()
    }

    /// Fires the guards that are not positive at the start.
    pub fn begin(&mut self, state: &mut State) {
        self.state.clone_from(state);
        self.newton.place(&self.state);
        for k in 0..self.alarms.len() {
            if self.alarm(k) <= 0.0 {
                self.ring(k);
            }
        }
        state.z.clone_from(&self.state.z);
    }

    /// Integrates the extra states of `state` to the time `t`.
    ///
    /// # Errors
    /// The cause, if the integration fails.
    pub fn advance(&mut self, state: &mut State, t: f64) -> Result<(), Blame> {
        if t <= state.t {
            return Ok(());
        }
        self.state.clone_from(state);
        let failed = || Blame::Formulation("the extra states cannot be integrated".to_string());
        let settings = Settings::with_tolerance(TOLERANCE, TOLERANCE);
        let mut stepper: Box<dyn Stepper> =
            Method::RadauIia5.stepper(state.t, &self.give(), &settings).map_err(|_| failed())?;
        let run = integrate(&mut *stepper, self, &Plan::to(t)).map_err(|_| failed())?;
        if run.outcome != taut_ode::Outcome::Finished {
            return Err(self.blame.take().unwrap_or_else(failed));
        }
        let y = stepper.y().to_vec();
        self.own.iter().zip(&y).for_each(|(z, y)| state.z[*z] = *y);
        Ok(())
    }

    /// Evaluates the pose at the time `t` with the extra states `y`.
    fn at(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        if t != self.state.t {
            let from = self.state.clone();
            if let Err(blame) = stand(&mut self.newton, &mut self.state, t) {
                self.state = from;
                self.blame = Some(blame);
                return Err(Refusal::NotConverged);
            }
        }
        self.take(y);
        self.newton.place(&self.state);
        Ok(())
    }

    fn alarm(&self, k: usize) -> f64 {
        let (owner, i) = self.alarms[k];
        let (model, motions, t) = (self.newton.model, &self.newton.scene.motions, self.state.t);
        match owner {
            Owner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = View { t, motions, ids: &entry.markers, z: &self.state.z[entry.z.clone()] };
                entry.kind.constraint().alarm(&view, i)
            }
            Owner::Force(f) => {
                let entry = &model.forces[f];
                let view = View { t, motions, ids: &entry.markers, z: &self.state.z[entry.z.clone()] };
                entry.kind.force().alarm(&view, i)
            }
        }
    }

    fn ring(&mut self, k: usize) {
        let (owner, i) = self.alarms[k];
        let (model, motions, t) = (self.newton.model, &self.newton.scene.motions, self.state.t);
        let before = self.state.z.clone();
        match owner {
            Owner::Constraint(c) => {
                let entry = &model.constraints[c];
                let view = View { t, motions, ids: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.constraint().ring(&view, i, &mut self.state.z[entry.z.clone()]);
            }
            Owner::Force(f) => {
                let entry = &model.forces[f];
                let view = View { t, motions, ids: &entry.markers, z: &before[entry.z.clone()] };
                entry.kind.force().ring(&view, i, &mut self.state.z[entry.z.clone()]);
            }
        }
    }
}

impl System for States<'_> {
    fn dimension(&self) -> usize {
        self.own.len()
    }

    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        self.at(t, y)?;
        let Newton { model, scene, eq, .. } = &mut self.newton;
        carry(model, (&self.state).into(), scene, eq);
        dydt.iter_mut().zip(&self.own).for_each(|(d, z)| *d = eq.zdot[*z]);
        if dydt.iter().all(|d| d.is_finite()) { Ok(()) } else { Err(Refusal::NotFinite) }
    }
}

impl Events for States<'_> {
    fn count(&self) -> usize {
        self.alarms.len()
    }

    fn direction(&self, _i: usize) -> Direction {
        Direction::Falling
    }

    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let there = self.at(t, y).is_ok();
        (0..g.len()).for_each(|k| g[k] = if there { self.alarm(k) } else { f64::NAN });
    }

    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        if self.at(t, y).is_err() {
            return Action::Stop;
        }
        self.ring(i);
        y.copy_from_slice(&self.give());
        Action::Jump
    }
}

impl Hook for States<'_> {}
