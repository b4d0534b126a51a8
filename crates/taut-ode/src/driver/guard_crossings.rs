//! Guards and narrow peaks within the loop over the steps.
//!
//! A step that crosses the zero of a guard is repeated to end just before it; from there the state is moved across the zero and
//! the integration restarts. A step that missed a narrow peak of the right-hand side is repeated with a smaller size.

use super::accept::MAX_REJECTIONS;
use super::{Driver, Flow};
use crate::guards::{GuardZero, Guards, end_margin};
use crate::{Refusal, Restart, StepControl};

/// A zero of a guard directly ahead.
#[derive(Clone, Copy)]
pub(super) struct PendingCrossing {
    /// Length of the step that found it.
    h: f64,
    /// The guard, if its zero was found from here; otherwise the zero is only expected.
    zero: Option<usize>,
}

/// Permitted error of the derivative of the dense output at one point, in tolerances over a step. Peaks that matter exceed it.
const MISSED_PEAK_TOLERANCE: f64 = 100.0;

/// Half the width of the difference quotient for that derivative, as a share of the step.
const DIFFERENCE_SHARE: f64 = 1e-4;

/// A step is repeated at most this often to end at the zero of a guard.
const MAX_REPETITIONS: usize = 20;

impl Driver<'_> {
    /// Whether the step was undone because it crossed the zero of a guard.
    pub(super) fn undoes_guard_crossing(&mut self) -> Result<bool, Refusal> {
        let aimed = self.step_target.take().is_some();
        let Some(zero) = self.guards.first_zero(self.stepper, self.problem)? else {
            // The step was aimed at a zero and has reached it.
            self.pending_crossing = aimed.then(|| PendingCrossing { h: self.stepper.h(), zero: None });
            return Ok(false);
        };
        let (h, at_start) = (self.stepper.h(), Guards::is_at_start(zero, self.stepper));
        let exhausted = self.guard_repeats >= MAX_REPETITIONS;
        if exhausted && self.stepper.step_control() == StepControl::Varying {
            self.problem.guard_search_exhausted(zero.index, self.stepper.t_old(), self.stepper.t());
        }
        if exhausted || self.stepper.undo_step(1.0).is_err() {
            // A step that cannot be repeated is followed by a restart at its end.
            self.crossed_guard = Some(zero.index);
            return Ok(false);
        }
        self.guard_repeats += 1;
        if at_start {
            self.pending_crossing = Some(PendingCrossing { h, zero: Some(zero.index) });
        } else {
            self.step_target = Some(zero.t - self.direction * end_margin(zero.t, h));
        }
        Ok(true)
    }

    /// Whether the step was rejected because it missed a narrow peak of the right-hand side. It did if, at a possible peak, the
    /// derivative of its dense output differs from the right-hand side.
    pub(super) fn rejects_missed_peak(&mut self) -> Result<bool, Refusal> {
        if self.guards.peaks().is_empty()
            || self.stepper.step_control() != StepControl::Varying
            || self.peak_rejections >= MAX_REJECTIONS
        {
            self.peak_rejections = 0;
            return Ok(false);
        }
        let (t_old, t, h) = (self.stepper.t_old(), self.stepper.t(), self.stepper.h());
        let mut most = 0.0_f64;
        for &peak in self.guards.peaks() {
            let near = DIFFERENCE_SHARE * h;
            let (from, to) = (peak - near, peak + near);
            let inside = (from - t_old) * h >= 0.0 && (t - to) * h >= 0.0;
            if !inside {
                // Too close to an end: a stage of this step or of the next lies there.
                continue;
            }
            self.stepper.interpolate(self.problem, peak, &mut self.event)?;
            // An event at the peak that only a step ending there would find.
            if !self.watch.is_idle()
                && self.watch.changes_sign_within(self.problem, (peak, &self.event), (t, self.stepper.y()))
                && self.stepper.undo_step(1.0).is_ok()
            {
                self.peak_rejections += 1;
                (self.pending_crossing, self.crossed_guard, self.step_target) = (None, None, Some(peak));
                return Ok(true);
            }
            if self.problem.rates(peak, &self.event, &mut self.y).is_err() {
                continue;
            }
            // The error of the derivative, as a change of the state over the step: h (F − ẏ).
            self.stepper.interpolate(self.problem, from, &mut self.event)?;
            self.y.iter_mut().zip(&self.event).for_each(|(f, y)| *f = *f * h + y * (h / (to - from)));
            self.stepper.interpolate(self.problem, to, &mut self.event)?;
            self.y.iter_mut().zip(&self.event).for_each(|(f, y)| *f -= y * (h / (to - from)));
            self.y.iter_mut().zip(self.stepper.y()).for_each(|(f, y)| *f += y);
            most = most.max(self.stepper.tolerance_distance(&self.y));
        }
        if most > MISSED_PEAK_TOLERANCE && self.stepper.reject(most).is_ok() {
            self.peak_rejections += 1;
            (self.pending_crossing, self.crossed_guard) = (None, None);
            return Ok(true);
        }
        self.peak_rejections = 0;
        Ok(false)
    }

    /// Moves the state across the zero of a guard, if that is as near as expected.
    pub(super) fn cross_guard(&mut self, hop: PendingCrossing) -> Result<Flow, Refusal> {
        match self.guards.cross_zero(self.stepper, self.problem, hop.h, &mut self.y)? {
            Some(GuardZero { index, t }) if self.direction * (t - self.step_limit()) < 0.0 => {
                self.restart(Restart::Guard { index, t })
            }
            _ => match hop.zero {
                Some(index) => {
                    // The zero stays ahead: restart in place, so that the problem can count restarts.
                    self.y.copy_from_slice(self.stepper.y());
                    let flow = self.restart(Restart::Guard { index, t: self.stepper.t() })?;
                    self.guards.forget_side(index);
                    // The next step repeats the one that was undone.
                    self.guard_repeats = 1;
                    Ok(flow)
                }
                None => Ok(Flow::Continue),
            },
        }
    }

    /// Moves the state across the zero of a guard directly ahead after a failed step. An implicit method may fail to converge on
    /// any step across a zero, however short.
    pub(super) fn cross_guard_after_failure(&mut self) -> Result<Option<Flow>, Refusal> {
        if self.guards.is_idle() {
            return Ok(None);
        }
        self.step_target = None;
        let shortest = self.direction * f64::MIN_POSITIVE;
        match self.guards.cross_zero(self.stepper, self.problem, shortest, &mut self.y)? {
            Some(GuardZero { index, t }) if self.direction * (t - self.step_limit()) < 0.0 => {
                self.restart(Restart::Guard { index, t }).map(Some)
            }
            _ => Ok(None),
        }
    }
}
