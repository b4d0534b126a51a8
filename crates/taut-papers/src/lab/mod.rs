//! Results of one model under all formulations and drift controls: the table, its files, the work-precision diagram.
//!
//! The trials themselves are run by [`taut::analyses::laboratory`].

mod columns;
mod files;
mod picture;
mod report;
mod rows;
mod sort;

pub use files::{Written, is_replaceable};
pub use report::{LabReport, PrintedTrials};
pub use sort::Sort;

use taut::analyses::laboratory::{TrialOutcome, TrialResult};
use taut::formulations::Method;

/// Whether the default formulation finished; if it was not tried, whether any trial finished.
pub fn succeeded(findings: &[TrialResult]) -> bool {
    let default = |f: &&TrialResult| f.trial.method == Method::default();
    let finished = |f: &TrialResult| f.outcome == TrialOutcome::Finished;
    match findings.iter().any(|f| default(&f)) {
        true => findings.iter().filter(default).any(finished),
        false => findings.iter().any(finished),
    }
}
