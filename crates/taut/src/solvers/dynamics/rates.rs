//! The right-hand side F(t, y): assemble positions, factorise, project v, assemble rates, solve.

use super::friction::SlippingConstraint;
use super::{ActiveStageProjection, Dynamics};
use crate::drift::StateMut;
use crate::equations::{
    Equations, MarkerKinematics, StateView, assemble, assemble_positions, assemble_rates, assemble_residual_rates,
    assemble_twists, set_coordinate_rates,
};
use crate::formulations::{CoordinateVelocity, Exactness, SolveError};
use crate::model::Model;

/// Assembles all equations of a state. Slipping constraints and forces that read reactions need the wrenches of the rows,
/// which the single-pass assembly does not keep.
fn assemble_all(
    model: &Model,
    slips: &[SlippingConstraint],
    at: StateView,
    scene: &mut MarkerKinematics,
    eq: &mut Equations,
) {
    if slips.is_empty() && model.reactions.is_empty() {
        return assemble(model, at, scene, eq);
    }
    assemble_positions(model, at, scene, eq);
    assemble_rates(model, at, scene, eq);
}

impl Dynamics<'_> {
    /// F(t, y): assemble positions, factorise, project v, assemble rates, solve.
    pub fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), SolveError> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        self.solve(t, q, v, z)?;
        self.suppress_round_off_acceleration(v);
        let (dq, rest) = dydt.split_at_mut(s.q);
        let (dv, rest) = rest.split_at_mut(s.v);
        dq.copy_from_slice(&self.eq.qdot);
        dv.copy_from_slice(&self.vdot);
        rest[..s.z].copy_from_slice(&self.eq.zdot);
        Ok(())
    }

    /// Motions, A, φ and φ̇ at a state, without its accelerations.
    pub fn assemble_positions(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        assemble_positions(
            self.model,
            StateView { t, q, v, z, modes: &self.modes },
            &mut self.kinematics,
            &mut self.eq,
        );
    }

    /// v̇ and λ at a state. Afterwards all its quantities can be read, residuals included.
    pub fn solve_accelerations(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Result<(), SolveError> {
        self.solve(t, q, v, z)?;
        // Assemble the positions again for the wrenches of the rows, which the single-pass assembly does not keep.
        assemble_positions(
            self.model,
            StateView { t, q, v, z, modes: &self.modes },
            &mut self.kinematics,
            &mut self.eq,
        );
        if self.drift.modifies_rhs() {
            assemble_rates(
                self.model,
                StateView { t, q, v, z, modes: &self.modes },
                &mut self.kinematics,
                &mut self.eq,
            );
        }
        self.formulation.remove_internal_multipliers(&self.eq, &mut self.lambda);
        self.write_friction_multipliers();
        Ok(())
    }

    /// v̇ and λ, with the projections that the stages of this run need.
    pub(super) fn solve(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Result<(), SolveError> {
        if self.undetermined_motion.is_some() {
            return Err(SolveError::NotFinite);
        }
        let (model, modes) = (self.model, &self.modes[..]);
        let (scene, eq) = (&mut self.kinematics, &mut self.eq);
        match (self.stage_projection, &mut self.projection) {
            (ActiveStageProjection::Projected, Some(projection)) => {
                assemble_positions(model, StateView { t, q, v, z, modes }, scene, eq);
                self.formulation.prepare(eq);
                projection.prepare(eq);
                // [Masarati2010] eq. (11a): the velocity used in everything else satisfies the constraints.
                self.v.copy_from_slice(v);
                projection.correct_velocity(&mut *self.formulation, eq, &mut self.v);
                let at = StateView { t, q, v: &self.v, z, modes };
                assemble_twists(model, at, scene, eq);
                assemble_rates(model, at, scene, eq);
                self.formulation.solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.add_reaction_forces(t, q, z)?;
                self.add_friction(t, z)
            }
            (ActiveStageProjection::Full, Some(projection)) => {
                // [Masarati2010] eqs. (11a) and (17): the position and velocity used in everything else satisfy the
                // constraints.
                self.q.copy_from_slice(q);
                self.v.copy_from_slice(v);
                let state = StateMut { t, q: &mut self.q, v: &mut self.v, z, modes };
                projection.project_state(&mut *self.formulation, model, state, scene, eq);
                assemble_all(model, &self.slipping, StateView { t, q: &self.q, v: &self.v, z, modes }, scene, eq);
                self.formulation.prepare_and_solve(eq, &mut self.vdot, &mut self.lambda)?;
                let q = std::mem::take(&mut self.q);
                let added = self.add_reaction_forces(t, &q, z);
                self.q = q;
                added?;
                self.add_friction(t, z)
            }
            _ => {
                assemble_all(model, &self.slipping, StateView { t, q, v, z, modes }, scene, eq);
                // The single-pass assembly does not update φ̇.
                if self.drift.needs_velocity_residual() || self.formulation.exactness() == Exactness::Penalised {
                    assemble_residual_rates(model, StateView { t, q, v, z, modes }, eq);
                }
                self.drift.modify_rhs(eq, self.step);
                self.formulation.prepare_and_solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.add_reaction_forces(t, q, z)?;
                self.add_friction(t, z)?;
                self.correct_coordinate_velocity(q, v);
                Ok(())
            }
        }
    }

    /// q̇ = N w, where the drift control or the formulation replaces v by w.
    fn correct_coordinate_velocity(&mut self, q: &[f64], v: &[f64]) {
        let controlled = self.drift.coordinate_velocity_residual(&self.eq, self.step, &mut self.residual);
        if controlled == CoordinateVelocity::Given
            && self.formulation.coordinate_velocity() == CoordinateVelocity::Given
        {
            return;
        }
        self.v.copy_from_slice(v);
        if let (CoordinateVelocity::Corrected, Some(projection)) = (controlled, &mut self.projection) {
            projection.prepare(&self.eq);
            let delta = projection.project(&mut *self.formulation, &self.eq, &self.residual);
            self.v.iter_mut().zip(delta).for_each(|(w, d)| *w += d);
        }
        self.formulation.correct_coordinate_velocity(&self.eq, &mut self.v);
        set_coordinate_rates(self.model, q, &self.v, &mut self.eq);
    }
}
