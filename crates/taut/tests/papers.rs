//! Cases of the papers whose methods the engine uses, with numbers recomputed independently: closed forms, rational
//! arithmetic, or converged integrations. Where a paper's printed number or sign is off, the right one stands here.
//!
//! \[FumagalliMasarati2009\], \[Masarati2010\], \[MitiguyBanerjee2000\], \[Kamaraj2021\]
#![allow(non_snake_case)] // the theory's letter is the identifier

mod common;

use common::{below, close, run, taut, value, values, worst};
use std::f64::consts::FRAC_PI_2;
use taut::analyses::{Integrator, Output, Transient, Verdict, rank, simulate};
use taut::bodies::{BodyKind, Quantity, Subsystem, SubsystemBody, Symmetry};
use taut::constraints::{Reference, UserConstraint, UserHolonomic, UserPlace};
use taut::drift::Drift;
use taut::dynamics::{Choice, Dynamics};
use taut::forces::{Applied, Spring};
use taut::motion::{Mat3, Vec3, quaternion_of_rotation};
use taut::scalar::Scalar;
use taut::{Frame, Hold, Joint, Measure, Model, Orientation, PlanarBody, PointMass, Relation, RigidBody, Signal, Spec};

// ---------------------------------------------------------------------------------------------------------------
// [FumagalliMasarati2009] §2: small systems with independent, repeated and contradicting rows.

/// M = [4 1 0; 1 3 1; 0 1 2], f = (1, 2, 3).
#[derive(Debug)]
struct Three;

impl Subsystem for Three {
    fn coordinates(&self) -> Vec<Quantity> {
        ["a", "b", "c"].map(|n| Quantity::new(n, "m")).to_vec()
    }
    fn initial(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0]);
    }
    fn forces(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        f.copy_from_slice(&[1.0, 2.0, 3.0]);
    }
}

/// The rows A v̇ = b as relations given at acceleration level.
fn three(rows: &[([f64; 3], f64)]) -> Model {
    let mut spec = Spec::new();
    spec.body("x", BodyKind::Subsystem(SubsystemBody::new(Three))).marker("ground.far", Frame::at([1.0, 0.0, 0.0]));
    for (i, (row, b)) in rows.iter().enumerate() {
        let mut terms: Vec<(f64, Measure)> =
            row.iter().zip(["x.a", "x.b", "x.c"]).map(|(k, name)| (*k, Measure::coordinate(name))).collect();
        terms.retain(|(k, _)| *k != 0.0);
        
        spec.constraint(&format!("row{i}"), Relation::new(terms).follows(Hold::Acceleration(Signal::constant(*b))));
    }
    spec.build().unwrap()
}

/// v̇, λ, the largest |A v̇ − b|.
fn solved(model: &Model) -> (Vec<f64>, Vec<f64>, f64) {
    let mut d = Dynamics::new(model, &Choice::default());
    let s = model.initial_state();
    d.accelerate(0.0, &s.q, &s.v, &s.z).unwrap();
    (d.vdot.clone(), d.lambda.clone(), d.acceleration_residual().0)
}

const SUM: [f64; 3] = [1.0, 1.0, 0.0];

#[test]
fn fumagalli_full_rank() {
    let model = three(&[(SUM, 1.0)]);
    let (a, lambda, left) = solved(&model);
    close("accelerations", &a, &[4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], 1e-12);
    // M v̇ = f + Aᵀλ here, M v̇ + Aᵀλ = f in the paper.
    close("multiplier", &lambda, &[4.0 / 3.0], 1e-10);
    below("left over", left, 1e-12);
    assert_eq!(rank(&model, &model.initial_state()).unwrap().verdict, Verdict::Independent);
}

