//! Known times at which the right-hand side is not smooth.

use serde::{Deserialize, Serialize};

/// A discontinuity of the right-hand side, or of one of its derivatives, at a time known in advance.
///
/// The right-hand side is smooth up to and including [`before`](Self::before) and again from
/// [`after`](Self::after) on; the two are neighbouring floating-point numbers, or a few units in the last place apart.
/// No step crosses a break: one step ends at `before`, the next begins at `after`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Break {
    /// Last time of the piece before it.
    pub before: f64,
    /// First time of the piece after it.
    pub after: f64,
}
