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
//! hundreds. Steps between such switches must therefore meet a fraction of the tolerance; if that is not enough, as in
//! chatter, a warning is given.

use serde::{Deserialize, Serialize};

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
/// Number of harmful switches after which a warning is given, for methods up to third order and above: errors add up.
const MAX_SWITCHES_LOW_ORDER: u64 = 30;
const MAX_SWITCHES: u64 = 3000;

/// Consecutive restarts at guards driven to zero from both sides, beyond which a run is stuck.
const MAX_SLIDING_RESTARTS: usize = 500;
/// Restarts at guards within a time span, s relative to 1 + t, beyond which a run is stuck.
const MAX_RESTARTS: usize = 2000;
const RESTART_WINDOW: f64 = 1e-4;

/// Audit of the switches of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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
}

/// Whether a run makes progress between restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestartProgress {
    Made,
    /// Restarts follow each other without end.
    Stuck,
}

/// The sensitivity of one switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SwitchSensitivity {
    /// The error after the switch, in tolerances, caused by an error of one tolerance before it.
    pub growth: f64,
    /// How far the condition is exceeded if it keeps turning back as before, in units of the change caused by one
    /// tolerance.
    pub overshoot: f64,
}

/// A finding about the switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ErrorGrowth {
    /// At one switch an error of one tolerance grows to this many.
    Grazed(f64),
    /// There are too many switches for the method, with this mean growth.
    Many { count: u64, mean: f64 },
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

    /// Adds a switch with this growth of errors, for a method of this order.
    pub fn check(&mut self, at: SwitchSensitivity, order: u32) -> Option<ErrorGrowth> {
        let SwitchSensitivity { growth, overshoot: reached } = at;
        let growth = if growth.is_nan() { MAX_GROWTH } else { growth.min(MAX_GROWTH) };
        self.mean_growth = if self.mean_growth == 0.0 {
            growth
        } else {
            self.mean_growth + LATEST_WEIGHT * (growth - self.mean_growth)
        };
        self.count += u64::from(growth > HARMLESS_GROWTH);
        let many = if order <= 3 { MAX_SWITCHES_LOW_ORDER } else { MAX_SWITCHES };
        if self.count > many && !self.reported {
            self.reported = true;
            return Some(ErrorGrowth::Many { count: self.count, mean: self.mean_growth });
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
        SwitchSensitivity { growth, overshoot: f64::INFINITY }
    }

    #[test]
    fn growth_reduces_the_tolerance_fraction() {
        let mut seen = SwitchingAudit::default();
        assert_eq!(seen.tolerance_fraction(), 1.0);
        assert_eq!(seen.check(at(0.5), 8), None);
        assert_eq!(seen.tolerance_fraction(), 1.0);
        for _ in 0..30 {
            seen.check(at(20.0), 8);
        }
        assert!((seen.tolerance_fraction() - 0.1).abs() < 0.01, "{seen:?}");
        seen.check(at(f64::INFINITY), 8);
        assert_eq!(seen.tolerance_fraction(), MIN_TOLERANCE_FRACTION);
    }

    #[test]
    fn chatter_is_reported_once() {
        let warned = |growth: f64, order: u32| {
            let mut seen = SwitchingAudit::default();
            (1..=5000).filter_map(|k| seen.check(at(growth), order).map(|_| k)).collect::<Vec<u64>>()
        };
        assert_eq!(warned(20.0, 2), [31]);
        assert_eq!(warned(20.0, 8), [3001]);
        assert!(warned(1.0, 2).is_empty(), "a table whose knots are passed repeatedly");
    }
}
