//! Gaps of features and their derivatives along motions.

use super::*;
use crate::constraints::UserPlace;
use crate::scalar::{Jet, Scalar};

/// A motion with all derivatives: p = p₀ + v t + a t²/2, R = R₀ rotated about a fixed axis by w t + e t²/2.
struct MotionPath {
    start: Pose,
    v: Vec3,
    a: Vec3,
    axis: Vec3,
    w: f64,
    e: f64,
}

impl MotionPath {
    fn random(dice: &mut RandomPoses) -> MotionPath {
        let (start, axis) = (dice.pose(1.0), dice.vector().normalize());
        MotionPath { start, v: dice.vector(), a: dice.vector(), axis, w: dice.uniform(), e: dice.uniform() }
    }

    fn at<S: Scalar>(&self, t: S) -> UserPlace<S> {
        let angle = t * self.w + t * t * (0.5 * self.e);
        let (s, c) = (angle.sin(), angle.cos());
        let k = self.axis;
        let cross = Mat3::new(0.0, -k.z, k.y, k.z, 0.0, -k.x, -k.y, k.x, 0.0);
        let (first, second) = (cross * self.start.R, cross * cross * self.start.R);
        // Rodrigues: R = (I + sin K + (1 − cos) K²) R₀
        let R = [0, 1, 2]
            .map(|i| [0, 1, 2].map(|j| s * first[(i, j)] + (S::one() - c) * second[(i, j)] + self.start.R[(i, j)]));
        let p = [0, 1, 2].map(|i| t * self.v[i] + t * t * (0.5 * self.a[i]) + self.start.p[i]);
        UserPlace { R, p }
    }
}

fn features(dice: &mut RandomPoses) -> Vec<Feature> {
    let unit = |dice: &mut RandomPoses| dice.vector().normalize();
    vec![
        Feature::Point { p: dice.vector(), r: 0.1 },
        Feature::Edge { p: dice.vector(), u: unit(dice), r: 0.05 },
        Feature::Face { n: unit(dice), d: dice.uniform() },
        Feature::Rim { centre: dice.vector(), axis: unit(dice), radius: 0.3 },
    ]
}

fn defined(pair: &FeaturePair) -> bool {
    use Feature::{Edge, Face, Point, Rim};
    matches!(
        (&pair.a, &pair.b),
        (Point { .. }, _)
            | (_, Point { .. })
            | (Edge { .. }, Edge { .. })
            | (Rim { .. }, Face { .. })
            | (Face { .. }, Rim { .. })
    )
}

#[test]
fn jets_agree_with_differences() {
    let mut dice = RandomPoses::new(11);
    let mut seen = 0;
    for _ in 0..100 {
        let (A, B) = (MotionPath::random(&mut dice), MotionPath::random(&mut dice));
        let (first, second) = (features(&mut dice), features(&mut dice));
        for a in &first {
            for b in &second {
                let pair = FeaturePair { a: *a, b: *b };
                let gap = |t: f64| pair.gap(&A.at(t), &B.at(t)).gap;
                if !defined(&pair) {
                    assert!(gap(0.0).is_nan());
                    continue;
                }
                // Near a degenerate pose derivatives grow and finite differences fail; skip these poses.
                let jet = pair.gap(&A.at(Jet::variable(0.2)), &B.at(Jet::variable(0.2))).gap;
                if jet.ddf.abs() > 50.0 {
                    continue;
                }
                seen += 1;
                let h = 1e-3;
                let g = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| gap(0.2 + k * h));
                let rate = (g[0] - 8.0 * g[1] + 8.0 * g[3] - g[4]) / (12.0 * h);
                let acceleration = (-g[0] + 16.0 * g[1] - 30.0 * g[2] + 16.0 * g[3] - g[4]) / (12.0 * h * h);
                let scale = 1.0 + jet.ddf.powi(2);
                assert_eq!(jet.f, g[2]);
                assert!((jet.df - rate).abs() < 1e-8 * scale, "{pair:?} {} {rate}", jet.df);
                assert!((jet.ddf - acceleration).abs() < 1e-6 * scale, "{pair:?} {} {acceleration}", jet.ddf);
            }
        }
    }
    assert!(seen > 900, "{seen}");
}

/// The gap rate is the relative velocity of the two material points along the normal.
#[test]
fn the_rate_is_that_of_the_material_points() {
    let mut dice = RandomPoses::new(12);
    for _ in 0..100 {
        let (A, B) = (MotionPath::random(&mut dice), MotionPath::random(&mut dice));
        let (first, second) = (features(&mut dice), features(&mut dice));
        for a in &first {
            for b in &second {
                let pair = FeaturePair { a: *a, b: *b };
                if !defined(&pair) {
                    continue;
                }
                let jet = pair.gap(&A.at(Jet::variable(0.0)), &B.at(Jet::variable(0.0)));
                if jet.gap.ddf.abs() > 1e3 {
                    continue;
                }
                let (n, point) = (Vec3::from(jet.normal.map(|x| x.f)), Vec3::from(jet.point.map(|x| x.f)));
                let half = n * (0.5 * jet.gap.f);
                let velocity = |c: &MotionPath, x: Vec3| c.v + (c.axis * c.w).cross(&(x - c.start.p));
                let rate = n.dot(&(velocity(&B, point + half) - velocity(&A, point - half)));
                assert!((rate - jet.gap.df).abs() < 1e-10, "{pair:?}");
            }
        }
    }
}

