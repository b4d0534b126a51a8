//! Files that are there as a whole or not at all.

use super::error::ResultsError;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How sure one must be that it is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// It outlives the process.
    Process,
    /// It outlives a failure of power.
    Power,
}

/// Name under which a file is prepared; readers of folders pass over names that begin with a dot.
pub(crate) fn draft(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.draft"))
}

/// Puts a finished draft in its place.
pub(crate) fn publish(draft: &Path, path: &Path) -> Result<(), ResultsError> {
    fs::rename(draft, path).map_err(ResultsError::io("write", path))
}

/// Writes a file so that a reader sees the old or the new one, never a part.
pub(crate) fn replace(folder: &Path, name: &str, content: &[u8], how: Durability) -> Result<(), ResultsError> {
    let (draft, path) = (draft(folder, name), folder.join(name));
    let mut file = File::create(&draft).map_err(ResultsError::io("create", &draft))?;
    file.write_all(content).map_err(ResultsError::io("write", &draft))?;
    if how == Durability::Power {
        file.sync_all().map_err(ResultsError::io("write", &draft))?;
    }
    publish(&draft, &path)
}

/// Removes a file or a folder with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), ResultsError> {
    let gone = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => Err(e),
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    gone.map_err(ResultsError::io("remove", path))
}

/// A whole file as text.
pub(crate) fn text(path: &Path) -> Result<String, ResultsError> {
    fs::read_to_string(path).map_err(ResultsError::io("read", path))
}
