//! Meshes and height fields.

use super::*;

/// A flat floor of n×n squares, each of two triangles, as a mesh and as a height field.
fn floors(n: usize, height: impl Fn(f64, f64) -> f64) -> [Shape; 2] {
    let at = |i: usize| i as f64 / n as f64 * 4.0 - 2.0;
    let heights: Vec<Vec<f64>> = (0..=n).map(|i| (0..=n).map(|j| height(at(j), at(i))).collect()).collect();
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            points.push([at(j), at(i), heights[i][j]]);
            if i < n && j < n {
                let k = i * (n + 1) + j;
                triangles.extend([[k, k + 1, k + n + 2], [k, k + n + 2, k + n + 1]]);
            }
        }
    }
    [Shape::Mesh { points, triangles }, Shape::HeightField { size: [4.0, 4.0], heights }]
}

#[test]
fn a_sphere_rolls_over_a_flat_floor_of_triangles_without_a_bump() {
    let ball = solid(&Shape::Sphere { radius: 0.3 });
    let mut dice = RandomPoses::new(31);
    for shape in floors(16, |_, _| 0.0) {
        let floor = solid(&shape);
        let tilt = dice.pose(1.0);
        for k in 0..500 {
            let (x, y) = (dice.uniform() * 1.5, if k % 2 == 0 { 0.25 } else { dice.uniform() * 1.5 });
            // Just above, just within, and deep; also right above edges and corners.
            for height in [0.3005, 0.2999, 0.15] {
                for x in [x, 0.25] {
                    let B = Pose { R: tilt.R, p: tilt.p + tilt.R * Vec3::new(x, y, height) };
                    let found = contact_points_of(&floor, &tilt, &ball, &B, 0.01);
                    check_invariants(&found, &tilt, &B, 0.01);
                    assert_eq!(found.len(), 1, "{x} {y} {height} {found:?}");
                    assert!((found[0].normal - tilt.R.column(2)).norm() < 1e-9);
                    assert!((found[0].gap - (height - 0.3)).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn bodies_rest_flat_on_a_floor_of_triangles() {
    let mut dice = RandomPoses::new(32);
    let bodies = [
        (Shape::Box { size: [1.0, 0.6, 0.4] }, 0.2, 4),
        (Shape::Cylinder { radius: 0.4, length: 0.5 }, 0.25, 4),
        (Shape::Convex { points: vec![[0.5, 0.0, 0.0], [-0.3, 0.4, 0.0], [-0.3, -0.4, 0.0], [0.0, 0.0, 0.7]] }, 0.0, 3),
    ];
    for shape in floors(7, |_, _| 0.0) {
        let floor = solid(&shape);
        for (body, height, count) in &bodies {
            let b = solid(body);
            for _ in 0..200 {
                let R = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), dice.uniform() * 3.0).into_inner();
                let p = Vec3::new(dice.uniform(), dice.uniform(), height - 1e-3);
                let B = Pose { R, p };
                let found = contact_points_of(&floor, &Pose::identity(), &b, &B, 0.01);
                check_invariants(&found, &Pose::identity(), &B, 0.01);
                assert!(found.len() >= *count && found.len() <= 4, "{body:?} {}", found.len());
                for t in &found {
                    assert!((t.normal - Vec3::z()).norm() < 1e-9 && (t.gap + 1e-3).abs() < 1e-12, "{body:?} {t:?}");
                }
                // The points support the body: they surround its centre.
                let x = found.iter().map(|t| t.point_a.x - p.x);
                let (lo, hi) = x.fold((0.0_f64, 0.0_f64), |(lo, hi), x| (lo.min(x), hi.max(x)));
                assert!(lo < -0.15 && hi > 0.15, "{body:?} {lo} {hi}");
            }
        }
    }
}

/// A sphere over hills against the nearest point of all triangles.
#[test]
fn a_sphere_on_hills_agrees_with_the_nearest_point() {
    let hill = |x: f64, y: f64| 0.4 * (1.3 * x).sin() * (1.1 * y + 0.4).cos();
    let mut dice = RandomPoses::new(33);
    let ball = solid(&Shape::Sphere { radius: 0.25 });
    for shape in floors(12, hill) {
        let Shape::Mesh { points, triangles } = &floors(12, hill)[0] else { unreachable!() };
        let floor = solid(&shape);
        for _ in 0..1000 {
            let (x, y) = (dice.uniform() * 1.7, dice.uniform() * 1.7);
            let c = Vec3::new(x, y, hill(x, y) + 0.05 + 0.3 * (dice.uniform() + 1.0));
            let nearest = triangles
                .iter()
                .map(|t| {
                    use parry3d_f64::math::Vector;
                    use parry3d_f64::query::PointQuery;
                    let [a, b, d] = t.map(|i| Vector::from_array(points[i]));
                    let triangle = parry3d_f64::shape::Triangle::new(a, b, d);
                    triangle.distance_to_local_point(Vector::new(c.x, c.y, c.z), false)
                })
                .fold(f64::INFINITY, f64::min);
            let B = Pose { R: Mat3::identity(), p: c };
            let found = contact_points_of(&floor, &Pose::identity(), &ball, &B, 0.2);
            check_invariants(&found, &Pose::identity(), &B, 0.2);
            match deepest(&found) {
                Some(t) => assert!((t.gap - (nearest - 0.25)).abs() < 1e-12, "{} {}", t.gap, nearest - 0.25),
                None => assert!(nearest - 0.25 > 0.2 - 1e-12, "{}", nearest - 0.25),
            }
        }
    }
}

#[test]
fn a_ridge_has_all_normals_between_its_sides() {
    let points = vec![[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, -1.0], [-1.0, 0.0, -1.0]];
    let roof = solid(&Shape::Mesh { points, triangles: vec![[0, 2, 1], [0, 1, 3]] });
    let ball = solid(&Shape::Sphere { radius: 0.5 });
    let at = |x: f64, z: f64| Pose { R: Mat3::identity(), p: Vec3::new(x, 0.0, z) };
    let B = at(0.1, 0.48);
    let found = contact_points_of(&roof, &Pose::identity(), &ball, &B, 0.01);
    assert_eq!(found.len(), 1);
    assert!((found[0].normal - B.p.normalize()).norm() < 1e-9);
    // A box with its edge across the ridge.
    let cube = solid(&Shape::Box { size: [1.0; 3] });
    let R = nalgebra::Rotation3::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_4).into_inner();
    let B = Pose { R, p: Vec3::new(0.0, 0.0, 0.5_f64.sqrt() - 1e-3) };
    let t = *deepest(&contact_points_of(&roof, &Pose::identity(), &cube, &B, 0.01)).unwrap();
    assert!((t.gap + 1e-3).abs() < 1e-12 && (t.normal - Vec3::z()).norm() < 1e-9);
    // In a valley (the inverted ridge): two contacts, one on each side.
    let points = vec![[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]];
    let valley = solid(&Shape::Mesh { points, triangles: vec![[0, 2, 1], [0, 1, 3]] });
    let found = contact_points_of(&valley, &Pose::identity(), &ball, &at(0.0, 0.7), 0.01);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|t| (t.gap - (0.7 * 0.5_f64.sqrt() - 0.5)).abs() < 1e-12));
}

#[test]
fn what_is_under_a_height_field_is_within() {
    let [mesh, field] = floors(8, |_, _| 0.0);
    let ball = solid(&Shape::Sphere { radius: 0.1 });
    let B = Pose { R: Mat3::identity(), p: Vec3::new(0.1, 0.2, -3.0) };
    let t = contact_points_of(&solid(&field), &Pose::identity(), &ball, &B, 0.0);
    assert!(t.len() == 1 && (t[0].gap + 3.1).abs() < 1e-12);
    assert!(contact_points_of(&solid(&mesh), &Pose::identity(), &ball, &B, 0.0).is_empty());
    // Beside the field there is nothing.
    let B = Pose { R: Mat3::identity(), p: Vec3::new(3.0, 0.2, -3.0) };
    assert!(contact_points_of(&solid(&field), &Pose::identity(), &ball, &B, 0.0).is_empty());
}

#[test]
fn a_corner_that_rests_on_a_face_is_found_within_any_margin() {
    // Round-off puts it slightly above or below the face, far from all edges of the triangle.
    let cube = solid(&Shape::Box { size: [0.2, 0.25, 0.3] });
    let mut dice = RandomPoses::new(77);
    for shape in floors(4, |x, y| 0.1 * x + 0.2 * y) {
        let floor = solid(&shape);
        for _ in 0..300 {
            let mut B = dice.pose(0.3);
            B.p.z += 0.8;
            let lowest = contact_points_of(&floor, &Pose::identity(), &cube, &B, f64::INFINITY);
            let Some(down) = lowest.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)) else { panic!("nothing is near") };
            B.p -= down.normal * down.gap;
            for margin in [1e-4, 1e-2, f64::INFINITY] {
                let found = contact_points_of(&floor, &Pose::identity(), &cube, &B, margin);
                let least = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
                assert!(least.abs() < 1e-12, "margin {margin}: {least:e} of {}", found.len());
            }
        }
    }
}
