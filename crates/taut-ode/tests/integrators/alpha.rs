//! The generalised-alpha method on oscillators, a pendulum under a constraint and a body that turns.
#![allow(missing_docs, non_snake_case)]

use crate::common;
use crate::mechanisms;

use common::distance;
use mechanisms::{Mechanism, Model};
use taut_ode::{Checkpoint, Method, Refusal, Settings, StepFailure, Stepper, System, Tolerance};

/// A unit mass on a unit circle, in Cartesian coordinates, under gravity.
struct Pendulum;

const GRAVITY: f64 = 9.81;

impl Mechanism for Pendulum {
    fn sizes(&self) -> [usize; 4] {
        [2, 2, 0, 1]
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        q[0] += delta[0];
        q[1] += delta[1];
    }
    fn residual(&self, y: &[f64], vdot: &[f64], lambda: &[f64], r: &mut [f64], g: &mut [f64], _: &mut [f64]) {
        r[0] = vdot[0] - y[0] * lambda[0];
        r[1] = vdot[1] + GRAVITY - y[1] * lambda[0];
        g[0] = 0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0);
    }
    fn bias(&self, y: &[f64], b: &mut [f64]) {
        b[0] = -(y[2] * y[2] + y[3] * y[3]);
    }
}

/// `v̇ = −ω² q − c z`, `ż = v − z`.
struct Oscillator {
    omega: f64,
    c: f64,
}

impl Mechanism for Oscillator {
    fn sizes(&self) -> [usize; 4] {
        [1, 1, 1, 0]
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        q[0] += delta[0];
    }
    fn residual(&self, y: &[f64], vdot: &[f64], _: &[f64], r: &mut [f64], _: &mut [f64], zdot: &mut [f64]) {
        r[0] = vdot[0] + self.omega * self.omega * y[0] + self.c * y[2];
        zdot[0] = y[1] - y[2];
    }
}

/// A free body of three different moments of inertia: q is a quaternion, v the angular velocity, both of world axes.
struct Body;

const INERTIA: [f64; 3] = [1.0, 2.0, 3.5];

fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `p ∘ q`
fn product(p: [f64; 4], q: &[f64]) -> [f64; 4] {
    let (u, v) = (cross(&p[1..], &q[1..4]), p[1] * q[1] + p[2] * q[2] + p[3] * q[3]);
    [
        p[0] * q[0] - v,
        p[0] * q[1] + q[0] * p[1] + u[0],
        p[0] * q[2] + q[0] * p[2] + u[1],
        p[0] * q[3] + q[0] * p[3] + u[2],
    ]
}

/// x turned by q, or back.
fn turned(q: &[f64], x: &[f64], sign: f64) -> [f64; 3] {
    let axis = [sign * q[1], sign * q[2], sign * q[3]];
    let first = cross(&axis, x);
    let second = cross(&axis, &first);
    [0, 1, 2].map(|i| x[i] + 2.0 * (q[0] * first[i] + second[i]))
}

/// The inertia tensor in world axes times x.
fn inertia(q: &[f64], x: &[f64]) -> [f64; 3] {
    let own = turned(q, x, -1.0);
    turned(q, &[0, 1, 2].map(|i| INERTIA[i] * own[i]), 1.0)
}

impl Mechanism for Body {
    fn sizes(&self) -> [usize; 4] {
        [4, 3, 0, 0]
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        let angle = delta.iter().map(|d| d * d).sum::<f64>().sqrt();
        let s = if angle < 1e-9 { 0.5 } else { (0.5 * angle).sin() / angle };
        q.copy_from_slice(&product([(0.5 * angle).cos(), s * delta[0], s * delta[1], s * delta[2]], q));
    }
    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(&product([0.0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]], q));
    }
    fn unroll(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        // δ̇ = v − ½ δ × v + …
        let bracket = cross(delta, v);
        for i in 0..3 {
            rate[i] = v[i] - 0.5 * bracket[i];
        }
    }
    fn residual(&self, y: &[f64], vdot: &[f64], _: &[f64], r: &mut [f64], _: &mut [f64], _: &mut [f64]) {
        let (q, w) = y.split_at(4);
        let gyroscopic = cross(w, &inertia(q, w));
        let moment = inertia(q, vdot);
        for i in 0..3 {
            r[i] = moment[i] + gyroscopic[i];
        }
    }
}

