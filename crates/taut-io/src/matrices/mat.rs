//! MAT files of level 5, uncompressed: a header of 128 bytes, then one tagged element per variable.
//!
//! ```text
//!  element    type, length in bytes, data, zeros up to a multiple of 8
//!  miMATRIX   array flags · dimensions · name · numbers (or cells, each a miMATRIX without a name)
//! ```

use super::MatrixContent;
use std::io;

const INT8: u32 = 1;
const UINT16: u32 = 4;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const MATRIX: u32 = 14;
/// Classes of arrays.
const CELL: u32 = 1;
const CHAR: u32 = 4;
const NUMBERS: u32 = 6;

/// The bytes of a file.
pub(super) fn write(all: &[(&str, MatrixContent)]) -> io::Result<Vec<u8>> {
    let mut out = format!("{:<124}", "MATLAB 5.0 MAT-file, written by taut").into_bytes();
    out.extend_from_slice(&0x0100_u16.to_le_bytes());
    out.extend_from_slice(b"IM");
    for (name, content) in all {
        match content {
            MatrixContent::Matrix(X) => {
                let numbers: Vec<u8> = X.as_slice().iter().flat_map(|x| x.to_le_bytes()).collect();
                let data = element(DOUBLE, &numbers)?;
                out.extend(array(NUMBERS, [X.nrows(), X.ncols()], name, &data)?);
            }
            MatrixContent::Names(names) => {
                let mut cells = Vec::new();
                for text in names {
                    let letters: Vec<u16> = text.encode_utf16().collect();
                    let data = element(UINT16, &letters.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<u8>>())?;
                    cells.extend(array(CHAR, [1, letters.len()], "", &data)?);
                }
                out.extend(array(CELL, [names.len(), 1], name, &cells)?);
            }
        }
    }
    Ok(out)
}

fn array(class: u32, size: [usize; 2], name: &str, data: &[u8]) -> io::Result<Vec<u8>> {
    let flags: Vec<u8> = [class, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut dimensions = Vec::with_capacity(8);
    for n in size {
        dimensions.extend_from_slice(&i32::try_from(n).map_err(|_| too_large())?.to_le_bytes());
    }
    let mut inside = element(UINT32, &flags)?;
    inside.extend(element(INT32, &dimensions)?);
    inside.extend(element(INT8, name.as_bytes())?);
    inside.extend_from_slice(data);
    element(MATRIX, &inside)
}

fn element(kind: u32, data: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(data.len()).map_err(|_| too_large())?;
    let mut out = Vec::with_capacity(data.len() + 16);
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(8), 0);
    Ok(out)
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "too large for a MAT file of level 5; write NPZ instead")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn a_matrix_byte_by_byte() {
        let bytes = write(&[("A", MatrixContent::Matrix(DMatrix::from_element(1, 1, 2.5)))]).unwrap();
        assert_eq!(bytes.len(), 128 + 8 + 16 + 16 + 16 + 16);
        assert_eq!(&bytes[124..136], &[0, 1, b'I', b'M', 14, 0, 0, 0, 64, 0, 0, 0]);
        assert_eq!(&bytes[bytes.len() - 8..], &2.5_f64.to_le_bytes());
    }
}
