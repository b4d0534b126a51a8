//! Tables in numbered parts, each written atomically.

use super::super::error::ResultsError;
use super::super::files;
use super::{Extent, Format, npz, parquet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use taut::{Column, Table};

/// Numbers in one part: 16 MB, which bounds the memory of the writer.
const LARGEST: usize = 2 << 20;

/// Buffers rows and writes them part by part.
#[derive(Debug)]
pub(crate) struct PartsWriter {
    folder: PathBuf,
    format: Format,
    columns: Vec<Column>,
    parts: usize,
    stored: usize,
}

impl PartsWriter {
    pub fn create(folder: &Path, format: Format, columns: &[Column]) -> Result<PartsWriter, ResultsError> {
        let inside = folder.join(format.name());
        fs::create_dir(&inside).map_err(ResultsError::io("create", &inside))?;
        let mut writer = PartsWriter::reopen(folder, format, columns, Extent { rows: 0, bytes: 0, parts: 0 })?;
        // A first part without rows: readers find the columns from the first moment on.
        writer.write_part()?;
        Ok(writer)
    }

    pub fn reopen(folder: &Path, format: Format, columns: &[Column], to: Extent) -> Result<PartsWriter, ResultsError> {
        let inside = folder.join(format.name());
        let found = list(&inside, format)?;
        if found.len() < to.parts {
            let what = format!("there are {} parts, but the checkpoint was made after {}", found.len(), to.parts);
            return Err(ResultsError::corrupt(&inside, what));
        }
        for later in &found[to.parts..] {
            files::remove(later)?;
        }
        let bare = |c: &Column| Column { data: Vec::new(), ..c.clone() };
        let columns: Vec<Column> = columns.iter().map(bare).collect();
        Ok(PartsWriter { folder: folder.to_path_buf(), format, columns, parts: to.parts, stored: to.rows })
    }

    pub fn append(&mut self, rows: &Table, chosen: &[usize]) -> Result<(), ResultsError> {
        let most = (LARGEST / chosen.len().max(1)).max(1);
        let (mut from, all) = (0, rows.len());
        while from < all {
            let to = all.min(from + most - self.gathered());
            for (column, &i) in self.columns.iter_mut().zip(chosen) {
                column.data.extend_from_slice(&rows.columns()[i].data[from..to]);
            }
            from = to;
            if self.gathered() >= most {
                self.write_part()?;
            }
        }
        Ok(())
    }

    pub fn seal(&mut self) -> Result<Extent, ResultsError> {
        if self.gathered() > 0 {
            self.write_part()?;
        }
        Ok(Extent { rows: self.stored, bytes: 0, parts: self.parts })
    }

    pub fn stored(&self) -> (Vec<String>, usize) {
        let path = |i: usize| format!("{}/{}", self.format.name(), part(i, self.format));
        ((0..self.parts).map(path).collect(), self.stored)
    }

    fn gathered(&self) -> usize {
        self.columns.first().map_or(0, |c| c.data.len())
    }

    fn write_part(&mut self) -> Result<(), ResultsError> {
        let name = part(self.parts, self.format);
        // Prepared outside the folder of the parts: some readers take every file in there for a part.
        let draft = files::temporary_path(&self.folder, &name);
        let file = File::create(&draft).map_err(ResultsError::io("create", &draft))?;
        let file = match self.format {
            Format::Npz => npz::write(file, &self.columns),
            _ => parquet::write(file, &self.columns),
        };
        let file = file.map_err(ResultsError::io("write", &draft))?;
        file.sync_data().map_err(ResultsError::io("write", &draft))?;
        files::publish(&draft, &self.folder.join(self.format.name()).join(name))?;
        self.stored += self.gathered();
        self.parts += 1;
        self.columns.iter_mut().for_each(|c| c.data.clear());
        Ok(())
    }
}

fn part(i: usize, format: Format) -> String {
    format!("part-{i:05}.{}", extension(format))
}

fn extension(format: Format) -> &'static str {
    format.name().rsplit('.').next().unwrap_or("")
}

/// The parts of a folder in the order of their numbers.
fn list(inside: &Path, format: Format) -> Result<Vec<PathBuf>, ResultsError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(inside).map_err(ResultsError::io("read", inside))? {
        let path = entry.map_err(ResultsError::io("read", inside))?.path();
        let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| {
            let digits = name.strip_prefix("part-")?.strip_suffix(extension(format))?.strip_suffix('.')?;
            digits.parse::<usize>().ok()
        });
        found.extend(number.map(|n| (n, path)));
    }
    found.sort();
    match found.iter().enumerate().find(|(i, (n, _))| i != n) {
        Some((missing, _)) => Err(ResultsError::corrupt(inside, format!("part {missing} is missing"))),
        None => Ok(found.into_iter().map(|(_, path)| path).collect()),
    }
}

/// Reads some columns of all parts.
pub(crate) fn read(inside: &Path, format: Format, wanted: &[(usize, &str)]) -> Result<Vec<Vec<f64>>, ResultsError> {
    let mut data = vec![Vec::new(); wanted.len()];
    for path in list(inside, format)? {
        let file = File::open(&path).map_err(ResultsError::io("open", &path))?;
        let read = match format {
            Format::Npz => npz::read(file, wanted, &mut data),
            _ => parquet::read(file, wanted, &mut data),
        };
        read.map_err(|e| ResultsError::corrupt(&path, e))?;
    }
    Ok(data)
}
