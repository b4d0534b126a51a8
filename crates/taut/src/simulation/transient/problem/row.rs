//! Writes one row of results for a state of the integrator.

use super::TransientProblem;
use crate::dynamics::Dynamics;
use crate::model::ReactionSharing;
use crate::results::WorkTracking;
use crate::solution::{EnergyLosses, RecordedState};
use crate::solvers::determinacy::self_stress;
use crate::solvers::determinacy::sharing::redistribute;
use crate::state::ConstraintMode;
use std::mem::discriminant;

/// What the last row of the table shows.
pub(super) struct LastRow {
    pub t: f64,
    pub y: Vec<f64>,
    pub modes: Vec<ConstraintMode>,
}

impl LastRow {
    /// Whether it shows this state with the same rows active. A contact may begin to slip without a jump of the state.
    pub fn shows(&self, y: &[f64], modes: &[ConstraintMode]) -> bool {
        self.y == y && self.modes.iter().zip(modes).all(|(a, b)| discriminant(a) == discriminant(b))
    }
}

impl TransientProblem<'_> {
    /// Shares the load of redundant joints by the rule of the run.
    fn share_reactions(&mut self, t: f64) {
        let rule = self.reaction_sharing;
        let Dynamics { modes, model, lambda, kinematics, eq, .. } = &mut self.dynamics;
        if rule == ReactionSharing::Solver || lambda.iter().any(|l| !l.is_finite()) {
            return;
        }
        let why = match self_stress(model, eq, modes) {
            Some(groups) => redistribute(model, kinematics, modes, &groups, rule, lambda).map(|f| f.words(model)),
            None => Some("the model is too large".to_string()),
        };
        if let Some(why) = why {
            self.log.warn_once(t, "reactions are as the solver shares them, not by the rule that was chosen: ", || why);
        }
    }

    /// Solves the equations of y and writes a row of the table.
    pub(super) fn write_row(&mut self, t: f64, y: &[f64]) {
        self.work_state.copy_from_slice(y);
        if self.dynamics.projects_output_only() {
            self.dynamics.project_output(t, &mut self.work_state);
        }
        let s = self.dynamics.model.sizes;
        let (q, rest) = self.work_state.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        self.solves += 1;
        if self.dynamics.solve_accelerations(t, q, v, z).is_err() {
            // The row still shows the state; accelerations and forces become NaN.
            self.dynamics.vdot.fill(f64::NAN);
            self.dynamics.lambda.fill(f64::NAN);
        }
        let Dynamics { modes, model, lambda, .. } = &mut self.dynamics;
        self.contact_switches.add_load_sharing(modes, model, lambda);
        self.share_reactions(t);
        let (q, rest) = self.work_state.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        let work = match self.work {
            WorkTracking::Unknown => None,
            _ => Some(self.work_done(&self.work_state)),
        };
        let energy_at_start = self.log.energy_at_start;
        let first = self.work_state.len() - self.friction_constraints.len();
        let lost = EnergyLosses {
            friction_constraints: &self.friction_constraints,
            friction: &self.work_state[first..],
            impacts: &self.impact_losses,
        };
        let independent_rows = self.dynamics.has_clearly_independent_rows();
        let moment = RecordedState {
            t,
            q,
            v,
            z,
            work,
            lost,
            energy_at_start,
            step: self.step,
            stepping_contacts: None,
            independent_rows,
        };
        self.log.recorder.record(&self.dynamics, moment);
        self.peaks.iter_mut().for_each(|p| p.record(t, &self.dynamics.lambda));
        if let Some(angle) = self.log.recorder.untracked_angle(t).map(str::to_string) {
            self.log.warn_doubtful(t, "angles may be wrong by full turns", &angle, || {
                ": a row lies outside the step for which they are tracked; please report this model".to_string()
            });
        }
        self.audit_row(t);
        self.audit_accelerations(t);
    }
}
