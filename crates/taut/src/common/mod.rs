//! What every layer uses: errors of a model, names, and the request to stop.

pub(crate) mod error;
pub mod interruption;
mod named;

pub use named::Named;
