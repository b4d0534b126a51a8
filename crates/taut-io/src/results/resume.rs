//! Resumes an interrupted run from its last checkpoint; the results are those of an uninterrupted run.

use super::error::ResultsError;
use super::files::{self, Durability};
use super::lock::FolderLock;
use super::manifest::{Manifest, fingerprint, parse, version};
use super::table::{Extent, TableWriter};
use super::writer::{EventsFile, RunWriter, check_columns};
use super::{CHECKPOINT, MODEL, pattern};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;
use taut::analyses::Checkpoint;
use taut::{Outcome, Table};

/// Format of `checkpoint.json`. 1: two kinds of checkpoint, before both methods of a run had a common one.
const CHECKPOINT_FORMAT: u32 = 2;

/// `checkpoint.json`: the state of the run, and the extent of its files at that time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CheckpointFile {
    format: u32,
    model_sha256: String,
    table: Extent,
    events: usize,
    event_bytes: u64,
    run: Checkpoint,
}

impl CheckpointFile {
    pub fn new(run: Checkpoint, table: Extent, events: &EventsFile, manifest: &Manifest) -> CheckpointFile {
        CheckpointFile {
            format: CHECKPOINT_FORMAT,
            model_sha256: manifest.model_sha256.clone(),
            table,
            events: events.count,
            event_bytes: events.bytes(),
            run,
        }
    }
}

/// A run that can be resumed, with its folder locked. Nothing on disk changes before [`writer`](Resumption::writer).
#[derive(Debug)]
pub struct Resumption {
    /// The manifest of the interrupted run.
    pub manifest: Manifest,
    /// Text of the model.
    pub model: String,
    /// The checkpoint, to which a run of the same model, method and settings is restored.
    pub checkpoint: Checkpoint,
    folder: PathBuf,
    saved: CheckpointFile,
    claim: FolderLock,
}

/// Opens an interrupted run for resuming.
///
/// # Errors
/// No results, another writer, no checkpoint or one of another version, invalid files, or a model that has changed since.
pub fn resume(folder: &Path) -> Result<Resumption, ResultsError> {
    // Read once before the lock, which creates a file, to make sure that the folder has results; and again after it, because
    // the previous writer may have written until then.
    Manifest::read(folder)?;
    let claim = FolderLock::acquire(folder)?;
    let manifest = Manifest::read(folder)?;
    let path = folder.join(CHECKPOINT);
    if !path.exists() {
        return Err(ResultsError::NoCheckpoint { folder: folder.to_path_buf() });
    }
    let text = files::text(&path)?;
    let found = version(&text, &path)?;
    if found != CHECKPOINT_FORMAT {
        return Err(ResultsError::CheckpointFormat { path, found, known: CHECKPOINT_FORMAT });
    }
    let saved: CheckpointFile = parse(&text, &path)?;
    let model_path = folder.join(MODEL);
    let model = files::text(&model_path)?;
    for (at, sum) in [(&model_path, fingerprint(&model)), (&path, saved.model_sha256.clone())] {
        if sum != manifest.model_sha256 {
            return Err(ResultsError::corrupt(at, "it does not belong to the model that was run"));
        }
    }
    Ok(Resumption { manifest, model, checkpoint: saved.run.clone(), folder: folder.to_path_buf(), saved, claim })
}

impl Resumption {
    /// Truncates table and events to the checkpoint and continues writing. `rows` has the columns of the simulation, as at
    /// the creation of the folder.
    ///
    /// # Errors
    /// Other columns than before, files shorter than at the checkpoint, or an error of the file system.
    pub fn writer(self, rows: &Table) -> Result<RunWriter, ResultsError> {
        let Resumption { mut manifest, folder, saved, claim, .. } = self;
        let expected: Vec<String> = rows.columns().iter().map(|c| c.name.clone()).collect();
        let chosen = pattern::matching_columns(&manifest.only, expected.iter().map(String::as_str));
        let kept: Vec<String> = manifest.columns.iter().map(|c| c.name.clone()).collect();
        check_columns(&kept, &chosen.iter().map(|&i| rows.columns()[i].clone()).collect())?;
        let table = TableWriter::reopen(&folder, manifest.table.format, &manifest.columns, saved.table)?;
        let events = EventsFile::reopen(&folder, saved.events, saved.event_bytes)?;
        manifest.outcome = Outcome::Underway;
        manifest.ended = None;
        manifest.resumed += 1;
        let mut writer = RunWriter {
            folder,
            manifest,
            table,
            events,
            expected,
            chosen,
            rows: saved.table.rows,
            begun: Instant::now(),
            _claim: claim,
        };
        writer.write_manifest(Durability::SurvivesPowerLoss)?;
        Ok(writer)
    }
}