fn alpha(y: &[f64], h: f64, rho: f64) -> Box<dyn Stepper> {
    let tolerance = Tolerance::new(1e-11, 1e-11);
    let settings = Settings { tolerance, spectral_radius: Some(rho), ..Settings::with_step(h) };
    Method::GeneralisedAlpha.stepper(0.0, y, &settings).expect("valid")
}

fn advance(stepper: &mut dyn Stepper, system: &mut dyn System, t_stop: f64) {
    while stepper.t() != t_stop {
        stepper.step(system, t_stop).expect("no failure");
    }
}

/// The solution of the explicit method of order 8.
fn reference(system: &mut dyn System, y: &[f64], t: f64) -> Vec<f64> {
    let settings = Settings::with_tolerance(1e-12, 1e-12);
    let mut stepper = Method::Dop853.stepper(0.0, y, &settings).expect("valid");
    advance(&mut *stepper, system, t);
    stepper.y().to_vec()
}

/// The same with the velocity projected onto the tangent of the circle after each step, as the driver does.
fn advance_projected(stepper: &mut dyn Stepper, system: &mut dyn System, t_stop: f64) {
    while stepper.t() != t_stop {
        stepper.step(system, t_stop).expect("no failure");
        let y = stepper.correct();
        let off = (y[0] * y[2] + y[1] * y[3]) / (y[0] * y[0] + y[1] * y[1]);
        y[2] -= off * y[0];
        y[3] -= off * y[1];
    }
}

const HANGING: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Orders measured at `t = 1` with fixed steps.
fn order<T: Mechanism>(mechanism: T, y: &[f64], rho: f64) -> f64 {
    let mut system = Model::new(mechanism);
    let expected = reference(&mut system, y, 1.0);
    let errors = [200, 400].map(|steps| {
        let mut stepper = alpha(y, 1.0 / f64::from(steps), rho);
        advance(&mut *stepper, &mut system, 1.0);
        assert_eq!(stepper.statistics().accepted, u64::try_from(steps).expect("positive"));
        distance(stepper.y(), &expected)
    });
    println!("errors {errors:?}");
    (errors[0] / errors[1]).log2()
}

#[test]
fn the_order_is_two_with_constraints_first_order_states_and_rotations() {
    for rho in [0.0, 0.5, 0.8, 1.0] {
        let pendulum = order(Pendulum, &HANGING, rho);
        let oscillator = order(Oscillator { omega: 3.0, c: 2.0 }, &[1.0, 0.5, -0.3], rho);
        let body = order(Body, &[1.0, 0.0, 0.0, 0.0, 1.0, 3.0, 0.5], rho);
        println!("rho {rho}: {pendulum:.2} {oscillator:.2} {body:.2}");
        for order in [pendulum, oscillator, body] {
            assert!((order - 2.0).abs() < 0.25, "rho {rho}: {pendulum} {oscillator} {body}");
        }
    }
}

#[test]
fn the_order_stays_two_when_the_steps_vary() {
    let mut system = Model::new(Pendulum);
    let expected = reference(&mut system, &HANGING, 1.0);
    let mut error = |parts: u32| {
        let mut stepper = alpha(&HANGING, 1.0, 0.6);
        let (mut stop, mut k) = (0.0_f64, 0);
        while stop < 1.0 {
            stop = (stop + [1.0, 1.8, 0.7, 1.3][k % 4] / f64::from(parts)).min(1.0);
            k += 1;
            stepper.step(&mut system, stop).expect("smooth");
        }
        distance(stepper.y(), &expected)
    };
    let errors = [error(400), error(800)];
    let order = (errors[0] / errors[1]).log2();
    println!("{errors:?} order {order:.2}");
    assert!((order - 2.0).abs() < 0.35, "{order} {errors:?}");
}

