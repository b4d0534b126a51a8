//! How much errors grow when a guard crosses zero: see [`audit::switching`](crate::audit::switching).

use super::TransientProblem;
use crate::audit::RunTolerances;
use crate::audit::switching::{ErrorGrowth, IntervalEnd, SwitchSensitivity};
use crate::mathematics::magnitude::largest_magnitude;
use crate::simulation::run::{RatesAtSwitch, Switch};
use taut_ode::System;

/// Time over which rates are compared, relative to the length of the run and to 1 + t.
const COMPARISON_TIME: f64 = 1e-8;
const ROUND_OFF: f64 = 1e-13;
/// Short time back to a zero, relative to the length of the run.
const SHORT_TIME: f64 = 1e-4;
/// Relative change of the rates at a switch that is not a jump.
const NO_JUMP_CHANGE: f64 = 1e-5;
/// Ratio of the changes over twice the time and over the time at a switch where forces begin like a root: 2^p for the power p.
const ROOT_RATIO: std::ops::Range<f64> = 1.2..1.8;
/// Size of a displacement that shows how a guard depends on the coordinates.
const SMALL_DISPLACEMENT: f64 = 1e-6;
/// Longest time over which such a force is considered, relative to the length of the run.
const LONGEST_ROOT: f64 = 1.0 / 15.0;
/// Number of error patterns that are tried.
const ERROR_PATTERNS: u32 = 4;

