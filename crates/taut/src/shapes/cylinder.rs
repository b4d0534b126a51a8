//! Cylinders against planes, spheres and edged bodies.
//!
//! With the cylinder A about z (radius ρ, half length h) and any B the separation along a unit vector n is
//!
//! ```text
//!  s(n) = min_B n·x − ρ √(n_x² + n_y²) − h |n_z|
//! ```
//!
//! Its greatest value is the distance, or minus the depth. It is reached along a normal of a face of B or of a cap, from
//! the axis to a vertex, perpendicular to the axis and an edge, from the rim to a vertex (all in closed form), or
//! between the rim and an edge: the one root that is searched for, on the circle of vectors perpendicular to the edge.

use super::clip::Ring;
use super::closest::{edge, face, point, within};
use super::feature::{Feature, Pair};
use super::hull::{Normals, Polytope, View};
use super::sat::{Rel, lowest};
use crate::motion::Vec3;
use std::f64::consts::TAU;

/// Below this sine the cap and a plane count as parallel: where the lowest point of the rim is, has no meaning.
const FLAT: f64 = 1e-6;
/// Beyond this cosine a face adds its points to those of another normal.
const ALIGNED: f64 = 0.985;

/// How far a cylinder about z reaches along n.
pub(super) fn reach(radius: f64, half: f64, n: &Vec3) -> f64 {
    radius * n.x.hypot(n.y) + half * n.z.abs()
}

fn rim(radius: f64, z: f64) -> Feature {
    Feature::Rim { centre: Vec3::z() * z, axis: Vec3::z(), radius }
}

pub(super) fn side(radius: f64) -> Feature {
    Feature::Edge { p: Vec3::zeros(), u: Vec3::z(), r: radius }
}

/// Against the plane through the origin of A with normal n; the cylinder is B.
pub(super) fn on_plane(n: &Vec3, radius: f64, half: f64, rel: &Rel, put: &mut dyn FnMut(Pair)) {
    let a = Feature::Face { n: *n, d: 0.0 };
    looking(radius, half, &rel.R.tr_mul(n), &mut |b, _| put(Pair { a, b }));
}

/// What of a cylinder looks against n: the lowest points of both rims, and more of the lower rim.
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

/// Against a sphere: the nearest of side, cap and rim.
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

/// Which features give a direction.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Face(usize),
    Cap,
    SideVertex(usize),
    SideEdge(usize),
    RimVertex(usize),
    RimEdge(usize),
}

#[derive(Clone, Copy)]
struct Best {
    s: f64,
    n: Vec3,
    by: By,
}

/// The search for the greatest separation.
struct Search<'a> {
    radius: f64,
    half: f64,
    b: &'a View<'a>,
    rel: &'a Rel,
    tolerance: f64,
    best: Option<Best>,
    /// Greatest separation, whether the surroundings of a triangle admit the direction or not.
    apart: f64,
    best_face: Option<Best>,
}

impl Search<'_> {
    fn offer(&mut self, n: Vec3, by: By) {
        let nb = self.rel.R.tr_mul(&n);
        let (vertex, low) = lowest(self.b.vertices, &nb);
        let s = low + n.dot(&self.rel.p) - reach(self.radius, self.half, &n);
        self.apart = self.apart.max(s);
        if self.best.is_some_and(|best| s <= best.s + self.tolerance) && !matches!(by, By::Face(_)) {
            return;
        }
        // Of parallel edges the same direction comes from each; the pair must be that of the foremost.
        let foremost = |v: u32| nb.dot(&self.b.vertices[v as usize]) <= low + 1e3 * self.tolerance;
        let admitted = match by {
            By::Face(_) => true,
            By::SideEdge(i) | By::RimEdge(i) => foremost(self.b.edges[i].a) && self.b.edge_admits(i, &-nb),
            By::SideVertex(i) | By::RimVertex(i) => foremost(i as u32) && self.b.vertex_admits(i, &-nb),
            By::Cap => self.b.vertex_admits(vertex, &-nb),
        };
        if admitted && self.best.is_none_or(|best| s > best.s + self.tolerance) {
            self.best = Some(Best { s, n, by });
        }
        if matches!(by, By::Face(_)) && self.best_face.is_none_or(|best| s > best.s) {
            self.best_face = Some(Best { s, n, by });
        }
    }

    fn run(&mut self) {
        let (b, rel) = (self.b, self.rel);
        for i in 0..b.faces.len() {
            self.offer(-(rel.R * b.faces[i].n), By::Face(i));
        }
        self.offer(Vec3::z(), By::Cap);
        self.offer(-Vec3::z(), By::Cap);
        for (i, v) in b.vertices.iter().enumerate() {
            let x = rel.at(v);
            let out = x.x.hypot(x.y);
            if out > 0.0 {
                let n = Vec3::new(x.x / out, x.y / out, 0.0);
                self.offer(n, By::SideVertex(i));
                let over = x.z.abs() - self.half;
                let w = n * (out - self.radius) + Vec3::z() * over.copysign(x.z);
                if out > self.radius && over > 0.0 && w.norm() > 0.0 {
                    self.offer(w.normalize(), By::RimVertex(i));
                }
            }
        }
        for (i, e) in b.edges.iter().enumerate() {
            if e.normals == Normals::None {
                continue;
            }
            let u = rel.R * e.u;
            if let Some(n) = Vec3::z().cross(&u).try_normalize(1e-8) {
                self.offer(n, By::SideEdge(i));
                self.offer(-n, By::SideEdge(i));
            }
            self.rim_edge(i, &u);
        }
    }

    /// The greatest of f(φ) = n·p − ρ √(1 − n_z²) − h |n_z| along the arc of normals of an edge.
    fn rim_edge(&mut self, i: usize, u: &Vec3) {
        let e = &self.b.edges[i];
        let p = self.rel.at(&self.b.vertices[e.a as usize]);
        let (first, second, span, samples) = match e.normals {
            Normals::Circle => {
                let x = if u.z.abs() < 0.7 { Vec3::z() } else { Vec3::x() };
                let x = (x - u * u.dot(&x)).normalize();
                (x, u.cross(&x), TAU, 24)
            }
            _ => {
                let (m, k) = (self.rel.R * e.n[0], self.rel.R * e.n[1]);
                let Some(w) = (k - m * m.dot(&k)).try_normalize(1e-12) else { return };
                (-m, -w, m.dot(&k).clamp(-1.0, 1.0).acos(), 8)
            }
        };
        let at = |phi: f64| first * phi.cos() + second * phi.sin();
        let slope = |phi: f64| {
            let (n, d) = (at(phi), second * phi.cos() - first * phi.sin());
            d.dot(&p) - reach_slope(self.radius, self.half, &n, &d)
        };
        let f = |phi: f64| at(phi).dot(&p) - reach(self.radius, self.half, &at(phi));
        // Between two samples f can rise by no more than this.
        let rise = (p.norm() + self.radius + self.half) * span / f64::from(samples);
        let known = self.best.map_or(f64::NEG_INFINITY, |best| best.s) - rise;
        let mut roots = [0.0; 12];
        let mut count = 0;
        summits(
            span,
            samples,
            slope,
            |phi| f(phi) >= known,
            |phi| {
                if count < roots.len() {
                    roots[count] = phi;
                    count += 1;
                }
            },
        );
        for phi in &roots[..count] {
            self.offer(at(*phi).normalize(), By::RimEdge(i));
        }
    }
}

