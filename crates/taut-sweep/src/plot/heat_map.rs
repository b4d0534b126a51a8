//! One result over two parameters, as colours. Members that share both but differ elsewhere: the worst of them is shown.

use super::canvas::{
    EDGE, INK, LABEL, Labelled, MARGIN, RED, TICK, axes, axis, colour, line, mark_worst, rectangle, sheet, short, text,
    text_up,
};
use super::response::legend_line;
use super::{Content, Numbers};
use crate::stored::StoredSweep;
use std::collections::HashMap;
use taut_io::diagnostic::Diagnostic;
use taut_io::plot::drawing::{Anchor, Drawing, Frame};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const BAR: f64 = 16.0;

/// Distinct values, sorted.
fn levels(values: &[f64]) -> Vec<f64> {
    let mut found: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// Whether two parameters form a grid: at least a quarter of all combinations of their values occurs.
pub(super) fn is_grid(sweep: &StoredSweep, a: &str, b: &str) -> bool {
    let (Ok((_, a)), Ok((_, b))) = (sweep.numbers(a), sweep.numbers(b)) else { return false };
    let (na, nb) = (levels(&a).len(), levels(&b).len());
    na > 1 && nb > 1 && 4 * sweep.rows().len() >= na * nb
}

/// Edges of cells around sorted values.
fn edges(levels: &[f64]) -> Vec<f64> {
    let n = levels.len();
    let half = |i: usize| 0.5 * (levels[i + 1] - levels[i]);
    let mut found = vec![levels[0] - half(0)];
    found.extend((0..n - 1).map(|i| levels[i] + half(i)));
    found.push(levels[n - 1] + half(n - 2));
    found
}

pub(super) fn draw(content: &Content, over_x: &str, over_y: &str) -> Result<Drawing, Diagnostic> {
    let (x, y) = (Numbers::of(content.sweep, over_x)?, Numbers::of(content.sweep, over_y)?);
    let (across, up) = (levels(&x.values), levels(&y.values));
    if across.len() < 2 || up.len() < 2 {
        let message = "a heat map needs two parameters with at least two values each";
        return Err(Diagnostic::error(message).help("use --kind response"));
    }
    if !is_grid(content.sweep, over_x, over_y) {
        let message = format!("`{over_x}` and `{over_y}` form no grid");
        return Err(Diagnostic::error(message).help("use --kind scatter_matrix"));
    }
    let result = &content.results[0];
    let worst_value = content.worst.map_or(0.0, |w| result.values[w]);
    let low = result.values.iter().copied().filter(|v| v.is_finite()).fold(f64::INFINITY, f64::min);
    let largest_is_worst = worst_value > low;
    let mut cells: HashMap<(u64, u64), f64> = HashMap::new();
    for (i, value) in result.values.iter().enumerate() {
        let cell = cells.entry((x.values[i].to_bits(), y.values[i].to_bits())).or_insert(f64::NAN);
        let worse = if largest_is_worst { *value > *cell } else { *value < *cell };
        if worse || cell.is_nan() {
            *cell = *value;
        }
    }
    let high = result.values.iter().copied().filter(|v| v.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let (mut out, mut top) = sheet(content.title, WIDTH, 0.0);
    if let Some(worst) = content.worst_text() {
        top = legend_line(&mut out, top, &[(worst, RED)]);
    }
    top += 10.0;
    let (ex, ey) = (edges(&across), edges(&up));
    let left = MARGIN + LABEL + 60.0;
    let frame = Frame { x: left, y: top, width: WIDTH - left - MARGIN - 110.0, height: HEIGHT };
    let along = axis(ex.iter(), 0.0, frame.x, frame.x + frame.width, 76.0);
    let upward = axis(ey.iter(), 0.0, frame.y + frame.height, frame.y, 36.0);
    axes(&mut out, &frame, &along, &upward, Labelled { x: true, y: true });
    for (i, a) in across.iter().enumerate() {
        for (j, b) in up.iter().enumerate() {
            let Some(value) = cells.get(&(a.to_bits(), b.to_bits())).filter(|v| v.is_finite()) else { continue };
            let fraction = if high > low { (value - low) / (high - low) } else { 0.5 };
            let (l, r) = (along.place(ex[i]), along.place(ex[i + 1]));
            let (t, bottom) = (upward.place(ey[j + 1]), upward.place(ey[j]));
            // A little wider, so that no paper shows between cells.
            rectangle(&mut out, Frame { x: l, y: t, width: r - l + 0.4, height: bottom - t + 0.4 }, colour(fraction));
        }
    }
    let (l, r, t, b) = (frame.x, frame.x + frame.width, frame.y, frame.y + frame.height);
    line(&mut out, vec![(l, t), (r, t), (r, b), (l, b), (l, t)], EDGE);
    if let Some(worst) = content.worst {
        mark_worst(&mut out, (along.place(x.values[worst]), upward.place(y.values[worst])));
    }
    text_up(&mut out, (MARGIN + LABEL - 2.0, top + 0.5 * HEIGHT), &y.label, LABEL);
    text(&mut out, (l + 0.5 * frame.width, b + 20.0 + LABEL + 8.0), &x.label, LABEL, Anchor::Middle, INK);
    // The bar of colours.
    let bar_x = r + 24.0;
    for k in 0..100 {
        let fraction = f64::from(k) / 99.0;
        let y = b - fraction * (HEIGHT - HEIGHT / 100.0) - HEIGHT / 100.0;
        rectangle(&mut out, Frame { x: bar_x, y, width: BAR, height: HEIGHT / 100.0 + 0.4 }, colour(fraction));
    }
    for fraction in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = (bar_x + BAR + 6.0, b - fraction * HEIGHT + 0.36 * TICK);
        text(&mut out, at, &short(low + fraction * (high - low)), TICK, Anchor::Start, INK);
    }
    text(&mut out, (WIDTH - MARGIN, t - 14.0), &result.label, TICK, Anchor::End, INK);
    out.height = (b + 20.0 + LABEL + 8.0 + MARGIN).ceil();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{edges, levels};

    #[test]
    fn cells_reach_half_way_to_their_neighbours() {
        assert_eq!(levels(&[2.0, 1.0, f64::NAN, 2.0, 4.0]), [1.0, 2.0, 4.0]);
        assert_eq!(edges(&[1.0, 2.0, 4.0]), [0.5, 1.5, 3.0, 5.0]);
    }
}
