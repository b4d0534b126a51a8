//! Files that are written beside a model: never over the model, and over others only by force.

use crate::ending::Failure;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// It stays, and nothing is written.
    Kept,
    /// It is replaced, unless the model is made of it.
    Replaced,
}

impl From<bool> for There {
    /// Of a flag --force.
    fn from(force: bool) -> There {
        if force { There::Replaced } else { There::Kept }
    }
}

/// [`permit`] of an output that may be left out.
///
/// # Errors
/// As [`permit`].
pub fn permit_some(output: Option<&Path>, model: &Path, there: There) -> Result<(), Failure> {
    output.map_or(Ok(()), |output| permit(output, model, there))
}

/// Refuses an output that must not be written.
///
/// # Errors
/// A file that is there and shall be kept, the model itself, or a file that it names.
pub fn permit(output: &Path, model: &Path, there: There) -> Result<(), Failure> {
    let Ok(found) = fs::canonicalize(output) else { return Ok(()) };
    let shown = output.display();
    let mut seen = HashSet::new();
    gather(model, &mut seen);
    if seen.contains(&found) {
        let help = "name another file";
        return Err(Failure::with_help(format!("{shown} is the model itself, or a file that it includes"), help));
    }
    match there {
        There::Kept => {
            Err(Failure::with_help(format!("{shown} is there already"), "name another file, or say --force"))
        }
        There::Replaced => Ok(()),
    }
}

/// The file, and every file that a text in it names, and so on.
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
