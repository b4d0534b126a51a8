//! Sleep: what rests stays where it is, and wakes when something reaches it.

use super::*;
use crate::analyses::Run;
use crate::stepping::{TimeSteppingSettings, TimeSteppingSimulation};

/// A ball on the floor, and one that falls on it from a height, a little out of line.
fn two_balls(height: f64, turning: f64) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.body("lower", sphere(0.1).at([0.0, 0.0, 0.1])).body("upper", sphere(0.1).at([0.05, 0.0, 0.3 + height]));
    let balls = [("ground", Shape::HalfSpace {}), ("lower", Shape::Sphere { radius: 0.1 })];
    on(&mut spec, &balls, RigidContact { torsional_friction: turning, rolling_friction: turning, ..plastic(0.3) });
    spec.surface("upper", Surface::new("upper", Shape::Sphere { radius: 0.1 }));
    spec.build().unwrap()
}

#[test]
fn a_ball_at_rest_sleeps_and_wakes_when_it_is_hit() {
    let model = two_balls(5.0, 1e-3);
    let mut simulation =
        TimeSteppingSimulation::new(&model, &model.initial_state(), &TimeSteppingSettings::to(2.0, 2e-3)).unwrap();
    simulation.advance(0.9);
    assert_eq!(simulation.sleeping(), 1);
    assert_eq!(simulation.state().v[..6], [0.0; 6]);
    // The fall takes √(2 · 5 m/g) = 1.01 s and some.
    simulation.advance(1.1);
    assert_eq!(simulation.sleeping(), 0);
    assert!(simulation.state().v[0].abs() > 0.1, "{:?}", simulation.state().v);
    assert!(simulation.penetration() < 1e-5);
}

#[test]
fn the_balance_of_energy_knows_of_sleep() {
    let model = two_balls(0.5, 5e-3);
    let settings = TimeSteppingSettings::to(8.0, 2e-3).every(0.1);
    let mut simulation = TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).unwrap();
    simulation.run();
    assert_eq!(simulation.sleeping(), 2);
    let run = simulation.into_solution();
    let start = run.column("energy.potential").unwrap()[0];
    assert!(run.column("energy.balance").unwrap().iter().all(|b| b.abs() < 1e-9 * start));
}
