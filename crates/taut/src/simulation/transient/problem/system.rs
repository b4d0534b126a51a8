//! The right-hand side y' = F(t, y) that the integrator evaluates, with work and friction losses integrated along.

use super::event_functions::event_input;
use super::{TransientProblem, split_state};
use crate::formulations::SolveError;
use crate::interruption;
use crate::results::WorkTracking;
use crate::simulation::transient::diagnosis;
use crate::solution::Cause;
use taut_ode::{Break, GuardKind, JacobianSolver, Refusal, SecondOrder, System};

impl System for TransientProblem<'_> {
    fn dimension(&self) -> usize {
        self.dynamics.dimension() + usize::from(self.work == WorkTracking::Integrated) + self.friction_constraints.len()
    }

    fn attempt(&mut self, t: f64, h: f64) {
        self.log.audit.steps.attempted += 1;
        self.cause = Cause::Nobody;
        self.peaks.iter_mut().for_each(|p| p.begin(t));
        self.log.recorder.angle_tracker.begin_step(t);
        self.t_step_start = t;
        self.dynamics.set_step(h);
    }

    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        // The contact laws have ended the run.
        if self.own_outcome.is_some() || interruption::is_requested() {
            return Err(Refusal::OutsideDomain);
        }
        self.dynamics.rates(t, y, dydt).map_err(|e| self.refusal(e, t, y))?;
        self.peaks.iter_mut().for_each(|p| p.record_stage(t, &self.dynamics.lambda));
        if std::mem::take(&mut self.ends_step) {
            self.audit_accelerations(t);
        }
        if self.work == WorkTracking::Integrated {
            let s = self.dynamics.model.sizes;
            let n = s.q + s.v + s.z;
            dydt[n] = self.dynamics.power(t, &y[..s.q], &y[s.q..s.q + s.v], &y[s.q + s.v..n]);
        }
        let first = dydt.len() - self.friction_constraints.len();
        for (c, lost) in self.friction_constraints.iter().zip(&mut dydt[first..]) {
            *lost = self.dynamics.friction_power(*c);
        }
        Ok(())
    }

    fn next_break(&mut self, t: f64, t_end: f64) -> Option<Break> {
        if t_end < t { None } else { self.find_break(t) }
    }

    // The guards of the model, and functions that show narrow peaks of events.
    fn guard_count(&self) -> usize {
        self.guarding.count() + self.events.iter().map(|e| e.peak_function_count()).sum::<usize>()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        if i < self.guarding.count() { self.guarding.kind(self.dynamics.model, i) } else { GuardKind::Peak }
    }

    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.evaluate_for_events(t, y);
        let (_, _, z) = split_state(self.dynamics.model, y);
        let (own, peaks) = g.split_at_mut(self.guarding.count());
        self.guarding.values(self.dynamics.model, &self.scene, t, z, own);
        if !peaks.is_empty() {
            let seen = event_input(self.dynamics.model, &self.scene, &self.log.recorder, t, y);
            let each = self.events.iter().flat_map(|e| (0..e.peak_function_count()).map(|i| e.peak_function(&seen, i)));
            peaks.iter_mut().zip(each).for_each(|(g, peak)| *g = peak);
        }
    }

    fn guard_search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        if i < self.guarding.count() {
            let name = self.guarding.owner(self.dynamics.model, i).to_string();
            self.warn_of_unresolved(&name, from, to);
        }
    }

    fn jacobian_solver(&mut self) -> Option<&mut dyn JacobianSolver> {
        Some(self)
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        Some(self)
    }
}

impl TransientProblem<'_> {
    /// Translates the error for the integrator and notes the element behind it.
    fn refusal(&mut self, error: SolveError, t: f64, y: &[f64]) -> Refusal {
        match error {
            SolveError::NotFinite => self.cause = diagnosis::not_finite(&self.dynamics, t, y),
            _ => self.cause = Cause::Formulation(error.to_string()),
        }
        Refusal::NotFinite
    }
}
