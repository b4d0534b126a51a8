//! One writer at a time: a folder of results is locked while it is written.

use super::error::ResultsError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the lock file. The system releases the lock when the process ends, however it ends.
pub const LOCK: &str = ".taut.lock";

/// The lock of a folder, released on drop.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// The locked file; closing it releases the lock.
    _file: File,
}

impl FolderLock {
    /// Locks an existing folder.
    ///
    /// # Errors
    /// Another writer, or an error of the file system.
    pub fn acquire(folder: &Path) -> Result<FolderLock, ResultsError> {
        let path = folder.join(LOCK);
        loop {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
            let file = file.map_err(ResultsError::io("create", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(ResultsError::Locked { folder: folder.to_path_buf() }),
                // On a file system without locks, writing is still permitted.
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(ResultsError::io("lock", &path)(e)),
            }
            // A writer that has just ended may have removed the file; then this lock protects nothing.
            if is_at(&file, &path) {
                return Ok(FolderLock { path, _file: file });
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // A lock file that cannot be removed is harmless once it is unlocked.
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

/// Checks that no writer has locked a folder. Without a lock file, nothing is changed.
///
/// # Errors
/// Another writer, or an error of the file system.
pub fn check_not_locked(folder: &Path) -> Result<(), ResultsError> {
    if folder.join(LOCK).exists() { FolderLock::acquire(folder).map(drop) } else { Ok(()) }
}
