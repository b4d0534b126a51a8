//! The state of a model: small, cloneable, a checkpoint by itself.

use serde::{Deserialize, Serialize};

/// Whether the rows of a constraint take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// They do.
    #[default]
    Active,
    /// They are masked: no reaction, no residual.
    Idle,
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
