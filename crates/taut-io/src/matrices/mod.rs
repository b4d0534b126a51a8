//! Named matrices and lists of names, written for other programs: text, numpy, MATLAB.

mod mat;

use crate::results::table::zip::ZipWriter;
use nalgebra::DMatrix;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// What is written under a name.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixContent {
    /// Numbers.
    Matrix(DMatrix<f64>),
    /// Names, of states or inputs.
    Names(Vec<String>),
}

/// Formats of a set of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFormat {
    /// One text: a line with name and size, then the rows.
    Csv,
    /// An archive for `numpy.load`; names as arrays of text.
    Npz,
    /// MATLAB, level 5; names as cell arrays.
    Mat,
}

impl MatrixFormat {
    /// The format that the ending of a file says.
    pub fn of(path: &Path) -> Option<MatrixFormat> {
        match path.extension()?.to_string_lossy().to_lowercase().as_str() {
            "csv" => Some(MatrixFormat::Csv),
            "npz" => Some(MatrixFormat::Npz),
            "mat" => Some(MatrixFormat::Mat),
            _ => None,
        }
    }
}

/// Writes matrices to a file, replacing it.
///
/// # Errors
/// A file that cannot be written, matrices that are too large for the format.
pub fn write(path: &Path, format: MatrixFormat, all: &[(&str, MatrixContent)]) -> io::Result<()> {
    let bytes = match format {
        MatrixFormat::Csv => csv(all).into_bytes(),
        MatrixFormat::Npz => npz(all)?,
        MatrixFormat::Mat => mat::write(all)?,
    };
    fs::write(path, bytes)
}

fn csv(all: &[(&str, MatrixContent)]) -> String {
    let mut text = String::new();
    for (name, content) in all {
        match content {
            MatrixContent::Names(names) => {
                let quoted: Vec<String> = names.iter().map(|n| format!("\"{}\"", n.replace('"', "\"\""))).collect();
                let _ = writeln!(text, "{name},{},1\n{}", names.len(), quoted.join(","));
            }
            MatrixContent::Matrix(X) => {
                let _ = writeln!(text, "{name},{},{}", X.nrows(), X.ncols());
                for row in X.row_iter() {
                    let numbers: Vec<String> = row.iter().map(|x| format!("{x:e}")).collect();
                    let _ = writeln!(text, "{}", numbers.join(","));
                }
            }
        }
    }
    text
}

fn npz(all: &[(&str, MatrixContent)]) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Vec::new());
    for (name, content) in all {
        let (kind, shape, data) = match content {
            MatrixContent::Matrix(X) => {
                let data = X.as_slice().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
                ("<f8".to_string(), format!("({}, {})", X.nrows(), X.ncols()), data)
            }
            MatrixContent::Names(names) => {
                let longest = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(1);
                let mut data = Vec::with_capacity(4 * longest * names.len());
                for name in names {
                    let letters = name.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
                    letters.for_each(|c| data.extend_from_slice(&c.to_le_bytes()));
                }
                (format!("<U{longest}"), format!("({},)", names.len()), data)
            }
        };
        let mut words = format!("{{'descr': '{kind}', 'fortran_order': True, 'shape': {shape}, }}");
        while (10 + words.len() + 1) % 64 != 0 {
            words.push(' ');
        }
        words.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(words.len() as u16).to_le_bytes());
        bytes.extend_from_slice(words.as_bytes());
        bytes.extend_from_slice(&data);
        zip.store(&format!("{name}.npy"), &bytes)?;
    }
    zip.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_says_what_it_holds() {
        let X = DMatrix::from_row_slice(2, 2, &[1.0, -0.5, 0.1, 1e300]);
        let all = [("A", MatrixContent::Matrix(X)), ("inputs", MatrixContent::Names(vec!["push.fx".to_string()]))];
        assert_eq!(csv(&all), "A,2,2\n1e0,-5e-1\n1e-1,1e300\ninputs,1,1\n\"push.fx\"\n");
        assert_eq!(MatrixFormat::of(Path::new("a/b.MAT")), Some(MatrixFormat::Mat));
        assert_eq!(MatrixFormat::of(Path::new("b.txt")), None);
    }
}
