//! Results over one parameter. Members that share all other parameters form a line; if there are too many lines, points.

use super::Content;
use super::Numbers;
use super::canvas::{
    BLUE, COLOURS, INK, LABEL, Labelled, MARGIN, RED, TICK, axes, axis, dot, label_room, line, mark_worst, sheet,
    short, text, text_up,
};
use crate::design::Value;
use taut_io::diagnostic::Diagnostic;
use taut_io::plot::drawing::{Anchor, Drawing, Frame, Pen, text_width};

const WIDTH: f64 = 760.0;
const PANEL: f64 = 300.0;
/// More lines than these have no legend.
const MAX_LEGEND: usize = 14;
/// A group of fewer members is not a line.
const MIN_LINE: usize = 2;

/// A line: its label, and rows sorted along the abscissa.
struct Group {
    label: String,
    rows: Vec<usize>,
}

/// Groups of rows that differ in the abscissa only.
fn groups(content: &Content, over: &str, x: &Numbers) -> Vec<Group> {
    let sweep = content.sweep;
    let others: Vec<usize> = (0..sweep.parameters().len()).filter(|i| sweep.parameters()[*i].name != over).collect();
    let label = |row: usize| {
        let one = |i: &usize| {
            let p = &sweep.parameters()[*i];
            let value = match &sweep.rows()[row].parameters[*i] {
                Value::Number(x) if p.unit.is_empty() => short(*x),
                Value::Number(x) => format!("{} {}", short(*x), p.unit),
                Value::Text(t) => t.clone(),
            };
            format!("{} = {value}", p.name)
        };
        others.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut found: Vec<(Vec<String>, Group)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for row in 0..sweep.rows().len() {
        let key: Vec<String> = others.iter().map(|i| format!("{:?}", sweep.rows()[row].parameters[*i])).collect();
        let place = *places.entry(key.clone()).or_insert_with(|| {
            found.push((key, Group { label: label(row), rows: Vec::new() }));
            found.len() - 1
        });
        found[place].1.rows.push(row);
    }
    let mut groups: Vec<Group> = found.into_iter().map(|(_, g)| g).collect();
    groups.iter_mut().for_each(|g| g.rows.sort_by(|a, b| x.values[*a].total_cmp(&x.values[*b])));
    groups
}

pub(super) fn draw(content: &Content, over: &str) -> Result<Drawing, Diagnostic> {
    let x = Numbers::of(content.sweep, over)?;
    let groups = groups(content, over, &x);
    let lines = groups.iter().all(|g| g.rows.len() >= MIN_LINE) && groups.len() <= 200;
    let panels = content.results.len();
    let (mut out, mut top) = sheet(content.title, WIDTH, 0.0);
    if let Some(worst) = content.worst_text() {
        top = legend_line(&mut out, top, &[(worst, RED)]);
    }
    if lines && groups.len() > 1 && groups.len() <= MAX_LEGEND {
        let entries: Vec<(String, [u8; 3])> =
            groups.iter().enumerate().map(|(k, g)| (g.label.clone(), COLOURS[k % COLOURS.len()])).collect();
        top = legend_line(&mut out, top, &entries);
    }
    let height = if panels == 1 { PANEL } else { 200.0 };
    let ordinates: Vec<_> = content.results.iter().map(|r| axis(r.values.iter(), 0.06, height, 0.0, 36.0)).collect();
    let left = MARGIN + LABEL + 10.0 + ordinates.iter().map(label_room).fold(0.0, f64::max);
    for (i, result) in content.results.iter().enumerate() {
        top += 10.0;
        let frame = Frame { x: left, y: top, width: WIDTH - left - MARGIN - 4.0, height };
        let across = axis(x.values.iter(), 0.03, frame.x, frame.x + frame.width, 76.0);
        let up = axis(result.values.iter(), 0.06, top + height, top, 36.0);
        let last = i + 1 == panels;
        axes(&mut out, &frame, &across, &up, Labelled { x: last, y: true });
        text_up(&mut out, (MARGIN + LABEL - 2.0, top + 0.5 * height), &result.label, LABEL);
        let place = |row: usize| (across.place(x.values[row]), up.place(result.values[row]));
        for (k, group) in groups.iter().enumerate() {
            let colour = if lines { COLOURS[k % COLOURS.len()] } else { BLUE };
            if lines {
                // A member without a value is a gap.
                for part in group.rows.split(|r| !result.values[*r].is_finite()).filter(|p| p.len() > 1) {
                    line(&mut out, part.iter().map(|r| place(*r)).collect(), Pen { colour, width: 1.3, dash: None });
                }
            }
            let radius = if group.rows.len() > 60 || !lines { 1.6 } else { 2.2 };
            group.rows.iter().for_each(|r| dot(&mut out, place(*r), radius, colour));
        }
        if let Some(worst) = content.worst {
            mark_worst(&mut out, place(worst));
        }
        top += height;
        if last {
            text(&mut out, (left + 0.5 * frame.width, top + 20.0 + LABEL + 8.0), &x.label, LABEL, Anchor::Middle, INK);
            top += 20.0 + LABEL + 8.0;
        }
    }
    out.height = (top + MARGIN).ceil();
    Ok(out)
}

/// Entries of a legend, in as many lines as they need; where the next shape goes.
pub(super) fn legend_line(out: &mut Drawing, top: f64, entries: &[(String, [u8; 3])]) -> f64 {
    let (mut x, mut y) = (MARGIN + 50.0, top + TICK);
    for (label, colour) in entries {
        let width = 1.18 * text_width(label, TICK) + 40.0;
        if x + width > out.width - MARGIN && x > MARGIN + 50.0 {
            (x, y) = (MARGIN + 50.0, y + 18.0);
        }
        dot(out, (x + 8.0, y - 4.0), 3.5, *colour);
        text(out, (x + 18.0, y), label, TICK, Anchor::Start, INK);
        x += width;
    }
    y + 8.0
}
