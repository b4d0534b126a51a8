//! The Newton iteration of a step of the generalised-alpha method.
//!
//! The iteration solves for δ and λ and reuses its derivatives as long as it converges well; z follows by substitution. A
//! correction that increases the next one is halved.

use super::layout::VariableSizes;
use super::{GeneralisedAlphaScheme, StartAcceleration};
use crate::checkpoint::Validity;
use crate::implicit_core::ImplicitCore;
use crate::newton::{NewtonIteration, Progress};
use crate::{Refusal, SecondOrder};
use std::ops::Range;

/// The iteration is finer than the error of the step requires: the residual that it leaves in φ appears divided by h² in λ.
const TIGHTER_TOLERANCE: f64 = 1e-2;

/// Most corrections: the substitution for z needs more than the Newton iteration alone.
const MAX_CORRECTIONS: usize = 12;

/// The same for the trapezoidal rule, whose fixed steps cross singular poses, where the iteration converges slowly.
const MAX_CORRECTIONS_NEAR_SINGULARITY: usize = 60;

/// A correction is halved at most this often.
const MAX_HALVINGS: u32 = 4;

/// Whether all values are finite. No early exit: it would cost more than it saves.
pub(super) fn all_finite(list: &[f64]) -> bool {
    list.iter().fold(true, |all, x| all & x.is_finite())
}

impl GeneralisedAlphaScheme {
    /// Evaluates the derivatives at the place stored in the memory, or new ones at the guess.
    pub(super) fn derive(
        &mut self,
        core: &mut ImplicitCore,
        equations: &mut dyn SecondOrder,
        t_new: f64,
    ) -> Result<(), Refusal> {
        let memory = &mut core.memory;
        let at = self.sizes.total() - self.sizes.v - self.sizes.lambda;
        if memory.derived == Validity::Stale {
            self.content = Validity::Stale;
            memory.t_derived = t_new;
            memory.derived_at.copy_from_slice(&core.y_new);
            memory.kept[at..at + self.sizes.v].copy_from_slice(&self.vdot);
            memory.kept[at + self.sizes.v..].copy_from_slice(&self.lambda);
        }
        if self.content == Validity::Stale {
            let (vdot, lambda) = memory.kept[at..].split_at(self.sizes.v);
            equations.linearise(memory.t_derived, &memory.derived_at, vdot, lambda)?;
            (self.content, self.factor_key) = (Validity::Fresh, None);
            memory.derived = Validity::Fresh;
        }
        Ok(())
    }

    /// Factorises the matrix of the iteration, unless the system holds that factorisation.
    pub(super) fn factor(&mut self, equations: &mut dyn SecondOrder, h: f64) -> Result<(), Refusal> {
        let (mass, damping) = self.parameters.factors(h);
        if self.factor_key != Some((mass, damping)) {
            self.factor_key = None;
            equations.factor(mass, damping)?;
            self.factor_key = Some((mass, damping));
        }
        Ok(())
    }

    /// The correction at the present guess.
    fn correction(
        &mut self,
        core: &mut ImplicitCore,
        equations: &mut dyn SecondOrder,
        t_new: f64,
        h: f64,
    ) -> Result<(), Refusal> {
        core.state.statistics.evaluations += 1;
        let (r, g) = (&mut self.r, &mut self.g);
        equations.residual(t_new, &core.y_new, &self.vdot, &self.lambda, r, g, &mut self.zdot)?;
        r.iter_mut().for_each(|x| *x = -*x);
        g.iter_mut().for_each(|x| *x = -*x);
        equations.solve(r, g)?;
        // From a displacement at the present q to a change of the whole δ.
        let nq = core.y_new.len() - self.sizes.v - self.sizes.z;
        equations.displacement_rate(&core.y_new[..nq], &self.delta, r, &mut self.work);
        self.trapezoid(core, 0..self.sizes.z - self.passive_states, h);
        let finite = [&self.work, &self.g, &self.d_z].iter().all(|list| all_finite(list));
        if finite { Ok(()) } else { Err(Refusal::NotFinite) }
    }

