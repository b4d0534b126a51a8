//! Ellipsoids: their lowest point over a plane, and the point nearest to a given one.
//!
//! With semi-axes s along the axes R of the marker and the centre c, Q = R diag(s²) Rᵀ:
//!
//! ```text
//!  over a plane n·x = d     lowest point c − Q n / h,   h = √(nᵀ Q n)        gap n·c − d − h
//!  nearest to y (own axes)  x_i = s_i² y_i / (t + s_i²),  Σ (s_i y_i / (t + s_i²))² = 1     distance t |x_i / s_i²|
//! ```
//!
//! h is the support function. The sum decreases and is convex in t beyond −min s², so that Newton's method from below converges
//! to the root; t, and with it the distance, is negative inside. Two more steps over any scalar give first and second
//! derivatives.

use crate::motion::Vec3;
use crate::scalar::{Scalar, add, dot, matrix_vector, scale, sub, transposed_matrix_vector};

/// Most Newton steps to the nearest point.
const MAX_STEPS: usize = 100;
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

    #[test]
    fn the_centre_has_no_nearest_point() {
        assert!(nearest_point([0.0; 3], [0.0; 3], AXES, &RADII).is_none());
        assert!(nearest_point([f64::NAN; 3], [0.0; 3], AXES, &RADII).is_none());
    }
}
