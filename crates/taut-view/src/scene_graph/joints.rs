//! Joints and other constraints as symbols.

use super::RunScene;
use super::measure::MeasureLine;
use crate::scene::{Glyph, JointFigure};
use taut::Model;
use taut::bodies::BodyKind;
use taut::constraints::{ConstraintKind, Joint, Prescription, RotationMask};
use taut::forces::ForceKind;
use taut::marker::Marker;

/// All constraints drawn as symbols, and torsional springs and motors.
pub(super) fn joints(stage: &RunScene) -> Vec<JointFigure> {
    let model = &stage.model;
    let constraints = model.constraints.iter().filter_map(|c| {
        let (glyph, kind) = joint_glyph(&c.kind, planar(model, &c.markers))?;
        Some((&c.name, glyph, kind, &c.markers))
    });
    let forces = model.forces.iter().filter_map(|f| {
        let kind = match &f.kind {
            ForceKind::Spring(s) if MeasureLine::of(&s.along) == MeasureLine::Turning => match s.law {
                Some(_) => "torsion spring",
                None => "actuator",
            },
            ForceKind::Motor(m) if MeasureLine::of(&m.coordinate) == MeasureLine::Turning => "motor",
            ForceKind::Controller(c) if MeasureLine::of(&c.coordinate) == MeasureLine::Turning => "controller",
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

fn joint_glyph(kind: &ConstraintKind, planar: bool) -> Option<(Glyph, &'static str)> {
    Some(match kind {
        ConstraintKind::Joint(joint) if planar => planar_glyph(joint),
        ConstraintKind::Joint(joint) => spatial_glyph(joint),
        ConstraintKind::Relation(r) => match r.terms.as_slice() {
            // A rod is drawn as a line, a driver along a line as an actuator.
            [term] if MeasureLine::of(&term.coordinate) == MeasureLine::Straight => return None,
            [_] => (Glyph::Coupling, "driver"),
            _ => (Glyph::Coupling, "relation"),
        },
        ConstraintKind::KnifeEdge(_) => (Glyph::Rolling, "knife_edge"),
        ConstraintKind::Rolling(_) => (Glyph::Rolling, "rolling"),
        ConstraintKind::Stop(_) => (Glyph::Coupling, "stop"),
        ConstraintKind::Ratchet(_) => (Glyph::Coupling, "ratchet"),
        ConstraintKind::Coupling(_) => (Glyph::Coupling, "coupling"),
        ConstraintKind::Formula(_) => (Glyph::Other, "formula"),
        ConstraintKind::Rope(_)
        | ConstraintKind::MinimumDistance(_)
        | ConstraintKind::PointPlaneContact(_)
        | ConstraintKind::JointFriction(_)
        | ConstraintKind::UnitNorm(_)
        | ConstraintKind::Contact(_)
        | ConstraintKind::ContactRotationalFriction(_) => return None,
        _ => (Glyph::Other, "written in code"),
    })
}

/// Whether a direction is locked; a driven direction moves.
fn is_locked(hold: &Prescription) -> bool {
    *hold == Prescription::Fixed
}

fn planar_glyph(joint: &Joint) -> (Glyph, &'static str) {
    let turns = match &joint.rotation {
        RotationMask::About(hold) | RotationMask::Locked(hold) => !is_locked(hold),
        _ => true,
    };
    match ([is_locked(&joint.translation[0]), is_locked(&joint.translation[1])], turns) {
        ([true, true], true) => (Glyph::Revolute, "pin"),
        ([true, true], false) => (Glyph::Fixed, "weld"),
        ([false, true], false) => (Glyph::PrismaticX, "slider"),
        ([false, true], true) => (Glyph::PrismaticX, "slot"),
        _ => (Glyph::Other, "joint"),
    }
}

fn spatial_glyph(joint: &Joint) -> (Glyph, &'static str) {
    let held = [0, 1, 2].map(|i| is_locked(&joint.translation[i]));
    match (held, &joint.rotation) {
        ([true, true, true], RotationMask::Locked(hold)) if is_locked(hold) => (Glyph::Fixed, "fixed"),
        ([true, true, true], RotationMask::Locked(_) | RotationMask::Parallel) => (Glyph::Revolute, "revolute"),
        ([true, true, true], RotationMask::Free) => (Glyph::Spherical, "spherical"),
        ([true, true, true], RotationMask::Perpendicular) => (Glyph::Universal, "universal"),
        ([true, true, true], RotationMask::ConstantVelocity) => (Glyph::Universal, "constant_velocity"),
        ([true, true, false], RotationMask::Locked(hold)) if is_locked(hold) => (Glyph::PrismaticZ, "prismatic"),
        ([true, true, false], RotationMask::Locked(_) | RotationMask::Parallel) => (Glyph::Cylindrical, "cylindrical"),
        ([true, true, false], RotationMask::Free) => (Glyph::Other, "point_on_line"),
        ([false, false, true], RotationMask::Parallel) => (Glyph::Plane, "planar"),
        ([false, false, true], RotationMask::Free) => (Glyph::Plane, "point_on_plane"),
        _ => (Glyph::Other, "joint"),
    }
}
