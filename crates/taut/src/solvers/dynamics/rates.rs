//! The right-hand side F(t, y): assemble positions, factorise, project v, assemble rates, solve.

use super::friction::Slip;
use super::{Dynamics, Stages};
use crate::drift::{Movable, Steering};
use crate::equations::{At, Equations, Scene, assemble, carry, place, residual_rates, steer, twists};
use crate::formulations::{Exactness, SolveError, Steers};
use crate::model::Model;

/// Assembles all equations of a state. Slipping constraints need the wrenches of the rows, which the single-pass
/// assembly does not keep.
fn sweep(model: &Model, slips: &[Slip], at: At, scene: &mut Scene, eq: &mut Equations) {
    if slips.is_empty() {
        return assemble(model, at, scene, eq);
    }
    place(model, at, scene, eq);
    carry(model, at, scene, eq);
}

impl Dynamics<'_> {
    /// F(t, y): assemble positions, factorise, project v, assemble rates, solve.
    pub fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), SolveError> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        self.solve(t, q, v, z)?;
        self.calm(v);
        let (dq, rest) = dydt.split_at_mut(s.q);
        let (dv, rest) = rest.split_at_mut(s.v);
        dq.copy_from_slice(&self.eq.qdot);
        dv.copy_from_slice(&self.vdot);
        rest[..s.z].copy_from_slice(&self.eq.zdot);
        Ok(())
    }

    /// Motions, A, φ and φ̇ at a state, without its accelerations.
    pub fn place(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        place(self.model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
    }

    /// v̇ and λ at a state. Afterwards all its quantities can be read, residuals included.
    pub fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Result<(), SolveError> {
        self.solve(t, q, v, z)?;
        // Assemble the positions again for the wrenches of the rows, which the single-pass assembly does not keep.
        place(self.model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        if self.drift.edits() {
            carry(self.model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        }
        self.formulation.settle(&self.eq, &mut self.lambda);
        self.show_friction();
        Ok(())
    }

    /// v̇ and λ, with the projections that the stages of this run need.
    pub(super) fn solve(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Result<(), SolveError> {
        let (model, modes) = (self.model, &self.modes[..]);
        let (scene, eq) = (&mut self.scene, &mut self.eq);
        match (self.stages, &mut self.projection) {
            (Stages::Projected, Some(projection)) => {
                place(model, At { t, q, v, z, modes }, scene, eq);
                self.formulation.prepare(eq);
                projection.prepare(eq);
                // [Masarati2010] eq. (11a): the velocity used in everything else satisfies the constraints.
                self.v.copy_from_slice(v);
                projection.nudge(&mut *self.formulation, eq, &mut self.v);
                let at = At { t, q, v: &self.v, z, modes };
                twists(model, at, scene);
                carry(model, at, scene, eq);
                self.formulation.solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.rub(t, z)
            }
            (Stages::Full, Some(projection)) => {
                // [Masarati2010] eqs. (11a) and (17): the position and velocity used in everything else satisfy the
                // constraints.
                self.q.copy_from_slice(q);
                self.v.copy_from_slice(v);
                let state = Movable { t, q: &mut self.q, v: &mut self.v, z, modes };
                projection.reset(&mut *self.formulation, model, state, scene, eq);
                sweep(model, &self.slips, At { t, q: &self.q, v: &self.v, z, modes }, scene, eq);
                self.formulation.prepare_and_solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.rub(t, z)
            }
            _ => {
                sweep(model, &self.slips, At { t, q, v, z, modes }, scene, eq);
                // The single-pass assembly does not update φ̇.
                if self.drift.reads_rates() || self.formulation.exactness() == Exactness::Penalised {
                    residual_rates(model, At { t, q, v, z, modes }, eq);
                }
                self.drift.edit(eq, self.step);
                self.formulation.prepare_and_solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.rub(t, z)?;
                self.steer(q, v);
                Ok(())
            }
        }
    }

    /// q̇ = N w, where the drift control or the formulation replaces v by w.
    fn steer(&mut self, q: &[f64], v: &[f64]) {
        let steered = self.drift.steer(&self.eq, self.step, &mut self.residual);
        if steered == Steering::Straight && self.formulation.steers() == Steers::Straight {
            return;
        }
        self.v.copy_from_slice(v);
        if let (Steering::Corrected, Some(projection)) = (steered, &mut self.projection) {
            projection.prepare(&self.eq);
            let delta = projection.project(&mut *self.formulation, &self.eq, &self.residual);
            self.v.iter_mut().zip(delta).for_each(|(w, d)| *w += d);
        }
        self.formulation.steer(&self.eq, &mut self.v);
        steer(self.model, q, &self.v, &mut self.eq);
    }
}
