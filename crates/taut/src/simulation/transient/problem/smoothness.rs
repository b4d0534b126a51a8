//! Whether the equations are smooth about a state, as small motions assume.
//!
//! ```text
//!  smooth     f(h) − f(−h) = 2 (f(h/2) − f(−h/2))        f(h) + f(−h) = 2 f(0)        up to h²
//! ```
//!
//! A jump or a root violates the first condition, a corner the second.

use super::TransientProblem;
use crate::mathematics::magnitude::largest_magnitude;
use crate::state::State;
use taut_ode::{GuardKind, System};

/// Guards further from zero than this are not examined.
const NEAR_ZERO: f64 = 1e-3;
/// Displacement of a coordinate, velocity or extra state, relative to 1 + its size.
const DISPLACEMENT: f64 = 1e-6;
/// Difference from a smooth function that is neglected, relative to the change of the rates and to the rates themselves.
const NEGLECTED_SHARE: f64 = 1e-3;
const ROUND_OFF: f64 = 1e-11;

impl TransientProblem<'_> {
    /// The elements whose switching conditions are zero at a state and change the slope of the accelerations there.
    pub(crate) fn elements_not_smooth_at(&mut self, state: &State) -> Vec<String> {
        let (model, y) = (self.dynamics.model, self.pack(state));
        let at_zero = self.guards_at(state.t, &y);
        let near: Vec<usize> = (0..at_zero.len())
            .filter(|&i| self.guard_kind(i) == GuardKind::Switch && at_zero[i].abs() <= NEAR_ZERO)
            .collect();
        let mut found: Vec<String> = Vec::new();
        if near.is_empty() {
            return found;
        }
        let mut here = vec![0.0; y.len()];
        if self.dynamics.rates(state.t, &y, &mut here).is_err() {
            return found;
        }
        for variable in 0..2 * model.sizes.v + model.sizes.z {
            let [before, after] = [-1.0, 1.0].map(|side| {
                let moved = self.perturbed(&y, variable, side);
                self.guards_at(state.t, &moved)
            });
            let switches: Vec<usize> =
                near.iter().copied().filter(|&i| (before[i] > 0.0) != (after[i] > 0.0)).collect();
            let names = switches.iter().map(|&i| self.guarding.owner(model, i).to_string());
            let new: Vec<String> = names.filter(|name| !found.contains(name)).collect();
            if !new.is_empty() && !self.is_smooth_along(state.t, &y, &here, variable) {
                found.extend(new);
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn guards_at(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.guard_count()];
        self.guard_values(t, y, &mut values);
        values.truncate(self.guarding.count());
        values
    }

    /// Whether the rates are smooth along one variable; `here` are those of the state itself.
    fn is_smooth_along(&mut self, t: f64, y: &[f64], here: &[f64], variable: usize) -> bool {
        let mut sides = [-1.0, -0.5, 0.5, 1.0].map(|side| (side, vec![0.0; y.len()]));
        for (side, rates) in &mut sides {
            let moved = self.perturbed(y, variable, *side);
            if self.dynamics.rates(t, &moved, rates).is_err() {
                return true;
            }
        }
        let [(_, far_before), (_, before), (_, after), (_, far_after)] = &sides;
        let largest = |f: &dyn Fn(usize) -> f64| {
            let each: Vec<f64> = (self.dynamics.model.sizes.q..self.dynamics.dimension()).map(f).collect();
            largest_magnitude(&each).0
        };
        let change = largest(&|i| far_after[i] - far_before[i]);
        let jump = largest(&|i| far_after[i] - far_before[i] - 2.0 * (after[i] - before[i]));
        let corner = largest(&|i| far_after[i] + far_before[i] - 2.0 * here[i]);
        jump.max(corner) <= NEGLECTED_SHARE * change + ROUND_OFF * (1.0 + largest(&|i| here[i]))
    }

    /// The state with one coordinate, velocity or extra state displaced by this part of the displacement.
    fn perturbed(&self, y: &[f64], variable: usize, part: f64) -> Vec<f64> {
        let (mut moved, model) = (y.to_vec(), self.dynamics.model);
        let (n, offset) = (model.sizes.v, model.sizes.q);
        if variable >= n {
            let k = offset + variable - n;
            moved[k] += part * DISPLACEMENT * (1.0 + y[k].abs());
            return moved;
        }
        for b in model.bodies.iter().filter(|b| b.v.contains(&variable)) {
            let size = largest_magnitude(&y[b.q.clone()]).0;
            let step: Vec<f64> =
                b.v.clone().map(|i| if i == variable { part * DISPLACEMENT * (1.0 + size) } else { 0.0 }).collect();
            b.kind.body().displace(&mut moved[b.q.clone()], &step);
        }
        moved
    }
}