    /// The change of a range of z that the trapezoidal rule requires.
    fn trapezoid(&mut self, core: &ImplicitCore, which: Range<usize>, h: f64) {
        let first = core.y_new.len() - self.sizes.z;
        let zdot0 = self.sizes.split(self.sizes.start(&core.memory.kept)).2;
        for i in which {
            let z = core.state.y[first + i] + 0.5 * h * (zdot0[i] + self.zdot[i]);
            self.d_z[i] = z - core.y_new[first + i];
        }
    }

    /// Adds the last correction times `fraction`.
    fn apply_correction(&mut self, core: &mut ImplicitCore, equations: &dyn SecondOrder, h: f64, fraction: f64) {
        for (x, d) in self.delta.iter_mut().zip(&self.d) {
            *x += fraction * d;
        }
        for (x, d) in self.lambda.iter_mut().zip(&self.d_lambda) {
            *x += fraction * d;
        }
        self.update_end_state(core, equations, h);
    }

    /// Norm of the correction, measured as the change of q and z that it makes. The change of v is not measured: it is that
    /// of q over h, together with the round-off of q over h.
    fn norm(&mut self, core: &mut ImplicitCore, equations: &dyn SecondOrder) -> f64 {
        let VariableSizes { v: nv, z: nz, .. } = self.sizes;
        let n = core.y_new.len();
        let nq = n - nv - nz;
        core.argument[..nq].copy_from_slice(&core.y_new[..nq]);
        equations.displace(&mut core.argument[..nq], &self.r);
        for i in 0..nq {
            core.argument[i] -= core.y_new[i];
        }
        let squares = |d: &[f64], weights: &[f64]| d.iter().zip(weights).map(|(d, w)| (d * w).powi(2)).sum::<f64>();
        let moved = squares(&core.argument[..nq], &self.weights);
        ((moved + squares(&self.d_z, &self.weights[n - nz..])) / n.max(1) as f64).sqrt()
    }

    /// Solves for δ, λ and z.
    pub(super) fn iterate(
        &mut self,
        core: &mut ImplicitCore,
        equations: &mut dyn SecondOrder,
        t_new: f64,
        h: f64,
    ) -> Result<NewtonIteration, Refusal> {
        let most = match self.start {
            StartAcceleration::Continued => MAX_CORRECTIONS,
            StartAcceleration::Consistent => MAX_CORRECTIONS_NEAR_SINGULARITY,
        };
        let mut newton = core.newton(h).tightened(TIGHTER_TOLERANCE, most);
        core.tolerance.weights(&core.state.y, &mut self.weights);
        let first = core.y_new.len() - self.sizes.z;
        let felt = self.sizes.z - self.passive_states;
        self.d_z[felt..].fill(0.0);
        let (mut halvings, mut fraction) = (0, 1.0);
        loop {
            let found = self.correction(core, equations, t_new, h);
            let norm = if found.is_ok() { self.norm(core, equations) } else { f64::INFINITY };
            // The last correction made the next one larger: half of it is undone.
            if newton.grows(norm) && newton.count > 0 && halvings < MAX_HALVINGS {
                halvings += 1;
                fraction *= 0.5;
                self.apply_correction(core, equations, h, -fraction);
                continue;
            }
            found?;
            let progress = newton.record_correction(norm)?;
            (halvings, fraction) = (0, 1.0);
            self.d.copy_from_slice(&self.work);
            self.d_lambda.copy_from_slice(&self.g);
            if progress == Progress::Converged && self.passive_states > 0 {
                equations.passive_rates(t_new, &core.y_new, &self.vdot, &self.lambda, &mut self.zdot[felt..]);
                self.trapezoid(core, felt..self.sizes.z, h);
            }
            for (z, d) in core.y_new[first..].iter_mut().zip(&self.d_z) {
                *z += d;
            }
            self.apply_correction(core, equations, h, 1.0);
            if progress == Progress::Converged {
                return Ok(newton);
            }
        }
    }
}