#[test]
fn the_pendulum_stays_on_its_circle_and_keeps_its_energy() {
    for rho in [0.6, 0.9] {
        let mut system = Model::new(Pendulum);
        let mut stepper = alpha(&HANGING, 0.01, rho);
        let (mut off, mut spread) = (0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            stepper.step(&mut system, 10.0).expect("smooth");
            let y = stepper.y();
            off = off.max((y[0].hypot(y[1]) - 1.0).abs());
            spread = spread.max((0.5 * (y[2] * y[2] + y[3] * y[3]) + GRAVITY * y[1]).abs());
        }
        println!("rho {rho}: off the circle by {off:.1e}, energy by {spread:.1e}, {} derivatives", system.derivatives);
        assert!(off < 1e-12, "{off:e}");
        assert!(spread < 0.02 * GRAVITY, "{spread}");
    }
}

#[test]
fn what_is_too_fast_for_the_step_is_left_to_the_spectral_radius() {
    for rho in [0.2, 0.5, 0.8] {
        let mut system = Model::new(Oscillator { omega: 1e5, c: 0.0 });
        let tolerance = Tolerance::with_each(1e-11, vec![1e-200, 1e30, 1e30]);
        let settings = Settings { tolerance, spectral_radius: Some(rho), ..Settings::with_step(0.1) };
        let mut stepper = Method::GeneralisedAlpha.stepper(0.0, &[1.0, 0.0, 0.0], &settings).expect("valid");
        // Amplitudes are those of the worst component, relative to where each began.
        let mut size = |stop: f64| {
            advance(&mut *stepper, &mut system, stop);
            stepper.y()[0].abs()
        };
        let (first, second) = (size(4.0), size(8.0));
        // The root −ρ at infinity is a triple one: amplitudes go like n² ρⁿ.
        let per_step = (second / first / 4.0).powf(1.0 / 40.0);
        println!("rho {rho}: {per_step:.4}");
        assert!((per_step - rho).abs() < 0.02 * rho, "rho {rho}: {per_step}");
    }
}

#[test]
fn the_tolerance_controls_the_error() {
    let mut system = Model::new(Pendulum);
    let expected = reference(&mut system, &HANGING, 2.0);
    let mut last = 0;
    for rtol in [1e-3_f64, 1e-4, 1e-5, 1e-6, 1e-7] {
        let settings = Settings::with_tolerance(rtol, rtol);
        let mut stepper = Method::GeneralisedAlpha.stepper(0.0, &HANGING, &settings).expect("valid");
        advance_projected(&mut *stepper, &mut system, 2.0);
        let (error, statistics) = (distance(stepper.y(), &expected), stepper.statistics());
        println!("{rtol:e}: {error:.1e} {statistics:?}");
        // Order two: local errors h³ of the size of the tolerance leave global ones of h².
        assert!(error < 30.0 * rtol.powf(2.0 / 3.0), "{rtol:e}: {error:e}");
        // A tenth of the tolerance takes about 10^(1/3) = 2.15 times the steps.
        assert!(last == 0 || statistics.accepted < 3 * last, "{statistics:?}");
        assert!(statistics.rejected + statistics.refused < statistics.accepted / 4 + 4, "{statistics:?}");
        last = statistics.accepted;
    }
}

#[test]
fn velocities_that_nobody_brings_home_cost_accuracy_but_not_the_run() {
    let mut system = Model::new(Pendulum);
    let expected = reference(&mut system, &HANGING, 2.0);
    for rtol in [1e-3_f64, 1e-5, 1e-7] {
        let settings = Settings::with_tolerance(rtol, rtol);
        let mut stepper = Method::GeneralisedAlpha.stepper(0.0, &HANGING, &settings).expect("valid");
        advance(&mut *stepper, &mut system, 2.0);
        let (error, statistics) = (distance(stepper.y(), &expected), stepper.statistics());
        println!("unprojected, {rtol:e}: {error:.1e} {statistics:?}");
        assert!(error < 0.1 && statistics.accepted < 4000, "{rtol:e}: {error:e} {statistics:?}");
    }
}

