//! Errors of reading, packing and showing a run.

use std::path::PathBuf;
use taut_io::results::ResultsError;
use thiserror::Error;

/// Why a run cannot be shown.
#[derive(Debug, Error)]
pub enum ViewError {
    /// The run cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The model in the run's folder cannot be read or built.
    #[error("cannot read the model of `{}`: {what}", folder.display())]
    Model {
        /// The run.
        folder: PathBuf,
        /// The error.
        what: String,
    },
    /// Positions were not recorded.
    #[error(
        "`{}` has no column `{column}`, which is needed to place the bodies; run the model again with all columns of `state` \
         (remove `columns` and `only` from [outputs])", folder.display()
    )]
    NoState {
        /// The run.
        folder: PathBuf,
        /// The first missing column.
        column: String,
    },
    /// Nothing was recorded.
    #[error("`{}` contains no rows yet; wait until the run has written some", folder.display())]
    NoRows {
        /// The run.
        folder: PathBuf,
    },
    /// This program was built without its page.
    #[error("{0}")]
    NoPage(String),
    /// The run could not be packed or unpacked.
    #[error("cannot pack the run: {0}")]
    Packing(String),
    /// The port cannot be opened.
    #[error("cannot serve on 127.0.0.1:{port}: {source}")]
    Serving {
        /// The requested port.
        port: u16,
        /// The error of the operating system.
        source: std::io::Error,
    },
}
