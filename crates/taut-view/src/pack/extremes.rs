//! Minimum and maximum of every reaction, contact force and applied load over all rows of the run.

use crate::scene::{Arrow, ArrowKind, Scene};
use serde::Serialize;
use std::collections::HashMap;

/// One line of the table of extremes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extreme {
    /// The element.
    pub name: String,
    /// `reaction`, `contact` or `applied`.
    pub kind: &'static str,
    /// `force` and `moment` for magnitudes, otherwise the name of a column.
    pub quantity: String,
    /// Unit.
    pub unit: &'static str,
    /// Minimum.
    pub least: f64,
    /// When, s.
    pub least_at: f64,
    /// Maximum.
    pub largest: f64,
    /// When, s.
    pub largest_at: f64,
}

/// A vector quantity and its three columns.
#[derive(Clone, Debug)]
struct TrackedVector {
    name: String,
    kind: &'static str,
    quantity: &'static str,
    unit: &'static str,
    columns: [String; 3],
}

/// Collects extremes while columns are read; the three columns of a vector must be in the same chunk.
#[derive(Clone, Debug)]
pub struct ExtremeCollector {
    wanted: Vec<TrackedVector>,
    /// The vectors that begin with this column.
    by_first: HashMap<String, Vec<usize>>,
    found: Vec<Extreme>,
}

impl ExtremeCollector {
    /// Prepares to collect the loads of a scene.
    pub fn new(scene: &Scene) -> ExtremeCollector {
        let mut wanted = Vec::new();
        for arrow in &scene.arrows {
            let kind = match arrow.load {
                ArrowKind::Reaction => "reaction",
                ArrowKind::Contact => "contact",
                // The pieces of a wing have no extremes of their own.
                ArrowKind::Applied if arrow.at.is_some() => continue,
                ArrowKind::Applied => "applied",
                ArrowKind::Velocity => continue,
            };
            let Arrow { name, vector, moment, .. } = arrow;
            // With more than two markers, each marker has its own columns.
            let stem = vector[0].rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let one = |quantity, unit, columns: &[String; 3]| TrackedVector {
                name: stem.to_string(),
                kind,
                quantity,
                unit,
                columns: columns.clone(),
            };
            wanted.push(one("force", "N", vector));
            wanted.extend(moment.iter().map(|m| one("moment", "N m", m)));
        }
        let mut by_first: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, w) in wanted.iter().enumerate() {
            by_first.entry(w.columns[0].clone()).or_default().push(i);
        }
        ExtremeCollector { wanted, by_first, found: Vec::new() }
    }

    /// Adds the values of some columns.
    pub fn add_columns(&mut self, t: &[f64], columns: &[taut::Column]) {
        let index: HashMap<&str, &[f64]> = columns.iter().map(|c| (c.name.as_str(), c.data.as_slice())).collect();
        for column in columns {
            for &i in self.by_first.get(&column.name).into_iter().flatten() {
                let w = &self.wanted[i];
                let parts: Vec<&[f64]> = w.columns.iter().filter_map(|c| index.get(c.as_str()).copied()).collect();
                let size = |row: usize| parts.iter().map(|p| p[row] * p[row]).sum::<f64>().sqrt();
                let sizes = extreme((0..t.len()).map(size), t);
                let of = |quantity: String, [low, high]: [(f64, f64); 2]| Extreme {
                    name: w.name.clone(),
                    kind: w.kind,
                    quantity,
                    unit: w.unit,
                    least: low.0,
                    least_at: low.1,
                    largest: high.0,
                    largest_at: high.1,
                };
                let Some(sizes) = sizes else { continue };
                self.found.push(of(w.quantity.to_string(), sizes));
                for (name, part) in w.columns.iter().zip(&parts) {
                    // A component that is always zero (out of plane) is left out.
                    if let Some(found) = extreme(part.iter().copied(), t).filter(|f| f[0].0 != 0.0 || f[1].0 != 0.0) {
                        self.found.push(of(name.clone(), found));
                    }
                }
            }
        }
    }

    /// The extremes.
    pub fn finish(self) -> Vec<Extreme> {
        self.found
    }
}

/// Smallest and largest finite value with their times.
fn extreme(values: impl Iterator<Item = f64>, t: &[f64]) -> Option<[(f64, f64); 2]> {
    let mut found: Option<[(f64, f64); 2]> = None;
    for (x, t) in values.zip(t).filter(|(x, _)| x.is_finite()) {
        found = Some(match found {
            None => [(x, *t); 2],
            Some([low, high]) => [if x < low.0 { (x, *t) } else { low }, if x > high.0 { (x, *t) } else { high }],
        });
    }
    found
}
