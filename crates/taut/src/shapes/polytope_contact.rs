//! Contact of two polytopes, each swept by a sphere: points, segments, boxes, hulls, and triangles of a mesh.
//!
//! ```text
//!  apart      gap = distance of the nearest features − r_A − r_B
//!  overlap    gap = greatest separation over the axes of faces and edges − r_A − r_B
//! ```
//!
//! If a face is involved, the part of the other polytope over that face gives up to four points. Where the border of the face
//! clips an edge, the intersection becomes a point fixed to the body of the edge.

use super::clip::clip_to_face;
use super::feature::{Feature, FeaturePair};
use super::nearest_features::{edge_feature, nearest_features, point_feature};
use super::polytope::PolytopeView;
use super::separating_axes::{FaceAxis, RelativePose, best_edges, best_face};
use crate::motion::Vec3;

/// If the cosine between the normal of a face and that of the deepest point exceeds this, the face adds its points: two almost
/// parallel faces touch at more than one point.
const ALIGNED_COSINE: f64 = 0.985;

/// Distance, relative to the sizes, within which a point counts as on an edge.
const ON_EDGE_TOLERANCE: f64 = 1e-9;

/// The reference face: the face with the greater separation, of A or of B.
#[derive(Clone, Copy)]
enum ReferenceFace {
    OfA(FaceAxis),
    OfB(FaceAxis),
}

impl ReferenceFace {
    fn separation(&self) -> f64 {
        match self {
            ReferenceFace::OfA(axis) | ReferenceFace::OfB(axis) => axis.s,
        }
    }

    /// Normal from A to B, in A.
    fn normal(&self, a: &PolytopeView, b: &PolytopeView, rel: &RelativePose) -> Vec3 {
        match self {
            ReferenceFace::OfA(axis) => a.faces[axis.face].n,
            ReferenceFace::OfB(axis) => -(rel.R * b.faces[axis.face].n),
        }
    }

    /// The points over the face, or at least the deepest vertex if round-off has clipped it away.
    fn contact_points(
        &self,
        a: &PolytopeView,
        b: &PolytopeView,
        rel: &RelativePose,
        put: &mut impl FnMut(FeaturePair),
    ) {
        let (found, axis, alone) = match self {
            ReferenceFace::OfA(axis) => {
                (clip_to_face(a, axis.face, b, rel, put), axis, b.surroundings.is_none() && a.surroundings.is_none())
            }
            ReferenceFace::OfB(axis) => {
                let found = clip_to_face(b, axis.face, a, &rel.inverse(), &mut |pair| put(pair.swapped()));
                (found, axis, b.surroundings.is_none() && a.surroundings.is_none())
            }
        };
        if found == 0 && alone {
            match self {
                ReferenceFace::OfA(_) => put(FeaturePair {
                    a: super::nearest_features::face_feature(a, axis.face),
                    b: point_feature(b, axis.vertex),
                }),
                ReferenceFace::OfB(_) => put(FeaturePair {
                    a: point_feature(a, axis.vertex),
                    b: super::nearest_features::face_feature(b, axis.face),
                }),
            }
        }
    }
}

/// All feature pairs with a gap below `margin`, and possibly some with a larger gap.
pub(super) fn polytope_contact(
    a: &PolytopeView,
    b: &PolytopeView,
    rel: &RelativePose,
    margin: f64,
    put: &mut impl FnMut(FeaturePair),
) {
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
        (Some(x), Some(y)) => Some(if y.s > x.s + tolerance { ReferenceFace::OfB(y) } else { ReferenceFace::OfA(x) }),
        (x, y) => x.map(ReferenceFace::OfA).or(y.map(ReferenceFace::OfB)),
    };
    let apart = apart_a.max(apart_b).max(edges.map_or(f64::NEG_INFINITY, |e| e.s));
    let bare = a.faces.is_empty() && b.faces.is_empty();

    if bare || apart > 0.0 {
        let n = flat.map(|f| f.normal(a, b, rel)).filter(|_| !bare);
        // Without faces there may be no separating axis; with so few features any direction will do.
        let n = match (n, &edges) {
            (Some(n), Some(e)) if e.s <= flat.map_or(f64::NEG_INFINITY, |f| f.separation()) => n,
            (_, Some(e)) => e.n,
            (Some(n), None) => n,
            (None, None) => rel.p.try_normalize(0.0).unwrap_or(Vec3::z()),
        };
        let Some(near) = nearest_features(a, b, rel, &n) else { return };
        if near.distance > limit {
            return;
        }
        let square = flat.filter(|f| f.separation() >= near.distance - tolerance);
        if let Some(flat) = square {
            return flat.contact_points(a, b, rel, put);
        }
        if near.admitted {
            put(near.pair);
        }
        if bare {
            return parallel_segments(a, b, rel, put);
        }
        add_face_points(flat, near.admitted.then_some(near.n), a, b, rel, put);
        return;
    }

    match (edges, flat) {
        (Some(e), flat) if flat.is_none_or(|f| e.s > f.separation() + tolerance) => {
            let sign = a.edges[e.a].u.cross(&(rel.R * b.edges[e.b].u)).dot(&e.n).signum();
            put(FeaturePair { a: edge_feature(a, e.a, sign), b: edge_feature(b, e.b, 1.0) });
            add_face_points(flat, Some(e.n), a, b, rel, &mut |pair| {
                let of_a = EdgeCrossing { face: a, edge: e.a, other: b, other_edge: e.b, rel, n: e.n };
                let of_b = EdgeCrossing {
                    face: b,
                    edge: e.b,
                    other: a,
                    other_edge: e.a,
                    rel: &inverse,
                    n: -rel.R.tr_mul(&e.n),
                };
                match pair {
                    FeaturePair { a: side @ Feature::Face { .. }, b: Feature::Point { p, .. } } => {
                        of_a.limiting_plane(side, &p)
                            .into_iter()
                            .for_each(|side| put(FeaturePair { a: side, b: pair.b }));
                    }
                    FeaturePair { a: Feature::Point { p, .. }, b: side @ Feature::Face { .. } } => {
                        of_b.limiting_plane(side, &p)
                            .into_iter()
                            .for_each(|side| put(FeaturePair { a: pair.a, b: side }));
                    }
                    _ => put(pair),
                }
            });
        }
        (_, Some(flat)) => flat.contact_points(a, b, rel, put),
        _ => {}
    }
}

