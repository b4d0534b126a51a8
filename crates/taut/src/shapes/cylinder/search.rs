//! Search for the direction of greatest separation between a cylinder and a polytope.

use super::support;
use crate::motion::Vec3;
use crate::shapes::polytope::{EdgeNormals, PolytopeView};
use crate::shapes::separating_axes::{RelativePose, lowest_vertex};
use std::f64::consts::TAU;

/// The features that define a direction.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum DirectionSource {
    Face(usize),
    Cap,
    SideVertex(usize),
    SideEdge(usize),
    RimVertex(usize),
    RimEdge(usize),
}

/// A direction n with its separation s.
#[derive(Clone, Copy)]
pub(super) struct BestDirection {
    pub s: f64,
    pub n: Vec3,
    pub source: DirectionSource,
}

/// The search for the greatest separation.
pub(super) struct SeparationSearch<'a> {
    pub radius: f64,
    pub half: f64,
    pub b: &'a PolytopeView<'a>,
    pub rel: &'a RelativePose,
    pub tolerance: f64,
    pub best: Option<BestDirection>,
    /// Greatest separation, including directions that are not admissible because of neighbouring mesh triangles.
    pub max_separation: f64,
    pub best_face: Option<BestDirection>,
}

impl SeparationSearch<'_> {
    fn consider(&mut self, n: Vec3, by: DirectionSource) {
        let nb = self.rel.R.tr_mul(&n);
        let (vertex, low) = lowest_vertex(self.b.vertices, &nb);
        let s = low + n.dot(&self.rel.p) - support(self.radius, self.half, &n);
        self.max_separation = self.max_separation.max(s);
        if self.best.is_some_and(|best| s <= best.s + self.tolerance) && !matches!(by, DirectionSource::Face(_)) {
            return;
        }
        // Parallel edges give the same direction; the pair must be that of the foremost edge.
        let foremost = |v: u32| nb.dot(&self.b.vertices[v as usize]) <= low + 1e3 * self.tolerance;
        let admitted = match by {
            DirectionSource::Face(_) => true,
            DirectionSource::SideEdge(i) | DirectionSource::RimEdge(i) => {
                foremost(self.b.edges[i].a) && self.b.edge_admits_normal(i, &-nb)
            }
            DirectionSource::SideVertex(i) | DirectionSource::RimVertex(i) => {
                foremost(i as u32) && self.b.vertex_admits_normal(i, &-nb)
            }
            DirectionSource::Cap => self.b.vertex_admits_normal(vertex, &-nb),
        };
        if admitted && self.best.is_none_or(|best| s > best.s + self.tolerance) {
            self.best = Some(BestDirection { s, n, source: by });
        }
        if matches!(by, DirectionSource::Face(_)) && self.best_face.is_none_or(|best| s > best.s) {
            self.best_face = Some(BestDirection { s, n, source: by });
        }
    }

    pub(super) fn search(&mut self) {
        let (b, rel) = (self.b, self.rel);
        for i in 0..b.faces.len() {
            self.consider(-(rel.R * b.faces[i].n), DirectionSource::Face(i));
        }
        self.consider(Vec3::z(), DirectionSource::Cap);
        self.consider(-Vec3::z(), DirectionSource::Cap);
        for (i, v) in b.vertices.iter().enumerate() {
            let x = rel.to_a(v);
            let out = x.x.hypot(x.y);
            if out > 0.0 {
                let n = Vec3::new(x.x / out, x.y / out, 0.0);
                self.consider(n, DirectionSource::SideVertex(i));
                let over = x.z.abs() - self.half;
                let w = n * (out - self.radius) + Vec3::z() * over.copysign(x.z);
                if out > self.radius && over > 0.0 && w.norm() > 0.0 {
                    self.consider(w.normalize(), DirectionSource::RimVertex(i));
                }
            }
        }
        for (i, e) in b.edges.iter().enumerate() {
            if e.normals == EdgeNormals::None {
                continue;
            }
            let u = rel.R * e.u;
            if let Some(n) = Vec3::z().cross(&u).try_normalize(1e-8) {
                self.consider(n, DirectionSource::SideEdge(i));
                self.consider(-n, DirectionSource::SideEdge(i));
            }
            self.search_rim_edge(i, &u);
        }
    }

    /// Maximum of f(φ) = n·p − ρ √(1 − n_z²) − h |n_z| along the arc of normals of an edge.
    fn search_rim_edge(&mut self, i: usize, u: &Vec3) {
        let e = &self.b.edges[i];
        let p = self.rel.to_a(&self.b.vertices[e.a as usize]);
        let (first, second, span, samples) = match e.normals {
            EdgeNormals::Circle => {
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
            d.dot(&p) - support_derivative(self.radius, self.half, &n, &d)
        };
        let f = |phi: f64| at(phi).dot(&p) - support(self.radius, self.half, &at(phi));
        // Upper bound of the increase of f between two samples.
        let rise = (p.norm() + self.radius + self.half) * span / f64::from(samples);
        let known = self.best.map_or(f64::NEG_INFINITY, |best| best.s) - rise;
        let mut roots = [0.0; 12];
        let mut count = 0;
        local_maxima(
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
            self.consider(at(*phi).normalize(), DirectionSource::RimEdge(i));
        }
    }
}

/// Derivative of [`support`] when n changes along d.
pub(in crate::shapes) fn support_derivative(radius: f64, half: f64, n: &Vec3, d: &Vec3) -> f64 {
    let sine = n.x.hypot(n.y).max(f64::MIN_POSITIVE);
    radius * (n.x * d.x + n.y * d.y) / sine + half * d.z * 1_f64.copysign(n.z)
}

/// Local maxima of a function of an angle, from its slope. Intervals whose start is rejected by `worth` are skipped.
pub(in crate::shapes) fn local_maxima(
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
