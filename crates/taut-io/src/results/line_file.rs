//! A text file that grows by whole lines and never shows an incomplete one.
//!
//! A process that is killed during a write leaves a partial line. Therefore the file has two copies: lines are appended to a
//! hidden copy, which is then swapped with the visible one atomically. The visible file is always complete. The cost is the
//! disk space of the second copy during the run. On file systems without an atomic swap there is one copy, whose last line
//! may be incomplete.

use super::error::ResultsError;
use super::files::{self, Durability};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A growing file.
#[derive(Debug)]
pub(super) struct LineFile {
    path: PathBuf,
    visible: File,
    shadow: Option<ShadowCopy>,
    bytes: u64,
}

/// The copy that is written to next.
#[derive(Debug)]
struct ShadowCopy {
    file: File,
    path: PathBuf,
    swap_method: SwapMethod,
    /// Lines of the visible copy that this one does not have yet.
    missing: Vec<u8>,
}

/// How two files are swapped so that both names always exist.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SwapMethod {
    /// One atomic system call.
    Exchange,
    /// A third name, which keeps the first file meanwhile. Some systems flush to disk at every such rename, so this is the
    /// second choice.
    Spare(PathBuf),
}

impl SwapMethod {
    fn swap(&self, shown: &Path, hidden: &Path) -> io::Result<()> {
        match self {
            SwapMethod::Exchange => exchange(shown, hidden),
            SwapMethod::Spare(spare) => {
                fs::hard_link(shown, spare)?;
                fs::rename(hidden, shown)?;
                fs::rename(spare, hidden)
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

impl LineFile {
    /// A new file with a first line.
    pub fn create(folder: &Path, name: &str, header: &str) -> Result<LineFile, ResultsError> {
        files::replace(folder, name, header.as_bytes(), Durability::SurvivesProcess)?;
        LineFile::reopen(folder, name, header.len() as u64)
    }

    /// An existing file, truncated to a length that must end a line.
    pub fn reopen(folder: &Path, name: &str, bytes: u64) -> Result<LineFile, ResultsError> {
        let path = folder.join(name);
        truncate_to_line(&path, bytes)?;
        let (twin, spare) = (folder.join(format!(".{name}.twin")), folder.join(format!(".{name}.spare")));
        files::remove(&spare)?;
        files::remove(&twin)?;
        fs::copy(&path, &twin).map_err(ResultsError::io("copy", &path))?;
        let append = |path: &Path| OpenOptions::new().append(true).open(path).map_err(ResultsError::io("open", path));
        // Tried out while both copies are equal.
        let ways = [SwapMethod::Exchange, SwapMethod::Spare(spare)];
        let hidden = match ways.into_iter().find(|way| way.swap(&path, &twin).is_ok()) {
            Some(way) => Some(ShadowCopy { file: append(&twin)?, path: twin, swap_method: way, missing: Vec::new() }),
            None => {
                files::remove(&twin)?;
                None
            }
        };
        let shown = append(&path)?;
        Ok(LineFile { path, visible: shown, shadow: hidden, bytes })
    }

    /// Appends whole lines.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), ResultsError> {
        if lines.is_empty() {
            return Ok(());
        }
        match &mut self.shadow {
            None => self.visible.write_all(lines).map_err(ResultsError::io("write", &self.path))?,
            Some(hidden) => {
                let write = [&hidden.missing[..], lines].into_iter().try_for_each(|l| hidden.file.write_all(l));
                write.map_err(ResultsError::io("write", &hidden.path))?;
                hidden.missing.clear();
                hidden.missing.extend_from_slice(lines);
                hidden.swap_method.swap(&self.path, &hidden.path).map_err(ResultsError::io("write", &self.path))?;
                std::mem::swap(&mut self.visible, &mut hidden.file);
            }
        }
        self.bytes += lines.len() as u64;
        Ok(())
    }

    /// Flushes everything to disk.
    pub fn sync(&mut self) -> Result<(), ResultsError> {
        self.visible.sync_data().map_err(ResultsError::io("write", &self.path))
    }

    /// Length of the visible file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for LineFile {
    fn drop(&mut self) {
        // A file that cannot be removed now is removed when the run is resumed.
        if let Some(hidden) = &self.shadow {
            let _ = fs::remove_file(&hidden.path);
        }
    }
}

/// Truncates a file to a length that must end a line.
fn truncate_to_line(path: &Path, bytes: u64) -> Result<(), ResultsError> {
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(ResultsError::io("open", path))?;
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
    file.set_len(bytes).map_err(ResultsError::io("cut", path))
}

#[cfg(test)]
mod tests {
    use super::{LineFile, SwapMethod};

    #[test]
    fn both_ways_give_the_same_file() {
        let folder = std::env::temp_dir().join(format!("taut-lines-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let lines: Vec<String> = (0..50).map(|i| format!("{i}\n")).collect();
        for spare in [false, true] {
            let mut file = LineFile::create(&folder, "a.csv", "head\n").unwrap();
            if let (true, Some(hidden)) = (spare, &mut file.shadow) {
                hidden.swap_method = SwapMethod::Spare(folder.join(".spare"));
            }
            let mut expected = "head\n".to_string();
            for line in &lines {
                file.append(line.as_bytes()).unwrap();
                expected += line;
                assert_eq!(std::fs::read_to_string(folder.join("a.csv")).unwrap(), expected);
            }
            assert_eq!(file.bytes(), expected.len() as u64);
            drop(file);
            // Cut in the middle of a line, and at the end of one.
            assert!(LineFile::reopen(&folder, "a.csv", 6).is_err());
            drop(LineFile::reopen(&folder, "a.csv", 7).unwrap());
            assert_eq!(std::fs::read_to_string(folder.join("a.csv")).unwrap(), "head\n0\n");
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
