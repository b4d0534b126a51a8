//! Whether a step stands.
//!
//! After a step the hook may edit its end. Then everything that may be refused is computed, and the step is checked: by how
//! far a projection moved it, by an obstacle close ahead, by its dense output, by the guards and by narrow peaks. A step
//! that fails is taken back and repeated before anything of it is delivered.

use super::{Drive, Flow};
use crate::{Depend, Edit, Pace, Refusal};

/// A step is repeated at most this often in a row because of its dense output or a narrow peak.
pub(super) const MOST_REJECTIONS: usize = 12;

/// A singular time ahead within this share of the last step is too near.
const TOO_NEAR: f64 = 0.15;

impl Drive<'_> {
    /// Undoes a refused step and plans one of half its size, if possible.
    pub(super) fn retry(&mut self, refusal: Refusal) -> Result<Flow, Refusal> {
        if self.stepper.pace() == Pace::Fixed {
            return Err(refusal);
        }
        match self.stepper.take_back(0.5) {
            Ok(()) => Ok(Flow::On),
            Err(_) => Err(refusal),
        }
    }

    /// Calls the hook and computes everything that may be refused. Returns `None` if the step is to be repeated.
    pub(super) fn settle(&mut self) -> Result<Option<Edit>, Refusal> {
        let t = self.stepper.t();
        self.y.copy_from_slice(self.stepper.y());
        let edit = self.problem.after_step(t, &mut self.y)?;
        match edit {
            Edit::Kept | Edit::Stop => {}
            Edit::Projected | Edit::Amplified if self.moved_too_far(edit)? => return Ok(None),
            Edit::Corrected | Edit::Projected | Edit::Amplified => self.stepper.correct().copy_from_slice(&self.y),
            Edit::Jumped => {
                // Before the jump: the last step must not be interpolated with the system behind it.
                // The derivative behind the jump belongs to the next step: its refusal does not undo this one.
                self.prepare_dense_output(edit)?;
                self.stepper.jump().copy_from_slice(&self.y);
                return Ok(Some(edit));
            }
        }
        self.stepper.stride_across(self.problem.obstacle());
        if self.stands_before_obstacle() && self.stepper.take_back(1.0).is_ok() {
            self.replanned += 1;
            return Ok(None);
        }
        self.replanned = 0;
        self.stepper.derivative(self.problem)?;
        self.prepare_dense_output(edit)?;
        if self.disagrees() || self.passes_guard()? || self.misses_peak()? {
            return Ok(None);
        }
        Ok(Some(edit))
    }

    /// Whether the step was rejected because the projection moved its end, from the stepper's state to `y`, by more than the
    /// tolerance.
    fn moved_too_far(&mut self, edit: Edit) -> Result<bool, Refusal> {
        let moved = self.stepper.deviation(&self.y);
        let before = std::mem::replace(&mut self.moved, moved);
        // Across a known singular pose the projection amplifies round-off.
        let held = self.stepper.pace() == Pace::Varying && self.problem.obstacle().is_none();
        if moved <= 1.0 || !held {
            (self.moved, *self.stepper.amplified()) = (f64::INFINITY, 1.0);
            return Ok(false);
        }
        let amplified = edit == Edit::Amplified && (moved <= 2.0 * *self.stepper.amplified() || moved > 0.5 * before);
        if !amplified && self.stepper.reject(moved).is_ok() {
            return Ok(true);
        }
        if edit == Edit::Projected {
            return Err(Refusal::NotConverged);
        }
        (self.moved, *self.stepper.amplified()) = (f64::INFINITY, moved);
        Ok(false)
    }

    /// Whether the step was rejected because the additional stages of its dense output disagree with it.
    fn disagrees(&mut self) -> bool {
        let defect = self.stepper.defect();
        // An additional stage may lie near a singular pose that the step itself avoids.
        let steered = self.stepper.pace() == Pace::Varying && self.stepper.obstacle().is_none();
        let doubtful = steered && self.disagreed < MOST_REJECTIONS && !(defect <= 1.0);
        if doubtful && self.stepper.reject(defect).is_ok() {
            self.disagreed += 1;
            return true;
        }
        self.disagreed = 0;
        false
    }

    /// Whether the step ended too near to a singular time that was not known before: no step from here could cross it well. The
    /// same step, repeated with the singular time known, ends earlier.
    fn stands_before_obstacle(&self) -> bool {
        let ahead = self.stepper.obstacle().map(|o| (o - self.stepper.t()) * self.direction);
        let step = self.stepper.h().abs();
        self.replanned == 0 && ahead.is_some_and(|ahead| ahead > 0.0 && ahead < TOO_NEAR * step)
    }

    /// Computes the dense output if it will be needed.
    fn prepare_dense_output(&mut self, edit: Edit) -> Result<(), Refusal> {
        let (t_old, t) = (self.stepper.t_old(), self.stepper.t());
        let due = self.plan.times.get(self.pending);
        let inside = due.is_some_and(|&due| self.direction * (due - t) < 0.0);
        let watched = !self.watch.is_idle() && (self.problem.depend() == Depend::OnState || edit == Edit::Jumped);
        if inside || watched || !self.guards.is_idle() {
            let middle = t_old + 0.5 * (t - t_old);
            self.stepper.interpolate(self.problem, middle, &mut self.event)?;
        }
        Ok(())
    }
}
