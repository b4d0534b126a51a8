//! Writes a folder of results while the run goes on.

use super::claim::Claim;
use super::error::ResultsError;
use super::files::{self, Durability};
use super::lines::LineFile;
use super::manifest::{Manifest, Stored, json};
use super::resume::Saved;
use super::table::{Format, TableWriter, record};
use super::{CHECKPOINT, EVENTS, MANIFEST, MODEL, pattern};
use std::fs;
use std::path::{Path, PathBuf};
use taut::analyses::{Checkpoint, Run};
use taut::{Column, Occurrence, Outcome, Solution, Statistics, Table, Verdict, Warning};

/// What becomes of results that are there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// They stay, and the new run is refused.
    #[default]
    Keep,
    /// They are removed.
    Replace,
}

/// What a folder tells about its run besides numbers.
#[derive(Clone, Debug, Default)]
pub struct NewRun {
    /// Title of the model.
    pub title: String,
    /// Text of the model, kept as `model.toml`.
    pub model: String,
    /// Settings of the analysis.
    pub settings: serde_json::Value,
    /// How the table is written.
    pub format: Format,
    /// Patterns of the columns to keep, `*` for anything; none keeps all. The time is always kept.
    pub only: Vec<String>,
    /// What becomes of results that are there already.
    pub existing: Existing,
}

/// A folder of results that is being written. What is on disk can be read at any moment.
#[derive(Debug)]
pub struct RunWriter {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    pub(super) table: TableWriter,
    pub(super) events: EventsFile,
    /// All columns of the rows that come, and which of them are kept.
    pub(super) expected: Vec<String>,
    pub(super) chosen: Vec<usize>,
    /// Rows handed over.
    pub(super) rows: usize,
    /// Nobody else writes here meanwhile; the last to go.
    pub(super) _claim: Claim,
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

    fn append(&mut self, events: &[Occurrence]) -> Result<(), ResultsError> {
        let line = |e: &Occurrence| {
            let mut digits = [zmij::Buffer::new(), zmij::Buffer::new(), zmij::Buffer::new()];
            let [t, impulse, lost] = &mut digits;
            let (t, impulse, lost) = (t.format(e.t), impulse.format(e.impulse), lost.format(e.lost));
            record([t, &e.name, &e.index.to_string(), e.what.word(), impulse, lost].into_iter())
        };
        self.file.append(events.iter().map(line).collect::<String>().as_bytes())?;
        self.count += events.len();
        Ok(())
    }
}

impl RunWriter {
    /// Begins a folder for rows with the columns of `rows` (its rows, if any, are not written). The manifest comes last:
    /// where there is one, everything else is there too.
    ///
    /// # Errors
    /// Another writer, results that are there already and shall be kept, files that are no results, or a refusal of the
    /// file system. Nothing that was there is touched then.
    pub fn create(folder: &Path, run: &NewRun, rows: &Table) -> Result<RunWriter, ResultsError> {
        fs::create_dir_all(folder).map_err(ResultsError::io("create", folder))?;
        let claim = Claim::of(folder)?;
        make_room(folder, run.existing)?;
        let expected: Vec<String> = rows.columns().iter().map(|c| c.name.clone()).collect();
        let chosen = pattern::chosen(&run.only, expected.iter().map(String::as_str));
        let bare = |i: &usize| headless(&rows.columns()[*i]);
        let columns: Vec<Column> = chosen.iter().map(bare).collect();
        let mut manifest = Manifest::begin(&run.title, &run.model, &run.settings, run.format);
        manifest.only.clone_from(&run.only);
        files::replace(folder, MODEL, run.model.as_bytes(), Durability::Process)?;
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
            _claim: claim,
        };
        writer.write_manifest(Durability::Power)?;
        Ok(writer)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest as it stands.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Appends rows. They reach the disk in their own time; [`refresh`](RunWriter::refresh) hurries lines,
    /// [`checkpoint`](RunWriter::checkpoint) and [`finish`](RunWriter::finish) everything.
    ///
    /// # Errors
    /// Rows of other columns, or a refusal of the file system.
    pub fn append(&mut self, rows: &Table) -> Result<(), ResultsError> {
        agree(&self.expected, rows)?;
        self.table.append(rows, &self.chosen)?;
        self.rows += rows.len();
        Ok(())
    }

    /// Appends events.
    ///
    /// # Errors
    /// A refusal of the file system.
    pub fn append_events(&mut self, events: &[Occurrence]) -> Result<(), ResultsError> {
        self.events.append(events)
    }

    /// Takes over all that a run holds.
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

