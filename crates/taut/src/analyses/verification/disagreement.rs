//! Where two runs first disagree.

use super::ROUND_OFF;
use crate::solution::{Column, Table};
use serde::Serialize;

/// Where two runs first disagree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// When, s.
    pub t: f64,
    /// The column.
    pub column: String,
    /// Its unit.
    pub unit: String,
    /// The values of the two runs.
    pub values: [f64; 2],
    /// Their distance, relative to the largest value with the same unit.
    pub relative: f64,
}

/// Whether a column describes the motion; the others describe the computation.
pub fn describes_motion(column: &str) -> bool {
    let aside = ["t", "step", "rank", "freedoms", "energy.balance"].contains(&column);
    !aside && !column.starts_with("residual.") && !column.ends_with(".mode")
}

/// The first row in which a column of two runs differs by more than `threshold` of the largest value with its unit. Rows are those at
/// common times, columns those of the motion. In that row, the column that differs most.
pub fn first_disagreement(a: &Table, b: &Table, threshold: f64) -> Option<Disagreement> {
    let (ta, tb) = (a.get("t").ok()?, b.get("t").ok()?);
    let span = ta.data.last().map_or(0.0, |t| t.abs());
    let pairs = common_rows(&ta.data, &tb.data, 1e-12 * span);
    let columns: Vec<_> = a.columns().iter().filter(|c| describes_motion(&c.name)).collect();
    let columns: Vec<_> = columns.into_iter().filter_map(|c| Some((c, b.get(&c.name).ok()?))).collect();
    let largest = |unit: &str| {
        let values = columns.iter().filter(|(c, _)| c.unit == unit).flat_map(|(c, _)| &c.data);
        values.filter(|x| x.is_finite()).fold(0.0_f64, |a, x| a.max(x.abs()))
    };
    let mut units: Vec<(&str, f64)> = Vec::new();
    for (c, _) in &columns {
        if !units.iter().any(|(u, _)| *u == c.unit) {
            units.push((&c.unit, largest(&c.unit)));
        }
    }
    let whole = units.iter().fold(0.0_f64, |a, (_, x)| a.max(*x));
    pairs.into_iter().find_map(|(i, j)| {
        let apart = |(c, d): &(&Column, &Column)| {
            let (x, y) = (c.data[i], d.data[j]);
            let scale = units.iter().find(|(u, _)| *u == c.unit).map_or(0.0, |(_, s)| *s);
            let relative = match (x - y).abs() {
                _ if scale <= ROUND_OFF * whole || (x.is_nan() && y.is_nan()) => 0.0,
                d if d.is_nan() => f64::INFINITY,
                d => d / scale,
            };
            (relative > threshold).then(|| Disagreement {
                t: ta.data[i],
                column: c.name.clone(),
                unit: c.unit.clone(),
                values: [x, y],
                relative,
            })
        };
        columns.iter().filter_map(apart).max_by(|p, q| p.relative.total_cmp(&q.relative))
    })
}

/// Pairs of rows at equal times; rows at one time are paired in their order.
fn common_rows(ta: &[f64], tb: &[f64], near: f64) -> Vec<(usize, usize)> {
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < ta.len() && j < tb.len() {
        let apart = ta[i] - tb[j];
        match apart.abs() <= near {
            true => {
                pairs.push((i, j));
                (i, j) = (i + 1, j + 1);
            }
            false if apart < 0.0 => i += 1,
            false => j += 1,
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(x: &[f64]) -> Table {
        let column = |name: &str, unit: &str, data: Vec<f64>| Column {
            name: name.to_string(),
            unit: unit.to_string(),
            meaning: String::new(),
            data,
        };
        let t = (0..x.len()).map(|i| i as f64).collect();
        let step = x.iter().map(|x| 1e3 * x).collect();
        [column("t", "s", t), column("a.x", "m", x.to_vec()), column("step", "s", step)].into_iter().collect()
    }

    #[test]
    fn the_first_row_that_differs_is_named() {
        let (a, b) = (table(&[1.0, 2.0, 3.0, 4.0]), table(&[1.0, 2.001, 3.1, 0.0]));
        let found = first_disagreement(&a, &b, 1e-3).unwrap();
        assert_eq!((found.t, found.column.as_str(), found.values), (2.0, "a.x", [3.0, 3.1]));
        assert_eq!(first_disagreement(&a, &b, 2.0), None);
        assert_eq!(first_disagreement(&a, &a, 0.0), None);
    }
}
