//! Points of a table from a file beside the model: CSV with a header, or Parquet.
//!
//! The unit of a column is part of its name, `angle [deg]` or `angle (deg)`, or is given with the table; without either the
//! numbers are in SI. Parquet files that Taut wrote carry their units with them.

#[cfg_attr(not(feature = "parquet"), path = "columns/no_parquet.rs")]
mod parquet;
mod text;

use super::scope::ExpectedQuantity;
use super::units::{Unit, unit};
use crate::diagnostic::{Diagnostic, Place, did_you_mean};
use std::path::Path;

/// A requested column.
pub(super) struct RequestedColumn<'a> {
    /// Its name, with or without the unit.
    pub name: &'a str,
    /// The unit the model file gives, as written.
    pub unit: Option<&'a str>,
    pub requested: &'a ExpectedQuantity,
    /// Where the model file requests it.
    pub place: &'a Place,
}

/// A column that was found: its name and its unit, as far as the file gives one.
struct ColumnHeader {
    name: String,
    unit: Option<String>,
}

impl ColumnHeader {
    /// `angle [deg]` or `angle (deg)`.
    fn new(text: &str) -> ColumnHeader {
        let text = text.trim().trim_start_matches('\u{feff}');
        for (open, close) in [('[', ']'), ('(', ')')] {
            if let Some((name, unit)) = text.strip_suffix(close).and_then(|t| t.rsplit_once(open)) {
                return ColumnHeader { name: name.trim().to_string(), unit: Some(unit.trim().to_string()) };
            }
        }
        ColumnHeader { name: text.to_string(), unit: None }
    }

    fn whole(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} [{unit}]", self.name),
            None => self.name.clone(),
        }
    }
}

/// Times and values; the times increase.
pub(super) fn read(path: &Path, file: &Place, wanted: [RequestedColumn; 2]) -> Result<[Vec<f64>; 2], Diagnostic> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "csv" | "txt" => text::read(path, file, &wanted),
        "parquet" => parquet::read(path, file, &wanted),
        _ => {
            let message = format!("the name of `{}` ends in neither .csv nor .parquet", path.display());
            Err(Diagnostic::error(message).at(file).help("points are read from .csv or .parquet files"))
        }
    }
}

/// Finds the requested column among those of a file.
fn find(heads: &[ColumnHeader], wanted: &RequestedColumn, path: &Path) -> Result<usize, Diagnostic> {
    let is = |head: &ColumnHeader| head.name == wanted.name || head.whole() == ColumnHeader::new(wanted.name).whole();
    let fits: Vec<usize> = (0..heads.len()).filter(|i| is(&heads[*i])).collect();
    let names = || heads.iter().map(|h| h.name.as_str());
    match fits[..] {
        [one] => Ok(one),
        [] => {
            let message =
                format!("`{}` has no column `{}`{}", path.display(), wanted.name, did_you_mean(wanted.name, names()));
            let known: Vec<&str> = names().take(20).collect();
            Err(Diagnostic::error(message).at(wanted.place).help(format!("its columns are {}", known.join(", "))))
        }
        _ => {
            let message = format!("`{}` has several columns `{}`", path.display(), wanted.name);
            Err(Diagnostic::error(message).at(wanted.place).help("name it with its unit, or give it another name"))
        }
    }
}

/// The unit of a column, which must have the expected dimension. `place` is that of a unit in the file.
fn unit_of(head: &ColumnHeader, wanted: &RequestedColumn, place: &Place) -> Result<Unit, Diagnostic> {
    let (text, place) = match (wanted.unit, &head.unit) {
        (Some(given), Some(own)) if given != own => {
            let message = format!("column `{}` is in {own}, but the model says {given}", head.name);
            return Err(Diagnostic::error(message).at(wanted.place).help("leave the unit out, or correct one of them"));
        }
        (Some(given), _) => (given, wanted.place),
        (None, Some(own)) => (own.as_str(), place),
        (None, None) => return Ok(SI),
    };
    if matches!(text, "1" | "-" | "") {
        return Ok(SI);
    }
    let found = unit(text).map_err(|_| {
        let hint = did_you_mean(text, super::units::names());
        let message = format!("column `{}`: unknown unit `{text}`{hint}", head.name);
        Diagnostic::error(message).at(place).help("units are written as mm, deg, N*m/rad, m/s^2")
    })?;
    if wanted.requested.dimensions.iter().any(|f| found.dimension.fits(*f)) {
        return Ok(found);
    }
    let message = format!("column `{}`: expected {}, found a quantity in {text}", head.name, wanted.requested.name);
    Err(Diagnostic::error(message).at(place).help("name another column, or correct the unit"))
}

/// Numbers as they are.
const SI: Unit = Unit { numerator: 1.0, denominator: 1.0, dimension: super::units::Dimension::NONE };

/// A number of the file in SI.
fn in_si(x: f64, unit: &Unit) -> f64 {
    x * unit.numerator / unit.denominator
}

/// Why a number is not valid in its row, if it is not.
fn value_error(x: f64, previous: Option<f64>) -> Option<(String, &'static str)> {
    match previous {
        _ if !x.is_finite() => Some((format!("{x} is not finite"), "leave the row out")),
        Some(before) if x <= before => {
            let what = format!("the time {x} s is not later than the previous time, {before} s");
            Some((what, "sort the rows by time, each time once"))
        }
        _ => None,
    }
}
