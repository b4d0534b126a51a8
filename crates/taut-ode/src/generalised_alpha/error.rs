//! Local error of the generalised-alpha method.
//!
//! With a equal to v̇ at a time later by `Δ h`, the local error is `C_q h³ v̈` in the displacement and `C_v h³ v⃛` in the
//! velocity:
//!
//! ```text
//! C_q = ½ Δ + β − ⅙          C_v = ½ ((1 − γ) Δ² + γ (1 + Δ)²) − ⅙
//! ```
//!
//! v̈ is the slope of a along the step, v⃛ the second divided difference of v̇ over two steps. Both are filtered by
//! `(m M + c C + K)⁻¹ m M` under the constraints at position and velocity level, so that stiff, damped motion does not limit the step.

use super::layout::VariableSizes;
use super::{AlphaParameters, GeneralisedAlphaScheme};
use crate::Refusal;
use crate::SecondOrder;
use crate::checkpoint::Validity;
use crate::implicit_core::ImplicitCore;

impl GeneralisedAlphaScheme {
    /// Filters `work` into `r`. The residual is linear in v̇ with the matrix M, so M times `work` is the change of the
    /// residual from that at the end of the step, which is in `d` and `g_end` and not quite zero.
    fn filter(
        &mut self,
        core: &mut ImplicitCore,
        equations: &mut dyn SecondOrder,
        t: f64,
        h: f64,
    ) -> Result<(), Refusal> {
        for (w, udot) in self.work.iter_mut().zip(&self.udot) {
            *w += udot;
        }
        core.state.statistics.evaluations += 1;
        let (r, g) = (&mut self.r, &mut self.g);
        let VariableSizes { v: nv, z: nz, .. } = self.sizes;
        let nq = core.y_new.len() - nv - nz;
        equations.from_step_velocity(&core.y_new[..nq], &self.u1, &self.work, &mut self.a0, r);
        self.work.copy_from_slice(r);
        let zdot = &mut core.error[..nz];
        equations.residual(t, &core.y_new, &self.work, &self.lambda, r, g, zdot)?;
        let (mass, _) = self.parameters.factors(h);
        for (r, base) in r.iter_mut().zip(&self.d) {
            *r = mass * (*r - base);
        }
        // Likewise for the rows: of those at acceleration level, A times `work` remains, of the others nothing. No projection returns a
        // velocity to a prescribed acceleration, so its error counts.
        for (g, base) in g.iter_mut().zip(&self.g_end) {
            *g = mass * (*g - base);
        }
        equations.solve(r, g)
    }

    /// Norm of the error of the step just solved for.
    pub fn estimate(
        &mut self,
        core: &mut ImplicitCore,
        equations: &mut dyn SecondOrder,
        t_new: f64,
        h: f64,
    ) -> Result<f64, Refusal> {
        let AlphaParameters { alpha_m, alpha_f, beta, gamma } = self.parameters;
        let VariableSizes { v: nv, z: nz, .. } = self.sizes;
        let n = core.y_new.len();
        let nq = n - nv - nz;
        let later = alpha_m - alpha_f;
        let C_q = 0.5 * later + beta - 1.0 / 6.0;
        let C_v = 0.5 * ((1.0 - gamma) * later.powi(2) + gamma * (1.0 + later).powi(2)) - 1.0 / 6.0;

        let zdot = &mut core.error[..nz];
        core.state.statistics.evaluations += 1;
        equations.residual(t_new, &core.y_new, &self.vdot, &self.lambda, &mut self.d, &mut self.g, zdot)?;
        self.g_end.copy_from_slice(&self.g);
        for i in 0..nv {
            self.work[i] = C_q * h * h * (self.a1[i] - self.a0[i]);
        }
        self.filter(core, equations, t_new, h)?;
        core.argument[..nq].copy_from_slice(&core.y_new[..nq]);
        equations.displace(&mut core.argument[..nq], &self.r);
        for i in 0..nq {
            core.argument[i] -= core.y_new[i];
        }

        // h³ times a third derivative; without a previous step, the whole change along this one.
        let (_, udot0, zdot0, _) = self.sizes.split(self.sizes.start(&core.memory.kept));
        let (udot_past, zdot_past) = self.sizes.before(&core.memory.kept);
        let ratio = core.memory.h_past / h;
        let known = core.memory.past == Validity::Fresh && ratio > 0.0;
        let third = |past: f64, start: f64, end: f64| {
            if known { 2.0 * h * ((end - start) - (start - past) / ratio) / (1.0 + ratio) } else { h * (end - start) }
        };
        for i in 0..nz {
            core.argument[n - nz + i] = third(zdot_past[i], zdot0[i], self.zdot[i]) / 12.0;
        }
        for i in 0..nv {
            self.work[i] = C_v * third(udot_past[i], udot0[i], self.udot[i]);
        }
        self.filter(core, equations, t_new, h)?;
        // Tolerances refer to world axes: r is transformed as the rate of a velocity that is zero.
        self.work.fill(0.0);
        let (q, v) = (&core.y_new[..nq], &mut self.a0);
        equations.from_step_velocity(q, &self.work, &self.r, v, &mut core.argument[nq..nq + nv]);
        Ok(core.tolerance.norm(&core.argument, &core.state.y, &core.y_new))
    }
}
