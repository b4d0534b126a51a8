//! An element with its name.

use serde::{Deserialize, Serialize};

/// An element with its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Named<T> {
    /// The name, unique in its family.
    pub name: String,
    /// The element.
    #[serde(flatten)]
    pub item: T,
}
