//! Why an example of a paper could not be computed.

use std::fmt::Display;

/// The reason as text. It does not implement `Display`, so that `?` can convert any type that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What went wrong.
    pub why: String,
}

impl Trouble {
    /// An error with this message.
    pub fn new(why: impl Into<String>) -> Trouble {
        Trouble { why: why.into() }
    }
}

impl<E: Display> From<E> for Trouble {
    fn from(e: E) -> Trouble {
        Trouble::new(e.to_string())
    }
}
