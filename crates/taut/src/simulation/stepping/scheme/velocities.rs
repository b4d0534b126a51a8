//! The velocities at the end of a step: forces of the middle, joints, and the impulses of the blocks.

use super::{MoreauScheme, StepBuffers};
use crate::constraints::RowLevel as Given;
use crate::equations::{StateView, assemble_positions, assemble_rates, assemble_twists};
use crate::mathematics::magnitude::max_abs;
use crate::state::State;
use crate::stepping::block_assembly;
use crate::stepping::impulse_solver::{SolveLevel, SolveReport};
use crate::stepping::islands::{Island, IslandActivity};
use crate::stepping::law_blocks::{BlockRole, LawBlock, LawBlockSource};

/// Change of a force within a step that requires a second evaluation, relative to the forces on its body.
const FORCE_CHANGE_TOLERANCE: f64 = 1e-12;
/// Times that the rebound of an island is halved before it is given up.
const MAX_REBOUND_HALVINGS: usize = 3;
/// Work of the impulses that counts as a gain, relative to the sum of its parts.
const ENERGY_GAIN_TOLERANCE: f64 = 1e-9;

impl MoreauScheme<'_> {
    /// v at the end: with the forces of v at the start first, and, if they differ, with those of the mean of both.
    pub(super) fn velocities(&mut self, h: f64, v: &mut [f64], buffers: &mut StepBuffers) {
        let model = self.model;
        self.free_velocities(h, v, buffers);
        buffers.free.copy_from_slice(v);
        let gained = |(free, v): (&f64, &f64)| (free - v).abs();
        // Scaled to a full step.
        let gain = buffers.free.iter().zip(&self.state.v).map(gained).fold(0.0, f64::max);
        self.free_speed_change = gain * (self.full_step / h).max(1.0);
        self.sleep.stop_sleeping_bodies(&self.middle, v);
        let mut order = std::mem::take(&mut self.islands.order);
        for island in 0..self.islands.list.len() {
            let Island { activity: IslandActivity::Awake, blocks, .. } = self.islands.list[island].clone() else {
                continue;
            };
            for &block in &order[blocks] {
                self.predict_gap(block, h, &buffers.free);
            }
        }
        std::mem::swap(&mut self.islands.order, &mut order);
        self.apply_impulses(v, buffers);

        let State { t, v: v0, z: z0, .. } = &self.state;
        buffers.f.copy_from_slice(&self.middle.f);
        let mut mean = std::mem::take(&mut buffers.momentum);
        mean.iter_mut().zip(v0.iter().zip(&*v)).for_each(|(m, (a, b))| *m = 0.5 * (a + b));
        buffers.z.iter_mut().zip(z0.iter().zip(&self.middle.zdot)).for_each(|(z, (z0, rate))| *z = z0 + 0.5 * h * rate);
        let at = StateView { t: t + 0.5 * h, q: &buffers.q, v: &mean, z: &buffers.z, modes: &self.modes };
        let own = || model.constraints.iter().filter(|c| !block_assembly::is_surface_contact(c));
        let by_speed = own().any(|c| model.rows[c.rows.clone()].iter().any(|r| r.level == Given::Velocity));
        if by_speed {
            assemble_positions(model, at, &mut self.middle_scene, &mut self.middle);
        } else {
            assemble_twists(model, at, &mut self.middle_scene, &mut self.middle);
        }
        assemble_rates(model, at, &mut self.middle_scene, &mut self.middle);
        self.counts.evaluations += 1;
        let pressed = own().any(|c| c.normal_force_constraint.is_some());
        if pressed {
            let lambda: Vec<f64> = buffers.P.iter().map(|P| P / h).collect();
            block_assembly::update_friction_bounds(
                model,
                at,
                &self.constraint_memories,
                &self.middle_scene,
                &lambda,
                h,
                &mut self.blocks,
            );
        }
        buffers.momentum = mean;
        let changed = self.middle.layout.bodies.iter().any(|b| {
            let (old, new) = (&buffers.f[b.v.clone()], &self.middle.f[b.v.clone()]);
            let size = max_abs(old).max(max_abs(new));
            old.iter().zip(new).any(|(a, b)| (a - b).abs() > FORCE_CHANGE_TOLERANCE * size)
        });
        if changed || by_speed || pressed {
            self.free_velocities(h, v, buffers);
            self.sleep.stop_sleeping_bodies(&self.middle, v);
            self.apply_impulses(v, buffers);
        }
    }

    /// v without the blocks, with the joints: M (v − v₀) = h f + Aᵀ P, A (v₀ + v)/2 + φ_t = 0.
    fn free_velocities(&mut self, h: f64, v: &mut [f64], buffers: &mut StepBuffers) {
        let (eq, v0) = (&self.middle, &self.state.v);
        eq.mass_times(v0, &mut buffers.momentum);
        buffers.momentum.iter_mut().zip(&eq.f).for_each(|(m, f)| *m += h * f);
        eq.jacobian_times(v0, &mut buffers.rows);
        for (i, row) in buffers.rows.iter_mut().enumerate() {
            *row = match self.model.rows[i].level {
                Given::Position | Given::Velocity => -2.0 * eq.phi_t[i] - *row,
                Given::Acceleration => *row + h * eq.b[i],
            };
        }
        self.response.solve(eq, &buffers.momentum, &buffers.rows, v, &mut buffers.P);
    }

    /// Predicts whether a gap closes in this step, and sets the offset of its rate in the law.
    fn predict_gap(&mut self, index: usize, h: f64, free: &[f64]) {
        let block: &LawBlock = &self.blocks.list[index];
        if block.role == BlockRole::Friction {
            return;
        }
        let row = block.rows.start;
        let (before, mut gain, mut after) = (self.blocks.initial_rate[row], 0.0, self.blocks.rate[row]);
        for tie in &self.blocks.bodies[block.bodies.clone()] {
            let range = self.eq.layout.bodies[tie.body].v.clone();
            let (free, v0) = (&free[range.clone()], &self.state.v[range]);
            let (ended, began) = (tie.rows.times(&self.blocks, 0, free), tie.rows.times(&self.blocks, 0, v0));
            gain += (ended - began).abs();
            after += ended;
        }
        let (e, gap, way) = (block.restitution, block.gap, 0.5 * h * (before + after));
        let closes = gap + way <= 0.0;
        // A gap that closes slower than the forces could drive it in one step has landed already. A faster one is an impact,
        // which one step must treat as a whole: split over two steps, each half would have a different slip, and their
        // friction would not add up to that of the impact.
        let impact = -before > gain;
        let presses = closes || gap <= h * gain + block.slack;
        self.blocks.rate_offset[row] = if impact { e * before } else { gap.max(0.0) / h };
        let block = &mut self.blocks.list[index];
        block.role = if presses { BlockRole::Active } else { BlockRole::Inactive };
        block.landing_fraction = (impact && closes && e == 0.0).then(|| if gap > 0.0 { gap / -way } else { 0.0 });
        if !presses {
            self.blocks.p[block.rows.clone()].fill(0.0);
        }
    }

    /// v with the blocks, from v without them. No impact may add energy, as Newton's law can with friction or several
    /// contacts: the rebound of such an island is halved.
    fn apply_impulses(&mut self, v: &mut [f64], buffers: &mut StepBuffers) {
        let StepBuffers { free, P, P_free, .. } = buffers;
        free.copy_from_slice(v);
        P_free.copy_from_slice(P);
        let mut most = SolveReport::default();
        for round in 0..=MAX_REBOUND_HALVINGS {
            let MoreauScheme { blocks, islands, response, impulses, middle: mid, settings, .. } = self;
            let mut p = std::mem::take(&mut blocks.p);
            self.report = impulses.solve(SolveLevel::Velocity, mid, blocks, islands, response, settings, v, &mut p, P);
            self.blocks.p = p;
            most = most.worse(self.report);
            if round == MAX_REBOUND_HALVINGS
                || !self.reduce_rebounds(v, if round + 1 == MAX_REBOUND_HALVINGS { 0.0 } else { 0.5 })
            {
                break;
            }
            self.reset_islands(free, P_free, v, P);
        }
        self.islands
            .list
            .iter_mut()
            .filter(|i| i.activity == IslandActivity::Solved)
            .for_each(|i| i.activity = IslandActivity::Awake);
        self.report = most;
        self.counts.sweeps = most.sweeps;
        let SolveReport { residual, worst: Some(block), .. } = self.report else { return };
        if residual > self.settings.tolerance && self.worst.as_ref().is_none_or(|(most, _)| residual > *most) {
            let name = match self.blocks.list[block].source {
                LawBlockSource::Constraint(c, _) => format!("constraint `{}`", self.model.constraints[c].name),
                LawBlockSource::Touch(i) => format!("contact of {}", self.detector.surface_names(i)),
            };
            self.worst = Some((residual, name));
        }
    }

    /// Resets the islands that are to be solved again. Impulses of joints belong to all islands together.
    fn reset_islands(&mut self, free: &[f64], P_free: &[f64], v: &mut [f64], P: &mut [f64]) {
        if self.islands.has_joints() {
            self.islands
                .list
                .iter_mut()
                .filter(|i| i.activity == IslandActivity::Solved)
                .for_each(|i| i.activity = IslandActivity::Awake);
            v.copy_from_slice(free);
            P.copy_from_slice(P_free);
            return;
        }
        for island in self.islands.list.iter().filter(|i| i.activity == IslandActivity::Awake) {
            for block in &self.islands.order[island.blocks.clone()] {
                for tie in &self.blocks.bodies[self.blocks.list[*block].bodies.clone()] {
                    let own = self.middle.layout.bodies[tie.body].v.clone();
                    v[own.clone()].copy_from_slice(&free[own]);
                }
            }
        }
    }

    /// Scales the rebounds of every island whose impulses added energy by `factor`. Returns whether there was one. The others
    /// are solved.
    fn reduce_rebounds(&mut self, v: &[f64], factor: f64) -> bool {
        let mut found = false;
        for island in self.islands.list.iter_mut().filter(|i| i.activity == IslandActivity::Awake) {
            let own = &self.islands.order[island.blocks.clone()];
            island.activity = IslandActivity::Solved;
            if !own.iter().any(|b| self.blocks.rebounds(*b)) {
                continue;
            }
            let (mut sum, mut size) = (0.0, 0.0);
            for b in own {
                let (work, parts) = self.blocks.work_of(&self.eq, &self.blocks.list[*b], v);
                sum += work[0] + work[1];
                size += parts;
            }
            if sum > ENERGY_GAIN_TOLERANCE.max(self.report.residual) * size {
                found = true;
                island.activity = IslandActivity::Awake;
                for b in own.iter().filter(|b| self.blocks.list[**b].role == BlockRole::Active) {
                    let shift = &mut self.blocks.rate_offset[self.blocks.list[*b].rows.start];
                    *shift = if *shift < 0.0 { factor * *shift } else { *shift };
                }
            }
        }
        found
    }
}
