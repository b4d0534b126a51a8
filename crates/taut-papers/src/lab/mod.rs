//! Results of one model under all formulations and drift controls: the table, its files, the work-precision diagram.
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

/// Whether the default formulation finished; if it was not tried, whether any trial finished.
pub fn succeeded(findings: &[Finding]) -> bool {
    let default = |f: &&Finding| f.trial.method == Method::default();
    let finished = |f: &Finding| f.ended == Ended::Finished;
    match findings.iter().any(|f| default(&f)) {
        true => findings.iter().filter(default).any(finished),
        false => findings.iter().any(finished),
    }
}
