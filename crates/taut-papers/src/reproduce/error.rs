//! Why an example of a paper could not be computed.

use std::fmt::Display;

/// The reason as text. It does not implement `Display`, so that `?` can convert any type that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproductionError {
    /// What went wrong.
    pub message: String,
}

impl ReproductionError {
    /// An error with this message.
    pub fn new(why: impl Into<String>) -> ReproductionError {
        ReproductionError { message: why.into() }
    }
}

impl<E: Display> From<E> for ReproductionError {
    fn from(e: E) -> ReproductionError {
        ReproductionError::new(e.to_string())
    }
}
