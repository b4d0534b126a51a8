//! Ctrl-C: the first press requests an orderly stop, the second one exits at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler for Ctrl-C.
pub fn listen() {
    // If no handler can be installed, Ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// The flag that Ctrl-C sets; inner loops poll it.
pub fn flag() -> &'static AtomicBool {
    &ASKED
}

/// Whether a stop was requested.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