#[test]
fn fumagalli_doubled_row() {
    let model = three(&[(SUM, 1.0), ([2.0, 2.0, 0.0], 2.0)]);
    let (a, lambda, left) = solved(&model);
    close("accelerations", &a, &[4.0 / 9.0, 5.0 / 9.0, 11.0 / 9.0], 1e-10);
    below("left over", left, 1e-10);
    println!("doubled row: {lambda:?}");
    // Least Σ s λ² with s the scale of each row: the second row is twice as long, s = 4, and takes half of what the
    // first takes. In Euclid's norm (4/15, 8/15) would be least; the force Aᵀλ = 4/3 (1, 1, 0) is the same.
    close("force", &[lambda[0] + 2.0 * lambda[1]], &[4.0 / 3.0], 1e-10);
    
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rank, found.redundant, found.verdict), (1, 1, Verdict::Consistent));
}

#[test]
fn fumagalli_contradicting_rows() {
    // Least squares of A v̇ = b, then least Gaussian: A v̇ = 1.5 for rows that ask for 1 and 2.
    let model = three(&[(SUM, 1.0), (SUM, 2.0)]);
    let (a, lambda, left) = solved(&model);
    println!("contradicting rows: {a:?} {lambda:?} {left}");
    close("accelerations", &a, &[11.0 / 18.0, 8.0 / 9.0, 19.0 / 18.0], 1e-7);
    close("left over", &[left], &[0.5], 1e-7);
    let found = rank(&model, &model.initial_state()).unwrap();
    let Verdict::Contradictory { acceleration, position, velocity } = found.verdict else { panic!("{found:?}") };
    assert!(acceleration > 0.1 && position == 0.0 && velocity == 0.0);
    assert_eq!(found.dependent, ["row0.relation", "row1.relation"]);
}

#[test]
fn fumagalli_three_rows_of_rank_two() {
    let rows = [(SUM, 1.0), ([0.0, 1.0, 1.0], 2.0), ([1.0, 2.0, 1.0], 3.0)];
    let model = three(&rows);
    let (a, lambda, left) = solved(&model);
    println!("three rows of rank two: {a:?} {lambda:?} {left}");
    close("accelerations", &a, &[2.0 / 5.0, 3.0 / 5.0, 7.0 / 5.0], 1e-10);
    below("left over", left, 1e-10);
    // Aᵀλ = M v̇ − f is unique.
    let force: Vec<f64> = (0..3).map(|j| (0..3).map(|i| rows[i].0[j] * lambda[i]).sum()).collect();
    close("force", &force, &[1.2, 1.6, 0.4], 1e-9);
    
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rank, found.redundant, found.verdict), (2, 1, Verdict::Consistent));
}

// ---------------------------------------------------------------------------------------------------------------
// [Masarati2010] §4.1: the pendulum.

/// x and z by Jacobi's sn, from rest at x = 1; 30 digits.
const PENDULUM: [(f64, [f64; 2]); 5] = [
    (0.5, [0.3910487915505464, -0.9203699487851922]),
    (1.0, [-0.9862917511318753, -0.16501085312554117]),
    (2.0, [0.7935661953433217, -0.6084839304437916]),
    (5.0, [0.9423054350437573, -0.3347543384140006]),
    (10.0, [0.2750874625761169, -0.961419205099125]),
];

fn pendulum() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint("rod", Relation::rod("ground", "mass", 1.0));
    spec.build().unwrap()
}

/// The settings of the paper: Dormand and Prince's pair, steps up to 0.1 s, 10 s.
fn paper(tolerance: (f64, f64), drift: Drift) -> Transient {
    Transient::to(10.0)
        .integrator(Integrator::DormandPrince)
        .tolerance(tolerance.0, tolerance.1)
        .largest_step(0.1)
        .first_step(0.01)
        .output(Output::Steps)
        .choice(Choice { drift, ..Choice::default() })
}

