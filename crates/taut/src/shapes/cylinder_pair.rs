//! Contact of two cylinders. The separation along a unit vector n,
//!
//! ```text
//!  s(n) = n·p − h_A(n) − h_B(n)        p from the centre of A to that of B, h the support functions
//! ```
//!
//! has its maximum along one of the axes (a cap is in contact), perpendicular to both axes (side on side), perpendicular to one axis
//! (side on rim: root search on a circle), or in a general direction (rim on rim: Newton's method on the sphere). All cases are tried.

use super::cylinder::{facing_points, local_maxima, side_feature, support, support_derivative};
use super::feature::{Feature, FeaturePair};
use super::separating_axes::RelativePose;
use crate::motion::Vec3;
use std::f64::consts::TAU;

/// If the cosine of the angle to the contact normal exceeds this, a cap or side adds its points.
const ALIGNED_COSINE: f64 = 0.985;

struct CylinderPair<'a> {
    a: [f64; 2],
    b: [f64; 2],
    rel: &'a RelativePose,
}

impl CylinderPair<'_> {
    fn separation(&self, n: &Vec3) -> f64 {
        n.dot(&self.rel.p) - support(self.a[0], self.a[1], n) - support(self.b[0], self.b[1], &self.rel.R.tr_mul(n))
    }

    fn separation_derivative(&self, n: &Vec3, d: &Vec3) -> f64 {
        let (m, e) = (self.rel.R.tr_mul(n), self.rel.R.tr_mul(d));
        d.dot(&self.rel.p)
            - support_derivative(self.a[0], self.a[1], n, d)
            - support_derivative(self.b[0], self.b[1], &m, &e)
    }

    /// The direction of greatest separation.
    fn best_direction(&self) -> Vec3 {
        let z = self.rel.R.column(2).into_owned();
        let mut best = (f64::NEG_INFINITY, Vec3::z());
        // Of equally good directions keep the first, which has the larger contact area.
        let tolerance = 1e-12 * (self.a[0] + self.a[1] + self.b[0] + self.b[1]);
        let mut offer = |n: Vec3| {
            let s = self.separation(&n);
            if s > best.0 + tolerance {
                best = (s, n);
            }
        };
        for n in [Vec3::z(), z] {
            offer(n);
            offer(-n);
        }
        let p = self.rel.p;
        let outwards = p - Vec3::z() * p.z;
        for n in [Vec3::z().cross(&z), outwards].iter().filter_map(|n| n.try_normalize(1e-9)) {
            offer(n);
            offer(-n);
        }
        for axis in [Vec3::z(), z] {
            let x = if axis.z.abs() < 0.7 { Vec3::z() } else { Vec3::x() };
            let x = (x - axis * axis.dot(&x)).normalize();
            let y = axis.cross(&x);
            let at = |phi: f64| x * phi.cos() + y * phi.sin();
            let slope = |phi: f64| self.separation_derivative(&at(phi), &(y * phi.cos() - x * phi.sin()));
            local_maxima(TAU, 24, slope, |_| true, |phi| offer(at(phi)));
        }
        let settled = best.1;
        let mut offer = |n: Vec3| {
            let s = self.separation(&n);
            if s > best.0 + tolerance {
                best = (s, n);
            }
        };
        for i in 0..27 {
            let way = Vec3::new(f64::from(i % 3) - 1.0, f64::from(i / 3 % 3) - 1.0, f64::from(i / 9) - 1.0);
            if let Some(n) = (if i == 13 { p } else { way }).try_normalize(1e-12) {
                offer(self.maximise_separation(n));
            }
        }
        // A tolerance on s allows an error of the order of its square root in the direction.
        if best.1 == settled { settled } else { self.maximise_separation(best.1) }
    }

    /// Newton step towards a zero gradient, as a vector perpendicular to n (a gradient step where s is not concave), and the norm of
    /// the gradient.
    fn newton_step(&self, n: &Vec3) -> (Vec3, f64) {
        let x = if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
        let x = (x - n * n.dot(&x)).normalize();
        let y = n.cross(&x);
        let gradient = |n: &Vec3| {
            (self.separation_derivative(n, &(x - n * n.dot(&x))), self.separation_derivative(n, &(y - n * n.dot(&y))))
        };
        let (gx, gy) = gradient(n);
        let h = 1e-6;
        let (ax, ay) = gradient(&(n + x * h).normalize());
        let (bx, by) = gradient(&(n + y * h).normalize());
        let (xx, xy, yy) = ((ax - gx) / h, 0.5 * (ay - gy + bx - gx) / h, (by - gy) / h);
        let determinant = xx * yy - xy * xy;
        let steepness = gx.hypot(gy);
        if determinant > 0.0 && xx < 0.0 {
            return ((x * (xy * gy - yy * gx) + y * (xy * gx - xx * gy)) / determinant, steepness);
        }
        ((x * gx + y * gy) * (0.3 / steepness.max(f64::MIN_POSITIVE)), steepness)
    }

    /// Newton's method while s increases, then while the gradient decreases: near the maximum s is constant to round-off.
    fn maximise_separation(&self, mut n: Vec3) -> Vec3 {
        let mut s = self.separation(&n);
        for _ in 0..40 {
            let (step, _) = self.newton_step(&n);
            let tries = (0..12).map(|k| (n + step * 0.4_f64.powi(k)).normalize());
            let Some(next) = tries.into_iter().find(|next| self.separation(next) > s) else { break };
            (n, s) = (next, self.separation(&next));
        }
        for _ in 0..4 {
            let (step, steepness) = self.newton_step(&n);
            let next = (n + step).normalize();
            if step.norm() > 1e-5 || self.newton_step(&next).1 >= steepness {
                break;
            }
            n = next;
        }
        n
    }
}

