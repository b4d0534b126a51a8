//! The nearest features of two disjoint polytopes.
//!
//! The nearest points of two disjoint convex polyhedra lie on a vertex and a face, on two edges, on a vertex and an edge, or on two
//! vertices. All pairs are tested in this order, but only those within a slab: if n separates the polyhedra by s and d is an upper
//! bound of the distance, the nearest points lie at most d − s behind the foremost points along n.

use super::feature::{Feature, FeaturePair};
use super::polytope::PolytopeView;
use super::separating_axes::RelativePose;
use crate::motion::Vec3;

/// The nearest features.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestFeatures {
    /// Distance between the cores (without the sphere radii).
    pub distance: f64,
    /// Unit vector from A to B in the axes of A; zero if the two touch.
    pub n: Vec3,
    pub pair: FeaturePair,
    /// Whether the normal is admissible for the surrounding surface.
    pub admitted: bool,
}

/// A new pair must be nearer by this factor, so that the first of equally near pairs is kept.
const TIE_FACTOR: f64 = 1.0 - 1e-14;

/// Searches the nearest features; n (unit vector in A) is any direction that separates A from B.
pub(super) fn nearest_features(
    a: &PolytopeView,
    b: &PolytopeView,
    rel: &RelativePose,
    n: &Vec3,
) -> Option<NearestFeatures> {
    let inverse = rel.inverse();
    let mut found: Option<NearestFeatures> = None;
    // Foremost coordinates along n.
    let front = a.vertices.iter().map(|v| n.dot(v)).fold(f64::MIN, f64::max);
    let nb = rel.R.tr_mul(n);
    let shift = n.dot(&rel.p);
    let back = b.vertices.iter().map(|v| nb.dot(v) + shift).fold(f64::MAX, f64::min);
    let mut bound = f64::INFINITY;
    for v in a.vertices.iter().filter(|v| n.dot(v) >= front) {
        for w in b.vertices {
            bound = bound.min((rel.to_a(w) - v).norm());
        }
    }
    let slack = 1e-12 * (a.size() + b.size()) + (bound - (back - front)).max(0.0);
    let near_a = |v: &Vec3| n.dot(v) >= front - slack;
    let near_b = |v: &Vec3| nb.dot(v) + shift <= back + slack;
    let mut limit = f64::INFINITY;
    let mut offer = |d: f64, n: Vec3, pair: FeaturePair, admitted: bool| {
        if d < limit {
            limit = d * TIE_FACTOR;
            found = Some(NearestFeatures { distance: d, n, pair, admitted });
        }
    };

    for (i, v) in b.vertices.iter().enumerate().filter(|(_, v)| near_b(v)) {
        let x = rel.to_a(v);
        faces_below(a, &x, &mut |h, f| {
            let n = a.faces[f].n;
            let pair = FeaturePair { a: face_feature(a, f), b: point_feature(b, i) };
            offer(h, n, pair, b.vertex_admits_normal(i, &-(rel.R.tr_mul(&n))));
        });
    }
    for (i, v) in a.vertices.iter().enumerate().filter(|(_, v)| near_a(v)) {
        let x = inverse.to_a(v);
        faces_below(b, &x, &mut |h, f| {
            let n = -(rel.R * b.faces[f].n);
            offer(h, n, FeaturePair { a: point_feature(a, i), b: face_feature(b, f) }, a.vertex_admits_normal(i, &n));
        });
    }
    for (j, eb) in b.edges.iter().enumerate() {
        let (p, q) = (&b.vertices[eb.a as usize], &b.vertices[eb.b as usize]);
        if !near_b(p) && !near_b(q) {
            continue;
        }
        let (pb, ub) = (rel.to_a(p), rel.R * eb.u);
        for (i, ea) in a.edges.iter().enumerate() {
            let (p, q) = (&a.vertices[ea.a as usize], &a.vertices[ea.b as usize]);
            if !near_a(p) && !near_a(q) {
                continue;
            }
            let w = pb - p;
            let c = ea.u.cross(&ub);
            let square = c.norm_squared();
            let cosine = ea.u.dot(&ub);
            let (wa, wb) = (w.dot(&ea.u), w.dot(&ub));
            let (x, y) = (wa - cosine * wb, cosine * wa - wb);
            if square < 1e-16 || x < 0.0 || x > ea.l * square || y < 0.0 || y > eb.l * square {
                continue;
            }
            let l = square.sqrt().copysign(c.dot(&w));
            let n = c / l;
            // The pair's own normal u_A×u_B must point from A to B.
            let pair = FeaturePair { a: edge_feature(a, i, l.signum()), b: edge_feature(b, j, 1.0) };
            let admitted = a.edge_admits_normal(i, &n) && b.edge_admits_normal(j, &-(rel.R.tr_mul(&n)));
            offer(n.dot(&w), n, pair, admitted);
        }
    }
    for (i, v) in b.vertices.iter().enumerate().filter(|(_, v)| near_b(v)) {
        let x = rel.to_a(v);
        edges_beside(a, &x, &mut |d, n, e| {
            let admitted = a.edge_admits_normal(e, &n) && b.vertex_admits_normal(i, &-(rel.R.tr_mul(&n)));
            offer(d, n, FeaturePair { a: edge_feature_for_point(a, e), b: point_feature(b, i) }, admitted);
        });
    }
    for (i, v) in a.vertices.iter().enumerate().filter(|(_, v)| near_a(v)) {
        let x = inverse.to_a(v);
        edges_beside(b, &x, &mut |d, n, e| {
            let m = -(rel.R * n);
            offer(
                d,
                m,
                FeaturePair { a: point_feature(a, i), b: edge_feature_for_point(b, e) },
                b.edge_admits_normal(e, &n) && a.vertex_admits_normal(i, &m),
            );
        });
    }
    for (j, w) in b.vertices.iter().enumerate().filter(|(_, w)| near_b(w)) {
        let x = rel.to_a(w);
        for (i, v) in a.vertices.iter().enumerate().filter(|(_, v)| near_a(v)) {
            let d = (x - v).norm();
            let n = if d > 0.0 { (x - v) / d } else { Vec3::zeros() };
            let admitted = a.vertex_admits_normal(i, &n) && b.vertex_admits_normal(j, &-(rel.R.tr_mul(&n)));
            offer(d, n, FeaturePair { a: point_feature(a, i), b: point_feature(b, j) }, admitted);
        }
    }
    found
}

