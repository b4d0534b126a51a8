//! The positions at the end of a step: displacement, landing, and correction of penetration.

use super::{MoreauScheme, StepBuffers};
use crate::bodies::{Body, each_body};
use crate::complementarity::sweep;
use crate::equations::StateView;
use crate::laws::ConstraintLaw;
use crate::model::{ConstraintEntry, Model};
use crate::simulation::stepping::block_assembly::{self, ContactRows};
use crate::simulation::stepping::contact_detection::DetectedContact;
use crate::simulation::stepping::impulse_solver::{LARGE_ISLAND_CONTACTS, SolveLevel};
use crate::simulation::stepping::islands::IslandKind;
use crate::simulation::stepping::law_blocks::{BlockRole, LawBlock};
use crate::state::State;

/// Tolerance of displacements, relative to the largest one needed, and most sweeps. The next round corrects what is left.
const DISPLACEMENT_TOLERANCE: (f64, usize) = (1e-4, 60);
/// Penetration, in units of the slack, that a large number of contacts may keep at the end of a step: 1e-5 of the smaller surface. Steps in
/// which bodies land leave more, whatever the bound.
const MANY_CONTACTS_SLACK: f64 = 100.0;

impl MoreauScheme<'_> {
    /// Moves q by the mean of both velocities, without passing through anything.
    pub(super) fn move_bodies(&mut self, h: f64, v: &[f64], buffers: &mut StepBuffers) {
        let StepBuffers { d, pi, P, free, .. } = buffers;
        d.iter_mut().zip(self.state.v.iter().zip(v)).for_each(|(d, (a, b))| *d = 0.5 * h * (a + b));
        free.copy_from_slice(d);
        self.adjust_landing(h, v, d);
        pi.clear();
        // Sweeps over many contacts do not converge within a step; they continue from step to step.
        let many = self.blocks.list.len() > LARGE_ISLAND_CONTACTS;
        let start = |b: &LawBlock| if many { block_assembly::push_of_last_step(&self.detector, b) } else { 0.0 };
        pi.extend(self.blocks.list.iter().map(start));
        let settings = sweep::SweepSettings {
            tolerance: DISPLACEMENT_TOLERANCE.0,
            max_sweeps: DISPLACEMENT_TOLERANCE.1.min(self.settings.max_sweeps),
            ..self.settings
        };
        let MoreauScheme { blocks, islands, response, impulses, middle: mid, .. } = self;
        impulses.solve(SolveLevel::Position(h), mid, blocks, islands, response, &settings, d, pi, P);
        block_assembly::store_pushes(&mut self.detector, &self.blocks, pi);
        self.counts.correction_work -= work(&self.middle.f, d, free);
        displace(self.model, &mut self.state.q, d);
    }

    /// A body that lands without rebound moves with v₀ until it touches, then with v₁.
    fn adjust_landing(&mut self, h: f64, v: &[f64], d: &mut [f64]) {
        let landed = |b: &&LawBlock| b.role == BlockRole::Active && self.blocks.p[b.rows.start] > 0.0;
        let mut fractions: Vec<(usize, f64)> = Vec::new();
        for block in self.blocks.list.iter().filter(landed) {
            let Some(fraction) = block.landing_fraction else { continue };
            fractions.extend(self.blocks.bodies[block.bodies.clone()].iter().map(|tie| (tie.body, fraction)));
        }
        if fractions.is_empty() {
            return;
        }
        // The first touch counts, for a body and for all bodies joined to it.
        fractions.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(std::cmp::Ordering::Equal));
        fractions.dedup_by_key(|(body, _)| *body);
        let mut groups: Vec<(usize, f64)> = Vec::new();
        for &(body, fraction) in &fractions {
            let (IslandKind::Jointed, island) = self.islands.of_body(body) else { continue };
            match groups.iter_mut().find(|(i, _)| *i == island) {
                Some((_, least)) => *least = least.min(fraction),
                None => groups.push((island, fraction)),
            }
        }
        for (body, b) in self.model.bodies.iter().enumerate() {
            let fraction = match self.islands.of_body(body) {
                (IslandKind::Jointed, island) => groups.iter().find(|(i, _)| *i == island).map(|g| g.1),
                (IslandKind::Free, _) => fractions.binary_search_by_key(&body, |s| s.0).ok().map(|i| fractions[i].1),
            };
            let Some(fraction) = fraction else { continue };
            for i in b.v.clone() {
                d[i] = h * (fraction * self.state.v[i] + (1.0 - fraction) * v[i]);
            }
        }
    }

    /// Penetration that is corrected, in units of the slack.
    fn correction_bound(&self, contacts: usize) -> f64 {
        // Among many contacts one is always a little beyond its slack; the next step corrects it.
        let many = self.detector.permitted.is_none() && contacts > LARGE_ISLAND_CONTACTS;
        if many { MANY_CONTACTS_SLACK } else { 1.0 }
    }

    /// Moves bodies out of each other. Returns whether anything had to move.
    pub(super) fn correct_penetration(&mut self, h: f64, buffers: &mut StepBuffers) -> bool {
        let model = self.model;
        let own_gap = |c: &ConstraintEntry| {
            matches!(c.law, ConstraintLaw::Unilateral(_)) && !block_assembly::is_surface_contact(c)
        };
        let bound = self.correction_bound(self.detector.contacts.len());
        let deep = |c: &DetectedContact| c.touch.gap < -bound * self.detector.slack(c.pair);
        if !model.constraints.iter().any(own_gap) && !self.detector.contacts.iter().any(deep) {
            return false;
        }
        let State { t, q, v, z, .. } = &self.state;
        let at = StateView { t: *t, q, v, z, modes: &self.modes };
        let blocks = &mut self.correction_blocks;
        blocks.clear();
        block_assembly::add_surface_contacts(model, &self.detector, at, &self.scene, ContactRows::Gap, h, blocks);
        block_assembly::add_gap_constraints(model, at, &self.constraint_memories, &self.scene, &self.eq, h, blocks);
        let count = blocks.list.len();
        let bound = self.correction_bound(count);
        let blocks = &self.correction_blocks;
        if !blocks.list.iter().any(|b| b.gap < -bound * b.slack) {
            return false;
        }
        self.islands.partition(blocks);
        let StepBuffers { d, pi, P, free, .. } = buffers;
        d.fill(0.0);
        free.fill(0.0);
        pi.clear();
        pi.resize(blocks.list.len(), 0.0);
        let settings = sweep::SweepSettings {
            tolerance: DISPLACEMENT_TOLERANCE.0,
            max_sweeps: DISPLACEMENT_TOLERANCE.1.min(self.settings.max_sweeps),
            ..self.settings
        };
        let MoreauScheme { correction_blocks: returning, islands, response, impulses, middle: mid, .. } = self;
        impulses.solve(SolveLevel::Position(0.0), mid, returning, islands, response, &settings, d, pi, P);
        self.counts.correction_work -= work(&self.middle.f, d, free);
        displace(model, &mut self.state.q, d);
        true
    }
}

/// Work of the forces f along the difference of two displacements.
pub(super) fn work(f: &[f64], d: &[f64], free: &[f64]) -> f64 {
    f.iter().zip(d.iter().zip(free)).map(|(f, (d, free))| f * (d - free)).sum()
}

/// q ← q displaced by d.
pub(super) fn displace(model: &Model, q: &mut [f64], d: &[f64]) {
    for b in &model.bodies {
        each_body!(&b.kind, body => body.displace(&mut q[b.q.clone()], &d[b.v.clone()]));
    }
}
