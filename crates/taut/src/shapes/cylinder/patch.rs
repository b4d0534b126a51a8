//! Further contact points of a cylinder that lies flat: over a face, over a cap, or along its side.

use super::{ALIGNED_COSINE, facing_points, side_feature, support};
use crate::motion::Vec3;
use crate::shapes::clip::ClipPolygon;
use crate::shapes::feature::{Feature, FeaturePair};
use crate::shapes::nearest_features::{face_feature, is_over_face};
use crate::shapes::polytope::{EdgeNormals, PolytopeView};
use crate::shapes::separating_axes::{RelativePose, lowest_vertex};

/// Points of the cylinder over face i of B; with `plane` the gap is measured along that normal, in A. Returns their number.
pub(super) fn face_points(
    radius: f64,
    half: f64,
    b: &PolytopeView,
    i: usize,
    rel: &RelativePose,
    plane: Option<Vec3>,
    put: &mut dyn FnMut(FeaturePair),
) -> usize {
    let mut count = 0;
    let f = &b.faces[i];
    let n = rel.R * f.n;
    let on = match plane {
        Some(m) => {
            let m = -rel.R.tr_mul(&m);
            let (_, low) = lowest_vertex(b.vertices, &-m);
            Feature::Face { n: m, d: -low }
        }
        None => face_feature(b, i),
    };
    let mut line = ClipPolygon::new();
    let mut cap = ClipPolygon::new();
    facing_points(radius, half, &n, &mut |a, p| {
        let exact = matches!(a, Feature::Rim { .. });
        if plane.is_none() && is_over_face(b, i, &rel.to_b(&p)) {
            put(FeaturePair { a, b: on });
        }
        if exact {
            line.push(rel.to_b(&p));
            if line.len() == 1 {
                cap.push(rel.to_b(&p));
            }
        } else {
            cap.push(rel.to_b(&p));
        }
    });
    // The line on which it lies, and its cap, clipped to the face.
    for mut ring in [line, cap] {
        for k in 0..b.face(i).len() {
            let (p, out) = b.face_side(i, k);
            ring = ring.clip(&p, &out);
        }
        for k in 0..ring.len() {
            put(FeaturePair { a: Feature::Point { p: rel.to_a(&ring.at(k)), r: 0.0 }, b: on });
        }
        count += ring.len();
    }
    count
}

/// Points over a cap, of the face or edge of B that faces it.
pub(super) fn cap_points(
    radius: f64,
    half: f64,
    b: &PolytopeView,
    rel: &RelativePose,
    n: &Vec3,
    put: &mut dyn FnMut(FeaturePair),
) {
    let plane = Feature::Face { n: *n, d: support(radius, half, n) };
    let nb = rel.R.tr_mul(n);
    let (deepest, _) = lowest_vertex(b.vertices, &nb);
    let mut ring = ClipPolygon::new();
    let about = &b.vertex_faces[b.vertex_faces_start[deepest] as usize..b.vertex_faces_start[deepest + 1] as usize];
    match about.iter().min_by(|i, j| nb.dot(&b.faces[**i as usize].n).total_cmp(&nb.dot(&b.faces[**j as usize].n))) {
        Some(&i) => b.face(i as usize).iter().for_each(|v| ring.push(rel.to_a(&b.vertices[*v as usize]))),
        None => b.vertices.iter().for_each(|v| ring.push(rel.to_a(v))),
    }
    let mut take = |x: Vec3| put(FeaturePair { a: plane, b: Feature::Point { p: rel.to_b(&x), r: b.r } });
    for k in 0..ring.len() {
        let (p, q) = (ring.at(k), ring.at((k + 1) % ring.len()));
        if p.x.hypot(p.y) <= radius {
            take(p);
        }
        // Where the edge crosses the circle, seen along the axis.
        let w = q - p;
        let (a, h, c) = (w.x * w.x + w.y * w.y, p.x * w.x + p.y * w.y, p.x * p.x + p.y * p.y - radius * radius);
        let root = h * h - a * c;
        if root > 0.0 && a > 0.0 {
            for t in [(-h - root.sqrt()) / a, (-h + root.sqrt()) / a] {
                if t > 0.0 && t < 1.0 {
                    take(p + w * t);
                }
            }
        }
    }
}

/// Ends of the parts of the edges of B that lie along the side.
pub(super) fn side_points(
    radius: f64,
    half: f64,
    b: &PolytopeView,
    rel: &RelativePose,
    n: &Vec3,
    put: &mut dyn FnMut(FeaturePair),
) {
    let plane = Feature::Face { n: *n, d: support(radius, half, n) };
    if n.z.abs() > 1.0 - ALIGNED_COSINE {
        return;
    }
    for e in b.edges.iter().filter(|e| e.normals != EdgeNormals::None) {
        let u = rel.R * e.u;
        if u.z.abs() < ALIGNED_COSINE {
            continue;
        }
        let p = rel.to_a(&b.vertices[e.a as usize]);
        let ends = [(-half - p.z) / u.z, (half - p.z) / u.z];
        let (from, to) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(e.l));
        if from <= to {
            for t in [from, to] {
                let x = p + u * t;
                // Beyond the axis only a plane has the correct sign.
                let a = if x.dot(n) > 0.0 { side_feature(radius) } else { plane };
                put(FeaturePair { a, b: Feature::Point { p: rel.to_b(&x), r: b.r } });
            }
        }
    }
}
