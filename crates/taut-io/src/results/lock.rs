//! One writer at a time: who writes into a folder holds its lock.

use super::error::ResultsError;
use std::fs::{File, TryLockError};
use std::path::Path;

/// The file that is locked; it says nothing and stays.
const LOCK: &str = ".lock";

/// Held as long as it lives; the system lets go of it when the process ends, however it does.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder.
    ///
    /// # Errors
    /// Another process has it, or a refusal of the file system.
    pub fn take(folder: &Path) -> Result<Lock, ResultsError> {
        let path = folder.join(LOCK);
        let file = File::options().create(true).append(true).open(&path).map_err(ResultsError::io("open", &path))?;
        match file.try_lock() {
            // A file system without locks is no reason to refuse.
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(ResultsError::InUse { folder: folder.to_path_buf() }),
            Err(TryLockError::Error(_)) => Ok(Lock { _file: file }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer() {
        let folder = std::env::temp_dir().join(format!("taut-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let first = Lock::take(&folder).unwrap();
        assert!(matches!(Lock::take(&folder), Err(ResultsError::InUse { .. })));
        drop(first);
        assert!(Lock::take(&folder).is_ok());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
