//! Protects existing files: an output never replaces the model, and replaces other files only with --force.

use crate::exit::CliError;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What to do if the output file exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// Keep it and report an error.
    Keep,
    /// Replace it, unless it is part of the model.
    Replace,
}

impl From<bool> for IfExists {
    /// From the flag --force.
    fn from(force: bool) -> IfExists {
        if force { IfExists::Replace } else { IfExists::Keep }
    }
}

/// [`check_overwrite`] for an optional output.
///
/// # Errors
/// As [`check_overwrite`].
pub fn check_optional_overwrite(output: Option<&Path>, model: &Path, there: IfExists) -> Result<(), CliError> {
    output.map_or(Ok(()), |output| check_overwrite(output, model, there))
}

/// Checks that an output file may be written.
///
/// # Errors
/// The file exists and is to be kept, or it is the model itself or a file that the model includes.
pub fn check_overwrite(output: &Path, model: &Path, there: IfExists) -> Result<(), CliError> {
    let Ok(found) = fs::canonicalize(output) else { return Ok(()) };
    let shown = output.display();
    let mut seen = HashSet::new();
    collect_model_files(model, &mut seen);
    if seen.contains(&found) {
        let help = "choose another file";
        return Err(CliError::with_help(format!("{shown} is the model itself, or a file that it includes"), help));
    }
    match there {
        IfExists::Keep => Err(CliError::with_help(
            format!("{shown} already exists"),
            "choose another file, or replace it with --force",
        )),
        IfExists::Replace => Ok(()),
    }
}

/// Checks that a file can be written, before work is spent on its contents. A file that exists keeps them.
///
/// # Errors
/// The folder does not exist, or the file cannot be opened for writing.
pub fn check_writable(output: &Path) -> Result<(), CliError> {
    let existed = output.exists();
    fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(output)
        .map_err(|e| CliError::file_error("write", output, &e))?;
    if !existed {
        let _ = fs::remove_file(output);
    }
    Ok(())
}

/// Collects the file and, recursively, every file named by a string in it.
fn collect_model_files(path: &Path, seen: &mut HashSet<PathBuf>) {
    let Ok(whole) = fs::canonicalize(path) else { return };
    if !whole.is_file() || !seen.insert(whole) || path.extension().is_none_or(|e| e != "toml") {
        return;
    }
    let Some(table) = fs::read_to_string(path).ok().and_then(|text| text.parse::<toml::Table>().ok()) else { return };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut left: Vec<toml::Value> = vec![toml::Value::Table(table)];
    while let Some(value) = left.pop() {
        match value {
            toml::Value::String(name) => collect_model_files(&folder.join(name), seen),
            toml::Value::Array(items) => left.extend(items),
            toml::Value::Table(items) => left.extend(items.into_iter().map(|(_, v)| v)),
            _ => {}
        }
    }
}
