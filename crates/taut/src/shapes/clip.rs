//! Clipping of one face against another: the points of a flat contact.

use super::feature::{Feature, FeaturePair};
use super::nearest_features::{edge_feature, face_feature};
use super::polytope::{EdgeNormals, PolytopeView};
use super::separating_axes::{RelativePose, lowest_vertex};
use crate::motion::Vec3;

/// Two faces are parallel if 1 + cosine of their normals is below this.
const PARALLEL_TOLERANCE: f64 = 1e-12;
/// Distance, relative to the sizes, within which two points are equal.
const COINCIDENCE_TOLERANCE: f64 = 1e-12;

/// A polygon as a ring of points; up to 16 points are stored on the stack.
pub(super) struct ClipPolygon {
    inline_points: [Vec3; ClipPolygon::INLINE_CAPACITY],
    spilled_points: Vec<Vec3>,
    len: usize,
}

impl ClipPolygon {
    const INLINE_CAPACITY: usize = 16;

    pub(super) fn new() -> ClipPolygon {
        ClipPolygon { inline_points: [Vec3::zeros(); ClipPolygon::INLINE_CAPACITY], spilled_points: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, x: Vec3) {
        match self.inline_points.get_mut(self.len) {
            Some(place) => *place = x,
            None => self.spilled_points.push(x),
        }
        self.len += 1;
    }

    pub(super) fn at(&self, i: usize) -> Vec3 {
        if i < ClipPolygon::INLINE_CAPACITY {
            self.inline_points[i]
        } else {
            self.spilled_points[i - ClipPolygon::INLINE_CAPACITY]
        }
    }

    /// The part behind the plane through p with normal m. Two points are a segment.
    pub(super) fn clip(&self, p: &Vec3, m: &Vec3) -> ClipPolygon {
        let mut kept = ClipPolygon::new();
        let height = |i: usize| m.dot(&(self.at(i) - p));
        if self.len == 1 && height(0) <= 0.0 {
            kept.push(self.at(0));
        }
        if self.len < 2 {
            return kept;
        }
        let sides = if self.len == 2 { 1 } else { self.len };
        for i in 0..sides {
            let j = (i + 1) % self.len;
            let (h, k) = (height(i), height(j));
            if h <= 0.0 {
                kept.push(self.at(i));
            }
            if (h < 0.0 && k > 0.0) || (h > 0.0 && k < 0.0) {
                kept.push(self.at(i) + (self.at(j) - self.at(i)) * (h / (h - k)));
            }
            if self.len == 2 && k <= 0.0 {
                kept.push(self.at(j));
            }
        }
        kept
    }
}

/// Clips the face of b that is opposite to face `f` of a (the incident face) against the sides of `f`. The points are passed to `put` as
/// pairs of the face and a point of b; `rel` is the pose of b relative to a. Returns their number.
pub(super) fn clip_to_face(
    a: &PolytopeView,
    f: usize,
    b: &PolytopeView,
    rel: &RelativePose,
    put: &mut impl FnMut(FeaturePair),
) -> usize {
    let n = a.faces[f].n;
    let nb = rel.R.tr_mul(&n);
    let (deepest, _) = lowest_vertex(b.vertices, &nb);
    let mut ring = ClipPolygon::new();
    // The incident face: of the faces at the deepest vertex the one whose normal is most opposite to n.
    let about = &b.vertex_faces[b.vertex_faces_start[deepest] as usize..b.vertex_faces_start[deepest + 1] as usize];
    let facing =
        about.iter().min_by(|i, j| nb.dot(&b.faces[**i as usize].n).total_cmp(&nb.dot(&b.faces[**j as usize].n)));
    match facing {
        Some(&i) => b.face(i as usize).iter().for_each(|v| ring.push(rel.to_a(&b.vertices[*v as usize]))),
        None => b.vertices.iter().for_each(|v| ring.push(rel.to_a(v))),
    }
    for k in 0..a.face(f).len() {
        let (p, out) = a.face_side(f, k);
        ring = ring.clip(&p, &out);
    }
    // A vertex that was not clipped keeps its exact coordinates, so that the same contact always has the same numbers.
    let vertex = |x: &Vec3| b.vertices.iter().find(|v| rel.to_a(v) == *x).copied();
    // For parallel faces, a clipped point that coincides with a vertex of a becomes that vertex against the face of b.
    let parallel = facing.map(|i| *i as usize).filter(|i| nb.dot(&b.faces[*i].n) < PARALLEL_TOLERANCE - 1.0);
    let cut: Vec<Vec3> = (0..ring.len()).map(|i| ring.at(i)).filter(|x| vertex(x).is_none()).collect();
    let crossed = if cut.is_empty() { BorderContacts::Points } else { rod_across_ridges(a, f, b, rel, &cut, put) };
    for i in 0..ring.len() {
        let x = ring.at(i);
        let over = |v: &u32| {
            let d = x - a.vertices[*v as usize];
            (d - n * n.dot(&d)).amax() < COINCIDENCE_TOLERANCE * (a.size() + b.size())
        };
        let whole = vertex(&x);
        if crossed == BorderContacts::Edges && whole.is_none() {
            continue;
        }
        let corner = parallel.and_then(|j| Some((j, a.face(f).iter().find(|v| over(v))?)));
        put(match corner {
            Some((j, v)) => {
                FeaturePair { a: Feature::Point { p: a.vertices[*v as usize], r: a.r }, b: face_feature(b, j) }
            }
            None => FeaturePair {
                a: face_feature(a, f),
                b: Feature::Point { p: whole.unwrap_or_else(|| rel.to_b(&x)), r: b.r },
            },
        });
    }
    ring.len()
}

/// How the points where the border of a face clips a body are represented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BorderContacts {
    /// As points of the body.
    Points,
    /// As pairs with the edges of the face.
    Edges,
}

