//! Follows typical errors along a run with switches: see [`audit::switching`](crate::audit::switching).
//!
//! ```text
//!  δẏ = ∂f/∂y δy            between two switches: differences of two solutions of the classical Runge-Kutta method
//!  δy⁺ = δy⁻ + j ∇g·δy      at a switch, j = (ẏ⁺ − ẏ⁻) / ġ
//! ```
//!
//! A few long steps are enough, because only the size of the errors matters. Right at a switch the rates of both sides meet.
//! Therefore a short part at both ends of an interval is crossed with rates from its inside.

use super::TransientProblem;
use super::guard_audit::pseudo_random_sign;
use crate::audit::RunTolerances;
use crate::audit::switching::{FOLLOWED_ERRORS, IntervalEnd, SwitchSensitivity};
use taut_ode::System;

/// Part of an interval at each end that is crossed in one straight step.
const END_PART: f64 = 0.01;
/// Number of steps per interval; more are tried until they reach the state of the run.
const STEPS: [usize; 3] = [2, 6, 18];
/// Distance from the state of the run, relative to the change over the interval, that is accurate enough.
const ACCURATE: f64 = 0.05;
/// Size to which errors are scaled before they are added to a state, relative to the tolerance of 1.
const DIFFERENCE: f64 = 1e-7;
/// Number of times per run at which errors are followed.
const GROWTH_CHECKS: f64 = 64.0;

