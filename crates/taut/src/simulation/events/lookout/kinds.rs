//! How each gap is followed: as two bodies that approach each other, or as a smooth function of the motion or of time.

use crate::constraints::{ConstraintKind, Limit};
use crate::contacts::Features;
use crate::measures::Measure;
use crate::model::Model;
use crate::motion::Vec3;
use crate::shapes::{Feature, Solid};
use crate::simulation::events::clearance::Enclosure;

/// The axes in which the vector from one body to the other is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    /// The world's: both are finite.
    World,
    /// Those of the first, which is a half-space or ground.
    First,
}

/// Two bodies that approach each other.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    pub markers: [usize; 2],
    /// The frames of the bodies that carry them.
    pub owns: [usize; 2],
    /// Centres in the axes of the markers, and radii of the bodies about them without their rounding.
    pub centre: [Vec3; 2],
    pub core: [f64; 2],
    pub axes: Axes,
    /// The thickness of the thinner one.
    pub thickness: f64,
    /// For ground of triangles: its bounding box, the ground, and the body that may touch it.
    pub ground: Option<(Enclosure, Solid, Solid)>,
}

/// How a gap is followed.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Two bodies or points.
    Bodies(Bodies),
    /// A smooth function of the motion of these markers, which rotate.
    Turning(Vec<usize>),
    /// A smooth function of time.
    Smooth,
}

/// Bounding ball of a solid without its rounding: centre and radius; and its least thickness.
fn ball(solid: &Solid) -> (Vec3, f64, f64) {
    let core = solid.core();
    (if core.is_finite() { solid.middle() } else { Vec3::zeros() }, core, solid.thickness())
}

/// The frame of the body that carries a marker.
fn own(model: &Model, marker: usize) -> usize {
    model.markers[marker].body.map_or(marker, |b| model.bodies[b].markers.start)
}

/// Two solids; half-spaces and ground come first.
pub(super) fn solids(model: &Model, markers: &[usize], a: &Solid, b: &Solid) -> Kind {
    let ((ca, ra, ta), (cb, rb, tb)) = (ball(a), ball(b));
    if !rb.is_finite() {
        return Kind::Smooth;
    }
    let first = !ra.is_finite() || a.is_ground();
    let ground = a.is_ground().then(|| {
        let (middle, half) = a.enclosure();
        (Enclosure { middle, half, radius: b.whole(), closed_below: ra.is_finite() }, a.clone(), b.clone())
    });
    Kind::Bodies(Bodies {
        markers: [markers[0], markers[1]],
        owns: [own(model, markers[0]), own(model, markers[1])],
        centre: [if first { Vec3::zeros() } else { ca }, cb],
        core: [if first { 0.0 } else { ra }, rb],
        axes: if first { Axes::First } else { Axes::World },
        thickness: ta.min(tb),
        ground,
    })
}

/// Two points at fixed places of their markers.
fn points(model: &Model, markers: &[usize], centre: [Vec3; 2], thickness: f64) -> Kind {
    Kind::Bodies(Bodies {
        markers: [markers[0], markers[1]],
        owns: [own(model, markers[0]), own(model, markers[1])],
        centre,
        core: [0.0; 2],
        axes: Axes::World,
        thickness,
        ground: None,
    })
}

/// How the gap of a constraint is followed.
pub(super) fn kind(model: &Model, c: usize) -> Kind {
    let entry = &model.constraints[c];
    let markers = &entry.markers;
    let origins = [Vec3::zeros(); 2];
    match &entry.kind {
        ConstraintKind::Separator(s) => points(model, markers, origins, s.length.at(0.0).f.abs()),
        ConstraintKind::Stop(s) => match &s.of {
            Measure::Distance { .. } if s.side == Limit::Lower => points(model, markers, origins, s.at.at(0.0).f.abs()),
            Measure::Coordinate(_) | Measure::Angle { .. } => Kind::Smooth,
            _ => Kind::Turning(markers.clone()),
        },
        ConstraintKind::Ratchet(_) => Kind::Smooth,
        ConstraintKind::Contact(point) => match &point.features {
            Features::Nearest { a, b, .. } => solids(model, markers, a, b),
            Features::Fixed(pair) => match (pair.a, pair.b) {
                (Feature::Point { p, r }, Feature::Point { p: q, r: s }) => {
                    points(model, markers, [p, q], 2.0 * r.min(s))
                }
                _ => Kind::Turning(markers.clone()),
            },
        },
        _ => Kind::Turning(markers.clone()),
    }
}
