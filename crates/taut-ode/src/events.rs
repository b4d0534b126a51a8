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
pub enum Action {
    /// Nothing: the event was only to be noticed.
    Continue,
    /// The state was edited: continue from the event with the edited state.
    Jump,
    /// End the integration at the event, after a jump if another event at this time made one.
    Stop,
    /// The state was edited: end the integration at the event with the edited state.
    JumpAndStop,
}

/// What becomes of a function that has fired and is still near zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NearZero {
    /// It rests until it has left zero, on whichever side.
    #[default]
    Rests,
    /// After a jump its sign counts at once, and a falling one that leaves zero downwards fires: for
    /// functions that must not be negative for long.
    Watched,
}

/// What the functions of events depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depend {
    /// Time and state.
    OnState,
    /// The time alone: the states they are shown are any.
    OnTime,
    /// The time alone, and each is a straight line: between two times it tells nothing that it does not tell there.
    Straight,
}

/// How closely a function is followed between the ends of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Follow {
    /// As closely as its values ask for: wherever they do not foretell each other it is looked at again.
    #[default]
    Values,
    /// As closely as the problem asks for, which knows how fast it can change: [`Events::between`].
    Bounds,
    /// In equal parts of the step, and where it dips.
    Parts,
}

/// What is known of a function between two states that have been looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Between {
    /// It has no zero there, or none but that which its signs tell.
    Clear,
    /// It may have: this share of the way from the first to the second is the place to look.
    Doubtful(f64),
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

/// A state that was looked at: the number under which it was noted, and its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noted {
    /// The number.
    pub slot: usize,
    /// The time.
    pub t: f64,
}

/// Functions `g_i(t, y)` whose zeros are events. The defaults are those of no events at all.
///
/// An event fires on the far side of its crossing: at the first representable time, up to a few
/// spacings, where `g_i` has changed sign or is zero. Having fired, and at the start if it is
/// zero there, an event rests until `g_i` has left zero; it thus cannot fire twice when a jump
/// leaves it at zero.
pub trait Events {
    /// How many functions there are.
    fn count(&self) -> usize {
        0
    }

    /// The crossings that count for function `i`.
    fn direction(&self, i: usize) -> Direction {
        let _ = i;
        Direction::Either
    }

    /// What becomes of function `i` near zero.
    fn near_zero(&self, i: usize) -> NearZero {
        let _ = i;
        NearZero::Rests
    }

    /// What the functions depend on.
    fn depend(&self) -> Depend {
        Depend::OnState
    }

    /// Writes all functions' values at `(t, y)` to `g`. A value that is not a number is as if
    /// the function had not been looked at.
    fn values(&mut self, t: f64, y: &[f64], g: &mut [f64]) {
        let _ = (t, y, g);
    }

    /// How closely function `i` is followed.
    fn follow(&self, i: usize) -> Follow {
        let _ = i;
        Follow::Values
    }

    /// Parts into which steps are divided from here on, if others than those of the [`Search`].
    fn parts(&self) -> Option<usize> {
        None
    }

    /// Takes note of the state at which [`values`](Self::values) was asked last, under a number: numbers of an earlier
    /// search are free again.
    fn note(&mut self, at: Noted) {
        let _ = at;
    }

    /// Whether function `i` may have a zero between two noted states of one smooth piece of the motion.
    fn between(&mut self, i: usize, from: Noted, to: Noted) -> Between {
        let _ = (i, from, to);
        Between::Clear
    }

    /// Function `i` was not followed closely enough between two times: it would have taken more looks than a search may have.
    fn lost_sight(&mut self, i: usize, from: f64, to: f64) {
        let _ = (i, from, to);
    }

    /// Function `i` touched zero at `(t, y)` and turned back, from a side from which a crossing would have counted. Nothing
    /// comes of it.
    fn touched(&mut self, i: usize, t: f64, y: &[f64]) {
        let _ = (i, t, y);
    }

    /// Event `i` has fired and cannot fire again yet at time `t`, the end of a step or the time of a restart. A caller that
    /// integrates in several pieces stores this and returns it in [`resting`](Self::resting).
    fn rests(&mut self, i: usize, t: f64, resting: Resting) {
        let _ = (i, t, resting);
    }

    /// What [`rests`](Self::rests) last reported for event `i`, if an integration begins at the time of that report.
    fn resting(&self, i: usize, t: f64) -> Option<Resting> {
        let _ = (i, t);
        None
    }

    /// Event `i` happened at `(t, y)`. Edits of `y` count if the answer is [`Action::Jump`] or
    /// [`Action::JumpAndStop`], or that of another event at the same time is.
    fn fired(&mut self, i: usize, t: f64, y: &mut [f64]) -> Action {
        let _ = (i, t, y);
        Action::Continue
    }
}

/// No events.
impl Events for () {}

/// How events are searched for within a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Search {
    /// Parts of equal length into which a step is divided at least.
    pub parts: usize,
    /// The most looks at the functions within one step, beyond which a function is [lost sight of](Events::lost_sight).
    pub most: usize,
    /// Events closer than this, relative to time and step, are simultaneous.
    pub resolution: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { parts: 4, most: 20_000, resolution: 64.0 * f64::EPSILON }
    }
}
