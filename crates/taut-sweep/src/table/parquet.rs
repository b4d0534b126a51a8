//! The table as Parquet: numbers as doubles with nulls where they are missing, words as UTF-8.

use crate::design::Value;
use crate::folder::{Manifest, io_error};
use crate::member::MemberResult;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use taut_io::diagnostic::Diagnostic;

/// One column: its name and how its values follow from a row.
struct Column {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Member,
    Steps,
    /// A parameter: a number, or a text in some members.
    Parameter(usize),
    Result(usize),
    Status,
    Verdict,
    Message,
}

impl Kind {
    /// Parameters are texts if any of their values is one; the first row decides, because a design has one type per parameter.
    fn physical(self, texts: &[bool]) -> (Physical, Repetition, Option<LogicalType>) {
        match self {
            Kind::Member | Kind::Steps => (Physical::INT64, Repetition::REQUIRED, None),
            Kind::Parameter(i) if texts.get(i) == Some(&true) => {
                (Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String))
            }
            Kind::Parameter(_) => (Physical::DOUBLE, Repetition::REQUIRED, None),
            Kind::Result(_) => (Physical::DOUBLE, Repetition::OPTIONAL, None),
            Kind::Verdict => (Physical::BYTE_ARRAY, Repetition::OPTIONAL, Some(LogicalType::String)),
            Kind::Status | Kind::Message => (Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String)),
        }
    }
}

/// Writes row groups one after the other.
pub(super) struct TableWriter {
    path: PathBuf,
    columns: Vec<Column>,
    metadata: String,
    /// Begun with the first rows, which show the types of the parameters.
    writer: Option<SerializedFileWriter<File>>,
    texts: Vec<bool>,
}

impl TableWriter {
    pub fn create(path: &Path, manifest: &Manifest) -> Result<TableWriter, Diagnostic> {
        let mut columns = vec![Column { name: "member".to_string(), kind: Kind::Member }];
        let parameters = manifest.parameters.iter().enumerate();
        columns.extend(parameters.map(|(i, p)| Column { name: p.name.clone(), kind: Kind::Parameter(i) }));
        let results = manifest.columns.iter().enumerate();
        columns.extend(results.map(|(i, c)| Column { name: c.name.clone(), kind: Kind::Result(i) }));
        let words =
            [("status", Kind::Status), ("verdict", Kind::Verdict), ("steps", Kind::Steps), ("message", Kind::Message)];
        columns.extend(words.map(|(name, kind)| Column { name: name.to_string(), kind }));
        let units = serde_json::json!({ "parameters": manifest.parameters, "results": manifest.columns });
        Ok(TableWriter {
            path: path.to_path_buf(),
            columns,
            metadata: units.to_string(),
            writer: None,
            texts: Vec::new(),
        })
    }

    fn error(&self, e: &ParquetError) -> Diagnostic {
        io_error("write", &self.path, &std::io::Error::other(e.to_string()))
    }

    fn begin(&mut self, texts: Vec<bool>) -> Result<(), Diagnostic> {
        let field = |c: &Column| -> Result<Arc<Type>, ParquetError> {
            let (physical, repetition, logical) = c.kind.physical(&texts);
            let built = Type::primitive_type_builder(&c.name, physical).with_repetition(repetition);
            Ok(Arc::new(built.with_logical_type(logical).build()?))
        };
        let schema = self.columns.iter().map(field).collect::<Result<Vec<_>, _>>();
        let schema = schema.and_then(|fields| Type::group_type_builder("schema").with_fields(fields).build());
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata(Some(vec![KeyValue::new("taut.columns".to_string(), self.metadata.clone())]))
            .build();
        let file = File::create(&self.path).map_err(|e| io_error("create", &self.path, &e))?;
        let writer = schema.and_then(|s| SerializedFileWriter::new(file, Arc::new(s), Arc::new(properties)));
        self.writer = Some(writer.map_err(|e| self.error(&e))?);
        self.texts = texts;
        Ok(())
    }

    /// Appends rows as a group.
    pub fn append(&mut self, rows: &[MemberResult]) -> Result<(), Diagnostic> {
        if self.writer.is_none() {
            let first = rows.first().map(|r| r.parameters.as_slice()).unwrap_or_default();
            self.begin(first.iter().map(|v| matches!(v, Value::Text(_))).collect())?;
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let written = append_group(writer, &self.columns, &self.texts, rows);
        written.map_err(|e| self.error(&e))
    }

    /// Completes the file.
    pub fn finish(mut self) -> Result<(), Diagnostic> {
        if self.writer.is_none() {
            self.begin(Vec::new())?;
        }
        let closed = self.writer.take().map(SerializedFileWriter::close);
        match closed {
            Some(Err(e)) => Err(self.error(&e)),
            _ => Ok(()),
        }
    }
}

fn append_group(
    writer: &mut SerializedFileWriter<File>,
    columns: &[Column],
    texts: &[bool],
    rows: &[MemberResult],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut out) = group.next_column()? else { continue };
        let whole = |x: fn(&MemberResult) -> u64| rows.iter().map(|r| x(r) as i64).collect::<Vec<i64>>();
        let bytes = |x: &dyn Fn(&MemberResult) -> String| -> Vec<ByteArray> {
            rows.iter().map(|r| ByteArray::from(x(r).into_bytes())).collect()
        };
        match column.kind {
            Kind::Member => _ = out.typed::<Int64Type>().write_batch(&whole(|r| r.member as u64), None, None)?,
            Kind::Steps => _ = out.typed::<Int64Type>().write_batch(&whole(|r| r.steps), None, None)?,
            Kind::Parameter(i) if texts.get(i) == Some(&true) => {
                let text = |r: &MemberResult| match r.parameters.get(i) {
                    Some(Value::Text(t)) => t.clone(),
                    Some(Value::Number(x)) => x.to_string(),
                    None => String::new(),
                };
                out.typed::<ByteArrayType>().write_batch(&bytes(&text), None, None)?;
            }
            Kind::Parameter(i) => {
                let number = |r: &MemberResult| match r.parameters.get(i) {
                    Some(Value::Number(x)) => *x,
                    _ => f64::NAN,
                };
                let numbers: Vec<f64> = rows.iter().map(number).collect();
                out.typed::<DoubleType>().write_batch(&numbers, None, None)?;
            }
            Kind::Result(i) => {
                let all: Vec<f64> = rows.iter().map(|r| r.values.get(i).copied().unwrap_or(f64::NAN)).collect();
                let there: Vec<i16> = all.iter().map(|x| i16::from(!x.is_nan())).collect();
                let numbers: Vec<f64> = all.into_iter().filter(|x| !x.is_nan()).collect();
                out.typed::<DoubleType>().write_batch(&numbers, Some(&there), None)?;
            }
            Kind::Status => {
                _ = out.typed::<ByteArrayType>().write_batch(&bytes(&|r| r.status.label().to_string()), None, None)?
            }
            Kind::Message => {
                _ = out.typed::<ByteArrayType>().write_batch(&bytes(&|r| r.message.clone()), None, None)?
            }
            Kind::Verdict => {
                let there: Vec<i16> = rows.iter().map(|r| i16::from(r.verdict.is_some())).collect();
                let words = rows.iter().filter_map(|r| r.verdict.clone()).map(|v| ByteArray::from(v.into_bytes()));
                out.typed::<ByteArrayType>().write_batch(&words.collect::<Vec<_>>(), Some(&there), None)?;
            }
        }
        out.close()?;
    }
    group.close()?;
    Ok(())
}
