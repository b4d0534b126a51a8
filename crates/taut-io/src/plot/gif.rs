//! Drawings as an animated GIF: one palette of 256 colours for all frames, compressed by the method of Lempel, Ziv and Welch
//! \[CompuServe1990\].

use super::drawing::Drawing;
use super::figure::PlotError;
use super::png;
use std::collections::HashMap;

/// Colours of the palette.
const COLOURS: usize = 256;
/// Frames from which the palette is taken.
const SAMPLED_FRAMES: usize = 16;
/// Codes have at most so many bits.
const MAX_BITS: u32 = 12;

/// An animation that repeats, from drawings of one size. `scale` pixels to a unit of the drawing; each frame is shown for
/// `hundredths` of a second.
///
/// # Errors
/// No frames, frames of different size, or a size that cannot be drawn.
pub fn animation(frames: &[Drawing], scale: f64, hundredths: u16) -> Result<Vec<u8>, PlotError> {
    let mut size = None;
    let mut pictures: Vec<Vec<u16>> = Vec::with_capacity(frames.len());
    for frame in frames {
        let (width, height, rgb) = png::pixels(frame, scale)?;
        if *size.get_or_insert((width, height)) != (width, height) {
            return Err(PlotError::Encoding("the frames differ in size".to_string()));
        }
        // Five bits of each colour: finer differences are not seen, and the palette stays small.
        pictures.push(
            rgb.iter().map(|[r, g, b]| u16::from(r >> 3) << 10 | u16::from(g >> 3) << 5 | u16::from(b >> 3)).collect(),
        );
    }
    let Some((width, height)) = size else { return Err(PlotError::Encoding("there are no frames".to_string())) };
    let (Ok(w), Ok(h)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(PlotError::Size { width: f64::from(width), height: f64::from(height) });
    };
    let palette = palette(&pictures);
    let mut out = b"GIF89a".to_vec();
    out.extend([w.to_le_bytes(), h.to_le_bytes()].concat());
    // A global table of 2^8 colours.
    out.extend([0xf7, 0, 0]);
    for k in 0..COLOURS {
        let colour = palette.get(k).copied().unwrap_or(0);
        out.extend([10, 5, 0].map(|shift| five_to_eight(colour >> shift & 31)));
    }
    // It repeats forever.
    out.extend(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00");
    let mut known: HashMap<u16, u8> = palette.iter().enumerate().map(|(k, c)| (*c, k as u8)).collect();
    for picture in &pictures {
        out.extend([0x21, 0xf9, 4, 4]);
        out.extend(hundredths.to_le_bytes());
        out.extend([0, 0, 0x2c, 0, 0, 0, 0]);
        out.extend([w.to_le_bytes(), h.to_le_bytes()].concat());
        out.push(0);
        let indices: Vec<u8> =
            picture.iter().map(|c| *known.entry(*c).or_insert_with(|| nearest(&palette, *c))).collect();
        compress(&indices, &mut out);
    }
    out.push(0x3b);
    Ok(out)
}

fn five_to_eight(x: u16) -> u8 {
    (x << 3 | x >> 2) as u8
}

/// The most frequent colours.
fn palette(pictures: &[Vec<u16>]) -> Vec<u16> {
    let mut counts = vec![0_u64; 1 << 15];
    let step = pictures.len().div_ceil(SAMPLED_FRAMES).max(1);
    pictures.iter().step_by(step).flatten().for_each(|c| counts[usize::from(*c)] += 1);
    let mut used: Vec<u16> = (0..1 << 15).filter(|c| counts[usize::from(*c)] > 0).collect();
    used.sort_by_key(|c| std::cmp::Reverse(counts[usize::from(*c)]));
    used.truncate(COLOURS);
    used
}

fn nearest(palette: &[u16], colour: u16) -> u8 {
    let parts = |c: u16| [10, 5, 0].map(|shift| i32::from(c >> shift & 31));
    let distance = |c: &u16| -> i32 { parts(*c).iter().zip(parts(colour)).map(|(a, b)| (a - b) * (a - b)).sum() };
    palette.iter().enumerate().min_by_key(|(_, c)| distance(c)).map_or(0, |(k, _)| k as u8)
}

/// Codes of growing length, in blocks of at most 255 bytes.
fn compress(indices: &[u8], out: &mut Vec<u8>) {
    const CLEAR: u16 = 256;
    const END: u16 = 257;
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0_u32);
    let mut push = |code: u16, width: u32| {
        bits |= u32::from(code) << count;
        count += width;
        while count >= 8 {
            bytes.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    };
    let (mut table, mut next, mut width) = (HashMap::<(u16, u8), u16>::new(), END + 1, 9);
    push(CLEAR, width);
    let mut prefix: Option<u16> = None;
    for &index in indices {
        let Some(before) = prefix else {
            prefix = Some(u16::from(index));
            continue;
        };
        if let Some(&code) = table.get(&(before, index)) {
            prefix = Some(code);
            continue;
        }
        push(before, width);
        if u32::from(next) == 1 << MAX_BITS {
            push(CLEAR, width);
            table.clear();
            (next, width) = (END + 1, 9);
        } else {
            table.insert((before, index), next);
            // The reader is one entry behind.
            if u32::from(next) == 1 << width {
                width += 1;
            }
            next += 1;
        }
        prefix = Some(u16::from(index));
    }
    if let Some(last) = prefix {
        push(last, width);
    }
    push(END, width);
    push(0, 7);
    out.push(8);
    for block in bytes.chunks(255) {
        out.push(block.len() as u8);
        out.extend_from_slice(block);
    }
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::compress;

    /// Reads the codes back, as \[CompuServe1990\] appendix F describes it.
    fn expand(data: &[u8]) -> Vec<u8> {
        assert_eq!(data[0], 8);
        let (mut bytes, mut rest) = (Vec::new(), &data[1..]);
        while let Some((length, more)) = rest.split_first().filter(|(length, _)| **length > 0) {
            let length = usize::from(*length);
            bytes.extend_from_slice(&more[..length]);
            rest = &more[length..];
        }
        let (mut table, mut out, mut width, mut at) = (Vec::<Vec<u8>>::new(), Vec::new(), 9, 0);
        let mut last: Option<Vec<u8>> = None;
        loop {
            let code = (0..width).fold(0_usize, |c, k| c | usize::from(bytes[(at + k) / 8] >> ((at + k) % 8) & 1) << k);
            at += width;
            if code == 256 {
                (table, width, last) = ((0..258).map(|k| vec![k as u8]).collect(), 9, None);
                continue;
            }
            if code == 257 {
                return out;
            }
            let entry = match (table.get(code).cloned(), &last) {
                (Some(entry), _) => entry,
                (None, Some(last)) => [&last[..], &last[..1]].concat(),
                (None, None) => panic!("code {code} comes first"),
            };
            if let Some(last) = &last
                && table.len() < 4096
            {
                table.push([&last[..], &entry[..1]].concat());
                if table.len() == 1 << width && width < 12 {
                    width += 1;
                }
            }
            out.extend_from_slice(&entry);
            last = Some(entry);
        }
    }

    #[test]
    fn what_is_compressed_is_read_back() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let noise: Vec<u8> = (0..40_000).map(|_| random()).collect();
        for picture in [vec![], vec![7], vec![0; 100_000], (0..=255).cycle().take(70_000).collect(), noise] {
            let mut data = Vec::new();
            compress(&picture, &mut data);
            assert!(expand(&data) == picture, "{} pixels", picture.len());
        }
    }
}
