//! Writes a folder of results during a run.

use super::error::ResultsError;
use super::files::{self, Durability};
use super::line_file::LineFile;
use super::lock::FolderLock;
use super::manifest::{Manifest, Stored, json};
use super::resume::CheckpointFile;
use super::table::{Format, TableWriter, record};
use super::{CHECKPOINT, EVENTS, MANIFEST, MODEL, pattern};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taut::analyses::{Checkpoint, Run};
use taut::{Column, EventRecord, Outcome, Solution, Statistics, Table, Verdict, Warning};

/// Results of shorter runs need not survive a power failure: the run can be repeated. Waiting for the disk would take longer than
/// such a run.
const LONG_RUN: Duration = Duration::from_secs(1);

/// What happens to existing results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExistingResults {
    /// They are kept, and the new run is an error.
    #[default]
    Keep,
    /// They are removed.
    Replace,
}

/// Metadata of a new run.
#[derive(Clone, Debug, Default)]
pub struct NewRun {
    /// Title of the model.
    pub title: String,
    /// Text of the model, kept as `model.toml`.
    pub model: String,
    /// Settings of the analysis.
    pub settings: serde_json::Value,
    /// Length of the steps of a run by time stepping, s; none for all other methods.
    pub time_step: Option<f64>,
    /// How the table is written.
    pub format: Format,
    /// Patterns of the columns to keep, `*` for anything; none keeps all. The time is always kept.
    pub only: Vec<String>,
    /// What happens to existing results.
    pub existing: ExistingResults,
}

/// A folder of results that is being written. It can be read at any time.
#[derive(Debug)]
pub struct RunWriter {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    pub(super) table: TableWriter,
    pub(super) events: EventsFile,
    /// All columns of the appended rows, and the indices of those that are kept.
    pub(super) expected: Vec<String>,
    pub(super) chosen: Vec<usize>,
    /// Appended rows.
    pub(super) rows: usize,
    pub(super) begun: Instant,
    /// Excludes other writers; dropped last.
    pub(super) _claim: FolderLock,
}

/// `events.csv`.
#[derive(Debug)]
pub(super) struct EventsFile {
    file: LineFile,
    pub count: usize,
}

impl EventsFile {
    fn create(folder: &Path) -> Result<EventsFile, ResultsError> {
        let header = record(["t", "name", "index", "what", "impulse", "lost"].into_iter());
        Ok(EventsFile { file: LineFile::create(folder, EVENTS, &header)?, count: 0 })
    }

    pub fn reopen(folder: &Path, count: usize, bytes: u64) -> Result<EventsFile, ResultsError> {
        Ok(EventsFile { file: LineFile::reopen(folder, EVENTS, bytes)?, count })
    }

    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    fn append(&mut self, events: &[EventRecord]) -> Result<(), ResultsError> {
        let line = |e: &EventRecord| {
            let mut digits = [zmij::Buffer::new(), zmij::Buffer::new(), zmij::Buffer::new()];
            let [t, impulse, lost] = &mut digits;
            let (t, impulse, lost) = (t.format(e.t), impulse.format(e.impulse), lost.format(e.lost));
            record([t, &e.name, &e.index.to_string(), e.what.label(), impulse, lost].into_iter())
        };
        self.file.append(events.iter().map(line).collect::<String>().as_bytes())?;
        self.count += events.len();
        Ok(())
    }
}

