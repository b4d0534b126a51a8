//! Every column over every other; the diagonal shows histograms.

use super::canvas::{
    BLUE, INK, LABEL, Labelled, MARGIN, RED, axes, axis, dot, mark_worst, rectangle, sheet, text, text_up,
};
use super::response::legend_line;
use super::{Content, Numbers};
use taut_io::diagnostic::Diagnostic;
use taut_io::plot::Axis;
use taut_io::plot::drawing::{Anchor, Drawing, Frame};

const CELL: f64 = 170.0;
const GAP: f64 = 12.0;
/// Most columns of one picture.
const MAX_COLUMNS: usize = 8;
/// Bars of a histogram.
const BARS: usize = 16;

pub(super) fn draw(content: &Content, over: &[&str]) -> Result<Drawing, Diagnostic> {
    let parameters = over.iter().map(|p| Numbers::of(content.sweep, p)).collect::<Result<Vec<_>, _>>()?;
    let all: Vec<&Numbers> = parameters.iter().chain(&content.results).collect();
    if all.len() > MAX_COLUMNS {
        let message = format!("a scatter matrix of {} columns is too large; at most {MAX_COLUMNS}", all.len());
        return Err(Diagnostic::error(message).help("choose parameters with --over and fewer results"));
    }
    let n = all.len() as f64;
    let left = MARGIN + LABEL + 62.0;
    let width = left + n * (CELL + GAP) + MARGIN;
    let (mut out, mut top) = sheet(content.title, width, 0.0);
    if let Some(worst) = content.worst_text() {
        top = legend_line(&mut out, top, &[(worst, RED)]);
    }
    top += 10.0;
    let last = all.len() - 1;
    for (i, y) in all.iter().enumerate() {
        let cell_top = top + i as f64 * (CELL + GAP);
        text_up(&mut out, (MARGIN + LABEL - 2.0, cell_top + 0.5 * CELL), &y.label, LABEL);
        for (j, x) in all.iter().enumerate() {
            let frame = Frame { x: left + j as f64 * (CELL + GAP), y: cell_top, width: CELL, height: CELL };
            let across = axis(x.values.iter(), 0.05, frame.x, frame.x + CELL, 62.0);
            let up = axis(y.values.iter(), 0.05, cell_top + CELL, cell_top, 36.0);
            // The diagonal counts members, which the ordinate of its row does not.
            axes(&mut out, &frame, &across, &up, Labelled { x: i == last, y: j == 0 });
            if i == j {
                histogram(&mut out, x, &across, &frame);
                continue;
            }
            let places = x.values.iter().zip(&y.values).map(|(a, b)| (across.place(*a), up.place(*b)));
            let radius = if x.values.len() > 500 { 1.1 } else { 1.8 };
            places.for_each(|at| dot(&mut out, at, radius, BLUE));
            if let Some(worst) = content.worst {
                mark_worst(&mut out, (across.place(x.values[worst]), up.place(y.values[worst])));
            }
        }
    }
    let bottom = top + n * (CELL + GAP) - GAP;
    for (j, x) in all.iter().enumerate() {
        let at = (left + j as f64 * (CELL + GAP) + 0.5 * CELL, bottom + 20.0 + LABEL + 8.0);
        text(&mut out, at, &x.label, LABEL, Anchor::Middle, INK);
    }
    out.height = (bottom + 20.0 + LABEL + 8.0 + MARGIN).ceil();
    Ok(out)
}

fn histogram(out: &mut Drawing, x: &Numbers, across: &Axis, frame: &Frame) {
    let places: Vec<f64> = x.values.iter().map(|v| across.place(*v)).filter(|p| p.is_finite()).collect();
    let mut counts = [0_usize; BARS];
    for p in &places {
        let k = ((p - frame.x) / frame.width * BARS as f64) as usize;
        counts[k.min(BARS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let step = frame.width / BARS as f64;
    for (k, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
        let height = *count as f64 / most * (frame.height - 10.0);
        let bar =
            Frame { x: frame.x + k as f64 * step + 0.5, y: frame.y + frame.height - height, width: step - 1.0, height };
        rectangle(out, bar, [0x8f, 0xb8, 0xd8]);
    }
}
