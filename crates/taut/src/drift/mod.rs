//! What keeps φ and φ̇ small.
//!
//! Freely combined with the formulations. A new control is one arm here and its file.

mod projection;

pub use projection::{Movable, Projection, Reset};
pub(crate) use projection::{largest, row_scale, spread};

use serde::{Deserialize, Serialize};

/// The norm in which a correction is least.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// W = M: the correction is an impulse of the constraints.
    #[default]
    Mass,
    /// W = I in the units of the velocities.
    Identity,
    /// W = diag, one positive number per velocity.
    Diagonal(Vec<f64>),
}

/// The drift control of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drift {
    /// Constraints at acceleration level only: the baseline of \[Masarati2010\] eq. (8).
    None,
    /// Velocities projected in every stage, positions and velocities after every step.
    Projection(Weight),
}

impl Default for Drift {
    fn default() -> Drift {
        Drift::Projection(Weight::Mass)
    }
}
