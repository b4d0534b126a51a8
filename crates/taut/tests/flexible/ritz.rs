//! Sets of bodies reduced to shapes: frequencies of a chain, changes of basis, constraints on members, and rejected input.

use crate::common;

use common::{below, close, distance, run, value};
use std::f64::consts::PI;
use taut::analyses::Transient;
use taut::bodies::RitzReduction;
use taut::forces::{Applied, Spring};
use taut::{
    Formula, Frame, Joint, Measure, PlanarBody, PointMass, Prescription, Relation, RigidBody, Signal, Solution, Spec,
};

const MASSES: usize = 8;
const M: f64 = 0.5;
const K: f64 = 200.0;

/// Shape j of a chain between two walls: sin(i j π/(n + 1)) along x.
fn mode(j: usize) -> Vec<f64> {
    let x = |i: usize| ((i + 1) as f64 * j as f64 * PI / (MASSES + 1) as f64).sin();
    (0..3 * MASSES).map(|c| if c % 3 == 0 { x(c / 3) } else { 0.0 }).collect()
}

fn frequency(j: usize) -> f64 {
    2.0 * (K / M).sqrt() * (j as f64 * PI / (2 * (MASSES + 1)) as f64).sin()
}

/// Eight masses, a metre apart, with springs between them and to both walls; the velocities are those of `modes`.
fn chain(modes: &[(usize, f64)]) -> Spec {
    let mut spec = Spec::new();
    spec.marker("ground.far", Frame::at([(MASSES + 1) as f64, 0.0, 0.0]));
    for i in 0..MASSES {
        let speed: f64 = modes.iter().map(|(j, v)| v * mode(*j)[3 * i]).sum();
        let mass = PointMass::new(M, [(i + 1) as f64, 0.0, 0.0]).moving([speed, 0.0, 0.0]);
        spec.body(&format!("m{i}"), mass);
    }
    let name = |i: usize| if i == MASSES { "ground.far".to_string() } else { format!("m{i}") };
    spec.force("k", Spring::linear("ground", "m0", K, 0.0, 1.0));
    for i in 0..MASSES {
        spec.force(&format!("k{i}"), Spring::linear(&name(i), &name(i + 1), K, 0.0, 1.0));
    }
    spec
}

fn members() -> Vec<String> {
    (0..MASSES).map(|i| format!("m{i}")).collect()
}

fn reduced(mut spec: Spec, shapes: Vec<Vec<f64>>) -> Spec {
    spec.body("set", RitzReduction::new(members(), shapes));
    spec
}

#[test]
fn lowest_modes_keep_their_frequencies() {
    let spec = reduced(chain(&[(1, 0.03), (2, 0.05)]), vec![mode(1), mode(2)]);
    let model = spec.build().unwrap();
    assert_eq!((model.bodies.len(), model.sizes.v), (1, 2));
    let s = run(&model, &Transient::to(5.0).every(0.25).tolerance(1e-11, 1e-11));
    for (j, speed) in [(1, 0.03), (2, 0.05)] {
        let w = frequency(j);
        let truth: Vec<f64> = s.t().iter().map(|t| speed / w * (w * t).sin()).collect();
        close(&format!("mode {j}"), s.column(&format!("set.q{j}")).unwrap(), &truth, 1e-10);
    }
    // Members have the same columns as without the set.
    let whole =
        run(&chain(&[(1, 0.03), (2, 0.05)]).build().unwrap(), &Transient::to(5.0).every(0.25).tolerance(1e-11, 1e-11));
    for column in ["m3.x", "m3.vx", "m3.ax", "k2.fx", "energy.kinetic", "energy.potential"] {
        close(column, s.column(column).unwrap(), whole.column(column).unwrap(), 1e-8);
    }
    below("balance", common::worst(&s, "energy.balance"), 1e-11);
}

#[test]
fn velocities_are_projected_in_the_kinetic_energy_norm() {
    // The third mode is orthogonal to the first two: nothing of it is left.
    let model = reduced(chain(&[(1, 0.03), (3, 0.7)]), vec![mode(1), mode(2)]).build().unwrap();
    close("v", &model.initial_state().v, &[0.03, 0.0], 1e-15);
}

