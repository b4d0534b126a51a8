//! Tornado: by how much each parameter alone changes a result, the largest change on top.
//!
//! For each parameter, members are grouped by its value (or by thirds of its range if it was sampled); a bar spans the mean
//! results of the groups with its lowest and highest values.

use super::canvas::{BLUE, EDGE, INK, LABEL, Labelled, MARGIN, TICK, axes, axis, line, rectangle, sheet, short, text};
use super::response::legend_line;
use super::{Content, Numbers};
use taut_io::diagnostic::Diagnostic;
use taut_io::plot::drawing::{Anchor, Drawing, Frame, text_width};

const WIDTH: f64 = 760.0;
const BAR: f64 = 26.0;
const ORANGE: [u8; 3] = [0xd5, 0x5e, 0x00];

/// Mean results where a parameter is low and where it is high.
struct Effect {
    label: String,
    low: (f64, f64),
    high: (f64, f64),
}

fn effect(x: &Numbers, y: &Numbers) -> Option<Effect> {
    let mut rows: Vec<(f64, f64)> = x
        .values
        .iter()
        .copied()
        .zip(y.values.iter().copied())
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (rows.first()?.0, rows.last()?.0);
    let at = |value: f64| rows.iter().filter(|r| r.0 == value).count();
    // On a grid, the ends occur several times or are all there is; of samples, the outer thirds are taken.
    let grid = at(first) > 1 && at(last) > 1 || rows.len() <= 8;
    let third = (rows.len() / 3).max(1);
    let (low, high): (Vec<_>, Vec<_>) = match grid {
        true => (rows.iter().filter(|r| r.0 == first).collect(), rows.iter().filter(|r| r.0 == last).collect()),
        false => (rows[..third].iter().collect(), rows[rows.len() - third..].iter().collect()),
    };
    let mean = |list: &[&(f64, f64)]| {
        let n = list.len() as f64;
        (list.iter().map(|r| r.0).sum::<f64>() / n, list.iter().map(|r| r.1).sum::<f64>() / n)
    };
    (first < last).then(|| Effect { label: x.label.clone(), low: mean(&low), high: mean(&high) })
}

pub(super) fn draw(content: &Content, over: &[&str]) -> Result<Drawing, Diagnostic> {
    let y = &content.results[0];
    let parameters = over.iter().map(|p| Numbers::of(content.sweep, p)).collect::<Result<Vec<_>, _>>()?;
    let mut effects: Vec<Effect> = parameters.iter().filter_map(|x| effect(x, y)).collect();
    if effects.is_empty() {
        return Err(Diagnostic::error("no parameter with at least two values has results"));
    }
    let size = |e: &Effect| (e.high.1 - e.low.1).abs();
    effects.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let finite: Vec<f64> = y.values.iter().copied().filter(|v| v.is_finite()).collect();
    let mean = finite.iter().sum::<f64>() / finite.len() as f64;
    let (mut out, mut top) = sheet(content.title, WIDTH, 0.0);
    let meaning = [("parameter low".to_string(), BLUE), ("parameter high".to_string(), ORANGE)];
    top = legend_line(&mut out, top, &meaning) + 10.0;
    let widest = effects.iter().map(|e| text_width(&e.label, LABEL)).fold(40.0, f64::max);
    let left = MARGIN + 1.18 * widest + 14.0;
    let height = effects.len() as f64 * (BAR + 10.0) + 10.0;
    let frame = Frame { x: left, y: top, width: WIDTH - left - MARGIN - 4.0, height };
    let ends: Vec<f64> = effects.iter().flat_map(|e| [e.low.1, e.high.1]).chain([mean]).collect();
    // Room for the numbers beside the bars.
    let across = axis(ends.iter(), 0.16, frame.x, frame.x + frame.width, 80.0);
    let none = axis([0.0, 1.0].iter(), 0.0, top + height, top, 1e6);
    axes(&mut out, &frame, &across, &none, Labelled { x: true, y: false });
    for (k, e) in effects.iter().enumerate() {
        let y0 = top + 10.0 + k as f64 * (BAR + 10.0);
        text(&mut out, (left - 8.0, y0 + 0.5 * BAR + 0.36 * LABEL), &e.label, LABEL, Anchor::End, INK);
        let middle = across.place(mean);
        // The longer bar first, so that a shorter one on the same side is seen.
        let mut bars = [(e.low, BLUE), (e.high, ORANGE)];
        bars.sort_by(|a, b| (b.0.1 - mean).abs().total_cmp(&(a.0.1 - mean).abs()));
        for ((_, result), colour) in bars {
            let end = across.place(result);
            let (x, width) = (middle.min(end), (middle - end).abs().max(0.5));
            rectangle(&mut out, Frame { x, y: y0, width, height: BAR }, colour);
        }
        // The value of the parameter beside the lower result on the left, beside the higher one on the right.
        let (left_end, right_end) = if e.low.1 <= e.high.1 { (e.low, e.high) } else { (e.high, e.low) };
        let baseline = y0 + 0.5 * BAR + 0.36 * TICK;
        let left_x = across.place(left_end.1).min(middle) - 5.0;
        let right_x = across.place(right_end.1).max(middle) + 5.0;
        text(&mut out, (left_x, baseline), &short(left_end.0), TICK, Anchor::End, INK);
        text(&mut out, (right_x, baseline), &short(right_end.0), TICK, Anchor::Start, INK);
    }
    line(&mut out, vec![(across.place(mean), top), (across.place(mean), top + height)], EDGE);
    let at = (left + 0.5 * frame.width, top + height + 20.0 + LABEL + 8.0);
    text(&mut out, at, &format!("mean of {}", y.label), LABEL, Anchor::Middle, INK);
    out.height = (top + height + 20.0 + LABEL + 8.0 + MARGIN).ceil();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_grid_and_thirds_of_samples() {
        let numbers = |v: &[f64]| Numbers { label: "x".to_string(), values: v.to_vec() };
        let grid =
            effect(&numbers(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0]), &numbers(&[1.0, 3.0, 9.0, 9.0, 5.0, 7.0])).unwrap();
        assert_eq!((grid.low, grid.high), ((1.0, 2.0), (3.0, 6.0)));
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        let found = effect(&numbers(&x), &numbers(&x)).unwrap();
        assert_eq!((found.low.1, found.high.1), (4.5, 24.5));
        assert!(effect(&numbers(&[1.0, 1.0]), &numbers(&[1.0, 2.0])).is_none());
    }
}
