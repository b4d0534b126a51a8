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
    /// Parts of equal length into which a step is divided. Two crossings within one part cancel
    /// and are found only as a dip of `|g|`.
    pub parts: usize,
    /// Events closer than this, relative to time and step, are simultaneous.
    pub resolution: f64,
}

impl Default for Search {
    fn default() -> Self {
        Self { parts: 4, resolution: 64.0 * f64::EPSILON }
    }
}
