//! One writer at a time: a folder of results is claimed for as long as it is written to.

use super::error::ResultsError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file whose lock is the claim. The system gives the lock back when a process ends, however it ends.
pub const LOCK: &str = ".taut.lock";

/// The sole right to write into a folder, until it is dropped.
#[derive(Debug)]
pub(super) struct Claim {
    path: PathBuf,
    /// Locked; closing it ends the claim.
    _file: File,
}

impl Claim {
    /// Claims a folder that is there.
    ///
    /// # Errors
    /// Another writer, or a refusal of the file system.
    pub fn of(folder: &Path) -> Result<Claim, ResultsError> {
        let path = folder.join(LOCK);
        loop {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(ResultsError::io("create", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(ResultsError::Busy { folder: folder.to_path_buf() }),
                // A file system without locks is no reason not to write.
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(ResultsError::io("lock", &path)(e)),
            }
            // A writer that ended meanwhile took the file away; then this is the lock of nothing.
            if is_at(&file, &path) {
                return Ok(Claim { path, _file: file });
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What cannot be removed means nothing without its lock.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(own), Ok(there)) = (file.metadata(), fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Refuses a folder that is being written to. Where nobody ever claimed it, nothing is touched.
///
/// # Errors
/// Another writer, or a refusal of the file system.
pub fn unclaimed(folder: &Path) -> Result<(), ResultsError> {
    if folder.join(LOCK).exists() { Claim::of(folder).map(drop) } else { Ok(()) }
}
