//! Springs, dampers, ropes, cables, rods and actuators as line elements between spots.

use super::Stage;
use super::measure::Course;
use crate::scene::{Line, Link};
use taut::Signal;
use taut::constraints::{ConstraintKind, Hold};
use taut::forces::{ForceKind, Spring};
use taut::marker::Place;
use taut::signals::Law;

/// All elements drawn as lines.
pub(super) fn links(stage: &Stage) -> Vec<Link> {
    let model = &stage.model;
    let mut links = Vec::new();
    let mut add = |name: &str, line: Line, markers: &[usize], length: Option<f64>| {
        let frames = markers.iter().all(|m| matches!(model.markers[*m].place, Place::Frame(..)));
        if let (Some(spots), true) = (stage.all_spots(markers), frames && markers.len() > 1) {
            links.push(Link { name: name.to_string(), line, spots, length });
        }
    };
    for c in &model.constraints {
        match &c.kind {
            ConstraintKind::Rope(rope) => add(&c.name, Line::Rope, &c.markers, constant(&rope.length)),
            ConstraintKind::Separator(s) => add(&c.name, Line::Separator, &c.markers, constant(&s.length)),
            ConstraintKind::Relation(r) => match (r.terms.as_slice(), &r.follows) {
                ([term], Hold::Position(length)) if Course::of(&term.of) == Course::Straight => {
                    let length = constant(length);
                    let line = if length.is_some() { Line::Rod } else { Line::Actuator };
                    add(&c.name, line, &c.markers, length);
                }
                ([term], _) if Course::of(&term.of) == Course::Straight => {
                    add(&c.name, Line::Actuator, &c.markers, None)
                }
                _ => {}
            },
            _ => {}
        }
    }
    for f in &model.forces {
        match &f.kind {
            ForceKind::Spring(s) if Course::of(&s.along) == Course::Straight => {
                add(&f.name, spring(s), &f.markers, None)
            }
            ForceKind::Motor(m) if Course::of(&m.on) == Course::Straight => {
                add(&f.name, Line::Actuator, &f.markers[..2], None)
            }
            ForceKind::Controller(c) if Course::of(&c.on) == Course::Straight => {
                add(&f.name, Line::Actuator, f.markers.get(..2).unwrap_or(&[]), None)
            }
            ForceKind::Formula(_) => add(&f.name, Line::Actuator, f.markers.get(..2).unwrap_or(&[]), None),
            ForceKind::Cable(cable) => add(&f.name, Line::Cable, &f.markers, Some(cable.length)),
            ForceKind::Bushing(_) => add(&f.name, Line::Bushing, &f.markers, None),
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
fn spring(s: &Spring) -> Line {
    let Some(law) = &s.law else { return Line::Actuator };
    let (stiff, damps) = match law {
        Law::Linear(l) => (l.stiffness != 0.0, l.damping != 0.0),
        other => {
            let (k, c) = other.derivatives(0.5, 0.5, 0.0);
            (k != 0.0, c != 0.0)
        }
    };
    match (stiff, damps) {
        (false, true) => Line::Damper,
        (true, true) => Line::SpringDamper,
        _ => Line::Spring,
    }
}