/// The faces that x lies over, with its height. A point on a face may be slightly below it by round-off.
fn faces_below(a: &PolytopeView, x: &Vec3, found: &mut impl FnMut(f64, usize)) {
    let round_off = 1e-12 * a.size();
    for (i, f) in a.faces.iter().enumerate() {
        let h = f.n.dot(x) - f.d;
        if h >= -round_off && is_over_face(a, i, x) {
            found(h.max(0.0), i);
        }
    }
}

/// Whether the projection of x along the normal lies within the face.
pub(super) fn is_over_face(a: &PolytopeView, face: usize, x: &Vec3) -> bool {
    (0..a.face(face).len()).all(|k| {
        let (p, out) = a.face_side(face, k);
        out.dot(&(x - p)) <= 0.0
    })
}

/// The edges onto which x projects within their length: distance, unit vector from the edge to x.
fn edges_beside(a: &PolytopeView, x: &Vec3, found: &mut impl FnMut(f64, Vec3, usize)) {
    for (i, e) in a.edges.iter().enumerate() {
        let w = x - a.vertices[e.a as usize];
        let t = w.dot(&e.u);
        if t > 0.0 && t < e.l {
            let w = w - e.u * t;
            let d = w.norm();
            found(d, if d > 0.0 { w / d } else { Vec3::zeros() }, i);
        }
    }
}

pub(super) fn point_feature(of: &PolytopeView, i: usize) -> Feature {
    Feature::Point { p: of.vertices[i], r: of.r }
}

pub(super) fn face_feature(of: &PolytopeView, i: usize) -> Feature {
    Feature::Face { n: of.faces[i].n, d: of.faces[i].d }
}

/// The end that represents an edge, independent of which of its two faces reports the edge, and the sense of u from that end.
fn canonical_end(of: &PolytopeView, i: usize) -> (Vec3, f64) {
    let e = &of.edges[i];
    let [p, q] = [e.a, e.b].map(|k| of.vertices[k as usize]);
    let before = p.iter().zip(&q).find(|(p, q)| p != q).is_none_or(|(p, q)| p < q);
    if before { (p, 1.0) } else { (q, -1.0) }
}

/// An edge against another edge, with the sense required by the normal.
pub(super) fn edge_feature(of: &PolytopeView, i: usize, sign: f64) -> Feature {
    Feature::Edge { p: canonical_end(of, i).0, u: of.edges[i].u * sign, r: of.r }
}

/// An edge against a point.
fn edge_feature_for_point(of: &PolytopeView, i: usize) -> Feature {
    let (p, sense) = canonical_end(of, i);
    Feature::Edge { p, u: of.edges[i].u * sense, r: of.r }
}