/// A cart, a plate and a weight on a rope, with joints, a driver, springs, a load and a formula on them; the cart and the
/// plate may be members.
fn mechanism() -> Spec {
    let load = Applied::force("plate.edge", [Signal::constant(3.0), Signal::constant(-1.0), Signal::constant(0.0)]);
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("cart", PlanarBody::new(2.0, 0.3))
        .body("plate", PlanarBody::new(1.0, 0.2).com([0.3, 0.1]).at([0.5, 0.0], 0.2))
        .body("bob", PointMass::new(0.4, [0.9, -0.8, 0.0]))
        .body("arm", RigidBody::new(0.7, [0.1, 0.1, 0.1]).at([-0.4, -0.5, 0.0]))
        .marker("cart.front", Frame::world([0.5, 0.0, 0.0]))
        .marker("plate.hub", Frame::world([0.5, 0.0, 0.0]))
        .marker("plate.edge", Frame::world([0.9, 0.1, 0.0]))
        .marker("arm.top", Frame::world([0.0, 0.0, 0.0]))
        .constraint("rail", Formula::phi("cart.y - 0.1*sin(2*cart.x)").unwrap())
        .constraint(
            "level",
            Relation::driver(Measure::coordinate("cart.theta"), Prescription::Position(Signal::constant(0.0))),
        )
        .constraint("hinge", Joint::pin("cart.front", "plate.hub"))
        .constraint("rope", Relation::rod("plate.edge", "bob", 0.9))
        .constraint("ball", Joint::spherical("cart", "arm.top"))
        .force("spring", Spring::linear("ground", "plate.edge", 20.0, 0.3, 0.5))
        .force("turn", Spring::torsional("cart", "plate", 2.0, 0.1, 0.0))
        .force("load", load)
        .force("push", Applied::on_coordinate("cart.x", Signal::constant(1.5)))
        .measure("gap", Measure::distance("ground", "bob"));
    spec
}

fn apart(a: &Solution, b: &Solution) -> f64 {
    let columns = [
        "plate.edge.x",
        "plate.edge.ay",
        "bob.x",
        "bob.vy",
        "arm.qz",
        "arm.wx",
        "arm.alpha_z",
        "hinge.fx",
        "hinge.fy",
        "rope.lambda_relation",
        "ball.fx",
        "level.lambda_relation",
        "rail.lambda_phi",
        "spring.power",
        "hinge.angle",
        "gap",
        "energy.kinetic",
        "energy.potential",
        "energy.work",
    ];
    columns.iter().map(|c| distance(a.column(c).unwrap(), b.column(c).unwrap())).fold(0.0, f64::max)
}

#[test]
fn a_square_x_changes_nothing() {
    let settings = Transient::to(1.0).every(0.05).tolerance(1e-11, 1e-11);
    let truth = run(&mechanism().build().unwrap(), &settings);
    let identity: Vec<Vec<f64>> = (0..6).map(|s| (0..6).map(|i| if i == s { 1.0 } else { 0.0 }).collect()).collect();
    let mixed: Vec<Vec<f64>> =
        (0..6).map(|s| (0..6).map(|i| ((2 * s + i) as f64).sin() + if i == s { 2.0 } else { 0.0 }).collect()).collect();
    for (what, shapes, bound) in [("identity", identity, 1e-10), ("mixed", mixed, 1e-9)] {
        let mut spec = mechanism();
        spec.body("set", RitzReduction::new(["cart", "plate"], shapes));
        let model = spec.build().unwrap();
        // One evaluation agrees to round-off.
        let s = run(&model, &settings);
        let first = |s: &Solution, c: &str| value(s, c, 0.0);
        for c in ["plate.edge.ax", "bob.ay", "arm.alpha_x", "hinge.fx", "hinge.fy", "ball.fy", "rope.lambda_relation"] {
            let (one, two) = (first(&s, c), first(&truth, c));
            assert!((one - two).abs() < 1e-12 * (1.0 + two.abs()), "{what}, {c}: {one} and {two}");
        }
        below(&format!("{what}, whole run"), apart(&truth, &s), bound);
        below(&format!("{what}, balance"), common::worst(&s, "energy.balance"), 1e-9);
        common::taut(what, &s, 1e-13, 1e-11);
    }
}

