//! The right-hand side y' = F(t, y) that the integrator evaluates, with work and friction losses integrated along.

use super::watch::look;
use super::{Problem, parts};
use crate::formulations::SolveError;
use crate::interruption;
use crate::results::Work;
use crate::simulation::transient::diagnosis;
use crate::solution::Blame;
use taut_ode::{Break, GuardKind, Linear, Refusal, SecondOrder, System};

impl System for Problem<'_> {
    fn dimension(&self) -> usize {
        self.dynamics.dimension() + usize::from(self.work == Work::Integrated) + self.rubbing.len()
    }

    fn attempt(&mut self, t: f64, h: f64) {
        self.log.audit.steps.attempted += 1;
        self.blame = Blame::Nobody;
        self.peaks.iter_mut().for_each(|p| p.begin(t));
        self.dynamics.attempt(h);
    }

    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        // The contact laws have ended the run.
        if self.ending.is_some() || interruption::is_asked() {
            return Err(Refusal::OutsideDomain);
        }
        self.dynamics.rates(t, y, dydt).map_err(|e| self.refusal(e, t, y))?;
        self.peaks.iter_mut().for_each(|p| p.stage(t, &self.dynamics.lambda));
        if self.work == Work::Integrated {
            let s = self.dynamics.model.sizes;
            let n = s.q + s.v + s.z;
            dydt[n] = self.dynamics.power(t, &y[..s.q], &y[s.q..s.q + s.v], &y[s.q + s.v..n]);
        }
        let first = dydt.len() - self.rubbing.len();
        for (c, lost) in self.rubbing.iter().zip(&mut dydt[first..]) {
            *lost = self.dynamics.friction_power(*c);
        }
        Ok(())
    }

    fn next_break(&mut self, t: f64, t_end: f64) -> Option<Break> {
        if t_end < t { None } else { self.find_break(t) }
    }

    // The guards of the model, and functions that show narrow peaks of events.
    fn guards(&self) -> usize {
        self.guarding.count() + self.events.iter().map(|e| e.peaks()).sum::<usize>()
    }

    fn guard_kind(&self, i: usize) -> GuardKind {
        if i < self.guarding.count() { self.guarding.kind(self.dynamics.model, i) } else { GuardKind::Peak }
    }

    fn guard_values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        self.place_for_events(t, y);
        let (_, _, z) = parts(self.dynamics.model, y);
        let (own, peaks) = g.split_at_mut(self.guarding.count());
        self.guarding.values(self.dynamics.model, &self.scene, t, z, own);
        if !peaks.is_empty() {
            let seen = look(self.dynamics.model, &self.scene, &self.log.recorder, t, y);
            let each = self.events.iter().flat_map(|e| (0..e.peaks()).map(|i| e.peak(&seen, i)));
            peaks.iter_mut().zip(each).for_each(|(g, peak)| *g = peak);
        }
    }

    fn linear(&mut self) -> Option<&mut dyn Linear> {
        Some(self)
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        Some(self)
    }
}

impl Problem<'_> {
    /// Translates the error for the integrator and notes the element behind it.
    fn refusal(&mut self, error: SolveError, t: f64, y: &[f64]) -> Refusal {
        match error {
            SolveError::Singular => {
                self.blame = Blame::Formulation(error.to_string());
                Refusal::NotFinite
            }
            SolveError::NotFinite => {
                self.blame = diagnosis::not_finite(&self.dynamics, t, y);
                Refusal::NotFinite
            }
        }
    }
}
