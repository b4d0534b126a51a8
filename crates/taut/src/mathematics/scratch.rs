//! Scratch memory of a thread for the variables of formulas: any number of them, without allocation after the first use.

use crate::scalar::{Dual, HyperDual, Jet};
use std::cell::RefCell;
use std::thread::LocalKey;

/// A scalar that has scratch memory.
pub(crate) trait Scratch: Copy + From<f64> + 'static {
    /// The memory of this thread.
    fn memory() -> &'static LocalKey<RefCell<Vec<Self>>>;
}

macro_rules! scratch {
    ($($scalar:ty),* $(,)?) => {
        $(impl Scratch for $scalar {
            fn memory() -> &'static LocalKey<RefCell<Vec<Self>>> {
                thread_local!(static MEMORY: RefCell<Vec<$scalar>> = const { RefCell::new(Vec::new()) });
                &MEMORY
            }
        })*
    };
}

scratch!(f64, Jet, Dual<1>, Dual<4>, HyperDual<4>);

/// Calls `f` with `count` scalars of undefined content. The calls of one type must not be nested.
pub(crate) fn with_scratch<S: Scratch, T>(count: usize, f: impl FnOnce(&mut [S]) -> T) -> T {
    S::memory().with_borrow_mut(|memory| {
        if memory.len() < count {
            memory.resize(count, S::from(0.0));
        }
        f(&mut memory[..count])
    })
}
