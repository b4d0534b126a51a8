//! Parallel coordinates: one axis per column, one line per member, coloured by the first result.

use super::canvas::{EDGE, INK, LABEL, MARGIN, RED, TICK, axis, colour, line, rectangle, sheet, text};
use super::response::legend_line;
use super::{Content, Numbers};
use taut_io::diagnostic::Diagnostic;
use taut_io::plot::drawing::{Anchor, Drawing, Frame, Pen, WHITE, text_width};

const HEIGHT: f64 = 340.0;
const APART: f64 = 150.0;

pub(super) fn draw(content: &Content, over: &[&str]) -> Result<Drawing, Diagnostic> {
    let parameters = over.iter().map(|p| Numbers::of(content.sweep, p)).collect::<Result<Vec<_>, _>>()?;
    let all: Vec<&Numbers> = parameters.iter().chain(&content.results).collect();
    if all.len() < 2 {
        return Err(Diagnostic::error("parallel coordinates need at least two columns"));
    }
    let left = MARGIN + 80.0;
    let width = left + (all.len() - 1) as f64 * APART + 90.0 + MARGIN;
    let (mut out, mut top) = sheet(content.title, width, 0.0);
    if let Some(worst) = content.worst_text() {
        top = legend_line(&mut out, top, &[(worst, RED)]);
    }
    // Two rows of labels above the axes.
    top += 2.0 * LABEL + 18.0;
    let bottom = top + HEIGHT;
    let scales: Vec<_> = all.iter().map(|c| axis(c.values.iter(), 0.02, bottom, top, 40.0)).collect();
    let place = |k: usize| left + k as f64 * APART;
    let first = &content.results[0];
    let shade = axis(first.values.iter(), 0.0, 0.0, 1.0, 1.0);
    // Low values first, so that the high ones are seen.
    let mut rows: Vec<usize> = (0..first.values.len()).filter(|r| first.values[*r].is_finite()).collect();
    rows.sort_by(|a, b| first.values[*a].total_cmp(&first.values[*b]));
    let path = |row: usize| -> Vec<(f64, f64)> {
        all.iter()
            .enumerate()
            .map(|(k, c)| (place(k), scales[k].place(c.values[row])))
            .filter(|p| p.1.is_finite())
            .collect()
    };
    let thin = if rows.len() > 200 { 0.5 } else { 0.9 };
    for row in rows {
        line(&mut out, path(row), Pen { colour: colour(shade.place(first.values[row])), width: thin, dash: None });
    }
    if let Some(worst) = content.worst {
        line(&mut out, path(worst), Pen { colour: RED, width: 2.4, dash: None });
    }
    for (k, column) in all.iter().enumerate() {
        let x = place(k);
        line(&mut out, vec![(x, top), (x, bottom)], EDGE);
        for (value, label) in scales[k].ticks() {
            let y = scales[k].place(value);
            line(&mut out, vec![(x - 4.0, y), (x, y)], EDGE);
            // Lines behind a label would make it hard to read.
            let wide = 1.1 * text_width(&label, TICK) + 4.0;
            let behind = Frame { x: x - 5.0 - wide, y: y - 0.55 * TICK, width: wide, height: 1.1 * TICK };
            rectangle(&mut out, behind, WHITE);
            text(&mut out, (x - 7.0, y + 0.36 * TICK), &label, TICK, Anchor::End, INK);
        }
        let label = scales[k].factor().map_or_else(|| column.label.clone(), |f| format!("{} {f}", column.label));
        // Labels alternate in height, so that long ones do not meet.
        let up = if k % 2 == 0 { 8.0 } else { 8.0 + LABEL + 2.0 };
        text(&mut out, (x, top - up), &label, LABEL, Anchor::Middle, INK);
    }
    out.height = (bottom + MARGIN + 8.0).ceil();
    Ok(out)
}
