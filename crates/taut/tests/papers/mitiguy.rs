//! \[MitiguyBanerjee2000\]: the pin joint, a double pendulum, three actuators. The paper has no numbers; these are own
//! cases, the pin checked with the full 8×8 Newton–Euler equations.

use crate::common::{below, close, run, values, worst};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{Transient, simulate};
use taut::forces::Applied;
use taut::{Frame, Joint, Measure, PlanarBody, PointMass, Prescription, Relation, Signal, Spec};

#[test]
fn pin_joint() {
    let (a, b) = ((0.8, 0.1), (-0.6, 0.2));
    let (theta_a, theta_b, omega_a, omega_b) = (0.3_f64, -0.7_f64, 1.2, -2.0);
    let turned = |(x, y): (f64, f64), t: f64| [x * t.cos() - y * t.sin(), x * t.sin() + y * t.cos()];
    let (ra, rb) = (turned(a, theta_a), turned(b, theta_b));
    // The pin of B lies and moves where that of A does.
    let place = [ra[0] - rb[0], ra[1] - rb[1]];
    let velocity = [-omega_a * ra[1] + omega_b * rb[1], omega_a * ra[0] - omega_b * rb[0]];
    let wrench = |at: &str, x: f64, y: f64, m: f64| Applied {
        torque: [0.0, 0.0, m].map(Signal::constant),
        ..Applied::force(at, [x, y, 0.0].map(Signal::constant))
    };
    let mut spec = Spec::new();
    spec.body("a", PlanarBody::new(2.0, 0.5).at([0.0, 0.0], theta_a).moving([0.0, 0.0], omega_a))
        .body("b", PlanarBody::new(1.5, 0.3).at(place, theta_b).moving(velocity, omega_b))
        .marker("a.pin", Frame::at([a.0, a.1, 0.0]))
        .marker("b.pin", Frame::at([b.0, b.1, 0.0]))
        .force("on_a", wrench("a", 0.5, -19.62, 0.7))
        .force("on_b", wrench("b", -1.0, -14.715, -0.2))
        .constraint("pin", Joint::pin("a.pin", "b.pin"));
    let s = run(&spec.build().unwrap(), &Transient::to(1e-6).at(vec![0.0]));
    let expected_a = [0.7572023038467245, -10.307400846733485, -0.735258613312014];
    let expected_b = [-1.3429364051289658, -9.146798871022023, 0.06308103106865137];
    close("a", &values(&s, ["a.ax", "a.ay", "a.alpha"], 0.0), &expected_a, 1e-11);
    close("b", &values(&s, ["b.ax", "b.ay", "b.alpha"], 0.0), &expected_b, 1e-11);
    close("force on b", &values(&s, ["pin.fx", "pin.fy"], 0.0), &[-1.014404607693449, 0.9948016934669668], 1e-11);
}

#[test]
fn double_pendulum() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("one", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
        .body("two", PlanarBody::rod(1.0, 1.0).at([1.5, 0.0], 0.0));
    for rod in ["one", "two"] {
        spec.marker(&format!("{rod}.a"), Frame::at([-0.5, 0.0, 0.0]));
        spec.marker(&format!("{rod}.b"), Frame::at([0.5, 0.0, 0.0]));
    }
    spec.constraint("top", Joint::pin("ground", "one.a")).constraint("elbow", Joint::pin("one.b", "two.a"));
    let s = run(&spec.build().unwrap(), &Transient::to(2.0).every(0.1).tolerance(1e-12, 1e-12));
    // Angles from the vertical; rates.
    let truth = [
        (0.5, [0.4481426259320065, 1.0419628873038578, -2.4143083126484646, -5.949104936117192]),
        (1.0, [-1.2077162381906352, -0.8143910230913288, -3.406517532972296, -0.5160454721043375]),
        (1.5, [-1.150325680317924, -2.099126131756246, 2.5554082924165846, -1.9663728145923827]),
        (2.0, [-0.08275830682062166, 0.40736207491181814, -0.9611454445446983, 11.898955053043705]),
    ];
    for (t, expected) in truth {
        let [one, two, v1, v2] = values(&s, ["one.theta", "two.theta", "one.omega", "two.omega"], t);
        close(&format!("double pendulum at {t}"), &[one + FRAC_PI_2, two + FRAC_PI_2, v1, v2], &expected, 1e-9);
    }
    below("double pendulum energy", worst(&s, "energy.balance"), 1e-10);
}

