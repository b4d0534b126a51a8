//! Springs, dampers, ropes, cables, rods and actuators as line elements between spots.

use super::RunScene;
use super::measure::MeasureLine;
use crate::scene::{LineStyle, Link};
use taut::Signal;
use taut::constraints::{ConstraintKind, Prescription};
use taut::forces::{ForceKind, Spring};
use taut::marker::MarkerPlacement;
use taut::signals::ForceLaw;

/// All elements drawn as lines.
pub(super) fn links(stage: &RunScene) -> Vec<Link> {
    let model = &stage.model;
    let mut links = Vec::new();
    let mut add = |name: &str, line: LineStyle, markers: &[usize], length: Option<f64>| {
        let frames = markers.iter().all(|m| matches!(model.markers[*m].placement, MarkerPlacement::Frame(..)));
        if let (Some(spots), true) = (stage.all_spots(markers), frames && markers.len() > 1) {
            links.push(Link { name: name.to_string(), line, spots, length });
        }
    };
    for c in &model.constraints {
        match &c.kind {
            ConstraintKind::Rope(rope) => add(&c.name, LineStyle::Rope, &c.markers, constant(&rope.length)),
            ConstraintKind::MinimumDistance(s) => add(&c.name, LineStyle::Separator, &c.markers, constant(&s.length)),
            ConstraintKind::Relation(r) => match (r.terms.as_slice(), &r.follows) {
                ([term], Prescription::Position(length))
                    if MeasureLine::of(&term.coordinate) == MeasureLine::Straight =>
                {
                    let length = constant(length);
                    let line = if length.is_some() { LineStyle::Rod } else { LineStyle::Actuator };
                    add(&c.name, line, &c.markers, length);
                }
                ([term], _) if MeasureLine::of(&term.coordinate) == MeasureLine::Straight => {
                    add(&c.name, LineStyle::Actuator, &c.markers, None)
                }
                _ => {}
            },
            _ => {}
        }
    }
    for f in &model.forces {
        match &f.kind {
            ForceKind::Spring(s) if MeasureLine::of(&s.along) == MeasureLine::Straight => {
                add(&f.name, spring(s), &f.markers, None)
            }
            ForceKind::Motor(m) if MeasureLine::of(&m.coordinate) == MeasureLine::Straight => {
                add(&f.name, LineStyle::Actuator, &f.markers[..2], None)
            }
            ForceKind::Controller(c) if MeasureLine::of(&c.coordinate) == MeasureLine::Straight => {
                add(&f.name, LineStyle::Actuator, f.markers.get(..2).unwrap_or(&[]), None)
            }
            ForceKind::Formula(_) => add(&f.name, LineStyle::Actuator, f.markers.get(..2).unwrap_or(&[]), None),
            ForceKind::Cable(cable) => add(&f.name, LineStyle::Cable, &f.markers, Some(cable.free_length)),
            ForceKind::Bushing(_) => add(&f.name, LineStyle::Bushing, &f.markers, None),
            _ => {}
        }
    }
    links
}

fn constant(signal: &Signal) -> Option<f64> {
    match signal {
        Signal::Constant { value } => Some(*value),
        _ => None,
    }
}

/// Spring, damper or both, determined by evaluating the force law near a plausible length.
fn spring(s: &Spring) -> LineStyle {
    let Some(law) = &s.law else { return LineStyle::Actuator };
    let (stiff, damps) = match law {
        ForceLaw::Linear(l) => (l.stiffness != 0.0, l.damping != 0.0),
        other => {
            let (k, c) = other.derivatives(0.5, 0.5, 0.0);
            (k != 0.0, c != 0.0)
        }
    };
    match (stiff, damps) {
        (false, true) => LineStyle::Damper,
        (true, true) => LineStyle::SpringDamper,
        _ => LineStyle::Spring,
    }
}
