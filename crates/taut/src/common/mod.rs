//! Used by every layer: model errors, names, suggestions for misspelt names, and interruption of a computation.

pub(crate) mod error;
pub mod interruption;
mod named;
pub(crate) mod spelling;

pub use named::Named;
