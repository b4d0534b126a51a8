//! The folder of a sweep: its manifest, its lock, its shards.
//!
//! ```text
//! study.sweep/
//!   sweep.json        the request, the parameters and columns with units, the fingerprint
//!   members.jsonl     one line per finished member
//!   table.csv, table.parquet, times.csv     written when the sweep ends or is interrupted
//!   runs/0000042.run  whole runs, if they are kept
//!   shard-03-of-20/   the same for one shard
//! ```

use crate::design::Parameter;
use crate::journal::{Index, JOURNAL};
use crate::plan::{Plan, ResultColumn};
use crate::request::Request;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use taut_io::diagnostic::Diagnostic;
use taut_io::results::{FolderLock, LOCK};

/// Name of the manifest within a folder.
pub const MANIFEST: &str = "sweep.json";
/// Format of the folder.
const FORMAT: u32 = 1;

/// A part of a sweep: every `of`-th member, from the `number`-th on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1 to `of`.
    pub number: usize,
    /// Number of shards.
    pub of: usize,
}

impl Shard {
    /// Reads `3/20`.
    ///
    /// # Errors
    /// A text that is no shard, or a number out of range.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').map(|(a, b)| (a.trim().parse::<usize>(), b.trim().parse::<usize>()));
        match numbers {
            Some((Ok(number), Ok(of))) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            Some((Ok(number), Ok(of))) => {
                Err(format!("shard {number} of {of} is out of range; shards are numbered from 1 to {of}"))
            }
            _ => Err("write NUMBER/COUNT, for example 3/20".to_string()),
        }
    }

    /// Whether a member belongs to it.
    pub fn contains(self, member: usize) -> bool {
        member % self.of == self.number - 1
    }

    /// Number of its members.
    pub(crate) fn len(self, members: usize) -> usize {
        (members + self.of - self.number) / self.of
    }

    fn folder(self) -> String {
        format!("shard-{:0width$}-of-{}", self.number, self.of, width = self.of.to_string().len())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The manifest of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub format: u32,
    pub title: String,
    pub taut: String,
    pub fingerprint: String,
    pub members: usize,
    pub shard: Option<Shard>,
    pub parameters: Vec<Parameter>,
    pub columns: Vec<ResultColumn>,
    pub request: Request,
}

impl Manifest {
    fn of(plan: &Plan, shard: Option<Shard>) -> Manifest {
        Manifest {
            format: FORMAT,
            title: plan.title().to_string(),
            taut: env!("CARGO_PKG_VERSION").to_string(),
            fingerprint: plan.fingerprint().to_string(),
            members: plan.design().len(),
            shard,
            parameters: plan.design().parameters().to_vec(),
            columns: plan.columns().to_vec(),
            request: plan.request().clone(),
        }
    }

    /// Reads the manifest of a folder.
    pub fn read(folder: &Path) -> Result<Manifest, Diagnostic> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Diagnostic::error(format!("`{}` contains no sweep", folder.display())),
            _ => io_error("read", &path, &e),
        })?;
        let damaged = |e: serde_json::Error| Diagnostic::error(format!("`{}` is damaged: {e}", path.display()));
        let version: serde_json::Value = serde_json::from_str(&text).map_err(damaged)?;
        match version["format"].as_u64() {
            Some(found) if found > u64::from(FORMAT) => {
                let message = format!("`{}` has format {found}; this program reads format {FORMAT}", path.display());
                Err(Diagnostic::error(message).help("use a newer version of taut"))
            }
            _ => serde_json::from_str(&text).map_err(damaged),
        }
    }

    pub fn write(&self, folder: &Path) -> Result<(), Diagnostic> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        replace(folder, MANIFEST, format!("{text}\n").as_bytes())
    }
}

/// What happens to a sweep that is in the folder already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// A finished sweep is replaced, an unfinished one is an error.
    ReplaceFinished,
    /// Any sweep is replaced.
    Replace,
    /// It is continued.
    Resume,
}

/// A folder of a sweep, locked for this process.
#[derive(Debug)]
pub struct SweepFolder {
    /// The folder of the sweep, shared by its shards.
    pub(crate) whole: PathBuf,
    /// The folder of this shard; the same without shards.
    pub(crate) own: PathBuf,
    pub(crate) shard: Option<Shard>,
    pub(crate) manifest: Manifest,
    pub(crate) index: Index,
    _lock: FolderLock,
}

