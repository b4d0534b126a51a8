//! The colours of values from low to high.

use super::drawing::Colour;

/// Equal steps in lightness: dark blue, blue, green, yellow.
const SCALE: [[f64; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];

/// The colour of a fraction between 0 and 1.
pub fn scale_colour(fraction: f64) -> Colour {
    let at = fraction.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let i = (at.floor() as usize).min(SCALE.len() - 2);
    let between = at - i as f64;
    [0, 1, 2].map(|k| (SCALE[i][k] + (SCALE[i + 1][k] - SCALE[i][k]) * between).round() as u8)
}

/// A number in at most four digits.
pub fn short_number(x: f64) -> String {
    let size = x.abs();
    let digits = if size == 0.0 { 0 } else { (3 - size.log10().floor() as i32).clamp(0, 7) as usize };
    let text = if size != 0.0 && !(1e-3..1e6).contains(&size) { format!("{x:.3e}") } else { format!("{x:.digits$}") };
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}
