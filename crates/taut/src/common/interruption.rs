//! Interruption of a computation by a deadline or from another thread.
//!
//! Long inner loops (complementarity problems, load sharing) poll this module and stop early. An interrupted computation leaves no
//! valid result, so the caller that installed the interruption must return to an earlier state.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The conditions that interrupt a computation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interruption {
    /// Wall-clock deadline.
    pub deadline: Option<Instant>,
    /// Flag set by another thread or by a signal handler.
    pub flag: Option<&'static AtomicBool>,
}

thread_local! {
    static CURRENT: Cell<Interruption> = const { Cell::new(Interruption { deadline: None, flag: None }) };
    static INTERRUPTED: Cell<bool> = const { Cell::new(false) };
}

impl Interruption {
    /// Whether there is neither a deadline nor a flag.
    pub fn is_none(&self) -> bool {
        self.deadline.is_none() && self.flag.is_none()
    }

    fn is_due(&self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Runs `compute` on this thread under this interruption; the flag says whether it was interrupted.
    pub(crate) fn run<T>(self, compute: impl FnOnce() -> T) -> (T, bool) {
        let before = CURRENT.replace(self);
        INTERRUPTED.set(false);
        let result = compute();
        CURRENT.set(before);
        (result, INTERRUPTED.replace(false))
    }
}

/// Whether the computation on this thread should stop now.
pub(crate) fn is_requested() -> bool {
    let requested = was_interrupted() || CURRENT.get().is_due();
    if requested {
        INTERRUPTED.set(true);
    }
    requested
}

/// Whether a computation was interrupted since the interruption was set; its result is then invalid.
pub(crate) fn was_interrupted() -> bool {
    INTERRUPTED.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_and_a_deadline_break_off_and_leave_no_trace() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let by_flag = Interruption { flag: Some(&FLAG), ..Interruption::default() };
        assert_eq!(by_flag.run(is_requested), (false, false));
        FLAG.store(true, Ordering::Relaxed);
        assert_eq!(by_flag.run(is_requested), (true, true));
        let over = Interruption { deadline: Some(Instant::now()), ..Interruption::default() };
        assert_eq!(over.run(is_requested), (true, true));
        assert!(!is_requested() && Interruption::default().is_none());
    }
}
