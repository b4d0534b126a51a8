//! Opens links in the browser.

use std::process::{Command, Stdio};

/// Opens the link in a browser, if there is one.
pub(super) fn open_browser(link: &str) {
    let seen = |name: &str| std::env::var_os(name).is_some_and(|x| !x.is_empty());
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else if seen("DISPLAY") || seen("WAYLAND_DISPLAY") {
        ("xdg-open", &[])
    } else {
        return;
    };
    let quiet = || Stdio::null();
    let _ = Command::new(program).args(arguments).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