impl RunWriter {
    /// Creates a folder for rows with the columns of `rows` (its rows, if any, are not written). The manifest is written
    /// last: if it exists, everything else exists too.
    ///
    /// # Errors
    /// Another writer, existing results that are to be kept, files that are not results, or an error of the file system. Then
    /// nothing is changed.
    pub fn create(folder: &Path, run: &NewRun, rows: &Table) -> Result<RunWriter, ResultsError> {
        fs::create_dir_all(folder).map_err(ResultsError::io("create", folder))?;
        let claim = FolderLock::acquire(folder)?;
        prepare_folder(folder, run.existing)?;
        let expected: Vec<String> = rows.columns().iter().map(|c| c.name.clone()).collect();
        let chosen = pattern::matching_columns(&run.only, expected.iter().map(String::as_str));
        let bare = |i: &usize| without_data(&rows.columns()[*i]);
        let columns: Vec<Column> = chosen.iter().map(bare).collect();
        let mut manifest = Manifest::begin(&run.title, &run.model, &run.settings, run.format);
        manifest.time_step = run.time_step;
        manifest.only.clone_from(&run.only);
        files::replace(folder, MODEL, run.model.as_bytes(), Durability::SurvivesProcess)?;
        let events = EventsFile::create(folder)?;
        let table = TableWriter::create(folder, run.format, &columns)?;
        manifest.columns = columns;
        let mut writer = RunWriter {
            folder: folder.to_path_buf(),
            manifest,
            table,
            events,
            expected,
            chosen,
            rows: 0,
            begun: Instant::now(),
            _claim: claim,
        };
        writer.write_manifest(Durability::SurvivesProcess)?;
        Ok(writer)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The current manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Appends rows to a buffer. [`refresh`](RunWriter::refresh) writes the lines of text files,
    /// [`checkpoint`](RunWriter::checkpoint) and [`finish`](RunWriter::finish) write everything.
    ///
    /// # Errors
    /// Rows with other columns, or an error of the file system.
    pub fn append(&mut self, rows: &Table) -> Result<(), ResultsError> {
        check_columns(&self.expected, rows)?;
        self.table.append(rows, &self.chosen)?;
        self.rows += rows.len();
        Ok(())
    }

    /// Appends events.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn append_events(&mut self, events: &[EventRecord]) -> Result<(), ResultsError> {
        self.events.append(events)
    }

    /// Appends all rows and events of a run.
    ///
    /// # Errors
    /// As [`append`](RunWriter::append).
    pub fn take(&mut self, run: &mut dyn Run) -> Result<(), ResultsError> {
        if !run.table().is_empty() {
            self.append(&run.take_rows())?;
        }
        if !run.events().is_empty() {
            self.append_events(&run.take_events())?;
        }
        Ok(())
    }

    /// Writes buffered lines and the manifest during a run.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn refresh(&mut self, statistics: &Statistics, warnings: &[Warning]) -> Result<(), ResultsError> {
        self.table.flush_lines()?;
        self.update_manifest(statistics, warnings);
        self.write_manifest(Durability::SurvivesProcess)
    }

    /// Writes the table and then the checkpoint, so that the checkpoint never refers to missing rows.
    ///
    /// # Errors
    /// A state that is not finite, rows that were not appended, or an error of the file system. The previous checkpoint is
    /// then kept.
    pub fn checkpoint(&mut self, checkpoint: Checkpoint) -> Result<(), ResultsError> {
        let t = checkpoint.state.t;
        let counts = [("rows", checkpoint.rows(), self.rows), ("events", checkpoint.events(), self.events.count)];
        for (what, counted, written) in counts {
            if counted != written {
                return Err(ResultsError::RowsMissing { what, counted, written });
            }
        }
        let saved = CheckpointFile::new(checkpoint, self.table.store(self.durability())?, &self.events, &self.manifest);
        let path = self.folder.join(CHECKPOINT);
        let text = json(&saved, &path)?;
        // JSON has no NaN: a checkpoint that does not read back equal is not written.
        match serde_json::from_str::<CheckpointFile>(&text) {
            Ok(read) if read == saved => {}
            _ => return Err(ResultsError::NotFinite { t }),
        }
        files::replace(&self.folder, CHECKPOINT, text.as_bytes(), self.durability())
    }

    /// Sets the verdict of the audit so far; it is written with the next manifest.
    pub fn set_verdict(&mut self, verdict: Option<Verdict>) {
        self.manifest.verdict = verdict;
    }

    /// Completes the folder with the outcome of the run.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn finish(
        mut self,
        outcome: &Outcome,
        statistics: &Statistics,
        warnings: &[Warning],
    ) -> Result<Manifest, ResultsError> {
        self.table.store(self.durability())?;
        self.update_manifest(statistics, warnings);
        self.manifest.end(outcome);
        self.write_manifest(self.durability())?;
        Ok(self.manifest)
    }

    /// What the files must survive so far. A run that is resumed was worth keeping.
    fn durability(&self) -> Durability {
        match self.manifest.resumed > 0 || self.begun.elapsed() > LONG_RUN {
            true => Durability::SurvivesPowerLoss,
            false => Durability::SurvivesProcess,
        }
    }

    fn update_manifest(&mut self, statistics: &Statistics, warnings: &[Warning]) {
        self.manifest.statistics = *statistics;
        self.manifest.warnings = warnings.to_vec();
        let audited = self.manifest.verdict.is_some();
        self.manifest.cause = Warning::decisive(warnings).filter(|_| audited).cloned();
    }

    pub(super) fn write_manifest(&mut self, how: Durability) -> Result<(), ResultsError> {
        let (files, rows) = self.table.stored();
        self.manifest.table = Stored { format: self.manifest.table.format, files, rows };
        self.manifest.events = self.events.count;
        self.manifest.write(&self.folder, how)
    }
}

