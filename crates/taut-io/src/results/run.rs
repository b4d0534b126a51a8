//! Reads a folder of results, finished or not.

use super::error::ResultsError;
use super::manifest::Manifest;
use super::table::{self, split_record};
use super::{EVENTS, MODEL, files};
use std::path::{Path, PathBuf};
use taut::{Column, EventRecord, Table};

/// A folder of results. Columns are read on demand.
#[derive(Clone, Debug)]
pub struct StoredRun {
    folder: PathBuf,
    manifest: Manifest,
    /// The columns without numbers, for finding them.
    names: Table,
}

impl StoredRun {
    /// Opens a folder.
    ///
    /// # Errors
    /// No results there, or of a later version.
    pub fn open(folder: &Path) -> Result<StoredRun, ResultsError> {
        let manifest = Manifest::read(folder)?;
        let names = manifest.columns.iter().cloned().collect();
        Ok(StoredRun { folder: folder.to_path_buf(), manifest, names })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All columns, without their numbers.
    pub fn columns(&self) -> &[Column] {
        &self.manifest.columns
    }

    /// Name, unit and meaning of a column.
    ///
    /// # Errors
    /// An unknown name, with the most similar existing one.
    pub fn describe(&self, name: &str) -> Result<&Column, ResultsError> {
        self.names.get(name).map_err(|e| ResultsError::UnknownColumn { name: e.name, hint: e.hint })
    }

    /// Reads these columns in this order; of a killed run, the rows that reached the disk.
    ///
    /// # Errors
    /// A name that is not there, or a file that cannot be read.
    pub fn table(&self, names: &[&str]) -> Result<Table, ResultsError> {
        let mut wanted: Vec<(usize, &str)> = Vec::new();
        for name in names {
            let column = self.describe(name)?;
            let at = self.manifest.columns.iter().position(|c| c.name == column.name).unwrap_or(0);
            if !wanted.iter().any(|(i, _)| *i == at) {
                wanted.push((at, name));
            }
        }
        let data = table::read(&self.folder, self.manifest.table.format, &wanted)?;
        let with = |((at, _), data): (&(usize, &str), Vec<f64>)| Column { data, ..self.manifest.columns[*at].clone() };
        Ok(wanted.iter().zip(data).map(with).collect())
    }

    /// The numbers of one column.
    ///
    /// # Errors
    /// As [`table`](StoredRun::table).
    pub fn column(&self, name: &str) -> Result<Vec<f64>, ResultsError> {
        let table = self.table(&[name])?;
        Ok(table.columns().first().map(|c| c.data.clone()).unwrap_or_default())
    }

    /// The events.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn events(&self) -> Result<Vec<EventRecord>, ResultsError> {
        let path = self.folder.join(EVENTS);
        let text = files::text(&path)?;
        let mut events = Vec::new();
        // An incomplete last line comes from a killed writer.
        for line in text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n')) {
            let fields = split_record(line.trim_end()).unwrap_or_default();
            let event = event_record(&fields);
            events.push(event.ok_or_else(|| ResultsError::corrupt(&path, format!("no event in `{line}`")))?);
        }
        Ok(events)
    }

    /// Text of the model.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn model(&self) -> Result<String, ResultsError> {
        files::text(&self.folder.join(MODEL))
    }
}

/// A line of `events.csv`.
fn event_record(fields: &[String]) -> Option<EventRecord> {
    let [t, name, index, what, impulse, lost] = fields else { return None };
    let [t, impulse, lost] = [t, impulse, lost].map(|x| x.parse::<f64>().ok());
    let what = serde_json::from_value(serde_json::Value::String(what.clone())).ok()?;
    Some(EventRecord { name: name.clone(), index: index.parse().ok()?, t: t?, what, impulse: impulse?, lost: lost? })
}
