//! Further contact points of a cylinder that lies flat: over a face, over a cap, or along its side.

use super::{ALIGNED, looking, reach, side};
use crate::motion::Vec3;
use crate::shapes::clip::Ring;
use crate::shapes::closest::{face, within};
use crate::shapes::feature::{Feature, Pair};
use crate::shapes::hull::{Normals, View};
use crate::shapes::sat::{Rel, lowest};

/// Points of the cylinder over face i of B; with `plane` the gap is measured along that normal, in A. Returns their number.
pub(super) fn over_face(
    radius: f64,
    half: f64,
    b: &View,
    i: usize,
    rel: &Rel,
    plane: Option<Vec3>,
    put: &mut dyn FnMut(Pair),
) -> usize {
    let mut count = 0;
    let f = &b.faces[i];
    let n = rel.R * f.n;
    let on = match plane {
        Some(m) => {
            let m = -rel.R.tr_mul(&m);
            let (_, low) = lowest(b.vertices, &-m);
            Feature::Face { n: m, d: -low }
        }
        None => face(b, i),
    };
    let mut line = Ring::new();
    let mut cap = Ring::new();
    looking(radius, half, &n, &mut |a, p| {
        let exact = matches!(a, Feature::Rim { .. });
        if plane.is_none() && within(b, i, &rel.back(&p)) {
            put(Pair { a, b: on });
        }
        if exact {
            line.push(rel.back(&p));
            if line.len() == 1 {
                cap.push(rel.back(&p));
            }
        } else {
            cap.push(rel.back(&p));
        }
    });
    // The line on which it lies, and its cap, clipped to the face.
    for mut ring in [line, cap] {
        for k in 0..b.face(i).len() {
            let (p, out) = b.border(i, k);
            ring = ring.cut(&p, &out);
        }
        for k in 0..ring.len() {
            put(Pair { a: Feature::Point { p: rel.at(&ring.at(k)), r: 0.0 }, b: on });
        }
        count += ring.len();
    }
    count
}

/// Points over a cap, of the face or edge of B that faces it.
pub(super) fn over_cap(radius: f64, half: f64, b: &View, rel: &Rel, n: &Vec3, put: &mut dyn FnMut(Pair)) {
    let plane = Feature::Face { n: *n, d: reach(radius, half, n) };
    let nb = rel.R.tr_mul(n);
    let (deepest, _) = lowest(b.vertices, &nb);
    let mut ring = Ring::new();
    let about = &b.around[b.first[deepest] as usize..b.first[deepest + 1] as usize];
    match about.iter().min_by(|i, j| nb.dot(&b.faces[**i as usize].n).total_cmp(&nb.dot(&b.faces[**j as usize].n))) {
        Some(&i) => b.face(i as usize).iter().for_each(|v| ring.push(rel.at(&b.vertices[*v as usize]))),
        None => b.vertices.iter().for_each(|v| ring.push(rel.at(v))),
    }
    let mut take = |x: Vec3| put(Pair { a: plane, b: Feature::Point { p: rel.back(&x), r: b.r } });
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
pub(super) fn along_side(radius: f64, half: f64, b: &View, rel: &Rel, n: &Vec3, put: &mut dyn FnMut(Pair)) {
    let plane = Feature::Face { n: *n, d: reach(radius, half, n) };
    if n.z.abs() > 1.0 - ALIGNED {
        return;
    }
    for e in b.edges.iter().filter(|e| e.normals != Normals::None) {
        let u = rel.R * e.u;
        if u.z.abs() < ALIGNED {
            continue;
        }
        let p = rel.at(&b.vertices[e.a as usize]);
        let ends = [(-half - p.z) / u.z, (half - p.z) / u.z];
        let (from, to) = (ends[0].min(ends[1]).max(0.0), ends[0].max(ends[1]).min(e.l));
        if from <= to {
            for t in [from, to] {
                let x = p + u * t;
                // Beyond the axis only a plane has the correct sign.
                let a = if x.dot(n) > 0.0 { side(radius) } else { plane };
                put(Pair { a, b: Feature::Point { p: rel.back(&x), r: b.r } });
            }
        }
    }
}
