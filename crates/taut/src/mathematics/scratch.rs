//! Scratch memory of a thread for the arguments of functions: any number of them, without allocation after the first use.

use crate::scalar::{Dual, HyperDual, Jet};
use std::cell::RefCell;
use std::thread::LocalKey;

/// A type that has scratch memory.
pub(crate) trait Scratch: Copy + 'static {
    /// The lists of this thread that are not in use.
    fn unused_lists() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;
}

/// Gives types scratch memory.
macro_rules! scratch {
    ($($item:ty),* $(,)?) => {
        $(impl $crate::mathematics::scratch::Scratch for $item {
            fn unused_lists() -> &'static std::thread::LocalKey<std::cell::RefCell<Vec<Vec<Self>>>> {
                thread_local!(static UNUSED: std::cell::RefCell<Vec<Vec<$item>>> =
                    const { std::cell::RefCell::new(Vec::new()) });
                &UNUSED
            }
        })*
    };
}
pub(crate) use scratch;

scratch!(f64, Jet, Dual<1>, Dual<4>, Dual<7>, Dual<12>, HyperDual<4>);

/// Calls `f` with an empty list, whose memory the next call uses again. Calls may be nested.
pub(crate) fn with_list<S: Scratch, T>(f: impl FnOnce(&mut Vec<S>) -> T) -> T {
    let mut list = S::unused_lists().with_borrow_mut(Vec::pop).unwrap_or_default();
    list.clear();
    let result = f(&mut list);
    S::unused_lists().with_borrow_mut(|unused| unused.push(list));
    result
}

/// Calls `f` with `count` zeros.
pub(crate) fn with_scratch<S: Scratch + From<f64>, T>(count: usize, f: impl FnOnce(&mut [S]) -> T) -> T {
    with_list(|list: &mut Vec<S>| {
        list.resize(count, S::from(0.0));
        f(list)
    })
}
