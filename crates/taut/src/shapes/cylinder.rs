//! Contact of a cylinder with planes, spheres and polytopes.
//!
//! With the cylinder A about z (radius ρ, half length h) and any B the separation along a unit vector n is
//!
//! ```text
//!  s(n) = min_B n·x − ρ √(n_x² + n_y²) − h |n_z|
//! ```
//!
//! Its greatest value is the distance, or minus the depth. The direction is one of these (`search`): the normal of a face of B or of a
//! cap, from the axis to a vertex, perpendicular to the axis and an edge, from the rim to a vertex (all in closed form), or between
//! the rim and an edge, which needs a root search on the circle of vectors perpendicular to the edge.
//!
//! Surfaces that lie flat on each other touch in more than one point (`patch`).

mod patch;
mod search;

pub(super) use self::search::{local_maxima, support_derivative};

use self::patch::{cap_points, face_points, side_points};
use self::search::{BestDirection, DirectionSource, SeparationSearch};
use super::feature::{Feature, FeaturePair};
use super::nearest_features::{edge_feature, face_feature, point_feature};
use super::polytope::{Polytope, PolytopeView};
use super::separating_axes::{RelativePose, lowest_vertex};
use crate::motion::Vec3;
use std::f64::consts::TAU;

/// Below this sine, cap and plane count as parallel: the rim has no lowest point.
const PARALLEL_SINE: f64 = 1e-6;
/// Above this cosine between its normal and the contact normal, a face adds its points.
const ALIGNED_COSINE: f64 = 0.985;

/// Support function of a cylinder about z: its extent along n.
pub(super) fn support(radius: f64, half: f64, n: &Vec3) -> f64 {
    radius * n.x.hypot(n.y) + half * n.z.abs()
}

/// The rim at height z.
fn rim_feature(radius: f64, z: f64) -> Feature {
    Feature::Rim { centre: Vec3::z() * z, axis: Vec3::z(), radius }
}

/// The lateral surface, as an edge along the axis with a radius.
pub(super) fn side_feature(radius: f64) -> Feature {
    Feature::Edge { p: Vec3::zeros(), u: Vec3::z(), r: radius }
}

/// Contact with the plane through the origin of A with normal n; the cylinder is B.
pub(super) fn contact_with_plane(
    n: &Vec3,
    radius: f64,
    half: f64,
    rel: &RelativePose,
    put: &mut dyn FnMut(FeaturePair),
) {
    let a = Feature::Face { n: *n, d: 0.0 };
    facing_points(radius, half, &rel.R.tr_mul(n), &mut |b, _| put(FeaturePair { a, b }));
}

/// Points of a cylinder that face −n: the lowest points of both rims, and further ones of the lower rim.
pub(super) fn facing_points(radius: f64, half: f64, n: &Vec3, found: &mut dyn FnMut(Feature, Vec3)) {
    let sine = n.x.hypot(n.y);
    let low = if sine < PARALLEL_SINE { Vec3::x() } else { Vec3::new(-n.x / sine, -n.y / sine, 0.0) };
    let z = if n.z > 0.0 { -half } else { half };
    if sine >= PARALLEL_SINE {
        for z in [z, -z] {
            found(rim_feature(radius, z), low * radius + Vec3::z() * z);
        }
    }
    for k in 0..8 {
        let (s, c) = (TAU * f64::from(k) / 8.0).sin_cos();
        let p = (low * c + Vec3::z().cross(&low) * s) * radius + Vec3::z() * z;
        if k > 0 || sine < PARALLEL_SINE {
            found(Feature::Point { p, r: 0.0 }, p);
        }
    }
}

pub(super) fn contact_with_polytope(
    radius: f64,
    half: f64,
    b: &Polytope,
    rel: &RelativePose,
    margin: f64,
    put: &mut dyn FnMut(FeaturePair),
) {
    match b.vertices.as_slice() {
        [_] => contact_with_sphere(radius, half, b, rel, put),
        _ => contact_with_polytope_view(radius, half, &b.view(), rel, margin, put),
    }
}

/// Contact with a sphere: the nearest of side, cap and rim.
fn contact_with_sphere(radius: f64, half: f64, b: &Polytope, rel: &RelativePose, put: &mut dyn FnMut(FeaturePair)) {
    let c = rel.to_a(&b.vertices[0]);
    let (out, over) = (c.x.hypot(c.y) - radius, c.z.abs() - half);
    let up = 1_f64.copysign(c.z);
    let a = if out > 0.0 && over > 0.0 {
        rim_feature(radius, up * half)
    } else if over > out {
        Feature::Face { n: Vec3::z() * up, d: half }
    } else {
        side_feature(radius)
    };
    put(FeaturePair { a, b: point_feature(&b.view(), 0) });
}

