//! Dry friction in a ball joint: a moment opposite to the angular velocity, bounded by μ r |f|.
#![allow(non_snake_case)]

use taut::analyses::{Checkpoint, Run, RunStatus, Simulation, Transient, simulate};
use taut::forces::Applied;
use taut::laws::Friction;
use taut::stepping::{self, TimeSteppingSettings};
use taut::{EventKind, Joint, JointFriction, Outcome, RigidBody, Signal, Solution, Spec};

const G: f64 = 9.81;
/// Of the ball.
const RADIUS: f64 = 0.05;
const MASS: f64 = 2.0;
const MU: Friction = Friction { stick: 0.6, slip: 0.4 };
/// A generic unit axis.
const AXIS: [f64; 3] = [2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0];

fn times(k: f64) -> [f64; 3] {
    AXIS.map(|a| k * a)
}

/// A body in a socket at the origin, under its weight.
fn socket(body: RigidBody, friction: Friction) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", body)
        .constraint("socket", Joint::spherical("ground", "ball"))
        .constraint("dry", JointFriction::spherical("socket", "ground", "ball", RADIUS, friction));
    spec
}

fn run(spec: &Spec, t: f64) -> Solution {
    let model = spec.build().unwrap();
    let solution = simulate(&model, &model.initial_state(), &Transient::to(t).tolerance(1e-11, 1e-11)).unwrap();
    assert_eq!(solution.outcome, Outcome::Finished, "{}", solution.outcome);
    solution
}

fn when(solution: &Solution, what: EventKind) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what && o.name == "dry").map(|o| o.t).collect()
}

fn spin(solution: &Solution) -> [f64; 3] {
    ["ball.wx", "ball.wy", "ball.wz"].map(|name| solution.last(name).unwrap())
}

#[test]
fn a_ball_joint_holds_its_load_for_a_thousand_seconds() {
    // The weight 11 mm beside the centre of a ball whose friction reaches to 30 mm.
    let model = socket(RigidBody::new(MASS, [0.02, 0.03, 0.04]).com([0.01, -0.005, 0.3]), MU).build().unwrap();
    let start = model.initial_state();
    let mut held = Simulation::new(&model, &start, &Transient::to(1000.0)).unwrap();
    held.run();
    assert_eq!(held.outcome(), &Outcome::Finished);
    assert_eq!((&held.state().q, &held.state().v), (&start.q, &start.v));
    // At an offset of 40 mm it turns.
    let turns = run(&socket(RigidBody::new(MASS, [0.02, 0.03, 0.04]).com([0.04, 0.0, 0.0]), MU), 0.1);
    assert!(spin(&turns)[1] > 0.1);
}

#[test]
fn a_spinning_ball_slows_evenly_and_stops() {
    let (I, w0) = (0.01, 7.0);
    let fall = MU.slip * RADIUS * MASS * G / I;
    let spec = socket(RigidBody::new(MASS, [I; 3]).moving([0.0; 3], times(w0)), MU);
    let on_its_way = run(&spec, 0.1);
    for (found, expected) in spin(&on_its_way).into_iter().zip(times(w0 - 0.1 * fall)) {
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }
    let solution = run(&spec, 5.0);
    let stops = when(&solution, EventKind::Sticks);
    assert_eq!(stops.len(), 1);
    assert!((stops[0] - w0 / fall).abs() < 1e-9, "{} {}", stops[0], w0 / fall);
    assert!(spin(&solution).iter().all(|w| w.abs() < 1e-12), "{:?}", spin(&solution));
    let energy = 0.5 * I * w0 * w0;
    assert!((solution.last("energy.friction").unwrap() - energy).abs() < 1e-10);
    assert!((solution.last("dry.lost").unwrap() - energy).abs() < 1e-10);
    assert!(solution.last("energy.balance").unwrap().abs() < 1e-10);
}

#[test]
fn it_slips_where_the_torque_exceeds_its_bound() {
    // A torque that grows by k per second, about the generic axis.
    let (I, k) = (0.01, 0.3);
    let mut spec = socket(RigidBody::new(MASS, [I; 3]), MU);
    spec.force("twist", Applied::torque("ball", times(k).map(|k| Signal::polynomial([0.0, k]))));
    let (t0, t1) = (MU.stick * RADIUS * MASS * G / k, 3.0);
    let solution = run(&spec, t1);
    let slips = when(&solution, EventKind::Slips);
    assert_eq!(slips.len(), 1);
    assert!((slips[0] - t0).abs() < 1e-9, "{} {t0}", slips[0]);
    let w = (0.5 * k * (t1 * t1 - t0 * t0) - MU.slip * RADIUS * MASS * G * (t1 - t0)) / I;
    for (found, expected) in spin(&solution).into_iter().zip(times(w)) {
        assert!((found - expected).abs() < 1e-8 * w, "{found} {expected}");
    }
    assert!(solution.last("energy.balance").unwrap().abs() < 1e-8);
    for (name, axis) in ["dry.lambda_turn_x", "dry.lambda_turn_y", "dry.lambda_turn_z"].into_iter().zip(AXIS) {
        let expected = -MU.slip * RADIUS * MASS * G * axis;
        assert!((solution.last(name).unwrap() - expected).abs() < 1e-10, "{name}");
    }
}

