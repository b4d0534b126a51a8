//! Clipping of one face against another: the points of a flat contact.

use super::closest::{edge, face};
use super::feature::{Feature, Pair};
use super::hull::{Normals, View};
use super::sat::{Rel, lowest};
use crate::motion::Vec3;

/// Two faces are parallel if 1 + cosine of their normals is below this.
const PARALLEL: f64 = 1e-12;
/// Distance, relative to the sizes, within which two points are equal.
const SAME: f64 = 1e-12;

/// A polygon as a ring of points; up to 16 points are stored on the stack.
pub(super) struct Ring {
    few: [Vec3; Ring::FEW],
    more: Vec<Vec3>,
    len: usize,
}

impl Ring {
    const FEW: usize = 16;

    pub(super) fn new() -> Ring {
        Ring { few: [Vec3::zeros(); Ring::FEW], more: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, x: Vec3) {
        match self.few.get_mut(self.len) {
            Some(place) => *place = x,
            None => self.more.push(x),
        }
        self.len += 1;
    }

    pub(super) fn at(&self, i: usize) -> Vec3 {
        if i < Ring::FEW { self.few[i] } else { self.more[i - Ring::FEW] }
    }

    /// The part behind the plane through p with normal m. Two points are a segment.
    pub(super) fn cut(&self, p: &Vec3, m: &Vec3) -> Ring {
        let mut kept = Ring::new();
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
pub(super) fn over(a: &View, f: usize, b: &View, rel: &Rel, put: &mut impl FnMut(Pair)) -> usize {
    let n = a.faces[f].n;
    let nb = rel.R.tr_mul(&n);
    let (deepest, _) = lowest(b.vertices, &nb);
    let mut ring = Ring::new();
    // The incident face: of the faces at the deepest vertex the one whose normal is most opposite to n.
    let about = &b.around[b.first[deepest] as usize..b.first[deepest + 1] as usize];
    let facing =
        about.iter().min_by(|i, j| nb.dot(&b.faces[**i as usize].n).total_cmp(&nb.dot(&b.faces[**j as usize].n)));
    match facing {
        Some(&i) => b.face(i as usize).iter().for_each(|v| ring.push(rel.at(&b.vertices[*v as usize]))),
        None => b.vertices.iter().for_each(|v| ring.push(rel.at(v))),
    }
    for k in 0..a.face(f).len() {
        let (p, out) = a.border(f, k);
        ring = ring.cut(&p, &out);
    }
    // A vertex that was not clipped keeps its exact coordinates, so that the same contact always has the same numbers.
    let vertex = |x: &Vec3| b.vertices.iter().find(|v| rel.at(v) == *x).copied();
    // For parallel faces, a clipped point that coincides with a vertex of a becomes that vertex against the face of b.
    let parallel = facing.map(|i| *i as usize).filter(|i| nb.dot(&b.faces[*i].n) < PARALLEL - 1.0);
    let cut: Vec<Vec3> = (0..ring.len()).map(|i| ring.at(i)).filter(|x| vertex(x).is_none()).collect();
    let crossed = if cut.is_empty() { Crossed::Points } else { ridges(a, f, b, rel, &cut, put) };
    for i in 0..ring.len() {
        let x = ring.at(i);
        let over = |v: &u32| {
            let d = x - a.vertices[*v as usize];
            (d - n * n.dot(&d)).amax() < SAME * (a.size() + b.size())
        };
        let whole = vertex(&x);
        if crossed == Crossed::Edges && whole.is_none() {
            continue;
        }
        let corner = parallel.and_then(|j| Some((j, a.face(f).iter().find(|v| over(v))?)));
        put(match corner {
            Some((j, v)) => Pair { a: Feature::Point { p: a.vertices[*v as usize], r: a.r }, b: face(b, j) },
            None => Pair { a: face(a, f), b: Feature::Point { p: whole.unwrap_or_else(|| rel.back(&x)), r: b.r } },
        });
    }
    ring.len()
}

/// How the points where the border of a face clips a body are represented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Crossed {
    /// As points of the body.
    Points,
    /// As pairs with the edges of the face.
    Edges,
}

/// Squared sine of the angle between a rod and an edge below which the rod lies along the edge.
const ALONG: f64 = 1e-6;
/// Cosine between the edge pair's normal and the face normal above which the pair counts as a contact of the face.
const FLAT: f64 = 0.985;

/// Adds edge–edge pairs where a rod lies across ridges of a terrain. A point fixed to the rod would give the same contact, but only
/// until the rod slides.
fn ridges(a: &View, f: usize, b: &View, rel: &Rel, cut: &[Vec3], put: &mut impl FnMut(Pair)) -> Crossed {
    let ([rod], true, Some(_)) = (b.edges, b.faces.is_empty(), a.corners) else { return Crossed::Points };
    let (p, u) = (rel.at(&b.vertices[rod.a as usize]), rel.R * rod.u);
    // Side k of a triangle is its edge k.
    let cuts = |k: usize| {
        let (p, out) = a.border(f, k);
        cut.iter().any(|x| out.dot(&(x - p)).abs() < 1e-9 * (a.size() + b.size()))
    };
    let ridges = || a.edges.iter().enumerate().filter(|(k, e)| e.normals == Normals::Arc && cuts(*k));
    if ridges().any(|(_, e)| e.u.cross(&u).norm_squared() < ALONG) {
        return Crossed::Points;
    }
    for (i, e) in ridges() {
        let w = p - a.vertices[e.a as usize];
        let c = e.u.cross(&u);
        let (square, cosine) = (c.norm_squared(), e.u.dot(&u));
        let (wa, wb) = (w.dot(&e.u), w.dot(&u));
        let (x, y) = ((wa - cosine * wb) / square, (cosine * wa - wb) / square);
        // The edge pair replaces the points only if its normal is close to that of the face.
        let up = c.dot(&a.faces[f].n);
        if up.abs() > FLAT * square.sqrt() && (0.0..=e.l).contains(&x) && (0.0..=rod.l).contains(&y) {
            put(Pair { a: edge(a, i, up.signum()), b: edge(b, 0, 1.0) });
        }
    }
    Crossed::Edges
}
