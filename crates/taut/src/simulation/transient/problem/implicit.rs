//! The problem as implicit methods see it. Quantities integrated along with it (work, friction losses) do not affect the motion.

use super::Problem;
use crate::results::Work;
use taut_ode::{Linear, Refusal, SecondOrder, System};

impl Linear for Problem<'_> {
    fn derive(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        Linear::derive(&mut self.dynamics, t, y)
    }

    fn factor(&mut self, place: usize, re: f64, im: f64) -> Result<(), Refusal> {
        self.sigma[place.min(1)] = [re, im];
        Linear::factor(&mut self.dynamics, place, re, im)
    }

    fn solve(&mut self, place: usize, re: &mut [f64], im: &mut [f64]) -> Result<(), Refusal> {
        let n = self.dynamics.dimension();
        let [a, b] = self.sigma[place.min(1)];
        let (inner, along) = re.split_at_mut(n);
        if im.is_empty() {
            along.iter_mut().for_each(|x| *x /= a);
            return Linear::solve(&mut self.dynamics, place, inner, im);
        }
        let (inner_im, along_im) = im.split_at_mut(n);
        let below = a * a + b * b;
        for (x, y) in along.iter_mut().zip(along_im) {
            (*x, *y) = ((*x * a + *y * b) / below, (*y * a - *x * b) / below);
        }
        Linear::solve(&mut self.dynamics, place, inner, inner_im)
    }
}

impl SecondOrder for Problem<'_> {
    fn velocities(&self) -> usize {
        self.dynamics.model.sizes.v
    }

    fn states(&self) -> usize {
        let s = self.dynamics.model.sizes;
        self.dimension() - s.q - s.v
    }

    fn followers(&self) -> usize {
        usize::from(self.work == Work::Integrated) + self.rubbing.len()
    }

    fn multipliers(&self) -> usize {
        self.dynamics.model.rows.len()
    }

    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        self.dynamics.kinematics(q, v, qdot);
    }

    fn own(&self, q: &[f64], v: &[f64], vdot: &[f64], u: &mut [f64], udot: &mut [f64]) {
        self.dynamics.own(q, v, vdot, u, udot);
    }

    fn seen(&self, q: &[f64], u: &[f64], udot: &[f64], v: &mut [f64], vdot: &mut [f64]) {
        self.dynamics.seen(q, u, udot, v, vdot);
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
        if self.ending.is_some() {
            return Err(Refusal::OutsideDomain);
        }
        self.dynamics.residual(t, y, vdot, lambda, r, g);
        zdot[..self.dynamics.model.sizes.z].copy_from_slice(&self.dynamics.eq.zdot);
        Ok(())
    }

    fn follow(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64], zdot: &mut [f64]) {
        let s = self.dynamics.model.sizes;
        // The multipliers of the method follow by one order less than the motion where its steps vary: those of the
        // equations are taken, if there are any.
        if self.dynamics.rates(t, y, &mut self.seen).is_err() {
            self.dynamics.vdot.copy_from_slice(vdot);
            self.dynamics.lambda.copy_from_slice(lambda);
        }
        self.peaks.iter_mut().for_each(|p| p.stage(t, lambda));
        if self.work == Work::Integrated {
            zdot[0] = self.dynamics.power(t, &y[..s.q], &y[s.q..s.q + s.v], &y[s.q + s.v..s.q + s.v + s.z]);
        }
        let first = zdot.len() - self.rubbing.len();
        for (c, lost) in self.rubbing.iter().zip(&mut zdot[first..]) {
            *lost = self.dynamics.friction_power(*c);
        }
    }

    fn derive(&mut self, t: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) -> Result<(), Refusal> {
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

    fn unroll(&self, q: &[f64], delta: &[f64], v: &[f64], rate: &mut [f64]) {
        self.dynamics.unroll(q, delta, v, rate);
    }
}
