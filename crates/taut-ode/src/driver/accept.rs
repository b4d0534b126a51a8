//! Acceptance of a step.
//!
//! After a step the hook may edit its end. Then everything that may be refused is computed, and the step is checked: by how
//! far a projection moved it, by an obstacle close ahead, by its dense output, by the guards and by narrow peaks. A step
//! that fails is taken back and repeated before anything of it is delivered.

use super::{Driver, Flow};
use crate::{EventDependence, Refusal, StateEdit, StepControl};

/// A step is repeated at most this often in a row because of its dense output or a narrow peak.
pub(super) const MAX_REJECTIONS: usize = 12;

/// A singular time ahead within this share of the last step is too near.
const NEAR_SINGULARITY_SHARE: f64 = 0.15;

impl Driver<'_> {
    /// Undoes a refused step and plans one of half its size, if possible.
    pub(super) fn retry_halved(&mut self, refusal: Refusal) -> Result<Flow, Refusal> {
        if self.stepper.step_control() == StepControl::Fixed {
            return Err(refusal);
        }
        match self.stepper.undo_step(0.5) {
            Ok(()) => Ok(Flow::Continue),
            Err(_) => Err(refusal),
        }
    }

    /// Calls the hook and computes everything that may be refused. Returns `None` if the step is to be repeated.
    pub(super) fn check_step(&mut self) -> Result<Option<StateEdit>, Refusal> {
        let t = self.stepper.t();
        self.y.copy_from_slice(self.stepper.y());
        let edit = self.problem.after_step(t, &mut self.y)?;
        match edit {
            StateEdit::Unchanged | StateEdit::Stop => {}
            StateEdit::Projected | StateEdit::ProjectedNearSingularity if self.rejects_projection(edit)? => {
                return Ok(None);
            }
            StateEdit::Corrected | StateEdit::Projected | StateEdit::ProjectedNearSingularity => {
                self.stepper.correct().copy_from_slice(&self.y)
            }
            StateEdit::Jumped => {
                // Before the jump: the last step must not be interpolated with the system behind it.
                // The derivative behind the jump belongs to the next step: its refusal does not undo this one.
                self.prepare_dense_output(edit)?;
                self.stepper.jump().copy_from_slice(&self.y);
                return Ok(Some(edit));
            }
        }
        self.stepper.set_singular_time(self.problem.singular_time());
        if self.ends_too_near_singularity() && self.stepper.undo_step(1.0).is_ok() {
            self.singularity_repeats += 1;
            return Ok(None);
        }
        self.singularity_repeats = 0;
        self.stepper.derivative(self.problem)?;
        self.prepare_dense_output(edit)?;
        if self.rejects_dense_output() || self.undoes_guard_crossing()? || self.rejects_missed_peak()? {
            return Ok(None);
        }
        Ok(Some(edit))
    }

    /// Whether the step was rejected because the projection moved its end, from the stepper's state to `y`, by more than the
    /// tolerance.
    fn rejects_projection(&mut self, edit: StateEdit) -> Result<bool, Refusal> {
        let moved = self.stepper.deviation(&self.y);
        let before = std::mem::replace(&mut self.last_correction, moved);
        // Across a known singular pose the projection amplifies round-off.
        let held = self.stepper.step_control() == StepControl::Varying && self.problem.singular_time().is_none();
        if moved <= 1.0 || !held {
            (self.last_correction, *self.stepper.amplified_error()) = (f64::INFINITY, 1.0);
            return Ok(false);
        }
        let amplified = edit == StateEdit::ProjectedNearSingularity
            && (moved <= 2.0 * *self.stepper.amplified_error() || moved > 0.5 * before);
        if !amplified && self.stepper.reject(moved).is_ok() {
            return Ok(true);
        }
        if edit == StateEdit::Projected {
            return Err(Refusal::NotConverged);
        }
        (self.last_correction, *self.stepper.amplified_error()) = (f64::INFINITY, moved);
        Ok(false)
    }

    /// Whether the step was rejected because the additional stages of its dense output disagree with it.
    fn rejects_dense_output(&mut self) -> bool {
        let defect = self.stepper.dense_output_defect();
        // An additional stage may lie near a singular pose that the step itself avoids.
        let steered = self.stepper.step_control() == StepControl::Varying && self.stepper.singular_time().is_none();
        let doubtful = steered && self.dense_rejections < MAX_REJECTIONS && !(defect <= 1.0);
        if doubtful && self.stepper.reject(defect).is_ok() {
            self.dense_rejections += 1;
            return true;
        }
        self.dense_rejections = 0;
        false
    }

    /// Whether the step ended too near to a singular time that was not known before: no step from here could cross it well. The
    /// same step, repeated with the singular time known, ends earlier.
    fn ends_too_near_singularity(&self) -> bool {
        let ahead = self.stepper.singular_time().map(|o| (o - self.stepper.t()) * self.direction);
        let step = self.stepper.h().abs();
        self.singularity_repeats == 0 && ahead.is_some_and(|ahead| ahead > 0.0 && ahead < NEAR_SINGULARITY_SHARE * step)
    }

    /// Computes the dense output if it will be needed.
    fn prepare_dense_output(&mut self, edit: StateEdit) -> Result<(), Refusal> {
        let (t_old, t) = (self.stepper.t_old(), self.stepper.t());
        let due = self.plan.times.get(self.next_output);
        let inside = due.is_some_and(|&due| self.direction * (due - t) < 0.0);
        let watched = !self.watch.is_idle()
            && (self.problem.dependence() == EventDependence::OnState || edit == StateEdit::Jumped);
        if inside || watched || !self.guards.is_idle() || self.stepper.must_check_dense_output() {
            let middle = t_old + 0.5 * (t - t_old);
            self.stepper.interpolate(self.problem, middle, &mut self.event)?;
        }
        Ok(())
    }
}
