//! The state of a model: small, cloneable, and a complete checkpoint.

use crate::laws::{Held, Law};
use serde::{Deserialize, Serialize};

/// Whether the rows of a constraint are active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Active: joined, taut, closed, sticking.
    #[default]
    Active,
    /// Inactive, without reaction and residual: unlocked, slack, open.
    Idle,
    /// The friction rows slip in this direction, and λ opposes it at its bound. A gap stays closed. With fewer than
    /// three friction rows the other components are zero.
    Sliding([f64; 3]),
    /// λ is at the static bound against this direction, but other rows prevent slipping.
    Verging([f64; 3]),
}

impl Mode {
    /// The rows that are active under a law.
    #[inline(always)]
    pub(crate) fn held(self, law: &Law) -> Held {
        match (self, law) {
            (Mode::Active, _) => Held::All,
            (Mode::Idle, _) => Held::None,
            (Mode::Sliding(_) | Mode::Verging(_), Law::Unilateral(_)) => Held::Gap,
            (Mode::Sliding(_) | Mode::Verging(_), _) => Held::None,
        }
    }

    /// The direction against which λ is at its bound.
    pub fn slip(self) -> Option<[f64; 3]> {
        match self {
            Mode::Active | Mode::Idle => None,
            Mode::Sliding(d) | Mode::Verging(d) => Some(d),
        }
    }
}

/// Time, coordinates, velocities, extra states, and the mode of every constraint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Extra first-order states.
    pub z: Vec<f64>,
    /// Mode of every constraint.
    pub modes: Vec<Mode>,
}
