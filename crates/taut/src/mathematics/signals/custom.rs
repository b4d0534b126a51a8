//! Signals written in Rust.

use std::fmt;

use crate::breaks::BreakList;
use crate::scalar::Jet;

/// A user-defined function of time.
///
/// The argument is the time with its derivatives (1 and 0); computing with it yields the signal
/// with its derivatives.
pub trait SignalFunction: Send + Sync + fmt::Debug {
    /// The signal at time `t`.
    fn at(&self, t: Jet) -> Jet;

    /// Adds the times between `from` and `to` at which the signal or one of its derivatives is not smooth.
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let _ = (from, to, list);
    }
}

/// A closure with the name used when it is printed.
pub(super) struct NamedFunction<F> {
    pub(super) name: String,
    pub(super) function: F,
}

impl<F> fmt::Debug for NamedFunction<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl<F: Fn(Jet) -> Jet + Send + Sync> SignalFunction for NamedFunction<F> {
    fn at(&self, t: Jet) -> Jet {
        (self.function)(t)
    }
}
