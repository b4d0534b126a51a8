//! Convex solids compared with the crate parry, and consistency tests.

use super::*;
use parry3d_f64::math::{Pose as TheirPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;

/// The same shape in parry, whether its axis is y there, and the radius to be added: the search of parry is exact to round-off
/// only for polyhedral cores.
fn parry_shape(shape: &Shape) -> (SharedShape, bool, f64) {
    let v = |p: &[f64; 3]| Vector::new(p[0], p[1], p[2]);
    match shape {
        Shape::Sphere { radius } => (SharedShape::ball(*radius), false, 0.0),
        Shape::Capsule { radius, length } => {
            let half = Vector::new(0.0, 0.0, 0.5 * length);
            (SharedShape::segment(-half, half), false, *radius)
        }
        Shape::Box { size } => (SharedShape::cuboid(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]), false, 0.0),
        Shape::Convex { points } => {
            (SharedShape::convex_hull(&points.iter().map(v).collect::<Vec<_>>()).unwrap(), false, 0.0)
        }
        Shape::Cylinder { radius, length } => (SharedShape::cylinder(0.5 * length, *radius), true, 0.0),
        _ => unreachable!(),
    }
}

fn pose(at: &Pose, upright: bool) -> TheirPose {
    let turn = nalgebra::Rotation3::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2).into_inner();
    let R = if upright { at.R * turn } else { at.R };
    let [w, x, y, z] = crate::motion::quaternion_of_rotation(&R);
    TheirPose::from_parts(Vector::new(at.p.x, at.p.y, at.p.z), Rotation::from_xyzw(x, y, z, w))
}

/// Distance by the other library; `None` if the cores overlap.
fn distance(a: &Shape, A: &Pose, b: &Shape, B: &Pose) -> Option<f64> {
    let ((a, up_a, r), (b, up_b, s)) = (parry_shape(a), parry_shape(b));
    let d = query::distance(&pose(A, up_a), &*a, &pose(B, up_b), &*b).unwrap().distance;
    (d > 0.0).then_some(d - r - s)
}

/// Extent of a shape along n from the world origin.
fn farthest(shape: &Shape, at: &Pose, n: &Vec3) -> f64 {
    let m = at.R.tr_mul(n);
    let out = match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Capsule { radius, length } => radius + 0.5 * length * m.z.abs(),
        Shape::Box { size } => 0.5 * m.abs().dot(&Vec3::from(*size)),
        Shape::Convex { points } => points.iter().map(|p| m.dot(&Vec3::from(*p))).fold(f64::MIN, f64::max),
        Shape::Cylinder { radius, length } => radius * m.x.hypot(m.y) + 0.5 * length * m.z.abs(),
        _ => unreachable!(),
    };
    out + n.dot(&at.p)
}

/// Whether a point lies within a shape, tested in two hundred directions.
fn contains(shape: &Shape, at: &Pose, x: &Vec3, dice: &mut RandomPoses) -> bool {
    let local = at.R.tr_mul(&(x - at.p));
    if let Shape::Cylinder { radius, length } = shape {
        return local.x.hypot(local.y) < radius + 1e-11 && local.z.abs() < 0.5 * length + 1e-11;
    }
    (0..200).all(|_| {
        let n = dice.vector().normalize();
        n.dot(x) < farthest(shape, at, &n) + 1e-11
    })
}

