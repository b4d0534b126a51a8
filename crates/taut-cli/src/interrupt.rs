//! Ctrl-C: the first asks for an orderly end, the second ends at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static ASKED: AtomicBool = AtomicBool::new(false);
static DEADLINE: Mutex<Option<Instant>> = Mutex::new(None);

/// Listens for Ctrl-C from now on.
pub fn listen() {
    // Where no handler can be set, Ctrl-C ends the command as it always did.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether an orderly end was asked for.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Sets how long from now on a computation may take.
pub fn until(most: Option<Duration>) {
    if let Ok(mut deadline) = DEADLINE.lock() {
        *deadline = most.and_then(|most| Instant::now().checked_add(most));
    }
}

/// Whether an end was asked for, or the time is up.
pub fn due() -> bool {
    asked() || DEADLINE.lock().is_ok_and(|deadline| deadline.is_some_and(|at| Instant::now() >= at))
}
