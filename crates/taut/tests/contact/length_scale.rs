//! Contacts do not depend on the unit of length: bodies and accelerations of a thousandth and of a thousand times the size
//! make the same motion, with the same events at the same times.

use taut::analyses::{Transient, simulate};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::shapes::Shape;
use taut::{EventKind, Outcome, RigidBody, Solution, Spec};

const SCALES: [f64; 3] = [1e-3, 1.0, 1e3];

/// A body over the plane z = 0, with all lengths times `s`.
fn on_plane(s: f64, body: RigidBody, shape: Shape, law: RigidContact) -> Solution {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81 * s])
        .body("body", body)
        .surface("plane", Surface::new("ground", Shape::HalfSpace {}))
        .surface("skin", Surface::new("body", shape))
        .contact("touch", ContactRule::all(law));
    let model = spec.build().unwrap();
    let settings = Transient::to(3.0).tolerance(1e-10, 1e-10 * s);
    let solution = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert_eq!(solution.outcome, Outcome::Finished, "scale {s}: {}", solution.outcome);
    solution
}

fn events(solution: &Solution) -> Vec<(EventKind, f64)> {
    solution.events.iter().map(|e| (e.what, e.t)).collect()
}

/// The same kinds of events at the same times, and the same end, scaled.
fn assert_similar(solutions: &[Solution; 3], columns: &[&str]) {
    let expected = events(&solutions[1]);
    for (s, solution) in SCALES.iter().zip(solutions) {
        let found = events(solution);
        assert_eq!(found.len(), expected.len(), "scale {s}: {found:?}\n{expected:?}");
        for ((kind, t), (expected, at)) in found.iter().zip(&expected) {
            assert!(kind == expected && (t - at).abs() < 1e-7, "scale {s}: {kind:?} at {t}, not {expected:?} at {at}");
        }
        for column in columns {
            let (x, expected) = (solution.last(column).unwrap() / s, solutions[1].last(column).unwrap());
            assert!((x - expected).abs() < 1e-7, "scale {s}: {column} = {x}, not {expected}");
        }
    }
}

#[test]
fn a_bouncing_ball_of_any_size() {
    let run = |s: f64| {
        let ball = RigidBody::new(2.0, [0.8 * s * s; 3]).at([0.0, 0.0, 2.0 * s]);
        let law = RigidContact::SMOOTH.restitution(0.5);
        on_plane(s, ball, Shape::Sphere { radius: s }, law)
    };
    let solutions = SCALES.map(run);
    assert!(events(&solutions[1]).len() > 10, "{:?}", events(&solutions[1]));
    assert_similar(&solutions, &["body.z", "body.vz"]);
    assert!((solutions[1].last("body.z").unwrap() - 1.0).abs() < 1e-8);
}

#[test]
fn a_sliding_block_of_any_size() {
    let run = |s: f64| {
        let block = RigidBody::new(2.0, [0.5 * s * s; 3]).at([0.0, 0.0, 0.5 * s]).moving([3.0 * s, 0.0, 0.0], [0.0; 3]);
        let law = RigidContact::SMOOTH.friction(0.3);
        on_plane(s, block, Shape::Box { size: [2.0 * s, 2.0 * s, s] }, law)
    };
    let solutions = SCALES.map(run);
    assert_similar(&solutions, &["body.x", "body.z", "body.vx"]);
    // v²/(2 µ g), at rest after v/(µ g) = 1.02 s.
    assert!((solutions[1].last("body.x").unwrap() - 9.0 / (2.0 * 0.3 * 9.81)).abs() < 1e-6);
}