#[test]
fn a_stiff_spring_does_not_hold_the_steps_back() {
    // At rest except for a slow motion above the tolerance: ω = 1e5 with a damper.
    struct Stiff;
    impl Mechanism for Stiff {
        fn sizes(&self) -> [usize; 4] {
            [2, 2, 0, 0]
        }
        fn displace(&self, q: &mut [f64], delta: &[f64]) {
            q[0] += delta[0];
            q[1] += delta[1];
        }
        fn residual(&self, y: &[f64], vdot: &[f64], _: &[f64], r: &mut [f64], _: &mut [f64], _: &mut [f64]) {
            let (stretch, rate) = (y[1] - y[0], y[3] - y[2]);
            let force = 1e10 * stretch + 1e5 * rate;
            r[0] = vdot[0] + y[0] - force;
            r[1] = vdot[1] + force;
        }
    }
    let mut system = Model::new(Stiff);
    let settings = Settings { spectral_radius: Some(0.3), ..Settings::with_tolerance(1e-5, 1e-5) };
    let mut stepper = Method::GeneralisedAlpha.stepper(0.0, &[1.0, 1.0, 0.0, 0.0], &settings).expect("valid");
    advance(&mut *stepper, &mut system, 10.0);
    // Together they swing with ω² = ½.
    let error = (stepper.y()[0] - (10.0 * 0.5_f64.sqrt()).cos()).abs();
    println!("{error:.1e} {:?}, {} derivatives", stepper.statistics(), system.derivatives);
    assert!(error < 5e-3, "{error:e}");
    assert!(stepper.statistics().accepted < 1000, "{:?}", stepper.statistics());
}

#[test]
fn checkpoints_continue_bit_by_bit_and_steps_are_taken_back() {
    let settings = Settings::with_tolerance(1e-6, 1e-6);
    let make = || Method::GeneralisedAlpha.stepper(0.0, &HANGING, &settings).expect("valid");
    let (mut system, mut other) = (Model::new(Pendulum), Model::new(Pendulum));
    let mut original = make();
    for _ in 0..7 {
        original.step(&mut system, 2.0).expect("smooth");
    }
    original.correct()[2] += 1e-9;
    let text = serde_json::to_string(&original.save()).expect("serialises");
    let checkpoint: Checkpoint = serde_json::from_str(&text).expect("deserialises");
    let mut copy = make();
    copy.restore(&checkpoint).expect("same method");
    while original.t() < 1.0 {
        original.step(&mut system, 1.0).expect("smooth");
        copy.step(&mut other, 1.0).expect("smooth");
        assert_eq!(original.save(), copy.save());
    }
    // A step that is undone and repeated is the same.
    let (t, y) = (original.t(), original.y().to_vec());
    original.step(&mut system, 2.0).expect("smooth");
    let after = original.y().to_vec();
    original.undo_step(1.0).expect("whole");
    assert_eq!((original.t(), original.y()), (t, &y[..]));
    original.step(&mut system, 2.0).expect("smooth");
    assert!(distance(original.y(), &after) < 1e-9);
    // A jump restarts the method: with the velocity reversed, the motion returns to its start.
    for v in &mut original.jump()[2..] {
        *v = -*v;
    }
    let back = 2.0 * original.t();
    advance(&mut *original, &mut system, back);
    assert!(distance(original.y(), &HANGING) < 1e-3, "{:?}", original.y());
    // The dense output stays near the circle, and a truncated step can be continued.
    original.step(&mut system, 9.0).expect("smooth");
    let middle = original.t_old() + 0.5 * original.h();
    original.truncate(&mut system, middle).expect("inside");
    assert!((original.y()[0].hypot(original.y()[1]) - 1.0).abs() < 1e-6);
    original.step(&mut system, 9.0).expect("smooth");
}

#[test]
fn a_system_of_first_order_is_refused() {
    let mut stepper = Method::GeneralisedAlpha.stepper(0.0, &[1.0, 0.0], &Settings::default()).expect("valid");
    let failure = stepper.step(&mut common::oscillator(), 1.0);
    assert_eq!(failure, Err(StepFailure::Refused { t: 0.0, refusal: Refusal::NotSecondOrder }));
}
