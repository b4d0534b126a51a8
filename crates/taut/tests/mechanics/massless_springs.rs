//! Bodies without mass whose motion springs determine: the balance of their forces is an equation without accelerations.
//!
//! Stored values: SciPy (`DOP853`, 1e-12) on the bodies with mass, the balance solved by `root` in every evaluation; `expm` for
//! the linear model.

use taut::analyses::linear::LinearError;
use taut::prelude::*;
use taut::{Signal, Verdict};

const G: f64 = 9.81;
const ZENER: &[(&str, f64)] = &[("m.x", 0.9932541506481), ("m.vx", 0.0146644106846), ("p.x", 0.4998473794236)];
const KNOT: &[(&str, f64)] = &[
    ("m.x", -0.2940349202229),
    ("m.z", -0.304636084697),
    ("m.vz", 4.157224050568),
    ("p.x", 0.2090590110755),
    ("p.y", 0.0610335196277),
    ("p.z", 0.0941457847075),
];
/// The same after 2 s with 20 sin(3 t + 0.5) N along y on the knot.
const LOADED_KNOT: &[(&str, f64)] =
    &[("m.x", 0.5633713459043), ("m.vy", 1.3755820024077), ("p.y", 0.0342853297011), ("p.z", 0.1979033437301)];
const LEVER: &[(&str, f64)] = &[
    ("m.x", 0.4842101950101),
    ("m.y", -0.889030830413),
    ("m.vx", 3.2476387384471),
    ("lever.theta", -0.09822627327482582),
];

fn run(model: &Model, end: f64) -> Solution {
    let settings = Transient::to(end).tolerance(1e-10, 1e-10);
    let found = simulate(model, &model.initial_state(), &settings).unwrap();
    assert_eq!(found.outcome, Outcome::Finished);
    assert_eq!(found.verdict, Some(Verdict::Sound), "{:?}", found.warnings);
    found
}

#[track_caller]
fn compare(found: &Solution, expected: &[(&str, f64)], within: f64) {
    for (name, x) in expected {
        let ours = found.last(name).unwrap();
        assert!((ours - x).abs() < within, "{name}: {ours} instead of {x}");
    }
}

/// A mass and a massless point on the x axis; the point is held off the axis by relations.
fn on_a_line(mass: f64, point: f64) -> Spec {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(2.0, [mass, 0.0, 0.0])).body("p", PointMass::new(0.0, [point, 0.0, 0.0]));
    for name in ["p.y", "p.z"] {
        spec.constraint(&name.replace('.', "_"), Relation::driver(Measure::coordinate(name), Prescription::Fixed));
    }
    spec
}

fn along(name: &str, stiffness: f64, damping: f64, rest: f64) -> Spring {
    Spring::new(Measure::coordinate(name), ForceLaw::linear(stiffness, damping, rest))
}

/// 80 N/m and 50 N/m in series are 400/13 N/m.
fn in_series() -> Model {
    let mut spec = on_a_line(1.1, 0.3);
    spec.force("k1", along("p.x", 80.0, 0.0, 0.5)).force("k2", Spring::linear("p", "m", 50.0, 0.0, 0.5));
    spec.build().unwrap()
}

#[test]
fn springs_in_series_are_one_spring() {
    let stiffness: f64 = 80.0 * 50.0 / 130.0;
    let x = 1.0 + 0.1 * ((stiffness / 2.0).sqrt() * 2.0).cos();
    let found = run(&in_series(), 2.0);
    compare(&found, &[("m.x", x), ("p.x", 0.5 + stiffness * (x - 1.0) / 80.0)], 1e-8);
    // The mass starts where it was put; only the point moves to the balance.
    assert_eq!(found.column("m.x").unwrap()[0], 1.1);
    assert!(found.column("energy.balance").unwrap().iter().all(|x| x.abs() < 1e-9));
    assert!(found.column("p.balance.lambda_x").unwrap().iter().all(|x| x.abs() < 1e-8));
}

#[test]
fn every_integrator_solves_the_balance() {
    let exact = run(&in_series(), 1.0).last("m.x").unwrap();
    for integrator in [Integrator::DormandPrince, Integrator::RadauIia5, Integrator::GeneralisedAlpha] {
        let (tolerance, within) = if integrator == Integrator::GeneralisedAlpha { (1e-6, 1e-4) } else { (1e-9, 1e-7) };
        let settings = Transient::to(1.0).tolerance(tolerance, tolerance).integrator(integrator);
        let model = in_series();
        let found = simulate(&model, &model.initial_state(), &settings).unwrap();
        assert_eq!(found.outcome, Outcome::Finished);
        let far = (found.last("m.x").unwrap() - exact).abs();
        assert!(far < within, "{integrator:?}: {far:e}");
    }
}