/// Contact of two cylinders about z, given by radius and half length; `rel` is the pose of B relative to A.
pub(super) fn contact(a: [f64; 2], b: [f64; 2], rel: &RelativePose, margin: f64, put: &mut dyn FnMut(FeaturePair)) {
    let two = CylinderPair { a, b, rel };
    let n = two.best_direction();
    let s = two.separation(&n);
    if s.is_nan() || s > margin {
        return;
    }
    let m = -rel.R.tr_mul(&n);
    let z = rel.R.column(2).into_owned();
    let (plane_a, plane_b) = (support_plane(&a, &n), support_plane(&b, &m));

    // Each rim is replaced by its tangent: the same gap and gap rate, but no curvature.
    let (line_a, line_b) = (tangent_line(&a, &n), tangent_line(&b, &m));
    let mut found = 0;
    if let (Some(Feature::Edge { p, u, r }), Some(Feature::Edge { u: w, .. })) = (line_a, line_b) {
        let cross = u.cross(&(rel.R * w));
        if cross.norm() > 1e-7 {
            let turned = Feature::Edge { p, u: u * cross.dot(&n).signum(), r };
            put(FeaturePair { a: turned, b: line_b.unwrap_or(plane_b) });
            found += 1;
        }
    }
    // If separated, the gaps of further points are measured from the cap; in overlap along the contact normal, so that they are not
    // deeper than the contact itself.
    let cap = |of: &[f64; 2], n: &Vec3| {
        if s > 0.0 { support_plane(of, &(Vec3::z() * 1_f64.copysign(n.z))) } else { support_plane(of, n) }
    };
    // Caps almost perpendicular to the normal, and almost parallel sides.
    if n.z.abs() > ALIGNED_COSINE {
        facing_points(b[0], b[1], &-m, &mut |feature, p| {
            let x = rel.to_a(&p);
            if x.x.hypot(x.y) <= a[0] {
                put(FeaturePair { a: cap(&a, &n), b: feature });
                found += 1;
            }
        });
    }
    if m.z.abs() > ALIGNED_COSINE {
        facing_points(a[0], a[1], &-n, &mut |feature, p| {
            let x = rel.to_b(&p);
            if x.x.hypot(x.y) <= b[0] {
                put(FeaturePair { a: feature, b: cap(&b, &m) });
                found += 1;
            }
        });
    }
    if z.z.abs() > ALIGNED_COSINE && n.z.abs() < 1.0 - ALIGNED_COSINE {
        // The line of B that faces A, limited to the length of A.
        let p = rel.R * Vec3::new(m.x, m.y, 0.0).normalize() * b[0] + rel.p;
        let ends = [(-a[1] - p.z) / z.z, (a[1] - p.z) / z.z];
        let (from, to) = (ends[0].min(ends[1]).max(-b[1]), ends[0].max(ends[1]).min(b[1]));
        for t in [from, to] {
            let x = p + z * t;
            // Beyond the axis of A only a plane has the correct sign.
            let on_a = if x.dot(&n) > 0.0 { side_feature(a[0]) } else { plane_a };
            if from <= to {
                put(FeaturePair { a: on_a, b: Feature::Point { p: rel.to_b(&x), r: 0.0 } });
                found += 1;
            }
        }
    }
    if found == 0 {
        let p = support_point(&b, &m);
        put(FeaturePair { a: plane_a, b: Feature::Point { p, r: 0.0 } });
    }
}

fn support_plane(of: &[f64; 2], n: &Vec3) -> Feature {
    Feature::Face { n: *n, d: support(of[0], of[1], n) }
}

/// The point farthest along n.
fn support_point(of: &[f64; 2], n: &Vec3) -> Vec3 {
    let out = Vec3::new(n.x, n.y, 0.0).try_normalize(0.0).unwrap_or(Vec3::x());
    out * of[0] + Vec3::z() * of[1].copysign(n.z)
}

/// The side as an axis with a radius, or the tangent of the rim; `None` if a cap faces n.
fn tangent_line(of: &[f64; 2], n: &Vec3) -> Option<Feature> {
    if n.z.abs() < 1e-9 {
        return Some(side_feature(of[0]));
    }
    let out = Vec3::new(n.x, n.y, 0.0).try_normalize(1e-6)?;
    Some(Feature::Edge { p: support_point(of, n), u: Vec3::z().cross(&out), r: 0.0 })
}
