//! Events: zeros of functions of time and state.

use serde::{Deserialize, Serialize};

/// Which crossings of zero count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From negative to positive, in the direction of integration.
    Rising,
    /// From positive to negative, in the direction of integration.
    Falling,
    /// Both.
    #[default]
    Either,
}

/// What an event does to the integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventResponse {
    /// Nothing: the event is only reported.
    Continue,
    /// The state was edited: continue from the event with the edited state.
    Jump,
    /// End the integration at the event, after a jump if another event at this time made one.
    Stop,
    /// The state was edited: end the integration at the event with the edited state.
    JumpAndStop,
}

/// When an event that has fired can fire again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RearmPolicy {
    /// After its function has left zero, on either side.
    #[default]
    AfterLeavingZero,
    /// Immediately: after a jump the sign counts at once, and a falling function that leaves zero downwards fires. For
    /// functions that must not stay negative.
    Immediately,
}

/// What the functions of events depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventDependence {
    /// Time and state.
    OnState,
    /// The time alone; the state passed to them is arbitrary.
    OnTime,
    /// The time alone, and linearly: no samples are needed between two times.
    LinearInTime,
}

/// How densely a function is sampled within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SamplingPolicy {
    /// Wherever its samples do not predict each other, more samples are taken.
    #[default]
    ByValues,
    /// As densely as the problem asks for, which has bounds on the rate of change: [`Events::check_interval`].
    ByBounds,
    /// In equal parts of the step, and at local minima of its magnitude.
    EqualParts,
}

/// What is known of a function between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IntervalCheck {
    /// It has no zero there besides the one that the signs of the samples show.
    NoHiddenZero,
    /// It may have further zeros. The next sample is to be taken at this share of the interval.
    MayHideZero(f64),
}

/// Why an event that has fired waits before it can fire again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Resting {
    /// Its function counts as zero until its magnitude exceeds the threshold.
    AtZero {
        /// The threshold.
        threshold: f64,
    },
    /// Its function jumped across zero, and a projection then moved the state back to before the jump: the jump still ahead
    /// has fired already.
    BeforeJump {
        /// Whether the function is positive behind the jump.
        above: bool,
    },
}

/// A sampled state: the number under which the problem stores it, and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleId {
    /// The number.
    pub slot: usize,
    /// The time.
    pub t: f64,
}

/// Functions `g_i(t, y)` whose zeros are events. The defaults are those of no events at all.
///
/// An event fires on the far side of its crossing: at the first floating-point time, up to a few
/// spacings, where `g_i` has changed sign or is zero. After it has fired, and at the start if `g_i` is
/// zero there, the event cannot fire until `g_i` has left zero. A jump that leaves `g_i` at zero
/// therefore does not fire the event twice.
pub trait Events {
    /// Number of event functions.
    fn event_count(&self) -> usize {
        0
    }

    /// The crossings that count for function `i`.
    fn direction(&self, i: usize) -> Direction {
        let _ = i;
        Direction::Either
    }

    /// When event `i` can fire again.
    fn rearm_policy(&self, i: usize) -> RearmPolicy {
        let _ = i;
        RearmPolicy::AfterLeavingZero
    }

    /// What the functions depend on.
    fn dependence(&self) -> EventDependence {
        EventDependence::OnState
    }

    /// Writes the values of all functions at `(t, y)` to `g`. A NaN is treated as a missing sample.
    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let _ = (t, y, g);
    }

    /// How densely function `i` is sampled.
    fn sampling_policy(&self, i: usize) -> SamplingPolicy {
        let _ = i;
        SamplingPolicy::ByValues
    }

    /// Number of parts into which steps are divided from now on; `None` for that of the [`EventSearch`].
    fn initial_parts(&self) -> Option<usize> {
        None
    }

    /// Asks the problem to store the state of the last call of [`values`](Self::values) under this number. Numbers of earlier
    /// searches are reused.
    fn record_sample(&mut self, at: SampleId) {
        let _ = at;
    }

    /// Whether function `i` may have a zero between two stored states of one smooth piece of the motion.
    fn check_interval(&mut self, i: usize, from: SampleId, to: SampleId) -> IntervalCheck {
        let _ = (i, from, to);
        IntervalCheck::NoHiddenZero
    }

    /// The search ran out of samples for function `i` between two times: zeros there may have been missed.
    fn search_exhausted(&mut self, i: usize, from: f64, to: f64) {
        let _ = (i, from, to);
    }

    /// Function `i` touched zero at `(t, y)` and turned back, on a side from which a crossing would have counted. The event
    /// does not fire.
    fn touched(&mut self, i: usize, t: f64, y: &[f64]) {
        let _ = (i, t, y);
    }

    /// Event `i` has fired and cannot fire again yet at time `t`, the end of a step or the time of a restart. A caller that
    /// integrates in several pieces stores this and returns it in [`resting`](Self::resting).
    fn set_resting(&mut self, i: usize, t: f64, resting: Resting) {
        let _ = (i, t, resting);
    }

    /// What [`set_resting`](Self::set_resting) last reported for event `i`, if an integration begins at the time of that report.
    fn resting(&self, i: usize, t: f64) -> Option<Resting> {
        let _ = (i, t);
        None
    }

    /// Event `i` fired at `(t, y)`. Edits of `y` take effect if this event, or another one at the same time, returns
    /// [`EventResponse::Jump`] or [`EventResponse::JumpAndStop`].
    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> EventResponse {
        let _ = (i, t, y);
        EventResponse::Continue
    }
}

/// No events.
impl Events for () {}

/// How events are searched for within a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventSearch {
    /// Least number of equal parts into which a step is divided.
    pub parts: usize,
    /// Most samples within one step; beyond, the search [gives up](Events::search_exhausted).
    pub most: usize,
    /// Events closer together than this, relative to time and step, are simultaneous.
    pub resolution: f64,
}

impl Default for EventSearch {
    fn default() -> Self {
        Self { parts: 4, most: 20_000, resolution: 64.0 * f64::EPSILON }
    }
}
