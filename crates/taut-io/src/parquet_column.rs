//! Columns of Parquet files. The library panics on a damaged place of a column, so the place is checked first.

use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;

/// The reader of a column, or an error if the file gives it a negative place or size.
pub(crate) fn column_reader(group: &dyn RowGroupReader, column: usize) -> Result<ColumnReader, ParquetError> {
    let about = group.metadata().column(column);
    let start = about.dictionary_page_offset().unwrap_or(about.data_page_offset());
    if start < 0 || about.compressed_size() < 0 {
        let name = about.column_descr().name();
        return Err(ParquetError::General(format!(
            "the file is damaged: column `{name}` has a negative place or size"
        )));
    }
    group.get_column_reader(column)
}