#[test]
fn distances_agree_with_another_library() {
    let mut dice = RandomPoses::new(1);
    let mut worst = (0.0, String::new());
    for (m, a) in sample_shapes() {
        for (n, b) in sample_shapes() {
            let (x, y) = (solid(&a), solid(&b));
            for _ in 0..300 {
                let (A, B) = (dice.pose(1.0), dice.pose(1.0));
                let their = distance(&a, &A, &b, &B);
                let found = contact_points_of(&x, &A, &y, &B, 5.0);
                check_invariants(&found, &A, &B, 5.0);
                let gap = deepest(&found).unwrap_or_else(|| panic!("{m} {n} nothing, {their:?}")).gap;
                let t = deepest(&found).unwrap();
                // The separation along the normal equals the gap: a lower bound of the distance.
                let along = -farthest(&b, &B, &-t.normal) - farthest(&a, &A, &t.normal);
                assert!((along - gap).abs() < 1e-11, "{m} {n}: {gap}, along the normal {along}");
                let Some(their) = their else {
                    assert!(gap < 1e-9, "{m} {n}: {gap}");
                    continue;
                };
                // The contact points lie within the shapes: an upper bound of the distance.
                assert!(
                    contains(&a, &A, &t.point_a, &mut dice) && contains(&b, &B, &t.point_b, &mut dice),
                    "{m} {n}: {t:?}"
                );
                // On curved bodies the error of parry exceeds 1e-6; rely on the two bounds above.
                if m == "cylinder" || n == "cylinder" {
                    continue;
                }
                let off = (gap - their).abs();
                if off > worst.0 {
                    worst = (off, format!("{m} {n} {gap} {their}"));
                }
            }
        }
    }
    assert!(worst.0 < 1e-9, "{worst:?}");
}

/// The depth is the minimum translation that separates two bodies: less is not enough, in any direction.
#[test]
fn depth_is_the_least_push_that_parts() {
    let mut dice = RandomPoses::new(2);
    for (m, a) in sample_shapes() {
        for (n, b) in sample_shapes() {
            let (x, y) = (solid(&a), solid(&b));
            let mut deep = 0;
            for _ in 0..200 {
                let (A, mut B) = (dice.pose(0.2), dice.pose(0.3));
                let found = contact_points_of(&x, &A, &y, &B, 0.0);
                check_invariants(&found, &A, &B, 0.0);
                let Some(t) = deepest(&found) else { continue };
                deep += 1;
                let start = B.p;
                B.p = start + t.normal * (-t.gap + 1e-6);
                let their = distance(&a, &A, &b, &B).unwrap_or(f64::NAN);
                let exact = if m == "cylinder" || n == "cylinder" { 1e-7 } else { 1e-9 };
                assert!((their - 1e-6).abs() < exact, "{m} {n}: pushed by {} they are {their} apart", -t.gap);
                for _ in 0..20 {
                    let n = dice.vector().normalize();
                    B.p = start + n * (-t.gap * 0.999);
                    let their = distance(&a, &A, &b, &B);
                    let parts = their.is_some_and(|d| d > 1e-9);
                    assert!(!parts, "{m} {n}: {} parts, {} was said", -t.gap * 0.999, -t.gap);
                }
            }
            assert!(deep > 50, "{m} {n}: {deep}");
        }
    }
}

#[test]
fn order_turns_the_normal() {
    let mut dice = RandomPoses::new(3);
    for (m, a) in sample_shapes() {
        for (n, b) in sample_shapes() {
            let (x, y) = (solid(&a), solid(&b));
            for _ in 0..100 {
                let (A, B) = (dice.pose(0.5), dice.pose(0.5));
                let there = contact_points_of(&x, &A, &y, &B, 0.1);
                let back = contact_points_of(&y, &B, &x, &A, 0.1);
                assert_eq!(there.is_empty(), back.is_empty(), "{m} {n}");
                if let (Some(s), Some(t)) = (deepest(&there), deepest(&back)) {
                    assert!((s.gap - t.gap).abs() < 1e-10, "{m} {n} {} {}", s.gap, t.gap);
                    assert!((s.normal + t.normal).norm() < 1e-5, "{m} {n} {:?} {:?}", s, t);
                }
            }
        }
    }
}

