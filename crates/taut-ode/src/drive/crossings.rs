//! Guards and narrow peaks within the loop over the steps.
//!
//! A step that crosses the zero of a guard is repeated to end just before it; from there the state is moved across the zero and
//! the integration restarts. A step that missed a narrow peak of the right-hand side is repeated with a smaller size.

use super::accept::MOST_REJECTIONS;
use super::{Drive, Flow};
use crate::guards::{Guards, Zero, margin};
use crate::{Pace, Refusal, Restart};

/// A zero of a guard directly ahead.
#[derive(Clone, Copy)]
pub(super) struct Hop {
    /// Length of the step that found it.
    h: f64,
    /// The guard, if its zero was found from here; otherwise the zero is only expected.
    zero: Option<usize>,
}

/// Permitted error of the derivative of the dense output at one point, in tolerances over a step. Peaks that matter exceed it.
const UNSEEN: f64 = 100.0;

/// Half the width of the difference quotient for that derivative, as a share of the step.
const DIFFERENCE: f64 = 1e-4;

/// A step is repeated at most this often to end at the zero of a guard.
const MOST_REPETITIONS: usize = 20;

impl Drive<'_> {
    /// Whether the step was undone because it crossed the zero of a guard.
    pub(super) fn passes_guard(&mut self) -> Result<bool, Refusal> {
        let aimed = self.target.take().is_some();
        let Some(zero) = self.guards.first(self.stepper, self.problem)? else {
            // The step was aimed at a zero and has reached it.
            self.hop = aimed.then(|| Hop { h: self.stepper.h(), zero: None });
            return Ok(false);
        };
        let (h, at_start) = (self.stepper.h(), Guards::is_at_start(zero, self.stepper));
        if self.repeated >= MOST_REPETITIONS || self.stepper.take_back(1.0).is_err() {
            // A step that cannot be repeated is followed by a restart at its end.
            self.crossed = Some(zero.index);
            return Ok(false);
        }
        self.repeated += 1;
        if at_start {
            self.hop = Some(Hop { h, zero: Some(zero.index) });
        } else {
            self.target = Some(zero.t - self.direction * margin(zero.t, h));
        }
        Ok(true)
    }

    /// Whether the step was rejected because it missed a narrow peak of the right-hand side. It did if, at a possible peak, the
    /// derivative of its dense output differs from the right-hand side.
    pub(super) fn misses_peak(&mut self) -> Result<bool, Refusal> {
        if self.guards.peaks().is_empty() || self.stepper.pace() != Pace::Varying || self.missed >= MOST_REJECTIONS {
            self.missed = 0;
            return Ok(false);
        }
        let (t_old, t, h) = (self.stepper.t_old(), self.stepper.t(), self.stepper.h());
        let mut most = 0.0_f64;
        for &peak in self.guards.peaks() {
            let near = DIFFERENCE * h;
            let (from, to) = (peak - near, peak + near);
            let inside = (from - t_old) * h >= 0.0 && (t - to) * h >= 0.0;
            if !inside {
                // Too close to an end: a stage of this step or of the next lies there.
                continue;
            }
            self.stepper.interpolate(self.problem, peak, &mut self.event)?;
            // An event at the peak that only a step ending there would find.
            if !self.watch.is_idle()
                && self.watch.changes_within(self.problem, (peak, &self.event), (t, self.stepper.y()))
                && self.stepper.take_back(1.0).is_ok()
            {
                self.missed += 1;
                (self.hop, self.crossed, self.target) = (None, None, Some(peak));
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
            most = most.max(self.stepper.distance(&self.y));
        }
        if most > UNSEEN && self.stepper.reject(most).is_ok() {
            self.missed += 1;
            (self.hop, self.crossed) = (None, None);
            return Ok(true);
        }
        self.missed = 0;
        Ok(false)
    }

    /// Moves the state across the zero of a guard, if that is as near as expected.
    pub(super) fn hop_over(&mut self, hop: Hop) -> Result<Flow, Refusal> {
        match self.guards.hop(self.stepper, self.problem, hop.h, &mut self.y)? {
            Some(Zero { index, t }) if self.direction * (t - self.goal()) < 0.0 => {
                self.restart(Restart::Guard { index, t })
            }
            _ => match hop.zero {
                Some(index) => {
                    // The zero stays ahead: restart in place, so that the problem can count restarts.
                    self.y.copy_from_slice(self.stepper.y());
                    let flow = self.restart(Restart::Guard { index, t: self.stepper.t() })?;
                    self.guards.rest(index);
                    // The next step repeats the one that was undone.
                    self.repeated = 1;
                    Ok(flow)
                }
                None => Ok(Flow::On),
            },
        }
    }

    /// Moves the state across the zero of a guard directly ahead after a failed step. An implicit method may fail to converge on
    /// any step across a zero, however short.
    pub(super) fn hop_over_failure(&mut self) -> Result<Option<Flow>, Refusal> {
        if self.guards.is_idle() {
            return Ok(None);
        }
        self.target = None;
        let shortest = self.direction * f64::MIN_POSITIVE;
        match self.guards.hop(self.stepper, self.problem, shortest, &mut self.y)? {
            Some(Zero { index, t }) if self.direction * (t - self.goal()) < 0.0 => {
                self.restart(Restart::Guard { index, t }).map(Some)
            }
            _ => Ok(None),
        }
    }
}
