//! Force arrows at the solid instant.

use super::annotations::round_down;
use super::camera::{Sheet, SheetPoint, Vec3, length_and_direction, offset};
use super::instants::Instant;
use crate::scene::{ArrowKind, Scene};
use taut::Column;
use taut_io::plot::drawing::{Colour, Fill, Pen, Shape};

/// Length of the longest arrow, and of the shortest one that is drawn.
const ARROW_LENGTHS: (f64, f64) = (90.0, 4.0);

/// Arrows on the sheet, and their scale: a force in newtons and the length of its arrow.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrows {
    pub shapes: Vec<Shape>,
    pub note: Option<(f64, f64)>,
}

/// Colour of reactions and contact forces, or of applied loads.
pub(super) fn colour(load: ArrowKind, sheet: &Sheet) -> Colour {
    match load {
        ArrowKind::Reaction | ArrowKind::Contact => sheet.ink.trail(1),
        ArrowKind::Applied | ArrowKind::Velocity => sheet.ink.trail(2),
    }
}

pub(super) fn draw(scene: &Scene, columns: &[Column], instant: &Instant, sheet: &Sheet) -> Arrows {
    let find = |name: &str| columns.iter().find(|c| c.name == name);
    let Some(t) = find("t") else { return Arrows::default() };
    let next = t.data.partition_point(|u| *u <= instant.t).min(t.data.len().saturating_sub(1));
    let last = next.saturating_sub(1);
    let gap = t.data.get(next).copied().unwrap_or(0.0) - t.data.get(last).copied().unwrap_or(0.0);
    let s = if gap > 0.0 { ((instant.t - t.data[last]) / gap).clamp(0.0, 1.0) } else { 1.0 };
    let value = |name: &String| {
        let Some(column) = find(name) else { return 0.0 };
        let at = |row: usize| column.data.get(row).copied().unwrap_or(0.0);
        let x = at(last) * (1.0 - s) + at(next) * s;
        if x.is_finite() { x } else { 0.0 }
    };
    let vector = |names: &[String; 3]| Vec3::new(value(&names[0]), value(&names[1]), value(&names[2]));
    let forces = scene.arrows.iter().filter(|a| a.load != ArrowKind::Velocity);
    let forces: Vec<(Vec3, Vec3, ArrowKind)> = forces
        .map(|a| {
            let at = match &a.at {
                Some(names) if names.iter().all(|n| find(n).is_some()) => vector(names),
                _ => instant.spot(&a.spot).0,
            };
            (at, vector(&a.vector), a.load)
        })
        .collect();
    let largest = forces.iter().map(|(_, f, _)| f.norm()).fold(0.0, f64::max);
    if largest <= 0.0 {
        return Arrows::default();
    }
    let unit = ARROW_LENGTHS.0 / largest;
    let mut shapes = Vec::new();
    for (at, f, load) in &forces {
        let from = sheet.project(at);
        let (dx, dy) = sheet.project_direction(f);
        let to = (from.0 + dx / sheet.scale * unit, from.1 + dy / sheet.scale * unit);
        shapes.extend(arrow(from, to, colour(*load, sheet)));
    }
    let round = round_down(0.6 * largest);
    Arrows { shapes, note: Some((round, round * unit)) }
}

/// A shaft with a head; empty if the arrow is too short.
pub(super) fn arrow(from: SheetPoint, to: SheetPoint, colour: Colour) -> Vec<Shape> {
    let (length, u) = length_and_direction((to.0 - from.0, to.1 - from.1));
    if length < ARROW_LENGTHS.1 {
        return Vec::new();
    }
    let head = length.min(9.0);
    let neck = offset(to, u, -head, 0.0);
    let pen = Pen { colour, width: 1.8, dash: None };
    let points = vec![to, offset(neck, u, 0.0, 0.38 * head), offset(neck, u, 0.0, -0.38 * head)];
    vec![
        Shape::Line { points: vec![from, neck], pen, within: None },
        Shape::Area { points, fill: Fill::Flat(colour), edge: None },
    ]
}
