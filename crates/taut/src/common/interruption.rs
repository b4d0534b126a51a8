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
    static PRESENT: Cell<Interruption> = const { Cell::new(Interruption { deadline: None, flag: None }) };
    static BROKEN_OFF: Cell<bool> = const { Cell::new(false) };
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
    pub(crate) fn within<T>(self, compute: impl FnOnce() -> T) -> (T, bool) {
        let before = PRESENT.replace(self);
        BROKEN_OFF.set(false);
        let result = compute();
        PRESENT.set(before);
        (result, BROKEN_OFF.replace(false))
    }
}

/// Whether the computation on this thread should stop now.
pub(crate) fn is_asked() -> bool {
    let asked = is_broken_off() || PRESENT.get().is_due();
    if asked {
        BROKEN_OFF.set(true);
    }
    asked
}

/// Whether a computation was interrupted since the interruption was set; its result is then invalid.
pub(crate) fn is_broken_off() -> bool {
    BROKEN_OFF.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_and_a_deadline_break_off_and_leave_no_trace() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let by_flag = Interruption { flag: Some(&FLAG), ..Interruption::default() };
        assert_eq!(by_flag.within(is_asked), (false, false));
        FLAG.store(true, Ordering::Relaxed);
        assert_eq!(by_flag.within(is_asked), (true, true));
        let over = Interruption { deadline: Some(Instant::now()), ..Interruption::default() };
        assert_eq!(over.within(is_asked), (true, true));
        assert!(!is_asked() && Interruption::default().is_none());
    }
}
