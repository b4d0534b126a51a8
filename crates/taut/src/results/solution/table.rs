//! Named columns of numbers with units.

use super::label::ColumnLabel;
use crate::common::spelling::did_you_mean;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use thiserror::Error;

/// One quantity over all outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// `element.quantity`.
    pub name: String,
    /// Its unit; `1` for a pure number.
    pub unit: String,
    /// Description as a phrase.
    pub meaning: String,
    /// One value per output.
    #[serde(skip)]
    pub data: Vec<f64>,
}

/// Error: the requested column does not exist.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the solution has no column `{name}`{hint}")]
pub struct UnknownColumn {
    /// The requested name.
    pub name: String,
    /// ` (did you mean …?)` or nothing.
    pub hint: String,
}

/// Columns of equal length, found by name. Serde writes and reads their names, units and meanings, not the numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "TableWithoutIndex")]
pub struct Table {
    columns: Vec<Column>,
    #[serde(skip)]
    index: HashMap<String, usize>,
}

/// A table as it is deserialised, without its index.
#[derive(Deserialize)]
struct TableWithoutIndex {
    columns: Vec<Column>,
}

impl From<TableWithoutIndex> for Table {
    fn from(bare: TableWithoutIndex) -> Table {
        bare.columns.into_iter().collect()
    }
}

impl FromIterator<Column> for Table {
    /// Builds a table from columns of another source, for instance a file. If two columns have the same name, the first
    /// is found; columns longer than the shortest are truncated to its length.
    fn from_iter<I: IntoIterator<Item = Column>>(columns: I) -> Table {
        let mut table = Table { columns: columns.into_iter().collect(), index: HashMap::new() };
        for (i, column) in table.columns.iter().enumerate() {
            table.index.entry(column.name.clone()).or_insert(i);
        }
        let rows = table.columns.iter().map(|c| c.data.len()).min().unwrap_or(0);
        table.truncate(rows);
        table
    }
}

impl Table {
    /// Builds a table with these columns. If a name already exists, the later column gets its family as a prefix.
    pub(crate) fn new(declared: Vec<(&'static str, ColumnLabel, String)>) -> Table {
        let mut table = Table::default();
        for (family, ColumnLabel { name, meaning }, unit) in declared {
            let name = if table.index.contains_key(&name) { format!("{family}:{name}") } else { name };
            table.index.insert(name.clone(), table.columns.len());
            table.columns.push(Column { name, unit, meaning, data: Vec::new() });
        }
        table
    }

    /// All columns in their order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns themselves.
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// The column of that name.
    pub fn get(&self, name: &str) -> Result<&Column, UnknownColumn> {
        match self.index.get(name) {
            Some(&i) => Ok(&self.columns[i]),
            None => {
                let hint = did_you_mean(name, self.columns.iter().map(|c| c.name.as_str()));
                Err(UnknownColumn { name: name.to_string(), hint })
            }
        }
    }

    /// Number of outputs.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |c| c.data.len())
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        self.columns.iter_mut().for_each(|c| c.data.reserve(rows));
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.columns.iter_mut().for_each(|c| c.data.truncate(rows));
    }

    /// Moves the rows into a new table; this one is then empty and keeps its capacity.
    pub(crate) fn take(&mut self) -> Table {
        let taken = self.clone();
        self.truncate(0);
        taken
    }

    /// The same, into a table that was taken before, whose capacity is reused.
    pub(crate) fn take_into(&mut self, other: &mut Table) {
        let same = |(own, other): (&Column, &Column)| own.name == other.name;
        if other.columns.len() != self.columns.len() || !self.columns.iter().zip(&other.columns).all(same) {
            *other = self.take();
            return;
        }
        for (own, other) in self.columns.iter_mut().zip(&mut other.columns) {
            std::mem::swap(&mut own.data, &mut other.data);
            own.data.clear();
        }
    }

    pub(crate) fn columns_mut(&mut self) -> &mut [Column] {
        &mut self.columns
    }
}