/// Two crossing edges with the deepest contact, from the body whose face has points of the other body over it.
struct EdgeCrossing<'a> {
    face: &'a PolytopeView<'a>,
    edge: usize,
    other: &'a PolytopeView<'a>,
    other_edge: usize,
    /// Pose of the other body.
    rel: &'a RelativePose,
    /// Normal of the two edges, towards the other.
    n: Vec3,
}

impl EdgeCrossing<'_> {
    /// The plane that a point of the other body penetrates less: the face itself, or the plane through the edge with the normal of
    /// both edges. None at the crossing of the two edges, which is a contact of its own. The plane alone would include points of the
    /// other edge above the face; the face alone would give depths greater than that of the edges.
    fn limiting_plane(&self, side: Feature, p: &Vec3) -> Option<Feature> {
        let Feature::Face { n, d } = side else { return Some(side) };
        let (x, edge, across) = (self.rel.to_a(p), &self.face.edges[self.edge], &self.other.edges[self.other_edge]);
        let on_edge = x - self.face.vertices[edge.a as usize];
        let on_other = x - self.rel.to_a(&self.other.vertices[across.a as usize]);
        let small = ON_EDGE_TOLERANCE * (self.face.size() + self.other.size());
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
fn add_face_points(
    flat: Option<ReferenceFace>,
    n: Option<Vec3>,
    a: &PolytopeView,
    b: &PolytopeView,
    rel: &RelativePose,
    put: &mut impl FnMut(FeaturePair),
) {
    let Some(flat) = flat else { return };
    if n.is_none_or(|n| n.dot(&flat.normal(a, b, rel)) > ALIGNED_COSINE) {
        match flat {
            ReferenceFace::OfA(axis) => clip_to_face(a, axis.face, b, rel, put),
            ReferenceFace::OfB(axis) => clip_to_face(b, axis.face, a, &rel.inverse(), &mut |pair| put(pair.swapped())),
        };
    }
}

/// Two almost parallel segments touch at the ends of their overlap.
fn parallel_segments(a: &PolytopeView, b: &PolytopeView, rel: &RelativePose, put: &mut impl FnMut(FeaturePair)) {
    let ([ea], [eb]) = (a.edges, b.edges) else { return };
    if ea.u.cross(&(rel.R * eb.u)).norm_squared() > 1.0 - ALIGNED_COSINE * ALIGNED_COSINE {
        return;
    }
    for (i, v) in b.vertices.iter().enumerate() {
        let t = ea.u.dot(&(rel.to_a(v) - a.vertices[0]));
        if (0.0..=ea.l).contains(&t) {
            put(FeaturePair { a: edge_feature(a, 0, 1.0), b: point_feature(b, i) });
        }
    }
    for (i, v) in a.vertices.iter().enumerate() {
        let t = eb.u.dot(&(rel.to_b(v) - b.vertices[0]));
        if (0.0..=eb.l).contains(&t) {
            put(FeaturePair { a: point_feature(a, i), b: edge_feature(b, 0, 1.0) });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::motion::Vec3;
    use crate::shapes::{Pose, Shape, Solid, contact_points};
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
            contact_points(&plate, &Pose::identity(), &cube, &Pose { R: R.into_inner(), p }, 0.0, &mut found);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!((found[0].gap + 1e-3).abs() < 1e-12 && (found[0].normal - n).norm() < 1e-12, "{found:?}");
        }
    }
}
