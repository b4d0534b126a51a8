//! Writes pages, tables and pictures to folders.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// A file or folder that could not be written, created or removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {attempt} {}: {error}", .path.display())]
pub struct WriteError {
    attempt: &'static str,
    path: PathBuf,
    #[source]
    error: io::Error,
}

impl WriteError {
    /// `attempt` is a verb: `write`.
    pub(crate) fn new(attempt: &'static str, path: &Path, error: io::Error) -> WriteError {
        WriteError { attempt, path: path.to_path_buf(), error }
    }
}

/// Creates a folder and its parents.
pub(crate) fn create_folder(folder: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(folder).map_err(|e| WriteError::new("create", folder, e))
}

/// Writes a file; replaces an existing one.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), WriteError> {
    fs::write(path, text).map_err(|e| WriteError::new("write", path, e))
}

/// Removes a file if it exists.
pub(crate) fn remove_file(path: &Path) -> Result<(), WriteError> {
    if path.exists() { fs::remove_file(path).map_err(|e| WriteError::new("remove", path, e)) } else { Ok(()) }
}
