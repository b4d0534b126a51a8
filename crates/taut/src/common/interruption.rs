//! Interruption of a computation by a deadline, from another thread, or by a question asked from time to time.
//!
//! Long loops (complementarity problems, iterations, searches, runs) poll this module and stop early. An interrupted computation leaves no
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
    /// A function that the computation calls again and again on its own thread; once it has returned true, it must do so until the
    /// computation has ended.
    pub question: Option<fn() -> bool>,
}

thread_local! {
    static CURRENT: Cell<Interruption> = const { Cell::new(Interruption { deadline: None, flag: None, question: None }) };
    static INTERRUPTED: Cell<bool> = const { Cell::new(false) };
}

impl Interruption {
    /// Whether nothing can interrupt.
    pub fn is_none(&self) -> bool {
        self.deadline.is_none() && self.flag.is_none() && self.question.is_none()
    }

    /// These conditions and those around them. An inner flag or question takes the place of the outer one.
    fn within(self, outer: Interruption) -> Interruption {
        Interruption {
            deadline: self.deadline.into_iter().chain(outer.deadline).min(),
            flag: self.flag.or(outer.flag),
            question: self.question.or(outer.question),
        }
    }

    fn is_due(&self) -> bool {
        self.flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.question.is_some_and(|question| question())
    }

    /// Runs `compute` on this thread under this interruption and those around it. If the flag that is returned is true, it was
    /// interrupted and its result is invalid.
    pub fn run<T>(self, compute: impl FnOnce() -> T) -> (T, bool) {
        let outer = CURRENT.get();
        CURRENT.set(self.within(outer));
        let earlier = INTERRUPTED.replace(false);
        let result = compute();
        CURRENT.set(outer);
        let interrupted = INTERRUPTED.get();
        INTERRUPTED.set(earlier || (interrupted && outer.is_due()));
        (result, interrupted)
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

    #[test]
    fn an_interruption_reaches_the_computations_inside_and_outside() {
        let questioned = Interruption { question: Some(|| true), ..Interruption::default() };
        let inner = || Interruption::default().run(is_requested);
        assert_eq!(questioned.run(inner), ((true, true), true));
        // What interrupts only the inner computation leaves the outer one alone.
        let over = Interruption { deadline: Some(Instant::now()), ..Interruption::default() };
        let never = Interruption { question: Some(|| false), ..Interruption::default() };
        assert_eq!(never.run(|| over.run(is_requested)), ((true, true), false));
    }
}