/// Squared sine of the angle between a rod and an edge below which the rod lies along the edge.
const ALONG_EDGE_SINE_SQUARED: f64 = 1e-6;
/// Cosine between the edge pair's normal and the face normal above which the pair counts as a contact of the face.
const FLAT_COSINE: f64 = 0.985;

/// Adds edge–edge pairs where a rod lies across ridges of a terrain. A point fixed to the rod would give the same contact, but only
/// until the rod slides.
fn rod_across_ridges(
    a: &PolytopeView,
    f: usize,
    b: &PolytopeView,
    rel: &RelativePose,
    cut: &[Vec3],
    put: &mut impl FnMut(FeaturePair),
) -> BorderContacts {
    let ([rod], true, Some(_)) = (b.edges, b.faces.is_empty(), a.surroundings) else { return BorderContacts::Points };
    let (p, u) = (rel.to_a(&b.vertices[rod.a as usize]), rel.R * rod.u);
    // Side k of a triangle is its edge k.
    let cuts = |k: usize| {
        let (p, out) = a.face_side(f, k);
        cut.iter().any(|x| out.dot(&(x - p)).abs() < 1e-9 * (a.size() + b.size()))
    };
    let ridges = || a.edges.iter().enumerate().filter(|(k, e)| e.normals == EdgeNormals::Arc && cuts(*k));
    if ridges().any(|(_, e)| e.u.cross(&u).norm_squared() < ALONG_EDGE_SINE_SQUARED) {
        return BorderContacts::Points;
    }
    for (i, e) in ridges() {
        let w = p - a.vertices[e.a as usize];
        let c = e.u.cross(&u);
        let (square, cosine) = (c.norm_squared(), e.u.dot(&u));
        let (wa, wb) = (w.dot(&e.u), w.dot(&u));
        let (x, y) = ((wa - cosine * wb) / square, (cosine * wa - wb) / square);
        // The edge pair replaces the points only if its normal is close to that of the face.
        let up = c.dot(&a.faces[f].n);
        if up.abs() > FLAT_COSINE * square.sqrt() && (0.0..=e.l).contains(&x) && (0.0..=rod.l).contains(&y) {
            put(FeaturePair { a: edge_feature(a, i, up.signum()), b: edge_feature(b, 0, 1.0) });
        }
    }
    BorderContacts::Edges
}
