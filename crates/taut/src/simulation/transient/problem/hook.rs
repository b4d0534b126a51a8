//! What follows an accepted step: return to the manifold, audit, missed contacts, new charts, rows of output.

use super::contact_laws::DecisionState;
use super::manifold::StateOrigin;
use super::row::LastRow;
use super::{TransientProblem, split_state};
use crate::bodies::ChartChange;
use crate::mathematics::magnitude::largest_magnitude;
use crate::model::BodyEntry;
use crate::simulation::transient::diagnosis;
use crate::solution::{Cause, MeasureInput};
use taut_ode::{EventResponse, Hook, Refusal, Restart, StateEdit};

/// A state with larger numbers than this has diverged.
const DIVERGED: f64 = 1e20;
/// Longest step, s, while contacts are held whose features change with the poses.
const MAX_STEP_WITH_FEATURES: f64 = 0.1;

impl Hook for TransientProblem<'_> {
    fn after_step(&mut self, t: f64, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        // A diverging motion may stay finite for long: stop it early.
        let near = y[..self.dynamics.dimension()].iter().fold(true, |all, x| all & (x.abs() <= DIVERGED));
        if !near {
            self.cause = match diagnosis::not_finite(&self.dynamics, t, y) {
                Cause::Nobody => self.body_with_largest_state(y),
                found => found,
            };
            return Err(Refusal::NotFinite);
        }
        self.work_state.copy_from_slice(y);
        let returned = self.return_to_manifold(t, y, StateOrigin::Step)?;
        if returned.is_some_and(|reset| reset.phi_before > self.feature_change_residual) {
            // After so large a correction the step says nothing about the motion, nor about its events.
            let (q, v, z) = split_state(self.dynamics.model, &self.work_state);
            self.dynamics.assemble_positions(t, q, v, z);
            if let Some(row) = self.dynamics.model.row_with_gap_jump(&self.dynamics.eq.phi) {
                let residual = self.dynamics.eq.phi[row].abs();
                self.cause = Cause::Constraint { row: self.dynamics.model.row_name(row), residual };
                return Err(Refusal::NotConverged);
            }
            let (q, v, z) = split_state(self.dynamics.model, y);
            self.dynamics.assemble_positions(t, q, v, z);
        }
        if !self.log.recorder.measures.is_empty() {
            if returned.is_none() {
                self.evaluate_for_events(t, y);
            }
            let scene = if returned.is_some() { &self.dynamics.kinematics } else { &self.scene };
            let at = MeasureInput { model: self.dynamics.model, q: y, motions: &scene.motions };
            self.log.recorder.angle_tracker.advance(t, &self.log.recorder.measures, at);
        }
        // A last step that ended after the start of this one was discarded; both began with the same work.
        if self.t_step_start >= self.t_step_end {
            self.work_of_step[0] = self.work_of_step[1];
        }
        self.step = t - self.t_step_start;
        self.end_step_at(t, y);
        self.warn_of_left_tables(t, y);
        self.update_compliant_step(t, y);
        self.log.audit.count_step();
        let kept = self.work_state.iter().zip(&*y).all(|(a, b)| a.to_bits() == b.to_bits());
        let met = self.dynamics.projects_every_step() && self.meets_constraints(y);
        self.ends_step = met;
        let began = std::mem::replace(&mut self.on_manifold, met);
        let held = began && self.on_manifold;
        Ok(match returned {
            _ if kept => StateEdit::Unchanged,
            Some(reset) if held && self.is_amplified(&reset, y) => StateEdit::ProjectedNearSingularity,
            _ if held => StateEdit::Projected,
            _ => StateEdit::Corrected,
        })
    }

    fn change_chart(&mut self, t: f64, y: &mut [f64]) -> StateEdit {
        self.audit_step(t, y);
        self.log.note_modes(&self.dynamics.modes, || self.dynamics.unpack(t, y));
        let model = self.dynamics.model;
        if !self.contact_switches.watched().is_empty() {
            let (q, v, z) = split_state(model, y);
            self.dynamics.assemble_positions(t, q, v, z);
            self.dynamics.update_slip_directions();
            self.check_progress(t);
            // A gap that closed unseen, as from a start in touch.
            if self.contact_switches.has_missed_event(&self.dynamics, t, z) {
                match self.restart_with_new_modes(t, y) {
                    EventResponse::Jump | EventResponse::JumpAndStop => return StateEdit::Jumped,
                    _ => return StateEdit::Unchanged,
                }
            }
            if let Some(overlap) = self.overlap_outcome(t, y) {
                self.own_outcome = Some(overlap);
            }
        }
        let edit =
            if self.change_chart(t, y) == ChartChange::Changed { StateEdit::Jumped } else { StateEdit::Unchanged };
        // The state recorded at this time is the same one in other coordinates.
        if let (StateEdit::Jumped, Some(last)) = (edit, &mut self.last_output)
            && last.t == t
        {
            last.y.copy_from_slice(y);
        }
        edit
    }

    fn restart(&mut self, at: Restart, y: &mut [f64]) -> Result<StateEdit, Refusal> {
        match at {
            Restart::Break { from, to } => Ok(self.cross_break(from, to, y)),
            Restart::Guard { index, t } => Ok(self.cross_guard(index, t, y)),
        }
    }

    fn tolerance_factor(&self) -> f64 {
        self.log.audit.switching.tolerance_fraction()
    }

    fn singular_time(&self) -> Option<f64> {
        self.dynamics.predicted_singular_pose()
    }

    fn max_step(&mut self, t: f64) -> Option<f64> {
        let held = self.contact_switches.has_held_features(&self.dynamics).then_some(MAX_STEP_WITH_FEATURES);
        let model = self.dynamics.model;
        let rapid = self.rapid.as_mut().and_then(|search| search.max_step(model, t));
        [held, self.longest_compliant_step, rapid].into_iter().flatten().reduce(f64::min)
    }

    fn refine(&mut self, t: f64, y: &mut [f64]) -> Result<(), Refusal> {
        self.decided = DecisionState::NotYet;
        self.return_to_manifold(t, y, StateOrigin::Elsewhere).map(|_| ())
    }

    fn output(&mut self, t: f64, y: &[f64]) {
        let modes = &self.dynamics.modes;
        match &mut self.last_output {
            // A driver that is called again begins with the state it ended with.
            Some(last) if last.t == t && (!self.both_sides || last.shows(y, modes)) => return,
            Some(last) => {
                last.t = t;
                last.y.copy_from_slice(y);
                last.modes.clone_from(modes);
            }
            None => self.last_output = Some(LastRow { t, y: y.to_vec(), modes: modes.clone() }),
        }
        self.write_row(t, y);
    }

    fn next_sample_time(&mut self, t_old: f64, t: f64) -> Option<f64> {
        self.peaks.as_mut()?.next_sample_time(t_old, t)
    }

    fn before_restart(&mut self, t: f64, y: &[f64]) {
        self.sample_before_jump(t, y);
    }

    fn sample(&mut self, t: f64, y: &[f64]) {
        std::mem::swap(&mut self.log.recorder.table, &mut self.samples);
        self.write_row(t, y);
        std::mem::swap(&mut self.log.recorder.table, &mut self.samples);
    }
}

impl TransientProblem<'_> {
    /// The body with the largest number in its coordinates or velocities.
    fn body_with_largest_state(&self, y: &[f64]) -> Cause {
        let model = self.dynamics.model;
        let (q, v) = y.split_at(model.sizes.q);
        let size = |b: &BodyEntry| largest_magnitude(&q[b.q.clone()]).0.max(largest_magnitude(&v[b.v.clone()]).0);
        let most = model.bodies.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        most.map_or(Cause::Nobody, |b| Cause::Body(b.name.clone()))
    }
}
