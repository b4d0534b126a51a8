//! Asking a long computation to stop: inner loops look now and then whether their caller wants an end.
//!
//! Between two steps every run can be stopped. One step of a large contact problem can take minutes, though. Its loops
//! ask the function set here, per thread; a step that was stopped has not happened.

use std::cell::Cell;

thread_local! {
    static ASK: Cell<Option<fn() -> bool>> = const { Cell::new(None) };
}

/// From now on computations of this thread ask `stop` now and then, and give up within a step once it says true. None
/// lets them go on to the end.
pub fn ask(stop: Option<fn() -> bool>) {
    ASK.set(stop);
}

/// Whether an end is asked for.
pub(crate) fn asked() -> bool {
    ASK.get().is_some_and(|stop| stop())
}
