//! One rigid body with four rotation parametrisations: the same motion, reactions and energy through all changes of chart, and their
//! cost.

use crate::common;

use common::{distance, largest, run};
use taut::analyses::{Output, Run, RunStatus, Simulation, Transient, kinematic};
use taut::bodies::{AxisSequence, BodyKind, EulerAngles, EulerParameters, Rodrigues};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::SolverSettings;
use taut::forces::{Applied, Spring};
use taut::{
    FormulaForce, Frame, Joint, Measure, Orientation, Outcome, Prescription, Relation, RigidBody, Signal, Solution,
    Spec,
};

const DESCRIPTIONS: [&str; 5] = ["quaternion", "euler_parameters", "rodrigues", "zxz", "xyz"];

fn described(rigid: RigidBody, how: &str) -> BodyKind {
    match how {
        "euler_parameters" => EulerParameters { rigid }.into(),
        "rodrigues" => Rodrigues { rigid }.into(),
        "zxz" => EulerAngles::new(rigid, AxisSequence::Zxz).into(),
        "xyz" => EulerAngles::new(rigid, AxisSequence::Xyz).into(),
        _ => rigid.into(),
    }
}

/// Tumbling about the middle axis, mass centre off the reference point, nothing acting but the weight.
fn tumbling(how: &str) -> Spec {
    let body = RigidBody::new(2.0, [0.3, 0.5, 0.7]).com([0.1, 0.05, -0.2]).moving([0.5, 0.2, 4.0], [0.3, 6.0, 0.1]);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81]).body("body", described(body, how)).marker("body.tip", Frame::at([0.3, -0.2, 0.5]));
    spec
}

/// A top in a ball joint, which nods and precesses through many turns of its spin.
fn heavy_top(how: &str) -> Spec {
    let body = RigidBody::new(5.0, [0.8, 0.8, 1.0])
        .com([0.0, 0.0, 1.3])
        .oriented(Orientation::RotationVector([1.2, 0.4, 0.0]))
        .moving([0.0; 3], [3.0, 2.0, 12.0]);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("body", described(body, how))
        .marker("body.tip", Frame::at([0.0, 0.0, 1.3]))
        .constraint("ball", Joint::spherical("ground", "body"));
    spec
}

/// Two bodies in ball and universal joint, with springs, a load in body axes and a formula, swinging wildly.
fn double_pendulum(how: &str) -> Spec {
    let one = RigidBody::new(1.0, [0.05, 0.12, 0.1]).at([0.4, 0.0, 0.0]).moving([0.0, 1.2, 0.0], [0.0, 0.0, 3.0]);
    let two = RigidBody::new(0.7, [0.06, 0.08, 0.05])
        .at([0.8, 0.3, 0.0])
        .oriented(Orientation::RotationVector([0.0, 0.0, 0.9]))
        .moving([-0.9, 2.4, 0.0], [0.0, 0.0, 3.0]);
    let load = Applied::force("body.tip", [Signal::constant(1.0), Signal::constant(0.0), Signal::constant(0.5)]);
    let drag = FormulaForce::new(Measure::distance("ground", "body.tip"), "-0.3*rate - 0.05*body.wx").unwrap();
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("first", described(one, how))
        .body("body", described(two, how))
        .marker("first.top", Frame::world([0.0; 3]))
        .marker("first.end", Frame::world([0.8, 0.0, 0.0]).axis([0.0, 0.0, 1.0]))
        .marker("body.top", Frame::world([0.8, 0.0, 0.0]).axis([1.0, 0.0, 0.0]))
        .marker("body.tip", Frame::at([0.35, 0.05, 0.0]))
        .constraint("ball", Joint::spherical("ground", "first.top"))
        .constraint("cross", Joint::universal("first.end", "body.top"))
        .force("spring", Spring::linear("ground", "body.tip", 6.0, 0.1, 0.5))
        .force("load", load)
        .force("drag", drag);
    spec
}

