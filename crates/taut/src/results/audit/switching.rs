//! Estimates how much errors grow where a condition on the motion switches a force.
//!
//! If y has an error δy, a condition g(t, y) = 0 is met late by δt, and the old rates act for δt longer:
//!
//! ```text
//!  δy⁺ − δy⁻ = (ẏ⁻ − ẏ⁺) δt,    δt = −∇g·δy / ġ
//! ```
//!
//! (the saltation matrix of [LeineNijmeijer2004]). If δy is one tolerance, the size of the result in tolerances is the
//! *growth* at this switch. A relay that is crossed slowly and switches a large force turns one tolerance into
//! hundreds. Steps between such switches must therefore meet a fraction of the tolerance.
//!
//! What grows at one switch grows again at the next. Typical errors are therefore followed along the run: between two
//! switches by the equations, at a switch by the formula above, and the steps of each interval add the fraction of the
//! tolerance that they may use. A warning is given if the sum becomes large, as in chatter. With methods whose steps use much of their
//! tolerance, the errors are followed along motions without switches too: those of an unstable motion grow.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Growth at a switch that needs no action.
const HARMLESS_GROWTH: f64 = 2.0;
/// Growth at a single switch that is reported, if the condition is exceeded by less than this many errors.
const GRAZING_GROWTH: f64 = 100.0;
/// Upper limit for the growth of one switch: where a condition is grazed, larger values mean nothing.
const MAX_GROWTH: f64 = 1e3;
/// The smallest fraction of the tolerance.
const MIN_TOLERANCE_FRACTION: f64 = 1e-2;
/// Weight of the latest switch in the mean growth.
const LATEST_WEIGHT: f64 = 0.25;
/// Error after so many switches, in tolerances, that is reported.
const MAX_FOLLOWED_ERROR: f64 = 50.0;
/// Error of an unstable motion, in tolerances, that is reported. The error of a smooth motion is overestimated up to nine times.
const MAX_GROWN_ERROR: f64 = 150.0;
/// Number of switches of a run up to which each interval may use its whole fraction of the tolerance: see
/// `taut_ode::tolerance_budget`.
const FREE_SWITCHES: f64 = 15.0;
/// Number of errors that are followed, with signs by chance.
pub(crate) const FOLLOWED_ERRORS: usize = 2;

/// Consecutive restarts at guards driven to zero from both sides, beyond which a run is stuck.
const MAX_SLIDING_RESTARTS: usize = 500;
/// Restarts at guards within a time span, s relative to 1 + t, beyond which a run is stuck.
const MAX_RESTARTS: usize = 2000;
const RESTART_WINDOW: f64 = 1e-4;

/// Errors of the steps of a method, in tolerances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepErrors {
    /// Of an interval without switches. Methods that estimate the error of a less accurate solution than the one they keep stay far
    /// below their tolerance. Measured on relays in feedback.
    smooth: f64,
    /// Of an interval that ends at a switch. Measured on relays whose period decreases.
    switch: f64,
    /// The fraction of this that such an interval uses at least, however short it is: methods of low order start with larger errors.
    least: f64,
}

impl StepErrors {
    /// No steps with error control.
    pub const NONE: StepErrors = StepErrors { smooth: 0.0, switch: 0.0, least: 0.0 };

    /// Those of a method. For `dormand_prince`, measured on chains of springs: with this error, estimate and true error agree.
    pub fn of(method: taut_ode::Method) -> StepErrors {
        match method.order() {
            _ if method == taut_ode::Method::DormandPrince => StepErrors { smooth: 0.2, switch: 0.2, least: 0.0 },
            ..=2 => StepErrors { smooth: 0.5, switch: 2.0, least: 0.3 },
            3 => StepErrors { smooth: 0.05, switch: 0.2, least: 0.3 },
            _ => StepErrors { smooth: 0.005, switch: 0.005, least: 0.0 },
        }
    }

    /// Whether unstable motions amplify these errors to many tolerances.
    pub fn are_followed(self) -> bool {
        self.smooth > 0.01
    }
}