    /// Hands lines to the system and writes the manifest of a run that goes on.
    ///
    /// # Errors
    /// A refusal of the file system.
    pub fn refresh(&mut self, statistics: &Statistics, warnings: &[Warning]) -> Result<(), ResultsError> {
        self.table.settle()?;
        self.note(statistics, warnings);
        self.write_manifest(Durability::Process)
    }

    /// Puts the table on the disk and then the checkpoint, so that one is never ahead of the other.
    ///
    /// # Errors
    /// A state that is not finite, rows that were not handed over, or a refusal of the file system. The checkpoint before
    /// this one is kept then.
    pub fn checkpoint(&mut self, checkpoint: Checkpoint) -> Result<(), ResultsError> {
        let t = checkpoint.state.t;
        let counts = [("rows", checkpoint.rows(), self.rows), ("events", checkpoint.events(), self.events.count)];
        for (what, counted, written) in counts {
            if counted != written {
                return Err(ResultsError::Behind { what, counted, written });
            }
        }
        let saved = Saved::new(checkpoint, self.table.seal()?, &self.events, &self.manifest);
        let path = self.folder.join(CHECKPOINT);
        let text = json(&saved, &path)?;
        // Text has no word for NaN: what does not come back as it was is not written.
        match serde_json::from_str::<Saved>(&text) {
            Ok(read) if read == saved => {}
            _ => return Err(ResultsError::NotFinite { t }),
        }
        files::replace(&self.folder, CHECKPOINT, text.as_bytes(), Durability::Power)
    }

    /// Notes what the audit says of the results up to now; the manifest tells it from its next writing on.
    pub fn judge(&mut self, verdict: Option<Verdict>) {
        self.manifest.verdict = verdict;
    }

    /// Ends the folder with the outcome of the run.
    ///
    /// # Errors
    /// A refusal of the file system.
    pub fn finish(
        mut self,
        outcome: &Outcome,
        statistics: &Statistics,
        warnings: &[Warning],
    ) -> Result<Manifest, ResultsError> {
        self.table.seal()?;
        self.note(statistics, warnings);
        self.manifest.end(outcome);
        self.write_manifest(Durability::Power)?;
        Ok(self.manifest)
    }

    fn note(&mut self, statistics: &Statistics, warnings: &[Warning]) {
        self.manifest.statistics = *statistics;
        self.manifest.warnings = warnings.to_vec();
        let audited = self.manifest.verdict.is_some();
        self.manifest.cause = Warning::deciding(warnings).filter(|_| audited).cloned();
    }

    pub(super) fn write_manifest(&mut self, how: Durability) -> Result<(), ResultsError> {
        let (files, rows) = self.table.stored();
        self.manifest.table = Stored { format: self.manifest.table.format, files, rows };
        self.manifest.events = self.events.count;
        self.manifest.write(&self.folder, how)
    }
}

/// Removes earlier results, and nothing else: only beside a manifest of ours are files of these names results.
fn make_room(folder: &Path, existing: Existing) -> Result<(), ResultsError> {
    let tables = Format::ALL.map(Format::name);
    let names: Vec<&str> = [MANIFEST, CHECKPOINT, EVENTS, MODEL].into_iter().chain(tables).collect();
    if names.iter().any(|name| folder.join(name).exists()) {
        match Manifest::read(folder) {
            Ok(_) if existing == Existing::Keep => {
                return Err(ResultsError::Occupied { folder: folder.to_path_buf() });
            }
            Ok(_) => {}
            Err(ResultsError::Corrupt { .. } | ResultsError::NoResults { .. }) => {
                return Err(ResultsError::Foreign { folder: folder.to_path_buf() });
            }
            Err(e) => return Err(e),
        }
    }
    names.iter().try_for_each(|name| files::remove(&folder.join(name)))
}

/// Writes a solution that is there as a whole.
///
/// # Errors
/// As [`RunWriter::create`].
pub fn write_solution(folder: &Path, run: &NewRun, solution: &Solution) -> Result<Manifest, ResultsError> {
    let mut writer = RunWriter::create(folder, run, &solution.table)?;
    writer.append(&solution.table)?;
    writer.append_events(&solution.events)?;
    writer.judge(solution.verdict);
    writer.finish(&solution.outcome, &solution.statistics, &solution.warnings)
}

/// A column without its numbers.
fn headless(column: &Column) -> Column {
    Column { name: column.name.clone(), unit: column.unit.clone(), meaning: column.meaning.clone(), data: Vec::new() }
}

/// Refuses rows whose columns are not those expected.
pub(super) fn agree(expected: &[String], rows: &Table) -> Result<(), ResultsError> {
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
