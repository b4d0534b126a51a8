//! Why an example of a paper could not be computed.

use std::fmt::Display;

/// The reason, in words. It is no `Display` itself, so that `?` can make it of whatever is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What went wrong.
    pub why: String,
}

impl Trouble {
    /// In words.
    pub fn new(why: impl Into<String>) -> Trouble {
        Trouble { why: why.into() }
    }
}

impl<E: Display> From<E> for Trouble {
    fn from(e: E) -> Trouble {
        Trouble::new(e.to_string())
    }
}