#[test]
fn length_actuator() {
    // 2 kg and 3 kg at rest as a whole, their distance driven as 1 + 0.2 sin 5t.
    let mut spec = Spec::new();
    let length = Prescription::Position(Signal::expression("1 + 0.2*sin(5*t)").unwrap());
    spec.body("one", PointMass::new(2.0, [-0.6, 0.0, 0.0]).moving([-0.6, 0.0, 0.0]))
        .body("two", PointMass::new(3.0, [0.4, 0.0, 0.0]).moving([0.4, 0.0, 0.0]))
        .constraint("actuator", Relation::driver(Measure::distance("one", "two"), length));
    let s = run(&spec.build().unwrap(), &Transient::to(0.7).at(vec![0.0, 0.1, 0.3, 0.7]).tolerance(1e-12, 1e-12));
    let truth = [
        (0.1, [-0.6575310646325044, 0.4383540430883363, -2.876553231625218]),
        (0.3, [-0.7196993983924865, 0.4797995989283244, -5.9849699196243265]),
        (0.7, [-0.5579060126772456, 0.3719373417848304, 2.104699366137719]),
    ];
    for (t, expected) in truth {
        // The multiplier is the force that pushes the two apart.
        let found = values(&s, ["one.x", "two.x", "actuator.lambda_relation"], t);
        close(&format!("length actuator at {t}"), &found, &expected, 1e-10);
    }
    // Its work is what moves the masses.
    below("length actuator energy", worst(&s, "energy.balance"), 1e-9);
}

#[test]
fn velocity_actuator() {
    // A hoist lifts 10 kg at 0.5 t, then 1 m/s from 2 s on: the step ends where the signal has its corner.
    let mut spec = Spec::new();
    let speed = Prescription::Velocity(Signal::expression("min(0.5*t, 1)").unwrap());
    spec.gravity([0.0, 0.0, -9.81])
        .body("load", PointMass::new(10.0, [0.0; 3]))
        .constraint("hoist", Relation::driver(Measure::coordinate("load.z"), speed));
    let model = spec.build().unwrap();
    let rise = run(&model, &Transient::to(2.0).at(vec![0.0, 1.0]).tolerance(1e-12, 1e-12));
    close("hoist, rising speed", rise.column("hoist.lambda_relation").unwrap(), &[103.1, 103.1], 1e-11);
    let s = simulate(&model, rise.final_state(), &Transient::to(3.0).tolerance(1e-12, 1e-12)).unwrap();
    close("hoist, at 3 s", &[s.last("load.z").unwrap(), s.last("hoist.lambda_relation").unwrap()], &[2.0, 98.1], 1e-11);
}

#[test]
fn acceleration_actuator() {
    // A rod of 1 kg and 1 m about its end, from rest along the horizontal with θ̈ = 2.
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("crank", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("crank.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint(
            "motor",
            Joint::pin("ground", "crank.end").prescribe_rotation(Prescription::Acceleration(Signal::constant(2.0))),
        );
    let s = run(&spec.build().unwrap(), &Transient::to(1.0).every(0.5).tolerance(1e-12, 1e-12));
    for (t, theta, torque) in [(0.5, 0.25, 5.41918209515738), (1.0, 1.0, 3.3168494769498924)] {
        let found = values(&s, ["crank.theta", "crank.omega", "motor.mz"], t);
        close(&format!("acceleration actuator at {t}"), &found, &[theta, 2.0 * t, torque], 1e-10);
    }
    below("acceleration actuator energy", worst(&s, "energy.balance"), 1e-10);
}
