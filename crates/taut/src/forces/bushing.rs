//! Six springs and dampers between two frames (being written).

use super::Force;
use crate::constraints::{Reference, View};
use crate::error::Fault;
use crate::motion::Wrench;
use serde::{Deserialize, Serialize};

/// Six springs and dampers between two frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bushing {}

impl Force for Bushing {
    fn markers(&self) -> Vec<Reference<'_>> {
        Vec::new()
    }
    fn check(&self) -> Result<(), Fault> {
        Err(Fault::value("type", "not written yet"))
    }
    fn apply(&self, _at: &View, _on: &mut [Wrench]) {}
}
