//! Ellipsoids: their lowest point over a plane, the point nearest to a given one, and the common normal of two.
//!
//! With semi-axes s along the axes R of the marker and the centre c, Q = R diag(s²) Rᵀ:
//!
//! ```text
//!  over a plane n·x = d     lowest point c − Q n / h,   h = √(nᵀ Q n)        gap n·c − d − h
//!  nearest to y (own axes)  x_i = s_i² y_i / (t + s_i²),  Σ (s_i y_i / (t + s_i²))² = 1     distance t |x_i / s_i²|
//!  two ellipsoids           gap g(n) = n·(c_B − c_A) − h_A(n) − h_B(n), largest over |n| = 1
//! ```
//!
//! h is the support function. The sum decreases and is convex in t beyond −min s², so that Newton's method from below converges
//! to the root; t, and with it the distance, is negative inside. Two more steps over any scalar give first and second
//! derivatives.
//!
//! g is concave where it is positive, and near a shallow penetration. Newton's method on the sphere finds n; with the matrix of its last step, two
//! more steps over any scalar give the derivatives.

use crate::motion::Vec3;
use crate::scalar::{Scalar, add, dot, matrix_vector, scale, sub, transposed_matrix_vector};

/// Most Newton steps to the nearest point.
const MAX_STEPS: usize = 100;
/// A Newton step below this leaves an error of round-off.
const NEAR: f64 = 1e-9;
/// Most halvings of a Newton step.
const MAX_HALVINGS: i32 = 30;
/// Newton steps that carry derivatives: each doubles their order.
const DERIVATIVE_STEPS: usize = 2;

/// Support function in the axes of the ellipsoid: its extent along a unit vector.
pub(super) fn support(radii: &Vec3, n: &Vec3) -> f64 {
    radii.component_mul(n).norm()
}

/// The lowest point along n of an ellipsoid with centre c and axes R.
pub(super) fn lowest_point<S: Scalar>(n: [S; 3], c: [S; 3], R: [[S; 3]; 3], radii: &Vec3) -> [S; 3] {
    let own = transposed_matrix_vector(R, n);
    let half = [own[0] * radii.x, own[1] * radii.y, own[2] * radii.z];
    let h = dot(half, half).sqrt();
    let down = [half[0] * radii.x, half[1] * radii.y, half[2] * radii.z];
    sub(c, scale(matrix_vector(R, down), S::one() / h))
}

/// The point of an ellipsoid nearest to p, its outward normal, and the distance, negative inside. `None` on the medial surface,
/// such as at the centre, where several points are nearest.
pub(super) fn nearest_point<S: Scalar>(
    p: [S; 3],
    c: [S; 3],
    R: [[S; 3]; 3],
    radii: &Vec3,
) -> Option<([S; 3], [S; 3], S)> {
    let y = transposed_matrix_vector(R, sub(p, c));
    let squares = radii.component_mul(radii);
    let mut t = S::from(multiplier(&y.map(Scalar::value), radii)?);
    for _ in 0..DERIVATIVE_STEPS {
        let (mut sum, mut slope) = (S::from(-1.0), S::from(0.0));
        for i in 0..3 {
            let inverse = S::one() / (t + squares[i]);
            let part = y[i] * inverse * radii[i];
            sum += part * part;
            slope -= part * part * inverse * 2.0;
        }
        t -= sum / slope;
    }
    let gradient = [0, 1, 2].map(|i| y[i] / (t + squares[i]));
    let length = dot(gradient, gradient).sqrt();
    let nearest = [0, 1, 2].map(|i| gradient[i] * squares[i]);
    let normal = matrix_vector(R, scale(gradient, S::one() / length));
    Some((add(c, matrix_vector(R, nearest)), normal, t * length))
}

/// t of the nearest point.
fn multiplier(y: &[f64; 3], radii: &Vec3) -> Option<f64> {
    let squares = radii.component_mul(radii);
    let pole = -squares.min();
    // The largest term alone is one here, so that the sum is at least one.
    let mut t = (0..3).map(|i| radii[i] * y[i].abs() - squares[i]).fold(f64::NEG_INFINITY, f64::max);
    if !t.is_finite() || t <= pole {
        return None;
    }
    for _ in 0..MAX_STEPS {
        let parts = [0, 1, 2].map(|i| (radii[i] * y[i] / (t + squares[i])).powi(2));
        let sum = parts.iter().sum::<f64>() - 1.0;
        let slope: f64 = (0..3).map(|i| -2.0 * parts[i] / (t + squares[i])).sum();
        let next = t - sum / slope;
        if !next.is_finite() {
            return None;
        }
        if next <= t {
            break;
        }
        t = next;
    }
    Some(t)
}