#[test]
fn masarati_pendulum_without_drift_control() {
    let s = run(&pendulum(), &paper((1e-9, 1e-9), Drift::None));
    // A correct controller makes some 950 steps and lets the length go by 3.6e-9 m.
    let (length, rate) = (worst(&s, "residual.position"), worst(&s, "residual.velocity"));
    println!("none, 1e-9: {:?} {length:.1e} {rate:.1e} {:.1e} J", s.statistics, s.last("energy.balance").unwrap());
    assert!((1e-10..2e-8).contains(&length) && (1e-11..1e-8).contains(&rate), "{length} {rate}");
    assert!((850..1100).contains(&s.statistics.steps), "{:?}", s.statistics);
    close("none, 1e-9, at 10", &[s.last("mass.x").unwrap(), s.last("mass.z").unwrap()], &PENDULUM[4].1, 5e-7);

    let loose = run(&pendulum(), &paper((1e-3, 1e-6), Drift::None));
    let length = worst(&loose, "residual.position");
    println!("none, 1e-3: {:?} {length:.1e} {:.1e} J", loose.statistics, loose.last("energy.balance").unwrap());
    assert!((1e-3..1e-1).contains(&length), "{length}");
}

#[test]
fn masarati_pendulum_with_projection() {
    let s = run(&pendulum(), &paper((1e-9, 1e-9), Drift::default()));
    println!("projection, 1e-9: {:?} {:.1e} J", s.statistics, s.last("energy.balance").unwrap());
    taut("projection, 1e-9", &s, 1e-15, 1e-14);
    assert!((850..1100).contains(&s.statistics.steps), "{:?}", s.statistics);
    close("projection, 1e-9, at 10", &[s.last("mass.x").unwrap(), s.last("mass.z").unwrap()], &PENDULUM[4].1, 1e-7);
    below("projection, 1e-9, energy", worst(&s, "energy.balance"), 1e-7);

    let loose = run(&pendulum(), &paper((1e-3, 1e-6), Drift::default()));
    println!("projection, 1e-3: {:?} {:.1e} J", loose.statistics, loose.last("energy.balance").unwrap());
    taut("projection, 1e-3", &loose, 1e-15, 1e-14);
    assert!((95..120).contains(&loose.statistics.steps), "{:?}", loose.statistics);
    below("projection, 1e-3, energy", worst(&loose, "energy.balance"), 1e-1);

    let times: Vec<f64> = PENDULUM.iter().map(|p| p.0).collect();
    let tight = run(&pendulum(), &Transient::to(10.0).at(times).tolerance(1e-13, 1e-13));
    for (t, xz) in PENDULUM {
        close(&format!("exact at {t}"), &values(&tight, ["mass.x", "mass.z"], t), &xz, 1e-10);
    }
}

// ---------------------------------------------------------------------------------------------------------------
// [Masarati2010] §4.3: flap and pitch of a blade, tied by a rigid pitch link.

const OMEGA: f64 = 40.0;

/// β and θ: Johnson's linear equations with the data of table 3 (1.0625 is the square of the frequency ratio).
#[derive(Debug)]
struct Blade;

impl Subsystem for Blade {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("beta", "rad"), Quantity::new("theta", "rad")]
    }
    fn initial(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&[416.67, -1.875e-2, -1.875e-2, 9.375e-2]);
    }
    fn forces(&self, t: f64, q: &[f64], v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let w2 = OMEGA * OMEGA;
        let moment = 1e4 * (OMEGA * t + FRAC_PI_2).cos() - 8.0 / 16.0 * OMEGA * 416.67 * v[0];
        f[0] = moment - 416.67 * w2 * 1.0625 * q[0] + 1.875e-2 * w2 * q[1];
        f[1] = -9.375e-2 * w2 * q[1] + 1.875e-2 * w2 * q[0];
    }
}

/// |x_A(β, θ) − x_B| − L.
#[derive(Debug)]
struct PitchLink;

impl UserHolonomic for PitchLink {
    fn rows(&self) -> usize {
        1
    }
    fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
        let (beta, theta) = (at[0].p[0], at[1].p[0]);
        let along = S::from(0.05);
        let (y, z) = (theta.cos() * 0.2, theta.sin() * 0.2);
        let dx = beta.cos() * along - beta.sin() * z + (0.2 - 0.25);
        let dz = beta.sin() * along + beta.cos() * z + 0.15;
        let dy = y - 0.2;
        out[0] = (dx * dx + dy * dy + dz * dz).sqrt() - 0.15;
    }
}