#[test]
fn a_damper_in_series_makes_an_equation_of_first_order() {
    let mut spec = on_a_line(1.1, 0.3);
    let damper = Spring::new(Measure::slide_along("p", "m", Axis::X), ForceLaw::linear(0.0, 6.0, 0.0));
    spec.force("k0", along("m.x", 50.0, 0.0, 1.0)).force("k1", along("p.x", 80.0, 0.0, 0.5)).force("c", damper);
    let model = spec.build().unwrap();
    compare(&run(&model, 2.0), ZENER, 1e-8);
    // The point keeps its place at the start, and at rest the damper carries nothing.
    assert_eq!(model.initial_state().q[3], 0.3);
    let rest = statics(&model, &model.initial_state(), &Statics::default()).unwrap().state;
    assert!((rest.q[0] - 1.0).abs() < 1e-10 && (rest.q[3] - 0.5).abs() < 1e-10, "{:?}", rest.q);
}

/// A knot of three springs in space; the third carries a mass.
fn knot(load: Option<Signal>) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .marker("ground.left", Frame::at([-1.0, 0.0, 0.0]))
        .marker("ground.right", Frame::at([1.2, 0.1, 0.2]))
        .body("m", PointMass { velocity: [0.5, 0.4, 0.0], ..PointMass::new(2.0, [0.3, 0.0, -1.5]) })
        .body("p", PointMass::new(0.0, [0.0, 0.0, -0.5]))
        .force("k1", Spring::linear("ground.left", "p", 200.0, 0.0, 0.5))
        .force("k2", Spring::linear("ground.right", "p", 300.0, 0.0, 0.5))
        .force("k3", Spring::linear("p", "m", 150.0, 0.0, 0.6));
    if let Some(load) = load {
        spec.force("load", Applied::force("p", [Signal::constant(0.0), load, Signal::constant(0.0)]));
    }
    spec.build().unwrap()
}

#[test]
fn a_knot_of_springs_in_space_moves_as_its_forces_balance() {
    compare(&run(&knot(None), 3.0), KNOT, 2e-7);
    compare(&run(&knot(Some(Signal::harmonic(20.0, 3.0, 0.5))), 2.0), LOADED_KNOT, 2e-7);
}

/// A massless lever on a pin, turned by a torsion spring and by a spring to a mass.
#[test]
fn a_massless_lever_turns_as_its_moments_balance() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("lever", PlanarBody::new(0.0, 0.0).at([0.0, 0.0], 0.3))
        .marker("lever.tip", Frame::at([0.5, 0.0, 0.0]))
        .body("m", PointMass::new(1.0, [0.8, 0.6, 0.0]))
        .constraint("pivot", Joint::pin("ground", "lever"))
        .force("twist", Spring::torsional("ground", "lever", 30.0, 0.0, 0.5))
        .force("k", Spring::linear("lever.tip", "m", 150.0, 0.0, 0.6));
    compare(&run(&spec.build().unwrap(), 2.0), LEVER, 1e-7);
}

#[test]
fn modes_condense_the_massless_point() {
    let model = in_series();
    let rest = statics(&model, &model.initial_state(), &Statics::default()).unwrap().state;
    let small = linearise(&model, &rest, None).unwrap();
    let omega: Vec<f64> = modes(&small, ModeRequest::All).unwrap().modes.iter().map(|m| m.omega()).collect();
    let own = (80.0 * 50.0 / 130.0 / 2.0_f64).sqrt();
    assert!(omega.iter().any(|w| (w / own - 1.0).abs() < 1e-9), "{omega:?}");
}

#[test]
fn what_cannot_be_balanced_is_named() {
    let refusal = |forces: &dyn Fn(&mut Spec)| {
        let mut spec = on_a_line(1.1, 0.3);
        forces(&mut spec);
        let model = spec.build().unwrap();
        let small = linearise(&model, &model.initial_state(), None).unwrap_err();
        assert!(matches!(small, LinearError::Massless(_)), "{small}");
        simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err().to_string()
    };
    let step = Signal::expression("if_pos(t - 0.5, 6, 0)").unwrap();
    let message = refusal(&|spec| {
        spec.force("k1", along("p.x", 80.0, 0.0, 0.5)).force("push", Applied::on_coordinate("p.x", step.clone()));
    });
    assert!(message.contains("`p`") && message.contains("`push`") && message.contains("not smooth"), "{message}");
    let message = refusal(&|spec| {
        let cornered = ForceLaw::expression("-80*max(s, 0)").unwrap();
        spec.force("k1", Spring::new(Measure::coordinate("p.x"), cornered));
    });
    assert!(message.contains("`k1`") && message.contains("corners"), "{message}");
    // A force that nothing resists: no place of the point balances it.
    let message = refusal(&|spec| {
        spec.force("push", Applied::on_coordinate("p.x", Signal::constant(1.0)));
    });
    assert!(message.contains("`p.balance"), "{message}");
}
