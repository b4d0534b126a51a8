//! Joints and other constraints as symbols.

use super::Stage;
use super::measure::Course;
use crate::scene::{Glyph, JointFigure};
use taut::Model;
use taut::bodies::BodyKind;
use taut::constraints::{ConstraintKind, Hold, Joint, Turning};
use taut::forces::ForceKind;
use taut::marker::Marker;

/// All constraints drawn as symbols, and torsional springs and motors.
pub(super) fn joints(stage: &Stage) -> Vec<JointFigure> {
    let model = &stage.model;
    let constraints = model.constraints.iter().filter_map(|c| {
        let (glyph, kind) = seen(&c.kind, planar(model, &c.markers))?;
        Some((&c.name, glyph, kind, &c.markers))
    });
    let forces = model.forces.iter().filter_map(|f| {
        let kind = match &f.kind {
            ForceKind::Spring(s) if Course::of(&s.along) == Course::Turning => match s.law {
                Some(_) => "torsion spring",
                None => "actuator",
            },
            ForceKind::Motor(m) if Course::of(&m.on) == Course::Turning => "motor",
            ForceKind::Controller(c) if Course::of(&c.on) == Course::Turning => "controller",
            _ => return None,
        };
        Some((&f.name, Glyph::Coupling, kind, &f.markers))
    });
    let figure = |(name, glyph, kind, markers): (&String, Glyph, &str, &Vec<usize>)| {
        let spots = stage.spots(markers);
        (!spots.is_empty()).then(|| JointFigure { name: name.clone(), glyph, kind: kind.to_string(), spots })
    };
    constraints.chain(forces).filter_map(figure).collect()
}

/// Whether all these markers are on planar bodies or on the ground.
pub(super) fn planar(model: &Model, markers: &[usize]) -> bool {
    let flat = |m: &usize| {
        let Marker { body: Some(body), .. } = &model.markers[*m] else { return true };
        matches!(model.bodies[*body].kind, BodyKind::Planar(_))
    };
    markers.iter().all(flat) && markers.iter().any(|m| model.markers[*m].body.is_some())
}

fn seen(kind: &ConstraintKind, planar: bool) -> Option<(Glyph, &'static str)> {
    Some(match kind {
        ConstraintKind::Joint(joint) if planar => in_plane(joint),
        ConstraintKind::Joint(joint) => in_space(joint),
        ConstraintKind::Relation(r) => match r.terms.as_slice() {
            // A rod is drawn as a line, a driver along a line as an actuator.
            [term] if Course::of(&term.of) == Course::Straight => return None,
            [_] => (Glyph::Coupling, "driver"),
            _ => (Glyph::Coupling, "relation"),
        },
        ConstraintKind::KnifeEdge(_) => (Glyph::Rolling, "knife_edge"),
        ConstraintKind::Rolling(_) => (Glyph::Rolling, "rolling"),
        ConstraintKind::Stop(_) => (Glyph::Coupling, "stop"),
        ConstraintKind::Ratchet(_) => (Glyph::Coupling, "ratchet"),
        ConstraintKind::Coupling(_) => (Glyph::Coupling, "coupling"),
        ConstraintKind::Formula(_) => (Glyph::Other, "formula"),
        ConstraintKind::User(_) | ConstraintKind::Custom(_) => (Glyph::Other, "written in code"),
        ConstraintKind::Rope(_)
        | ConstraintKind::Separator(_)
        | ConstraintKind::PointOnPlane(_)
        | ConstraintKind::JointFriction(_)
        | ConstraintKind::UnitNorm(_)
        | ConstraintKind::Contact(_)
        | ConstraintKind::ContactTurning(_) => return None,
    })
}

/// Whether a direction is locked; a driven direction moves.
fn fast(hold: &Hold) -> bool {
    *hold == Hold::Held
}

fn in_plane(joint: &Joint) -> (Glyph, &'static str) {
    let turns = match &joint.turning {
        Turning::About(hold) | Turning::Locked(hold) => !fast(hold),
        _ => true,
    };
    match ([fast(&joint.along[0]), fast(&joint.along[1])], turns) {
        ([true, true], true) => (Glyph::Revolute, "pin"),
        ([true, true], false) => (Glyph::Fixed, "weld"),
        ([false, true], false) => (Glyph::PrismaticX, "slider"),
        ([false, true], true) => (Glyph::PrismaticX, "slot"),
        _ => (Glyph::Other, "joint"),
    }
}

fn in_space(joint: &Joint) -> (Glyph, &'static str) {
    let held = [0, 1, 2].map(|i| fast(&joint.along[i]));
    match (held, &joint.turning) {
        ([true, true, true], Turning::Locked(hold)) if fast(hold) => (Glyph::Fixed, "fixed"),
        ([true, true, true], Turning::Locked(_) | Turning::Parallel) => (Glyph::Revolute, "revolute"),
        ([true, true, true], Turning::Free) => (Glyph::Spherical, "spherical"),
        ([true, true, true], Turning::Perpendicular) => (Glyph::Universal, "universal"),
        ([true, true, true], Turning::Homokinetic) => (Glyph::Universal, "constant_velocity"),
        ([true, true, false], Turning::Locked(hold)) if fast(hold) => (Glyph::PrismaticZ, "prismatic"),
        ([true, true, false], Turning::Locked(_) | Turning::Parallel) => (Glyph::Cylindrical, "cylindrical"),
        ([true, true, false], Turning::Free) => (Glyph::Other, "point_on_line"),
        ([false, false, true], Turning::Parallel) => (Glyph::Plane, "planar"),
        ([false, false, true], Turning::Free) => (Glyph::Plane, "point_on_plane"),
        _ => (Glyph::Other, "joint"),
    }
}
