//! Separating axes of two polytopes: face normals, and cross products of edges whose arcs of normals intersect (Gauss map).
//!
//! The greatest separation over these axes is the distance if the nearest features are a face and a vertex or two edges, a
//! lower bound of the distance otherwise, and minus the penetration depth if the polytopes overlap.

use super::polytope::{EdgeNormals, PolytopeView};
use crate::motion::{Mat3, Vec3};

/// Pose of B relative to A: x_A = R x_B + p.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativePose {
    pub R: Mat3,
    pub p: Vec3,
}

#[allow(clippy::wrong_self_convention, reason = "the points are transformed, not the pose, which is large")]
impl RelativePose {
    pub(super) fn inverse(&self) -> RelativePose {
        let R = self.R.transpose();
        RelativePose { R, p: -(R * self.p) }
    }

    #[inline(always)]
    pub(super) fn to_a(&self, x: &Vec3) -> Vec3 {
        self.R * x + self.p
    }

    /// Transforms a point from the coordinates of A to those of B.
    #[inline(always)]
    pub(super) fn to_b(&self, x: &Vec3) -> Vec3 {
        self.R.tr_mul(&(x - self.p))
    }
}

/// The face of one polytope with the greatest separation from the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceAxis {
    /// Separation along its normal.
    pub s: f64,
    pub face: usize,
    /// The deepest vertex of the other polytope.
    pub vertex: usize,
}

/// The face of `a` with the greatest separation whose normal is admissible for `b`, and the greatest separation over all faces.
/// `rel` is the pose of b relative to a.
pub(super) fn best_face(a: &PolytopeView, b: &PolytopeView, rel: &RelativePose) -> (Option<FaceAxis>, f64) {
    let mut best: Option<FaceAxis> = None;
    let mut apart = f64::NEG_INFINITY;
    for (face, f) in a.faces.iter().enumerate() {
        let n = rel.R.tr_mul(&f.n);
        let (vertex, low) = lowest_vertex(b.vertices, &n);
        let s = low + f.n.dot(&rel.p) - f.d;
        apart = apart.max(s);
        if best.is_none_or(|best| s > best.s) && b.vertex_admits_normal(vertex, &-n) {
            best = Some(FaceAxis { s, face, vertex });
        }
    }
    (best, apart)
}

/// The vertex with the least coordinate along n.
pub(super) fn lowest_vertex(vertices: &[Vec3], n: &Vec3) -> (usize, f64) {
    let mut low = (0, f64::INFINITY);
    for (i, v) in vertices.iter().enumerate() {
        let h = n.dot(v);
        if h < low.1 {
            low = (i, h);
        }
    }
    low
}

/// The pair of edges with the greatest separation.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeAxis {
    pub s: f64,
    pub a: usize,
    pub b: usize,
    /// Unit normal from A to B, in A.
    pub n: Vec3,
}

/// The greatest separation along u_A×u_B over the pairs of edges whose arcs of normals intersect.
pub(super) fn best_edges(a: &PolytopeView, b: &PolytopeView, rel: &RelativePose) -> Option<EdgeAxis> {
    let mut best: Option<EdgeAxis> = None;
    for (j, eb) in b.edges.iter().enumerate() {
        if eb.normals == EdgeNormals::None {
            continue;
        }
        let ub = rel.R * eb.u;
        let nb = [rel.R * eb.n[0], rel.R * eb.n[1]];
        let pb = rel.to_a(&b.vertices[eb.a as usize]);
        for (i, ea) in a.edges.iter().enumerate() {
            if ea.normals == EdgeNormals::None
                || (ea.normals == EdgeNormals::Circle && eb.normals == EdgeNormals::Circle)
            {
                continue;
            }
            // The arcs of A and −B intersect if each has its ends on both sides of the other's great circle.
            let (a0, a1) = (ea.n[0].dot(&ub), ea.n[1].dot(&ub));
            let (b0, b1) = (nb[0].dot(&ea.u), nb[1].dot(&ea.u));
            if ea.normals == EdgeNormals::Arc && a0 * a1 >= 0.0 || eb.normals == EdgeNormals::Arc && b0 * b1 >= 0.0 {
                continue;
            }
            if ea.normals == EdgeNormals::Arc && eb.normals == EdgeNormals::Arc && b0 * a1 >= 0.0 {
                continue;
            }
            let c = ea.u.cross(&ub);
            let square = c.norm_squared();
            if square < 1e-16 {
                continue;
            }
            // Outwards from the polytope that has an arc.
            let out = if ea.normals == EdgeNormals::Arc { ea.n[0] + ea.n[1] } else { -(nb[0] + nb[1]) };
            let l = square.sqrt().copysign(c.dot(&out));
            let w = pb - a.vertices[ea.a as usize];
            let s = c.dot(&w) / l;
            if best.is_some_and(|best| s <= best.s) {
                continue;
            }
            if a.surroundings.is_some() || b.surroundings.is_some() {
                // For a single triangle the nearest points of the lines may lie beyond the ends of the edges.
                let cosine = ea.u.dot(&ub);
                let (wa, wb) = (w.dot(&ea.u), w.dot(&ub));
                let (x, y) = ((wa - cosine * wb) / square, (cosine * wa - wb) / square);
                if !(0.0..=ea.l).contains(&x) || !(0.0..=eb.l).contains(&y) {
                    continue;
                }
            }
            best = Some(EdgeAxis { s, a: i, b: j, n: c / l });
        }
    }
    best
}
