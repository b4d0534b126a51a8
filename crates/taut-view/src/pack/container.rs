//! The binary format that the page reads: one gzip member with a JSON header and typed arrays.
//!
//! ```text
//! u32 length of the header | header | zeros to a multiple of 4 | arrays, each with zeros to a multiple of 8
//! f64       plain doubles, little-endian
//! delta32   f32 bit patterns b_k: d_k = b_k − b_{k−1}, zig-zag, then four planes of bytes, the lowest first
//! ```
//!
//! Consecutive values of smooth columns have similar bit patterns, so most bytes of the planes are zero.

use crate::error::ViewError;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// Encoding of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coding {
    /// Plain doubles, for times.
    F64,
    /// Differences of single-precision bit patterns, for all other arrays.
    Delta32,
}

/// Description of an array in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayInfo {
    /// Number of values.
    pub length: usize,
    /// Their encoding.
    pub coding: Coding,
}

/// Encoded arrays in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Arrays {
    /// One for each array.
    pub infos: Vec<ArrayInfo>,
    bytes: Vec<u8>,
}

impl Arrays {
    /// Appends an array and returns its index.
    pub fn push(&mut self, values: &[f64], coding: Coding) -> usize {
        match coding {
            Coding::F64 => values.iter().for_each(|x| self.bytes.extend(x.to_le_bytes())),
            Coding::Delta32 => self.bytes.extend(delta32(values)),
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        self.infos.push(ArrayInfo { length: values.len(), coding });
        self.infos.len() - 1
    }
}

fn delta32(values: &[f64]) -> Vec<u8> {
    let n = values.len();
    let mut planes = vec![0; 4 * n];
    let mut before = 0_u32;
    for (k, x) in values.iter().enumerate() {
        let bits = (*x as f32).to_bits();
        let d = bits.wrapping_sub(before) as i32;
        before = bits;
        let zigzag = (d << 1) ^ (d >> 31);
        for (plane, byte) in (zigzag as u32).to_le_bytes().into_iter().enumerate() {
            planes[plane * n + k] = byte;
        }
    }
    planes
}

fn undelta32(planes: &[u8], n: usize) -> Vec<f64> {
    let mut before = 0_u32;
    let value = |k: usize| {
        let zigzag = u32::from_le_bytes([0, 1, 2, 3].map(|plane| planes[plane * n + k]));
        let d = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
        before = before.wrapping_add(d);
        f64::from(f32::from_bits(before))
    };
    (0..n).map(value).collect()
}

fn refused(e: impl std::fmt::Display) -> ViewError {
    ViewError::Packing(e.to_string())
}

/// Compresses header and arrays.
///
/// # Errors
/// The header exceeds 4 GB.
pub fn encode(header: &impl Serialize, arrays: &Arrays) -> Result<Vec<u8>, ViewError> {
    let header = serde_json::to_vec(header).map_err(refused)?;
    let length = u32::try_from(header.len()).map_err(refused)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let padding = [0; 4];
    let parts: [&[u8]; 4] =
        [&length.to_le_bytes(), &header, &padding[..header.len().next_multiple_of(4) - header.len()], &arrays.bytes];
    parts.into_iter().try_for_each(|part| gzip.write_all(part)).map_err(refused)?;
    gzip.finish().map_err(refused)
}

/// Decodes the result of [`encode`]: the header as JSON, and the arrays.
///
/// # Errors
/// The bytes are not in this format.
pub fn decode(bytes: &[u8]) -> Result<(serde_json::Value, Vec<Vec<f64>>), ViewError> {
    let mut all = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut all).map_err(refused)?;
    let short = || ViewError::Packing("the data end too early".to_string());
    let word = all.get(..4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or_else(short)?;
    let length = word as usize;
    let header: serde_json::Value =
        serde_json::from_slice(all.get(4..4 + length).ok_or_else(short)?).map_err(refused)?;
    let infos: Vec<ArrayInfo> = serde_json::from_value(header["arrays"].clone()).map_err(refused)?;
    let (mut at, mut arrays) = ((4 + length).next_multiple_of(4), Vec::with_capacity(infos.len()));
    for ArrayInfo { length, coding } in infos {
        let size = match coding {
            Coding::F64 => 8 * length,
            Coding::Delta32 => 4 * length,
        };
        let part = all.get(at..at + size).ok_or_else(short)?;
        arrays.push(match coding {
            Coding::F64 => part.chunks_exact(8).map(|b| f64::from_le_bytes(std::array::from_fn(|i| b[i]))).collect(),
            Coding::Delta32 => undelta32(part, length),
        });
        at += size.next_multiple_of(8);
    }
    Ok((header, arrays))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_goes_in_comes_out() {
        let values: Vec<f64> = vec![0.0, -0.0, 1.5, -1.5, 1e30, f64::INFINITY, f64::NEG_INFINITY, 1e-44, 3.0];
        let instants = vec![0.1, 0.2, 0.30000000000000004];
        let mut arrays = Arrays::default();
        assert_eq!(arrays.push(&instants, Coding::F64), 0);
        assert_eq!(arrays.push(&values, Coding::Delta32), 1);
        assert_eq!(arrays.push(&[], Coding::Delta32), 2);
        assert_eq!(arrays.push(&[f64::NAN, 1.0], Coding::Delta32), 3);
        let header = json!({ "name": "</script>\u{202e}\"", "arrays": arrays.infos });
        let (read, found) = decode(&encode(&header, &arrays).unwrap()).unwrap();
        assert_eq!(read, header);
        assert_eq!(found[0], instants);
        let single: Vec<u64> = values.iter().map(|x| f64::from(*x as f32).to_bits()).collect();
        assert_eq!(found[1].iter().map(|x| x.to_bits()).collect::<Vec<_>>(), single);
        assert!(found[2].is_empty() && found[3][0].is_nan() && found[3][1] == 1.0);
        assert!(decode(b"no gzip").is_err());
    }

    #[test]
    fn the_coding_is_the_one_of_the_page() {
        // 1 and 1 + 2⁻²³: bit patterns 0x3f800000 and 0x3f800001; zig-zag 2·d.
        let planes = delta32(&[1.0, f64::from(1.0_f32 + f32::EPSILON)]);
        assert_eq!(planes, [0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x7f, 0x00]);
    }
}
