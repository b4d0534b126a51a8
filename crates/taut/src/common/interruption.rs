//! Asking a computation to end early, from a deadline or from outside.
//!
//! Long inner loops (complementarity problems, the sharing of loads) look here now and then and break off; what they leave
//! is no result, so that whoever has set the interruption goes back to a state before it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What ends a computation early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interruption {
    /// When at the latest.
    pub deadline: Option<Instant>,
    /// Set by another thread or a handler of signals.
    pub flag: Option<&'static AtomicBool>,
}

thread_local! {
    static PRESENT: Cell<Interruption> = const { Cell::new(Interruption { deadline: None, flag: None }) };
    static BROKEN_OFF: Cell<bool> = const { Cell::new(false) };
}

impl Interruption {
    /// Whether nothing can interrupt.
    pub fn is_none(&self) -> bool {
        self.deadline.is_none() && self.flag.is_none()
    }

    fn is_due(&self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Computes on this thread; whether something was broken off.
    pub(crate) fn within<T>(self, compute: impl FnOnce() -> T) -> (T, bool) {
        let before = PRESENT.replace(self);
        BROKEN_OFF.set(false);
        let result = compute();
        PRESENT.set(before);
        (result, BROKEN_OFF.replace(false))
    }
}

/// Whether the computation on this thread is to be broken off here.
pub(crate) fn is_asked() -> bool {
    let asked = is_broken_off() || PRESENT.get().is_due();
    if asked {
        BROKEN_OFF.set(true);
    }
    asked
}

/// Whether something was broken off since the interruption was set: its result is none.
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
