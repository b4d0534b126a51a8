//! Unilateral elements and friction in a fixed mode: their forces while active, and no force while idle.
#![allow(non_snake_case)]

use taut::analyses::{Transient, simulate};
use taut::constraints::{ElementInput, Sense, SlipAxes, Via};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::laws::Friction;
use taut::motion::{Motion, Wrench};
use taut::{
    Axis, ConstraintMode, Coupling, Frame, Joint, JointFriction, Measure, MinimumDistance, Model, Orientation, Outcome,
    PlanarBody, PointMass, PointPlaneContact, Ratchet, Rope, Signal, Spec, State, Stop,
};

const G: f64 = 9.81;

/// The start state with every constraint in this mode.
fn state_with_mode(model: &Model, mode: ConstraintMode) -> State {
    let mut state = model.initial_state();
    state.modes.fill(mode);
    state
}

/// Accelerations and multipliers of the start.
fn solve_start(model: &Model, mode: ConstraintMode) -> (Vec<f64>, Vec<f64>) {
    let state = state_with_mode(model, mode);
    let mut dynamics = Dynamics::at(model, &state, &SolverSettings::default());
    dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z).unwrap();
    (dynamics.vdot, dynamics.lambda)
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

fn pulley(marker: &str, radius: f64, sense: Sense) -> Via {
    Via::pulley(marker, radius, sense)
}

fn point(marker: &str) -> Via {
    Via::Point(marker.to_string())
}

/// Two masses over a pulley of radius 0.5 m in the origin; the rope just fits.
fn atwood(m: [f64; 2], at: [[f64; 3]; 2], v: [f64; 3], length: f64) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("left", PointMass::new(m[0], at[0]))
        .body("right", PointMass::new(m[1], at[1]).moving(v));
    let through = vec![point("left"), pulley("ground", 0.5, Sense::Negative), point("right")];
    spec.constraint("rope", Rope::with_pulleys(through, length));
    spec.build().unwrap()
}

#[test]
fn atwood_machine() {
    let length = 5.0 + 0.5 * std::f64::consts::PI;
    let model = atwood([3.0, 2.0], [[-0.5, -2.0, 0.0], [0.5, -3.0, 0.0]], [0.0; 3], length);
    let (vdot, lambda) = solve_start(&model, ConstraintMode::Active);
    close(vdot[1], -G / 5.0, "the heavier falls");
    close(vdot[4], G / 5.0, "the lighter rises");
    close(lambda[0], 2.0 * 3.0 * 2.0 * G / 5.0, "tension");
    let (vdot, lambda) = solve_start(&model, ConstraintMode::Idle);
    close(vdot[1], -G, "free fall");
    close(vdot[4], -G, "free fall");
    assert_eq!(lambda[0], 0.0);
}

#[test]
fn a_swinging_atwood_machine_keeps_its_energy_and_its_rope() {
    // The lighter mass swings on a rope that winds onto the pulley and off it.
    let length = 4.0 + 0.5 * std::f64::consts::PI;
    let model = atwood([2.0, 1.0], [[-0.5, -2.0, 0.0], [0.5, -2.0, 0.0]], [2.0, 0.0, 0.0], length);
    let state = state_with_mode(&model, ConstraintMode::Active);
    let s = simulate(&model, &state, &Transient::to(0.8).tolerance(1e-11, 1e-11)).unwrap();
    assert_eq!(s.outcome, Outcome::Finished);
    assert!(s.last("energy.balance").unwrap().abs() < 1e-8);
    let (x, y) = (s.last("right.x").unwrap(), s.last("right.y").unwrap());
    assert!((x - 0.5).abs() > 0.3, "it swings: {x}");
    // Tangent and arc on the right, straight down on the left.
    let rho = x.hypot(y);
    let arc = std::f64::consts::PI - (y.atan2(x) + (0.5 / rho).acos());
    let used = -s.last("left.y").unwrap() + (rho * rho - 0.25).sqrt() + 0.5 * arc;
    close(used, length, "length");
}