/// Where two ellipsoids are nearest: the point on the first, the unit normal from the first to the second, and the gap, negative if they penetrate.
/// Deep inside each other, where no normal is better than those around it, the result has no derivatives.
pub(super) fn common_normal<S: Scalar>(c: [[S; 3]; 2], R: [[[S; 3]; 3]; 2], radii: [&Vec3; 2]) -> ([S; 3], [S; 3], S) {
    let values = |v: [S; 3]| Vec3::from(v.map(Scalar::value));
    let axes = R.map(|R| nalgebra::Matrix3::from_fn(|i, j| R[i][j].value()));
    let Q = [0, 1].map(|k| {
        let half = axes[k] * nalgebra::Matrix3::from_diagonal(radii[k]);
        half * half.transpose()
    });
    let found = NormalSearch { Q, d: values(c[1]) - values(c[0]) }.run();
    // n = n₀ + x₁ t₁ + x₂ t₂ is parallel to r = d − ∇h_A − ∇h_B if t_i·r = x_i n₀·r.
    let [n0, t1, t2] = [found.n, found.t[0], found.t[1]].map(|v| [v.x, v.y, v.z].map(S::from));
    let d = sub(c[1], c[0]);
    let gradient = |k: usize, n: [S; 3]| lowest_point(n, [S::from(0.0); 3], R[k], radii[k]).map(|x| -x);
    let mut n = n0;
    if let Some(inverse) = found.inverse {
        let mut x = [S::from(0.0); 2];
        for _ in 0..DERIVATIVE_STEPS {
            let r = sub(sub(d, gradient(0, n)), gradient(1, n));
            let along = dot(n0, r);
            let residual = [dot(t1, r) - along * x[0], dot(t2, r) - along * x[1]];
            for (i, x) in x.iter_mut().enumerate() {
                *x += residual[0] * inverse[(i, 0)] + residual[1] * inverse[(i, 1)];
            }
            n = add(add(n0, scale(t1, x[0])), scale(t2, x[1]));
        }
    }
    let unit = scale(n, S::one() / dot(n, n).sqrt());
    let (a, b) = (gradient(0, unit), gradient(1, unit));
    let gap = dot(unit, sub(sub(d, a), b));
    (add(c[0], a), unit, gap)
}

/// The search for the normal of two ellipsoids with matrices Q and centres d apart.
struct NormalSearch {
    Q: [nalgebra::Matrix3<f64>; 2],
    d: Vec3,
}

/// A normal, two tangents, and the inverse of H + g I on them; none if the normal is not the best around it.
struct FoundNormal {
    n: Vec3,
    t: [Vec3; 2],
    inverse: Option<nalgebra::Matrix2<f64>>,
}

impl NormalSearch {
    fn gap(&self, n: &Vec3) -> f64 {
        n.dot(&self.d) - self.Q.iter().map(|Q| n.dot(&(Q * n)).sqrt()).sum::<f64>()
    }

    /// Tangents at a normal, the slope of g along them, and the second derivatives H of h_A + h_B.
    fn local(&self, n: &Vec3) -> ([Vec3; 2], nalgebra::Vector2<f64>, nalgebra::Matrix2<f64>) {
        let e = Vec3::ith(n.iamin(), 1.0);
        let t1 = n.cross(&e).normalize();
        let t = [t1, n.cross(&t1)];
        let (mut r, mut H) = (self.d, nalgebra::Matrix2::zeros());
        for Q in &self.Q {
            let Qn = Q * n;
            let h = n.dot(&Qn).sqrt();
            r -= Qn / h;
            H += nalgebra::Matrix2::from_fn(|i, j| {
                (t[i].dot(&(Q * t[j])) - t[i].dot(&Qn) * t[j].dot(&Qn) / (h * h)) / h
            });
        }
        (t, nalgebra::Vector2::new(t[0].dot(&r), t[1].dot(&r)), H)
    }

