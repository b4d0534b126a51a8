//! Contact laws during a run: events of gaps and friction, and how the run continues after them.

use super::manifold::StateOrigin;
use super::{TransientProblem, split_state};
use crate::bodies::ChartChange;
use crate::equations::{StateView, change_charts};
use crate::events::{LiftResult, ModeSelectionError, RunProgress};
use crate::interruption;
use crate::simulation::AnalysisError;
use crate::solution::{Outcome, Severity};
use crate::solvers::contact_features::bind_features;
use taut_ode::EventResponse;

impl TransientProblem<'_> {
    /// A function of the laws has fallen through zero.
    pub(super) fn fire_switch(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
        let s = self.dynamics.model.sizes;
        if self.contact_switches.is_guard(i) {
            let (q, v, z) = split_state(self.dynamics.model, y);
            self.dynamics.assemble_positions(t, q, v, z);
            let stored = self.contact_switches.stored_energy(&self.dynamics, i, t, z);
            let z = &mut y[s.q + s.v..s.q + s.v + s.z];
            let rung = self.contact_switches.fire(&self.dynamics, i, t, z);
            // Energy left in an opening contact is lost; a contact that closes again before it has opened regains energy.
            let gained = self.contact_switches.stored_energy(&self.dynamics, i, t, z) - stored;
            self.jump_work += gained;
            if let Some(force) = self.contact_switches.force_of(i).filter(|_| gained > 0.0) {
                self.log.audit.elements.add_created_energy(self.dynamics.model, force, gained);
            }
            self.log.events.extend(rung);
        } else if self.decided == DecisionState::Already {
            return EventResponse::Jump;
        } else {
            let (q, v, z) = split_state(self.dynamics.model, y);
            self.dynamics.assemble_positions(t, q, v, z);
            if self.contact_switches.is_opening_gap(&self.dynamics, i, t, z)
                && self.contact_switches.lift(&self.dynamics, i, t, z) == LiftResult::Done
            {
                return EventResponse::Continue;
            }
        }
        self.decided = DecisionState::Already;
        self.restart_with_new_modes(t, y)
    }

    /// Continues from a state whose laws require other modes.
    pub(super) fn restart_with_new_modes(&mut self, t: f64, y: &mut [f64]) -> EventResponse {
        self.prepare_decision(t, y);
        // If the projection fails, the next step is rejected.
        _ = self.return_to_manifold(t, y, StateOrigin::Elsewhere);
        self.decide_and_continue(t, y)
    }

    /// Continues behind a break. The state is the end of a step and meets the constraints on the near side. On the far side the
    /// velocity of a stop, a rope or a servo may have jumped: the decision finds the impact, the opening or the slip. A
    /// projection before it would force the new velocity on the bodies, with any force and in any direction.
    pub(super) fn restart_behind_break(&mut self, t: f64, y: &mut [f64]) -> EventResponse {
        self.prepare_decision(t, y);
        self.decide_and_continue(t, y)
    }

    fn prepare_decision(&mut self, t: f64, y: &mut [f64]) {
        self.bind_contact_features(t, y);
        self.change_chart(t, y);
        let (q, v, z) = split_state(self.dynamics.model, y);
        self.dynamics.apply_modes(StateView { t, q, v, z, modes: &[] });
    }

    /// Decides the modes and prepares the next step.
    pub(super) fn decide_and_continue(&mut self, t: f64, y: &mut [f64]) -> EventResponse {
        let decided = self.decide_modes(t, y);
        if interruption::was_interrupted() {
            // The result is not valid: the run returns to the state before.
            self.own_outcome = Some(Outcome::WallClock { t });
            return EventResponse::Stop;
        }
        self.update_compliant_step(t, y);
        self.truncate_angle_step(t, y);
        self.end_step_at(t, y);
        self.jumped_at = Some(t);
        match decided {
            Ok(()) if self.progress_guard.count_jump(t) == RunProgress::Stalled => self.stop_for_chatter(t, y),
            Ok(()) => match self.overlap_outcome(t, y) {
                Some(overlap) => {
                    self.own_outcome = Some(overlap);
                    EventResponse::JumpAndStop
                }
                None => EventResponse::Jump,
            },
            Err(ModeSelectionError::EndlessImpacts(closed)) => {
                let names = self.names_of(&closed);
                self.own_outcome = Some(self.stalled_outcome(t, y, names));
                EventResponse::Stop
            }
            Err(ModeSelectionError::Overlap(c, depth)) => {
                let contact = self.dynamics.model.constraints[c].name.clone();
                self.own_outcome = Some(Outcome::Overlap { t, contact, depth });
                EventResponse::Stop
            }
            Err(ModeSelectionError::Paradox(c)) => {
                let contact = self.dynamics.model.constraints[c].name.clone();
                self.own_outcome = Some(Outcome::Paradox { t, contact });
                EventResponse::Stop
            }
        }
    }

    /// Stops the run and names the contacts of the last events.
    fn stop_for_chatter(&mut self, t: f64, y: &[f64]) -> EventResponse {
        let mut names: Vec<String> = Vec::new();
        for o in self.log.events.iter().rev().take(64) {
            if !names.contains(&o.name) {
                names.push(o.name.clone());
            }
        }
        self.own_outcome = Some(self.stalled_outcome(t, y, names));
        EventResponse::JumpAndStop
    }

    /// Why events of these constraints follow each other endlessly.
    fn stalled_outcome(&mut self, t: f64, y: &[f64], names: Vec<String>) -> Outcome {
        match self.contradicted_gap(t, y) {
            Some(constraint) => Outcome::DrivenInto { t, constraint },
            None => Outcome::Chatter { t, names },
        }
    }

    /// After a step: stops a run that no longer advances. The dynamics are evaluated at the state.
    pub(super) fn check_progress(&mut self, t: f64) {
        let creeping = self.contact_switches.creeping_contacts(&self.dynamics);
        if let Some(h) = self.progress_guard.detect_crawl(t, &creeping, self.t_end) {
            let names = self.creeping_contacts();
            let message = format!(
                ": steps of {h:.1e} s, because the slip of `{}` is so slow that its friction changes direction within longer ones; use \
                 contact_method = \"time_stepping\"",
                names.join("`, `")
            );
            self.log.add_finding(Severity::Doubtful, t, "the run crawls", names.into_iter().next(), message);
        }
        if self.progress_guard.count_step(t, &creeping) == RunProgress::Stalled {
            self.own_outcome = Some(Outcome::Creep { t, names: self.creeping_contacts() });
        }
    }

    /// Names of the contacts that slip very slowly.
    pub fn creeping_contacts(&self) -> Vec<String> {
        let creeping = self.contact_switches.creeping_contacts(&self.dynamics);
        self.names_of(&creeping.iter().map(|slip| slip.constraint).collect::<Vec<_>>())
    }

    /// The depth above the integration error.
    fn overlap_tolerance(&self) -> f64 {
        let scale = self.dynamics.model.contact_scale;
        scale.missed_overlap().max(scale.length() * self.dynamics.rtol())
    }

    /// The outcome if a contact that is open by its mode overlaps deeply: later results could not be trusted.
    pub(super) fn overlap_outcome(&mut self, t: f64, y: &[f64]) -> Option<Outcome> {
        let model = self.dynamics.model;
        let (q, v, z) = split_state(model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        let (c, depth) = self
            .contact_switches
            .deepest_overlap(&self.dynamics, t, z)
            .filter(|(_, depth)| *depth > self.overlap_tolerance())?;
        Some(Outcome::Overlap { t, contact: model.constraints[c].name.clone(), depth })
    }

    /// Binds contact points to the features that touch there.
    pub(super) fn bind_contact_features(&mut self, t: f64, y: &mut [f64]) {
        let model = self.dynamics.model;
        if !model.contact_slots.is_empty() {
            let (q, v, z) = split_state(model, y);
            self.dynamics.assemble_positions(t, q, v, z);
            let s = model.sizes;
            let z = &mut y[s.q + s.v..s.q + s.v + s.z];
            bind_features(model, t, &self.dynamics.kinematics, &mut self.dynamics.modes, z);
        }
    }

    /// Changes the chart of bodies whose coordinates become singular.
    pub(super) fn change_chart(&mut self, t: f64, y: &mut [f64]) -> ChartChange {
        let model = self.dynamics.model;
        let (q, v) = y.split_at_mut(model.sizes.q);
        change_charts(model, q, v, |body, why| {
            self.log.warn_once(t, &format!("body `{body}`: {why}"), || {
                ": use other rotation coordinates, or allow a change of chart".to_string()
            });
        })
    }

    /// Decides impacts and contact modes at a state.
    pub fn decide_modes(&mut self, t: f64, y: &mut [f64]) -> Result<(), ModeSelectionError> {
        if self.contact_switches.watched().is_empty() {
            return Ok(());
        }
        let model = self.dynamics.model;
        let s = model.sizes;
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let z = &rest[..s.z];
        let report = self.contact_switches.transition(&mut self.dynamics, t, q, v, z)?;
        self.solves += 2;
        for (c, lost) in &report.losses {
            self.impact_losses[*c] += lost;
        }
        self.jump_work += report.work;
        for reported in report.warnings() {
            self.log.warn_once(t, reported.kind, || reported.detail);
        }
        if let Some((contact, reported)) = report.ambiguity_warning() {
            self.log.warn_doubtful(t, reported.kind, contact, || reported.detail.clone());
        }
        self.log.events.extend(report.events);
        if let Some((c, depth)) = self
            .contact_switches
            .largest_held_gap(&self.dynamics)
            .filter(|(_, depth)| *depth > self.overlap_tolerance())
        {
            return Err(ModeSelectionError::Overlap(c, depth));
        }
        _ = self.return_to_manifold(t, y, StateOrigin::Elsewhere);
        let (q, v, z) = split_state(model, y);
        self.contact_switches.set_offsets(&mut self.dynamics, t, q, v, z);
        Ok(())
    }

    /// Decides the modes of the start.
    ///
    /// # Errors
    /// Gaps that overlap, and Coulomb's law without a solution.
    pub fn decide_start(&mut self, t: f64, y: &mut [f64]) -> Result<(), AnalysisError> {
        if self.contact_switches.is_empty() {
            return Ok(());
        }
        let model = self.dynamics.model;
        self.bind_contact_features(t, y);
        let (q, v, z) = split_state(model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        // Clocks that start with the run, and teeth that are passed already.
        let s = model.sizes;
        for i in self.contact_switches.due_guards(&self.dynamics, t, z) {
            let rung = self.contact_switches.fire(&self.dynamics, i, t, &mut y[s.q + s.v..s.q + s.v + s.z]);
            self.log.events.extend(rung);
        }
        self.update_compliant_step(t, y);
        let (q, v, z) = split_state(model, y);
        self.dynamics.assemble_positions(t, q, v, z);
        if let Some((c, depth)) = self
            .contact_switches
            .deepest_overlap(&self.dynamics, t, z)
            .filter(|(_, depth)| *depth > model.contact_scale.initial_overlap())
        {
            return Err(AnalysisError::Overlap { constraint: model.constraints[c].name.clone(), depth });
        }
        self.decide_modes(t, y).map_err(|trouble| match trouble {
            ModeSelectionError::Overlap(c, depth) => {
                AnalysisError::Overlap { constraint: model.constraints[c].name.clone(), depth }
            }
            ModeSelectionError::Paradox(c) => AnalysisError::Paradox { contact: model.constraints[c].name.clone() },
            ModeSelectionError::EndlessImpacts(closed) => AnalysisError::Endless { names: self.names_of(&closed) },
        })
    }

    fn names_of(&self, constraints: &[usize]) -> Vec<String> {
        constraints.iter().map(|c| self.dynamics.model.constraints[*c].name.clone()).collect()
    }
}

/// Whether the modes have been decided at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecisionState {
    NotYet,
    Already,
}
