//! One part of a table as an archive for `numpy.load`: every column one array of doubles.

use super::zip::{Archive, ZipWriter};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use taut::Column;

/// Writes a part and gives the file back.
pub(crate) fn write(file: File, columns: &[Column]) -> io::Result<File> {
    let mut zip = ZipWriter::new(BufWriter::with_capacity(1 << 20, file));
    let mut content = Vec::new();
    for column in columns {
        content.clear();
        content.extend_from_slice(&header(column.data.len()));
        column.data.iter().for_each(|x| content.extend_from_slice(&x.to_le_bytes()));
        zip.store(&format!("{}.npy", column.name), &content)?;
    }
    let mut out = zip.finish()?;
    out.flush()?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Version 1.0: magic, length, a dictionary padded to a multiple of 64 bytes.
fn header(rows: usize) -> Vec<u8> {
    let mut words = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows},), }}");
    while (10 + words.len() + 1) % 64 != 0 {
        words.push(' ');
    }
    words.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(words.len() as u16).to_le_bytes());
    bytes.extend_from_slice(words.as_bytes());
    bytes
}

/// Appends the wanted columns of a part.
pub(crate) fn read(file: File, wanted: &[(usize, &str)], data: &mut [Vec<f64>]) -> io::Result<()> {
    let mut archive = Archive::open(file)?;
    for ((_, name), out) in wanted.iter().zip(data) {
        let content = archive.member(&format!("{name}.npy"))?;
        let strange = || io::Error::new(io::ErrorKind::InvalidData, format!("`{name}` is not a list of doubles"));
        let (start, rest) = content.split_at_checked(10).ok_or_else(strange)?;
        let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
        let (words, numbers) = rest.split_at_checked(length).ok_or_else(strange)?;
        let doubles = words.windows(5).any(|w| w == b"'<f8'") && start.starts_with(b"\x93NUMPY\x01");
        if !doubles || numbers.len() % 8 != 0 {
            return Err(strange());
        }
        out.extend(numbers.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)));
    }
    Ok(())
}
