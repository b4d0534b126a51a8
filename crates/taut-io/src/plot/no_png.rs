//! In place of `png.rs` in a build without the feature `png`: every use is an error that says so.

use super::drawing::Drawing;
use super::figure::PlotError;

pub(crate) fn write(_drawing: &Drawing, _scale: f64) -> Result<Vec<u8>, PlotError> {
    let why = "this build has no PNG support; write SVG, or build taut-io with its feature `png`";
    Err(PlotError::Encoding(why.to_string()))
}

pub(crate) fn pixels(drawing: &Drawing, scale: f64) -> Result<(u32, u32, Vec<[u8; 3]>), PlotError> {
    write(drawing, scale).map(|_| (0, 0, Vec::new()))
}
