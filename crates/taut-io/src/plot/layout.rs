//! Layout of a figure.

use super::axis::{Axis, Scale, range};
use super::decimation::thin;
use super::drawing::{Anchor, Direction, Drawing, Frame, Pen, Shape, WHITE};
use super::event_marks::mark;
use super::figure::{Figure, Marks, Panel};
use super::font;

/// Colours that stay apart for every kind of colour vision and in grey (after Okabe and Ito).
const COLOURS: [[u8; 3]; 7] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x33, 0x33, 0x33],
];
/// Dashes of the lines when all colours are used up, once more and again.
const DASHES: [Option<[f64; 2]>; 3] = [None, Some([6.0, 3.0]), Some([2.0, 2.5])];
const INK: [u8; 3] = [0x22, 0x22, 0x22];
const GRID: Pen = Pen { colour: [0xe4, 0xe4, 0xe4], width: 0.8, dash: None };
const FAINT: Pen = Pen { colour: [0x99, 0x99, 0x99], width: 0.9, dash: Some([5.0, 3.0]) };
const EDGE: Pen = Pen { colour: [0x55, 0x55, 0x55], width: 1.0, dash: None };

const TITLE: f64 = 15.0;
const LABEL: f64 = 12.5;
const TICK: f64 = 11.5;
const MARGIN: f64 = 14.0;
const GAP: f64 = 18.0;
const LEGEND_LINE: f64 = 18.0;
const SAMPLE: f64 = 22.0;
/// The reader's font may be wider than the one reckoned with.
const WIDER: f64 = 1.18;

/// Lays a figure out.
pub(crate) fn draw(figure: &Figure) -> Drawing {
    let panels = &figure.panels;
    let all_x = panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.x);
    let (x_scale, y_scale) = figure.scales;
    let x_range = range(x_scale, all_x);
    let (x_margin, pixel) = match course(panels) {
        // A sign at the end of a line needs room as well.
        Polyline::Onward if figure.marks == Marks::None => (0.0, 0.5),
        Polyline::Onward => (0.03, 0.1),
        // A loop turns back within a column: finer columns, and room for it to turn.
        Polyline::Loops => (0.03, 0.1),
    };
    let height = figure.panel_height.max(40.0);
    // Ranges first: the widest label decides where all panels begin.
    let of_panel = |i: usize| figure.ordinates.get(i).copied().unwrap_or(y_scale);
    let on_axis = |(i, p): (usize, &Panel)| (of_panel(i), range(of_panel(i), p.series.iter().flat_map(|s| &s.y)));
    let ys: Vec<(Scale, (f64, f64))> = panels.iter().enumerate().map(on_axis).collect();
    let widest = ys.iter().flat_map(|(scale, r)| Axis::new(*scale, *r, 0.05, height, 0.0, 36.0).ticks());
    let widest = widest.map(|(_, label)| font::width(&label) * TICK).fold(0.0, f64::max);
    let left = MARGIN + LABEL + 10.0 + widest + 8.0;
    let width = (figure.width - left - MARGIN - 4.0).max(40.0);
    let mut out = Drawing {
        width: figure.width.max(left + width + MARGIN),
        height: 0.0,
        title: figure.title.clone(),
        paper: WHITE,
        shapes: Vec::new(),
    };
    let mut top = MARGIN;
    if !figure.title.is_empty() {
        let at = (left + 0.5 * width, top + TITLE);
        text(&mut out, at, &figure.title, TITLE, Anchor::Middle, Direction::Across);
        top += TITLE + 12.0;
    }
    for (i, (panel, (y_scale, y_range))) in panels.iter().zip(ys).enumerate() {
        top = legend(&mut out, panel, figure.marks, left, top, width);
        let frame = Frame { x: left, y: top, width, height };
        let x = Axis::new(x_scale, x_range, x_margin, left, left + width, 76.0);
        let y = Axis::new(y_scale, y_range, 0.05, top + height, top, 36.0);
        let last = i + 1 == panels.len();
        if let Some(factor) = y.factor() {
            text(&mut out, (left, top - 5.0), &factor, TICK, Anchor::Start, Direction::Across);
        }
        axes(&mut out, &frame, &x, &y, last);
        let label = named(&panel.label, &panel.unit);
        let at = (MARGIN + LABEL - 2.0, top + 0.5 * height);
        text(&mut out, at, &label, LABEL, Anchor::Middle, Direction::Up);
        for guide in figure.guides.iter().filter(|g| g.panel == i) {
            let points = guide.series.x.iter().zip(&guide.series.y).map(|(u, v)| (x.place(*u), y.place(*v)));
            faint(&mut out, points.collect(), &guide.series.label, frame);
        }
        for (k, series) in panel.series.iter().enumerate() {
            let points = series.x.iter().zip(&series.y).map(|(u, v)| (x.place(*u), y.place(*v)));
            for points in thin(points, pixel) {
                let signs = match figure.marks {
                    Marks::None => Vec::new(),
                    Marks::Points => points.iter().map(|at| mark(k, *at)).collect(),
                };
                out.shapes.push(Shape::Line { points, pen: pen(k), within: Some(frame) });
                signs.into_iter().for_each(|points| line(&mut out, points, Pen { dash: None, ..pen(k) }));
            }
        }
        // The edge goes over the lines.
        let (l, t, r, b) = (left, top, left + width, top + height);
        line(&mut out, vec![(l, t), (r, t), (r, b), (l, b), (l, t)], EDGE);
        top += height;
        if last {
            let label = named(&figure.x_label, &figure.x_unit);
            let label = match x.factor() {
                Some(factor) => format!("{label}  {factor}"),
                None => label,
            };
            let at = (left + 0.5 * width, top + 20.0 + LABEL + 8.0);
            text(&mut out, at, &label, LABEL, Anchor::Middle, Direction::Across);
            top += 20.0 + LABEL + 8.0;
        } else {
            top += GAP;
        }
    }
    out.height = (top + MARGIN).ceil();
    out
}

