//! In place of `parquet.rs` in a build without the feature `parquet`: every use is an error that says so.

use std::fs::File;
use std::io;
use taut::Column;

pub(crate) const MISSING: &str =
    "this build has no Parquet support; use csv or npz, or build taut-io with its feature `parquet`";

pub(crate) fn write(_file: File, _columns: &[Column]) -> io::Result<File> {
    Err(io::Error::other(MISSING))
}

pub(crate) fn read(_file: File, _wanted: &[(usize, &str)], _data: &mut [Vec<f64>]) -> io::Result<()> {
    Err(io::Error::other(MISSING))
}
