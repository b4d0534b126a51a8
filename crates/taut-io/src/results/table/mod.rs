//! The table on disk: rows are appended, columns are read back one by one.

mod csv;
mod npz;
#[cfg_attr(not(feature = "parquet"), path = "no_parquet.rs")]
mod parquet;
mod parts;
pub(crate) mod zip;

pub(crate) use csv::{record, split_record};

use self::csv::CsvWriter;
use self::parts::PartsWriter;
use super::error::ResultsError;
use super::files::Durability;
use serde::{Deserialize, Serialize};
use std::path::Path;
use taut::{Column, Table};

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One text file, `table.csv`.
    #[default]
    Csv,
    /// Parts in a folder, `table.parquet/`, which readers of Parquet take as one table.
    Parquet,
    /// Parts in a folder, `table.npz/`, each of them an archive for `numpy.load`.
    Npz,
}

impl Format {
    /// File or folder that holds the table.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "table.csv",
            Format::Parquet => "table.parquet",
            Format::Npz => "table.npz",
        }
    }

    /// All formats.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Parquet, Format::Npz];
}

/// Extent of a table on disk, to which a resumed run truncates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    /// Rows.
    pub rows: usize,
    /// Bytes of a text file; parts are counted in `parts`.
    pub bytes: u64,
    /// Whole parts.
    pub parts: usize,
}

/// Appends rows in one of the formats.
#[derive(Debug)]
pub(crate) enum TableWriter {
    Csv(CsvWriter),
    Parts(PartsWriter),
}

impl TableWriter {
    /// A table with no rows yet.
    pub fn create(folder: &Path, format: Format, columns: &[Column]) -> Result<TableWriter, ResultsError> {
        Ok(match format {
            Format::Csv => TableWriter::Csv(CsvWriter::create(folder, columns)?),
            Format::Parquet | Format::Npz => TableWriter::Parts(PartsWriter::create(folder, format, columns)?),
        })
    }

    /// An existing table, truncated to an extent.
    pub fn reopen(folder: &Path, format: Format, columns: &[Column], to: Extent) -> Result<TableWriter, ResultsError> {
        Ok(match format {
            Format::Csv => TableWriter::Csv(CsvWriter::reopen(folder, to)?),
            Format::Parquet | Format::Npz => TableWriter::Parts(PartsWriter::reopen(folder, format, columns, to)?),
        })
    }

    /// Appends the chosen columns of all rows.
    pub fn append(&mut self, rows: &Table, chosen: &[usize]) -> Result<(), ResultsError> {
        match self {
            TableWriter::Csv(csv) => csv.append(rows, chosen),
            TableWriter::Parts(parts) => parts.append(rows, chosen),
        }
    }

    /// Writes buffered lines of text files; small parts are not written.
    pub fn flush_lines(&mut self) -> Result<(), ResultsError> {
        match self {
            TableWriter::Csv(csv) => csv.flush(),
            TableWriter::Parts(_) => Ok(()),
        }
    }

    /// Writes everything to its files and returns its extent.
    pub fn store(&mut self, how: Durability) -> Result<Extent, ResultsError> {
        match self {
            TableWriter::Csv(csv) => csv.store(how),
            // Parts are never written again, so each is written to disk at once.
            TableWriter::Parts(parts) => parts.seal(),
        }
    }

    /// Files with rows that are on disk, and the number of these rows.
    pub fn stored(&self) -> (Vec<String>, usize) {
        match self {
            TableWriter::Csv(csv) => (vec![Format::Csv.name().to_string()], csv.stored()),
            TableWriter::Parts(parts) => parts.stored(),
        }
    }
}

/// Reads the wanted columns, each given by its place and name; all come back equally long.
pub(crate) fn read(folder: &Path, format: Format, wanted: &[(usize, &str)]) -> Result<Vec<Vec<f64>>, ResultsError> {
    match format {
        Format::Csv => csv::read(&folder.join(format.name()), wanted),
        Format::Parquet | Format::Npz => parts::read(&folder.join(format.name()), format, wanted),
    }
}
