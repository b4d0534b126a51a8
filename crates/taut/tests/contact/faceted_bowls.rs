//! Balls and rods in faceted bowls, event-driven: no body may fall through any of the many folds.
#![allow(non_snake_case)]

use taut::analyses::{Output, Transient, simulate};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::motion::Orientation;
use taut::shapes::Shape;
use taut::{Outcome, RigidBody, Solution, Spec};

/// Reproducible pseudo-random numbers.
struct RandomSource(u64);

impl RandomSource {
    /// Between −1 and 1.
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ground {
    Field,
    Mesh,
}

/// Heights of a bowl with bumps.
fn heights(n: usize, bumps: f64, dice: &mut RandomSource) -> Vec<Vec<f64>> {
    let at = |i: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
    let mut height = |i: usize, j: usize| 0.35 * (at(i).powi(2) + at(j).powi(2)) + bumps * dice.roll();
    (0..n).map(|j| (0..n).map(|i| height(i, j)).collect()).collect()
}

fn ground(kind: Ground, n: usize, bumps: f64, dice: &mut RandomSource) -> Shape {
    let heights = heights(n, bumps, dice);
    if kind == Ground::Field {
        return Shape::HeightField { size: [2.0, 2.0], heights };
    }
    let cell = 2.0 / (n - 1) as f64;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..n {
        for i in 0..n {
            let mut off = || 0.1 * cell * dice.roll();
            points.push([cell * i as f64 - 1.0 + off(), cell * j as f64 - 1.0 + off(), heights[j][i]]);
        }
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let (a, b, c, d) = (j * n + i, j * n + i + 1, (j + 1) * n + i, (j + 1) * n + i + 1);
            match dice.roll() > 0.0 {
                true => triangles.extend([[a, b, d], [a, d, c]]),
                false => triangles.extend([[a, b, c], [b, d, c]]),
            }
        }
    }
    Shape::Mesh { points, triangles }
}

fn dropped(body: RigidBody, shape: Shape, ground: Shape, mu: f64, e: f64) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("it", body)
        .surface("it", Surface::new("it", shape))
        .surface("bowl", Surface::new("ground", ground))
        .contact("floor", ContactRule::pair("it", "bowl", RigidContact::SMOOTH.friction(mu).restitution(e)));
    spec
}

/// One of many: a ball or a rod thrown into a bowl.
fn thrown(seed: u64, kind: Ground, shape: Shape, n: usize, mu: f64, e: f64) -> Spec {
    let mut dice = RandomSource(seed);
    (0..8).for_each(|_| _ = dice.roll());
    let bowl = ground(kind, n, 0.02, &mut dice);
    let mut random = |size: f64| [0; 3].map(|_| size * dice.roll());
    let ([x, y, _], [vx, vy, _], turn) = (random(0.5), random(1.0), random(1.0));
    let inertia = if let Shape::Sphere { .. } = shape { [0.004; 3] } else { [0.0123, 0.0123, 0.004] };
    let body = RigidBody::new(1.0, inertia).at([x, y, 0.9]).moving([vx, vy, 0.0], [0.0; 3]);
    dropped(body.oriented(Orientation::RotationVector(turn)), shape, bowl, mu, e)
}

const BALL: Shape = Shape::Sphere { radius: 0.1 };
const ROD: Shape = Shape::Capsule { radius: 0.1, length: 0.3 };

/// Runs to the end, never overlaps and never gains energy.
fn check_run(spec: &Spec, t: f64, what: &str) -> Solution {
    let model = spec.build().unwrap();
    let settings = Transient::to(t).output(Output::Every(0.01));
    let solution = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(solution.outcome, Outcome::Finished, "{what}: {}", solution.outcome);
    for point in 1..=4 {
        let gaps = solution.column(&format!("floor.{point}.gap")).unwrap();
        let least = gaps.iter().copied().fold(0.0, f64::min);
        assert!(least > -1e-6, "{what}: floor.{point} overlaps by {least:e}");
    }
    let [kinetic, potential, balance] =
        ["energy.kinetic", "energy.potential", "energy.balance"].map(|name| solution.column(name).unwrap());
    let energy: Vec<f64> = kinetic.iter().zip(potential).map(|(T, V)| T + V).collect();
    let gained = energy.windows(2).map(|e| e[1] - e[0]).fold(0.0, f64::max);
    assert!(gained < 1e-7, "{what}: gains {gained:e} J");
    let worst = balance.iter().fold(0.0_f64, |worst, b| worst.max(b.abs()));
    assert!(worst < 1e-6, "{what}: off balance by {worst:e} J");
    solution
}

/// Eight triangles that fall to the middle.
fn pit() -> Shape {
    Shape::HeightField { size: [2.0, 2.0], heights: vec![vec![0.2; 3], vec![0.2, 0.0, 0.2], vec![0.2; 3]] }
}

#[test]
fn a_smooth_ball_sliding_across_folds_does_not_fall_through() {
    let body = RigidBody::new(1.0, [0.004; 3]).at([0.3, 0.2, 0.5]);
    check_run(&dropped(body, BALL, pit(), 0.0, 0.3), 4.0, "pit");
}

