//! Projection onto the constraint manifold, after a step or for output, as the drift control requires.
//!
//! The end of a step also checks for singular poses: rows that remain nearly dependent are treated as dependent from
//! then on.

use super::{Dynamics, Stages};
use crate::bodies::{Manifold, each_body};
use crate::drift::{Ending, Movable, Reset, Stage, largest};
use crate::equations::{At, place};
use crate::kkt::RowRank;
use crate::model::Topology;

impl Dynamics<'_> {
    /// Ends a step: projects y onto the manifold if the drift control requires it, and checks for singular poses.
    pub fn end_step(&mut self, t: f64, y: &mut [f64]) -> Option<Reset> {
        self.formulation.step_ended();
        match self.drift.ending() {
            Ending::Keep | Ending::Shown => return None,
            Ending::Above(most) if self.residuals(t, y) <= most => return None,
            Ending::Above(_) | Ending::Reset => {}
        }
        // Without constraints only quaternions need to be normalised.
        if self.model.rows.is_empty() && !self.holds_energy() {
            for b in &self.model.bodies {
                each_body!(&b.kind, body => body.normalise(&mut y[b.q.clone()]));
            }
            return None;
        }
        let reset = self.reset(t, y)?;
        if self.model.topology == Topology::Loops
            && let Some(projector) = self.projection.as_mut().and_then(|p| p.projector(&mut *self.formulation))
        {
            self.crossing.observe(t, projector.pivots());
            if self.crossing.stays() && projector.rank() == RowRank::Full {
                projector.assume(RowRank::Deficient);
                if self.stages == Stages::Bare && self.drift.stage() == Stage::Velocity {
                    self.stages = Stages::Projected;
                }
            }
        }
        Some(reset)
    }

    /// Projects y onto the manifold for output, if the drift control requires it.
    pub fn show(&mut self, t: f64, y: &mut [f64]) -> Option<Reset> {
        match self.drift.ending() {
            Ending::Keep => None,
            Ending::Above(most) if self.residuals(t, y) <= most => None,
            Ending::Above(_) | Ending::Reset | Ending::Shown => self.reset(t, y),
        }
    }

    /// Projects y onto the manifold, if there is a projection.
    pub(super) fn reset(&mut self, t: f64, y: &mut [f64]) -> Option<Reset> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let state = Movable { t, q, v, z: &rest[..s.z], modes: &self.modes };
        let projection = self.projection.as_mut()?;
        Some(projection.reset(&mut *self.formulation, self.model, state, &mut self.scene, &mut self.eq))
    }

    /// Largest |φ| or |φ̇|.
    fn residuals(&mut self, t: f64, y: &[f64]) -> f64 {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        place(self.model, At { t, q, v, z: &rest[..s.z], modes: &self.modes }, &mut self.scene, &mut self.eq);
        largest(&self.eq.phi).max(largest(&self.eq.phidot))
    }

    /// Whether every step ends with a projection onto the manifold and nothing else.
    pub(crate) fn projects(&self) -> bool {
        self.drift.ending() == Ending::Reset && !self.holds_energy() && !self.model.rows.is_empty()
    }

    /// Whether the recorded state differs from that of the integrator.
    pub fn shows_otherwise(&self) -> bool {
        self.drift.ending() == Ending::Shown
    }

    /// Predicted time of a pose of lower rank, if any.
    pub fn obstacle(&self) -> Option<f64> {
        self.crossing.expected()
    }

    /// Whether rows are treated as dependent. Poses of lower rank are not predicted then.
    pub(crate) fn rows_are_dependent(&mut self) -> bool {
        self.formulation.projector().is_some_and(|p| p.rank() == RowRank::Deficient)
    }
}
