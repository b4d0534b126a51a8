//! Protects existing files: an output never replaces the model, and replaces other files only with --force.

use crate::ending::Failure;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What to do if the output file exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// Keep it and report an error.
    Kept,
    /// Replace it, unless it is part of the model.
    Replaced,
}

impl From<bool> for There {
    /// From the flag --force.
    fn from(force: bool) -> There {
        if force { There::Replaced } else { There::Kept }
    }
}

/// [`permit`] for an optional output.
///
/// # Errors
/// As [`permit`].
pub fn permit_some(output: Option<&Path>, model: &Path, there: There) -> Result<(), Failure> {
    output.map_or(Ok(()), |output| permit(output, model, there))
}

/// Checks that an output file may be written.
///
/// # Errors
/// The file exists and is to be kept, or it is the model itself or a file that the model includes.
pub fn permit(output: &Path, model: &Path, there: There) -> Result<(), Failure> {
    let Ok(found) = fs::canonicalize(output) else { return Ok(()) };
    let shown = output.display();
    let mut seen = HashSet::new();
    gather(model, &mut seen);
    if seen.contains(&found) {
        let help = "choose another file";
        return Err(Failure::with_help(format!("{shown} is the model itself, or a file that it includes"), help));
    }
    match there {
        There::Kept => Err(Failure::with_help(
            format!("{shown} already exists"),
            "choose another file, or replace it with --force",
        )),
        There::Replaced => Ok(()),
    }
}

/// Collects the file and, recursively, every file named by a string in it.
fn gather(path: &Path, seen: &mut HashSet<PathBuf>) {
    let Ok(whole) = fs::canonicalize(path) else { return };
    if !whole.is_file() || !seen.insert(whole) || path.extension().is_none_or(|e| e != "toml") {
        return;
    }
    let Some(table) = fs::read_to_string(path).ok().and_then(|text| text.parse::<toml::Table>().ok()) else { return };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut left: Vec<toml::Value> = vec![toml::Value::Table(table)];
    while let Some(value) = left.pop() {
        match value {
            toml::Value::String(name) => gather(&folder.join(name), seen),
            toml::Value::Array(items) => left.extend(items),
            toml::Value::Table(items) => left.extend(items.into_iter().map(|(_, v)| v)),
            _ => {}
        }
    }
}
