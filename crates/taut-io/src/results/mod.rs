//! Results on disk: a folder that can be read at any time, even after its writer was killed.
//!
//! ```text
//! manifest.json     model, settings, versions, outcome; every column with unit and meaning
//! model.toml        the model as it was run
//! table.csv         the numbers, or table.parquet/part-00000.parquet …, or table.npz/part-00000.npz …
//! events.csv        the events
//! checkpoint.json   from which the run can be resumed
//! ```
//!
//! [`drive`] runs a simulation and writes through a [`RunWriter`]; [`resume`] resumes a run; [`StoredRun`] reads one; [`compare`]
//! compares two.

mod compare;
mod drive;
mod error;
mod files;
mod line_file;
mod lock;
mod manifest;
mod pattern;
mod resume;
mod run;
pub(crate) mod table;
mod timestamp;
mod writer;

pub use compare::{Comparison, Difference, LargestDifference, RowMatching, compare};
pub use drive::{DriveOptions, DriveOutcome, Go, Observer, WriteIntervals, drive};
pub use error::ResultsError;
pub use lock::{FolderLock, LOCK, check_not_locked};
pub use manifest::{Manifest, Stored, Versions, fingerprint};
pub use pattern::unmatched;
pub use resume::{Resumption, resume};
pub use run::StoredRun;
pub use table::Format;
pub(crate) use table::split_record;
pub use writer::{ExistingResults, NewRun, RunWriter, write_solution};

/// Name of the manifest within a folder of results.
pub const MANIFEST: &str = "manifest.json";
/// Name of the model within it.
pub const MODEL: &str = "model.toml";
/// Name of the table of events within it.
pub const EVENTS: &str = "events.csv";
/// Name of the checkpoint within it.
pub const CHECKPOINT: &str = "checkpoint.json";
