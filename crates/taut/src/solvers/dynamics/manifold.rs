//! Projection onto the constraint manifold, after a step or for output, as the drift control requires.
//!
//! The end of a step also checks for singular poses: rows that remain nearly dependent are treated as dependent from
//! then on.

use super::{ActiveStageProjection, Dynamics};
use crate::bodies::{Manifold, each_body};
use crate::drift::{EndOfStep, ProjectionReport, StageProjection, StateMut};
use crate::equations::{StateView, assemble_positions};
use crate::kkt::RowRank;
use crate::mathematics::magnitude::max_abs;
use crate::model::Topology;

impl Dynamics<'_> {
    /// Ends a step: projects y onto the manifold if the drift control requires it, and checks for singular poses.
    pub fn end_step(&mut self, t: f64, y: &mut [f64]) -> Option<ProjectionReport> {
        self.formulation.step_ended();
        match self.drift.end_of_step() {
            EndOfStep::Keep | EndOfStep::ProjectOutput => return None,
            EndOfStep::ProjectAbove(most) if self.max_residual(t, y) <= most => return None,
            EndOfStep::ProjectAbove(_) | EndOfStep::Project => {}
        }
        // Without constraints only quaternions need to be normalised.
        if self.model.rows.is_empty() && !self.controls_energy() {
            for b in &self.model.bodies {
                each_body!(&b.kind, body => body.normalise(&mut y[b.q.clone()]));
            }
            return None;
        }
        let reset = self.project_state(t, y)?;
        if self.model.topology == Topology::Loops
            && let Some(projector) = self.projection.as_mut().and_then(|p| p.projector(&mut *self.formulation))
        {
            self.singular_poses.observe(t, projector.pivots());
            if self.singular_poses.remains_singular() && projector.rank() == RowRank::Full {
                projector.set_rank(RowRank::Deficient);
                if self.stage_projection == ActiveStageProjection::Unprojected
                    && self.drift.stage_projection() == StageProjection::Velocity
                {
                    self.stage_projection = ActiveStageProjection::Projected;
                }
            }
        }
        Some(reset)
    }

    /// Projects y onto the manifold for output, if the drift control requires it.
    pub fn project_output(&mut self, t: f64, y: &mut [f64]) -> Option<ProjectionReport> {
        match self.drift.end_of_step() {
            EndOfStep::Keep => None,
            EndOfStep::ProjectAbove(most) if self.max_residual(t, y) <= most => None,
            EndOfStep::ProjectAbove(_) | EndOfStep::Project | EndOfStep::ProjectOutput => self.project_state(t, y),
        }
    }

    /// Projects y onto the manifold, if there is a projection.
    pub(super) fn project_state(&mut self, t: f64, y: &mut [f64]) -> Option<ProjectionReport> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let state = StateMut { t, q, v, z: &rest[..s.z], modes: &self.modes };
        let projection = self.projection.as_mut()?;
        let formulation = &mut *self.formulation;
        let report = projection.project_state(formulation, self.model, state, &mut self.kinematics, &mut self.eq);
        if let Some(corrections) = &mut self.corrections {
            std::mem::swap(corrections, &mut projection.corrections);
        }
        Some(report)
    }

    /// Largest |φ| or |φ̇|.
    fn max_residual(&mut self, t: f64, y: &[f64]) -> f64 {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        assemble_positions(
            self.model,
            StateView { t, q, v, z: &rest[..s.z], modes: &self.modes },
            &mut self.kinematics,
            &mut self.eq,
        );
        max_abs(&self.eq.phi).max(max_abs(&self.eq.phidot))
    }

    /// Whether every step ends with a projection onto the manifold and nothing else.
    pub(crate) fn projects_every_step(&self) -> bool {
        self.drift.end_of_step() == EndOfStep::Project && !self.controls_energy() && !self.model.rows.is_empty()
    }

    /// Whether the recorded state differs from that of the integrator.
    pub fn projects_output_only(&self) -> bool {
        self.drift.end_of_step() == EndOfStep::ProjectOutput
    }

    /// Predicted time of a pose of lower rank, if any. The penalty of an augmented Lagrangian crosses such poses itself.
    pub fn predicted_singular_pose(&self) -> Option<f64> {
        self.singular_poses.predicted_time().filter(|_| self.augmented_penalty.is_none())
    }

    /// Whether rows are treated as dependent. Poses of lower rank are not predicted then.
    pub(crate) fn rows_are_dependent(&mut self) -> bool {
        self.formulation.projector().is_some_and(|p| p.rank() == RowRank::Deficient)
    }

    /// Whether the pivots of the last solve show that no active row is near to depending on others.
    pub(crate) fn has_clearly_independent_rows(&mut self) -> bool {
        self.formulation.projector().is_some_and(|p| p.has_clearly_independent_rows())
    }
}
