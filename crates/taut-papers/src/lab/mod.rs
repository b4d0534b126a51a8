//! What became of a model under every published way to add its constraints: the table, its files, the picture.
//!
//! The trials themselves are run by [`taut::analyses::laboratory`].

mod columns;
mod files;
mod picture;
mod rows;
mod sheet;
mod sort;

pub use files::{Written, is_free};
pub use sheet::{Sheet, Shown};
pub use sort::Sort;

use taut::analyses::laboratory::{Ended, Finding};
use taut::formulations::Method;

/// Whether the default formulation came to its end, or anything where it was not among the trials.
pub fn succeeded(findings: &[Finding]) -> bool {
    let default = |f: &&Finding| f.trial.method == Method::default();
    let finished = |f: &Finding| f.ended == Ended::Finished;
    match findings.iter().any(|f| default(&f)) {
        true => findings.iter().filter(default).any(finished),
        false => findings.iter().any(finished),
    }
}
