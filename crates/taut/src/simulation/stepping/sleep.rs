//! Sleep: islands at rest are skipped until something reaches them.
//!
//! Impulses found by sweeps are not exact, and a pile creeps by their error. A body is calm in a step if
//!
//! ```text
//!  vᵀ M v ≤ ε² h² fᵀ M⁻¹ f
//! ```
//!
//! that is, its speed is below ε times the speed that the forces on it would cause in one step. An island of free bodies
//! that were all calm for N consecutive steps falls asleep: on average, the impulses of its last step balance its forces to
//! ε/N. Its velocities become zero and its impulses stay. It wakes when a contact or joint connects it to an awake body, or
//! when the forces on it change.

use super::impulse_response::ImpulseResponse;
use super::islands::{IslandActivity, IslandKind, Islands};
use super::law_blocks::{LawBlockSource, LawBlocks};
use crate::equations::Equations;
use serde::{Deserialize, Serialize};

/// ε: speed of a calm body, relative to the speed that its forces cause in a step.
const CALM_SPEED_RATIO: f64 = 0.02;
/// N: calm steps before sleep.
const CALM_STEPS: u32 = 100;
/// Change of the forces that wakes, relative.
const WAKING_FORCE_CHANGE: f64 = 1e-6;

/// Sleep state of every body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SleepState {
    /// Steps in a row in which it was calm.
    calm: Vec<u32>,
    asleep: Vec<IslandActivity>,
    /// Forces on it when it fell asleep.
    f: Vec<f64>,
}

impl SleepState {
    pub fn new(eq: &Equations) -> SleepState {
        let n = eq.layout.bodies.len();
        SleepState { calm: vec![0; n], asleep: vec![IslandActivity::Awake; n], f: vec![0.0; eq.layout.velocities] }
    }

    /// Marks the islands that sleep in this step, and wakes all bodies of the others.
    pub fn mark_sleeping_islands(&mut self, eq: &Equations, blocks: &LawBlocks, islands: &mut Islands) {
        if !self.asleep.contains(&IslandActivity::Asleep) {
            return;
        }
        let Islands { list, order, .. } = islands;
        let mut tied = vec![IslandActivity::Awake; self.asleep.len()];
        for island in list {
            let own = &order[island.blocks.clone()];
            let bodies = || own.iter().flat_map(|b| &blocks.bodies[blocks.list[*b].bodies.clone()]).map(|t| t.body);
            let touches = own.iter().all(|b| matches!(blocks.list[*b].source, LawBlockSource::Touch(_)));
            let sleeps = touches && island.kind == IslandKind::Free && bodies().all(|b| self.stays_asleep(eq, b));
            if sleeps {
                island.activity = IslandActivity::Asleep;
                bodies().for_each(|b| tied[b] = IslandActivity::Asleep);
            }
        }
        // Bodies without contact wake too.
        for (body, tied) in tied.into_iter().enumerate().filter(|(_, tied)| *tied == IslandActivity::Awake) {
            if self.asleep[body] == IslandActivity::Asleep {
                (self.asleep[body], self.calm[body]) = (tied, 0);
            }
        }
    }

    fn stays_asleep(&self, eq: &Equations, body: usize) -> bool {
        let v = eq.layout.bodies[body].v.clone();
        let (then, now) = (&self.f[v.clone()], &eq.f[v]);
        let size = now.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
        let same = then.iter().zip(now).all(|(a, b)| (a - b).abs() <= WAKING_FORCE_CHANGE * size);
        self.asleep[body] == IslandActivity::Asleep && same
    }

    /// Sets the velocities of sleeping bodies to zero.
    pub fn stop_sleeping_bodies(&self, eq: &Equations, v: &mut [f64]) {
        for (body, _) in self.asleep.iter().enumerate().filter(|(_, rest)| **rest == IslandActivity::Asleep) {
            v[eq.layout.bodies[body].v.clone()].fill(0.0);
        }
    }

    /// Counts calm steps; lets islands fall asleep at the end of a step with velocities v. Returns their remaining kinetic energy.
    pub fn count_calm_steps(
        &mut self,
        h: f64,
        eq: &Equations,
        blocks: &LawBlocks,
        islands: &Islands,
        response: &ImpulseResponse,
        v: &mut [f64],
    ) -> f64 {
        let mut change = [0.0; 6];
        for (body, calm) in self.calm.iter_mut().enumerate().filter(|(b, _)| self.asleep[*b] == IslandActivity::Awake) {
            let range = eq.layout.bodies[body].v.clone();
            let (f, n) = (&eq.f[range.clone()], range.len());
            let Some(change) = change.get_mut(..n) else { continue };
            change.fill(0.0);
            response.add_body_response(eq, body, f, change);
            let given: f64 = h * h * f.iter().zip(&*change).map(|(f, a)| f * a).sum::<f64>();
            *calm =
                if twice_kinetic(eq, body, v) <= CALM_SPEED_RATIO * CALM_SPEED_RATIO * given { *calm + 1 } else { 0 };
        }
        let mut kinetic = 0.0;
        for island in islands.list.iter().filter(|i| i.activity == IslandActivity::Awake && i.kind == IslandKind::Free)
        {
            let own = &islands.order[island.blocks.clone()];
            let bodies = || own.iter().flat_map(|b| &blocks.bodies[blocks.list[*b].bodies.clone()]).map(|t| t.body);
            let touches = own.iter().all(|b| matches!(blocks.list[*b].source, LawBlockSource::Touch(_)));
            if !touches || bodies().any(|b| self.calm[b] < CALM_STEPS) {
                continue;
            }
            for body in bodies() {
                let range = eq.layout.bodies[body].v.clone();
                kinetic += 0.5 * twice_kinetic(eq, body, v);
                v[range.clone()].fill(0.0);
                self.f[range.clone()].copy_from_slice(&eq.f[range]);
                self.asleep[body] = IslandActivity::Asleep;
            }
        }
        kinetic
    }

    /// How many bodies sleep.
    pub fn sleeping(&self) -> usize {
        self.asleep.iter().filter(|rest| **rest == IslandActivity::Asleep).count()
    }
}

fn twice_kinetic(eq: &Equations, body: usize, v: &[f64]) -> f64 {
    let b = &eq.layout.bodies[body];
    let (v, M) = (&v[b.v.clone()], &eq.M[b.mass.clone()]);
    let columns = M.chunks_exact(v.len().max(1)).zip(v);
    columns.map(|(column, x)| x * column.iter().zip(v).map(|(m, v)| m * v).sum::<f64>()).sum()
}