/// Audit of the switches of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SwitchingAudit {
    /// Mean growth at the latest switches.
    mean_growth: f64,
    /// Time of the last switch.
    #[serde(default)]
    pub last_switch: Option<f64>,
    /// Number of harmful switches.
    count: u64,
    reported: bool,
    #[serde(default)]
    reported_grazing: bool,
    /// Restarts at guards, and the start of their window.
    #[serde(default)]
    restarts: usize,
    #[serde(default)]
    restarts_since: Option<f64>,
    /// Consecutive restarts where the equations drive a guard to zero from both sides.
    #[serde(default)]
    sliding_restarts: usize,
    #[serde(default)]
    pub followed: FollowedErrors,
}

/// Typical errors that are followed along a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FollowedErrors {
    /// Time and state after the last switch or break.
    pub since: Option<(f64, Vec<f64>)>,
    /// Errors of that state.
    pub errors: Vec<Vec<f64>>,
    /// Largest magnitude of each component so far.
    pub largest: Vec<f64>,
    /// Number of intervals so far.
    pub intervals: usize,
}

impl FollowedErrors {
    /// Adds an error of a fraction of the tolerance to each, with signs by chance.
    pub fn add(&mut self, part: f64, tolerance: impl Fn(usize) -> f64, sign: impl Fn(usize, u32) -> f64) {
        for (k, error) in self.errors.iter_mut().enumerate() {
            error.iter_mut().enumerate().for_each(|(i, e)| *e += part * sign(i, k as u32) * tolerance(i));
        }
    }

    /// The largest error, in tolerances, and its component.
    fn largest_error(&self, components: Range<usize>, tolerance: impl Fn(f64) -> f64) -> (f64, usize) {
        let mut most = (0.0, 0);
        for error in &self.errors {
            let each = error.iter().zip(&self.largest).enumerate();
            for (i, (e, y)) in each.take(components.end).skip(components.start) {
                let size = e.abs() / tolerance(*y);
                most = if size > most.0 { (size, i) } else { most };
            }
        }
        most
    }
}

/// What ends an interval along which errors are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntervalEnd {
    Switch,
    Smooth,
}

/// Whether a run makes progress between restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestartProgress {
    Made,
    /// Restarts follow each other without end.
    Stuck,
}

/// The sensitivity of one switch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SwitchSensitivity {
    /// The error after the switch, in tolerances, caused by an error of one tolerance before it.
    pub growth: f64,
    /// How far the condition is exceeded if it keeps turning back as before, in units of the change caused by one
    /// tolerance.
    pub overshoot: f64,
    /// Jump of the rates divided by the rate of the guard: the change of an error that changes the guard by one.
    pub jump: Vec<f64>,
}

/// A finding about the switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ErrorGrowth {
    /// At one switch an error of one tolerance grows to this many.
    Grazed(f64),
    /// The errors of all switches so far have grown to this many tolerances.
    AddedUp { count: u64, tolerances: f64 },
}

impl SwitchingAudit {
    /// The fraction of the tolerance that steps may use.
    pub fn tolerance_fraction(&self) -> f64 {
        (HARMLESS_GROWTH / self.mean_growth).clamp(MIN_TOLERANCE_FRACTION, 1.0)
    }

    /// Counts a restart at a guard; `slides` tells whether the equations drive it to zero from both sides.
    pub fn count_restart(&mut self, t: f64, slides: bool) -> RestartProgress {
        if self.restarts_since.is_none_or(|since| t - since > RESTART_WINDOW * (1.0 + t.abs())) {
            (self.restarts_since, self.restarts) = (Some(t), 0);
        }
        self.restarts += 1;
        self.sliding_restarts = if slides { self.sliding_restarts + 1 } else { 0 };
        if self.restarts > MAX_RESTARTS || self.sliding_restarts > MAX_SLIDING_RESTARTS {
            RestartProgress::Stuck
        } else {
            RestartProgress::Made
        }
    }

