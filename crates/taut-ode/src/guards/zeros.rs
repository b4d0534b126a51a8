//! The zeros of the guards within one part of a step.
//!
//! There are three kinds: a change of sign between two samples, a zero at which a guard turns back between three samples of
//! equal sign, and a zero so close to the start of the step that only the slope there shows it. Guards that stand for a
//! narrow peak do not restart the integration; their zeros and minima are collected for the driver to check.

use super::peaks::{flanks, nearest_approach};
use super::search::StepPart;
use super::turning::turning_bracket;
use super::{GuardZero, Guards, earlier, side};
use crate::root_finding::{Bracket, LocalMinimum};
use crate::{GuardKind, Problem, Refusal, Stepper};

/// The slopes of guards at the start of a step are taken over this share of the way to the first sample.
const INITIAL_SLOPE_SHARE: f64 = 0.01;

/// A guard that moved towards zero and still has more than this share of its value behind the zero of its tangent has not
/// turned smoothly.
const ABRUPT_TURN_SHARE: f64 = 0.6;

impl Guards {
    /// The first zero before the first sample, predicted from the slope at the start of the step. A guard that moves towards
    /// zero at the start may have turned back by the first sample, for example if both sides drive it to zero.
    pub(super) fn zero_near_start(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        part: &StepPart,
    ) -> Result<Option<GuardZero>, Refusal> {
        let [start, look, _] = part.t;
        let heads = |g: f64, later: f64, side: f64| side * g > 0.0 && side * (later - g) < 0.0;
        let any = (0..self.count).any(|i| self.is_switch(i) && side(self.value(part.at[0], i)) == self.sides[i]);
        if !any {
            return Ok(None);
        }
        let soon = start + INITIAL_SLOPE_SHARE * (look - start);
        let place = self.sample_guards(stepper, problem, soon)?;
        let mut first = None;
        for i in (0..self.count).filter(|i| self.kinds[*i] == GuardKind::Switch) {
            let (g, later, side) = (self.value(part.at[0], i), self.value(place, i), self.sides[i]);
            if !heads(g, later, side) {
                continue;
            }
            let tangent = start + (soon - start) * g / (g - later);
            if (look - tangent) * (look - start) <= 0.0 {
                continue;
            }
            let far = start + 1.5 * (tangent - start);
            let far = if (look - far) * (look - start) > 0.0 { far } else { look };
            let mut value = |t: f64| {
                stepper.interpolate(problem, t, &mut self.y)?;
                problem.guard_values(t, &self.y, &mut self.g);
                Ok::<f64, Refusal>(self.g[i])
            };
            let g_far = value(far)?;
            let found = if side * g_far < 0.0 {
                Bracket { near: start, far, g_near: g, g_far }.shrink(value)?.near
            } else if side * g_far > ABRUPT_TURN_SHARE * side * g {
                // No smooth function turns so soon: later stages were taken behind the zero.
                tangent
            } else {
                continue;
            };
            first = earlier(start, first, Some(GuardZero { index: i, t: found }));
        }
        self.free.push(place);
        Ok(first)
    }

    /// The first zero of a guard that turns back between three points without a change of sign at any of them: the point
    /// before one half of a part, and the ends of that half.
    pub(super) fn zero_at_turn(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        before: (f64, usize),
        part: &StepPart,
        half: usize,
    ) -> Result<Option<GuardZero>, Refusal> {
        let t = [before.0, part.t[half], part.t[half + 1]];
        let places = [before.1, part.at[half], part.at[half + 1]];
        let mut first = None;
        for i in 0..self.count {
            let g = places.map(|place| self.value(place, i));
            let switches = self.is_switch(i);
            let side = if switches { self.sides[i] } else { side(g[1]) };
            if side.is_nan() || side == 0.0 || g.iter().any(|g| !(side * g > 0.0)) {
                continue;
            }
            let mut value = |t: f64| {
                stepper.interpolate(problem, t, &mut self.y)?;
                problem.guard_values(t, &self.y, &mut self.g);
                Ok::<f64, Refusal>(self.g[i])
            };
            if !switches {
                if self.peaks.len() < self.max_peaks
                    && let Some(peak) = nearest_approach(LocalMinimum { t, g }, &mut value)?
                {
                    let flanks = flanks(peak, t[0], t[2], &mut value)?;
                    self.peaks.extend([peak].into_iter().chain(flanks));
                }
                continue;
            }
            let Some(bracket) = turning_bracket(LocalMinimum { t, g }, &mut value)? else { continue };
            let found = bracket.shrink(value)?;
            first = earlier(t[0], first, Some(GuardZero { index: i, t: found.near }));
        }
        Ok(first)
    }

    /// The first change of sign in one half of a part.
    pub(super) fn sign_change(
        &mut self,
        stepper: &mut dyn Stepper,
        problem: &mut dyn Problem,
        part: &StepPart,
        half: usize,
    ) -> Result<Option<GuardZero>, Refusal> {
        let (near, far) = (part.t[half], part.t[half + 1]);
        let mut first: Option<GuardZero> = None;
        for i in 0..self.count {
            let (g_near, g_far) = (self.value(part.at[half], i), self.value(part.at[half + 1], i));
            let mut value = |t: f64| {
                stepper.interpolate(problem, t, &mut self.y)?;
                problem.guard_values(t, &self.y, &mut self.g);
                Ok::<f64, Refusal>(self.g[i])
            };
            if self.kinds[i] == GuardKind::Peak {
                if self.peaks.len() >= self.max_peaks {
                    continue;
                }
                if g_near * g_far < 0.0 {
                    let found = Bracket { near, far, g_near, g_far }.shrink(&mut value)?;
                    let flanks = flanks(found.near, near, far, &mut value)?;
                    self.peaks.extend([found.near].into_iter().chain(flanks));
                } else if g_near == 0.0 && g_far != 0.0 {
                    self.peaks.push(near);
                }
                continue;
            }
            let side = self.sides[i];
            if side.is_nan() {
                self.sides[i] = crate::guards::side(g_far);
                continue;
            }
            let t = if side == 0.0 && g_far != 0.0 && !g_far.is_nan() {
                stepper.t_old()
            } else if side * g_far >= 0.0 || g_far.is_nan() {
                continue;
            } else if side * g_near > 0.0 {
                let start = Bracket { near, far, g_near, g_far };
                start.shrink(&mut value)?.near
            } else {
                near
            };
            first = earlier(part.t[0], first, Some(GuardZero { index: i, t }));
        }
        Ok(first)
    }
}
