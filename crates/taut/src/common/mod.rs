//! Used by every layer: model errors, names, and interruption of a computation.

pub(crate) mod error;
pub mod interruption;
mod named;

pub use named::Named;