    /// The best of a few directions.
    fn first(&self) -> Vec3 {
        let sum = self.Q[0] + self.Q[1];
        let scaled = [sum, self.Q[0], self.Q[1]].map(|Q| Q.try_inverse().map_or(self.d, |inverse| inverse * self.d));
        let axes = [0, 1, 2].map(|i| Vec3::ith(i, 1.0));
        let all = scaled.into_iter().chain([self.d]).chain(axes).filter(|n| n.norm() > 0.0 && n.norm().is_finite());
        let units = all.map(|n| n.normalize());
        units.max_by(|a, b| self.gap(a).total_cmp(&self.gap(b))).unwrap_or(Vec3::z())
    }

    fn run(&self) -> FoundNormal {
        let mut n = self.first();
        for _ in 0..MAX_STEPS {
            let (t, slope, H) = self.local(&n);
            let g = self.gap(&n);
            let of = |g: f64| (H + nalgebra::Matrix2::identity() * g).cholesky().map(|c| c.solve(&slope));
            let Some(step) = of(g).or_else(|| of(g.max(0.0))) else { break };
            if step.norm() <= NEAR {
                break;
            }
            let moved = |k: i32| (n + (t[0] * step.x + t[1] * step.y) * 0.5_f64.powi(k)).normalize();
            let Some(next) = (0..MAX_HALVINGS).map(moved).find(|next| self.gap(next) > g) else { break };
            n = next;
        }
        // One step without a test, which round-off would fail.
        let (t, slope, H) = self.local(&n);
        if let Some(step) = (H + nalgebra::Matrix2::identity() * self.gap(&n)).cholesky().map(|c| c.solve(&slope)) {
            n = (n + t[0] * step.x + t[1] * step.y).normalize();
        }
        let (t, _, H) = self.local(&n);
        let matrix = H + nalgebra::Matrix2::identity() * self.gap(&n);
        FoundNormal { n, t, inverse: matrix.cholesky().map(|c| c.inverse()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Jet;

    const RADII: Vec3 = Vec3::new(0.5, 0.3, 0.2);
    const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// Points on the ellipsoid, their normals, and a scale for distances along them.
    fn samples() -> impl Iterator<Item = (Vec3, Vec3)> {
        (1..40).map(|k| {
            let (a, b) = (0.37 * f64::from(k), 0.11 + 0.071 * f64::from(k));
            let x = Vec3::new(a.cos() * b.sin(), a.sin() * b.sin(), b.cos());
            let n = x.component_div(&RADII).normalize();
            (x.component_mul(&RADII), n)
        })
    }

    #[test]
    fn a_point_over_the_surface_finds_its_foot() {
        for (x, n) in samples() {
            // The least radius of curvature is min s²/max s = 0.08: this far inside the foot is unique.
            for distance in [-0.05, -1e-9, 0.0, 1e-6, 0.3, 40.0] {
                let p = x + n * distance;
                let (foot, normal, found) =
                    nearest_point(p.into(), [0.0; 3], AXES, &RADII).expect("away from the medial surface");
                assert!((Vec3::from(foot) - x).norm() < 1e-12 * (1.0 + distance.abs()), "{distance}: {foot:?} {x}");
                assert!(
                    (Vec3::from(normal) - n).norm() < 1e-11
                        && (found - distance).abs() < 1e-12 * (1.0 + distance.abs())
                );
            }
        }
    }

    #[test]
    fn the_lowest_point_is_that_of_the_support_function() {
        for (x, n) in samples() {
            let found = Vec3::from(lowest_point((-n).into(), [0.0; 3], AXES, &RADII));
            assert!((found - x).norm() < 1e-14 && (support(&RADII, &n) - n.dot(&x)).abs() < 1e-15);
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        // A point on a curve: distance, rate and acceleration.
        let path = |t: f64| Vec3::new(0.4 + 0.3 * t, 0.25 - 0.1 * t * t, 0.3 + 0.2 * t);
        let distance = |t: f64| nearest_point(path(t).into(), [0.0; 3], AXES, &RADII).unwrap().2;
        let jet = |f: f64, df: f64, ddf: f64| Jet { f, df, ddf };
        let p = [jet(0.4, 0.3, 0.0), jet(0.25, 0.0, -0.2), jet(0.3, 0.2, 0.0)];
        let axes = AXES.map(|row| row.map(Jet::from));
        let found = nearest_point(p, [Jet::from(0.0); 3], axes, &RADII).unwrap().2;
        let h = 1e-4;
        let rate = (distance(h) - distance(-h)) / (2.0 * h);
        let acceleration = (distance(h) - 2.0 * distance(0.0) + distance(-h)) / (h * h);
        assert!(
            (found.df - rate).abs() < 1e-7 && (found.ddf - acceleration).abs() < 1e-5,
            "{found:?} {rate} {acceleration}"
        );
    }

    /// Two ellipsoids that move: the second turns about (0.3, −0.5, 0.8) and passes by.
    fn second<S: Scalar>(t: S) -> ([S; 3], [[S; 3]; 3]) {
        let axis = Vec3::new(0.3, -0.5, 0.8).normalize();
        let (s, c) = ((t * 0.7 + 0.4).sin(), (t * 0.7 + 0.4).cos());
        let cross = axis.cross_matrix();
        let outer = axis * axis.transpose();
        let R = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let one = if i == j { 1.0 } else { 0.0 };
                s * cross[(i, j)] + c * (one - outer[(i, j)]) + outer[(i, j)]
            })
        });
        ([t * 0.3 + 0.75, t * -0.2 + 0.2, t * t * 0.1 + 0.1], R)
    }

