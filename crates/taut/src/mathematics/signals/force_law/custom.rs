//! Force laws written in Rust.

use std::fmt;

use crate::scalar::Dual;
use crate::signals::custom::NamedFunction;

/// A user-defined force law.
pub trait ForceLawFunction: Send + Sync + fmt::Debug {
    /// The force on the coordinate s.  The two directions of the dual numbers are s and its rate;
    /// computing with them yields the force with its slopes.
    fn force(&self, s: Dual<2>, rate: Dual<2>, t: f64) -> Dual<2>;

    /// The potential of the elastic part of the force, if it has one; by default it has none and
    /// all its work counts as non-conservative.
    fn stored_energy(&self, s: Dual<1>) -> Option<Dual<1>> {
        let _ = s;
        None
    }

    /// The number of guards: functions at whose zeros the force or one of its derivatives is not smooth.
    fn guards(&self) -> usize {
        0
    }

    /// The value of guard `i`.
    fn guard(&self, i: usize, s: f64, rate: f64, t: f64) -> f64 {
        let _ = (i, s, rate, t);
        f64::INFINITY
    }
}

impl<F: Fn(Dual<2>, Dual<2>, f64) -> Dual<2> + Send + Sync> ForceLawFunction for NamedFunction<F> {
    fn force(&self, s: Dual<2>, rate: Dual<2>, t: f64) -> Dual<2> {
        (self.function)(s, rate, t)
    }
}
