//! CSV after RFC 4180: one header of names, then numbers in their shortest form that reads back to the same bits.

use super::super::error::ResultsError;
use super::super::files::Durability;
use super::super::line_file::LineFile;
use super::{Extent, Format};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use taut::{Column, Table};

/// Size of the buffer of lines, in bytes.
const BUFFER_SIZE: usize = 1 << 20;

/// Appends rows to `table.csv`.
#[derive(Debug)]
pub(crate) struct CsvWriter {
    file: LineFile,
    buffer: Vec<u8>,
    rows: usize,
    /// Rows written to the file.
    stored: usize,
}

impl CsvWriter {
    pub fn create(folder: &Path, columns: &[Column]) -> Result<CsvWriter, ResultsError> {
        let header = record(columns.iter().map(|c| c.name.as_str()));
        Ok(CsvWriter::new(LineFile::create(folder, Format::Csv.name(), &header)?, 0))
    }

    pub fn reopen(folder: &Path, to: Extent) -> Result<CsvWriter, ResultsError> {
        Ok(CsvWriter::new(LineFile::reopen(folder, Format::Csv.name(), to.bytes)?, to.rows))
    }

    fn new(file: LineFile, rows: usize) -> CsvWriter {
        CsvWriter { file, buffer: Vec::with_capacity(BUFFER_SIZE + (BUFFER_SIZE >> 2)), rows, stored: rows }
    }

    pub fn append(&mut self, rows: &Table, chosen: &[usize]) -> Result<(), ResultsError> {
        let columns: Vec<&[f64]> = chosen.iter().map(|&i| &rows.columns()[i].data[..]).collect();
        let mut digits = zmij::Buffer::new();
        for row in 0..rows.len() {
            for column in &columns {
                self.buffer.extend_from_slice(digits.format(column[row]).as_bytes());
                self.buffer.push(b',');
            }
            // The last comma ends the line.
            self.buffer.pop();
            self.buffer.extend_from_slice(b"\r\n");
            self.rows += 1;
            if self.buffer.len() >= BUFFER_SIZE {
                self.flush()?;
            }
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<(), ResultsError> {
        self.file.append(&self.buffer)?;
        self.buffer.clear();
        self.stored = self.rows;
        Ok(())
    }

    pub fn store(&mut self, how: Durability) -> Result<Extent, ResultsError> {
        self.flush()?;
        if how == Durability::SurvivesPowerLoss {
            self.file.sync()?;
        }
        Ok(Extent { rows: self.stored, bytes: self.file.bytes(), parts: 0 })
    }

    pub fn stored(&self) -> usize {
        self.stored
    }
}

/// One record with its line end.
pub(crate) fn record<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted = |field: &str| match field.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_string(),
    };
    let mut line = fields.map(quoted).collect::<Vec<_>>().join(",");
    line.push_str("\r\n");
    line
}

/// The fields of one record, without its line end; nothing if a quote stays open.
pub(crate) fn split_record(line: &str) -> Option<Vec<String>> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut letters = line.chars().peekable();
    let mut inside = false;
    while let Some(c) = letters.next() {
        match (c, inside) {
            ('"', true) if letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            ('"', _) => inside = !inside,
            (',', false) => fields.push(std::mem::take(&mut field)),
            _ => field.push(c),
        }
    }
    fields.push(field);
    (!inside).then_some(fields)
}

/// Reads some columns and skips the rest; an incomplete last line comes from a killed writer.
pub(crate) fn read(path: &Path, wanted: &[(usize, &str)]) -> Result<Vec<Vec<f64>>, ResultsError> {
    let file = File::open(path).map_err(ResultsError::io("open", path))?;
    let mut lines = BufReader::with_capacity(1 << 20, file);
    let mut line = Vec::new();
    lines.read_until(b'\n', &mut line).map_err(ResultsError::io("read", path))?;
    let header = std::str::from_utf8(&line).ok().map(str::trim_end).and_then(split_record);
    let header = header.ok_or_else(|| ResultsError::corrupt(path, "its first line is not a header"))?;
    if let Some((_, name)) = wanted.iter().find(|(i, name)| header.get(*i).map(String::as_str) != Some(*name)) {
        return Err(ResultsError::corrupt(path, format!("column `{name}` is not where the manifest says")));
    }
    // Fields in the order of the file, each with where it goes.
    let mut order: Vec<(usize, usize)> = wanted.iter().enumerate().map(|(to, (field, _))| (*field, to)).collect();
    order.sort_unstable();
    let mut data = vec![Vec::new(); wanted.len()];
    for number in 2.. {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(ResultsError::io("read", path))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        let mut fields = line.trim_ascii_end().split(|b| *b == b',');
        let mut next = 0;
        for &(field, to) in &order {
            // Two wants of one field: the second finds it already read.
            let text = match field.checked_sub(next) {
                Some(skip) => fields.nth(skip),
                None => None,
            };
            next = field + 1;
            let x = text.and_then(|text| std::str::from_utf8(text).ok()).and_then(|text| text.parse().ok());
            let x = x.ok_or_else(|| {
                ResultsError::corrupt(path, format!("line {number} has no number for `{}`", wanted[to].1))
            })?;
            data[to].push(x);
        }
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::{record, split_record};

    #[test]
    fn records_come_back() {
        let fields = ["plain", "a,b", "say \"so\"", ""];
        let line = record(fields.into_iter());
        assert_eq!(line, "plain,\"a,b\",\"say \"\"so\"\"\",\r\n");
        assert_eq!(split_record(line.trim_end_matches("\r\n")).unwrap(), fields);
        assert!(split_record("\"open").is_none());
    }
}
