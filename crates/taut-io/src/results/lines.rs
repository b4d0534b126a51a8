//! A text file that grows by whole lines, and never shows a part of one.
//!
//! A process that is killed inside a call to write leaves what had been copied until then, which ends at a page, not at a
//! line. So there are two copies: lines go to the one that nobody sees, and then the two change places by a rename. What
//! the name shows is always complete. The price is the room of the second copy while the run goes on; where the file
//! system knows no second names for a file there is only one copy, and a last line may be torn.

use super::error::ResultsError;
use super::files::{self, Durability};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A growing file.
#[derive(Debug)]
pub(super) struct LineFile {
    path: PathBuf,
    shown: File,
    hidden: Option<Hidden>,
    bytes: u64,
}

/// The copy that is written to next.
#[derive(Debug)]
struct Hidden {
    file: File,
    path: PathBuf,
    /// Where the copy is kept while the two change places.
    spare: PathBuf,
    /// What the shown copy has and this one has not.
    lacks: Vec<u8>,
}

impl LineFile {
    /// A new file with a first line.
    pub fn create(folder: &Path, name: &str, header: &str) -> Result<LineFile, ResultsError> {
        files::replace(folder, name, header.as_bytes(), Durability::Process)?;
        LineFile::reopen(folder, name, header.len() as u64)
    }

    /// A file cut to a length that must end a line.
    pub fn reopen(folder: &Path, name: &str, bytes: u64) -> Result<LineFile, ResultsError> {
        let path = folder.join(name);
        let shown = cut(&path, bytes)?;
        let (twin, spare) = (folder.join(format!(".{name}.twin")), folder.join(format!(".{name}.spare")));
        files::remove(&spare)?;
        files::remove(&twin)?;
        // A second name on trial: the change of places needs one.
        let hidden = match fs::hard_link(&path, &spare) {
            Err(_) => None,
            Ok(()) => {
                files::remove(&spare)?;
                fs::copy(&path, &twin).map_err(ResultsError::io("copy", &path))?;
                let file = OpenOptions::new().append(true).open(&twin).map_err(ResultsError::io("open", &twin))?;
                Some(Hidden { file, path: twin, spare, lacks: Vec::new() })
            }
        };
        Ok(LineFile { path, shown, hidden, bytes })
    }

    /// Appends whole lines.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), ResultsError> {
        if lines.is_empty() {
            return Ok(());
        }
        match &mut self.hidden {
            None => self.shown.write_all(lines).map_err(ResultsError::io("write", &self.path))?,
            Some(hidden) => {
                let write = [&hidden.lacks[..], lines].into_iter().try_for_each(|l| hidden.file.write_all(l));
                write.map_err(ResultsError::io("write", &hidden.path))?;
                hidden.lacks.clear();
                hidden.lacks.extend_from_slice(lines);
                let places = fs::hard_link(&self.path, &hidden.spare)
                    .and_then(|()| fs::rename(&hidden.path, &self.path))
                    .and_then(|()| fs::rename(&hidden.spare, &hidden.path));
                places.map_err(ResultsError::io("write", &self.path))?;
                std::mem::swap(&mut self.shown, &mut hidden.file);
            }
        }
        self.bytes += lines.len() as u64;
        Ok(())
    }

    /// Waits until all of it is on the disk.
    pub fn sync(&mut self) -> Result<(), ResultsError> {
        self.shown.sync_data().map_err(ResultsError::io("write", &self.path))
    }

    /// Length of what is shown.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for LineFile {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the run is taken up again.
        if let Some(hidden) = &self.hidden {
            let _ = fs::remove_file(&hidden.path);
        }
    }
}

/// Opens a file for appending, after cutting it to a length that must end a line.
fn cut(path: &Path, bytes: u64) -> Result<File, ResultsError> {
    let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(ResultsError::io("open", path))?;
    let length = file.metadata().map_err(ResultsError::io("read", path))?.len();
    let mut last = [0];
    if bytes > 0 && length >= bytes {
        file.seek(SeekFrom::Start(bytes - 1)).map_err(ResultsError::io("read", path))?;
        file.read_exact(&mut last).map_err(ResultsError::io("read", path))?;
    }
    if last[0] != b'\n' {
        return Err(ResultsError::corrupt(
            path,
            format!("no line ends at byte {bytes}, where the checkpoint was made"),
        ));
    }
    file.set_len(bytes).map_err(ResultsError::io("cut", path))?;
    Ok(file)
}
