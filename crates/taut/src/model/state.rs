//! The state of a model: small, cloneable, a checkpoint by itself.

use crate::laws::{Held, Law};
use serde::{Deserialize, Serialize};

/// Whether the rows of a constraint take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// They do: joined, taut, closed, sticking.
    #[default]
    Active,
    /// They are masked, no reaction, no residual: unlocked, slack, open.
    Idle,
    /// The rows that grip slip in this direction, and λ opposes it at its bound. A gap holds on. Of fewer rows than three
    /// the other components are zero.
    Sliding([f64; 3]),
    /// λ is at the bound of holding against this direction, but other rows keep these from slipping.
    Verging([f64; 3]),
}

impl Mode {
    /// Which rows hold under a law.
    #[inline(always)]
    pub(crate) fn held(self, law: &Law) -> Held {
        match (self, law) {
            (Mode::Active, _) => Held::All,
            (Mode::Idle, _) => Held::None,
            (Mode::Sliding(_) | Mode::Verging(_), Law::Unilateral(_)) => Held::Gap,
            (Mode::Sliding(_) | Mode::Verging(_), _) => Held::None,
        }
    }

    /// The direction against which λ stands at its bound.
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