#[test]
fn constraints_hold_members_of_few_shapes() {
    // A chain in its four lowest modes, a weight on a rope from its middle, and its last mass shaken.
    let mut spec = reduced(chain(&[]), (1..=4).map(mode).collect());
    let shaken = Prescription::Position(Signal::expression("8 + 0.05*t^2*sin(6*t)").unwrap());
    spec.gravity([0.0, 0.0, -9.81])
        .body("bob", PointMass::new(0.1, [4.0, 0.0, -1.5]))
        .constraint("rope", Relation::rod("m3", "bob", 1.5))
        .constraint("shaker", Relation::driver(Measure::coordinate("m7.x"), shaken));
    let s = run(&spec.build().unwrap(), &Transient::to(2.0).every(0.1).tolerance(1e-10, 1e-10));
    common::taut("few shapes", &s, 1e-12, 1e-10);
    below("balance", common::worst(&s, "energy.balance"), 1e-9);
    let column = |n: &str| s.column(n).unwrap();
    for row in 0..s.len() {
        let t = s.t()[row];
        assert!((column("m7.x")[row] - 8.0 - 0.05 * t * t * (6.0 * t).sin()).abs() < 1e-12);
        // Xᵀ (M ẍ − f − Aᵀλ) = 0, from what the solution shows of masses, springs and constraints.
        let along = |i: usize| {
            let before = if i == 0 { "k".to_string() } else { format!("k{}", i - 1) };
            let springs = column(&format!("{before}.fx"))[row] - column(&format!("k{i}.fx"))[row];
            let rope = if i == 3 { -column("rope.fx")[row] } else { 0.0 };
            let shaker = if i == 7 { column("shaker.lambda_relation")[row] } else { 0.0 };
            M * column(&format!("m{i}.ax"))[row] - springs - rope - shaker
        };
        for j in 1..=4 {
            let left: f64 = (0..MASSES).map(|i| mode(j)[3 * i] * along(i)).sum();
            assert!(left.abs() < 1e-9, "mode {j} at {t}: {left:e}");
        }
    }
}

#[test]
fn what_cannot_be_reduced_is_reported() {
    let build = |spec: &Spec| spec.build().unwrap_err().to_string();
    let ones = |n: usize| vec![vec![1.0; n]];
    let mut spec = Spec::new();
    spec.body("p", PointMass::new(1.0, [0.0; 3])).body("r", RigidBody::new(1.0, [1.0; 3]));
    let with = |set: RitzReduction| {
        let mut spec = spec.clone();
        spec.body("set", set);
        spec
    };
    assert!(build(&with(RitzReduction::new(["p", "r"], ones(10)))).contains("rotations in space form no vector space"));
    assert!(build(&with(RitzReduction::new(["pp"], ones(3)))).contains("there is no body `pp`"));
    assert!(build(&with(RitzReduction::new(["p"], ones(2)))).contains("a shape has 2 numbers, the members have 3"));
    assert!(build(&with(RitzReduction::new(["p", "p"], ones(6)))).contains("named twice"));
    assert!(build(&with(RitzReduction::new(["set"], ones(1)))).contains("reduced set itself"));
    assert!(build(&with(RitzReduction::new(["p"], vec![]))).contains("at least one member and one shape"));
    assert!(build(&with(RitzReduction::new(["p"], vec![vec![1.0, 2.0, 0.0]; 2]))).contains("linearly dependent"));
    assert!(build(&with(RitzReduction::new(["p"], vec![vec![f64::NAN; 3]]))).contains("finite"));
    let mut joint = with(RitzReduction::new(["p"], ones(3)));
    joint.constraint("ball", Joint::spherical("ground", "set"));
    assert!(build(&joint).contains("name a frame of one of its members"));
}
