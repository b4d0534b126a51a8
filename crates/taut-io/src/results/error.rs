//! Errors of results on disk.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why results could not be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// An error of the file system.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// `write`, `read`, `create` …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder already contains results.
    #[error("`{}` already contains results; choose another folder, or allow them to be replaced", folder.display())]
    AlreadyExists {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process writes into the folder.
    #[error("another process is writing into `{}`; wait until it ends, or choose another folder", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder contains other files with the names of results.
    #[error("`{}` contains files that are not results of taut and is not changed; choose another folder", folder.display())]
    ForeignFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no such folder.
    #[error("there is no folder `{}`; `taut run` writes the results of crank.toml to crank.run", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder contains no results.
    #[error("`{}` contains no results: it has no manifest.json", folder.display())]
    NoResults {
        /// The folder.
        folder: PathBuf,
    },
    /// A file is not valid.
    #[error("`{}` is not valid: {what}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The folder was written by a later version.
    #[error("`{}` has format {found}; this version reads up to {known}", path.display())]
    NewerFormat {
        /// The manifest.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The latest that is known.
        known: u32,
    },
    /// A requested column that does not exist.
    #[error("the results have no column `{name}`{hint}")]
    UnknownColumn {
        /// The requested name.
        name: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// Rows with other columns than those of the table.
    #[error("these rows do not fit the table: {what}")]
    OtherColumns {
        /// Where they differ.
        what: String,
    },
    /// A state that is not finite, which JSON cannot represent.
    #[error(
        "no checkpoint can be written: the state at t = {t} s contains a number that is not finite; the run is about to \
         fail, the previous checkpoint is kept"
    )]
    NotFinite {
        /// Time of the state.
        t: f64,
    },
    /// Rows or events were not appended before the checkpoint was made.
    #[error("the checkpoint counts {counted} {what}, but {written} were written: append all of them first")]
    RowsMissing {
        /// `rows` or `events`.
        what: &'static str,
        /// As the checkpoint counts.
        counted: usize,
        /// As the writer counts.
        written: usize,
    },
    /// The checkpoint was written by another version of taut.
    #[error(
        "`{}` was written by another version of taut (checkpoint format {found}, this version reads {known}); run the model \
         again, or resume the run with the version that started it",
        path.display()
    )]
    CheckpointFormat {
        /// The checkpoint.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The format of this version.
        known: u32,
    },
    /// There is no checkpoint.
    #[error("`{}` has no checkpoint to resume from; run it again", folder.display())]
    NoCheckpoint {
        /// The folder.
        folder: PathBuf,
    },
}

impl ResultsError {
    /// An error of the file system, with the operation and the file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ResultsError {
        move |source| ResultsError::Io { doing, path: path.to_path_buf(), source }
    }

    /// A file that is not valid.
    pub(crate) fn corrupt(path: &Path, what: impl ToString) -> ResultsError {
        ResultsError::Corrupt { path: path.to_path_buf(), what: what.to_string() }
    }
}