/// Removes earlier results and nothing else: files of these names are results only if there is a valid manifest.
fn prepare_folder(folder: &Path, existing: ExistingResults) -> Result<(), ResultsError> {
    let tables = Format::ALL.map(Format::name);
    let names: Vec<&str> = [MANIFEST, CHECKPOINT, EVENTS, MODEL].into_iter().chain(tables).collect();
    if names.iter().any(|name| folder.join(name).exists()) {
        match Manifest::read(folder) {
            Ok(_) if existing == ExistingResults::Keep => {
                return Err(ResultsError::AlreadyExists { folder: folder.to_path_buf() });
            }
            Ok(_) => {}
            Err(ResultsError::Corrupt { .. } | ResultsError::Missing { .. } | ResultsError::NoResults { .. }) => {
                return Err(ResultsError::ForeignFiles { folder: folder.to_path_buf() });
            }
            Err(e) => return Err(e),
        }
    }
    names.iter().try_for_each(|name| files::remove(&folder.join(name)))
}

/// Writes a complete solution.
///
/// # Errors
/// As [`RunWriter::create`].
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
/// use taut_io::results::{NewRun, StoredRun, write_solution};
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, 0.0, -9.81]).body("stone", PointMass::new(1.0, [0.0; 3]));
/// let model = spec.build()?;
/// let fall = simulate(&model, &model.initial_state(), &Transient::to(1.0).every(0.1))?;
///
/// let folder = std::env::temp_dir().join(format!("taut-example-{}.run", std::process::id()));
/// write_solution(&folder, &NewRun { title: "Fall".to_string(), ..NewRun::default() }, &fall)?;
/// assert_eq!(StoredRun::open(&folder)?.column("stone.z")?, fall.column("stone.z")?); // the same bits
/// std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_solution(folder: &Path, run: &NewRun, solution: &Solution) -> Result<Manifest, ResultsError> {
    let mut writer = RunWriter::create(folder, run, &solution.table)?;
    writer.append(&solution.table)?;
    writer.append_events(&solution.events)?;
    writer.set_verdict(solution.verdict);
    writer.finish(&solution.outcome, &solution.statistics, &solution.warnings)
}

/// A column without its numbers.
fn without_data(column: &Column) -> Column {
    Column { name: column.name.clone(), unit: column.unit.clone(), meaning: column.meaning.clone(), data: Vec::new() }
}

/// Checks that rows have the expected columns.
pub(super) fn check_columns(expected: &[String], rows: &Table) -> Result<(), ResultsError> {
    let found = rows.columns();
    let what = match expected.iter().zip(found).find(|(name, c)| **name != c.name) {
        Some((name, c)) => format!("column `{}` is where `{name}` was announced", c.name),
        None if expected.len() != found.len() => {
            format!("they have {} columns, {} were announced", found.len(), expected.len())
        }
        None => return Ok(()),
    };
    Err(ResultsError::OtherColumns { what })
}
