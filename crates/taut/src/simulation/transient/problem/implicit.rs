//! The problem as implicit methods see it. Quantities integrated along with it (work, friction losses) do not affect the motion.

use super::TransientProblem;
use crate::results::WorkTracking;
use taut_ode::{JacobianSolver, Refusal, SecondOrder, System};

impl JacobianSolver for TransientProblem<'_> {
    fn linearise(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        JacobianSolver::linearise(&mut self.dynamics, t, y)
    }

    fn factor(&mut self, place: usize, re: f64, im: f64) -> Result<(), Refusal> {
        self.sigma[place.min(1)] = [re, im];
        JacobianSolver::factor(&mut self.dynamics, place, re, im)
    }

    fn solve(&mut self, place: usize, re: &mut [f64], im: &mut [f64]) -> Result<(), Refusal> {
        let n = self.dynamics.dimension();
        let [a, b] = self.sigma[place.min(1)];
        let (inner, along) = re.split_at_mut(n);
        if im.is_empty() {
            along.iter_mut().for_each(|x| *x /= a);
            return JacobianSolver::solve(&mut self.dynamics, place, inner, im);
        }
        let (inner_im, along_im) = im.split_at_mut(n);
        let below = a * a + b * b;
        for (x, y) in along.iter_mut().zip(along_im) {
            (*x, *y) = ((*x * a + *y * b) / below, (*y * a - *x * b) / below);
        }
        JacobianSolver::solve(&mut self.dynamics, place, inner, inner_im)
    }
}

impl SecondOrder for TransientProblem<'_> {
    fn velocity_count(&self) -> usize {
        self.dynamics.model.sizes.v
    }

    fn state_count(&self) -> usize {
        let s = self.dynamics.model.sizes;
        self.dimension() - s.q - s.v
    }

    fn passive_state_count(&self) -> usize {
        usize::from(self.work == WorkTracking::Integrated) + self.friction_constraints.len()
    }

    fn multiplier_count(&self) -> usize {
        self.dynamics.model.rows.len()
    }

    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        self.dynamics.coordinate_rates(q, v, qdot);
    }

    fn to_step_velocity(&self, q: &[f64], v: &[f64], vdot: &[f64], u: &mut [f64], udot: &mut [f64]) {
        self.dynamics.to_step_axes(q, v, vdot, u, udot);
    }

    fn from_step_velocity(&self, q: &[f64], u: &[f64], udot: &[f64], v: &mut [f64], vdot: &mut [f64]) {
        self.dynamics.from_step_axes(q, u, udot, v, vdot);
    }

    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        self.dynamics.displace(q, delta);
    }

    fn residual(
        &mut self,
        t: f64,
        y: &[f64],
        vdot: &[f64],
        lambda: &[f64],
        r: &mut [f64],
        g: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), Refusal> {
        if self.own_outcome.is_some() {
            return Err(Refusal::OutsideDomain);
        }
        self.dynamics.residual(t, y, vdot, lambda, r, g);
        zdot[..self.dynamics.model.sizes.z].copy_from_slice(&self.dynamics.eq.zdot);
        Ok(())
    }

    fn passive_rates(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64], zdot: &mut [f64]) {
        let s = self.dynamics.model.sizes;
        // The multipliers of the method follow by one order less than the motion where its steps vary: those of the
        // equations are taken, if there are any.
        if self.dynamics.rates(t, y, &mut self.work_state).is_err() {
            self.dynamics.vdot.copy_from_slice(vdot);
            self.dynamics.lambda.copy_from_slice(lambda);
        }
        self.peaks.iter_mut().for_each(|p| p.record_stage(t, lambda));
        if self.work == WorkTracking::Integrated {
            zdot[0] = self.dynamics.power(t, &y[..s.q], &y[s.q..s.q + s.v], &y[s.q + s.v..s.q + s.v + s.z]);
        }
        let first = zdot.len() - self.friction_constraints.len();
        for (c, lost) in self.friction_constraints.iter().zip(&mut zdot[first..]) {
            *lost = self.dynamics.friction_power(*c);
        }
    }

    fn linearise(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) -> Result<(), Refusal> {
        self.dynamics.derive_residual(t, y, vdot, lambda);
        Ok(())
    }

    fn factor(&mut self, mass: f64, damping: f64) -> Result<(), Refusal> {
        self.dynamics.factor_residual(mass, damping)
    }

    fn solve(&mut self, r: &mut [f64], g: &mut [f64]) -> Result<(), Refusal> {
        self.dynamics.solve_residual(r, g)
    }

    fn accelerations(
        &mut self,
        t: f64,
        y: &[f64],
        vdot: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), Refusal> {
        let mut rates = vec![0.0; self.dimension()];
        self.rates(t, y, &mut rates)?;
        vdot.copy_from_slice(&self.dynamics.vdot);
        lambda.copy_from_slice(&self.dynamics.lambda);
        let first = rates.len() - zdot.len();
        zdot.copy_from_slice(&rates[first..]);
        Ok(())
    }

    fn displacement_rate(&self, q: &[f64], delta: &[f64], v: &[f64], rate: &mut [f64]) {
        self.dynamics.displacement_rate(q, delta, v, rate);
    }
}
