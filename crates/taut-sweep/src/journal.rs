//! The journal: one line of JSON per finished member, in the order in which they finish.
//!
//! A line is written by one call, so a killed process leaves at most one incomplete line, which is cut off when the sweep is
//! resumed. Nothing else is needed to continue: the members in the journal are done.

use crate::folder::io_error;
use crate::member::MemberResult;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use taut_io::diagnostic::Diagnostic;

/// Name of the journal within a folder.
pub(crate) const JOURNAL: &str = "members.jsonl";

/// Where the line of each member is: `None` for members that are not done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    pub offsets: Vec<Option<u64>>,
    pub done: usize,
    pub failed: usize,
    /// Bytes of complete lines.
    pub bytes: u64,
}

impl Index {
    /// Reads a journal of a sweep with so many members. A member that occurs twice counts once.
    pub fn read(folder: &Path, members: usize) -> Result<Index, Diagnostic> {
        let path = folder.join(JOURNAL);
        let mut index = Index { offsets: vec![None; members], ..Index::default() };
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(index),
            Err(e) => return Err(io_error("read", &path, &e)),
        };
        let (mut reader, mut line) = (BufReader::new(file), String::new());
        loop {
            line.clear();
            let read = reader.read_line(&mut line).map_err(|e| io_error("read", &path, &e))?;
            // An incomplete last line comes from a killed writer.
            if read == 0 || !line.ends_with('\n') {
                return Ok(index);
            }
            let row = parse(&line, &path)?;
            let Some(place) = index.offsets.get_mut(row.member) else {
                return Err(corrupt(&path, &format!("there is no member {}", row.member)));
            };
            if place.is_none() {
                index.done += 1;
                index.failed += usize::from(row.status != crate::member::Status::Finished);
            }
            *place = Some(index.bytes);
            index.bytes += read as u64;
        }
    }
}

fn parse(line: &str, path: &Path) -> Result<MemberResult, Diagnostic> {
    serde_json::from_str(line).map_err(|e| corrupt(path, &e.to_string()))
}

fn corrupt(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(format!("`{}` is damaged: {why}", path.display()))
}

/// A journal that grows.
#[derive(Debug)]
pub(crate) struct JournalWriter {
    path: PathBuf,
    file: File,
}

impl JournalWriter {
    /// Continues a journal after its complete lines.
    pub fn open(folder: &Path, bytes: u64) -> Result<JournalWriter, Diagnostic> {
        let path = folder.join(JOURNAL);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let mut file = opened.map_err(|e| io_error("open", &path, &e))?;
        let cut = file.set_len(bytes).and_then(|()| file.seek(SeekFrom::Start(bytes)));
        cut.map_err(|e| io_error("write", &path, &e))?;
        Ok(JournalWriter { path, file })
    }

    /// Appends members in one write.
    pub fn append(&mut self, rows: &[MemberResult]) -> Result<(), Diagnostic> {
        let mut lines = Vec::new();
        for row in rows {
            serde_json::to_writer(&mut lines, row).map_err(|e| corrupt(&self.path, &e.to_string()))?;
            lines.push(b'\n');
        }
        self.file.write_all(&lines).map_err(|e| io_error("write", &self.path, &e))
    }

    /// Flushes to disk.
    pub fn sync(&mut self) -> Result<(), Diagnostic> {
        self.file.sync_data().map_err(|e| io_error("write", &self.path, &e))
    }
}

/// Reads members by their places.
#[derive(Debug)]
pub(crate) struct JournalReader {
    path: PathBuf,
    reader: BufReader<File>,
    at: u64,
}

impl JournalReader {
    pub fn open(folder: &Path) -> Result<JournalReader, Diagnostic> {
        let path = folder.join(JOURNAL);
        let file = File::open(&path).map_err(|e| io_error("read", &path, &e))?;
        Ok(JournalReader { path, reader: BufReader::new(file), at: 0 })
    }

    /// The member whose line begins at an offset.
    pub fn row(&mut self, offset: u64) -> Result<MemberResult, Diagnostic> {
        // Lines are mostly in order; a jump within the buffer keeps it.
        let jump = i64::try_from(offset).unwrap_or(i64::MAX) - i64::try_from(self.at).unwrap_or(i64::MAX);
        self.reader.seek_relative(jump).map_err(|e| io_error("read", &self.path, &e))?;
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(1 << 30).read_until(b'\n', &mut line);
        self.at = offset + read.map_err(|e| io_error("read", &self.path, &e))? as u64;
        let text = String::from_utf8(line).map_err(|e| corrupt(&self.path, &e.to_string()))?;
        parse(&text, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Value;
    use crate::member::Status;

    fn row(member: usize) -> MemberResult {
        MemberResult {
            member,
            parameters: vec![Value::Number(0.1 + member as f64), Value::Text("rk4".to_string())],
            values: vec![f64::NAN, 1.0 / 3.0],
            status: Status::Finished,
            verdict: Some("sound".to_string()),
            steps: 7,
            message: "a, \"b\"".to_string(),
            seconds: 0.5,
        }
    }

    #[test]
    fn a_cut_line_is_not_a_member() {
        let folder = std::env::temp_dir().join(format!("taut-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut writer = JournalWriter::open(&folder, 0).unwrap();
        writer.append(&[row(2), row(0)]).unwrap();
        writer.file.write_all(b"{\"member\":1,\"par").unwrap();
        let index = Index::read(&folder, 3).unwrap();
        assert_eq!((index.done, index.offsets[1]), (2, None));
        let mut writer = JournalWriter::open(&folder, index.bytes).unwrap();
        writer.append(&[row(1)]).unwrap();
        let index = Index::read(&folder, 3).unwrap();
        assert_eq!(index.done, 3);
        let mut reader = JournalReader::open(&folder).unwrap();
        for member in 0..3 {
            let found = reader.row(index.offsets[member].unwrap()).unwrap();
            assert_eq!((found.member, &found.parameters), (member, &row(member).parameters));
            assert!(found.values[0].is_nan() && found.values[1] == 1.0 / 3.0);
        }
        assert!(Index::read(&folder, 2).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
