//! Annotations: title, scale bar, times, axes.

use super::arrows::{Arrows, arrow, colour};
use super::camera::{Sheet, SheetPoint, Vec3};
use crate::scene::{ArrowKind, Space};
use taut_io::plot::drawing::{Anchor, Direction, Fill, Shape, text_width};

pub(super) const TITLE_SIZE: f64 = 16.0;
const LABEL_SIZE: f64 = 12.0;
/// Margins above and below the motion, and at its sides.
pub(super) const TOP_MARGIN: f64 = 64.0;
pub(super) const BOTTOM_MARGIN: f64 = 82.0;
pub(super) const SIDE_MARGIN: f64 = 40.0;
/// Safety factor: the reader's font may be wider than assumed.
const FONT_WIDTH_MARGIN: f64 = 1.18;

/// Draws all annotations; `times` contains each time with its opacity.
pub(super) fn draw(
    title: &str,
    size: SheetPoint,
    times: &[(f64, f64)],
    sheet: &Sheet,
    arrows: &Arrows,
    out: &mut Vec<Shape>,
) {
    let (width, height) = size;
    let text = |at: SheetPoint, text: String, size: f64, anchor: Anchor| Shape::Text {
        at,
        text,
        size,
        anchor,
        direction: Direction::Across,
        colour: sheet.ink.text,
    };
    out.push(text((SIDE_MARGIN - 18.0, 30.0), truncated(title, width - 2.0 * SIDE_MARGIN), TITLE_SIZE, Anchor::Start));
    let base = height - 20.0;
    // Scale bar: 1, 2 or 5 times a power of ten, at most a fifth of the width.
    let metres = round_down(0.2 * width / sheet.scale);
    let long = metres * sheet.scale;
    let left = SIDE_MARGIN - 18.0;
    for (a, b) in [(left, left), (left + long, left + long)] {
        let points = vec![(a, base - 4.0), (b, base + 4.0)];
        out.push(Shape::Line { points, pen: sheet.ink.pen(1.4), within: None });
    }
    let points = vec![(left, base), (left + long, base)];
    out.push(Shape::Line { points, pen: sheet.ink.pen(1.4), within: None });
    out.push(text((left + 0.5 * long, base - 8.0), length(metres), LABEL_SIZE, Anchor::Middle));
    let mut next = left + long + 26.0;
    if sheet.space == Space::Spatial {
        next = triad((next + 16.0, base - 2.0), sheet, out) + 18.0;
    }
    if let Some((newtons, long)) = arrows.note {
        out.extend(arrow((next, base), (next + long, base), colour(ArrowKind::Reaction, sheet)));
        out.push(text((next + 0.5 * long, base - 8.0), quantity(newtons, "N"), LABEL_SIZE, Anchor::Middle));
    }
    time_labels(width, base, times, sheet, out);
}

/// A row of dots with the opacities of the instants, between the labels of the first and last time.
fn time_labels(width: f64, base: f64, times: &[(f64, f64)], sheet: &Sheet, out: &mut Vec<Shape>) {
    let (Some((first, _)), Some((last, _))) = (times.first(), times.last()) else { return };
    let mut text = |x: f64, text: String, anchor: Anchor| {
        out.push(Shape::Text {
            at: (x, base + 4.0),
            text,
            size: LABEL_SIZE,
            anchor,
            direction: Direction::Across,
            colour: sheet.ink.text,
        });
    };
    let right = width - SIDE_MARGIN + 18.0;
    let end = quantity(*last, "s");
    let solid = times.iter().rev().find(|(_, opacity)| *opacity >= 1.0).map_or(*last, |(t, _)| *t);
    let end = match times.len() {
        1 => format!("t = {end}"),
        _ if solid < *last => format!("{end} (solid: {})", quantity(solid, "s")),
        _ => end,
    };
    let room = text_width(&end, LABEL_SIZE) * FONT_WIDTH_MARGIN + 10.0;
    text(right, end, Anchor::End);
    if times.len() == 1 {
        return;
    }
    let pitch = (150.0 / times.len() as f64).clamp(4.0, 13.0);
    let start = right - room - pitch * (times.len() - 1) as f64;
    text(start - 10.0, format!("t = {}", quantity(*first, "s")), Anchor::End);
    for (k, (_, opacity)) in times.iter().enumerate() {
        let at = (start + pitch * k as f64, base);
        let fill = Fill::Flat(sheet.ink.line);
        let dot = Shape::Circle { at, radius: (0.36 * pitch).min(4.0), fill, edge: None };
        out.push(Shape::Group { shapes: vec![dot], opacity: *opacity });
    }
}