#[test]
fn flat_contacts_have_four_points_in_the_corners() {
    let b = solid(&Shape::Box { size: [1.0, 2.0, 0.5] });
    let floors = [Shape::Box { size: [4.0, 4.0, 1.0] }, Shape::HalfSpace {}];
    for (floor, top) in floors.iter().zip([0.5, 0.0]) {
        for tilt in [0.0, 1e-9, 1e-5, -1e-3] {
            let R = nalgebra::Rotation3::new(Vec3::new(tilt, 0.3 * tilt, 0.4)).into_inner();
            let B = Pose { R, p: Vec3::new(0.1, 0.2, top + 0.25 - 1e-4) };
            let found = contact_points_of(&solid(floor), &Pose::identity(), &b, &B, 0.01);
            assert_eq!(found.len(), 4, "{tilt}");
            for t in &found {
                let local = B.R.tr_mul(&(t.point_b - B.p));
                assert!((local.abs() - Vec3::new(0.5, 1.0, 0.25)).norm() < 1e-9, "{local}");
            }
        }
    }
    // Crossed beams touch at the corners of their common square.
    let beam = solid(&Shape::Box { size: [3.0, 0.2, 0.1] });
    let R = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2).into_inner();
    let found = contact_points_of(&beam, &Pose::identity(), &beam, &Pose { R, p: Vec3::z() * 0.1 }, 0.01);
    assert_eq!(found.len(), 4);
    for t in &found {
        assert!((t.point_a.abs() - Vec3::new(0.1, 0.1, 0.05)).norm() < 1e-12 && t.gap.abs() < 1e-12);
    }
    // Parallel capsules, and a capsule on a box, touch at both ends of their overlap.
    let capsule = solid(&Shape::Capsule { radius: 0.1, length: 1.0 });
    let B = Pose { R: Mat3::identity(), p: Vec3::new(0.2, 0.0, 0.3) };
    let mut z: Vec<f64> =
        contact_points_of(&capsule, &Pose::identity(), &capsule, &B, 0.01).iter().map(|t| t.point_a.z).collect();
    z.sort_by(f64::total_cmp);
    assert_eq!(z.len(), 2);
    assert!((z[0] + 0.2).abs() < 1e-12 && (z[1] - 0.5).abs() < 1e-12);
    let R = nalgebra::Rotation3::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2).into_inner();
    let found = contact_points_of(&b, &Pose::identity(), &capsule, &Pose { R, p: Vec3::new(0.3, 0.0, 0.349) }, 0.01);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|t| (t.gap + 0.001).abs() < 1e-12));
}

#[test]
fn a_box_deep_within_a_box_leaves_by_the_nearest_side() {
    let a = solid(&Shape::Box { size: [2.0, 2.0, 2.0] });
    let b = solid(&Shape::Box { size: [0.2, 0.2, 0.2] });
    let B = Pose { R: Mat3::identity(), p: Vec3::new(0.1, 0.6, -0.3) };
    let found = contact_points_of(&a, &Pose::identity(), &b, &B, 0.0);
    assert_eq!(found.len(), 4);
    let t = deepest(&found).unwrap();
    assert!((t.gap + 0.5).abs() < 1e-12 && (t.normal - Vec3::y()).norm() < 1e-12);
}

#[test]
fn hulls_are_whole() {
    let mut dice = RandomPoses::new(4);
    for n in [4, 5, 8, 20, 100, 300] {
        for _ in 0..20 {
            let points: Vec<[f64; 3]> = (0..n).map(|_| dice.vector().into()).collect();
            assert_eq!(Shape::Convex { points }.check(), Ok(()), "{n}");
        }
    }
    // Points of a lattice, with many coplanar and collinear points.
    let lattice = (0..64).map(|i| [f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)]).collect();
    let cube = solid(&Shape::Convex { points: lattice });
    assert_eq!(fixed_pairs(&cube, &solid(&Shape::HalfSpace {})).unwrap().len(), 8);
}

#[test]
fn senseless_shapes_are_refused() {
    let nan = f64::NAN;
    let flat = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.3, 0.4, 0.0]];
    let corner = flat[..3].to_vec();
    let refused = [
        Shape::Sphere { radius: -1.0 },
        Shape::Sphere { radius: nan },
        Shape::Circle { radius: 0.0 },
        Shape::Capsule { radius: 1.0, length: nan },
        Shape::Cylinder { radius: f64::INFINITY, length: 1.0 },
        Shape::Box { size: [1.0, 0.0, 1.0] },
        Shape::Convex { points: vec![] },
        Shape::Convex { points: flat.clone() },
        Shape::Convex { points: vec![[nan; 3]; 4] },
        Shape::Convex { points: vec![[1.0; 3]; 9] },
        Shape::Mesh { points: corner.clone(), triangles: vec![] },
        Shape::Mesh { points: corner.clone(), triangles: vec![[0, 1, 3]] },
        Shape::Mesh { points: corner.clone(), triangles: vec![[0, 1, 1]] },
        Shape::Mesh { points: vec![], triangles: vec![[0, 0, 0]] },
        Shape::HeightField { size: [1.0, 1.0], heights: vec![] },
        Shape::HeightField { size: [1.0, 1.0], heights: vec![vec![0.0, 0.0], vec![0.0]] },
        Shape::HeightField { size: [1.0, 0.0], heights: vec![vec![0.0; 2]; 2] },
        Shape::HeightField { size: [1.0, 1.0], heights: vec![vec![0.0, nan], vec![0.0; 2]] },
        Shape::Rectangle { size: [1.0, -1.0] },
        Shape::Polygon { points: vec![[0.0, 0.0], [1.0, 0.0]] },
        Shape::Polygon { points: vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]] },
        Shape::Polygon { points: vec![[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]] },
    ];
    for shape in refused {
        assert!(shape.check().is_err(), "{shape:?}");
    }
}

