//! How each gap is followed: as two bodies that approach each other, or as a smooth function of the motion or of time.

use crate::constraints::{ConstraintKind, Limit};
use crate::contacts::Features;
use crate::measures::Measure;
use crate::model::Model;
use crate::motion::Vec3;
use crate::shapes::{Feature, Solid};
use crate::simulation::events::conservative_advancement::Enclosure;

/// The axes in which the vector from one body to the other is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OffsetAxes {
    /// The world's: both are finite.
    World,
    /// Those of the first, which is a half-space or ground.
    First,
}

/// Two bodies that approach each other.
#[derive(Clone, Debug)]
pub(super) struct ApproachingBodies {
    pub markers: [usize; 2],
    /// The frames of the bodies that carry them.
    pub body_frames: [usize; 2],
    /// Centres in the axes of the markers, and radii of the bodies about them without their rounding.
    pub centre: [Vec3; 2],
    pub core_radius: [f64; 2],
    pub axes: OffsetAxes,
    /// The thickness of the thinner one.
    pub thickness: f64,
    /// For ground of triangles: its bounding box, the ground, and the body that may touch it.
    pub ground: Option<(Enclosure, Solid, Solid)>,
}

/// How a gap is followed.
#[derive(Clone, Debug)]
pub(super) enum GapKind {
    /// Two bodies or points.
    Bodies(ApproachingBodies),
    /// A smooth function of the motion of these markers, which rotate.
    Turning(Vec<usize>),
    /// A smooth function of time.
    Smooth,
}

/// Bounding ball of a solid without its rounding: centre and radius; and its least thickness.
fn bounding_ball(solid: &Solid) -> (Vec3, f64, f64) {
    let core = solid.core_radius();
    (if core.is_finite() { solid.centre() } else { Vec3::zeros() }, core, solid.thickness())
}

/// The frame of the body that carries a marker.
fn body_frame(model: &Model, marker: usize) -> usize {
    model.markers[marker].body.map_or(marker, |b| model.bodies[b].markers.start)
}

/// Two solids; half-spaces and ground come first.
pub(super) fn solids(model: &Model, markers: &[usize], a: &Solid, b: &Solid) -> GapKind {
    let ((ca, ra, ta), (cb, rb, tb)) = (bounding_ball(a), bounding_ball(b));
    if !rb.is_finite() {
        return GapKind::Smooth;
    }
    let first = !ra.is_finite() || a.is_terrain();
    let ground = a.is_terrain().then(|| {
        let (middle, half) = a.local_box();
        (Enclosure { middle, half, radius: b.bounding_radius(), closed_below: ra.is_finite() }, a.clone(), b.clone())
    });
    GapKind::Bodies(ApproachingBodies {
        markers: [markers[0], markers[1]],
        body_frames: [body_frame(model, markers[0]), body_frame(model, markers[1])],
        centre: [if first { Vec3::zeros() } else { ca }, cb],
        core_radius: [if first { 0.0 } else { ra }, rb],
        axes: if first { OffsetAxes::First } else { OffsetAxes::World },
        thickness: ta.min(tb),
        ground,
    })
}

/// Two points at fixed places of their markers.
fn points(model: &Model, markers: &[usize], centre: [Vec3; 2], thickness: f64) -> GapKind {
    GapKind::Bodies(ApproachingBodies { thickness, ..bodies(model, markers, centre) })
}

/// An ellipsoid and a ball of radius r.
fn ellipsoid(
    model: &Model,
    markers: &[usize],
    centre: [Vec3; 2],
    radii: Vec3,
    is_ellipsoid: [bool; 2],
    r: f64,
) -> GapKind {
    let core_radius = is_ellipsoid.map(|yes| if yes { radii.max() - radii.min() } else { 0.0 });
    let thickness = 2.0 * radii.min().min(r);
    GapKind::Bodies(ApproachingBodies { core_radius, thickness, ..bodies(model, markers, centre) })
}

/// Two bodies about these centres, without extent.
fn bodies(model: &Model, markers: &[usize], centre: [Vec3; 2]) -> ApproachingBodies {
    ApproachingBodies {
        markers: [markers[0], markers[1]],
        body_frames: [body_frame(model, markers[0]), body_frame(model, markers[1])],
        centre,
        core_radius: [0.0; 2],
        axes: OffsetAxes::World,
        thickness: 0.0,
        ground: None,
    }
}

/// How the gap of a constraint is followed.
pub(super) fn gap_kind(model: &Model, c: usize) -> GapKind {
    let entry = &model.constraints[c];
    let markers = &entry.markers;
    let origins = [Vec3::zeros(); 2];
    match &entry.kind {
        ConstraintKind::MinimumDistance(s) => points(model, markers, origins, s.length.at(0.0).f.abs()),
        ConstraintKind::Stop(s) => match &s.of {
            Measure::Distance { .. } if s.side == Limit::Lower => points(model, markers, origins, s.at.at(0.0).f.abs()),
            Measure::Coordinate(_) | Measure::Angle { .. } => GapKind::Smooth,
            _ => GapKind::Turning(markers.clone()),
        },
        ConstraintKind::Ratchet(_) => GapKind::Smooth,
        ConstraintKind::Contact(point) => match &point.features {
            Features::Nearest { a, b, .. } => solids(model, markers, a, b),
            Features::Fixed(pair) => match (pair.a, pair.b) {
                (Feature::Point { p, r }, Feature::Point { p: q, r: s }) => {
                    points(model, markers, [p, q], 2.0 * r.min(s))
                }
                (Feature::Ellipsoid { radii }, Feature::Point { p, r }) => {
                    ellipsoid(model, markers, [Vec3::zeros(), p], radii, [true, false], r)
                }
                (Feature::Point { p, r }, Feature::Ellipsoid { radii }) => {
                    ellipsoid(model, markers, [p, Vec3::zeros()], radii, [false, true], r)
                }
                (Feature::Ellipsoid { radii }, Feature::Ellipsoid { radii: other }) => {
                    GapKind::Bodies(ApproachingBodies {
                        core_radius: [radii, other].map(|radii| radii.max() - radii.min()),
                        thickness: 2.0 * radii.min().min(other.min()),
                        ..bodies(model, markers, origins)
                    })
                }
                // The half-space comes first.
                (Feature::Face { .. }, Feature::Ellipsoid { radii }) => GapKind::Bodies(ApproachingBodies {
                    core_radius: [0.0, radii.max() - radii.min()],
                    axes: OffsetAxes::First,
                    thickness: 2.0 * radii.min(),
                    ..bodies(model, markers, origins)
                }),
                _ => GapKind::Turning(markers.clone()),
            },
        },
        _ => GapKind::Turning(markers.clone()),
    }
}
