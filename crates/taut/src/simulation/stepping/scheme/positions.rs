//! The positions at the end of a step: displacement, landing, and correction of penetration.

use super::{Buffers, Scheme};
use crate::bodies::{Body, each_body};
use crate::complementarity::sweep;
use crate::equations::At;
use crate::model::Model;
use crate::simulation::stepping::blocks::{Block, Role};
use crate::simulation::stepping::impulses::{LARGE, Level};
use crate::simulation::stepping::islands::Kind;
use crate::simulation::stepping::rows::{self, Which};
use crate::state::State;

/// Tolerance of displacements, relative to the largest one needed, and most sweeps. The next round corrects what is left.
const PASSED: (f64, usize) = (1e-4, 60);
/// Penetration, in units of the slack, that a large number of contacts may keep at the end of a step.
const CROWD: f64 = 10.0;

impl Scheme<'_> {
    /// Moves q by the mean of both velocities, without passing through anything.
    pub(super) fn displacement(&mut self, h: f64, v: &[f64], buffers: &mut Buffers) {
        let Buffers { d, pi, P, free, .. } = buffers;
        d.iter_mut().zip(self.state.v.iter().zip(v)).for_each(|(d, (a, b))| *d = 0.5 * h * (a + b));
        free.copy_from_slice(d);
        self.land(h, v, d);
        pi.clear();
        pi.resize(self.blocks.list.len(), 0.0);
        let settings = sweep::Settings { tolerance: PASSED.0, sweeps: PASSED.1, ..self.settings };
        let Scheme { blocks, islands, response, impulses, mid, .. } = self;
        impulses.solve(Level::Position(h), mid, blocks, islands, response, &settings, d, pi, P);
        self.tally.lifted -= work(&self.mid.f, d, free);
        displace(self.model, &mut self.state.q, d);
    }

    /// A body that lands without rebound moves with v₀ until it touches, then with v₁.
    fn land(&mut self, h: f64, v: &[f64], d: &mut [f64]) {
        let landed = |b: &&Block| b.role == Role::Presses && self.blocks.p[b.rows.start] > 0.0;
        let mut shares: Vec<(usize, f64)> = Vec::new();
        for block in self.blocks.list.iter().filter(landed) {
            let Some(share) = block.landing else { continue };
            shares.extend(self.blocks.ties[block.ties.clone()].iter().map(|tie| (tie.body, share)));
        }
        if shares.is_empty() {
            return;
        }
        // The first touch counts, for a body and for all bodies joined to it.
        shares.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(std::cmp::Ordering::Equal));
        shares.dedup_by_key(|(body, _)| *body);
        let mut groups: Vec<(usize, f64)> = Vec::new();
        for &(body, share) in &shares {
            let (Kind::Jointed, island) = self.islands.of_body(body) else { continue };
            match groups.iter_mut().find(|(i, _)| *i == island) {
                Some((_, least)) => *least = least.min(share),
                None => groups.push((island, share)),
            }
        }
        for (body, b) in self.model.bodies.iter().enumerate() {
            let share = match self.islands.of_body(body) {
                (Kind::Jointed, island) => groups.iter().find(|(i, _)| *i == island).map(|g| g.1),
                (Kind::Free, _) => shares.binary_search_by_key(&body, |s| s.0).ok().map(|i| shares[i].1),
            };
            let Some(share) = share else { continue };
            for i in b.v.clone() {
                d[i] = h * (share * self.state.v[i] + (1.0 - share) * v[i]);
            }
        }
    }

    /// Moves bodies out of each other. Returns whether anything had to move.
    pub(super) fn leave(&mut self, h: f64, buffers: &mut Buffers) -> bool {
        let model = self.model;
        let State { t, q, v, z, .. } = &self.state;
        let at = At { t: *t, q, v, z, modes: &self.modes };
        let blocks = &mut self.returning;
        blocks.clear();
        rows::contacts(model, &self.detector, at, &self.scene, Which::Gap, h, blocks);
        rows::gaps(model, at, &self.known, &self.scene, &self.eq, h, blocks);
        // Among many contacts one is always a little beyond its slack; the next step corrects it.
        let bound = if blocks.list.len() > LARGE { CROWD } else { 1.0 };
        if !blocks.list.iter().any(|b| b.gap < -bound * b.slack) {
            return false;
        }
        self.islands.find(blocks);
        let Buffers { d, pi, P, free, .. } = buffers;
        d.fill(0.0);
        free.fill(0.0);
        pi.clear();
        pi.resize(blocks.list.len(), 0.0);
        let settings = sweep::Settings { tolerance: PASSED.0, sweeps: PASSED.1, ..self.settings };
        let Scheme { returning, islands, response, impulses, mid, .. } = self;
        impulses.solve(Level::Position(0.0), mid, returning, islands, response, &settings, d, pi, P);
        self.tally.lifted -= work(&self.mid.f, d, free);
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
