//! Contact of two polytopes, each swept by a sphere: points, segments, boxes, hulls, and triangles of a mesh.
//!
//! ```text
//!  apart      gap = distance of the nearest features − r_A − r_B
//!  overlap    gap = greatest separation over the axes of faces and edges − r_A − r_B
//! ```
//!
//! Where a face takes part, what of the other lies over it gives up to four points. A point of an edge that
//! is cut off by the border of the face is kept as a point of its body.

use super::clip::over;
use super::closest::{edge, nearest, point};
use super::feature::{Feature, Pair};
use super::hull::View;
use super::sat::{FaceAxis, Rel, best_edges, best_face};
use crate::motion::Vec3;

/// Beyond this cosine between its normal and that of the deepest point, a face adds its points too: two faces that
/// are almost parallel rest on more than one point.
const ALIGNED: f64 = 0.985;

/// The deeper of the two best faces.
#[derive(Clone, Copy)]
enum Flat {
    OfA(FaceAxis),
    OfB(FaceAxis),
}

impl Flat {
    fn s(&self) -> f64 {
        match self {
            Flat::OfA(axis) | Flat::OfB(axis) => axis.s,
        }
    }

    /// Normal from A to B, in A.
    fn normal(&self, a: &View, b: &View, rel: &Rel) -> Vec3 {
        match self {
            Flat::OfA(axis) => a.faces[axis.face].n,
            Flat::OfB(axis) => -(rel.R * b.faces[axis.face].n),
        }
    }

    /// The points over the face, or at least the deepest vertex where round-off has cut it off.
    fn points(&self, a: &View, b: &View, rel: &Rel, put: &mut impl FnMut(Pair)) {
        let (found, axis, alone) = match self {
            Flat::OfA(axis) => (over(a, axis.face, b, rel, put), axis, b.corners.is_none() && a.corners.is_none()),
            Flat::OfB(axis) => {
                let found = over(b, axis.face, a, &rel.inverse(), &mut |pair| put(pair.swapped()));
                (found, axis, b.corners.is_none() && a.corners.is_none())
            }
        };
        if found == 0 && alone {
            match self {
                Flat::OfA(_) => put(Pair { a: super::closest::face(a, axis.face), b: point(b, axis.vertex) }),
                Flat::OfB(_) => put(Pair { a: point(a, axis.vertex), b: super::closest::face(b, axis.face) }),
            }
        }
    }
}

/// All pairs of features with a gap below `margin`, and perhaps some beyond it.
pub(super) fn meet(a: &View, b: &View, rel: &Rel, margin: f64, put: &mut impl FnMut(Pair)) {
    let limit = margin + a.r + b.r;
    let inverse = rel.inverse();
    let (of_a, apart_a) = best_face(a, b, rel);
    if apart_a > limit {
        return;
    }
    let (of_b, apart_b) = best_face(b, a, &inverse);
    if apart_b > limit {
        return;
    }
    let edges = best_edges(a, b, rel);
    if edges.is_some_and(|e| e.s > limit) {
        return;
    }
    let tolerance = 1e-11 * (a.size() + b.size());
    let flat = match (of_a, of_b) {
        (Some(x), Some(y)) => Some(if y.s > x.s + tolerance { Flat::OfB(y) } else { Flat::OfA(x) }),
        (x, y) => x.map(Flat::OfA).or(y.map(Flat::OfB)),
    };
    let apart = apart_a.max(apart_b).max(edges.map_or(f64::NEG_INFINITY, |e| e.s));
    let bare = a.faces.is_empty() && b.faces.is_empty();

    if bare || apart > 0.0 {
        let n = flat.map(|f| f.normal(a, b, rel)).filter(|_| !bare);
        // Without faces nothing separates for sure; any direction does for so few features.
        let n = match (n, &edges) {
            (Some(n), Some(e)) if e.s <= flat.map_or(f64::NEG_INFINITY, |f| f.s()) => n,
            (_, Some(e)) => e.n,
            (Some(n), None) => n,
            (None, None) => rel.p.try_normalize(0.0).unwrap_or(Vec3::z()),
        };
        let Some(near) = nearest(a, b, rel, &n) else { return };
        if near.d > limit {
            return;
        }
        let square = flat.filter(|f| f.s() >= near.d - tolerance);
        if let Some(flat) = square {
            return flat.points(a, b, rel, put);
        }
        if near.admitted {
            put(near.pair);
        }
        if bare {
            return side_by_side(a, b, rel, put);
        }
        more(flat, near.admitted.then_some(near.n), a, b, rel, put);
        return;
    }

    match (edges, flat) {
        (Some(e), flat) if flat.is_none_or(|f| e.s > f.s() + tolerance) => {
            let sign = a.edges[e.a].u.cross(&(rel.R * b.edges[e.b].u)).dot(&e.n).signum();
            put(Pair { a: edge(a, e.a, sign), b: edge(b, e.b, 1.0) });
            // Along the normal of the face all would be deeper still: the points count along the normal found.
            let plane_a = plane(&e.n, &a.vertices[a.edges[e.a].a as usize], a.r);
            let plane_b = plane(&-rel.R.tr_mul(&e.n), &b.vertices[b.edges[e.b].a as usize], b.r);
            more(flat, Some(e.n), a, b, rel, &mut |pair| match pair.a {
                Feature::Face { .. } => put(Pair { a: plane_a, b: pair.b }),
                _ => put(Pair { a: pair.a, b: plane_b }),
            });
        }
        (_, Some(flat)) => flat.points(a, b, rel, put),
        _ => {}
    }
}

/// The plane through a point moved out by r.
fn plane(n: &Vec3, through: &Vec3, r: f64) -> Feature {
    Feature::Face { n: *n, d: n.dot(through) + r }
}

/// The points of a face that is almost square to the normal found; of a triangle of a mesh whose nearest
/// feature belongs to another triangle those of its own face.
fn more(flat: Option<Flat>, n: Option<Vec3>, a: &View, b: &View, rel: &Rel, put: &mut impl FnMut(Pair)) {
    let Some(flat) = flat else { return };
    if n.is_none_or(|n| n.dot(&flat.normal(a, b, rel)) > ALIGNED) {
        match flat {
            Flat::OfA(axis) => over(a, axis.face, b, rel, put),
            Flat::OfB(axis) => over(b, axis.face, a, &rel.inverse(), &mut |pair| put(pair.swapped())),
        };
    }
}

/// Two segments almost in parallel touch at the ends of what they have side by side.
fn side_by_side(a: &View, b: &View, rel: &Rel, put: &mut impl FnMut(Pair)) {
    let ([ea], [eb]) = (a.edges, b.edges) else { return };
    if ea.u.cross(&(rel.R * eb.u)).norm_squared() > 1.0 - ALIGNED * ALIGNED {
        return;
    }
    for (i, v) in b.vertices.iter().enumerate() {
        let t = ea.u.dot(&(rel.at(v) - a.vertices[0]));
        if (0.0..=ea.l).contains(&t) {
            put(Pair { a: edge(a, 0, 1.0), b: point(b, i) });
        }
    }
    for (i, v) in a.vertices.iter().enumerate() {
        let t = eb.u.dot(&(rel.back(v) - b.vertices[0]));
        if (0.0..=eb.l).contains(&t) {
            put(Pair { a: point(a, i), b: edge(b, 0, 1.0) });
        }
    }
}