/// How lines run along the abscissa.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polyline {
    /// As over time.
    Onward,
    /// As in a phase portrait.
    Loops,
}

fn course(panels: &[Panel]) -> Polyline {
    let back = |x: &Vec<f64>| x.windows(2).any(|w| w[1] < w[0]);
    if panels.iter().flat_map(|p| &p.series).any(|s| back(&s.x)) { Polyline::Loops } else { Polyline::Onward }
}

fn pen(k: usize) -> Pen {
    Pen { colour: COLOURS[k % COLOURS.len()], width: 1.3, dash: DASHES[k / COLOURS.len() % DASHES.len()] }
}

/// A line that bears its name where it leaves the frame, or ends in it.
fn faint(out: &mut Drawing, points: Vec<(f64, f64)>, label: &str, frame: Frame) {
    let inside = |p: &(f64, f64)| p.1 >= frame.y && p.1 <= frame.y + frame.height;
    let last = points.iter().rposition(inside);
    if let Some(last) = last {
        let (from, over) = (points[last], points.get(last + 1).filter(|p| p.1 < frame.y));
        let at = match over {
            // Out through the top: beside the line, where it is a line of letters below the edge.
            Some(to) => {
                let y = frame.y + TICK + 2.0;
                (from.0 + (from.1 - y) / (from.1 - to.1) * (to.0 - from.0) - 5.0, y)
            }
            // Below the end of a line that rises, clear of the edges.
            None => (from.0 - 6.0, (from.1 + TICK + 4.0).min(frame.y + frame.height - 4.0)),
        };
        let colour = FAINT.colour.map(|c| c / 2 + 0x11);
        let (text, direction) = (label.to_string(), Direction::Across);
        out.shapes.push(Shape::Text { at, text, size: TICK, anchor: Anchor::End, direction, colour });
    }
    out.shapes.push(Shape::Line { points, pen: FAINT, within: Some(frame) });
}

/// Grid, ticks and their labels; those of the abscissa only under the last panel.
fn axes(out: &mut Drawing, frame: &Frame, x: &Axis, y: &Axis, last: bool) {
    let (left, right) = (frame.x, frame.x + frame.width);
    let (top, bottom) = (frame.y, frame.y + frame.height);
    for (value, label) in x.ticks() {
        let at = x.place(value);
        line(out, vec![(at, top), (at, bottom)], GRID);
        line(out, vec![(at, bottom), (at, bottom + 4.0)], EDGE);
        if last {
            text(out, (at, bottom + 6.0 + TICK), &label, TICK, Anchor::Middle, Direction::Across);
        }
    }
    for (value, label) in y.ticks() {
        let at = y.place(value);
        line(out, vec![(left, at), (right, at)], GRID);
        line(out, vec![(left - 4.0, at), (left, at)], EDGE);
        text(out, (left - 7.0, at + 0.36 * TICK), &label, TICK, Anchor::End, Direction::Across);
    }
}

/// Names of several lines above their panel, in as many rows as they need; gives back where the axes begin.
fn legend(out: &mut Drawing, panel: &Panel, marks: Marks, left: f64, top: f64, width: f64) -> f64 {
    // Room for a power of ten, and a little air, is always there.
    let plain = top + LEGEND_LINE;
    if panel.series.len() < 2 {
        return plain;
    }
    let size = |label: &str| SAMPLE + 6.0 + WIDER * font::width(label) * LABEL + 14.0;
    let mut rows: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new())];
    for (k, series) in panel.series.iter().enumerate() {
        let wide = size(&series.label);
        match rows.last_mut() {
            Some((used, row)) if row.is_empty() || *used + wide <= width - 50.0 => {
                *used += wide;
                row.push(k);
            }
            _ => rows.push((wide, vec![k])),
        }
    }
    let mut y = top + 6.0;
    for (used, row) in &rows {
        let mut x = left + width - used + 14.0;
        for &k in row {
            let label = &panel.series[k].label;
            line(out, vec![(x, y), (x + SAMPLE, y)], Pen { width: 2.0, ..pen(k) });
            if marks == Marks::Points {
                line(out, mark(k, (x + 0.5 * SAMPLE, y)), Pen { dash: None, ..pen(k) });
            }
            text(out, (x + SAMPLE + 6.0, y + 0.36 * LABEL), label, LABEL, Anchor::Start, Direction::Across);
            x += size(label);
        }
        y += LEGEND_LINE;
    }
    plain + LEGEND_LINE * (rows.len() - 1) as f64
}

fn named(label: &str, unit: &str) -> String {
    match (label, unit) {
        (label, "1" | "") => label.to_string(),
        ("", unit) => format!("[{unit}]"),
        (label, unit) => format!("{label} [{unit}]"),
    }
}

fn line(out: &mut Drawing, points: Vec<(f64, f64)>, pen: Pen) {
    out.shapes.push(Shape::Line { points, pen, within: None });
}

fn text(out: &mut Drawing, at: (f64, f64), text: &str, size: f64, anchor: Anchor, direction: Direction) {
    out.shapes.push(Shape::Text { at, text: text.to_string(), size, anchor, direction, colour: INK });
}
