//! What the pages of the project claim about its source: recipes for new kinds, files to read first, plain words.

mod reading;
mod recipes;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text of a file.
fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files below a folder, in a fixed order; without build output.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if name.starts_with('.')
            || ["target", "node_modules", "dist"].contains(&name.as_str())
            || name.ends_with(".run")
        {
            continue;
        }
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
