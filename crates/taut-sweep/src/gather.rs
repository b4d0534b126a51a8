//! Joins the shards of a sweep into one folder.

use crate::execute::Progress;
use crate::folder::{MANIFEST, Manifest, io_error, shard_folders};
use crate::journal::{Index, JOURNAL, JournalReader, JournalWriter};
use crate::table;
use std::fs;
use std::path::{Path, PathBuf};
use taut_io::diagnostic::Diagnostic;
use taut_io::results::FolderLock;

/// Members that are copied at once.
const ROWS_AT_ONCE: usize = 4096;
/// Missing shards that a message names.
const MAX_NAMED: usize = 10;

/// Joins shards into `folder`: those within it, or in `others`. The table is the same as that of the undivided sweep.
///
/// # Errors
/// No shards, shards of different sweeps, or missing members unless `partial`.
pub fn gather(folder: &Path, others: &[PathBuf], partial: bool) -> Result<Progress, Diagnostic> {
    let shards: Vec<PathBuf> = match others {
        [] => shard_folders(folder),
        others => others
            .iter()
            .flat_map(|o| if o.join(MANIFEST).exists() { vec![o.clone()] } else { shard_folders(o) })
            .collect(),
    };
    if shards.is_empty() {
        let message = format!("there are no shards in `{}`", folder.display());
        return Err(Diagnostic::error(message).help("run them with `taut sweep … --shard 1/4 -o FOLDER`"));
    }
    let mut found = Vec::with_capacity(shards.len());
    for path in &shards {
        let manifest = Manifest::read(path)?;
        let index = Index::read(path, manifest.members)?;
        found.push((manifest, index));
    }
    let manifest = Manifest { shard: None, ..found[0].0.clone() };
    for ((other, _), path) in found.iter().zip(&shards) {
        if other.fingerprint != manifest.fingerprint {
            let message = format!("`{}` and `{}` are shards of different sweeps", shards[0].display(), path.display());
            return Err(Diagnostic::error(message).help("gather shards of one model with the same options"));
        }
    }
    let source = |member: usize| found.iter().position(|(_, index)| index.offsets[member].is_some());
    let missing: Vec<usize> = (0..manifest.members).filter(|m| source(*m).is_none()).collect();
    if !missing.is_empty() && !partial {
        return Err(missing_members(&manifest, &found, &missing));
    }
    fs::create_dir_all(folder).map_err(|e| io_error("create", folder, &e))?;
    let _lock = FolderLock::acquire(folder).map_err(|e| Diagnostic::error(e.to_string()))?;
    let mut readers = shards.iter().map(|s| JournalReader::open(s)).collect::<Result<Vec<_>, _>>()?;
    let mut writer = JournalWriter::open(folder, 0)?;
    let (mut rows, mut progress) = (Vec::new(), Progress { total: manifest.members, done: 0, failed: 0 });
    for member in 0..manifest.members {
        let Some(k) = source(member) else { continue };
        let Some(offset) = found[k].1.offsets[member] else { continue };
        let row = readers[k].row(offset)?;
        progress.done += 1;
        progress.failed += usize::from(row.status != crate::member::Status::Finished);
        rows.push(row);
        if rows.len() >= ROWS_AT_ONCE {
            writer.append(&rows)?;
            rows.clear();
        }
    }
    writer.append(&rows)?;
    writer.sync()?;
    manifest.write(folder)?;
    collect_runs(folder, &shards)?;
    table::write(folder, &manifest)?;
    debug_assert!(folder.join(JOURNAL).exists());
    Ok(progress)
}

fn missing_members(manifest: &Manifest, found: &[(Manifest, Index)], missing: &[usize]) -> Diagnostic {
    let of = found[0].0.shard.map_or(1, |s| s.of);
    let absent: Vec<usize> =
        (1..=of).filter(|n| !found.iter().any(|(m, _)| m.shard.is_some_and(|s| s.number == *n))).collect();
    let names = |list: &[usize]| {
        let mut text = list.iter().take(MAX_NAMED).map(usize::to_string).collect::<Vec<_>>().join(", ");
        if list.len() > MAX_NAMED {
            text.push_str(" …");
        }
        text
    };
    let shards =
        if absent.is_empty() { String::new() } else { format!("; shards {} of {of} are missing", names(&absent)) };
    let message = format!("{} of {} members are missing{shards}", missing.len(), manifest.members);
    Diagnostic::error(message).help("run or resume the missing shards, or gather what there is with --partial")
}

/// Moves whole runs of shards in other folders here.
fn collect_runs(folder: &Path, shards: &[PathBuf]) -> Result<(), Diagnostic> {
    let own = folder.join("runs");
    for shard in shards {
        // A shard keeps its runs in the folder around it.
        let Some(runs) = shard.parent().map(|p| p.join("runs")).filter(|r| r.is_dir() && *r != own) else { continue };
        fs::create_dir_all(&own).map_err(|e| io_error("create", &own, &e))?;
        for run in fs::read_dir(&runs).map_err(|e| io_error("read", &runs, &e))?.flatten() {
            let target = own.join(run.file_name());
            if !target.exists() {
                fs::rename(run.path(), &target).map_err(|e| io_error("move", &run.path(), &e))?;
            }
        }
    }
    Ok(())
}
