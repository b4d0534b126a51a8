//! MJCF.
#![allow(non_snake_case)] // the theory's letter is the identifier

use crate::diagnostic::Diagnostic;
use crate::robot::Imported;
use std::path::Path;

/// Reads a robot.
///
/// # Errors
/// None yet.
pub fn read(_text: &str, _path: &Path) -> Result<Imported, Diagnostic> {
    Err(Diagnostic::error("not read"))
}
