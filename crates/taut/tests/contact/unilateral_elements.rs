//! Unilateral elements and friction with their events, against closed forms.
#![allow(non_snake_case)]

use taut::analyses::{Transient, simulate};
use taut::constraints::{ConstraintKind, Sense, SlipAxes};
use taut::forces::Spring;
use taut::laws::{Friction, Impact, ImpactLaw};
use taut::{
    Controller, Coupling, EventKind, Joint, JointFriction, Measure, Outcome, PlanarBody, PointMass, PointPlaneContact,
    Ratchet, Rope, Signal, Solution, Spec,
};

const G: f64 = 9.81;

fn run(spec: &Spec, t: f64) -> Solution {
    let model = spec.build().unwrap();
    let solution = simulate(&model, &model.initial_state(), &Transient::to(t).tolerance(1e-11, 1e-11)).unwrap();
    assert_eq!(solution.outcome, Outcome::Finished, "{}", solution.outcome);
    solution
}

fn times(solution: &Solution, what: EventKind) -> Vec<f64> {
    solution.events.iter().filter(|o| o.what == what).map(|o| o.t).collect()
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

fn last(solution: &Solution, name: &str) -> f64 {
    solution.last(name).unwrap()
}

/// A bead on the y axis under gravity.
fn falling(y: f64, vy: f64, constraint: impl Into<ConstraintKind>) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("bead", PointMass::new(2.0, [0.0, y, 0.0]).moving([0.0, vy, 0.0]))
        .constraint("it", constraint);
    spec
}

#[test]
fn a_falling_mass_is_caught_by_its_rope() {
    // From the level of its hook, 0.6 m aside: taut after falling 0.8 m; the velocity along the rope is lost.
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("load", PointMass::new(2.0, [0.6, 0.0, 0.0]))
        .constraint("rope", Rope::new(&["ground", "load"], 1.0));
    let t = (2.0 * 0.8 / G).sqrt();
    let solution = run(&spec, t + 1e-9);
    let hits = times(&solution, EventKind::Impact);
    assert_eq!(hits.len(), 1);
    close(hits[0], t, "taut");
    let v = G * t;
    // Only the part across the rope (0.6, −0.8) is left: v·(−0.8, −0.6) = 0.6 v.
    close(last(&solution, "load.vx"), -0.8 * 0.6 * v, "vx");
    close(last(&solution, "load.vy"), -0.6 * 0.6 * v, "vy");
    // From there a pendulum, which rises as far as the remaining energy allows.
    let solution = run(&spec, t + 0.5);
    let (x, y) = (last(&solution, "load.x"), last(&solution, "load.y"));
    close(x.hypot(y), 1.0, "still taut");
    let v2 = last(&solution, "load.vx").powi(2) + last(&solution, "load.vy").powi(2);
    close(0.5 * v2 + G * y, 0.5 * 0.36 * v * v - 0.8 * G, "energy after the jerk");
}

#[test]
fn a_bead_between_two_elastic_stops() {
    let mut spec = Spec::new();
    let elastic = Impact { law: ImpactLaw::Newton, restitution: 1.0 };
    spec.body("bead", PointMass::new(1.0, [0.0; 3]).moving([2.0, 0.0, 0.0]));
    spec.limits("range", Measure::coordinate("bead.x"), Some(-0.3), Some(0.5), elastic);
    let solution = run(&spec, 2.0);
    let hits = times(&solution, EventKind::Impact);
    for (k, hit) in hits.iter().enumerate() {
        close(*hit, 0.25 + 0.4 * k as f64, "hit");
    }
    assert_eq!(hits.len(), 5);
    close(last(&solution, "bead.vx"), -2.0, "after five hits");
}

#[test]
fn a_pebble_slides_to_rest_in_space() {
    let mut spec = Spec::new();
    let (mu, v) = (0.3, [1.2, -0.9, 0.0]);
    spec.gravity([0.0, 0.0, -G]).body("pebble", PointMass::new(0.5, [0.0; 3]).moving(v));
    let rough = PointPlaneContact::new("ground", "pebble").friction(Friction::same(mu), SlipAxes::Two);
    spec.constraint("floor", rough);
    let solution = run(&spec, 1.0);
    // 1.5 m/s along (0.8, −0.6): stops after v/(μ g), v²/(2 μ g) away.
    close(times(&solution, EventKind::Sticks)[0], 1.5 / (mu * G), "stops");
    let way = 1.5 * 1.5 / (2.0 * mu * G);
    close(last(&solution, "pebble.x"), 0.8 * way, "x");
    close(last(&solution, "pebble.y"), -0.6 * way, "y");
    close(last(&solution, "pebble.z"), 0.0, "z");
}

#[test]
fn a_wheel_on_a_dry_pin_runs_down() {
    let (m, J, r, mu, w) = (3.0, 0.05, 0.02, 0.25, 20.0);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("wheel", PlanarBody::new(m, J).moving([0.0, 0.0], w))
        .constraint("pin", Joint::pin("ground", "wheel"))
        .constraint("dry", JointFriction::revolute("pin", "ground", "wheel", r, Friction::same(mu)));
    let stop = J * w / (mu * r * m * G);
    let solution = run(&spec, stop + 1.0);
    close(times(&solution, EventKind::Sticks)[0], stop, "stops");
    close(last(&solution, "wheel.theta"), 0.5 * w * stop, "turned");
    assert!(last(&solution, "wheel.omega").abs() < 1e-9);
}