#[test]
fn a_movable_pulley_halves_the_load() {
    // ground – around the lower block – over the upper one – counterweight.
    let (M, m, r) = (8.0, 3.0, 0.2);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .marker("ground.post", Frame::at([-2.0 * r, 0.0, 0.0]))
        .marker("ground.top", Frame::at([r, 1.0, 0.0]))
        .body("block", PointMass::new(M, [-r, -2.0, 0.0]))
        .body("weight", PointMass::new(m, [2.0 * r, -1.0, 0.0]));
    let through = vec![
        point("ground.post"),
        pulley("block", r, Sense::Positive),
        pulley("ground.top", r, Sense::Negative),
        point("weight"),
    ];
    spec.constraint("rope", Rope::with_pulleys(through, 10.0));
    let (vdot, lambda) = solve_start(&spec.build().unwrap(), ConstraintMode::Active);
    // 2T − Mg = M a, T − mg = −2 m a
    let a = (2.0 * m - M) * G / (M + 4.0 * m);
    close(vdot[1], a, "block");
    close(vdot[4], -2.0 * a, "weight");
    close(lambda[0], 0.5 * M * (a + G), "tension");
}

#[test]
fn a_hauled_rope_lifts_with_its_acceleration() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0]).body("load", PointMass::new(2.0, [0.0, -3.0, 0.0]).moving([0.0, 0.5, 0.0]));
    spec.constraint("rope", Rope::new(&["ground", "load"], Signal::polynomial([3.0, -0.5, -0.6])));
    let (vdot, lambda) = solve_start(&spec.build().unwrap(), ConstraintMode::Active);
    close(vdot[1], 1.2, "acceleration");
    close(lambda[0], 2.0 * (G + 1.2), "tension");
}

#[test]
fn stops_separators_and_ratchets_push() {
    let pressed = |constraint: taut::constraints::ConstraintKind| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0]).body("bead", PointMass::new(2.0, [0.0, 0.5, 0.0])).constraint("it", constraint);
        solve_start(&spec.build().unwrap(), ConstraintMode::Active).1[0]
    };
    let y = || Measure::coordinate("bead.y");
    close(pressed(Stop::lower(y(), 0.5).into()), 2.0 * G, "a floor");
    close(pressed(Stop::upper(y(), 0.5).into()), -2.0 * G, "a ceiling would have to pull: it opens");
    close(pressed(MinimumDistance::new("ground", "bead", 0.5).into()), 2.0 * G, "a strut");
    close(pressed(Ratchet::new(y(), 0.25, Sense::Positive).into()), 2.0 * G, "a pawl");
}

#[test]
fn a_point_sticks_on_a_slope() {
    let (m, tilt) = (2.0, 0.3_f64);
    let mut spec = Spec::new();
    let normal = [-tilt.sin(), tilt.cos(), 0.0];
    let along = [tilt.cos(), tilt.sin(), 0.0];
    spec.gravity([0.0, -G, 0.0])
        .marker("ground.slope", Frame::default().with_orientation(Orientation::Axes { z: normal, x: Some(along) }))
        .body("bead", PointMass::new(m, [0.0; 3]));
    for (tangents, rows) in [(SlipAxes::One(Axis::X), 2), (SlipAxes::Two, 3)] {
        let mut spec = spec.clone();
        spec.constraint("foot", PointPlaneContact::new("ground.slope", "bead").friction(Friction::same(0.5), tangents));
        let model = spec.build().unwrap();
        let (vdot, lambda) = solve_start(&model, ConstraintMode::Active);
        assert_eq!(lambda.len(), rows);
        close(lambda[0], m * G * tilt.cos(), "normal");
        close(lambda[1], m * G * tilt.sin(), "friction");
        assert!(vdot[..2].iter().all(|a| a.abs() < 1e-8));
        // Sliding down, friction is at its bound and opposes the slip.
        let (vdot, lambda) = solve_start(&model, ConstraintMode::Sliding([-1.0, 0.0, 0.0]));
        close(lambda[1], 0.5 * m * G * tilt.cos(), "kinetic friction");
        assert!(lambda[2..].iter().all(|l| *l == 0.0));
        let slope = vdot[0] * along[0] + vdot[1] * along[1];
        close(slope, -G * tilt.sin() + 0.5 * G * tilt.cos(), "down the slope");
    }
}

