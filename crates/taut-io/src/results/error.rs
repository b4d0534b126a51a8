//! What can go wrong with results on disk.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why results could not be written or read.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file system refused.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// `write`, `read`, `create` …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder holds results already.
    #[error("`{}` holds results already; name another folder, or say that they may be replaced", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
    },
    /// Another process writes into the folder.
    #[error("another process is writing into `{}`; let it end, or name another folder", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds files of others under names that results have.
    #[error("`{}` holds files that are not results of taut; they are left alone, name another folder", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder holds no results.
    #[error("`{}` holds no results: there is no manifest.json in it", folder.display())]
    NoResults {
        /// The folder.
        folder: PathBuf,
    },
    /// A file is not what it should be.
    #[error("`{}` cannot be understood: {what}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The folder was written by a later version.
    #[error("`{}` has format {found}; this version reads up to {known}", path.display())]
    Later {
        /// The manifest.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The latest that is known.
        known: u32,
    },
    /// A column that was asked for and is not there.
    #[error("the results have no column `{name}`{hint}")]
    UnknownColumn {
        /// What was asked for.
        name: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// Rows of another table than the one begun.
    #[error("these rows do not belong to the table: {what}")]
    OtherColumns {
        /// Where they differ.
        what: String,
    },
    /// A checkpoint that text cannot hold.
    #[error(
        "no checkpoint can be written: the state at t = {t} s holds a number that is not finite; the run is about to \
         fail, the checkpoint before it is kept"
    )]
    NotFinite {
        /// Time of the state.
        t: f64,
    },
    /// Rows or events were not handed over before the checkpoint was made.
    #[error("the checkpoint counts {counted} {what}, but {written} were written: hand over all of them first")]
    Behind {
        /// `rows` or `events`.
        what: &'static str,
        /// As the checkpoint counts.
        counted: usize,
        /// As the writer counts.
        written: usize,
    },
    /// A checkpoint that another version of taut has written.
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
    /// Nothing to go on from.
    #[error("`{}` has no checkpoint to go on from; run it anew", folder.display())]
    NoCheckpoint {
        /// The folder.
        folder: PathBuf,
    },
}

impl ResultsError {
    /// A refusal of the file system, with what was being done to which file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ResultsError {
        move |source| ResultsError::Io { doing, path: path.to_path_buf(), source }
    }

    /// A file that is not what it should be.
    pub(crate) fn corrupt(path: &Path, what: impl ToString) -> ResultsError {
        ResultsError::Corrupt { path: path.to_path_buf(), what: what.to_string() }
    }
}