/// β, θ, β̇, θ̇ and the link's force, to 1e-12; the force is tension in the paper's sign, −λ here.
const HELICOPTER: [(f64, [f64; 4], f64); 7] = [
    (0.05, [-0.010230061841456622, 0.0025576073494469093, -0.3781723951277133, 0.09455328512638943], -2.792510966455441),
    (0.1, [-0.008382162728109736, 0.002095591240582095, 0.6159615677199488, -0.15400153398899666], 1.4088716700836716),
    (0.25, [-0.020576496898471876, 0.0051448710536729685, 0.7021100703294739, -0.17560390860954983], 0.2248690197475112),
    (0.5, [0.008579226746311116, -0.0021448610141341427, -1.1310386652351567, 0.28278116140716475], -0.028571230233069525),
    (1.0, [-0.02245056192299079, 0.005613610315984412, -0.7818352172556979, 0.19556004331326007], -0.0020189082228910925),
    (1.5, [-0.027007134573568885, 0.006753471115997422, 0.5008053733198252, -0.12529512769094917], 0.0009009482856923688),
    (2.0, [0.00040907012014729173, -0.00010226753592084645, 1.1906114970939066, -0.2976529256423601], 0.00014013818009918637),
];

fn helicopter() -> Model {
    let mut spec = Spec::new();
    let seen = [Reference::coordinate("blade.beta"), Reference::coordinate("blade.theta")];
    spec.body("blade", BodyKind::Subsystem(SubsystemBody::new(Blade)))
        .constraint("link", UserConstraint::holonomic(&seen, PitchLink));
    spec.build().unwrap()
}

