//! Coulomb's law: what sticks does not creep, what slides slides as it should.

use super::*;
use crate::motion::Orientation;
use crate::stepping::{TimeSteppingSettings, simulate};

/// A block on a plane inclined by `angle` about y, at rest or moving along it.
fn incline(angle: f64, mu: f64, speed: f64, h: f64, t_end: f64) -> [f64; 2] {
    let (s, c) = angle.sin_cos();
    let mut spec = Spec::new();
    // Gravity is turned instead of the plane.
    spec.gravity([G * s, 0.0, -G * c]);
    spec.body("block", block([0.4, 0.3, 0.2]).at([0.0, 0.0, 0.1]).moving([speed, 0.0, 0.0], [0.0; 3]));
    let shapes = [("ground", Shape::HalfSpace {}), ("block", Shape::Box { size: [0.4, 0.3, 0.2] })];
    on(&mut spec, &shapes, plastic(mu));
    let model = spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(t_end, h)).unwrap();
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    for name in ["block.y", "block.vy", "block.wx", "block.wy", "block.wz", "block.vz"] {
        assert!(run.last(name).unwrap().abs() < 1e-10, "{name}");
    }
    [run.last("block.x").unwrap(), run.last("block.vx").unwrap()]
}

#[test]
fn a_block_that_sticks_does_not_creep() {
    // tan 0.4 = 0.42 < 0.5; a thousand seconds.
    let [x, v] = incline(0.4, 0.5, 0.0, 0.05, 1000.0);
    assert!(x.abs() < 1e-12 && v.abs() < 1e-14, "{x} {v}");
}

#[test]
fn a_block_slides_as_it_should() {
    let (angle, mu, t): (f64, f64, f64) = (0.6, 0.5, 1.0);
    let a = G * (angle.sin() - mu * angle.cos());
    let [x, v] = incline(angle, mu, 0.0, 0.01, t);
    assert!((x - 0.5 * a * t * t).abs() < 1e-10 && (v - a * t).abs() < 1e-10, "{x} {v}");
    // Thrown along a plane on which it comes to rest: x = v²/(2 a), to the first step after the stop.
    let (angle, speed): (f64, f64) = (0.2, 1.0);
    let a = G * (mu * angle.cos() - angle.sin());
    for h in [1e-2, 1e-3] {
        let [x, v] = incline(angle, mu, speed, h, 1.0);
        assert!((x - speed * speed / (2.0 * a)).abs() < a * h * h && v.abs() < 1e-12, "{x} {v}");
    }
}

#[test]
fn what_slides_slowly_is_not_taken_for_rest() {
    let (angle, mu, t): (f64, f64, f64) = (0.502_f64.atan(), 0.5, 3.0);
    let a = G * (angle.sin() - mu * angle.cos());
    let [x, v] = incline(angle, mu, 0.0, 0.01, t);
    assert!((x - 0.5 * a * t * t).abs() < 1e-9 && (v - a * t).abs() < 1e-9, "{x} {v}");
}

#[test]
fn a_sphere_slides_and_then_rolls() {
    // v = 5/7 v₀ once it rolls, at t = 2 v₀/(7 μ g).
    let (v0, mu) = (2.0, 0.3);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.body("ball", sphere(0.1).at([0.0, 0.0, 0.1]).moving([v0, 0.0, 0.0], [0.0; 3]));
    let shapes = [("ground", Shape::HalfSpace {}), ("ball", Shape::Sphere { radius: 0.1 })];
    on(&mut spec, &shapes, plastic(mu));
    let model = spec.build().unwrap();
    let stop = 2.0 * v0 / (7.0 * mu * G);
    let exact = v0 * stop - 0.5 * mu * G * stop * stop + 5.0 / 7.0 * v0 * (1.0 - stop);
    for h in [4e-3, 1e-3] {
        let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(1.0, h)).unwrap();
        let (x, v, w) = (run.last("ball.x").unwrap(), run.last("ball.vx").unwrap(), run.last("ball.wy").unwrap());
        assert!((v - 5.0 / 7.0 * v0).abs() < 1e-10 && (v - 0.1 * w).abs() < 1e-10, "{v} {w}");
        assert!((x - exact).abs() < mu * G * h * h, "{x} {exact}");
    }
}

#[test]
fn rolling_resistance_and_spin_bring_a_ball_to_rest() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.body("ball", sphere(0.1).at([0.0, 0.0, 0.1]).moving([0.5, 0.0, 0.0], [0.0, 5.0, 3.0]));
    let shapes = [("ground", Shape::HalfSpace {}), ("ball", Shape::Sphere { radius: 0.1 })];
    let mut rule = plastic(0.5);
    (rule.torsional_friction, rule.rolling_friction) = (1e-3, 2e-3);
    on(&mut spec, &shapes, rule);
    let model = spec.build().unwrap();
    let state = model.initial_state();
    // Rolling: (7/5) m r² α = −m g roll; spinning: (2/5) m r² α = −m g spin.
    let decay = [G * 2e-3 / (1.4 * 0.01), G * 1e-3 / (0.4 * 0.01)];
    let run = simulate(&model, &state, &TimeSteppingSettings::to(0.5, 1e-3)).unwrap();
    assert!((run.last("ball.wy").unwrap() - (5.0 - 0.5 * decay[0])).abs() < 1e-9);
    assert!((run.last("ball.wz").unwrap() - (3.0 - 0.5 * decay[1])).abs() < 1e-9);
    let run = simulate(&model, &state, &TimeSteppingSettings::to(6.0, 1e-3)).unwrap();
    for name in ["ball.vx", "ball.wy", "ball.wz"] {
        assert!(run.last(name).unwrap().abs() < 1e-12, "{name}");
    }
}

#[test]
fn a_dropped_box_settles_flat() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    let tilt = Orientation::RotationVector([0.3, 0.2, 0.1]);
    spec.body("box", block([0.3, 0.2, 0.1]).at([0.0, 0.0, 0.4]).oriented(tilt));
    let shapes = [("ground", Shape::HalfSpace {}), ("box", Shape::Box { size: [0.3, 0.2, 0.1] })];
    on(&mut spec, &shapes, plastic(0.4).restitution(0.2));
    let model = spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(4.0, 1e-3).every(0.01)).unwrap();
    assert!((run.last("box.z").unwrap() - 0.05).abs() < 1e-7, "{}", run.last("box.z").unwrap());
    for name in ["box.vx", "box.vy", "box.vz", "box.wx", "box.wy", "box.wz"] {
        assert!(run.last(name).unwrap().abs() < 1e-10, "{name} {}", run.last(name).unwrap());
    }
    assert!(run.column("contact.penetration").unwrap().iter().all(|p| *p < 1e-5));
    let energy: Vec<f64> = run
        .column("energy.kinetic")
        .unwrap()
        .iter()
        .zip(run.column("energy.potential").unwrap())
        .map(|(k, p)| k + p)
        .collect();
    assert!(energy.windows(2).all(|w| w[1] <= w[0] + 1e-6 * energy[0]), "{energy:?}");
}