/// A sphere that rolls over another keeps its gap; one that passes on a straight line has g = √(b² + v² t²) − R − r.
#[test]
fn spheres_have_their_closed_forms() {
    let still = Pose::identity().to_marker_pose();
    let jet_still = UserPlace { R: still.R.map(|row| row.map(Jet::constant)), p: still.p.map(Jet::constant) };
    let pair =
        FeaturePair { a: Feature::Point { p: Vec3::zeros(), r: 2.0 }, b: Feature::Point { p: Vec3::zeros(), r: 0.5 } };
    let t = Jet::variable(0.3);
    let round = UserPlace { R: jet_still.R, p: [t.sin() * 2.5, Jet::zero(), t.cos() * 2.5] };
    let g = pair.gap(&jet_still, &round).gap;
    assert!(g.f.abs() < 1e-14 && g.df.abs() < 1e-14 && g.ddf.abs() < 1e-13);
    let past = UserPlace { R: jet_still.R, p: [t * 4.0, Jet::constant(3.0), Jet::zero()] };
    let g = pair.gap(&jet_still, &past).gap;
    let d = (9.0_f64 + 1.2 * 1.2).sqrt();
    assert!((g.f - (d - 2.5)).abs() < 1e-14);
    assert!((g.df - 4.0 * 1.2 / d).abs() < 1e-14);
    assert!((g.ddf - (16.0 / d - (4.0 * 1.2_f64).powi(2) / d.powi(3))).abs() < 1e-13);
}

/// A disc tilted by θ over a plane: gap = height of its centre − r sin θ, with the derivatives along θ(t).
#[test]
fn a_leaning_disc_has_its_closed_form() {
    let pair = FeaturePair {
        a: Feature::Face { n: Vec3::z(), d: 0.0 },
        b: Feature::Rim { centre: Vec3::zeros(), axis: Vec3::z(), radius: 0.4 },
    };
    let theta = Jet::new(0.7, 1.3, -0.4);
    let (s, c) = (theta.sin(), theta.cos());
    let (o, l) = (Jet::zero(), Jet::one());
    let still = UserPlace { R: [[l, o, o], [o, l, o], [o, o, l]], p: [o; 3] };
    let disc = UserPlace { R: [[l, o, o], [o, c, -s], [o, s, c]], p: [o, o, Jet::constant(1.0)] };
    let g = pair.gap(&still, &disc).gap;
    let (s, c) = 0.7_f64.sin_cos();
    assert!((g.f - (1.0 - 0.4 * s)).abs() < 1e-15);
    assert!((g.df + 0.4 * c * 1.3).abs() < 1e-14);
    assert!((g.ddf + 0.4 * (c * -0.4 - s * 1.3 * 1.3)).abs() < 1e-14);
}

#[test]
fn fixed_pairs_hold_the_deepest_point_in_every_pose() {
    let mut dice = RandomPoses::new(13);
    let half = solid(&Shape::HalfSpace {});
    for (name, shape) in sample_shapes() {
        let s = solid(&shape);
        let pairs = fixed_pairs(&half, &s).unwrap();
        let back = fixed_pairs(&s, &half).unwrap();
        for _ in 0..100 {
            let (A, B) = (dice.pose(1.0), dice.pose(1.0));
            let least = |pairs: &[FeaturePair], A: &Pose, B: &Pose| {
                pairs.iter().map(|p| p.gap(&A.to_marker_pose(), &B.to_marker_pose()).gap).fold(f64::INFINITY, f64::min)
            };
            let found = contact_points_of(&half, &A, &s, &B, 10.0);
            check_invariants(&found, &A, &B, 10.0);
            let gap = deepest(&found).unwrap().gap;
            assert!((gap - least(&pairs, &A, &B)).abs() < 1e-14, "{name}");
            assert!((gap - least(&back, &B, &A)).abs() < 1e-14, "{name}");
        }
    }
    let count = |a: &Shape, b: &Shape| fixed_pairs(&solid(a), &solid(b)).map(|p| p.len());
    let ball = Shape::Sphere { radius: 1.0 };
    assert_eq!(count(&ball, &ball), Some(1));
    assert_eq!(count(&ball, &Shape::Box { size: [1.0; 3] }), None);
    assert_eq!(count(&Shape::HalfSpace {}, &Shape::Box { size: [1.0; 3] }), Some(8));
    assert_eq!(count(&Shape::HalfPlane {}, &Shape::Rectangle { size: [1.0; 2] }), Some(4));
    assert_eq!(count(&Shape::HalfSpace {}, &Shape::Circle { radius: 1.0 }), None);
    assert_eq!(FeaturePair::decode(&[9.0; FeaturePair::ENCODED_LENGTH]), None);
}
