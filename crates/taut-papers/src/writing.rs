//! Pages, tables and pictures into folders.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// A file or folder that could not be written, made or removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {attempt} {}: {error}", .path.display())]
pub struct WriteError {
    attempt: &'static str,
    path: PathBuf,
    #[source]
    error: io::Error,
}

impl WriteError {
    /// What was attempted, as a word: `write`.
    pub(crate) fn new(attempt: &'static str, path: &Path, error: io::Error) -> WriteError {
        WriteError { attempt, path: path.to_path_buf(), error }
    }
}

/// Makes a folder and those above it.
pub(crate) fn make(folder: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(folder).map_err(|e| WriteError::new("make", folder, e))
}

/// Writes a file, over one that is there.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), WriteError> {
    fs::write(path, text).map_err(|e| WriteError::new("write", path, e))
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), WriteError> {
    if path.exists() { fs::remove_file(path).map_err(|e| WriteError::new("remove", path, e)) } else { Ok(()) }
}
