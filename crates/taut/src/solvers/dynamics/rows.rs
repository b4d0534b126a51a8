//! Determines which rows are active, whether they are independent, and how a solve must treat them.

use super::friction::{inactive_rows, slipping_constraints};
use super::{ActiveStageProjection, Dynamics};
use crate::drift::{StageProjection, worst_row_condition};
use crate::equations::{StateView, assemble_positions};
use crate::kkt::RowRank;
use crate::model::Topology;
use crate::singular_poses::SingularPosePredictor;
use crate::solvers::massless::undetermined_motion;

/// For this relative tolerance or a larger one, the stages of a mechanism with independent rows need no projection.
const UNPROJECTED_STAGE_RTOL: f64 = 2e-9;
/// ε and number of refinements of dependent rows for smaller tolerances.
const TIGHT_REGULARISATION: (f64, usize) = (1e-7, 4);
/// Ratio of eigenvalues within one constraint above which solves are refined.
const REFINED_ROW_CONDITION: f64 = 1e6;

impl Dynamics<'_> {
    /// Applies the current modes at a state on the manifold: which rows are active, whether they are independent, and
    /// which constraints slip.
    pub fn apply_modes(&mut self, at: StateView) {
        let model = self.model;
        self.slipping = slipping_constraints(model, &self.modes);
        let StateView { t, q, v, z, .. } = at;
        assemble_positions(model, StateView { t, q, v, z, modes: &self.modes }, &mut self.kinematics, &mut self.eq);
        let masked = inactive_rows(model, &self.modes);
        self.undetermined_motion = undetermined_motion(model, &self.eq);
        if let Some(projector) = self.formulation.projector() {
            projector.set_inactive_rows(&masked);
        }
        self.projection.iter_mut().for_each(|p| p.set_inactive_rows(&masked));
        if model.topology == Topology::Loops {
            if let Some(projector) = self.formulation.projector() {
                projector.detect_rank(&self.eq.M, &self.eq.A);
            }
            self.projection.iter_mut().for_each(|p| p.detect_rank(&self.eq));
        }
        if let Some(projector) = self.formulation.projector()
            && projector.rank() == RowRank::Full
            && worst_row_condition(model, &self.eq.M, &self.eq) > REFINED_ROW_CONDITION
        {
            projector.set_full_rank_refinements(1);
        }
        self.singular_poses = SingularPosePredictor::default();
        self.stage_projection = match (self.drift.stage_projection(), model.topology) {
            (StageProjection::Full, _) => ActiveStageProjection::Full,
            // Minimal coordinates: every stage computes the dependent ones.
            (StageProjection::Velocity, _) if self.formulation.dependent_velocities().is_some() => {
                ActiveStageProjection::Full
            }
            (StageProjection::Velocity, Topology::Loops) => ActiveStageProjection::Projected,
            // On a tree the projection after each step is enough.
            (StageProjection::Velocity, Topology::Tree) | (StageProjection::AsGiven, _) => {
                ActiveStageProjection::Unprojected
            }
        };
        self.tune_shift();
        if let Some(rtol) = self.rtol {
            self.set_tolerance(rtol);
        }
    }

    /// Lowers ε of dependent rows until a solve satisfies them; unequal masses need a smaller ε than equal ones. The
    /// trial load acts on every body, because a start at rest may have no load.
    fn tune_shift(&mut self) {
        let dependent = self.formulation.projector().filter(|p| p.rank() == RowRank::Deficient);
        let Some(given) = dependent.map(|p| p.policy()).filter(|p| p.shift.is_finite()) else { return };
        let (model, mut policy) = (self.model, given);
        let probe = |i: usize| ((i as f64 + 1.0) * 2.399_963).sin();
        self.vdot.iter_mut().enumerate().for_each(|(i, x)| *x = probe(i));
        let mut b = vec![0.0; model.rows.len()];
        self.eq.jacobian_times(&self.vdot, &mut b);
        self.eq.b.copy_from_slice(&b);
        let mut f = vec![0.0; model.sizes.v];
        self.vdot.iter_mut().enumerate().for_each(|(i, x)| *x = 10.0 * probe(3 * i + 1));
        self.eq.mass_times(&self.vdot, &mut f);
        self.eq.f.copy_from_slice(&f);
        while policy.shift > 1e-13 {
            if let Some(projector) = self.formulation.projector() {
                projector.set_policy(policy);
            }
            self.formulation.prepare(&self.eq);
            let solved = self.formulation.solve(&self.eq, &mut self.vdot, &mut self.lambda);
            if solved.is_ok() && self.eq.relative_residual(&self.vdot) < 1e-9 {
                return;
            }
            policy.shift *= 0.1;
        }
        if let Some(projector) = self.formulation.projector() {
            projector.set_policy(given);
        }
    }

    /// Sets the relative tolerance of the run. With a large tolerance and independent rows the stages need not lie on
    /// the manifold.
    pub fn set_tolerance(&mut self, rtol: f64) {
        self.rtol = Some(rtol);
        match self.formulation.projector() {
            Some(p)
                if p.rank() == RowRank::Full
                    && rtol >= UNPROJECTED_STAGE_RTOL
                    && self.stage_projection == ActiveStageProjection::Projected =>
            {
                self.stage_projection = ActiveStageProjection::Unprojected;
            }
            Some(p) if p.rank() == RowRank::Deficient && rtol < UNPROJECTED_STAGE_RTOL => {
                p.tighten(TIGHT_REGULARISATION.0, TIGHT_REGULARISATION.1)
            }
            _ => {}
        }
    }
}
