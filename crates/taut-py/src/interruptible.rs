//! Computations without the interpreter lock that Ctrl-C ends.

use crate::callbacks::{is_pending, raise_pending, set_pending};
use pyo3::prelude::*;
use std::cell::Cell;
use std::time::{Duration, Instant};
use taut::interruption::Interruption;

/// Time between two looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(25);

thread_local! {
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Whether Ctrl-C was pressed, or a function of Python raised an exception. Only the main thread of Python learns of Ctrl-C.
fn should_stop() -> bool {
    if is_pending() {
        return true;
    }
    if LOOKED.get().is_some_and(|looked| looked.elapsed() < SIGNAL_INTERVAL) {
        return false;
    }
    LOOKED.set(Some(Instant::now()));
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(e) => {
            set_pending(e);
            true
        }
    }
}

/// Computes without the interpreter lock. If Ctrl-C or an exception of a function ended the computation, the exception is pending.
pub(crate) fn detached<T: Send>(py: Python<'_>, compute: impl FnOnce() -> T + Send) -> T {
    LOOKED.set(Some(Instant::now()));
    let interruption = Interruption { question: Some(should_stop), ..Interruption::default() };
    py.detach(|| interruption.run(compute).0)
}

/// Computes without the interpreter lock.
///
/// # Errors
/// `KeyboardInterrupt` after Ctrl-C, and the exception of a function that the computation calls.
pub(crate) fn interruptible<T: Send>(py: Python<'_>, compute: impl FnOnce() -> T + Send) -> PyResult<T> {
    let found = detached(py, compute);
    raise_pending(py)?;
    Ok(found)
}