#[test]
fn a_stuck_pin_bears_the_moment_of_the_weight() {
    let (m, l, r) = (1.5, 0.8, 0.05);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("rod", PlanarBody::rod(m, l).at([0.5 * l, 0.0], 0.0))
        .marker("rod.end", Frame::at([-0.5 * l, 0.0, 0.0]))
        .constraint("pin", Joint::pin("ground", "rod.end"))
        .constraint("dry", JointFriction::revolute("pin", "ground", "rod.end", r, Friction::same(0.4)));
    let model = spec.build().unwrap();
    let (vdot, lambda) = solve_start(&model, ConstraintMode::Active);
    assert!(vdot.iter().all(|a| a.abs() < 1e-8));
    close(lambda[2], 0.5 * m * G * l, "moment");
    // The whole weight presses on the radius of the pin.
    let motions = [Motion::REST; 2];
    let reaction = Wrench::force(taut::motion::Vec3::new(lambda[0], lambda[1], 0.0));
    let dry = model.constraints[1].kind.constraint();
    close(dry.normal_force(&ElementInput::new(0.0, &motions, &[0, 1], &[]), &reaction).0, r * m * G, "N");
}

#[test]
fn a_closed_clutch_shares_the_torque() {
    let (J, T) = ([0.4, 0.1], 2.0);
    let mut spec = Spec::new();
    for (name, J) in ["one", "two"].iter().zip(J) {
        spec.body(name, PlanarBody::new(1.0, J)).constraint(&format!("{name}.axle"), Joint::pin("ground", name));
    }
    let angle = |name: &str| Measure::angle("ground", name);
    spec.constraint("clutch", Coupling::clutch(angle("one"), angle("two"), 1.0))
        .force("motor", taut::forces::Spring::actuator(angle("one"), Signal::constant(T)));
    let model = spec.build().unwrap();
    let (vdot, lambda) = solve_start(&model, ConstraintMode::Active);
    close(vdot[2], T / 0.5, "both");
    close(vdot[5], T / 0.5, "both");
    // On the first it brakes by what the second takes.
    close(lambda[4], -0.1 * T / 0.5, "torque");
    let mut open = state_with_mode(&model, ConstraintMode::Active);
    open.modes[2] = ConstraintMode::Idle;
    let mut dynamics = Dynamics::at(&model, &open, &SolverSettings::default());
    dynamics.solve_accelerations(0.0, &open.q, &open.v, &open.z).unwrap();
    close(dynamics.vdot[2], T / 0.4, "alone");
    assert_eq!(dynamics.vdot[5], 0.0);
}

#[test]
fn brakes_hold_and_actuators_keep_their_rate() {
    let run = |coupling: Coupling| {
        let mut spec = Spec::new();
        spec.gravity([0.0, -G, 0.0]).body("lift", PointMass::new(2.0, [0.0; 3])).constraint("drive", coupling);
        let model = spec.build().unwrap();
        let s = simulate(
            &model,
            &state_with_mode(&model, ConstraintMode::Active),
            &Transient::to(1.0).tolerance(1e-10, 1e-10),
        )
        .unwrap();
        (s.last("lift.y").unwrap(), solve_start(&model, ConstraintMode::Active).1[0])
    };
    let y = || Measure::coordinate("lift.y");
    let (height, force) = run(Coupling::brake(y(), 30.0));
    assert!(height.abs() < 1e-9);
    close(force, 2.0 * G, "brake");
    // ẏ = 0.5 t from rest: y(1) = 0.25 m, and 0.5 m/s² on top of the weight.
    let (height, force) = run(Coupling::actuator(y(), Signal::polynomial([0.0, 0.5]), 0.0, 40.0));
    close(height, 0.25, "height");
    close(force, 2.0 * (G + 0.5), "force");
}