impl TransientProblem<'_> {
    /// Audits the switch of guard `index`.
    pub(super) fn audit_switch(&mut self, index: usize, t: f64, y: &[f64]) {
        let growth = self.error_growth(index, t, y);
        self.log.audit.switching.last_switch = Some(t);
        let model = self.dynamics.model;
        // What is not known may be a jump.
        let rates = match &growth {
            Some(at) if at.jump.is_empty() => RatesAtSwitch::Continuous,
            _ => RatesAtSwitch::Jump,
        };
        self.log.note_switch(|| Switch { name: self.guarding.owner(model, index).to_string(), t, rates });
        let Some(at) = growth else { return };
        self.follow_errors(t, t, y, IntervalEnd::Switch);
        self.switch_errors(index, t, y, &at);
        let RunTolerances { rtol, atol, .. } = self.tolerances;
        let tolerance = |y: f64| (atol + rtol * y).max(f64::MIN_POSITIVE);
        let Some(found) = self.log.audit.switching.check(&at, tolerance) else { return };
        let name = self.guarding.owner(self.dynamics.model, index).to_string();
        match found {
            ErrorGrowth::Grazed(growth) => {
                self.log.warn_doubtful(t, "a switching condition is crossed so slowly that errors grow", &name, || {
                    format!(
                        ": an error of one tolerance before the switch of `{name}` grows to {growth:.0} tolerances after it; try a smaller \
                         `rtol`, and compare the motion"
                    )
                });
            }
            ErrorGrowth::AddedUp { count, tolerances } => {
                self.log.warn_doubtful(t, "a condition switches so often that errors add up", &name, || {
                    format!(
                        ": after {count} switches, the last one of `{name}`, the errors of the steps may have grown to \
                         {tolerances:.0} tolerances; use `dop853` with a small `rtol`, or give the condition a hysteresis"
                    )
                });
            }
        }
    }

    /// Whether the equations drive a guard back to zero from both sides of it, so that no motion continues from there.
    pub(super) fn slides_on_guard(&mut self, index: usize, t: f64, y: &[f64]) -> bool {
        let (mut rates, mut values) = (vec![0.0; y.len()], vec![0.0; self.guard_count()]);
        let mut guard = |problem: &mut Self, t: f64, y: &[f64]| {
            problem.guard_values(t, y, &mut values);
            values[index]
        };
        let ahead =
            |y: &[f64], rates: &[f64], dt: f64| y.iter().zip(rates).map(|(y, f)| y + dt * f).collect::<Vec<f64>>();
        // Back along the rates of this side, and there along those of the other.
        let (mut t, mut y) = (t, y.to_vec());
        for _ in 0..2 {
            if self.dynamics.rates(t, &y, &mut rates).is_err() {
                return false;
            }
            let dt = ROUND_OFF * (1.0 + t.abs());
            let here = guard(self, t, &y);
            let slope = (guard(self, t + dt, &ahead(&y, &rates, dt)) - here) / dt;
            let back = -2.0 * here / slope;
            if !(back > 0.0 && back <= SHORT_TIME * self.tolerances.span) {
                return false;
            }
            y = ahead(&y, &rates, back);
            t += back;
        }
        true
    }

    /// The error after the zero of a guard, in tolerances, caused by an error of one tolerance before it.
    ///
    /// At a jump of the rates it follows at once. A force that begins like a root, with rates c τ^p, has an infinite slope: if the
    /// condition is met late by δt, the velocities err by c τ^p δt. They do so until they have changed the condition by as much as its
    /// error, (p + 1) |ġ| = |∇g·c| τ^(p + 1).
    fn error_growth(&mut self, index: usize, t: f64, y: &[f64]) -> Option<SwitchSensitivity> {
        let RunTolerances { rtol, atol, span, .. } = self.tolerances;
        if rtol == 0.0 && atol == 0.0 {
            return None;
        }
        let mut rates = vec![0.0; y.len()];
        self.dynamics.rates(t, y, &mut rates).ok()?;
        let mut values = vec![0.0; self.guard_count()];
        let mut guard = |problem: &mut Self, t: f64, y: &[f64]| {
            problem.guard_values(t, y, &mut values);
            values[index]
        };
        let along = |rates: &[f64], dt: f64| y.iter().zip(rates).map(|(y, rate)| y + dt * rate).collect::<Vec<f64>>();
        let tiny = ROUND_OFF * (1.0 + t.abs());
        // Short beside the time since the last switch.
        let apart = self.log.audit.switching.last_switch.map_or(span, |last| (t - last).abs());
        let dt = (COMPARISON_TIME * span).min(1e-3 * apart) + tiny;
        let here = guard(self, t, y);
        let slope = (guard(self, t + dt, &along(&rates, dt)) - here) / dt;
        // Far enough to either side to be beyond the zero, but not near the last switch.
        let beyond = 2.0 * (here / slope).abs();
        let dt = dt + if beyond.is_finite() { beyond.min(0.1 * apart) } else { 0.0 };
        let n = self.dynamics.model.sizes.q + self.dynamics.model.sizes.v;
        let change = |problem: &mut Self, dt: f64| {
            let (mut before, mut after) = (vec![0.0; y.len()], vec![0.0; y.len()]);
            problem.dynamics.rates(t - dt, &along(&rates, -dt), &mut before).ok()?;
            problem.dynamics.rates(t + dt, &along(&rates, dt), &mut after).ok()?;
            Some((0..n).map(|i| after[i] - before[i]).collect::<Vec<f64>>())
        };
        // A continuous change vanishes with dt and is not a jump.
        let (near, far) = (change(self, dt)?, change(self, 2.0 * dt)?);
        let tolerance = |i: usize| (atol + rtol * y[i].abs()).max(f64::MIN_POSITIVE);
        let norm = |x: &dyn Fn(usize) -> f64| (0..n).map(|i| (x(i) / tolerance(i)).powi(2)).sum::<f64>().sqrt();
        // An error of one tolerance in all, with signs by chance, always the same.
        let erred = |k: u32| {
            y.iter().enumerate().map(|(i, y)| y + pseudo_random_sign(i, k) * tolerance(i)).collect::<Vec<f64>>()
        };
        let ratio = norm(&|i| far[i]) / norm(&|i| near[i]);
        if ROOT_RATIO.contains(&ratio) {
            let error = (0..ERROR_PATTERNS).fold(0.0_f64, |most, k| most.max((guard(self, t, &erred(k)) - here).abs()));
            let power = ratio.log2();
            // The acceleration of the guard that the root causes after `dt`.
            let least = largest_magnitude(&near).0.max(f64::MIN_POSITIVE);
            let moved = self.displaced(y, &near, SMALL_DISPLACEMENT / least);
            let curvature = (guard(self, t, &moved) - here) * least / SMALL_DISPLACEMENT;
            let lasting = ((power + 1.0) * (slope / curvature).abs() * dt.powf(power)).powf(1.0 / (power + 1.0));
            let lasting = lasting.min(LONGEST_ROOT * span).max(dt);
            return Some(SwitchSensitivity {
                growth: norm(&|i| near[i]) * (lasting / dt).powf(power) * error / slope.abs(),
                overshoot: f64::INFINITY,
                jump: Vec::new(),
            });
        }
        let jump = norm(&|i| 2.0 * near[i] - far[i]);
        if jump <= NO_JUMP_CHANGE * norm(&|i| rates[i]) {
            return Some(SwitchSensitivity { growth: 0.0, overshoot: f64::INFINITY, jump: Vec::new() });
        }
        let mut before = vec![0.0; y.len()];
        self.dynamics.rates(t - dt, &along(&rates, -dt), &mut before).ok()?;
        let slope = (here - guard(self, t - dt, &along(&before, -dt))) / dt;
        let error = (0..ERROR_PATTERNS).fold(0.0_f64, |most, k| most.max((guard(self, t, &erred(k)) - here).abs()));
        Some(SwitchSensitivity {
            growth: jump * error / slope.abs(),
            overshoot: self.guard_overshoot(t, y, &before, dt, guard) / error,
            jump: (0..n).map(|i| (2.0 * near[i] - far[i]) / slope).collect(),
        })
    }

    /// A state with its coordinates displaced along these rates of the velocities.
    fn displaced(&self, y: &[f64], rates: &[f64], factor: f64) -> Vec<f64> {
        let (mut moved, model) = (y.to_vec(), self.dynamics.model);
        for b in &model.bodies {
            let offset = model.sizes.q;
            let step: Vec<f64> = b.v.clone().map(|i| factor * rates[offset + i]).collect();
            b.kind.body().displace(&mut moved[b.q.clone()], &step);
        }
        moved
    }

    /// How far a guard would go beyond its zero if it went on turning back as it does before.
    fn guard_overshoot(
        &mut self,
        t: f64,
        y: &[f64],
        before: &[f64],
        dt: f64,
        mut guard: impl FnMut(&mut Self, f64, &[f64]) -> f64,
    ) -> f64 {
        let apart = self.log.audit.switching.last_switch.map_or(self.tolerances.span, |last| (t - last).abs());
        let back = (SHORT_TIME * self.tolerances.span).min(0.1 * apart).max(2.0 * dt);
        let along =
            |y: &[f64], rates: &[f64], dt: f64| y.iter().zip(rates).map(|(y, f)| y + dt * f).collect::<Vec<f64>>();
        let mut slope = |problem: &mut Self, t: f64, y: &[f64], rates: &[f64]| {
            (guard(problem, t, y) - guard(problem, t - dt, &along(y, rates, -dt))) / dt
        };
        let now = slope(self, t, y, before);
        let (earlier, mut rates) = (along(y, before, -back), vec![0.0; y.len()]);
        if self.dynamics.rates(t - back, &earlier, &mut rates).is_err() {
            return f64::INFINITY;
        }
        let curvature = (now - slope(self, t - back, &earlier, &rates)) / back;
        if now * curvature < 0.0 { 0.5 * now * now / curvature.abs() } else { f64::INFINITY }
    }
}

/// +1 or −1, pseudo-random.
pub(super) fn pseudo_random_sign(i: usize, k: u32) -> f64 {
    let mixed = (i as u32 + 1).wrapping_mul(0x9E37_79B9).rotate_left(7 * k + 3).wrapping_mul(0x85EB_CA6B);
    if mixed >> 31 == 0 { 1.0 } else { -1.0 }
}
