//! Contact of two polytopes, each swept by a sphere: points, segments, boxes, hulls, and triangles of a mesh.
//!
//! ```text
//!  apart      gap = distance of the nearest features − r_A − r_B
//!  overlap    gap = greatest separation over the axes of faces and edges − r_A − r_B
//! ```
//!
//! If a face is involved, the part of the other polytope over that face gives up to four points. Where the border of the face
//! clips an edge, the intersection becomes a point fixed to the body of the edge.

use super::clip::over;
use super::closest::{edge, nearest, point};
use super::feature::{Feature, Pair};
use super::hull::View;
use super::sat::{FaceAxis, Rel, best_edges, best_face};
use crate::motion::Vec3;

/// If the cosine between the normal of a face and that of the deepest point exceeds this, the face adds its points: two almost
/// parallel faces touch at more than one point.
const ALIGNED: f64 = 0.985;

/// Distance, relative to the sizes, within which a point counts as on an edge.
const SAME: f64 = 1e-9;

/// The reference face: the face with the greater separation, of A or of B.
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

    /// The points over the face, or at least the deepest vertex if round-off has clipped it away.
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

/// All feature pairs with a gap below `margin`, and possibly some with a larger gap.
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
        // Without faces there may be no separating axis; with so few features any direction will do.
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
            more(flat, Some(e.n), a, b, rel, &mut |pair| {
                let of_a = Crossing { face: a, edge: e.a, other: b, across: e.b, rel, n: e.n };
                let of_b =
                    Crossing { face: b, edge: e.b, other: a, across: e.a, rel: &inverse, n: -rel.R.tr_mul(&e.n) };
                match pair {
                    Pair { a: side @ Feature::Face { .. }, b: Feature::Point { p, .. } } => {
                        of_a.counts(side, &p).into_iter().for_each(|side| put(Pair { a: side, b: pair.b }));
                    }
                    Pair { a: Feature::Point { p, .. }, b: side @ Feature::Face { .. } } => {
                        of_b.counts(side, &p).into_iter().for_each(|side| put(Pair { a: pair.a, b: side }));
                    }
                    _ => put(pair),
                }
            });
        }
        (_, Some(flat)) => flat.points(a, b, rel, put),
        _ => {}
    }
}

/// Two crossing edges with the deepest contact, from the body whose face has points of the other body over it.
struct Crossing<'a> {
    face: &'a View<'a>,
    edge: usize,
    other: &'a View<'a>,
    across: usize,
    /// Pose of the other body.
    rel: &'a Rel,
    /// Normal of the two edges, towards the other.
    n: Vec3,
}

impl Crossing<'_> {
    /// The plane that a point of the other body penetrates less: the face itself, or the plane through the edge with the normal of
    /// both edges. None at the crossing of the two edges, which is a contact of its own. The plane alone would include points of the
    /// other edge above the face; the face alone would give depths greater than that of the edges.
    fn counts(&self, side: Feature, p: &Vec3) -> Option<Feature> {
        let Feature::Face { n, d } = side else { return Some(side) };
        let (x, edge, across) = (self.rel.at(p), &self.face.edges[self.edge], &self.other.edges[self.across]);
        let on_edge = x - self.face.vertices[edge.a as usize];
        let on_other = x - self.rel.at(&self.other.vertices[across.a as usize]);
        let small = SAME * (self.face.size() + self.other.size());
        // At the crossing the edge pair is the contact; add no point.
        let crosses = on_other.cross(&(self.rel.R * across.u)).norm() < small;
        if crosses && on_edge.dot(&edge.u.cross(&n)).abs() < small * edge.u.cross(&n).norm() {
            return None;
        }
        let along = self.n.dot(&self.face.vertices[edge.a as usize]) + self.face.r;
        let deeper = n.dot(&x) - d <= self.n.dot(&x) - along;
        Some(if deeper { Feature::Face { n: self.n, d: along } } else { side })
    }
}

/// Adds the points of the reference face if it is almost perpendicular to the contact normal, or if there is no admissible normal (a
/// mesh triangle whose nearest feature belongs to another triangle).
fn more(flat: Option<Flat>, n: Option<Vec3>, a: &View, b: &View, rel: &Rel, put: &mut impl FnMut(Pair)) {
    let Some(flat) = flat else { return };
    if n.is_none_or(|n| n.dot(&flat.normal(a, b, rel)) > ALIGNED) {
        match flat {
            Flat::OfA(axis) => over(a, axis.face, b, rel, put),
            Flat::OfB(axis) => over(b, axis.face, a, &rel.inverse(), &mut |pair| put(pair.swapped())),
        };
    }
}

/// Two almost parallel segments touch at the ends of their overlap.
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

#[cfg(test)]
mod tests {
    use crate::motion::Vec3;
    use crate::shapes::{Pose, Shape, Solid, touch};
    use nalgebra::Rotation3;

    #[test]
    fn an_edge_across_a_border_touches_where_the_two_cross() {
        let plate = Solid::new(&Shape::Box { size: [2.0, 2.0, 0.2] }).unwrap();
        let cube = Solid::new(&Shape::Box { size: [4.0, 4.0, 4.0] }).unwrap();
        for (tilt, yaw) in [(0.05, 0.0), (0.1, 0.1), (0.15, -0.3)] {
            // The cube stands on an edge along x, which rises towards +x and is deepest at the border x = -1.
            let R = Rotation3::from_axis_angle(&Vec3::z_axis(), yaw)
                * Rotation3::from_axis_angle(&Vec3::y_axis(), -tilt)
                * Rotation3::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_4);
            let edge = R * Vec3::new(0.0, -2.0, -2.0);
            let along = R * Vec3::x();
            let border = Vec3::new(-1.0, 0.0, 0.1);
            let n = Vec3::y().cross(&along).normalize();
            let n = if n.z < 0.0 { -n } else { n };
            let p = border - n * 1e-3 - edge;
            let mut found = Vec::new();
            touch(&plate, &Pose::identity(), &cube, &Pose { R: R.into_inner(), p }, 0.0, &mut found);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!((found[0].gap + 1e-3).abs() < 1e-12 && (found[0].normal - n).norm() < 1e-12, "{found:?}");
        }
    }
}