/// ω in axes of the body at time t: I ω̇ = −ω × I ω − m ω/|ω|, by small steps of the classical Runge-Kutta method.
fn tumbling(I: [f64; 3], w: [f64; 3], m: f64, t: f64) -> [f64; 3] {
    let rate = |w: [f64; 3]| {
        let L = [0, 1, 2].map(|i| I[i] * w[i]);
        let size = w.iter().map(|w| w * w).sum::<f64>().sqrt();
        let turn = [w[1] * L[2] - w[2] * L[1], w[2] * L[0] - w[0] * L[2], w[0] * L[1] - w[1] * L[0]];
        [0, 1, 2].map(|i| (-turn[i] - m * w[i] / size) / I[i])
    };
    let steps = 20_000;
    let h = t / f64::from(steps);
    let add = |w: [f64; 3], k: [f64; 3], h: f64| [0, 1, 2].map(|i| w[i] + h * k[i]);
    let mut w = w;
    for _ in 0..steps {
        let k1 = rate(w);
        let k2 = rate(add(w, k1, 0.5 * h));
        let k3 = rate(add(w, k2, 0.5 * h));
        let k4 = rate(add(w, k3, h));
        w = [0, 1, 2].map(|i| w[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    w
}

#[test]
fn a_body_that_tumbles_in_its_socket_follows_eulers_equations() {
    let (I, w0, t) = ([0.01, 0.02, 0.027], [3.0, -2.0, 4.0], 0.2);
    let solution = run(&socket(RigidBody::new(MASS, I).moving([0.0; 3], w0), MU), t);
    let expected = tumbling(I, w0, MU.slip * RADIUS * MASS * G, t);
    // Angular velocities are in world axes; their magnitude and the energy do not depend on the axes.
    let speed = |w: [f64; 3]| w.iter().map(|w| w * w).sum::<f64>().sqrt();
    assert!((speed(spin(&solution)) - speed(expected)).abs() < 1e-8, "{:?} {expected:?}", spin(&solution));
    let energy: f64 = I.iter().zip(expected).map(|(I, w)| 0.5 * I * w * w).sum();
    let potential = solution.column("energy.potential").unwrap();
    assert!((potential[0] - potential[potential.len() - 1]).abs() < 1e-12);
    assert!((solution.last("energy.kinetic").unwrap() - energy).abs() < 1e-9);
    assert!(solution.last("energy.balance").unwrap().abs() < 1e-9);
}

#[test]
fn friction_losses_of_a_swinging_body_are_recorded() {
    // The reaction changes during the swing, and so does the friction bound.
    let body = RigidBody::new(MASS, [0.02, 0.03, 0.04]).com([0.3, 0.1, -0.2]).moving([0.0; 3], [0.5, -0.3, 2.0]);
    let solution = run(&socket(body, Friction::same(0.2)), 3.0);
    let balance = solution.column("energy.balance").unwrap();
    assert!(balance.iter().all(|b| b.abs() < 1e-8), "{balance:?}");
    assert!(solution.last("energy.friction").unwrap() > 0.1);
}

#[test]
fn slip_about_three_axes_resumes_from_its_checkpoint() {
    let body = RigidBody::new(MASS, [0.01, 0.02, 0.027]).moving([0.0; 3], [3.0, -2.0, 4.0]);
    let model = socket(body, MU).build().unwrap();
    let settings = Transient::to(1.0);
    let mut straight = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    (0..5).for_each(|_| assert_eq!(straight.step(), RunStatus::Underway));
    let saved = straight.checkpoint();
    let slip = saved.state.modes[1].slip_direction().unwrap();
    assert!(slip.iter().all(|d| d.abs() > 0.05), "{slip:?}");
    let read: Checkpoint = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
    straight.run();
    let mut other = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    other.restore(&read).unwrap();
    other.run();
    assert_eq!(other.state(), straight.state());
}

#[test]
fn time_steps_slow_it_evenly_too() {
    let (I, w0, h) = (0.01, 7.0, 1e-3);
    let fall = MU.slip * RADIUS * MASS * G / I;
    let model =
        socket(RigidBody::new(MASS, [I; 3]).moving([0.0; 3], times(w0)), Friction::same(MU.slip)).build().unwrap();
    let solution = stepping::simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.1, h)).unwrap();
    for (found, expected) in spin(&solution).into_iter().zip(times(w0 - 0.1 * fall)) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    let solution = stepping::simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(1.0, h)).unwrap();
    assert!(spin(&solution).iter().all(|w| w.abs() < 1e-12), "{:?}", spin(&solution));
}
