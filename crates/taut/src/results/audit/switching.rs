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
const HARMLESS: f64 = 2.0;
/// Growth at a single switch that is reported, if the condition is exceeded by less than this many errors.
const GRAZED: f64 = 100.0;
/// Upper limit for the growth of one switch: where a condition is grazed, larger values mean nothing.
const MOST: f64 = 1e3;
/// The smallest fraction of the tolerance.
const LEAST_PART: f64 = 1e-2;
/// Weight of the latest switch in the mean growth.
const RECENT: f64 = 0.25;
/// Number of harmful switches after which a warning is given, for methods up to third order and above: errors add up.
const MANY_FOR_LOW_ORDER: u64 = 30;
const MANY: u64 = 3000;

/// Consecutive restarts at guards driven to zero from both sides, beyond which a run is stuck.
const SLIDING: usize = 500;
/// Restarts at guards within a time span, s relative to 1 + t, beyond which a run is stuck.
const MANY_RESTARTS: usize = 2000;
const SPAN: f64 = 1e-4;

/// Audit of the switches of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Switching {
    /// Mean growth at the latest switches.
    mean: f64,
    /// Time of the last switch.
    #[serde(default)]
    pub last: Option<f64>,
    /// Number of harmful switches.
    count: u64,
    told: bool,
    #[serde(default)]
    told_grazed: bool,
    /// Restarts at guards, and the start of their window.
    #[serde(default)]
    restarts: usize,
    #[serde(default)]
    since: Option<f64>,
    /// Consecutive restarts where the equations drive a guard to zero from both sides.
    #[serde(default)]
    sliding: usize,
}

/// Whether a run makes progress between restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Made,
    /// Restarts follow each other without end.
    Stuck,
}

/// The sensitivity of one switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct At {
    /// The error after the switch, in tolerances, caused by an error of one tolerance before it.
    pub growth: f64,
    /// How far the condition is exceeded if it keeps turning back as before, in units of the change caused by one
    /// tolerance.
    pub reached: f64,
}

/// A finding about the switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Growth {
    /// At one switch an error of one tolerance grows to this many.
    Grazed(f64),
    /// There are too many switches for the method, with this mean growth.
    Many { count: u64, mean: f64 },
}

impl Switching {
    /// The fraction of the tolerance that steps may use.
    pub fn part(&self) -> f64 {
        (HARMLESS / self.mean).clamp(LEAST_PART, 1.0)
    }

    /// Counts a restart at a guard; `slides` tells whether the equations drive it to zero from both sides.
    pub fn restart(&mut self, t: f64, slides: bool) -> Progress {
        if self.since.is_none_or(|since| t - since > SPAN * (1.0 + t.abs())) {
            (self.since, self.restarts) = (Some(t), 0);
        }
        self.restarts += 1;
        self.sliding = if slides { self.sliding + 1 } else { 0 };
        if self.restarts > MANY_RESTARTS || self.sliding > SLIDING { Progress::Stuck } else { Progress::Made }
    }

    /// Adds a switch with this growth of errors, for a method of this order.
    pub fn look(&mut self, at: At, order: u32) -> Option<Growth> {
        let At { growth, reached } = at;
        let growth = if growth.is_nan() { MOST } else { growth.min(MOST) };
        self.mean = if self.mean == 0.0 { growth } else { self.mean + RECENT * (growth - self.mean) };
        self.count += u64::from(growth > HARMLESS);
        let many = if order <= 3 { MANY_FOR_LOW_ORDER } else { MANY };
        if self.count > many && !self.told {
            self.told = true;
            return Some(Growth::Many { count: self.count, mean: self.mean });
        }
        let grazed = growth > GRAZED && reached < GRAZED && !self.told && !self.told_grazed;
        self.told_grazed |= grazed;
        grazed.then_some(Growth::Grazed(growth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(growth: f64) -> At {
        At { growth, reached: f64::INFINITY }
    }

    #[test]
    fn growth_asks_for_a_part_of_the_tolerance() {
        let mut seen = Switching::default();
        assert_eq!(seen.part(), 1.0);
        assert_eq!(seen.look(at(0.5), 8), None);
        assert_eq!(seen.part(), 1.0);
        for _ in 0..30 {
            seen.look(at(20.0), 8);
        }
        assert!((seen.part() - 0.1).abs() < 0.01, "{seen:?}");
        seen.look(at(f64::INFINITY), 8);
        assert_eq!(seen.part(), LEAST_PART);
    }

    #[test]
    fn chatter_is_told_once() {
        let told = |growth: f64, order: u32| {
            let mut seen = Switching::default();
            (1..=5000).filter_map(|k| seen.look(at(growth), order).map(|_| k)).collect::<Vec<u64>>()
        };
        assert_eq!(told(20.0, 2), [31]);
        assert_eq!(told(20.0, 8), [3001]);
        assert!(told(1.0, 2).is_empty(), "a table whose knots are passed repeatedly");
    }
}
