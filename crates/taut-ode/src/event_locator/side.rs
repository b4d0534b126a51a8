//! The sign of an event function, and what counts as a crossing.

use crate::{Direction, RearmPolicy};

/// The last sign of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EventSide {
    Negative,
    Positive,
    /// Counts as zero until `|g|` exceeds the threshold.
    Zero {
        threshold: f64,
    },
    /// The function has jumped and the event has fired, but a projection then moved the state back before the jump. The event
    /// cannot fire until the function is positive (`above`) or negative.
    FiredBeforeJump {
        above: bool,
    },
}

impl EventSide {
    /// The side of a value; `otherwise` if it is zero or not a number.
    pub(super) fn of(g: f64, otherwise: Self) -> Self {
        if g > 0.0 {
            Self::Positive
        } else if g < 0.0 {
            Self::Negative
        } else {
            otherwise
        }
    }

    /// The sign after a sample `g` at which nothing fired.
    pub(super) fn after(self, g: f64) -> Self {
        match self {
            Self::Zero { threshold } if g.abs() > threshold => Self::of(g, self),
            Self::FiredBeforeJump { above } if above != (g > 0.0) => self,
            Self::Zero { .. } => self,
            Self::FiredBeforeJump { .. } => Self::of(g, self),
            Self::Negative | Self::Positive => Self::of(g, self),
        }
    }

    /// Whether going on to `g` is a crossing that counts.
    pub(super) fn crosses(self, g: f64, direction: Direction, near_zero: RearmPolicy) -> bool {
        match (self, direction) {
            // A function that leaves zero downwards was positive for too short a time to be sampled.
            (Self::Zero { threshold }, Direction::Falling) if near_zero == RearmPolicy::Immediately => g < -threshold,
            (Self::Negative, Direction::Rising | Direction::Either) => g >= 0.0,
            (Self::Positive, Direction::Falling | Direction::Either) => g <= 0.0,
            _ => false,
        }
    }
}