/// A small triad of the world axes; returns its right end.
fn triad(at: SheetPoint, sheet: &Sheet, out: &mut Vec<Shape>) -> f64 {
    let axes = [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())];
    let mut reach = at.0;
    // An axis that points down must stay inside the picture.
    let lowest = axes.iter().map(|(_, axis)| 26.0 * sheet.project_direction(axis).1 / sheet.scale).fold(0.0, f64::max);
    let at = (at.0, at.1 + 6.0 - lowest);
    for (name, axis) in axes {
        let (dx, dy) = sheet.project_direction(&axis);
        let to = (at.0 + 18.0 * dx / sheet.scale, at.1 + 18.0 * dy / sheet.scale);
        out.extend(arrow(at, to, sheet.ink.ground));
        let (x, y) = (at.0 + 26.0 * dx / sheet.scale, at.1 + 26.0 * dy / sheet.scale);
        if (x - at.0).hypot(y - at.1) > 8.0 {
            out.push(Shape::Text {
                at: (x, y + 3.5),
                text: name.to_string(),
                size: 11.0,
                anchor: Anchor::Middle,
                direction: Direction::Across,
                colour: sheet.ink.text,
            });
        }
        reach = reach.max(x + 5.0);
    }
    reach
}

/// The largest number 1, 2 or 5 times a power of ten that does not exceed x.
pub(super) fn round_down(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return 1.0;
    }
    let decade = 10_f64.powf(x.log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|m| m * decade).find(|r| *r <= x * (1.0 + 1e-9)).unwrap_or(decade)
}

/// A length with a suitable unit (km, m, mm, µm).
fn length(metres: f64) -> String {
    let (factor, unit) = match metres {
        m if m >= 1000.0 => (1e-3, "km"),
        m if m >= 0.0999 => (1.0, "m"),
        m if m >= 1e-4 => (1e3, "mm"),
        _ => (1e6, "µm"),
    };
    quantity(factor * metres, unit)
}

/// At most four digits, and a unit.
fn quantity(x: f64, unit: &str) -> String {
    if x == 0.0 {
        return format!("0 {unit}");
    }
    let digits = (3 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let mut text = format!("{x:.digits$}");
    if text.contains('.') {
        text = text.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    format!("{} {unit}", text.replace('-', "−"))
}

/// The text, truncated with … to the available width.
fn truncated(text: &str, room: f64) -> String {
    if text_width(text, TITLE_SIZE) * FONT_WIDTH_MARGIN <= room {
        return text.to_string();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if text_width(&short, TITLE_SIZE) * FONT_WIDTH_MARGIN > room - TITLE_SIZE {
            break;
        }
    }
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::{length, quantity, round_down, truncated};

    #[test]
    fn round_numbers_and_their_units() {
        assert_eq!([0.37, 0.2, 99.0, 1.0, 7e-5].map(round_down), [0.2, 0.2, 50.0, 1.0, 5e-5]);
        assert_eq!([0.2, 0.05, 2000.0, 5e-5].map(length), ["0.2 m", "50 mm", "2 km", "50 µm"]);
        assert_eq!(quantity(2.345678, "s"), "2.346 s");
        assert_eq!(quantity(-20.0, "s"), "−20 s");
        assert_eq!(quantity(0.1 + 0.2, "s"), "0.3 s");
        assert!(truncated(&"long ".repeat(100), 300.0).ends_with('…'));
    }
}