impl SweepFolder {
    /// Prepares a folder for a plan.
    ///
    /// # Errors
    /// Another process, files that are not a sweep, or a sweep that must not be replaced or continued.
    pub fn open(
        folder: &Path,
        plan: &Plan,
        shard: Option<Shard>,
        existing: Existing,
    ) -> Result<SweepFolder, Diagnostic> {
        let own = shard.map_or_else(|| folder.to_path_buf(), |s| folder.join(s.folder()));
        let members = plan.design().len();
        if let Some(shard) = shard.filter(|s| s.len(members) == 0) {
            let message = format!("shard {shard} has no members: the sweep has only {members}");
            return Err(Diagnostic::error(message).help("use fewer shards"));
        }
        let occupied = fs::read_dir(&own).is_ok_and(|mut files| files.any(|f| f.is_ok_and(|f| f.file_name() != LOCK)));
        let known = own.join(MANIFEST).exists();
        let shards = shard.is_none() && has_shards(&own);
        if occupied && !known && !shards {
            let message = format!("`{}` already exists and does not contain a sweep", own.display());
            return Err(Diagnostic::error(message).help("choose another folder with -o"));
        }
        fs::create_dir_all(&own).map_err(|e| io_error("create", &own, &e))?;
        let lock = FolderLock::acquire(&own).map_err(|e| Diagnostic::error(e.to_string()))?;
        let fresh = Manifest::of(plan, shard);
        let resumed = match (known, existing) {
            (false, Existing::Resume) => {
                return Err(Diagnostic::error(format!("`{}` contains no sweep", own.display())));
            }
            (false, _) => false,
            (true, Existing::Replace) => false,
            (true, existing) => {
                let found = Manifest::read(&own)?;
                let done = Index::read(&own, found.members)?.done;
                let finished = done == found.shard.map_or(found.members, |s| s.len(found.members));
                if existing == Existing::ReplaceFinished && !finished {
                    let shown = folder.display();
                    let message = format!("`{}` holds an unfinished sweep: {done} members are done", own.display());
                    let help = format!(
                        "continue it with `taut sweep --resume {shown}`, replace it with --force, or choose another folder with -o"
                    );
                    return Err(Diagnostic::error(message).help(help));
                }
                if existing == Existing::Resume && found.fingerprint != fresh.fingerprint {
                    let model = plan.request().model.display();
                    let message =
                        format!("`{}` holds a sweep of another model: {model} has changed since then", own.display());
                    return Err(Diagnostic::error(message).help("start a new sweep in another folder with -o"));
                }
                existing == Existing::Resume
            }
        };
        if !resumed {
            for name in [MANIFEST, JOURNAL, crate::table::CSV, crate::table::PARQUET, crate::table::TIMES] {
                remove(&own.join(name))?;
            }
            if shard.is_none() {
                remove(&own.join("runs"))?;
            }
            fresh.write(&own)?;
        }
        let index = Index::read(&own, members)?;
        Ok(SweepFolder { whole: folder.to_path_buf(), own, shard, manifest: fresh, index, _lock: lock })
    }

    /// The folder of whole runs; all shards share it.
    pub(crate) fn runs(&self) -> PathBuf {
        self.whole.join("runs")
    }

    /// Number of members of this shard, and of those that are done.
    pub fn progress(&self) -> (usize, usize) {
        let members = self.manifest.members;
        (self.shard.map_or(members, |s| s.len(members)), self.index.done)
    }

    /// The folder of this shard.
    pub fn path(&self) -> &Path {
        &self.own
    }
}

/// The folders of shards within a folder.
pub(crate) fn shard_folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let named = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("shard-"));
    let mut found: Vec<PathBuf> =
        files.filter_map(|f| f.ok().map(|f| f.path())).filter(|p| named(p) && p.join(MANIFEST).exists()).collect();
    found.sort();
    found
}

fn has_shards(folder: &Path) -> bool {
    !shard_folders(folder).is_empty()
}

fn remove(path: &Path) -> Result<(), Diagnostic> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(io_error("remove", path, &e)),
        _ => Ok(()),
    }
}

/// Replaces a file at once: a reader sees the old or the new content.
pub(crate) fn replace(folder: &Path, name: &str, content: &[u8]) -> Result<(), Diagnostic> {
    let (draft, path) = (folder.join(format!(".{name}.draft")), folder.join(name));
    fs::write(&draft, content).and_then(|()| fs::rename(&draft, &path)).map_err(|e| io_error("write", &path, &e))
}

/// An error of the file system.
pub(crate) fn io_error(doing: &str, path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot {doing} `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn shards_share_all_members() {
        for (members, of) in [(10, 3), (2, 5), (100, 20), (1, 1)] {
            let shards: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            let counted: Vec<usize> = shards.iter().map(|s| (0..members).filter(|m| s.contains(*m)).count()).collect();
            assert_eq!(counted.iter().sum::<usize>(), members);
            assert_eq!(counted, shards.iter().map(|s| s.len(members)).collect::<Vec<_>>());
        }
        assert_eq!(Shard::parse("3/20"), Ok(Shard { number: 3, of: 20 }));
        for bad in ["0/3", "4/3"] {
            assert!(Shard::parse(bad).unwrap_err().contains("out of range"));
        }
        assert!(Shard::parse("3").unwrap_err().contains("NUMBER/COUNT"));
    }
}
