//! A force and torque given as signals (being written).

use super::Force;
use crate::constraints::{Reference, View};
use crate::error::Fault;
use crate::motion::Wrench;
use serde::{Deserialize, Serialize};

/// A force and torque given as signals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Applied {}

impl Force for Applied {
    fn markers(&self) -> Vec<Reference<'_>> {
        Vec::new()
    }
    fn check(&self) -> Result<(), Fault> {
        Err(Fault::value("type", "not written yet"))
    }
    fn apply(&self, _at: &View, _on: &mut [Wrench]) {}
}

/// Axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum AxesOf {
    /// World.
    World,
    /// Marker.
    Marker,
}