#[test]
fn a_rough_ball_rolling_across_folds_does_not_fall_through() {
    let body = RigidBody::new(1.0, [0.004; 3]).at([0.3, 0.17, 0.5]);
    check_run(&dropped(body, BALL, pit(), 0.5, 0.3), 4.0, "pit");
}

#[test]
fn a_long_flight_ends_on_a_thin_floor() {
    // Flights of a second and more need one step each, within which an unchecked ball would pass through the floor.
    let points = vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]];
    let floor = Shape::Mesh { points, triangles: vec![[0, 1, 2], [0, 2, 3]] };
    let body = RigidBody::new(1.0, [0.004; 3]).at([0.3, 0.2, 4.0]).moving([1.0, 0.5, 0.0], [0.0; 3]);
    check_run(&dropped(body, BALL, floor, 0.0, 0.9), 6.0, "thin floor");
}

#[test]
fn balls_in_bowls_of_all_kinds() {
    let mut seed = 0;
    for kind in [Ground::Field, Ground::Mesh] {
        for (n, mu, e) in [(5, 0.0, 0.0), (7, 0.5, 0.8), (5, 0.0, 0.5), (7, 0.3, 0.0)] {
            seed += 1;
            let what = format!("{seed}: ball on {kind:?} of {n}, mu = {mu}, e = {e}");
            check_run(&thrown(seed, kind, BALL, n, mu, e), 5.0, &what);
        }
    }
}

#[test]
fn smooth_rods_in_bowls() {
    for (seed, kind) in [(9, Ground::Field), (13, Ground::Mesh)] {
        check_run(&thrown(seed, kind, ROD, 5, 0.0, 0.0), 5.0, &format!("{seed}: rod on {kind:?}"));
    }
}

#[test]
fn smooth_rebounding_rods_in_bowls() {
    for (seed, kind) in [(11, Ground::Field), (15, Ground::Mesh), (114, Ground::Field)] {
        check_run(&thrown(seed, kind, ROD, 5, 0.0, 0.5), 5.0, &format!("{seed}: smooth rod on {kind:?}"));
    }
}

#[test]
fn a_smooth_rod_turning_on_a_ridge_keeps_its_energy() {
    // In a long step the rod passes the direction of the ridge it lies across, where the contact normal reverses.
    check_run(&thrown(110, Ground::Mesh, ROD, 5, 0.0, 0.5), 2.2, "110: smooth rod");
}

#[test]
fn a_rod_creeping_on_both_ends_goes_on() {
    // Both ends slip ever more slowly, against each other: steps would shrink without end if slow slips had no rule of their own.
    check_run(&thrown(107, Ground::Field, ROD, 7, 0.3, 0.0), 1.0, "107: creeping rod");
}

#[test]
fn boxes_in_bowls() {
    for (seed, kind, n, mu, t) in [(2, Ground::Field, 5, 0.3, 1.0), (4, Ground::Mesh, 5, 0.0, 1.0)] {
        let what = format!("{seed}: box on {kind:?}, mu = {mu}");
        check_run(&thrown(seed, kind, Shape::Box { size: [0.2, 0.25, 0.3] }, n, mu, 0.0), t, &what);
    }
}

#[test]
fn a_rough_rebounding_rod_in_a_bowl() {
    check_run(&thrown(14, Ground::Mesh, ROD, 7, 0.5, 0.8), 5.0, "14: rough rod");
}

#[test]
fn a_rod_thrown_over_the_rim_falls_beside_it() {
    let solution = check_run(&thrown(10, Ground::Field, ROD, 7, 0.5, 0.8), 5.0, "10: rough rod");
    assert!(solution.last("it.z").unwrap() < -10.0);
}

#[test]
fn a_rough_rod_rolling_on_both_ends_in_a_bowl() {
    // Both ends stick: one row is redundant.
    check_run(&thrown(12, Ground::Field, ROD, 7, 0.3, 0.0), 1.5, "12: rough rod");
}

#[test]
fn rods_with_friction_or_rebound_on_meshes_are_reported_as_slow() {
    let pair = |shape: Shape, ground: Shape, mu: f64, e: f64| {
        let model = dropped(RigidBody::new(1.0, [0.004; 3]).at([0.0, 0.0, 1.0]), shape, ground, mu, e).build().unwrap();
        model.costly_contact_pair().map(|(a, b)| (a.to_string(), b.to_string()))
    };
    let named = Some(("it".to_string(), "bowl".to_string()));
    assert_eq!(pair(ROD, pit(), 0.3, 0.0), named);
    assert_eq!(pair(Shape::Box { size: [0.1; 3] }, pit(), 0.0, 0.5), named);
    assert_eq!(pair(ROD, pit(), 0.0, 0.0), None, "smooth, without rebound");
    assert_eq!(pair(BALL, pit(), 0.3, 0.5), None, "a ball");
    assert_eq!(pair(ROD, Shape::HalfSpace {}, 0.3, 0.5), None, "no triangles");
}