#[test]
fn poses_that_are_no_poses_do_no_harm() {
    let lost = Pose { R: Mat3::repeat(f64::NAN), p: Vec3::repeat(f64::INFINITY) };
    let mut all: Vec<Shape> = sample_shapes().into_iter().map(|(_, s)| s).collect();
    all.push(Shape::HalfSpace {});
    all.push(Shape::HeightField { size: [1.0, 1.0], heights: vec![vec![0.0; 3]; 3] });
    all.push(Shape::Mesh { points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], triangles: vec![[0, 1, 2]] });
    for a in &all {
        for b in &all {
            assert!(contact_points_of(&solid(a), &lost, &solid(b), &Pose::identity(), 0.1).is_empty(), "{a:?} {b:?}");
        }
    }
}

#[test]
fn files_name_shapes() {
    let read = |text: &str| serde_json::from_str::<Shape>(text);
    assert_eq!(read(r#"{"shape": "sphere", "radius": 2}"#).unwrap(), Shape::Sphere { radius: 2.0 });
    assert_eq!(read(r#"{"shape": "half_space"}"#).unwrap(), Shape::HalfSpace {});
    assert!(read(r#"{"shape": "half_plane", "length": 1}"#).is_err());
    assert!(read(r#"{"shape": "box", "size": [1, 2, 3], "radius": 1}"#).is_err());
}

#[test]
fn the_broad_phase_finds_what_comes_near() {
    let mut dice = RandomPoses::new(6);
    for far in [0.5, 2.0, 20.0] {
        let mut boxes: Vec<Aabb> = (0..300)
            .map(|_| {
                let (c, h) = (dice.vector() * far, (dice.vector() * 0.1).abs());
                Aabb { lo: c - h, hi: c + h }
            })
            .collect();
        boxes.push(solid(&Shape::HalfSpace {}).aabb(&Pose::identity()));
        boxes.push(Aabb { lo: Vec3::repeat(-1.0), hi: Vec3::new(1.0, 1.0, 0.0) });
        boxes.push(Aabb { lo: Vec3::repeat(f64::NAN), hi: Vec3::repeat(f64::NAN) });
        let mut brute = Vec::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                let (a, b) = (&boxes[i], &boxes[j]);
                if (0..3).all(|k| a.lo[k] < b.hi[k] + 0.05 && b.lo[k] < a.hi[k] + 0.05) {
                    brute.push((i, j));
                }
            }
        }
        assert_eq!(candidates(&boxes, 0.05), brute);
    }
    assert!(candidates(&[], 0.0).is_empty());
}

#[test]
fn boxes_hold_their_shapes() {
    let mut dice = RandomPoses::new(7);
    for (name, shape) in sample_shapes() {
        let s = solid(&shape);
        let half = solid(&Shape::HalfSpace {});
        for _ in 0..50 {
            let at = dice.pose(2.0);
            let b = s.aabb(&at);
            // The lowest point of the shape over the plane z = 0 is the gap of the shape to it.
            let gap = deepest(&contact_points_of(&half, &Pose::identity(), &s, &at, 50.0)).unwrap().gap;
            assert!(b.lo.z <= gap + 1e-12, "{name}");
            assert!(
                (at.p - b.lo).max() <= s.radius_about_marker() + 0.5
                    && (b.hi - b.lo).max() <= 2.5 * s.radius_about_marker(),
                "{name}"
            );
        }
    }
}