    /// The error of the steps of an interval of this length relative to the run, in tolerances.
    pub fn interval_error(&self, fraction: f64, errors: StepErrors, end: IntervalEnd) -> f64 {
        let (error, least) = match end {
            IntervalEnd::Switch => (errors.switch, errors.least),
            IntervalEnd::Smooth => (errors.smooth, 0.0),
        };
        error * self.tolerance_fraction() * (FREE_SWITCHES * fraction).clamp(least, 1.0)
    }

    /// Whether errors of these components have become large without any switch: how many tolerances they are, and the component.
    /// Reported once. Positions are no sign of an unstable motion: they drift with the error of a constant velocity.
    pub fn check_growth(&mut self, components: Range<usize>, tolerance: impl Fn(f64) -> f64) -> Option<(f64, usize)> {
        let found = self.followed.largest_error(components, tolerance);
        let large = found.0 > MAX_GROWN_ERROR && self.count == 0 && !self.reported;
        self.reported |= large;
        large.then_some(found)
    }

    /// Adds a switch with this growth of errors; `tolerance` is that of a component of given magnitude.
    pub fn check(&mut self, at: &SwitchSensitivity, tolerance: impl Fn(f64) -> f64) -> Option<ErrorGrowth> {
        let &SwitchSensitivity { growth, overshoot: reached, .. } = at;
        let growth = if growth.is_nan() { MAX_GROWTH } else { growth.min(MAX_GROWTH) };
        self.mean_growth = if self.mean_growth == 0.0 {
            growth
        } else {
            self.mean_growth + LATEST_WEIGHT * (growth - self.mean_growth)
        };
        // After a root the smaller tolerance suffices: its amplification ends where the motion turns back.
        self.count += u64::from(growth > HARMLESS_GROWTH && !at.jump.is_empty());
        let (tolerances, _) = self.followed.largest_error(0..usize::MAX, tolerance);
        if tolerances > MAX_FOLLOWED_ERROR && self.count > 1 && !self.reported {
            self.reported = true;
            return Some(ErrorGrowth::AddedUp { count: self.count, tolerances });
        }
        let grazed = growth > GRAZING_GROWTH && reached < GRAZING_GROWTH && !self.reported && !self.reported_grazing;
        self.reported_grazing |= grazed;
        grazed.then_some(ErrorGrowth::Grazed(growth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(growth: f64) -> SwitchSensitivity {
        SwitchSensitivity { growth, overshoot: f64::INFINITY, jump: vec![0.0] }
    }

    #[test]
    fn growth_reduces_the_tolerance_fraction() {
        let mut seen = SwitchingAudit::default();
        assert_eq!(seen.tolerance_fraction(), 1.0);
        assert_eq!(seen.check(&at(0.5), |_| 1.0), None);
        assert_eq!(seen.tolerance_fraction(), 1.0);
        for _ in 0..30 {
            seen.check(&at(20.0), |_| 1.0);
        }
        assert!((seen.tolerance_fraction() - 0.1).abs() < 0.01, "{seen:?}");
        assert!(
            (seen.interval_error(0.01, StepErrors::of(taut_ode::Method::Trapezoidal), IntervalEnd::Switch) - 0.06)
                .abs()
                < 0.008,
            "{seen:?}"
        );
        assert!(
            (seen.interval_error(0.5, StepErrors::of(taut_ode::Method::Dop853), IntervalEnd::Smooth) - 0.0005).abs()
                < 5e-5,
            "{seen:?}"
        );
        seen.check(&at(f64::INFINITY), |_| 1.0);
        assert_eq!(seen.tolerance_fraction(), MIN_TOLERANCE_FRACTION);
    }

    #[test]
    fn errors_that_add_up_are_reported_once() {
        let followed =
            FollowedErrors { errors: vec![vec![0.0]; FOLLOWED_ERRORS], largest: vec![1.0], ..Default::default() };
        let mut seen = SwitchingAudit { followed, ..SwitchingAudit::default() };
        let reported = (1..=500).filter_map(|k| {
            seen.followed.add(0.3, |_| 1e-6, |_, _| 1.0);
            seen.check(&at(3.0), |y| 1e-6 * y).map(|_| k)
        });
        assert_eq!(reported.collect::<Vec<u64>>(), [167]);
    }
}
