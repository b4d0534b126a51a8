//! A force written by the user (being written).

use super::Force;
use crate::constraints::{Reference, View};
use crate::error::Fault;
use crate::motion::Wrench;
use serde::{Deserialize, Serialize};

/// A force written by the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserForce {}

impl Force for UserForce {
    fn markers(&self) -> Vec<Reference<'_>> {
        Vec::new()
    }
    fn check(&self) -> Result<(), Fault> {
        Err(Fault::value("type", "not written yet"))
    }
    fn apply(&self, _at: &View, _on: &mut [Wrench]) {}
}

/// A load.
pub trait UserLoad: std::fmt::Debug + Send + Sync {}