impl TransientProblem<'_> {
    /// Follows the errors of a method that uses much of its tolerance, and warns if the motion amplifies them.
    pub(super) fn audit_error_growth(&mut self, t: f64, y: &[f64]) {
        let RunTolerances { rtol, atol, span, follows_growth, .. } = self.tolerances;
        let since = self.log.audit.switching.followed.since.as_ref().map_or(self.t_end - span, |(since, _)| *since);
        if !follows_growth || t - since < span / GROWTH_CHECKS {
            return;
        }
        self.follow_errors(t, t, y, IntervalEnd::Smooth);
        self.project_errors(t, y);
        let (sizes, tolerance) = (self.dynamics.model.sizes, |y: f64| (atol + rtol * y).max(f64::MIN_POSITIVE));
        let Some((tolerances, component)) =
            self.log.audit.switching.check_growth(sizes.q..sizes.q + sizes.v, tolerance)
        else {
            return;
        };
        let model = self.dynamics.model;
        let owner = model.bodies.iter().find(|b| b.v.contains(&(component - sizes.q)));
        let name = owner.map_or_else(String::new, |b| b.name.clone());
        self.log.warn_doubtful(t, "the motion amplifies errors", &name, || {
            format!(
                ": those of the steps may have grown to {tolerances:.0} tolerances, most in `{name}`; use a smaller `rtol`, and \
                 compare the motion"
            )
        });
    }

    /// Removes from the errors what the return to the manifold removes from the state.
    fn project_errors(&mut self, t: f64, y: &[f64]) {
        let mut errors = std::mem::take(&mut self.log.audit.switching.followed.errors);
        let mut origin = y.to_vec();
        self.dynamics.project_output(t, &mut origin);
        for error in &mut errors {
            let scale = difference_scale(error, y);
            let mut moved: Vec<f64> = origin.iter().zip(&*error).map(|(y, e)| y + scale * e).collect();
            self.dynamics.project_output(t, &mut moved);
            let change = error.iter_mut().zip(moved.iter().zip(&origin));
            change.for_each(|(e, (moved, origin))| *e = (moved - origin) / scale);
        }
        self.log.audit.switching.followed.errors = errors;
    }

    /// Follows the errors up to the state at `t` and adds those of the steps. The interval after it begins at `next`.
    pub(super) fn follow_errors(&mut self, t: f64, next: f64, y: &[f64], end: IntervalEnd) {
        let RunTolerances { rtol, atol, span, errors, follows_growth, .. } = self.tolerances;
        let mut followed = std::mem::take(&mut self.log.audit.switching.followed);
        if followed.errors.is_empty() {
            followed.errors = vec![vec![0.0; y.len()]; FOLLOWED_ERRORS];
            followed.largest = vec![0.0; y.len()];
        }
        followed.largest.iter_mut().zip(y).for_each(|(most, y)| *most = most.max(y.abs()));
        let apart = match &followed.since {
            Some((since, start)) if t > *since => {
                if let Some(later) = self.transported(&followed.errors, (*since, start), (t, y)) {
                    followed.errors = later;
                }
                t - since
            }
            Some(_) => 0.0,
            None => t - (self.t_end - span),
        };
        let part = self.log.audit.switching.interval_error(apart / span, errors, end);
        followed.intervals += 1;
        // The errors of methods that use much of their tolerance have the same signs in all steps of a slow motion: one of the two follows this.
        let seed = |k: u32| if follows_growth && k == 0 { 0 } else { y.len() * followed.intervals };
        let signs: Vec<Vec<f64>> = (0..FOLLOWED_ERRORS as u32)
            .map(|k| (0..y.len()).map(|i| pseudo_random_sign(i + seed(k), k)).collect())
            .collect();
        followed.add(part, |i| atol + rtol * y[i].abs(), |i, k| signs[k as usize][i]);
        followed.since = Some((next, y.to_vec()));
        self.log.audit.switching.followed = followed;
    }

    /// Changes the errors at the switch of a guard.
    pub(super) fn switch_errors(&mut self, index: usize, t: f64, y: &[f64], at: &SwitchSensitivity) {
        if at.jump.is_empty() {
            return;
        }
        let mut values = vec![0.0; self.guard_count()];
        let mut errors = std::mem::take(&mut self.log.audit.switching.followed.errors);
        self.guard_values(t, y, &mut values);
        let here = values[index];
        for error in &mut errors {
            let scale = difference_scale(error, y);
            let moved: Vec<f64> = y.iter().zip(&*error).map(|(y, e)| y + scale * e).collect();
            self.guard_values(t, &moved, &mut values);
            let change = (values[index] - here) / scale;
            error.iter_mut().zip(&at.jump).for_each(|(e, jump)| *e += jump * change);
        }
        self.log.audit.switching.followed.errors = errors;
    }

    /// The errors at the end of an interval, from those at its start; none if the equations do not lead from one state to the
    /// other, because something else happened in between.
    fn transported(
        &mut self,
        errors: &[Vec<f64>],
        (t0, y0): (f64, &[f64]),
        (t1, y1): (f64, &[f64]),
    ) -> Option<Vec<Vec<f64>>> {
        // Without the integrals of work and losses, which do not affect the motion.
        let n = self.dynamics.dimension();
        let distance = |a: &[f64], b: &[f64]| {
            a[..n].iter().zip(b).zip(y1).fold(0.0, |most: f64, ((a, b), y)| most.max((a - b).abs() / (1.0 + y.abs())))
        };
        // One of the two sides for all, although errors move the start across the switch.
        let mut first = vec![0.0; y0.len()];
        self.dynamics.rates(t0, y0, &mut first).ok()?;
        for steps in STEPS {
            let plain = self.rough_solution((t0, t1), y0, &first, steps)?;
            if distance(&plain, y1) <= ACCURATE * distance(y0, y1) {
                let one = |error: &Vec<f64>| {
                    let scale = difference_scale(error, y0);
                    let start: Vec<f64> = y0.iter().zip(error).map(|(y, e)| y + scale * e).collect();
                    let moved = self.rough_solution((t0, t1), &start, &first, steps)?;
                    Some(moved.iter().zip(&plain).map(|(a, b)| (a - b) / scale).collect())
                };
                return errors.iter().map(one).collect();
            }
        }
        None
    }

    /// The solution from `t0` to `t1` in a few steps; `first` are rates at the start, on any side of the switch.
    fn rough_solution(&mut self, (t0, t1): (f64, f64), y0: &[f64], first: &[f64], steps: usize) -> Option<Vec<f64>> {
        let mut k = vec![vec![0.0; y0.len()]; 4];
        let end = END_PART * (t1 - t0);
        let ahead =
            |y: &[f64], rates: &[f64], h: f64| y.iter().zip(rates).map(|(y, f)| y + h * f).collect::<Vec<f64>>();
        // Along the rates found inside.
        self.dynamics.rates(t0 + end, &ahead(y0, first, end), &mut k[0]).ok()?;
        let mut y = ahead(y0, &k[0], end);
        let (mut t, h) = (t0 + end, (t1 - t0 - 2.0 * end) / steps as f64);
        for _ in 0..steps {
            for (stage, c) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
                let at = if stage == 0 { y.clone() } else { ahead(&y, &k[stage - 1], c * h) };
                self.dynamics.rates(t + c * h, &at, &mut k[stage]).ok()?;
            }
            for (i, y) in y.iter_mut().enumerate() {
                *y += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
            }
            t += h;
        }
        Some(ahead(&y, &k[3], end))
    }
}

/// The factor that makes an error small, but not so small that round-off matters.
fn difference_scale(error: &[f64], y: &[f64]) -> f64 {
    let most = error.iter().zip(y).fold(0.0, |most: f64, (e, y)| most.max(e.abs() / (1.0 + y.abs())));
    if most > 0.0 { DIFFERENCE / most } else { 1.0 }
}
