//! Sleep: what rests stays where it is, and wakes when something reaches it.

use super::*;
use crate::stepping::{March, Stepping};

/// A ball on the floor, and one that falls on it from a height, a little out of line.
fn two_balls(height: f64) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.body("lower", sphere(0.1).at([0.0, 0.0, 0.1])).body("upper", sphere(0.1).at([0.05, 0.0, 0.3 + height]));
    let balls = [("ground", Shape::HalfSpace {}), ("lower", Shape::Sphere { radius: 0.1 })];
    on(&mut spec, &balls, RigidContact { spin: 1e-3, roll: 1e-3, ..plastic(0.3) });
    spec.surface("upper", Surface::new("upper", Shape::Sphere { radius: 0.1 }));
    spec.build().unwrap()
}

#[test]
fn a_ball_at_rest_sleeps_and_wakes_when_it_is_hit() {
    let model = two_balls(5.0);
    let mut march = March::new(&model, &model.initial_state(), &Stepping::to(2.0, 2e-3)).unwrap();
    march.advance(0.9);
    assert_eq!(march.sleeping(), 1);
    assert_eq!(march.state().v[..6], [0.0; 6]);
    // The fall takes √(2 · 5 m/g) = 1.01 s and some.
    march.advance(1.1);
    assert_eq!(march.sleeping(), 0);
    assert!(march.state().v[0].abs() > 0.1, "{:?}", march.state().v);
    assert!(march.penetration() < 1e-5);
}
