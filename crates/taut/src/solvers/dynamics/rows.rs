//! Determines which rows are active, whether they are independent, and how a solve must treat them.

use super::friction::{masked, slips};
use super::{Dynamics, Stages};
use crate::crossing::Crossing;
use crate::drift::{Stage, spread};
use crate::equations::{At, place};
use crate::kkt::RowRank;
use crate::model::Topology;

/// For this relative tolerance or a larger one, the stages of a mechanism with independent rows need no projection.
const LOOSE: f64 = 2e-9;
/// ε and number of refinements of dependent rows for smaller tolerances.
const TIGHT: (f64, usize) = (1e-7, 4);
/// Ratio of eigenvalues within one constraint above which solves are refined.
const SPREAD: f64 = 1e6;

impl Dynamics<'_> {
    /// Applies the current modes at a state on the manifold: which rows are active, whether they are independent, and
    /// which constraints slip.
    pub fn engage(&mut self, at: At) {
        let model = self.model;
        self.slips = slips(model, &self.modes);
        let At { t, q, v, z, .. } = at;
        place(model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        let masked = masked(model, &self.modes);
        if let Some(projector) = self.formulation.projector() {
            projector.mask(&masked);
        }
        self.projection.iter_mut().for_each(|p| p.mask(&masked));
        if model.topology == Topology::Loops {
            if let Some(projector) = self.formulation.projector() {
                projector.examine(&self.eq.M, &self.eq.A);
            }
            self.projection.iter_mut().for_each(|p| p.examine(&self.eq));
        }
        if let Some(projector) = self.formulation.projector()
            && projector.rank() == RowRank::Full
            && spread(model, &self.eq.M, &self.eq) > SPREAD
        {
            projector.refine(1);
        }
        self.crossing = Crossing::default();
        self.stages = match (self.drift.stage(), model.topology) {
            (Stage::Full, _) => Stages::Full,
            // Minimal coordinates: every stage computes the dependent ones.
            (Stage::Velocity, _) if self.formulation.dependent().is_some() => Stages::Full,
            (Stage::Velocity, Topology::Loops) => Stages::Projected,
            // On a tree the projection after each step is enough.
            (Stage::Velocity, Topology::Tree) | (Stage::AsGiven, _) => Stages::Bare,
        };
        self.measure_shift();
        if let Some(rtol) = self.rtol {
            self.expect(rtol);
        }
    }

    /// Lowers ε of dependent rows until a solve satisfies them; unequal masses need a smaller ε than equal ones. The
    /// trial load acts on every body, because a start at rest may have no load.
    fn measure_shift(&mut self) {
        let dependent = self.formulation.projector().filter(|p| p.rank() == RowRank::Deficient);
        let Some(given) = dependent.map(|p| p.policy()).filter(|p| p.shift.is_finite()) else { return };
        let (model, mut policy) = (self.model, given);
        let probe = |i: usize| ((i as f64 + 1.0) * 2.399_963).sin();
        self.vdot.iter_mut().enumerate().for_each(|(i, x)| *x = probe(i));
        let mut b = vec![0.0; model.rows.len()];
        self.eq.times(&self.vdot, &mut b);
        self.eq.b.copy_from_slice(&b);
        let mut f = vec![0.0; model.sizes.v];
        self.vdot.iter_mut().enumerate().for_each(|(i, x)| *x = 10.0 * probe(3 * i + 1));
        self.eq.mass_times(&self.vdot, &mut f);
        self.eq.f.copy_from_slice(&f);
        while policy.shift > 1e-13 {
            if let Some(projector) = self.formulation.projector() {
                projector.follow(policy);
            }
            self.formulation.prepare(&self.eq);
            let solved = self.formulation.solve(&self.eq, &mut self.vdot, &mut self.lambda);
            if solved.is_ok() && self.eq.relative_residual(&self.vdot) < 1e-9 {
                return;
            }
            policy.shift *= 0.1;
        }
        if let Some(projector) = self.formulation.projector() {
            projector.follow(given);
        }
    }

    /// Sets the relative tolerance of the run. With a large tolerance and independent rows the stages need not lie on
    /// the manifold.
    pub fn expect(&mut self, rtol: f64) {
        self.rtol = Some(rtol);
        match self.formulation.projector() {
            Some(p) if p.rank() == RowRank::Full && rtol >= LOOSE && self.stages == Stages::Projected => {
                self.stages = Stages::Bare;
            }
            Some(p) if p.rank() == RowRank::Deficient && rtol < LOOSE => p.tighten(TIGHT.0, TIGHT.1),
            _ => {}
        }
    }
}
