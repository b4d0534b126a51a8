//! Status and forces of contacts, stops, ropes, friction and brakes at an equilibrium.

use super::Equilibrium;
use crate::analyses::friction_bounds::friction_and_bound;
use crate::analyses::inverse::{Reaction, reactions_at};
use crate::equations::{Equations, MarkerKinematics, assemble_positions};
use crate::laws::{ConstraintLaw, NEVER_ZERO};
use crate::mathematics::magnitude::max_abs;
use crate::model::Model;
use crate::state::{ConstraintMode, State};
use serde::Serialize;

/// Distance of a force from its bound, relative to the largest force, that counts as zero.
const BOUND_TOLERANCE: f64 = 1e-9;

/// Status of a unilateral constraint or of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactStatus {
    /// An open gap or a slack rope.
    Open,
    /// A gap with a contact force or a taut rope; its friction, if any, is within its bounds.
    Pressing,
    /// Friction or a brake within its bounds.
    Holding,
    /// Friction or a brake at its bound: it has slipped, or would slip under a slightly larger load.
    AtBound,
    /// Friction or a brake that is released.
    Released,
}

/// Status and forces of a contact, stop, rope, brake or friction.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContactReport {
    /// The constraint.
    pub constraint: String,
    /// Its status.
    pub holding: ContactStatus,
    /// Gap, m or rad, if it has one.
    pub gap: Option<f64>,
    /// Normal force, N or N m.
    pub force: Option<f64>,
    /// Friction force, N or N m, and its bound.
    pub grip: Option<[f64; 2]>,
}

impl Equilibrium {
    /// Reactions of all constraints that act on frames, on their last markers: joints, closed contacts and stops, taut ropes.
    pub fn reactions(&self, model: &Model) -> Vec<Reaction> {
        reactions_at(model, &self.state, &self.lambda)
    }

    /// Status and forces of all unilateral constraints and friction, in the order of the model.
    pub fn contact_reports(&self, model: &Model) -> Vec<ContactReport> {
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        // All gaps are evaluated if no unilateral constraint is active.
        let bare = State { modes: model.static_modes(&self.state.modes), ..self.state.clone() };
        assemble_positions(model, (&bare).into(), &mut scene, &mut eq);
        let size = max_abs(&self.lambda);
        let mut list = Vec::new();
        for (c, entry) in model.constraints.iter().enumerate().filter(|(_, c)| c.law != ConstraintLaw::Bilateral) {
            let is_gap = matches!(entry.law, ConstraintLaw::Unilateral(_));
            let (first, force) = (entry.rows.start, self.lambda[entry.rows.start]);
            let open = is_gap && self.state.modes[c] == ConstraintMode::Idle;
            let grip = friction_and_bound(model, &self.state, &scene, c, &self.lambda);
            let at_bound = grip.is_some_and(|[exerts, most]| exerts > 0.0 && exerts >= most - BOUND_TOLERANCE * size);
            let holding = match (is_gap, self.state.modes[c]) {
                _ if open => ContactStatus::Open,
                (false, ConstraintMode::Idle) => ContactStatus::Released,
                _ if at_bound => ContactStatus::AtBound,
                (true, _) => ContactStatus::Pressing,
                (false, _) => ContactStatus::Holding,
            };
            list.push(ContactReport {
                constraint: entry.name.clone(),
                holding,
                gap: (is_gap && eq.inactive.phi[first] < NEVER_ZERO).then(|| eq.inactive.phi[first]),
                force: is_gap.then_some(force),
                grip: grip.filter(|_| !open),
            });
        }
        list
    }
}
