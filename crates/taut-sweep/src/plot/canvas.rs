//! Axes, labels and colours of the pictures.

use taut_io::plot::drawing::{Anchor, Colour, Direction, Drawing, Fill, Frame, Pen, Shape, WHITE, text_width};
use taut_io::plot::{Axis, Scale, range};
pub(super) use taut_io::plot::{scale_colour as colour, short_number as short};

pub(super) const INK: Colour = [0x22, 0x22, 0x22];
pub(super) const BLUE: Colour = [0x00, 0x72, 0xb2];
/// The worst member.
pub(super) const RED: Colour = [0xc0, 0x1c, 0x28];
pub(super) const EDGE: Pen = Pen { colour: [0x55, 0x55, 0x55], width: 1.0, dash: None };
const GRID: Pen = Pen { colour: [0xe4, 0xe4, 0xe4], width: 0.8, dash: None };

pub(super) const TITLE: f64 = 15.0;
pub(super) const LABEL: f64 = 12.5;
pub(super) const TICK: f64 = 11.5;
pub(super) const MARGIN: f64 = 14.0;

/// Lines of different colour (after Okabe and Ito).
pub(super) const COLOURS: [Colour; 7] = [
    BLUE,
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x33, 0x33, 0x33],
];

/// A drawing with its title; shapes start below `top`.
pub(super) fn sheet(title: &str, width: f64, height: f64) -> (Drawing, f64) {
    let mut out = Drawing { width, height, title: title.to_string(), paper: WHITE, shapes: Vec::new() };
    let mut top = MARGIN;
    if !title.is_empty() {
        text(&mut out, (0.5 * width, top + TITLE), title, TITLE, Anchor::Middle, INK);
        top += TITLE + 12.0;
    }
    (out, top)
}

pub(super) fn text(out: &mut Drawing, at: (f64, f64), text: &str, size: f64, anchor: Anchor, colour: Colour) {
    let direction = Direction::Across;
    out.shapes.push(Shape::Text { at, text: text.to_string(), size, anchor, direction, colour });
}

pub(super) fn text_up(out: &mut Drawing, at: (f64, f64), text: &str, size: f64) {
    let (anchor, direction) = (Anchor::Middle, Direction::Up);
    out.shapes.push(Shape::Text { at, text: text.to_string(), size, anchor, direction, colour: INK });
}

pub(super) fn line(out: &mut Drawing, points: Vec<(f64, f64)>, pen: Pen) {
    out.shapes.push(Shape::Line { points, pen, within: None });
}

pub(super) fn dot(out: &mut Drawing, at: (f64, f64), radius: f64, colour: Colour) {
    if at.0.is_finite() && at.1.is_finite() {
        out.shapes.push(Shape::Circle { at, radius, fill: Fill::Flat(colour), edge: None });
    }
}

/// Marks the worst member.
pub(super) fn mark_worst(out: &mut Drawing, at: (f64, f64)) {
    if at.0.is_finite() && at.1.is_finite() {
        let pen = Pen { colour: RED, width: 2.0, dash: None };
        out.shapes.push(Shape::Circle { at, radius: 3.2, fill: Fill::Flat(RED), edge: None });
        let ring: Vec<(f64, f64)> = (0..=24)
            .map(|i| f64::from(i) * std::f64::consts::TAU / 24.0)
            .map(|a| (at.0 + 7.0 * a.cos(), at.1 + 7.0 * a.sin()))
            .collect();
        out.shapes.push(Shape::Line { points: ring, pen, within: None });
    }
}

pub(super) fn rectangle(out: &mut Drawing, frame: Frame, fill: Colour) {
    let Frame { x, y, width, height } = frame;
    let points = vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
    out.shapes.push(Shape::Area { points, fill: Fill::Flat(fill), edge: None });
}

/// A linear axis for values, drawn between two places.
pub(super) fn axis<'a>(values: impl Iterator<Item = &'a f64>, margin: f64, from: f64, to: f64, apart: f64) -> Axis {
    Axis::new(Scale::Linear, range(Scale::Linear, values), margin, from, to, apart)
}

/// Room for the labels of an ordinate.
pub(super) fn label_room(y: &Axis) -> f64 {
    let widest = y.ticks().iter().map(|(_, label)| text_width(label, TICK)).fold(0.0, f64::max);
    widest + 8.0
}

/// Which axes get labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Labelled {
    pub x: bool,
    pub y: bool,
}

/// Grid, ticks, labels and edge of a pair of axes.
pub(super) fn axes(out: &mut Drawing, frame: &Frame, x: &Axis, y: &Axis, labelled: Labelled) {
    let (left, right, top, bottom) = (frame.x, frame.x + frame.width, frame.y, frame.y + frame.height);
    for (value, label) in x.ticks() {
        let at = x.place(value);
        line(out, vec![(at, top), (at, bottom)], GRID);
        line(out, vec![(at, bottom), (at, bottom + 4.0)], EDGE);
        if labelled.x {
            text(out, (at, bottom + 4.0 + TICK), &label, TICK, Anchor::Middle, INK);
        }
    }
    for (value, label) in y.ticks() {
        let at = y.place(value);
        line(out, vec![(left, at), (right, at)], GRID);
        line(out, vec![(left - 4.0, at), (left, at)], EDGE);
        if labelled.y {
            text(out, (left - 7.0, at + 0.36 * TICK), &label, TICK, Anchor::End, INK);
        }
    }
    if let Some(factor) = y.factor().filter(|_| labelled.y) {
        text(out, (left, top - 5.0), &factor, TICK, Anchor::Start, INK);
    }
    if let Some(factor) = x.factor().filter(|_| labelled.x) {
        text(out, (right, bottom + 2.0 * TICK + 10.0), &factor, TICK, Anchor::End, INK);
    }
    line(out, vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], EDGE);
}

#[cfg(test)]
mod tests {
    use super::{colour, short};

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 0.3, 1234.5678, -0.012_345_6, 2.5e7, 100.0, 1e-9].map(short);
        assert_eq!(texts, ["0", "0.3", "1235", "-0.01235", "2.500e7", "100", "1.000e-9"]);
        assert_eq!((colour(0.0), colour(1.0), colour(0.5)), ([68, 1, 84], [253, 231, 37], [33, 145, 140]));
    }
}
