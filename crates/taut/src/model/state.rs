//! The state of a model: small, cloneable, and a complete checkpoint.

use crate::laws::{ActiveRows, ConstraintLaw};
use serde::{Deserialize, Serialize};

/// Whether the rows of a constraint are active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintMode {
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

impl ConstraintMode {
    /// The rows that are active under a law.
    #[inline(always)]
    pub(crate) fn active_rows(self, law: &ConstraintLaw) -> ActiveRows {
        match (self, law) {
            (ConstraintMode::Active, _) => ActiveRows::All,
            (ConstraintMode::Idle, _) => ActiveRows::None,
            (ConstraintMode::Sliding(_) | ConstraintMode::Verging(_), ConstraintLaw::Unilateral(_)) => ActiveRows::Gap,
            (ConstraintMode::Sliding(_) | ConstraintMode::Verging(_), _) => ActiveRows::None,
        }
    }

    /// The direction against which λ is at its bound.
    pub fn slip_direction(self) -> Option<[f64; 3]> {
        match self {
            ConstraintMode::Active | ConstraintMode::Idle => None,
            ConstraintMode::Sliding(d) | ConstraintMode::Verging(d) => Some(d),
        }
    }
}

/// Time, coordinates, velocities, extra states, and the mode of every constraint.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let mut spec = Spec::new();
/// spec.body("mass", PointMass::new(1.0, [0.0; 3]));
/// let model = spec.build()?;
/// let mut start = model.initial_state();
/// start.v[0] = 2.0; // the order of coordinates and velocities: `Model::state_names`
/// let run = simulate(&model, &start, &Transient::to(1.0))?;
/// assert!((run.final_state().q[0] - 2.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    pub modes: Vec<ConstraintMode>,
}
