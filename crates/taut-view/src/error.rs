//! What can go wrong on the way from a run to a picture.

use std::path::PathBuf;
use taut_io::results::ResultsError;
use thiserror::Error;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum ViewError {
    /// The run cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The model in the run's folder cannot be read or built.
    #[error("the model of `{}` cannot be read: {what}", folder.display())]
    Model {
        /// The run.
        folder: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Positions were not recorded.
    #[error(
        "`{}` has no column `{column}`, without which nothing can be placed; run the model again with all of `state` among \
         the columns (leave `columns` and `only` out of [outputs])", folder.display()
    )]
    NoState {
        /// The run.
        folder: PathBuf,
        /// The first that is missing.
        column: String,
    },
    /// Nothing was recorded.
    #[error("`{}` holds no rows yet; let the run go on for a while", folder.display())]
    NoRows {
        /// The run.
        folder: PathBuf,
    },
    /// This program was built without its page.
    #[error("{0}")]
    NoPage(String),
    /// The packed run could not be written or read.
    #[error("the run cannot be packed: {0}")]
    Packing(String),
    /// The machine refuses to serve.
    #[error("cannot serve on 127.0.0.1:{port}: {source}")]
    Serving {
        /// The port asked for.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
}
