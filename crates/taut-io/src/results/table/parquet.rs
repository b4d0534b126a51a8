//! One part of a table as a Parquet file: one row group, one required double per column.

use crate::parquet_column::column_reader;
use parquet::basic::{Compression, Encoding, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::io;
use std::sync::Arc;
use taut::Column;

/// Rows that are read at once. A damaged file may claim any number of rows.
const BATCH: usize = 1 << 16;

/// Writes a part and gives the file back.
pub(crate) fn write(file: File, columns: &[Column]) -> io::Result<File> {
    write_part(file, columns).map_err(io::Error::other)
}

fn write_part(file: File, columns: &[Column]) -> Result<File, ParquetError> {
    let field = |c: &Column| -> Result<Arc<Type>, ParquetError> {
        let built = Type::primitive_type_builder(&c.name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED);
        Ok(Arc::new(built.build()?))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    // Units are stored in the file, for readers without the manifest.
    let words = serde_json::to_string(columns).map_err(|e| ParquetError::External(Box::new(e)))?;
    // Values rarely repeat, so a dictionary would not help.
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(vec![KeyValue::new("taut.columns".to_string(), words)]))
        .build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        if let Some(mut out) = group.next_column()? {
            out.typed::<DoubleType>().write_batch(&column.data, None, None)?;
            out.close()?;
        }
    }
    group.close()?;
    writer.into_inner()
}

/// Appends the wanted columns of a part.
pub(crate) fn read(file: File, wanted: &[(usize, &str)], data: &mut [Vec<f64>]) -> io::Result<()> {
    read_part(file, wanted, data).map_err(io::Error::other)
}

fn read_part(file: File, wanted: &[(usize, &str)], data: &mut [Vec<f64>]) -> Result<(), ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    for g in 0..reader.num_row_groups() {
        let group = reader.get_row_group(g)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        for ((i, name), out) in wanted.iter().zip(&mut *data) {
            let there = (*i < group.num_columns()).then(|| group.metadata().column(*i).column_descr().name());
            if there != Some(*name) {
                return Err(ParquetError::General(format!("column `{name}` is not where the manifest says")));
            }
            let ColumnReader::DoubleColumnReader(mut column) = column_reader(&*group, *i)? else {
                return Err(ParquetError::General(format!("column `{name}` contains no numbers")));
            };
            let mut left = rows;
            while left > 0 {
                let (found, ..) = column.read_records(left.min(BATCH), None, None, out)?;
                if found == 0 {
                    return Err(ParquetError::General(format!("column `{name}` is too short")));
                }
                left -= found;
            }
        }
    }
    Ok(())
}
