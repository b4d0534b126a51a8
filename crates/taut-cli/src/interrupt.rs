//! Ctrl-C: the first press requests an orderly stop, the second one exits at once.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler for Ctrl-C.
pub fn install_handler() {
    // If no handler can be installed, Ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(|| {
        if STOP_REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// The flag that Ctrl-C sets; inner loops poll it.
pub fn stop_flag() -> &'static AtomicBool {
    &STOP_REQUESTED
}

/// Whether a stop was requested.
pub fn stop_requested() -> bool {
    STOP_REQUESTED.load(Ordering::Relaxed)
}
