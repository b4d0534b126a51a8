//! Dense output of the generalised-alpha method, along displacements instead of coordinates.
//!
//! ```text
//! q(θ) = q₀ ⊕ δ(θ)      δ(0) = 0, δ'(0) = h u₀, δ(1) = δ, δ'(1) = h δ̇₁          δ̇₁ = u₁ + ½ [δ, u₁] + …
//! u(θ)                  u(0) = u₀, u'(0) = h u̇₀, u(1) = u₁, u'(1) = h u̇₁
//! ```
//!
//! These are two cubics in the axes of the step. They follow a body that turns at a steady rate exactly, through any number
//! of turns, where cubics in its coordinates would cut across the circle. A correction of the end of the step is added as a
//! cubic that is flat at both ends.

use super::GeneralisedAlphaScheme;
use super::layout::VariableSizes;
use crate::checkpoint::DenseOutputEnd;
use crate::implicit_core::ImplicitCore;
use crate::{SecondOrder, System};

/// Lists of the length of y that a step stores: δ and δ̇₁; u₀ and u₁; q₁ before its correction; the correction.
pub const STORED_LISTS: usize = 4;

/// These lists, by name.
struct DenseLists<'a> {
    delta: &'a mut [f64],
    rate: &'a mut [f64],
    u0: &'a mut [f64],
    u1: &'a mut [f64],
    end: &'a mut [f64],
    correction: &'a mut [f64],
}

/// Splits the data that a step stores behind the derivative at its start. `None` if δ and δ̇₁ do not fit into one list.
fn split(k: &mut [f64], n: usize, nq: usize, nv: usize) -> Option<DenseLists<'_>> {
    if 2 * nv > n {
        return None;
    }
    let (first, rest) = k[n..].split_at_mut(n);
    let (second, rest) = rest.split_at_mut(n);
    let (third, fourth) = rest.split_at_mut(n);
    let (delta, rate) = first.split_at_mut(nv);
    let (u0, u1) = second.split_at_mut(nv);
    Some(DenseLists {
        delta,
        rate: &mut rate[..nv],
        u0,
        u1: &mut u1[..nv],
        end: &mut third[..nq],
        correction: &mut fourth[..nq],
    })
}

impl GeneralisedAlphaScheme {
    /// Stores the displacement of the accepted step and the q₁ that it led to.
    pub fn keep_displacement(&self, core: &mut ImplicitCore) {
        let VariableSizes { v: nv, z: nz, .. } = self.sizes;
        let n = core.y_new.len();
        let nq = n - nv - nz;
        if let Some(lists) = split(&mut core.state.k, n, nq, nv) {
            lists.delta.copy_from_slice(&self.delta);
            lists.end.copy_from_slice(&core.y_new[..nq]);
        }
    }

    /// Computes the coefficients of the cubics.
    pub fn fill_displacement(&mut self, core: &mut ImplicitCore, equations: &dyn SecondOrder) {
        let VariableSizes { v: nv, z: nz, .. } = VariableSizes::of(equations);
        let state = &mut core.state;
        let n = state.y.len();
        let nq = n - nv - nz;
        let end = if state.tail == DenseOutputEnd::Joined { &state.y } else { &state.y_end };
        let Some(lists) = split(&mut state.k, n, nq, nv) else { return };
        // The rates of u are not needed here.
        let (q, rest) = state.y_old.split_at(nq);
        self.work.fill(0.0);
        equations.to_step_velocity(q, &rest[..nv], &self.work, lists.u0, &mut self.r);
        let (q, rest) = end.split_at(nq);
        equations.to_step_velocity(q, &rest[..nv], &self.work, lists.u1, &mut self.r);
        equations.displacement_rate(q, lists.delta, lists.u1, lists.rate);
        for (c, (q, end)) in lists.correction.iter_mut().zip(q.iter().zip(lists.end.iter())) {
            *c = q - end;
        }
    }

    /// q and v at the share `theta` of the step.
    pub fn interpolate_displacement(
        &mut self,
        core: &mut ImplicitCore,
        system: &mut dyn System,
        theta: f64,
        out: &mut [f64],
    ) {
        let Some(equations) = system.second_order() else { return };
        let counts = VariableSizes::of(equations);
        let VariableSizes { v: nv, z: nz, .. } = counts;
        let state = &mut core.state;
        let (n, h) = (state.y.len(), state.h);
        let nq = n - nv - nz;
        if core.memory.kept.len() != counts.total() || self.sizes != counts {
            return;
        }
        let Some(lists) = split(&mut state.k, n, nq, nv) else { return };
        let block = counts.block();
        let (_, udot0, _, _) = counts.split(counts.start(&core.memory.kept));
        let (_, udot1, _, _) = counts.split(&core.memory.kept[block..2 * block]);
        let rest = 1.0 - theta;
        let end = theta * theta * (3.0 - 2.0 * theta);
        let (leave, arrive) = (h * theta * rest * rest, -h * theta * theta * rest);
        for i in 0..nv {
            self.work[i] = leave * lists.u0[i] + end * lists.delta[i] + arrive * lists.rate[i];
            self.r[i] = (1.0 - end) * lists.u0[i] + end * lists.u1[i] + leave * udot0[i] + arrive * udot1[i];
        }
        let (q, others) = out.split_at_mut(nq);
        q.copy_from_slice(&state.y_old[..nq]);
        equations.displace(q, &self.work);
        q.iter_mut().zip(lists.correction.iter()).for_each(|(q, c)| *q += end * c);
        self.work.fill(0.0);
        equations.from_step_velocity(q, &self.r, &self.work, &mut others[..nv], &mut self.vdot);
    }
}
