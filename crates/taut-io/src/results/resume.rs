//! Resumes an interrupted run from its last checkpoint; the results are those of an uninterrupted run.

use super::claim::Claim;
use super::error::ResultsError;
use super::files::{self, Durability};
use super::manifest::{Manifest, fingerprint, parse};
use super::table::{Extent, TableWriter};
use super::writer::{EventsFile, RunWriter, agree};
use super::{CHECKPOINT, MODEL, pattern};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use taut::analyses::Checkpoint;
use taut::stepping;
use taut::{Outcome, Table};

/// `checkpoint.json`: the state of the run, and the extent of its files at that time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Saved {
    format: u32,
    model_sha256: String,
    table: Extent,
    events: usize,
    event_bytes: u64,
    #[serde(flatten)]
    run: Standpoint,
}

/// The checkpoint of a run, event-driven or time-stepping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Standpoint {
    /// Event-driven.
    #[serde(rename = "run")]
    Events(Box<Checkpoint>),
    /// Time stepping.
    #[serde(rename = "time_stepping")]
    TimeStepping(Box<stepping::Checkpoint>),
}

impl From<Checkpoint> for Standpoint {
    fn from(at: Checkpoint) -> Standpoint {
        Standpoint::Events(Box::new(at))
    }
}

impl From<stepping::Checkpoint> for Standpoint {
    fn from(at: stepping::Checkpoint) -> Standpoint {
        Standpoint::TimeStepping(Box::new(at))
    }
}

impl Standpoint {
    /// The checkpoint of a simulation, if it is one.
    pub fn of_simulation(&self) -> Option<&Checkpoint> {
        match self {
            Standpoint::Events(at) => Some(at),
            Standpoint::TimeStepping(_) => None,
        }
    }

    /// The time.
    pub fn t(&self) -> f64 {
        match self {
            Standpoint::Events(at) => at.state.t,
            Standpoint::TimeStepping(at) => at.state().t,
        }
    }

    /// Rows recorded since the start of the run.
    pub fn rows(&self) -> usize {
        match self {
            Standpoint::Events(at) => at.rows(),
            Standpoint::TimeStepping(at) => at.rows(),
        }
    }

    /// Events since the start of the run.
    pub fn events(&self) -> usize {
        match self {
            Standpoint::Events(at) => at.events(),
            Standpoint::TimeStepping(at) => at.events(),
        }
    }
}

impl Saved {
    pub fn new(run: Standpoint, table: Extent, events: &EventsFile, manifest: &Manifest) -> Saved {
        Saved {
            format: manifest.format,
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
    /// The checkpoint, to which a simulation of the same model and settings is restored.
    pub checkpoint: Standpoint,
    folder: PathBuf,
    saved: Saved,
    claim: Claim,
}

/// Opens an interrupted run for resuming.
///
/// # Errors
/// No results, another writer, no checkpoint, invalid files, or a model that has changed since.
pub fn resume(folder: &Path) -> Result<Resumption, ResultsError> {
    // Read once before the lock, which creates a file, to make sure that the folder has results; and again after it, because
    // the previous writer may have written until then.
    Manifest::read(folder)?;
    let claim = Claim::of(folder)?;
    let manifest = Manifest::read(folder)?;
    let path = folder.join(CHECKPOINT);
    if !path.exists() {
        return Err(ResultsError::NoCheckpoint { folder: folder.to_path_buf() });
    }
    let saved: Saved = parse(&files::text(&path)?, &path)?;
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
        let chosen = pattern::chosen(&manifest.only, expected.iter().map(String::as_str));
        let kept: Vec<String> = manifest.columns.iter().map(|c| c.name.clone()).collect();
        agree(&kept, &chosen.iter().map(|&i| rows.columns()[i].clone()).collect())?;
        let table = TableWriter::reopen(&folder, manifest.table.format, &manifest.columns, saved.table)?;
        let events = EventsFile::reopen(&folder, saved.events, saved.event_bytes)?;
        manifest.outcome = Outcome::Underway;
        manifest.ended = None;
        manifest.resumed += 1;
        let mut writer =
            RunWriter { folder, manifest, table, events, expected, chosen, rows: saved.table.rows, _claim: claim };
        writer.write_manifest(Durability::Power)?;
        Ok(writer)
    }
}