/// Largest distance of what both solutions show of the bodies, the joints and the energy.
fn apart(a: &Solution, b: &Solution) -> f64 {
    let shown = |n: &&str| b.column(n).is_ok();
    let own = ["body", "ball", "cross", "spring", "first", "energy.kinetic", "energy.potential"];
    let names: Vec<&str> = a.table.columns().iter().map(|c| c.name.as_str()).collect();
    let names = names.into_iter().filter(|n| own.iter().any(|o| n.starts_with(o))).filter(shown);
    let mut compared = 0;
    let mut worst = 0.0_f64;
    for n in names {
        let (x, y) = (a.column(n).unwrap(), b.column(n).unwrap());
        let size = 1.0 + largest(x.iter().copied());
        worst = worst.max(distance(x, y) / size);
        compared += 1;
    }
    assert!(compared >= 25, "only {compared} columns in common");
    worst
}

/// Changes of chart: jumps of the reference or of the sequence.
fn charts(s: &Solution) -> usize {
    let jumps = |name: &str| {
        let c = s.column(name).map(<[f64]>::to_vec).unwrap_or_default();
        c.windows(2).filter(|w| w[0] != w[1]).count()
    };
    jumps("body.rw") + jumps("body.sequence")
}

fn compare(what: &str, spec: impl Fn(&str) -> Spec, t_end: f64, changing: &[&str]) {
    let settings = Transient::to(t_end).every(t_end / 50.0).tolerance(1e-12, 1e-12);
    let truth = run(&spec("quaternion").build().unwrap(), &settings);
    for how in DESCRIPTIONS {
        let s = run(&spec(how).build().unwrap(), &settings);
        let (d, n) = (apart(&truth, &s), charts(&s));
        if std::env::var("BENCHMARKS_TELL").is_ok() {
            let c = s.statistics;
            println!("{what}, {how}: {d:.1e} apart, {} steps, {} rhs, {n} charts", c.steps, c.evaluations);
        }
        assert!(d < 1e-9, "{what}, {how}: {d:.2e} apart");
        assert_eq!(n > 0, changing.contains(&how), "{what}, {how}: {n} changes of chart");
    }
}

#[test]
fn free_body_tumbles_the_same() {
    compare("free body", tumbling, 3.0, &["rodrigues", "zxz", "xyz"]);
}

#[test]
fn heavy_top_moves_the_same() {
    compare("heavy top", heavy_top, 3.0, &["rodrigues", "xyz"]);
}

#[test]
fn double_pendulum_swings_the_same() {
    compare("double pendulum", double_pendulum, 2.0, &["rodrigues", "zxz", "xyz"]);
}

#[test]
fn every_drift_control_passes_the_charts() {
    let weights = [
        DriftControl::None,
        DriftControl::Projection(ProjectionWeight::Identity),
        DriftControl::Projection(ProjectionWeight::Mass),
    ];
    for drift in weights {
        let choice = SolverSettings { drift: drift.clone(), ..SolverSettings::default() };
        let settings = Transient::to(1.5).every(0.1).tolerance(1e-11, 1e-11).choice(choice);
        let truth = run(&double_pendulum("quaternion").build().unwrap(), &settings);
        for how in &DESCRIPTIONS[1..] {
            let d = apart(&truth, &run(&double_pendulum(how).build().unwrap(), &settings));
            assert!(d < 1e-8, "{how}, {drift:?}: {d:.2e} apart");
        }
    }
}

#[test]
fn a_motion_is_followed_through_the_charts() {
    // Three turns about an axis that meets every sequence's singular poses.
    let follow = |how: &str| {
        let mut spec = Spec::new();
        let (a, b) =
            (Frame::at([0.1, 0.0, 0.2]).axis([0.3, 1.0, 0.0]), Frame::world([0.1, 0.0, 0.2]).axis([0.3, 1.0, 0.0]));
        let body = RigidBody::new(1.0, [0.2, 0.3, 0.4]).at([0.3, 0.5, 0.1]);
        let turn = Prescription::Position(Signal::polynomial([0.0, 6.0]));
        spec.body("body", described(body, how))
            .marker("ground.axis", a)
            .marker("body.axis", b)
            .marker("body.tip", Frame::at([0.3, 0.0, 0.1]))
            .constraint("ball", Joint::revolute("ground.axis", "body.axis"))
            .constraint("motor", Relation::driver(Measure::angle("ground.axis", "body.axis"), turn));
        let model = spec.build().unwrap();
        let times: Vec<f64> = (0..=60).map(|i| 0.05 * i as f64).collect();
        let s = kinematic(&model, &model.initial_state(), &times).unwrap();
        assert_eq!(s.outcome, Outcome::Finished, "{how}");
        s
    };
    let truth = follow("quaternion");
    for how in &DESCRIPTIONS[1..] {
        let s = follow(how);
        let d = apart(&truth, &s);
        assert!(d < 1e-11, "{how}: {d:.2e} apart");
        assert_eq!(charts(&s) > 0, *how != "euler_parameters", "{how}");
    }
}