#[test]
fn masarati_helicopter_pitch_link() {
    let model = helicopter();
    let s = run(&model, &Transient::to(2.0).every(0.01).tolerance(1e-12, 1e-12));
    for (t, expected, force) in HELICOPTER {
        let names = ["blade.beta", "blade.theta", "blade.beta'", "blade.theta'"];
        close(&format!("blade at {t}"), &values(&s, names, t), &expected, 1e-9);
        close(&format!("link at {t}"), &[-value(&s, "link.lambda_1", t)], &[force], 1e-8);
    }
    taut("helicopter", &s, 1e-15, 1e-14);

    // The settings of the paper: as many steps as the largest step asks for, with and without drift control.
    for drift in [Drift::None, Drift::default()] {
        let settings = Transient::to(2.0)
            .integrator(Integrator::DormandPrince)
            .tolerance(1e-2, 1e-4)
            .largest_step(0.01)
            .first_step(0.01)
            .output(Output::Steps)
            .choice(Choice { drift: drift.clone(), ..Choice::default() });
        let s = run(&model, &settings);
        assert!((200..=205).contains(&s.statistics.steps), "{:?}", s.statistics);
        let (phi, rate) = (worst(&s, "residual.position"), worst(&s, "residual.velocity"));
        println!("{drift:?}: {phi:.1e} {rate:.1e}");
        match drift {
            Drift::None => assert!((1e-12..1e-8).contains(&phi) && (1e-11..1e-7).contains(&rate), "{phi} {rate}"),
            _ => assert!(phi < 1e-14 && rate < 1e-14, "{phi} {rate}"),
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------
// [MitiguyBanerjee2000]: the pin joint, a double pendulum, three actuators. The paper has no numbers; these are own
// cases, the pin checked with the full 8×8 Newton–Euler equations.

#[test]
fn mitiguy_pin_joint() {
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
fn mitiguy_double_pendulum() {
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
fn mitiguy_length_actuator() {
    // 2 kg and 3 kg at rest as a whole, their distance driven as 1 + 0.2 sin 5t.
    let mut spec = Spec::new();
    let length = Hold::Position(Signal::expression("1 + 0.2*sin(5*t)").unwrap());
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
    below("length actuator energy", worst(&s, "energy.balance"), 1e-10);
}

#[test]
fn mitiguy_velocity_actuator() {
    // A hoist lifts 10 kg at 0.5 t, then 1 m/s from 2 s on: the step ends where the signal has its corner.
    let mut spec = Spec::new();
    let speed = Hold::Velocity(Signal::expression("min(0.5*t, 1)").unwrap());
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
fn mitiguy_acceleration_actuator() {
    // A rod of 1 kg and 1 m about its end, from rest along the horizontal with θ̈ = 2.
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("crank", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("crank.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("motor", Joint::pin("ground", "crank.end").turn(Hold::Acceleration(Signal::constant(2.0))));
    let s = run(&spec.build().unwrap(), &Transient::to(1.0).every(0.5).tolerance(1e-12, 1e-12));
    for (t, theta, torque) in [(0.5, 0.25, 5.41918209515738), (1.0, 1.0, 3.3168494769498924)] {
        let found = values(&s, ["crank.theta", "crank.omega", "motor.mz"], t);
        close(&format!("acceleration actuator at {t}"), &found, &[theta, 2.0 * t, torque], 1e-10);
    }
    below("acceleration actuator energy", worst(&s, "energy.balance"), 1e-10);
}

// ---------------------------------------------------------------------------------------------------------------
// [Kamaraj2021] §4.2: the flapping blade, as a rigid body on a hinge carried round by a driven hub.

#[test]
fn kamaraj_flapping_blade() {
    let (length, mass, offset, stiffness, speed) = (8.9, 100.0, 0.4, 2900.0, 22.0);
    let centre = mass * length * length / 12.0;
    let beta0 = 10.0_f64.to_radians();
    // A flat blade with some chord: as J_z − J_x = J_y, its flapping is that of the thin rod.
    let chord = 50.0;
    let tip = [offset + 0.5 * length * beta0.cos(), 0.0, 0.5 * length * beta0.sin()];
    let up = [0.0, -1.0, 0.0];
    let mut spec = Spec::new();
    spec.body("hub", RigidBody::new(10.0, [1.0, 1.0, 1.0]).moving([0.0; 3], [0.0, 0.0, speed]))
        .body(
            "blade",
            RigidBody::new(mass, [chord, centre, centre + chord])
                .at(tip)
                .turned(Orientation::RotationVector([0.0, -beta0, 0.0]))
                .moving([0.0, speed * tip[0], 0.0], [0.0, 0.0, speed]),
        )
        .marker("hub.hinge", Frame::at([offset, 0.0, 0.0]).turned(Orientation::Axes { z: up, x: Some([1.0, 0.0, 0.0]) }))
        .marker(
            "blade.hinge",
            Frame::at([-0.5 * length, 0.0, 0.0]).turned(Orientation::Axes { z: up, x: Some([1.0, 0.0, 0.0]) }),
        )
        .constraint("shaft", Joint::revolute("ground", "hub").turn(Hold::Position(Signal::polynomial([0.0, speed]))))
        .constraint("flap", Joint::revolute("hub.hinge", "blade.hinge"))
        .force("spring", Spring::torsional("hub.hinge", "blade.hinge", stiffness, 0.0, 0.0));
    let model = spec.build().unwrap();
    let times = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0];
    let s = run(&model, &Transient::to(5.0).every(0.05).tolerance(1e-12, 1e-12));
    // I β̈ = −(I_cm cos β + m (e + l/2 cos β) l/2) Ω² sin β − k β, converged.
    let beta = [
        -0.11100232676753345,
        0.14053570803389398,
        0.051516013592712566,
        -0.14436696434080387,
        0.06406467096016215,
        0.17252609143905104,
    ];
    let rate = [
        -3.0438368522914736,
        2.3361988005266174,
        3.7744434692931166,
        2.213582322572983,
        -3.6738436958964558,
        0.5947698444743025,
    ];
    for i in 0..6 {
        let found = values(&s, ["flap.angle", "flap.angle.rate"], times[i]);
        close(&format!("flap at {}", times[i]), &found[..1], &beta[i..=i], 1e-8);
        close(&format!("flap rate at {}", times[i]), &found[1..], &rate[i..=i], 2e-7);
    }
    // The speed of the hub is held to round-off (the paper: 1e-13), and the motor's work balances the energy.
    let hub = s.column("hub.wz").unwrap();
    assert!(hub.iter().all(|w| (w - speed).abs() < 1e-13));
    below("blade energy", worst(&s, "energy.balance"), 1e-5);
    taut("blade", &s, 1e-13, 1e-12);
}

#[test]
fn kamaraj_flap_frequency() {
    // Small flapping has the frequency Ω sqrt(1 + 3 e/(2 (1 − e)) + k/(I Ω²)), e = offset/(offset + length),
    // I about the hinge: the printed 1 − 3e is not right.
    let (length, mass, offset, stiffness, speed): (f64, f64, f64, f64, f64) = (8.9, 100.0, 0.4, 2900.0, 22.0);
    let e = offset / (offset + length);
    let hinge = mass * length * length / 3.0;
    let frequency = speed * (1.0 + 1.5 * e / (1.0 - e) + stiffness / (hinge * speed * speed)).sqrt();
    close("frequency", &[frequency], &[22.753627395462885], 1e-12);
    let small = 1e-5;
    let mut spec = Spec::new();
    let tip = [offset + 0.5 * length, 0.0, 0.0];
    let centre = mass * length * length / 12.0;
    let down = Orientation::Axes { z: [0.0, -1.0, 0.0], x: Some([1.0, 0.0, 0.0]) };
    spec.body("hub", RigidBody::new(10.0, [1.0, 1.0, 1.0]).moving([0.0; 3], [0.0, 0.0, speed]))
        .body(
            "blade",
            RigidBody::new(mass, [50.0, centre, centre + 50.0])
                .at(tip)
                .moving([0.0, speed * tip[0], 0.5 * length * small], [0.0, -small, speed]),
        )
        .marker("hub.hinge", Frame::at([offset, 0.0, 0.0]).turned(down.clone()))
        .marker("blade.hinge", Frame::at([-0.5 * length, 0.0, 0.0]).turned(down))
        .constraint("shaft", Joint::revolute("ground", "hub").turn(Hold::Velocity(Signal::constant(speed))))
        .constraint("flap", Joint::revolute("hub.hinge", "blade.hinge"))
        .force("spring", Spring::torsional("hub.hinge", "blade.hinge", stiffness, 0.0, 0.0));
    let s = run(&spec.build().unwrap(), &Transient::to(1.0).every(0.01).tolerance(1e-13, 1e-13));
    for (t, beta) in s.t().iter().zip(s.column("flap.angle").unwrap()) {
        let expected = small / frequency * (frequency * t).sin();
        assert!((beta - expected).abs() < 1e-7 * small, "{t}: {beta} {expected}");
    }
}

// ---------------------------------------------------------------------------------------------------------------
// [FumagalliMasarati2009] appendix 2: a rigid body with Gibbs–Rodrigues parameters and one point fixed.

const P: [f64; 3] = [0.4, -0.7, 0.3];
const PDOT: [f64; 3] = [1.1, 0.2, -0.5];
const FIXED: [f64; 3] = [0.5, 0.1, -0.2];

/// R(p) = I + 4/(4 + p·p) (p× + p×p×/2), p = 2 tan(φ/2) n.
fn gibbs<S: Scalar>(p: [S; 3], s: [f64; 3]) -> [S; 3] {
    let cross = |a: [S; 3], b: [S; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let s = s.map(S::from);
    let k = S::from(4.0) / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + 4.0);
    let one = cross(p, s);
    let two = cross(p, one);
    [0, 1, 2].map(|i| s[i] + k * (one[i] + two[i] * 0.5))
}

fn turned(p: &[f64]) -> Mat3 {
    let p = [p[0], p[1], p[2]];
    let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| Vec3::from(gibbs(p, e)));
    Mat3::from_columns(&columns)
}

/// Γ with ω = Γ ṗ, and Γ̇.
fn tangent(p: Vec3, rate: Vec3) -> (Mat3, Mat3) {
    let k = 4.0 / (4.0 + p.norm_squared());
    let dk = -0.5 * k * k * p.dot(&rate);
    let (plus, moving) = (Mat3::identity() + p.cross_matrix() * 0.5, rate.cross_matrix() * 0.5);
    (plus * k, plus * dk + moving * k)
}

/// Which equations of rotation are written down.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rows {
    /// Euler's: J Γ p̈ = …, a mass matrix without symmetry.
    Euler,
    /// Lagrange's: Γᵀ J Γ p̈ = Γᵀ ….
    Lagrange,
}

/// 2 kg, J = diag(0.3, 0.5, 0.9) in body axes, with a constant force and moment; q = (x, p).
#[derive(Debug)]
struct Gibbs(Rows);

impl Gibbs {
    fn inertia(p: &[f64]) -> Mat3 {
        let R = turned(p);
        R * Mat3::from_diagonal(&Vec3::new(0.3, 0.5, 0.9)) * R.transpose()
    }
    /// What the rows of Euler's equations are multiplied with.
    fn left(&self, p: Vec3) -> Mat3 {
        if self.0 == Rows::Euler { Mat3::identity() } else { tangent(p, Vec3::zeros()).0.transpose() }
    }
}

impl Subsystem for Gibbs {
    fn coordinates(&self) -> Vec<Quantity> {
        let unit = |n: &&str| if n.starts_with('x') { "m" } else { "1" };
        ["x1", "x2", "x3", "p1", "p2", "p3"].iter().map(|n| Quantity::new(n, unit(n))).collect()
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64], _z: &mut [f64]) {
        q[3..].copy_from_slice(&P);
        v[3..].copy_from_slice(&PDOT);
        let s = turned(&P) * Vec3::from(FIXED);
        q[..3].copy_from_slice((-s).as_slice());
        let w = tangent(Vec3::from(P), Vec3::zeros()).0 * Vec3::from(PDOT);
        v[..3].copy_from_slice((-w.cross(&s)).as_slice());
    }
    fn mass(&self, q: &[f64], M: &mut [f64]) {
        let p = Vec3::new(q[3], q[4], q[5]);
        let rotation = self.left(p) * Gibbs::inertia(&q[3..]) * tangent(p, Vec3::zeros()).0;
        M.fill(0.0);
        for i in 0..3 {
            M[7 * i] = 2.0;
            (0..3).for_each(|j| M[6 * (3 + j) + 3 + i] = rotation[(i, j)]);
        }
    }
    fn symmetry(&self) -> Symmetry {
        if self.0 == Rows::Euler { Symmetry::NonSymmetric } else { Symmetry::Symmetric }
    }
    fn forces(&self, _t: f64, q: &[f64], v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let (p, rate) = (Vec3::new(q[3], q[4], q[5]), Vec3::new(v[3], v[4], v[5]));
        let (G, dG) = tangent(p, rate);
        let J = Gibbs::inertia(&q[3..]);
        let w = G * rate;
        let m = Vec3::new(0.2, 0.4, -0.3) - w.cross(&(J * w)) - J * dG * rate;
        f[..3].copy_from_slice(&[1.0, -2.0, 0.5]);
        f[3..].copy_from_slice((self.left(p) * m).as_slice());
    }
    fn kinetic(&self, q: &[f64], v: &[f64]) -> Option<f64> {
        let w = tangent(Vec3::new(q[3], q[4], q[5]), Vec3::zeros()).0 * Vec3::new(v[3], v[4], v[5]);
        let x = Vec3::new(v[0], v[1], v[2]);
        Some(x.norm_squared() + 0.5 * w.dot(&(Gibbs::inertia(&q[3..]) * w)))
    }
}

/// x + R(p) s = 0.
#[derive(Debug)]
struct FixedPoint;

impl UserHolonomic for FixedPoint {
    fn rows(&self) -> usize {
        3
    }
    fn phi<S: Scalar>(&self, _t: S, at: &[UserPlace<S>], out: &mut [S]) {
        let s = gibbs([at[3].p[0], at[4].p[0], at[5].p[0]], FIXED);
        (0..3).for_each(|i| out[i] = at[i].p[0] + s[i]);
    }
}

fn gibbs_body(rows: Rows, fixed: bool) -> Model {
    let mut spec = Spec::new();
    spec.body("body", BodyKind::Subsystem(SubsystemBody::new(Gibbs(rows))));
    if fixed {
        let mut seen: Vec<Reference> =
            ["body.x1", "body.x2", "body.x3", "body.p1", "body.p2", "body.p3"].map(Reference::coordinate).to_vec();
        
        spec.constraint("point", UserConstraint::holonomic(&seen, FixedPoint));
    }
    spec.build().unwrap()
}

#[test]
fn fumagalli_fixed_point_with_rotation_parameters() {
    let model = gibbs_body(Rows::Lagrange, true);
    let (a, lambda, _) = solved(&model);
    let expected = [0.18580481510538072, -0.22964498029760994, 0.22137287102298592];
    close("acceleration of the centre", &a[..3], &expected, 1e-10);
    close("p̈", &a[3..], &[0.8842990839002182, 0.15165238460798666, 0.7310629564011848], 1e-10);
    // The other sign than in the paper.
    close("reaction", &lambda, &[-0.6283903697892386, 1.5407100394047801, -0.05725425795402816], 1e-9);
}

#[test]
fn fumagalli_non_symmetric_mass_matrix_moves_a_free_body() {
    // Euler's and Lagrange's rows, and the rigid body of the engine, are the same body.
    let R = turned(&P);
    let (axis, w0) = (R.transpose(), tangent(Vec3::from(P), Vec3::zeros()).0 * Vec3::from(PDOT));
    assert!((axis * R - Mat3::identity()).norm() < 1e-15);
    let start = gibbs_body(Rows::Euler, false).initial_state();
    let rigid = RigidBody::new(2.0, [0.3, 0.5, 0.9])
        .at([start.q[0], start.q[1], start.q[2]])
        .turned(Orientation::Quaternion(quaternion_of_rotation(&R)))
        .moving([start.v[0], start.v[1], start.v[2]], w0.into());
    let mut spec = Spec::new();
    spec.body("body", rigid).force(
        "load",
        Applied {
            torque: [0.2, 0.4, -0.3].map(Signal::constant),
            ..Applied::force("body", [1.0, -2.0, 0.5].map(Signal::constant))
        },
    );
    let settings = Transient::to(1.0).every(0.25).tolerance(1e-12, 1e-12);
    let truth = run(&spec.build().unwrap(), &settings);
    for rows in [Rows::Euler, Rows::Lagrange] {
        let s = run(&gibbs_body(rows, false), &settings);
        for i in 0..s.len() {
            let c = |s: &taut::Solution, n: &str| s.column(&format!("body.{n}")).unwrap()[i];
            let q = ["qw", "qx", "qy", "qz"].map(|n| c(&truth, n));
            let found = turned(&["p1", "p2", "p3"].map(|n| c(&s, n)));
            close("attitude", found.as_slice(), taut::motion::rotation_of_quaternion(&q).as_slice(), 1e-10);
            let x = ["x1", "x2", "x3"].map(|n| c(&s, n));
            close("centre", &x, &["x", "y", "z"].map(|n| c(&truth, n)), 1e-10);
        }
    }
}

#[test]
fn TEMP_euler_fixed() {
    let model = gibbs_body(Rows::Euler, true);
    let (a, lambda, r) = solved(&model);
    println!("EULER fixed: {a:?} {lambda:?} {r}");
}
