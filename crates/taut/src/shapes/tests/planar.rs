//! Planar shapes against brute force.

use super::*;

type P = [f64; 2];

fn corners(points: &[P], at: &Pose) -> Vec<P> {
    points.iter().map(|p| at.p + at.R * Vec3::new(p[0], p[1], 0.0)).map(|v| [v.x, v.y]).collect()
}

fn to_segment(p: P, a: P, b: P) -> f64 {
    let (u, w) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let t = ((u[0] * w[0] + u[1] * w[1]) / (u[0] * u[0] + u[1] * u[1])).clamp(0.0, 1.0);
    (w[0] - t * u[0]).hypot(w[1] - t * u[1])
}

/// Separation along the normals of all sides: the exact depth in the plane, and a test of overlap.
fn separation(a: &[P], b: &[P]) -> f64 {
    let one = |a: &[P], b: &[P]| {
        (0..a.len())
            .map(|i| {
                let (p, q) = (a[i], a[(i + 1) % a.len()]);
                let l = (q[0] - p[0]).hypot(q[1] - p[1]);
                let n = [(q[1] - p[1]) / l, (p[0] - q[0]) / l];
                b.iter().map(|x| n[0] * (x[0] - p[0]) + n[1] * (x[1] - p[1])).fold(f64::INFINITY, f64::min)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    one(a, b).max(one(b, a))
}

fn brute(a: &[P], b: &[P]) -> f64 {
    let s = separation(a, b);
    if s <= 0.0 {
        return s;
    }
    let mut least = f64::INFINITY;
    for i in 0..a.len() {
        for j in 0..b.len() {
            let (p, q) = (a[i], a[(i + 1) % a.len()]);
            let (x, y) = (b[j], b[(j + 1) % b.len()]);
            for d in [to_segment(p, x, y), to_segment(x, p, q)] {
                least = least.min(d);
            }
        }
    }
    least
}

#[test]
fn polygons_agree_with_brute_force() {
    let mut dice = RandomPoses::new(21);
    let triangle = vec![[0.4, 0.0], [-0.3, 0.5], [-0.2, -0.4]];
    let round: Vec<P> = (0..7).map(|k| f64::from(k).sin_cos()).map(|(s, c)| [0.5 * c, 0.4 * s]).collect();
    let mut reversed = round.clone();
    reversed.reverse();
    let ring = |points: &[P]| {
        // In order of angle about the middle, for the brute force alone.
        let mut p = points.to_vec();
        p.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
        p
    };
    for a in [&triangle, &round, &reversed] {
        for b in [&triangle, &round] {
            let (x, y) = (solid(&Shape::Polygon { points: a.clone() }), solid(&Shape::Polygon { points: b.clone() }));
            for _ in 0..400 {
                let (A, B) = (dice.planar_pose(0.5), dice.planar_pose(0.5));
                let expected = brute(&corners(&ring(a), &A), &corners(&ring(b), &B));
                let found = contact_points_of(&x, &A, &y, &B, 5.0);
                check_invariants(&found, &A, &B, 5.0);
                assert!(found.len() <= 2);
                let t = deepest(&found).unwrap();
                assert!((t.gap - expected).abs() < 1e-12, "{} {expected}", t.gap);
                assert!(t.normal.z == 0.0);
                let back = contact_points_of(&y, &B, &x, &A, 5.0);
                assert!((deepest(&back).unwrap().gap - t.gap).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn circles_lines_and_rectangles_have_closed_forms() {
    let mut dice = RandomPoses::new(22);
    let line = solid(&Shape::HalfPlane {});
    let circle = solid(&Shape::Circle { radius: 0.3 });
    let rectangle = solid(&Shape::Rectangle { size: [1.0, 0.6] });
    for _ in 0..200 {
        let (A, B) = (dice.planar_pose(1.0), dice.planar_pose(1.0));
        let t = contact_points_of(&line, &A, &circle, &B, 10.0)[0];
        assert!((t.gap - (A.R.column(1).dot(&(B.p - A.p)) - 0.3)).abs() < 1e-14);
        let t = contact_points_of(&circle, &A, &circle, &B, 10.0)[0];
        assert!((t.gap - ((B.p - A.p).norm() - 0.6)).abs() < 1e-14);
        // A circle and a rectangle: the distance from the centre by clamping.
        let c = B.R.tr_mul(&(A.p - B.p));
        let q = Vec3::new(c.x.clamp(-0.5, 0.5), c.y.clamp(-0.3, 0.3), 0.0);
        let expected = if q == Vec3::new(c.x, c.y, 0.0) {
            (c.x.abs() - 0.5).max(c.y.abs() - 0.3) - 0.3
        } else {
            (c - q).norm() - 0.3
        };
        let found = contact_points_of(&circle, &A, &rectangle, &B, 10.0);
        assert!((deepest(&found).unwrap().gap - expected).abs() < 1e-12);
    }
    // Flat on the line, and on each other: two corners.
    let B = Pose { R: Mat3::identity(), p: Vec3::new(0.2, 0.299, 0.0) };
    let found = contact_points_of(&line, &Pose::identity(), &rectangle, &B, 0.01);
    assert_eq!(found.len(), 2);
    let B = Pose { R: Mat3::identity(), p: Vec3::new(0.2, 0.599, 0.0) };
    let found = contact_points_of(&rectangle, &Pose::identity(), &rectangle, &B, 0.01);
    let mut x: Vec<f64> = found.iter().map(|t| t.point_a.x).collect();
    x.sort_by(f64::total_cmp);
    assert!(x.len() == 2 && (x[0] + 0.3).abs() < 1e-12 && (x[1] - 0.5).abs() < 1e-12);
    // Planar and spatial shapes do not touch.
    assert!(contact_points_of(&circle, &B, &solid(&Shape::Sphere { radius: 1.0 }), &B, 1.0).is_empty());
}
