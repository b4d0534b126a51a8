//! Tests in random poses against another library, closed forms and brute force.

mod convex;
mod features;
mod planar;
mod terrain;

use super::*;
use crate::motion::{Mat3, Vec3};

/// Reproducible pseudo-random numbers.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Between −1 and 1.
    pub(super) fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.roll(), self.roll(), self.roll())
    }

    pub(super) fn rotation(&mut self) -> Mat3 {
        nalgebra::Rotation3::new(self.vector() * 3.0).into_inner()
    }

    /// Anywhere within `far`.
    pub(super) fn pose(&mut self, far: f64) -> Pose {
        Pose { R: self.rotation(), p: self.vector() * far }
    }

    /// In the plane xy.
    pub(super) fn flat(&mut self, far: f64) -> Pose {
        let R = nalgebra::Rotation3::from_axis_angle(&Vec3::z_axis(), self.roll() * 3.0).into_inner();
        let p = self.vector() * far;
        Pose { R, p: Vec3::new(p.x, p.y, 0.0) }
    }
}

pub(super) fn solid(shape: &Shape) -> Solid {
    Solid::new(shape).unwrap()
}

pub(super) fn touches(a: &Solid, A: &Pose, b: &Solid, B: &Pose, margin: f64) -> Vec<Touch> {
    let mut out = Vec::new();
    touch(a, A, b, B, margin, &mut out);
    out
}

/// The least gap.
pub(super) fn deepest(touches: &[Touch]) -> Option<&Touch> {
    touches.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))
}

/// Invariants of every result.
pub(super) fn sane(found: &[Touch], A: &Pose, B: &Pose, margin: f64) {
    for t in found {
        assert!(t.gap < margin);
        assert!((t.normal.norm() - 1.0).abs() < 1e-12);
        assert!((t.point_a + t.normal * t.gap - t.point_b).norm() < 1e-12);
        assert!((t.pair.gap(&A.place(), &B.place()).gap - t.gap).abs() < 1e-14);
        let mut numbers = [0.0; Pair::WIDTH];
        t.pair.encode(&mut numbers);
        assert_eq!(Pair::decode(&numbers), Some(t.pair));
    }
}

pub(super) fn zoo() -> Vec<(&'static str, Shape)> {
    let mut dice = Dice::new(5);
    let cloud = |dice: &mut Dice, n: usize| (0..n).map(|_| (dice.vector() * 0.6).into()).collect();
    vec![
        ("sphere", Shape::Sphere { radius: 0.4 }),
        ("capsule", Shape::Capsule { radius: 0.2, length: 0.9 }),
        ("box", Shape::Box { size: [0.7, 0.9, 1.2] }),
        ("tetrahedron", Shape::Convex { points: cloud(&mut dice, 4) }),
        ("hull", Shape::Convex { points: cloud(&mut dice, 40) }),
        ("cylinder", Shape::Cylinder { radius: 0.35, length: 0.8 }),
    ]
}
