//! In place of `parquet.rs` in a build without the feature `parquet`: every use is an error that says so.

use super::RequestedColumn;
use crate::diagnostic::{Diagnostic, Place};
use std::path::Path;

pub(super) fn read(path: &Path, file: &Place, _wanted: &[RequestedColumn; 2]) -> Result<[Vec<f64>; 2], Diagnostic> {
    let message = format!("cannot read {}: this build has no Parquet support", path.display());
    Err(Diagnostic::error(message).at(file).help("give the points as CSV, or build taut-io with its feature `parquet`"))
}
