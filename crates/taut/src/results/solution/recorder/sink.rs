//! The target of a traversal of the columns: names at the declaration, values for each row.
//!
//! One traversal serves both, so that names and values always agree.

use crate::motion::Vec3;
use crate::results::solution::label::ColumnLabel;
use crate::results::solution::table::Table;

/// Collects names, or fills one row from the given column on.
pub(super) enum ColumnSink<'a> {
    Names(Vec<(&'static str, ColumnLabel, String)>),
    Values(&'a mut Table, usize),
}

impl ColumnSink<'_> {
    #[inline]
    pub(super) fn put(&mut self, family: &'static str, unit: &str, x: f64, label: impl FnOnce() -> ColumnLabel) {
        match self {
            ColumnSink::Names(names) => names.push((family, label(), unit.to_string())),
            ColumnSink::Values(table, at) => {
                table.columns_mut()[*at].data.push(x);
                *at += 1;
            }
        }
    }

    pub(super) fn vector(
        &mut self,
        family: &'static str,
        unit: &'static str,
        x: &Vec3,
        label: impl Fn(&str) -> ColumnLabel,
    ) {
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            self.put(family, unit, x[i], || label(axis));
        }
    }
}

/// The unit of a rate.
pub(super) fn rate_unit(unit: &'static str) -> &'static str {
    match unit {
        "m" => "m/s",
        "rad" => "rad/s",
        "m/s" => "m/s²",
        "rad/s" => "rad/s²",
        "1/s" => "1/s²",
        _ => "1/s",
    }
}
