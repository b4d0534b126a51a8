//! The manifest: model, settings, versions and outcome of a run, and its columns.

use super::error::ResultsError;
use super::files::{self, Durability};
use super::table::Format;
use super::{CHECKPOINT, EVENTS, MANIFEST, MODEL, timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;
use taut::{Column, Outcome, Statistics, Verdict, Warning};

/// The format this version writes.
pub(crate) const FORMAT: u32 = 1;

/// Versions of the programs that made the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Of the engine and its files, which are released together.
    pub taut: String,
}

/// Where the numbers are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// How they are written.
    pub format: Format,
    /// Files, in the order of their rows; a run that was killed may have written more since.
    pub files: Vec<String>,
    /// Rows in these files.
    pub rows: usize,
}

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format of the folder.
    pub format: u32,
    /// Title of the model.
    pub title: String,
    /// How the run ended; `underway` during the run, and also after it was killed.
    pub outcome: Outcome,
    /// Wall-clock start, UTC.
    pub started: String,
    /// When this manifest was written.
    pub updated: String,
    /// Wall-clock end, if the run has ended.
    pub ended: Option<String>,
    /// How often the run was resumed from a checkpoint.
    pub resumed: u32,
    /// SHA-256 of `model.toml`, in hexadecimal.
    pub model_sha256: String,
    /// What made it.
    pub versions: Versions,
    /// Settings of the analysis.
    pub settings: serde_json::Value,
    /// Length of the steps of a run by time stepping, s; none for all other methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// What it took.
    pub statistics: Statistics,
    /// Number of events in `events.csv`.
    pub events: usize,
    /// Verdict of the audit; none for results that are not audited.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The warning that decided it, unless it is `sound`.
    #[serde(default)]
    pub cause: Option<Warning>,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
    /// Where the numbers are.
    pub table: Stored,
    /// The other files.
    pub files: Vec<String>,
    /// Patterns by which the columns were chosen; none for all.
    pub only: Vec<String>,
    /// The columns, in their order.
    pub columns: Vec<Column>,
}

impl Manifest {
    /// The manifest of a run that begins now.
    pub(crate) fn begin(title: &str, model: &str, settings: &serde_json::Value, format: Format) -> Manifest {
        Manifest {
            format: FORMAT,
            title: title.to_string(),
            outcome: Outcome::Underway,
            started: timestamp::now(),
            updated: timestamp::now(),
            ended: None,
            resumed: 0,
            model_sha256: fingerprint(model),
            versions: Versions { taut: env!("CARGO_PKG_VERSION").to_string() },
            settings: settings.clone(),
            time_step: None,
            statistics: Statistics::default(),
            events: 0,
            verdict: None,
            cause: None,
            warnings: Vec::new(),
            table: Stored { format, files: Vec::new(), rows: 0 },
            files: [MODEL, EVENTS, CHECKPOINT].map(str::to_string).to_vec(),
            only: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// No manifest, one of a later version, or a file that is no manifest.
    pub fn read(folder: &Path) -> Result<Manifest, ResultsError> {
        let path = folder.join(MANIFEST);
        if !folder.exists() {
            return Err(ResultsError::Missing { folder: folder.to_path_buf() });
        }
        if !path.exists() {
            return Err(ResultsError::NoResults { folder: folder.to_path_buf() });
        }
        let text = files::text(&path)?;
        let found = version(&text, &path)?;
        if found > FORMAT {
            return Err(ResultsError::NewerFormat { path, found, known: FORMAT });
        }
        parse(&text, &path)
    }

    /// Writes it atomically.
    pub(crate) fn write(&mut self, folder: &Path, how: Durability) -> Result<(), ResultsError> {
        self.updated = timestamp::now();
        let text = json(self, &folder.join(MANIFEST))?;
        files::replace(folder, MANIFEST, text.as_bytes(), how)
    }

    /// Records the end.
    pub(crate) fn end(&mut self, outcome: &Outcome) {
        self.outcome = outcome.clone();
        self.ended = Some(timestamp::now());
    }
}

/// SHA-256 of a model, the same that `sha256sum model.toml` prints.
pub fn fingerprint(model: &str) -> String {
    Sha256::digest(model.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The format of a file: the one field that every version has.
pub(crate) fn version(text: &str, path: &Path) -> Result<u32, ResultsError> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    parse::<Version>(text, path).map(|version| version.format)
}

/// Something read from JSON, with the file in the message.
pub(crate) fn parse<T: for<'de> Deserialize<'de>>(text: &str, path: &Path) -> Result<T, ResultsError> {
    serde_json::from_str(text).map_err(|e| ResultsError::corrupt(path, e))
}

/// Pretty-printed JSON with a final newline.
pub(crate) fn json(of: &impl Serialize, path: &Path) -> Result<String, ResultsError> {
    let mut text = serde_json::to_string_pretty(of).map_err(|e| ResultsError::corrupt(path, e))?;
    text.push('\n');
    Ok(text)
}
