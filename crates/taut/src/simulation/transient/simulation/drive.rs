//! Drives the integrator over one stretch after the other: limits, interruption, stiffness, and the outcome of each stretch.

use super::Simulation;
use crate::interruption::Interruption;
use crate::simulation::run::{Checkpoint, Run, RunStatus};
use crate::simulation::transient::diagnosis;
use crate::simulation::transient::stiffness_check::{STEPS_BETWEEN_CHECKS, StiffnessAction, StiffnessFinding};
use crate::solution::{Cause, Outcome};
use std::time::Instant;
use taut_ode::{Hook, Refusal, Settings, StepControl, integrate};

/// Why a stretch of the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StretchEnd {
    /// As planned, or because the run can go no further.
    Planned,
    /// By an event, by the caller, or because the run had ended before.
    Requested,
}

impl Simulation<'_> {
    /// Integrates to `t_stop`. Every few steps it checks whether stability limits the step of an explicit method, or a vibration that of
    /// Radau IIA.
    pub(super) fn drive(&mut self, t_stop: f64, steps: Option<u64>) -> RunStatus {
        let explicit = taut_ode::Method::EXPLICIT.iter().any(|m| m.name() == self.stepper.name());
        let fixed = self.stepper.step_control() == StepControl::Fixed;
        let radau = self.stepper.name() == taut_ode::Method::RadauIia5.name();
        let is_checked = explicit || (radau && !fixed);
        if !is_checked || self.settings.stiff == StiffnessAction::Ignore {
            self.stretch(t_stop, steps);
            return self.status();
        }
        let mut left = steps;
        loop {
            // Counted from the start of the run, so that the result does not depend on how the run is divided.
            let ahead = STEPS_BETWEEN_CHECKS - self.total_statistics().accepted % STEPS_BETWEEN_CHECKS;
            let now = left.map_or(ahead, |left| left.min(ahead));
            let (halt, t) = (self.stretch(t_stop, Some(now)), self.t());
            left = left.map(|left| left - now);
            let is_due = self.total_statistics().accepted.is_multiple_of(STEPS_BETWEEN_CHECKS);
            let ends = self.status() == RunStatus::Ended || t >= t_stop || halt == StretchEnd::Requested;
            if ends || (left == Some(0) && !is_due) {
                return self.status();
            }
            if !is_due {
                continue;
            }
            if !explicit {
                self.check_vibration();
                if left == Some(0) {
                    return self.status();
                }
                continue;
            }
            let model = self.problem.dynamics.model;
            let creeping = self.problem.creeping_contacts();
            match self.stiffness_check.inspect(model, &*self.stepper, &self.settings, &creeping) {
                StiffnessFinding::Fine => {}
                StiffnessFinding::Propose(warning) => self.problem.log.warnings.push(warning),
                StiffnessFinding::Switch(warning, method) => {
                    let how = Settings { h_first: None, ..self.stepper_settings.clone() };
                    if let Ok(stepper) = method.stepper(t, self.stepper.y(), &how) {
                        self.problem.log.warnings.push(warning);
                        self.earlier_statistics = self.total_statistics();
                        self.stepper = stepper;
                        return self.drive(t_stop, left);
                    }
                }
            }
            if left == Some(0) {
                return self.status();
            }
        }
    }

    /// Looks at the last step of Radau IIA.
    fn check_vibration(&mut self) {
        let mut quarters = [0.75, 0.5, 0.25].map(|left| (left, vec![0.0; self.stepper.y().len()]));
        for (left, state) in &mut quarters {
            let t = self.stepper.t() - *left * self.stepper.h();
            if self.stepper.interpolate(&mut self.problem, t, state).is_err() {
                return;
            }
        }
        let quarters = quarters.map(|(_, state)| state);
        let (model, tolerance) = (self.problem.dynamics.model, &self.stepper_settings.tolerance);
        let found = self.vibration_check.inspect(model, &*self.stepper, &quarters, tolerance, self.settings.t_end);
        self.problem.log.warnings.extend(found);
    }

    /// Statistics of all integrators so far.
    pub(super) fn total_statistics(&self) -> taut_ode::Statistics {
        let (a, b) = (self.earlier_statistics, self.stepper.statistics());
        taut_ode::Statistics {
            evaluations: a.evaluations + b.evaluations,
            accepted: a.accepted + b.accepted,
            rejected: a.rejected + b.rejected,
            refused: a.refused + b.refused,
        }
    }

    /// One call of the integrator, and its outcome.
    fn stretch(&mut self, t_stop: f64, steps: Option<u64>) -> StretchEnd {
        if self.status() == RunStatus::Ended {
            return StretchEnd::Requested;
        }
        let clock = Instant::now();
        let used = self.total_statistics().accepted;
        let left = self.settings.limits.max_steps.map(|most| most.saturating_sub(used));
        self.plan.t_end = t_stop;
        self.plan.limits.max_steps = match (left, steps) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.plan.limits.wall_clock =
            self.settings.limits.wall_clock.map(|most| most.saturating_sub(self.problem.log.elapsed));
        let interruption = self.interruption_of(clock);
        let before = (!interruption.is_none()).then(|| self.checkpoint());
        let (run, broken_off) = interruption.run(|| integrate(&mut *self.stepper, &mut self.problem, &self.plan));
        self.problem.log.elapsed += clock.elapsed();
        if let (true, Some(before)) = (broken_off, before) {
            return self.undo_stretch(&before);
        }
        let t = self.stepper.t();
        if broken_off {
            // By what interrupts the analysis that made this run: the analysis ends, so nothing is restored.
            self.problem.own_outcome = None;
            self.problem.log.outcome = Outcome::WallClock { t };
            return StretchEnd::Requested;
        }
        let own = self.problem.own_outcome.take();
        let halt = match &run {
            Ok(r) if matches!(r.outcome, taut_ode::IntegrationOutcome::Stopped { .. }) => StretchEnd::Requested,
            _ => StretchEnd::Planned,
        };
        self.problem.log.outcome = match run.map(|r| r.outcome) {
            Ok(_) if own.is_some() => own.unwrap_or(Outcome::Underway),
            Ok(taut_ode::IntegrationOutcome::Finished) if t < self.settings.t_end => Outcome::Underway,
            Ok(taut_ode::IntegrationOutcome::Finished) => Outcome::Finished,
            Ok(taut_ode::IntegrationOutcome::Stopped { .. }) => Outcome::Underway,
            Ok(taut_ode::IntegrationOutcome::MaxSteps) if left.is_some_and(|l| l <= steps.unwrap_or(u64::MAX)) => {
                Outcome::MaxSteps { t }
            }
            Ok(taut_ode::IntegrationOutcome::MaxSteps) => Outcome::Underway,
            Ok(taut_ode::IntegrationOutcome::WallClock) => Outcome::WallClock { t },
            Ok(taut_ode::IntegrationOutcome::Event { index, t }) => match self.problem.events.get(index) {
                Some(event) => Outcome::Event { name: event.name().to_string(), t },
                None => Outcome::Underway,
            },
            Ok(taut_ode::IntegrationOutcome::StepTooSmall { t, h }) => self.step_too_small(t, h),
            // If no constraint is to blame, the iteration of an implicit method failed: something changes too fast for it.
            Ok(taut_ode::IntegrationOutcome::Refused { t, refusal: Refusal::NotConverged })
                if !matches!(self.problem.cause, Cause::Constraint { .. }) =>
            {
                self.step_too_small(t, f64::EPSILON * (1.0 + t.abs()))
            }
            Ok(taut_ode::IntegrationOutcome::Refused { t, refusal: Refusal::NotConverged }) => {
                Outcome::ConstraintsLost { t, cause: self.problem.cause.clone() }
            }
            Ok(taut_ode::IntegrationOutcome::Refused { t, .. }) => {
                Outcome::NotFinite { t, cause: self.problem.cause.clone() }
            }
            // The plan was checked with the settings. Only an end in the past is left, and it means no motion.
            Err(_) => Outcome::StepTooSmall { t, h: 0.0, cause: Cause::Nobody },
        };
        if self.problem.log.outcome != Outcome::Underway {
            let steps = self.total_statistics().accepted;
            self.problem.end_audit(t, self.stepper.y(), steps);
        }
        let cut_short = !matches!(self.problem.log.outcome, Outcome::Underway | Outcome::Finished);
        if cut_short && self.problem.recorded() != Some(t) {
            let y = self.stepper.y().to_vec();
            self.problem.output(t, &y);
        }
        halt
    }

    /// The interruption of a stretch that begins now. None without contacts: such steps are short.
    fn interruption_of(&self, clock: Instant) -> Interruption {
        let mut interruption = self.problem.log.interruption;
        if self.problem.contact_switches.watched().is_empty() {
            return Interruption::default();
        }
        if let Some(deadline) = self.plan.limits.wall_clock.and_then(|left| clock.checked_add(left)) {
            interruption.deadline = Some(interruption.deadline.map_or(deadline, |given| given.min(deadline)));
        }
        interruption
    }

    /// Restores the state before a stretch that was interrupted.
    fn undo_stretch(&mut self, before: &Checkpoint) -> StretchEnd {
        self.problem.own_outcome = None;
        let restored = self.restore(before);
        let out_of_time = self.settings.limits.wall_clock.is_some_and(|most| self.problem.log.elapsed >= most);
        if out_of_time || restored.is_err() {
            self.problem.log.outcome = Outcome::WallClock { t: self.t() };
        }
        StretchEnd::Requested
    }

    /// The outcome of a step that became too small, with the element to cause.
    fn step_too_small(&mut self, t: f64, h: f64) -> Outcome {
        let y = self.stepper.y().to_vec();
        let tolerance = (self.settings.rtol, self.settings.atol);
        Outcome::StepTooSmall { t, h, cause: diagnosis::fastest_element(&mut self.problem, t, &y, h, tolerance) }
    }
}
