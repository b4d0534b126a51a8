//! Flags that stop computations on other threads. The engine keeps references to them for ever, so flags are used again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Flags that nobody uses at present.
static IDLE: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// A flag for one computation; it is free again when this value is dropped.
pub(crate) struct StopFlag(&'static AtomicBool);

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> StopFlag {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let flag = idle.unwrap_or_else(|| Box::leak(Box::new(AtomicBool::new(false))));
        flag.store(false, Ordering::Relaxed);
        StopFlag(flag)
    }

    /// The flag itself. Computations that use it must end before this value is dropped.
    pub fn get(&self) -> &'static AtomicBool {
        self.0
    }

    /// Stops the computation.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Drop for StopFlag {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}