#[test]
fn a_change_of_chart_is_no_event_of_the_run() {
    for how in ["rodrigues", "zxz"] {
        let model = tumbling(how).build().unwrap();
        let settings = Transient::to(1.0).output(Output::Steps).tolerance(1e-9, 1e-9);
        let whole = run(&model, &settings);
        assert!(charts(&whole) > 0 && whole.events.is_empty());
        // One row per step: none is duplicated.
        assert!(whole.t().windows(2).all(|w| w[0] < w[1]), "{how}");
        // Step by step, and taken up from a checkpoint in the middle, it is the same run bit by bit.
        let mut steps = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
        let mut saved = None;
        while steps.step() == RunStatus::Underway {
            if steps.t() > 0.5 && saved.is_none() {
                saved = Some(steps.checkpoint());
            }
        }
        assert_eq!(steps.into_solution().table, whole.table, "{how}");
        let mut resumed = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
        resumed.restore(&saved.unwrap()).unwrap();
        resumed.run();
        assert_eq!(resumed.into_solution().final_state(), whole.final_state(), "{how}");
    }
}

#[test]
fn a_sequence_that_may_not_change_warns() {
    // z–x–z passes its singular pose while the body turns about x; the motion is the same as long as it is not met.
    let body = |x: f64| {
        let turned = Orientation::RotationVector([x, 0.03, 0.0]);
        RigidBody::new(1.0, [0.3, 0.3, 0.3]).oriented(turned).moving([0.0; 3], [-2.0, 0.0, 0.0])
    };
    let spec = |kind: BodyKind| {
        let mut spec = Spec::new();
        spec.body("body", kind).marker("body.tip", Frame::at([0.3, -0.2, 0.5]));
        spec.build().unwrap()
    };
    let settings = Transient::to(1.0).every(0.1);
    let fixed = spec(EulerAngles::new(body(1.0), AxisSequence::Zxz).without_switching().into());
    let s = taut::analyses::simulate(&fixed, &fixed.initial_state(), &settings).unwrap();
    assert_eq!(s.warnings.len(), 1);
    assert!(s.warnings[0].message.starts_with("body `body`: the angles"), "{:?}", s.warnings);
    let free = run(&spec(EulerAngles::new(body(1.0), AxisSequence::Zxz).into()), &settings);
    assert!(charts(&free) > 0);
    // A run cannot start in the singular pose itself.
    let mut spec = Spec::new();
    spec.body("body", EulerAngles::new(RigidBody::new(1.0, [1.0; 3]), AxisSequence::Zxz).without_switching());
    assert!(spec.build().unwrap_err().to_string().contains("use another sequence"));
}

#[test]
fn the_norm_is_an_ordinary_row() {
    let model = heavy_top("euler_parameters").build().unwrap();
    assert_eq!(model.row_name(3), "body.norm.norm");
    assert_eq!(model.topology, taut::Topology::Tree);
    let s = run(&model, &Transient::to(1.0).every(0.1));
    // [Newhart2019] eq. (32) has λ = −ω·Jω for what is left out here on both sides.
    let multiplier = largest(s.column("body.norm.lambda_norm").unwrap().iter().copied());
    assert!(multiplier < 1e-10, "{multiplier:e}");
    common::taut("heavy top", &s, 1e-14, 1e-13);
    let mut twice = heavy_top("euler_parameters");
    twice.constraint("body.norm", Joint::spherical("ground", "body"));
    assert!(twice.build().unwrap_err().to_string().contains("given twice"));
}