/// The change of [`reach`] with n along d.
pub(super) fn reach_slope(radius: f64, half: f64, n: &Vec3, d: &Vec3) -> f64 {
    let sine = n.x.hypot(n.y).max(f64::MIN_POSITIVE);
    radius * (n.x * d.x + n.y * d.y) / sine + half * d.z * 1_f64.copysign(n.z)
}

/// Where a function of an angle with the given slope has its summits, of those intervals whose start is worth it.
pub(super) fn summits(
    span: f64,
    samples: u32,
    slope: impl Fn(f64) -> f64,
    worth: impl Fn(f64) -> bool,
    mut found: impl FnMut(f64),
) {
    let step = span / f64::from(samples);
    let mut before = slope(0.0);
    for k in 0..samples {
        let (mut lo, mut hi) = (step * f64::from(k), step * f64::from(k + 1));
        let after = slope(hi);
        let rises = before > 0.0 && after < 0.0;
        before = after;
        if !rises || !worth(lo) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (lo + hi);
            if slope(middle) > 0.0 { lo = middle } else { hi = middle }
        }
        found(0.5 * (lo + hi));
    }
}

/// Against an edged body or a capsule B.
pub(super) fn meet_view(radius: f64, half: f64, b: &View, rel: &Rel, margin: f64, put: &mut dyn FnMut(Pair)) {
    let limit = margin + b.r;
    let tolerance = 1e-12 * (b.size() + radius + half);
    let mut search = Search { radius, half, b, rel, tolerance, best: None, apart: f64::NEG_INFINITY, best_face: None };
    search.run();
    let Some(best) = search.best else { return };
    if search.apart > limit || best.s.is_nan() {
        return;
    }
    // Near a triangle of a mesh, whose nearest feature belongs to its neighbour, only its face counts.
    let alien = search.apart > 0.0 && search.apart > best.s + tolerance;
    let flat = matches!(best.by, By::Face(_));
    if !alien && !flat {
        put(pair(radius, half, b, rel, &best));
    }
    // Faces that are almost square to the normal hold on more than one point.
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
        // Beyond its axis a vertex is nearer to the other side than this one: only a plane tells the sides.
        By::SideVertex(i) if rel.at(&b.vertices[i]).dot(n) > 0.0 => Pair { a: side(radius), b: point(b, i) },
        By::RimVertex(i) => Pair { a: rim(radius, end), b: point(b, i) },
        By::SideVertex(_) => Pair { a: plane, b: point(b, vertex) },
        By::SideEdge(i) => {
            let sign = Vec3::z().cross(&(rel.R * b.edges[i].u)).dot(n).signum();
            Pair { a: side(radius), b: edge(b, i, sign) }
        }
        By::RimEdge(i) => {
            // The tangent of the rim stands for it: the same gap and gap rate, without the curvature.
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

/// What of the cylinder lies over face i of B; with `plane` counted along that normal, in A. Returns how many.
fn over_face(
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
    // The line on which it lies, and its cap, as far as they are over the face.
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

/// What of the face or edge of B that looks at a cap lies over it.
fn over_cap(radius: f64, half: f64, b: &View, rel: &Rel, n: &Vec3, put: &mut dyn FnMut(Pair)) {
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
        // Where the side crosses the circle, seen along the axis.
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

/// Edges of B along the side, as far as they are beside it.
fn along_side(radius: f64, half: f64, b: &View, rel: &Rel, n: &Vec3, put: &mut dyn FnMut(Pair)) {
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
                // Beyond the axis only a plane tells the sides.
                let a = if x.dot(n) > 0.0 { side(radius) } else { plane };
                put(Pair { a, b: Feature::Point { p: rel.back(&x), r: b.r } });
            }
        }
    }
}
