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

pub(super) use self::search::{reach_slope, summits};

use self::patch::{along_side, over_cap, over_face};
use self::search::{Best, By, Search};
use super::closest::{edge, face, point};
use super::feature::{Feature, Pair};
use super::hull::{Polytope, View};
use super::sat::{Rel, lowest};
use crate::motion::Vec3;
use std::f64::consts::TAU;

/// Below this sine, cap and plane count as parallel: the rim has no lowest point.
const FLAT: f64 = 1e-6;
/// Above this cosine between its normal and the contact normal, a face adds its points.
const ALIGNED: f64 = 0.985;

/// Support function of a cylinder about z: its extent along n.
pub(super) fn reach(radius: f64, half: f64, n: &Vec3) -> f64 {
    radius * n.x.hypot(n.y) + half * n.z.abs()
}

/// The rim at height z.
fn rim(radius: f64, z: f64) -> Feature {
    Feature::Rim { centre: Vec3::z() * z, axis: Vec3::z(), radius }
}

/// The lateral surface, as an edge along the axis with a radius.
pub(super) fn side(radius: f64) -> Feature {
    Feature::Edge { p: Vec3::zeros(), u: Vec3::z(), r: radius }
}

/// Contact with the plane through the origin of A with normal n; the cylinder is B.
pub(super) fn on_plane(n: &Vec3, radius: f64, half: f64, rel: &Rel, put: &mut dyn FnMut(Pair)) {
    let a = Feature::Face { n: *n, d: 0.0 };
    looking(radius, half, &rel.R.tr_mul(n), &mut |b, _| put(Pair { a, b }));
}

/// Points of a cylinder that face −n: the lowest points of both rims, and further ones of the lower rim.
pub(super) fn looking(radius: f64, half: f64, n: &Vec3, found: &mut dyn FnMut(Feature, Vec3)) {
    let sine = n.x.hypot(n.y);
    let low = if sine < FLAT { Vec3::x() } else { Vec3::new(-n.x / sine, -n.y / sine, 0.0) };
    let z = if n.z > 0.0 { -half } else { half };
    if sine >= FLAT {
        for z in [z, -z] {
            found(rim(radius, z), low * radius + Vec3::z() * z);
        }
    }
    for k in 0..8 {
        let (s, c) = (TAU * f64::from(k) / 8.0).sin_cos();
        let p = (low * c + Vec3::z().cross(&low) * s) * radius + Vec3::z() * z;
        if k > 0 || sine < FLAT {
            found(Feature::Point { p, r: 0.0 }, p);
        }
    }
}

pub(super) fn meet(radius: f64, half: f64, b: &Polytope, rel: &Rel, margin: f64, put: &mut dyn FnMut(Pair)) {
    match b.vertices.as_slice() {
        [_] => ball(radius, half, b, rel, put),
        _ => meet_view(radius, half, &b.view(), rel, margin, put),
    }
}

/// Contact with a sphere: the nearest of side, cap and rim.
fn ball(radius: f64, half: f64, b: &Polytope, rel: &Rel, put: &mut dyn FnMut(Pair)) {
    let c = rel.at(&b.vertices[0]);
    let (out, over) = (c.x.hypot(c.y) - radius, c.z.abs() - half);
    let up = 1_f64.copysign(c.z);
    let a = if out > 0.0 && over > 0.0 {
        rim(radius, up * half)
    } else if over > out {
        Feature::Face { n: Vec3::z() * up, d: half }
    } else {
        side(radius)
    };
    put(Pair { a, b: point(&b.view(), 0) });
}

/// Contact with a polytope or capsule B.
pub(super) fn meet_view(radius: f64, half: f64, b: &View, rel: &Rel, margin: f64, put: &mut dyn FnMut(Pair)) {
    let limit = margin + b.r;
    let tolerance = 1e-12 * (b.size() + radius + half);
    let mut search = Search { radius, half, b, rel, tolerance, best: None, apart: f64::NEG_INFINITY, best_face: None };
    search.run();
    let Some(best) = search.best else { return };
    if search.apart > limit || best.s.is_nan() {
        return;
    }
    // If the nearest feature of a mesh triangle belongs to its neighbour, only the face of the triangle counts.
    let alien = search.apart > 0.0 && search.apart > best.s + tolerance;
    let flat = matches!(best.by, By::Face(_));
    if !alien && !flat {
        put(pair(radius, half, b, rel, &best));
    }
    // Faces almost perpendicular to the normal touch in more than one point.
    let overlap = best.s <= 0.0;
    if let Some(Best { n, by: By::Face(i), .. }) = search.best_face
        && (alien || n.dot(&best.n) > ALIGNED)
    {
        let plane = (overlap && best.by != By::Face(i)).then_some(best.n);
        let count = over_face(radius, half, b, i, rel, plane, put);
        if count == 0 && flat && b.corners.is_none() {
            put(pair(radius, half, b, rel, &best));
        }
    }
    if alien {
        return;
    }
    if best.n.z.abs() > ALIGNED {
        let up = Vec3::z() * 1_f64.copysign(best.n.z);
        over_cap(radius, half, b, rel, if overlap { &best.n } else { &up }, put);
    }
    along_side(radius, half, b, rel, &best.n, put);
}

/// The pair behind the greatest separation.
fn pair(radius: f64, half: f64, b: &View, rel: &Rel, best: &Best) -> Pair {
    let n = &best.n;
    let plane = Feature::Face { n: *n, d: reach(radius, half, n) };
    let nb = rel.R.tr_mul(n);
    let (vertex, _) = lowest(b.vertices, &nb);
    let end = half.copysign(n.z);
    match best.by {
        By::Face(i) => {
            if n.x.hypot(n.y) < FLAT {
                // The cap lies flat; its centre is as deep as any.
                return Pair { a: Feature::Point { p: Vec3::z() * end, r: 0.0 }, b: face(b, i) };
            }
            Pair { a: rim(radius, end), b: face(b, i) }
        }
        By::Cap => Pair { a: plane, b: point(b, vertex) },
        // A vertex beyond the axis is nearer to the opposite side: only a plane has the correct sign.
        By::SideVertex(i) if rel.at(&b.vertices[i]).dot(n) > 0.0 => Pair { a: side(radius), b: point(b, i) },
        By::RimVertex(i) => Pair { a: rim(radius, end), b: point(b, i) },
        By::SideVertex(_) => Pair { a: plane, b: point(b, vertex) },
        By::SideEdge(i) => {
            let sign = Vec3::z().cross(&(rel.R * b.edges[i].u)).dot(n).signum();
            Pair { a: side(radius), b: edge(b, i, sign) }
        }
        By::RimEdge(i) => {
            // The rim is replaced by its tangent: the same gap and gap rate, but no curvature.
            let out = Vec3::new(n.x, n.y, 0.0).normalize();
            let u = Vec3::z().cross(&out);
            let cross = u.cross(&(rel.R * b.edges[i].u));
            if cross.norm() < 1e-7 {
                let x = rel.at(&b.vertices[b.edges[i].a as usize]);
                let w = rel.R * b.edges[i].u;
                let foot = x + w * w.dot(&(out * radius + Vec3::z() * end - x));
                return Pair { a: plane, b: Feature::Point { p: rel.back(&foot), r: b.r } };
            }
            let a = Feature::Edge { p: out * radius + Vec3::z() * end, u, r: 0.0 };
            Pair { a, b: edge(b, i, cross.dot(n).signum()) }
        }
    }
}