/// Contact with a polytope or capsule B.
pub(super) fn contact_with_polytope_view(
    radius: f64,
    half: f64,
    b: &PolytopeView,
    rel: &RelativePose,
    margin: f64,
    put: &mut dyn FnMut(FeaturePair),
) {
    let limit = margin + b.r;
    let tolerance = 1e-12 * (b.size() + radius + half);
    let mut search = SeparationSearch {
        radius,
        half,
        b,
        rel,
        tolerance,
        best: None,
        max_separation: f64::NEG_INFINITY,
        best_face: None,
    };
    search.search();
    let Some(best) = search.best else { return };
    if search.max_separation > limit || best.s.is_nan() {
        return;
    }
    // If the nearest feature of a mesh triangle belongs to its neighbour, only the face of the triangle counts.
    let alien = search.max_separation > 0.0 && search.max_separation > best.s + tolerance;
    let flat = matches!(best.source, DirectionSource::Face(_));
    if !alien && !flat {
        put(deepest_pair(radius, half, b, rel, &best));
    }
    // Faces almost perpendicular to the normal touch in more than one point.
    let overlap = best.s <= 0.0;
    if let Some(BestDirection { n, source: DirectionSource::Face(i), .. }) = search.best_face
        && (alien || n.dot(&best.n) > ALIGNED_COSINE)
    {
        let plane = (overlap && best.source != DirectionSource::Face(i)).then_some(best.n);
        let count = face_points(radius, half, b, i, rel, plane, put);
        if count == 0 && flat && b.surroundings.is_none() {
            put(deepest_pair(radius, half, b, rel, &best));
        }
    }
    if alien {
        return;
    }
    if best.n.z.abs() > ALIGNED_COSINE {
        let up = Vec3::z() * 1_f64.copysign(best.n.z);
        cap_points(radius, half, b, rel, if overlap { &best.n } else { &up }, put);
    }
    side_points(radius, half, b, rel, &best.n, put);
}

/// The pair behind the greatest separation.
fn deepest_pair(radius: f64, half: f64, b: &PolytopeView, rel: &RelativePose, best: &BestDirection) -> FeaturePair {
    let n = &best.n;
    let plane = Feature::Face { n: *n, d: support(radius, half, n) };
    let nb = rel.R.tr_mul(n);
    let (vertex, _) = lowest_vertex(b.vertices, &nb);
    let end = half.copysign(n.z);
    match best.source {
        DirectionSource::Face(i) => {
            if n.x.hypot(n.y) < PARALLEL_SINE {
                // The cap lies flat; its centre is as deep as any.
                return FeaturePair { a: Feature::Point { p: Vec3::z() * end, r: 0.0 }, b: face_feature(b, i) };
            }
            FeaturePair { a: rim_feature(radius, end), b: face_feature(b, i) }
        }
        DirectionSource::Cap => FeaturePair { a: plane, b: point_feature(b, vertex) },
        // A vertex beyond the axis is nearer to the opposite side: only a plane has the correct sign.
        DirectionSource::SideVertex(i) if rel.to_a(&b.vertices[i]).dot(n) > 0.0 => {
            FeaturePair { a: side_feature(radius), b: point_feature(b, i) }
        }
        DirectionSource::RimVertex(i) => FeaturePair { a: rim_feature(radius, end), b: point_feature(b, i) },
        DirectionSource::SideVertex(_) => FeaturePair { a: plane, b: point_feature(b, vertex) },
        DirectionSource::SideEdge(i) => {
            let sign = Vec3::z().cross(&(rel.R * b.edges[i].u)).dot(n).signum();
            FeaturePair { a: side_feature(radius), b: edge_feature(b, i, sign) }
        }
        DirectionSource::RimEdge(i) => {
            // The rim is replaced by its tangent: the same gap and gap rate, but no curvature.
            let out = Vec3::new(n.x, n.y, 0.0).normalize();
            let u = Vec3::z().cross(&out);
            let cross = u.cross(&(rel.R * b.edges[i].u));
            if cross.norm() < 1e-7 {
                let x = rel.to_a(&b.vertices[b.edges[i].a as usize]);
                let w = rel.R * b.edges[i].u;
                let foot = x + w * w.dot(&(out * radius + Vec3::z() * end - x));
                return FeaturePair { a: plane, b: Feature::Point { p: rel.to_b(&foot), r: b.r } };
            }
            let a = Feature::Edge { p: out * radius + Vec3::z() * end, u, r: 0.0 };
            FeaturePair { a, b: edge_feature(b, i, cross.dot(n).signum()) }
        }
    }
}
