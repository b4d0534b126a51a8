//! Signals written in Rust.

use std::fmt;

use crate::breaks::BreakList;
use crate::scalar::Jet;

/// A function of time that the other signals do not cover.
///
/// The argument is the time with its derivatives (1 and 0); computing with it as with a number
/// yields the derivatives of the signal.
pub trait SignalFunction: Send + Sync + fmt::Debug {
    /// The signal at time `t`.
    fn at(&self, t: Jet) -> Jet;

    /// Adds the times between `from` and `to` at which the signal, or a derivative of it, is not smooth.
    fn breaks(&self, from: f64, to: f64, list: &mut BreakList) {
        let _ = (from, to, list);
    }
}

/// A closure with the name it is printed under.
pub(super) struct Named<F> {
    pub(super) name: String,
    pub(super) function: F,
}

impl<F> fmt::Debug for Named<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl<F: Fn(Jet) -> Jet + Send + Sync> SignalFunction for Named<F> {
    fn at(&self, t: Jet) -> Jet {
        (self.function)(t)
    }
}
