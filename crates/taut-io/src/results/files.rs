//! Atomic writing of files.

use super::error::ResultsError;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Which failures a written file must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The end of the process.
    SurvivesProcess,
    /// A power failure.
    SurvivesPowerLoss,
}

/// Path of the temporary file; it begins with a dot, so that readers of the folder ignore it.
pub(crate) fn temporary_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.draft"))
}

/// Moves a complete temporary file to its final path.
pub(crate) fn publish(draft: &Path, path: &Path) -> Result<(), ResultsError> {
    fs::rename(draft, path).map_err(ResultsError::io("write", path))
}

/// Replaces a file atomically: a reader sees the old or the new content, never a part.
pub(crate) fn replace(folder: &Path, name: &str, content: &[u8], how: Durability) -> Result<(), ResultsError> {
    let (draft, path) = (temporary_path(folder, name), folder.join(name));
    let mut file = File::create(&draft).map_err(ResultsError::io("create", &draft))?;
    file.write_all(content).map_err(ResultsError::io("write", &draft))?;
    if how == Durability::SurvivesPowerLoss {
        file.sync_all().map_err(ResultsError::io("write", &draft))?;
    }
    publish(&draft, &path)
}

/// Removes a file or a folder with its content, if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), ResultsError> {
    let removed = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => Err(e),
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    removed.map_err(ResultsError::io("remove", path))
}

/// A whole file as text.
pub(crate) fn text(path: &Path) -> Result<String, ResultsError> {
    fs::read_to_string(path).map_err(ResultsError::io("read", path))
}
