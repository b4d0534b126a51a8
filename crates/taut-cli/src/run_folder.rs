//! The folder of results, and when an existing one may be replaced.
//!
//! A finished run is replaced with a notice, because it can be computed again. A run that was interrupted or stopped by a
//! limit can be resumed, so it is replaced only with --force. A folder with any other content is never touched.

use crate::exit::{CliError, print_stderr};
use crate::options::{OutputStyle, TableFormat};
use std::path::{Path, PathBuf};
use taut::Outcome;
use taut_io::model::ModelFile;
use taut_io::results::{ExistingResults, Format, LOCK, Manifest, NewRun, ResultsError, check_not_locked};

/// Whether a run that can still be resumed may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfinishedRun {
    /// Report an error instead.
    Keep,
    /// Replace it.
    Replace,
}

impl From<bool> for UnfinishedRun {
    /// From the flag --force.
    fn from(force: bool) -> UnfinishedRun {
        if force { UnfinishedRun::Replace } else { UnfinishedRun::Keep }
    }
}

impl From<ResultsError> for CliError {
    fn from(e: ResultsError) -> CliError {
        CliError::new(e.to_string())
    }
}

impl From<TableFormat> for Format {
    fn from(format: TableFormat) -> Format {
        match format {
            TableFormat::Csv => Format::Csv,
            TableFormat::Parquet => Format::Parquet,
            TableFormat::Npz => Format::Npz,
        }
    }
}

/// Checks that results may be written to a folder; prints a notice if an earlier run will be replaced.
///
/// # Errors
/// The folder has other content, is a file, holds a resumable run, or another process is writing to it.
pub fn check_replaceable(folder: &Path, unfinished: UnfinishedRun, style: OutputStyle) -> Result<(), CliError> {
    let shown = folder.display();
    let found = match Manifest::read(folder) {
        Ok(manifest) => Some(manifest),
        Err(e @ (ResultsError::NewerFormat { .. } | ResultsError::Io { .. })) => return Err(e.into()),
        // No run: the content is checked below.
        Err(_) => None,
    };
    if let Some(manifest) = found {
        check_not_locked(folder)?;
        if is_resumable(&manifest.outcome) && unfinished == UnfinishedRun::Keep {
            let what = format!("{shown} holds an unfinished run");
            let help = format!(
                "resume it with `taut run --resume {shown}`, replace it with --force, or choose another folder with -o"
            );
            return Err(CliError::with_help(what, help));
        }
        if style != OutputStyle::Silent {
            print_stderr(&format!("note: the earlier run in {shown} will be replaced"));
        }
        return Ok(());
    }
    let occupied = match std::fs::read_dir(folder) {
        // A lock file alone was left by a process that was killed before it wrote anything.
        Ok(mut entries) => entries.any(|e| e.is_ok_and(|e| e.file_name() != LOCK)),
        Err(_) => folder.exists(),
    };
    match occupied {
        true => {
            let help = "choose another folder with -o";
            Err(CliError::with_help(format!("{shown} already exists and does not contain a run of taut"), help))
        }
        false => Ok(()),
    }
}

/// Whether a run with this outcome can be resumed.
pub fn is_resumable(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Underway | Outcome::WallClock { .. } | Outcome::MaxSteps { .. })
}

/// The requested folder, or by default `NAME.ENDING` in the current directory.
pub fn output_folder(given: Option<PathBuf>, name: &str, ending: &str) -> PathBuf {
    given.unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")))
}

/// The metadata of a new run: title, model, settings, table format.
///
/// # Errors
/// The model cannot be written as text.
pub fn new_run(file: &ModelFile, name: &str, format: TableFormat) -> Result<NewRun, CliError> {
    let settings = serde_json::to_value(&file.transient).map_err(|e| CliError::new(format!("settings: {e}")))?;
    Ok(NewRun {
        title: if file.title.is_empty() { name.to_string() } else { file.title.clone() },
        model: file.write()?,
        settings,
        time_step: None,
        format: format.into(),
        only: file.column_patterns.clone(),
        existing: ExistingResults::Replace,
    })
}
