//! Tests in random poses against another library, closed forms and brute force.

mod convex;
mod features;
mod planar;
mod terrain;

use super::*;
use crate::motion::{Mat3, Vec3};

/// Reproducible pseudo-random numbers.
pub(super) struct RandomPoses(u64);

impl RandomPoses {
    pub(super) fn new(seed: u64) -> RandomPoses {
        RandomPoses(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Between −1 and 1.
    pub(super) fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.uniform(), self.uniform(), self.uniform())
    }

    pub(super) fn rotation(&mut self) -> Mat3 {
        nalgebra::Rotation3::new(self.vector() * 3.0).into_inner()
    }

    /// Anywhere within `far`.
    pub(super) fn pose(&mut self, far: f64) -> Pose {
        Pose { R: self.rotation(), p: self.vector() * far }
    }

    /// In the plane xy.
    pub(super) fn planar_pose(&mut self, far: f64) -> Pose {
        let R = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), self.uniform() * 3.0).into_inner();
        let p = self.vector() * far;
        Pose { R, p: Vec3::new(p.x, p.y, 0.0) }
    }
}

pub(super) fn solid(shape: &Shape) -> Solid {
    Solid::new(shape).unwrap()
}

pub(super) fn contact_points_of(a: &Solid, A: &Pose, b: &Solid, B: &Pose, margin: f64) -> Vec<ContactGeometry> {
    let mut out = Vec::new();
    contact_points(a, A, b, B, margin, &mut out);
    out
}

/// The least gap.
pub(super) fn deepest(touches: &[ContactGeometry]) -> Option<&ContactGeometry> {
    touches.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))
}

/// Invariants of every result.
pub(super) fn check_invariants(found: &[ContactGeometry], A: &Pose, B: &Pose, margin: f64) {
    for t in found {
        assert!(t.gap < margin);
        assert!((t.normal.norm() - 1.0).abs() < 1e-12);
        assert!((t.point_a + t.normal * t.gap - t.point_b).norm() < 1e-12);
        assert!((t.pair.gap(&A.to_marker_pose(), &B.to_marker_pose()).gap - t.gap).abs() < 1e-14);
        let mut numbers = [0.0; FeaturePair::ENCODED_LENGTH];
        t.pair.encode(&mut numbers);
        assert_eq!(FeaturePair::decode(&numbers), Some(t.pair));
    }
}

pub(super) fn sample_shapes() -> Vec<(&'static str, Shape)> {
    let mut dice = RandomPoses::new(5);
    let cloud = |dice: &mut RandomPoses, n: usize| (0..n).map(|_| (dice.vector() * 0.6).into()).collect();
    vec![
        ("sphere", Shape::Sphere { radius: 0.4 }),
        ("capsule", Shape::Capsule { radius: 0.2, length: 0.9 }),
        ("box", Shape::Box { size: [0.7, 0.9, 1.2] }),
        ("tetrahedron", Shape::Convex { points: cloud(&mut dice, 4) }),
        ("hull", Shape::Convex { points: cloud(&mut dice, 40) }),
        ("cylinder", Shape::Cylinder { radius: 0.35, length: 0.8 }),
    ]
}