#[test]
fn a_slider_on_a_dry_rail() {
    let (mu, v) = (Friction { stick: 0.4, slip: 0.3 }, 2.0);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("block", PlanarBody::new(1.5, 0.1).moving([v, 0.0], 0.0))
        .constraint("rail", Joint::slider("ground", "block"))
        .constraint("dry", JointFriction::slider("rail", "ground", "block", mu))
        // Pulled after it has come to rest: below the static bound it stays, above it goes.
        .force("pull", Spring::actuator(Measure::coordinate("block.x"), Signal::polynomial([0.0, 1.0])));
    let solution = run(&spec, 7.0);
    let m = 1.5;
    // m v̇ = t − 0.3 m g
    let drag = 0.3 * G * m;
    let stop = drag - (drag * drag - 2.0 * m * v).sqrt();
    close(times(&solution, EventKind::Sticks)[0], stop, "stops");
    let go = 0.4 * G * m;
    close(*times(&solution, EventKind::Slips).last().unwrap(), go, "goes");
    let after = (7.0 * 7.0 - go * go) / 2.0 - drag * (7.0 - go);
    close(last(&solution, "block.vx"), after / m, "speed");
}

#[test]
fn a_clutch_closes() {
    let (J, capacity) = ([0.4, 0.1], 0.8);
    let mut spec = Spec::new();
    for ((name, J), w) in ["one", "two"].iter().zip(J).zip([10.0, 0.0]) {
        spec.body(name, PlanarBody::new(1.0, J).moving([0.0, 0.0], w));
        spec.constraint(&format!("{name}.axle"), Joint::pin("ground", name));
    }
    let angle = |name: &str| Measure::angle("ground", name);
    spec.constraint("clutch", Coupling::clutch(angle("one"), angle("two"), capacity));
    let solution = run(&spec, 2.0);
    let grip = 10.0 / (capacity * (1.0 / J[0] + 1.0 / J[1]));
    close(times(&solution, EventKind::Sticks)[0], grip, "grips");
    close(last(&solution, "one.omega"), 8.0, "common speed");
    close(last(&solution, "two.omega"), 8.0, "common speed");
}

#[test]
fn a_freewheel_turns_one_way() {
    let mut spec = Spec::new();
    let x = || Measure::coordinate("cart.x");
    spec.body("cart", PointMass::new(1.0, [0.0; 3]))
        .constraint("way", Coupling::one_way(x(), Sense::Positive))
        .force("push", Spring::actuator(x(), Signal::harmonic(1.0, 1.0, std::f64::consts::FRAC_PI_2)));
    let solution = run(&spec, 6.0);
    // v = sin t up to π, rest until the force turns at 3π/2, then sin t + 1.
    close(last(&solution, "cart.vx"), 6.0_f64.sin() + 1.0, "v");
    close(times(&solution, EventKind::Sticks)[0], std::f64::consts::PI, "stops");
}

#[test]
fn a_limited_actuator_comes_up_to_its_rate() {
    let x = || Measure::coordinate("cart.x");
    let mut spec = Spec::new();
    spec.body("cart", PointMass::new(2.0, [0.0; 3])).constraint("drive", Coupling::actuator(x(), 1.0, -4.0, 4.0));
    let solution = run(&spec, 1.0);
    close(times(&solution, EventKind::Sticks)[0], 0.5, "up to speed");
    close(last(&solution, "cart.x"), 0.25 + 0.5, "x");
}

#[test]
fn a_thrown_bead_falls_back_on_the_last_tooth() {
    let v = (2.0 * G * 0.37_f64).sqrt();
    let ratchet = Ratchet::new(Measure::coordinate("bead.y"), 0.1, Sense::Positive);
    let solution = run(&falling(0.0, v, ratchet), 1.0);
    let passed = times(&solution, EventKind::StateReset);
    assert_eq!(passed.len(), 3, "{:?}", solution.events);
    close(passed[2], (v - (2.0 * G * 0.07_f64).sqrt()) / G, "third tooth");
    close(times(&solution, EventKind::Impact)[0], (v + (2.0 * G * 0.07_f64).sqrt()) / G, "back on it");
    close(last(&solution, "bead.y"), 0.3, "rests");
}

#[test]
fn a_sampled_loop_is_its_recurrence() {
    let (m, T, kp, kd) = (2.0, 0.05, 30.0, 6.0);
    let mut spec = Spec::new();
    let x = Measure::coordinate("cart.x");
    spec.body("cart", PointMass::new(m, [0.0; 3]));
    spec.force("control", Controller::pid(x, 1.0, [kp, 0.0, kd], Some([-20.0, 20.0])).sampled(T));
    let solution = run(&spec, 1.0 + 1e-9);
    let (mut x, mut v) = (0.0_f64, 0.0_f64);
    for _ in 0..20 {
        let u = (kp * (1.0 - x) - kd * v).clamp(-20.0, 20.0);
        (x, v) = (x + v * T + 0.5 * u / m * T * T, v + u / m * T);
    }
    assert_eq!(times(&solution, EventKind::StateReset).len(), 21);
    close(last(&solution, "cart.x"), x, "x");
    close(last(&solution, "cart.vx"), v, "v");
}
