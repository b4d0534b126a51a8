//! Parquet: one file, or a folder of parts as Taut writes it.

use super::{ColumnHeader, RequestedColumn, find, in_si, unit_of, value_error};
use crate::diagnostic::{Diagnostic, Place};
use crate::parquet_column::column_reader;
use parquet::basic::ConvertedType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Rows that are read at once. A damaged file may claim any number of rows.
const BATCH: usize = 1 << 16;

pub(super) fn read(path: &Path, file: &Place, wanted: &[RequestedColumn; 2]) -> Result<[Vec<f64>; 2], Diagnostic> {
    let failed = |part: &Path, why: &dyn std::fmt::Display| {
        let message = format!("cannot read {}: {why}", part.display());
        Diagnostic::error(message).at(file).help("the path is relative to the folder of the model file")
    };
    let mut found = [Vec::new(), Vec::new()];
    for part in parts(path).map_err(|e| failed(path, &e))? {
        let opened = File::open(&part).map_err(|e| failed(&part, &e))?;
        let reader = SerializedFileReader::new(opened).map_err(|e| failed(&part, &e))?;
        let heads = heads(&reader);
        let mut columns = Vec::new();
        for one in wanted {
            let column = find(&heads, one, &part)?;
            columns.push((column, unit_of(&heads[column], one, file)?));
        }
        for g in 0..reader.num_row_groups() {
            let group = reader.get_row_group(g).map_err(|e| failed(&part, &e))?;
            for ((column, unit), found) in columns.iter().zip(&mut found) {
                let refuse = |e: ParquetError| failed(&part, &format!("column `{}`: {e}", heads[*column].name));
                let numbers = numbers(&*group, *column).map_err(refuse)?;
                found.extend(numbers.into_iter().map(|x| in_si(x, unit)));
            }
        }
    }
    check(path, wanted, &found)?;
    Ok(found)
}

/// The file itself, or the parts of a folder in their order.
fn parts(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut all = Vec::new();
    for entry in std::fs::read_dir(path)? {
        all.push(entry?.path());
    }
    all.retain(|p| p.extension().is_some_and(|e| e == "parquet"));
    all.sort();
    Ok(all)
}

/// Names and units of the columns; what Taut wrote carries its units in the metadata.
fn heads(reader: &SerializedFileReader<File>) -> Vec<ColumnHeader> {
    let meta = reader.metadata().file_metadata();
    let words = meta.key_value_metadata().into_iter().flatten().find(|kv| kv.key == "taut.columns");
    let own: Vec<serde_json::Value> =
        words.and_then(|kv| serde_json::from_str(kv.value.as_deref()?).ok()).unwrap_or_default();
    let schema = meta.schema_descr();
    let head = |i: usize| {
        let name = schema.column(i).path().string();
        let unit = own.iter().find(|c| c["name"] == *name).and_then(|c| c["unit"].as_str());
        match unit {
            Some(unit) => ColumnHeader { name, unit: Some(unit.to_string()) },
            None => ColumnHeader::new(&name),
        }
    };
    (0..schema.num_columns()).map(head).collect()
}

fn numbers(group: &dyn RowGroupReader, column: usize) -> Result<Vec<f64>, ParquetError> {
    let about = group.metadata().column(column);
    let descr = about.column_descr();
    // Dates and decimals are stored as whole numbers too.
    let plain = descr.logical_type_ref().is_none()
        && matches!(
            descr.converted_type(),
            ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64
                | ConvertedType::UINT_8
                | ConvertedType::UINT_16
        );
    let nothing = || ParquetError::General("it does not contain plain numbers".to_string());
    if !plain {
        return Err(nothing());
    }
    let (rows, levels) = (usize::try_from(about.num_values()).unwrap_or(0), descr.max_def_level());
    match column_reader(group, column)? {
        ColumnReader::DoubleColumnReader(reader) => all(reader, rows, levels, |x| x),
        ColumnReader::FloatColumnReader(reader) => all(reader, rows, levels, f64::from),
        ColumnReader::Int32ColumnReader(reader) => all(reader, rows, levels, f64::from),
        ColumnReader::Int64ColumnReader(reader) => all(reader, rows, levels, |x| x as f64),
        _ => Err(nothing()),
    }
}

fn all<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    levels: i16,
    number: impl Fn(T::T) -> f64,
) -> Result<Vec<f64>, ParquetError> {
    let (mut values, mut present) = (Vec::with_capacity(rows.min(BATCH)), Vec::new());
    let mut records = 0;
    while records < rows {
        let defined = (levels > 0).then_some(&mut present);
        let (found, ..) = reader.read_records((rows - records).min(BATCH), defined, None, &mut values)?;
        if found == 0 {
            break;
        }
        records += found;
    }
    if values.len() != rows {
        return Err(ParquetError::General(format!("{} of its {rows} rows have no value", rows - values.len())));
    }
    Ok(values.into_iter().map(number).collect())
}

/// Rows count from 1.
fn check(path: &Path, wanted: &[RequestedColumn; 2], found: &[Vec<f64>; 2]) -> Result<(), Diagnostic> {
    for (k, (column, wanted)) in found.iter().zip(wanted).enumerate() {
        for (row, &x) in column.iter().enumerate() {
            let previous = if k == 0 && row > 0 { Some(column[row - 1]) } else { None };
            if let Some((what, help)) = value_error(x, previous) {
                let message = format!("{}, row {}, column `{}`: {what}", path.display(), row + 1, wanted.name);
                return Err(Diagnostic::error(message).at(wanted.place).help(help));
            }
        }
    }
    Ok(())
}
