//! Ctrl-C: the first asks for an orderly end, the second ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on.
pub fn listen() {
    // Where no handler can be set, Ctrl-C ends the command as it always did.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// What is set then, for inner loops to look at.
pub fn flag() -> &'static AtomicBool {
    &ASKED
}

/// Whether an orderly end was asked for.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
