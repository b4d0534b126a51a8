//! Where results go, and what becomes of those that are there.
//!
//! An earlier run that came to its end is replaced with a notice: it can be computed again. One that was interrupted is
//! replaced only by force, like one that a limit stopped: both can be resumed. A folder with anything else in it is left alone.

use crate::ending::{Failure, note};
use crate::options::{Style, TableFormat};
use std::path::{Path, PathBuf};
use taut::Outcome;
use taut_io::model::ModelFile;
use taut_io::results::{Existing, Format, LOCK, Manifest, NewRun, ResultsError, unclaimed};

/// Whether an interrupted run may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It may not.
    Kept,
    /// It may.
    Replaced,
}

impl From<ResultsError> for Failure {
    fn from(e: ResultsError) -> Failure {
        Failure::new(e.to_string())
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

/// Refuses a folder that must not be written to; says if a run in it will be replaced.
///
/// # Errors
/// A folder of something else, a file of that name, an interrupted run, a run that another process writes.
pub fn clear(folder: &Path, unfinished: Unfinished, style: Style) -> Result<(), Failure> {
    let shown = folder.display();
    let found = match Manifest::read(folder) {
        Ok(manifest) => Some(manifest),
        Err(e @ (ResultsError::Later { .. } | ResultsError::Io { .. })) => return Err(e.into()),
        // Something else of that name.
        Err(_) => None,
    };
    if let Some(manifest) = found {
        unclaimed(folder)?;
        if can_go_on(&manifest.outcome) && unfinished == Unfinished::Kept {
            let what = format!("{shown} holds a run that has not come to its end");
            let help = format!(
                "go on with it by `taut run --resume {shown}`, replace it with --force, or choose another folder with -o"
            );
            return Err(Failure::with_help(what, help));
        }
        if style != Style::Silent {
            note(&format!("note: the earlier run in {shown} is replaced"));
        }
        return Ok(());
    }
    let occupied = match std::fs::read_dir(folder) {
        // A lock alone is of a writer that was killed before its first file.
        Ok(mut entries) => entries.any(|e| e.is_ok_and(|e| e.file_name() != LOCK)),
        Err(_) => folder.exists(),
    };
    match occupied {
        true => {
            let help = "choose another folder with -o";
            Err(Failure::with_help(format!("{shown} is there already and holds no run of taut"), help))
        }
        false => Ok(()),
    }
}

/// Whether a run that ended so can be resumed.
pub fn can_go_on(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Underway | Outcome::WallClock { .. } | Outcome::MaxSteps { .. })
}

/// The folder that was asked for, or one named after the model, here.
pub fn choose(asked: Option<PathBuf>, name: &str, ending: &str) -> PathBuf {
    asked.unwrap_or_else(|| PathBuf::from(format!("{name}.{ending}")))
}

/// What the folder of a run of a model tells besides numbers.
///
/// # Errors
/// A model that cannot be written.
pub fn describe(file: &ModelFile, name: &str, format: TableFormat) -> Result<NewRun, Failure> {
    let settings = serde_json::to_value(&file.transient).map_err(|e| Failure::new(format!("settings: {e}")))?;
    Ok(NewRun {
        title: if file.title.is_empty() { name.to_string() } else { file.title.clone() },
        model: file.write()?,
        settings,
        format: format.into(),
        only: file.only.clone(),
        existing: Existing::Replace,
    })
}