    const OTHER: Vec3 = Vec3::new(0.15, 0.45, 0.3);

    #[test]
    fn two_ellipsoids_have_the_largest_gap_of_all_normals() {
        for t in [-1.5, -0.6, -0.2, 0.0, 0.4, 2.0] {
            let (c, R) = second(t);
            let (_, n, gap) = common_normal([[0.0; 3], c], [AXES, R], [&RADII, &OTHER]);
            let n = Vec3::from(n);
            let other = nalgebra::Matrix3::from_fn(|i, j| R[i][j]);
            let of = |n: &Vec3| n.dot(&Vec3::from(c)) - support(&RADII, n) - support(&OTHER, &(other.transpose() * n));
            assert!((of(&n) - gap).abs() < 1e-14, "{t}: {gap}");
            for k in 1..2000 {
                let (a, z) = (2.399_963 * f64::from(k), 1.0 - 2.0 * f64::from(k) / 2000.0);
                let any = Vec3::new(a.cos() * (1.0 - z * z).sqrt(), a.sin() * (1.0 - z * z).sqrt(), z);
                assert!(of(&any) <= gap + 1e-12, "{t}: {any} {gap}");
            }
        }
    }

    #[test]
    fn the_gap_of_two_ellipsoids_has_derivatives_of_first_and_second_order() {
        let gap = |t: f64| {
            let (c, R) = second(t);
            common_normal([[0.0; 3], c], [AXES, R], [&RADII, &OTHER]).2
        };
        for t in [-0.3, 0.0, 0.5] {
            let (c, R) = second(Jet::variable(t));
            let axes = AXES.map(|row| row.map(Jet::from));
            let found = common_normal([[Jet::from(0.0); 3], c], [axes, R], [&RADII, &OTHER]).2;
            let h = 1e-4;
            let (rate, acceleration) =
                ((gap(t + h) - gap(t - h)) / (2.0 * h), (gap(t + h) - 2.0 * gap(t) + gap(t - h)) / (h * h));
            assert!((found.f - gap(t)).abs() < 1e-14 && (found.df - rate).abs() < 1e-7, "{t}: {found:?} {rate}");
            assert!((found.ddf - acceleration).abs() < 1e-5, "{t}: {found:?} {acceleration}");
        }
    }

    #[test]
    fn spheres_as_ellipsoids_are_spheres() {
        let ball = Vec3::repeat(0.4);
        let (on_a, n, gap) = common_normal([[0.0; 3], [0.6, 0.0, 0.8]], [AXES, AXES], [&ball, &ball]);
        assert!((gap - 0.2).abs() < 1e-15 && (n[0] - 0.6).abs() < 1e-15 && (on_a[2] - 0.32).abs() < 1e-15);
        let (_, _, gap) = common_normal([[0.0; 3]; 2], [AXES, AXES], [&ball, &ball]);
        assert!((gap + 0.8).abs() < 1e-12);
    }

    #[test]
    fn the_centre_has_no_nearest_point() {
        assert!(nearest_point([0.0; 3], [0.0; 3], AXES, &RADII).is_none());
        assert!(nearest_point([f64::NAN; 3], [0.0; 3], AXES, &RADII).is_none());
    }
}
