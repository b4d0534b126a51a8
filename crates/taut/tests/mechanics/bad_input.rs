//! Senseless input is refused with an error that names the element and the remedy; nothing panics, nothing hangs.
#![allow(non_snake_case)]

use proptest::prelude::*;
use std::sync::mpsc;
use std::time::Duration;
use taut::analyses::{
    AnalysisError, Assembly, Limits, Output, Start, Transient, Verdict, assemble, doctor, inverse, kinematic, rank,
    simulate,
};
use taut::bodies::{BodyKind, Quantity};
use taut::constraints::{ConstraintKind, Level, Reference, View};
use taut::drift::{Drift, Weight};
use taut::dynamics::Choice;
use taut::forces::{Applied, Bushing, ForceKind, Spring, UserForce};
use taut::motion::{Vec3, Wrench};
use taut::signals::Law;
use taut::{
    Blame, BuildError, Fault, Formula, FormulaForce, Frame, Hold, Joint, KnifeEdge, Measure, Model, Orientation,
    Outcome, PlanarBody, PointMass, Relation, RigidBody, Rolling, Signal, Spec, Subsystem, Turning,
};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// The error of a specification, which must say all of `words`.
fn refused(spec: &Spec, words: &[&str]) -> BuildError {
    let error = spec.build().expect_err("this must not build");
    says(&error, words);
    error
}

fn says(error: &impl ToString, words: &[&str]) {
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

fn one(body: impl Into<BodyKind>) -> Spec {
    let mut spec = Spec::new();
    spec.body("rod", body);
    spec
}

/// A rod on a pin, horizontal.
fn pendulum() -> Spec {
    let mut spec = one(PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0));
    spec.gravity([0.0, -9.81, 0.0])
        .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "rod.end"));
    spec
}

// ---------------------------------------------------------------------------------------------------- elements

#[test]
fn masses_that_are_none() {
    let bodies: [fn(f64) -> BodyKind; 3] = [
        |m| PointMass::new(m, [0.0; 3]).into(),
        |m| PlanarBody::new(m, 1.0).into(),
        |m| RigidBody::new(m, [1.0; 3]).into(),
    ];
    for body in bodies {
        for mass in [0.0, -2.0] {
            let error = refused(&one(body(mass)), &["body `rod`", "mass", "greater than zero"]);
            let fault = Fault::NotPositive { field: "mass", found: mass };
            assert_eq!(error, BuildError::Element { family: "body", name: "rod".to_string(), fault });
        }
        for mass in [NAN, INF, -INF] {
            let error = refused(&one(body(mass)), &["body `rod`", "mass", "must be finite"]);
            assert!(matches!(error, BuildError::Element { fault: Fault::NotFinite { field: "mass", .. }, .. }));
        }
    }
    refused(&one(PlanarBody::new(1.0, 0.0)), &["body `rod`", "inertia is 0", "greater than zero"]);
    refused(&one(PlanarBody::new(1.0, -1.0)), &["body `rod`", "inertia is -1"]);
}

#[test]
fn inertia_that_no_body_has() {
    for principal in [[1.0, 1.0, 2.1], [0.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 5.0, 1.0]] {
        let error = refused(&one(RigidBody::new(1.0, principal)), &["body `rod`", "principal moments", "check units"]);
        assert!(matches!(error, BuildError::Element { fault: Fault::ImpossibleInertia { .. }, .. }));
    }
    let mut body = RigidBody::new(1.0, [1.0, 1.0, 1.0]);
    body.inertia[3] = 1.5;
    refused(&one(body), &["body `rod`", "sign of the products"]);
    refused(&one(RigidBody::new(1.0, [1.0, NAN, 1.0])), &["body `rod`", "inertia contains NaN", "finite"]);
}

#[test]
fn numbers_that_are_none() {
    for x in [NAN, INF, -INF] {
        let cases: Vec<(BodyKind, &str)> = vec![
            (PointMass::new(1.0, [0.0, x, 0.0]).into(), "position"),
            (PointMass::new(1.0, [0.0; 3]).moving([x, 0.0, 0.0]).into(), "velocity"),
            (PlanarBody::new(1.0, 1.0).com([x, 0.0]).into(), "com"),
            (PlanarBody::new(1.0, 1.0).at([x, 0.0], 0.0).into(), "position"),
            (PlanarBody::new(1.0, 1.0).at([0.0, 0.0], x).into(), "angle"),
            (PlanarBody::new(1.0, 1.0).moving([0.0, x], 0.0).into(), "velocity"),
            (PlanarBody::new(1.0, 1.0).moving([0.0, 0.0], x).into(), "angular_velocity"),
            (RigidBody::new(1.0, [1.0; 3]).com([0.0, 0.0, x]).into(), "com"),
            (RigidBody::new(1.0, [1.0; 3]).at([0.0, 0.0, x]).into(), "position"),
            (RigidBody::new(1.0, [1.0; 3]).moving([x, 0.0, 0.0], [0.0; 3]).into(), "velocity"),
            (RigidBody::new(1.0, [1.0; 3]).moving([0.0; 3], [0.0, x, 0.0]).into(), "angular_velocity"),
            (RigidBody::new(1.0, [1.0; 3]).turned(Orientation::RotationVector([x, 0.0, 0.0])).into(), "orientation"),
        ];
        for (body, field) in cases {
            refused(&one(body), &["body `rod`", field, "finite"]);
        }
        let mut spec = pendulum();
        spec.marker("rod.tip", Frame::at([x, 0.0, 0.0]));
        let error = refused(&spec, &["marker `rod.tip`", "at contains", "finite"]);
        assert!(matches!(error, BuildError::Element { family: "marker", .. }));
        let mut spec = pendulum();
        spec.marker("ground.wall", Frame::at([0.0; 3]).axis([x, 0.0, 1.0]));
        refused(&spec, &["marker `ground.wall`", "orientation", "finite vector"]);
        let mut spec = pendulum();
        spec.gravity([0.0, x, 0.0]);
        assert_eq!(refused(&spec, &["gravity", "three finite components"]), BuildError::Gravity);
    }
    refused(
        &one(RigidBody::new(1.0, [1.0; 3]).turned(Orientation::Quaternion([2.0, 0.0, 0.0, 0.0]))),
        &["unit length"],
    );
    let mut spec = pendulum();
    spec.marker("rod.tip", Frame::at([0.0; 3]).axis([0.0; 3]));
    refused(&spec, &["marker `rod.tip`", "other than zero"]);
}

#[test]
fn signals_and_laws_that_are_none() {
    let signals = [
        Signal::constant(NAN),
        Signal::polynomial([1.0, INF]),
        Signal::harmonic(1.0, NAN, 0.0),
        Signal::smooth_step(1.0, 1.0, 0.0, 1.0),
    ];
    for s in signals {
        let mut spec = one(PlanarBody::new(1.0, 1.0));
        spec.constraint("guide", Joint::slider("ground", "rod").drive(0, Hold::Position(s.clone())));
        refused(&spec, &["constraint `guide`", "signal"]);
        let mut spec = one(PlanarBody::new(1.0, 1.0));
        spec.constraint("motor", Relation::driver(Measure::angle("ground", "rod"), Hold::Velocity(s.clone())));
        refused(&spec, &["constraint `motor`", "follows"]);
        let mut spec = one(PlanarBody::new(1.0, 1.0));
        spec.force("push", Applied::force("rod", [Signal::constant(0.0), s, Signal::constant(0.0)]));
        refused(&spec, &["force `push`", "force"]);
    }
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.force("spring", Spring::linear("ground", "rod", NAN, 0.0, 1.0));
    refused(&spec, &["force `spring`", "law", "stiffness is NaN", "finite number"]);
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.force("mount", Bushing::diagonal("ground", "rod", [-1.0; 6], [0.0; 6]));
    refused(&spec, &["force `mount`", "stiffness", "negative eigenvalue"]);
    assert!(Signal::table(vec![0.0, 1.0, 1.0], vec![0.0; 3]).unwrap_err().to_string().contains("strictly increasing"));
    assert!(Signal::expression("sin(t").unwrap_err().to_string().contains("expression signal"));
    assert!(Law::expression("-k*s").is_err());
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.constraint("link", Relation::rod("ground", "rod", NAN));
    refused(&spec, &["constraint `link`", "NaN"]);
    let mut spec = one(PlanarBody::new(1.0, 1.0));
    spec.constraint("gear", Relation::gear(Measure::angle("ground", "rod"), Measure::coordinate("rod.x"), NAN));
    refused(&spec, &["constraint `gear`", "factor contains NaN"]);
    let mut spec = one(RigidBody::new(1.0, [1.0; 3]));
    spec.constraint("wheel", Rolling::disc("ground", "rod", -1.0));
    refused(&spec, &["constraint `wheel`", "radius"]);
}

/// A user's subsystem with the mass matrix and initial value given.
#[derive(Debug)]
struct Lump([f64; 4], f64);

impl Subsystem for Lump {
    fn coordinates(&self) -> Vec<Quantity> {
        vec![Quantity::new("s", "m"), Quantity::new("u", "rad")]
    }
    fn initial(&self, q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {
        q[0] = self.1;
    }
    fn mass(&self, _q: &[f64], M: &mut [f64]) {
        M.copy_from_slice(&self.0);
    }
    fn forces(&self, _t: f64, _q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        f.fill(0.0);
    }
}

#[test]
fn subsystems_that_make_no_sense() {
    refused(&one(Lump([1.0, 0.0, 0.5, 1.0], 0.0)), &["body `rod`", "mass matrix", "not symmetric", "NonSymmetric"]);
    refused(&one(Lump([1.0, 0.0, 0.0, 0.0], 0.0)), &["body `rod`", "mass matrix", "not positive definite"]);
    refused(&one(Lump([NAN, 0.0, 0.0, 1.0], 0.0)), &["body `rod`", "mass matrix", "finite"]);
    refused(&one(Lump([1.0, 0.0, 0.0, 1.0], NAN)), &["body `rod`", "initial coordinates", "finite"]);
    let mut spec = one(Lump([1.0, 0.0, 0.0, 1.0], 0.0));
    spec.marker("rod.tip", Frame::at([0.0; 3]));
    refused(&spec, &["marker `rod.tip`", "no frames", "name one of its coordinates"]);
    let mut spec = one(Lump([1.0, 0.0, 0.0, 1.0], 0.0));
    spec.constraint("hinge", Joint::pin("ground", "rod"));
    refused(&spec, &["constraint `hinge`", "no frames"]);
}

// ------------------------------------------------------------------------------------------------------- names

#[test]
fn names_that_lead_nowhere() {
    let mut spec = pendulum();
    spec.marker("rood.tip", Frame::at([0.0; 3]));
    let error = refused(&spec, &["marker `rood.tip`", "`rood`", "no such body", "did you mean `rod`?"]);
    assert!(matches!(error, BuildError::MarkerOnNothing { .. }));

    let mut spec = pendulum();
    spec.constraint("other", Joint::pin("ground", "rod.ende"));
    let error = refused(&spec, &["constraint `other`", "`rod.ende`", "no such marker", "did you mean `rod.end`?"]);
    assert!(matches!(error, BuildError::UnknownMarker { family: "constraint", .. }));

    let mut spec = pendulum();
    spec.force("spring", Spring::linear("gruond", "rod", 1.0, 0.0, 1.0));
    refused(&spec, &["force `spring`", "`gruond`", "did you mean `ground`?"]);

    let mut spec = pendulum();
    spec.measure("reach", Measure::distance("ground", "zebra"));
    let error = refused(&spec, &["measure `reach`", "`zebra`", "no such marker"]);
    assert!(!error.to_string().contains("did you mean"), "{error}");

    let mut spec = pendulum();
    spec.constraint("lift", Relation::driver(Measure::coordinate("rod.theat"), Hold::Held));
    refused(&spec, &["constraint `lift`", "did you mean `rod.theta`?"]);
}

#[test]
fn markers_of_the_wrong_kind() {
    let mut spec = pendulum();
    spec.constraint("other", Joint::pin("ground", "rod.theta"));
    let error = refused(&spec, &["constraint `other`", "`rod.theta`", "is a coordinate", "needs a frame"]);
    assert!(matches!(error, BuildError::WrongMarker { found: "coordinate", needed: "frame", .. }));
    let mut spec = pendulum();
    spec.force("motor", Applied::on_coordinate("rod.end", Signal::constant(1.0)));
    let error = refused(&spec, &["force `motor`", "`rod.end`", "is a frame", "needs a coordinate"]);
    assert!(matches!(error, BuildError::WrongMarker { found: "frame", needed: "coordinate", .. }));
}

#[test]
fn names_given_twice_or_impossible() {
    let mut spec = pendulum();
    spec.body("rod", PointMass::new(1.0, [0.0; 3]));
    let error = refused(&spec, &["`rod` is given twice", "unique among bodies"]);
    assert_eq!(error, BuildError::DuplicateName { name: "rod".to_string(), family: "bodies" });
    let mut spec = pendulum();
    spec.marker("rod.end", Frame::default());
    refused(&spec, &["`rod.end` is given twice", "markers"]);
    let mut spec = pendulum();
    spec.constraint("hinge", Joint::pin("ground", "rod"));
    refused(&spec, &["`hinge` is given twice", "constraints"]);
    let mut spec = pendulum();
    spec.force("f", Applied::default()).force("f", Applied::default());
    refused(&spec, &["`f` is given twice", "forces"]);
    for name in ["ground", "", "a.b"] {
        let mut spec = Spec::new();
        spec.body(name, PointMass::new(1.0, [0.0; 3]));
        let error = refused(&spec, &["cannot be the name of a body", "no dot"]);
        assert!(matches!(error, BuildError::BadName { .. }));
    }
    let mut spec = pendulum();
    spec.marker("tip", Frame::default());
    refused(&spec, &["`tip` cannot be the name of a marker", "`body.marker`"]);
}

#[test]
fn joints_that_join_nothing() {
    let mut spec = pendulum();
    spec.marker("rod.tip", Frame::default()).constraint("loop", Joint::pin("rod.end", "rod.tip"));
    let error = refused(&spec, &["constraint `loop`", "`rod` with itself", "different bodies"]);
    assert_eq!(error, BuildError::SelfJoint { name: "loop".to_string(), body: "rod".to_string() });
    let mut spec = pendulum();
    spec.marker("ground.b", Frame::default()).constraint("loop", Joint::weld("ground", "ground.b"));
    let error = refused(&spec, &["constraint `loop`", "`ground` with itself"]);
    assert_eq!(error, BuildError::SelfJoint { name: "loop".to_string(), body: "ground".to_string() });
    let mut spec = pendulum();
    spec.constraint("loop", Relation::rod("ground", "ground", 1.0));
    refused(&spec, &["constraint `loop`", "`ground` with itself"]);

    let idle = Joint { a: "ground".to_string(), b: "rod".to_string(), ..Joint::default() };
    let mut spec = pendulum();
    spec.constraint("idle", idle.clone());
    refused(&spec, &["constraint `idle`", "holds nothing", "hold at least one axis"]);
    let mut spec = pendulum();
    spec.constraint("idle", Joint { turning: Turning::About(Hold::Free), ..idle });
    refused(&spec, &["constraint `idle`", "holds nothing"]);
    let mut spec = pendulum();
    spec.constraint("idle", Relation::new(Vec::new()));
    refused(&spec, &["constraint `idle`", "at least one term"]);
    let mut spec = pendulum();
    spec.constraint("idle", KnifeEdge::default());
    refused(&spec, &["constraint `idle`", "name the ground"]);
    let mut spec = pendulum();
    spec.force("idle", Spring { along: Measure::distance("ground", "rod"), law: None, drive: None });
    refused(&spec, &["force `idle`", "exerts nothing", "`law`"]);
}

// ------------------------------------------------------------------------------------------ states and settings

#[test]
fn states_that_do_not_fit() {
    let model = pendulum().build().unwrap();
    let good = model.initial_state();
    type Spoil = fn(&mut taut::State);
    let sizes: [(Spoil, &str); 4] = [
        (|s| s.q.push(0.0), "coordinates"),
        (|s| s.v.clear(), "velocities"),
        (|s| s.z.push(0.0), "extra states"),
        (|s| s.modes.clear(), "modes"),
    ];
    for (spoil, what) in sizes {
        let mut state = good.clone();
        spoil(&mut state);
        let errors = [
            simulate(&model, &state, &Transient::to(1.0)).unwrap_err(),
            assemble(&model, &state, &Assembly::default()).unwrap_err(),
            rank(&model, &state).unwrap_err(),
            kinematic(&model, &state, &[0.0]).unwrap_err(),
            inverse(&model, &state, &[0.0; 3]).unwrap_err(),
        ];
        for error in errors {
            says(&error, &[what, "the model has"]);
            assert!(matches!(error, AnalysisError::State(BuildError::WrongSize { .. })));
        }
    }
    let lost: [(Spoil, &str); 3] =
        [(|s| s.t = NAN, "time"), (|s| s.q[1] = INF, "`rod.y`"), (|s| s.v[2] = NAN, "`rod.omega`")];
    for (spoil, what) in lost {
        let mut state = good.clone();
        spoil(&mut state);
        for error in [
            simulate(&model, &state, &Transient::to(1.0)).unwrap_err(),
            assemble(&model, &state, &Assembly::default()).unwrap_err(),
        ] {
            says(&error, &[what, "not finite", "give a finite number"]);
            assert!(matches!(error, AnalysisError::NotFinite { .. }));
        }
    }
    let error = inverse(&model, &good, &[0.0; 2]).unwrap_err();
    says(&error, &["the acceleration has 2", "the model has 3"]);
    says(&inverse(&model, &good, &[NAN; 3]).unwrap_err(), &["the acceleration", "not finite"]);
}

#[test]
fn settings_that_make_no_sense() {
    let model = pendulum().build().unwrap();
    let start = model.initial_state();
    let refuse = |settings: Transient, words: &[&str]| {
        let error = simulate(&model, &start, &settings).unwrap_err();
        says(&error, words);
        error
    };
    for t_end in [NAN, INF, -1.0] {
        let error = refuse(Transient::to(t_end), &["t_end", "finite time after the start"]);
        assert!(matches!(error, AnalysisError::EndTime { .. }));
    }
    for interval in [0.0, -0.1, NAN, INF, 1e-12] {
        let error = refuse(Transient::to(1.0).every(interval), &["output interval", "greater than zero"]);
        assert!(matches!(error, AnalysisError::Interval { .. }));
    }
    let error = refuse(Transient::to(1.0).at(vec![0.0, 0.5, 0.4]), &["output time 2", "0.4 s", "sort the times"]);
    assert!(matches!(error, AnalysisError::Times { index: 2, .. }));
    refuse(Transient::to(1.0).at(vec![0.0, NAN]), &["output time 1", "not finite"]);
    for (rtol, atol) in [(-1e-8, 1e-8), (1e-8, -1.0), (NAN, 1e-8), (0.0, 0.0)] {
        let error = refuse(Transient::to(1.0).tolerance(rtol, atol), &["integrator", "tolerances", "rtol"]);
        assert!(matches!(error, AnalysisError::Integrator(_)));
    }
    refuse(Transient::to(1.0).largest_step(-1.0), &["h_max = -1", "positive step size"]);
    refuse(Transient::to(1.0).first_step(NAN), &["h_first = NaN"]);
    let fixed = Transient::to(1.0).integrator(taut::analyses::Integrator::Rk4);
    refuse(fixed, &["fixed-step method needs h_first"]);
    for weights in [vec![1.0; 2], vec![1.0, -1.0, 1.0], vec![1.0, NAN, 1.0]] {
        let drift = Drift::Projection(Weight::Diagonal(weights.clone()));
        let choice = Choice { drift, ..Choice::default() };
        let error =
            refuse(Transient::to(1.0).choice(choice), &["weights of the projection", "3 velocities", "positive"]);
        assert!(matches!(error, AnalysisError::Weights { .. }));
        let settings = Assembly::default().weight(Weight::Diagonal(weights));
        assert!(matches!(assemble(&model, &start, &settings), Err(AnalysisError::Weights { .. })));
    }
    let error = kinematic(&model, &start, &[0.0, 1.0]).unwrap_err();
    says(&error, &["not fully prescribed", "1 freedom(s)", "`rod`", "add drivers"]);
    says(&kinematic(&model, &start, &[1.0, 0.0]).unwrap_err(), &["output time 1", "sort the times"]);
}

// --------------------------------------------------------------------------------------- mechanisms that cannot be

#[test]
fn constraints_that_cannot_be_met() {
    let mut spec = pendulum();
    spec.marker("ground.far", Frame::at([5.0, 0.0, 0.0]))
        .marker("rod.tip", Frame::at([0.5, 0.0, 0.0]))
        .constraint("reach", Joint::pin("ground.far", "rod.tip"));
    let model = spec.build().unwrap();
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(&error, &["cannot be met in their positions", "`reach.x`", "`hinge.x`", "check lengths"]);
    let AnalysisError::CannotAssemble(why) = error else { panic!("{error}") };
    assert_eq!(why.level, Level::Position);
}

#[test]
fn drivers_that_contradict_each_other() {
    let driven = |one: Hold, two: Hold| {
        let mut spec = one_block();
        spec.constraint("guide", Joint::slider("ground", "block").drive(0, one))
            .constraint("other", Joint::slot("ground", "block").drive(0, two));
        spec.build().unwrap()
    };
    let at = |x: f64| Hold::Position(Signal::constant(x));
    let model = driven(at(1.0), at(2.0));
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(&error, &["positions", "`guide.x`", "`other.x`", "contradicting row(s)"]);

    let at = |v: f64| Hold::Velocity(Signal::constant(v));
    let model = driven(at(1.0), at(2.0));
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(&error, &["velocities", "`guide.x`", "`other.x`", "contradicting", "check the drivers"]);

    // Accelerations can contradict each other only while moving: least squares, and a warning that names the row.
    let at = |a: f64| Hold::Acceleration(Signal::constant(a));
    let model = driven(at(1.0), at(2.0));
    let s = simulate(&model, &model.initial_state(), &Transient::to(1.0).every(0.1)).unwrap();
    assert_eq!(s.outcome, Outcome::Finished);
    assert_eq!(s.warnings.len(), 1, "{:?}", s.warnings);
    assert!(s.warnings[0].message.contains("contradict each other in their accelerations"), "{:?}", s.warnings);
    assert!(s.warnings[0].message.contains(".x`"), "{:?}", s.warnings);
    assert!((s.last("block.vx").unwrap() - 1.5).abs() < 1e-6, "{:?}", s.last("block.vx"));
    let found = rank(&model, &model.initial_state()).unwrap();
    assert!(matches!(found.verdict, Verdict::Contradictory { .. }), "{:?}", found.verdict);
}

fn one_block() -> Spec {
    let mut spec = Spec::new();
    spec.body("block", PlanarBody::new(1.0, 1.0));
    spec
}

/// Rockers on pivots at x = 0, 1, 2 joined by couplers, in the pose given by the angle of the rockers.
fn double_four_bar(angle: f64) -> Model {
    let (s, c) = angle.sin_cos();
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]);
    for i in 0..3 {
        let (x, rocker) = (f64::from(i), format!("rocker{i}"));
        spec.body(&rocker, PlanarBody::rod(1.0, 1.0).at([x + 0.5 * c, 0.5 * s], angle))
            .marker(&format!("{rocker}.foot"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{rocker}.tip"), Frame::at([0.5, 0.0, 0.0]))
            .marker(&format!("ground.pivot{i}"), Frame::at([x, 0.0, 0.0]))
            .constraint(&format!("pivot{i}"), Joint::pin(&format!("ground.pivot{i}"), &format!("{rocker}.foot")));
    }
    for i in 0..2 {
        let coupler = format!("coupler{i}");
        spec.body(&coupler, PlanarBody::rod(1.0, 1.0).at([f64::from(i) + c + 0.5, s], 0.0))
            .marker(&format!("{coupler}.left"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{coupler}.right"), Frame::at([0.5, 0.0, 0.0]))
            .constraint(&format!("left{i}"), Joint::pin(&format!("rocker{i}.tip"), &format!("{coupler}.left")))
            .constraint(&format!("right{i}"), Joint::pin(&format!("rocker{}.tip", i + 1), &format!("{coupler}.right")));
    }
    spec.build().unwrap()
}

#[test]
fn a_driver_without_a_value_at_the_start() {
    let mut spec = one_block();
    let drive = Hold::Position(Signal::expression("1/t").unwrap());
    spec.constraint("motor", Joint::pin("ground", "block").turn(drive));
    let answer = match within(Duration::from_secs(10), &spec) {
        Ok(answer) => answer,
        Err(Trouble::Hangs) => panic!("the rank of a Jacobian with NaN hangs"),
        Err(Trouble::Panics(why)) => panic!("{why}"),
    };
    assert!(["not assembled", "stopped"].contains(&answer), "{answer}");
    let model = spec.build().unwrap();
    says(&rank(&model, &model.initial_state()).unwrap_err(), &["constraint Jacobian", "not finite"]);
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(&error, &["`motor.angle`"]);
}

#[test]
fn a_start_in_a_singular_pose() {
    let model = double_four_bar(0.0);
    let start = model.initial_state();
    let flat = rank(&model, &start).unwrap();
    let upright = double_four_bar(1.0);
    let ordinary = rank(&upright, &upright.initial_state()).unwrap();
    assert_eq!((ordinary.freedoms, ordinary.redundant), (1, 0));
    assert!(flat.redundant > 0 && flat.freedoms > ordinary.freedoms, "{flat:?}");
    assert!(flat.dependent.iter().any(|r| r.starts_with("pivot")), "{flat:?}");
    assert_eq!(flat.verdict, Verdict::Consistent);
    // It may move on or stop; it says so and keeps what it has.
    let limits = Limits { max_steps: Some(2000), wall_clock: Some(Duration::from_secs(20)) };
    let settings = Transient::to(0.5).output(Output::Steps).limits(limits);
    let s = simulate(&model, &start, &settings).unwrap();
    assert!(!s.is_empty());
    assert!(s.column("residual.position").unwrap().iter().all(|r| *r < 1e-9), "{}", s.outcome);
}

#[test]
fn runs_that_blow_up_keep_their_rows() {
    // Pushed away ever faster.
    let mut spec = one_block();
    spec.body("other", PlanarBody::new(1.0, 1.0).at([1.0, 0.0], 0.0))
        .constraint("guide", Joint::slider("ground", "other"))
        .force("rocket", Spring::linear("ground", "other", -1e10, 0.0, 0.5));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &Transient::to(100.0).output(Output::Steps)).unwrap();
    assert!(!s.outcome.is_success());
    says(&s.outcome, &["stopped at t =", "body `other`", "grows without bound"]);
    assert!(s.len() > 10 && s.column("other.x").unwrap()[..10].iter().all(|x| x.is_finite()));

    // A law that leaves its domain.
    let mut spec = one_block();
    spec.body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .force("pull", Spring::new(Measure::distance("ground", "mass"), Law::expression("-1/s^3").unwrap()));
    let model = spec.build().unwrap();
    let limits = Limits { max_steps: Some(5000), ..Limits::default() };
    let s = simulate(&model, &model.initial_state(), &Transient::to(10.0).every(0.01).limits(limits)).unwrap();
    assert!(!s.outcome.is_success(), "{}", s.outcome);
    assert!(s.len() > 50, "{} rows, {}", s.len(), s.outcome);

    // A force without a value from the start.
    let mut spec = one_block();
    let broken = |_: &View, on: &mut [Wrench]| on[0] = Wrench::force(Vec3::x() * NAN);
    spec.force("broken", UserForce::closure(&[Reference::frame("block")], broken));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap();
    let Outcome::NotFinite { t, blame } = &s.outcome else { panic!("{}", s.outcome) };
    assert_eq!((*t, blame), (0.0, &Blame::Force("broken".to_string())));
    says(&s.outcome, &["force `broken`", "look for a division by zero"]);
    assert_eq!(s.t(), [0.0], "the start is kept");

    // A driver that goes out of reach.
    let mut spec = pendulum();
    let leave = Hold::Position(Signal::polynomial([0.5, 1.0]));
    spec.constraint("rope", Relation::driver(Measure::distance("ground", "rod"), leave));
    let model = spec.build().unwrap();
    let limits = Limits { max_steps: Some(5000), wall_clock: Some(Duration::from_secs(20)) };
    let settings = Transient::to(1.0).every(0.01).limits(limits).start(Start::AsGiven);
    let s = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert!(!s.outcome.is_success(), "{}", s.outcome);
    assert!(!s.is_empty());
    says(&s.outcome, &["stopped at t ="]);
}

// -------------------------------------------------------------------------------------------------- anything goes

/// Mostly ordinary numbers, now and then one that is not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        60 => -2.0..2.0f64,
        2 => Just(0.0),
        1 => prop::sample::select(vec![
            NAN, INF, -INF, 1e300, -1e300, 1e155, 1e-300, 1e-160, 1e12, -1e12, f64::MIN_POSITIVE, f64::MAX, 5e-324,
        ]),
    ]
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![50 => 0.1..3.0f64, 2 => Just(1.0), 1 => number()]
}

fn triple() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn body() -> impl Strategy<Value = BodyKind> {
    prop_oneof![
        (positive(), triple(), triple()).prop_map(|(m, p, v)| PointMass::new(m, p).moving(v).into()),
        (positive(), positive(), triple(), triple(), number()).prop_map(|(m, j, p, v, c)| {
            PlanarBody::new(m, j).com([c, 0.1]).at([p[0], p[1]], p[2]).moving([v[0], v[1]], v[2]).into()
        }),
        (positive(), positive(), triple(), triple(), triple(), number()).prop_map(|(m, j, p, r, w, c)| {
            RigidBody::new(m, [j, j, 1.1 * j])
                .com([0.0, c, 0.0])
                .at(p)
                .turned(Orientation::RotationVector(r))
                .moving([0.0; 3], w)
                .into()
        }),
    ]
}

/// Names that mostly exist.
fn place() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just("ground".to_string()),
        12 => (0..3usize).prop_map(|b| format!("b{b}")),
        12 => (0..3usize).prop_map(|b| format!("b{b}.m")),
        1 => Just("b0.x".to_string()),
        1 => Just("nowhere".to_string()),
    ]
}

fn signal() -> impl Strategy<Value = Signal> {
    prop_oneof![
        number().prop_map(Signal::constant),
        triple().prop_map(|c| Signal::polynomial(c.to_vec())),
        triple().prop_map(|[a, w, p]| Signal::harmonic(a, w, p)),
        triple().prop_map(|[a, b, c]| Signal::smooth_step(a, a + b.abs(), b, c)),
        Just(Signal::expression("1/t").unwrap()),
        Just(Signal::expression("sqrt(t - 0.005)").unwrap()),
    ]
}

fn hold() -> impl Strategy<Value = Hold> {
    prop_oneof![
        4 => Just(Hold::Held),
        1 => Just(Hold::Free),
        1 => signal().prop_map(Hold::Position),
        1 => signal().prop_map(Hold::Velocity),
        1 => signal().prop_map(Hold::Acceleration),
    ]
}

fn measure() -> impl Strategy<Value = Measure> {
    prop_oneof![
        (place(), place()).prop_map(|(a, b)| Measure::distance(&a, &b)),
        (place(), place()).prop_map(|(a, b)| Measure::slide(&a, &b)),
        (place(), place()).prop_map(|(a, b)| Measure::angle(&a, &b)),
        (0..3usize, prop::sample::select(vec!["x", "y", "theta", "qw"]))
            .prop_map(|(b, c)| Measure::coordinate(&format!("b{b}.{c}"))),
    ]
}

fn constraint() -> impl Strategy<Value = ConstraintKind> {
    let makers: Vec<fn(&str, &str) -> Joint> = vec![
        Joint::fixed,
        Joint::revolute,
        Joint::prismatic,
        Joint::cylindrical,
        Joint::spherical,
        Joint::universal,
        Joint::constant_velocity,
        Joint::planar,
        Joint::pin,
        Joint::slider,
        Joint::slot,
    ];
    prop_oneof![
        6 => (prop::sample::select(makers), place(), place()).prop_map(|(make, a, b)| make(&a, &b).into()),
        2 => (place(), place(), hold(), 0..3usize)
            .prop_map(|(a, b, h, i)| Joint::spherical(&a, &b).drive(i, h).into()),
        2 => (place(), place(), hold()).prop_map(|(a, b, h)| Joint::revolute(&a, &b).turn(h).into()),
        2 => (place(), place(), positive()).prop_map(|(a, b, l)| Relation::rod(&a, &b, l).into()),
        2 => (measure(), measure(), number(), hold())
            .prop_map(|(m, n, k, h)| Relation::new(vec![(1.0, m), (k, n)]).follows(h).into()),
        1 => (place(), place()).prop_map(|(a, b)| KnifeEdge::new(&a, &b).into()),
        1 => (place(), place()).prop_map(|(a, b)| Formula::phi(&format!("{a}.x*{b}.y - 1/{a}.y + t")).unwrap().into()),
        1 => (place(), place()).prop_map(|(a, b)| Formula::psi(&format!("{a}.vx - sqrt({b}.vy)")).unwrap().into()),
        1 => (place(), place(), positive()).prop_map(|(a, b, r)| Rolling::sphere(&a, &b, r).into()),
        1 => (place(), place(), positive()).prop_map(|(a, b, r)| Rolling::disc(&a, &b, r).into()),
    ]
}

fn force() -> impl Strategy<Value = ForceKind> {
    prop_oneof![
        (place(), [signal(), signal(), signal()]).prop_map(|(a, s)| Applied::force(&a, s).into()),
        (measure(), triple()).prop_map(|(m, [k, c, r])| Spring::new(m, Law::linear(k, c, r)).into()),
        (measure(), place()).prop_map(|(m, a)| FormulaForce::new(m, &format!("-s/{a}.x - rate")).unwrap().into()),
        measure().prop_map(|m| Spring::new(m, Law::expression("-1/s + sqrt(rate) + ln(t)").unwrap()).into()),
        (place(), place(), positive(), number()).prop_map(|(a, b, k, c)| Bushing::diagonal(
            &a,
            &b,
            [k; 6],
            [c, c, 0.0, 0.0, c, 0.0]
        )
        .into()),
    ]
}

fn spec() -> impl Strategy<Value = Spec> {
    (
        prop_oneof![10 => Just([0.0, -9.81, 0.0]), 1 => triple()],
        prop::collection::vec(body(), 1..=3),
        prop::collection::vec(triple(), 3),
        prop::collection::vec(constraint(), 0..=4),
        prop::collection::vec(force(), 0..=2),
        prop::collection::vec(measure(), 0..=1),
    )
        .prop_map(|(g, bodies, frames, constraints, forces, measures)| {
            let mut spec = Spec::new();
            spec.gravity(g);
            for (i, (b, at)) in bodies.into_iter().zip(frames).enumerate() {
                spec.body(&format!("b{i}"), b).marker(&format!("b{i}.m"), Frame::at(at));
            }
            constraints.into_iter().enumerate().for_each(|(i, c)| _ = spec.constraint(&format!("c{i}"), c));
            forces.into_iter().enumerate().for_each(|(i, f)| _ = spec.force(&format!("f{i}"), f));
            measures.into_iter().enumerate().for_each(|(i, m)| _ = spec.measure(&format!("s{i}"), m));
            spec
        })
}

/// Everything one can ask of a specification; errors are answers.
fn ask_everything(spec: &Spec) -> &'static str {
    let model = match spec.build() {
        Ok(model) => model,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return "refused";
        }
    };
    let start = model.initial_state();
    let _ = rank(&model, &start).map_err(|e| e.to_string());
    match doctor(&model, &start) {
        Ok(found) => {
            assert!(!found.to_string().is_empty());
            let sum: usize = found.dependent.iter().map(|s| s.redundant).sum();
            assert_eq!(found.here.map(|c| c.redundant), Some(sum), "{found}");
        }
        Err(e) => assert!(!e.to_string().is_empty()),
    }
    let _ = assemble(&model, &start, &Assembly::default()).map_err(|e| e.to_string());
    let _ = inverse(&model, &start, &vec![1.0; model.sizes.v]).map_err(|e| e.to_string());
    let _ = kinematic(&model, &start, &[0.0, 0.01]).map_err(|e| e.to_string());
    let limits = Limits { max_steps: Some(200), wall_clock: Some(Duration::from_secs(5)) };
    let mut seen = "not assembled";
    for start_as in [Start::Assemble, Start::AsGiven] {
        let settings = Transient::to(0.01).every(0.002).limits(limits).start(start_as);
        match simulate(&model, &start, &settings) {
            Ok(s) => {
                assert!(!s.outcome.to_string().is_empty());
                seen = if s.outcome.is_success() { "ran" } else { "stopped" };
            }
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }
    seen
}

/// What must not happen.
enum Trouble {
    Hangs,
    Panics(String),
}

/// In a thread of its own, so that a case that hangs is found and shown.
fn within(patience: Duration, spec: &Spec) -> Result<&'static str, Trouble> {
    let (send, receive) = mpsc::channel();
    let own = spec.clone();
    let worker = std::thread::spawn(move || {
        let seen = ask_everything(&own);
        let _ = send.send(seen);
    });
    match receive.recv_timeout(patience) {
        Ok(seen) => Ok(seen),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(Trouble::Hangs),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let why = worker.join().expect_err("it ended without an answer");
            let text = why.downcast_ref::<String>().cloned();
            Err(Trouble::Panics(text.or_else(|| why.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()))
        }
    }
}

#[test]
fn nothing_panics_and_nothing_hangs() {
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
    use std::collections::BTreeMap;
    // The same cases every time, unless asked for others: TAUT_FUZZ_CASES=100000 TAUT_FUZZ_SEED=7.
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u32>().ok());
    let cases = given("TAUT_FUZZ_CASES").unwrap_or(2000);
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&given("TAUT_FUZZ_SEED").unwrap_or(0).to_le_bytes());
    let mut config = ProptestConfig::with_cases(cases);
    config.failure_persistence = None;
    config.max_shrink_iters = 200;
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let counts = std::cell::RefCell::new(BTreeMap::<&str, u32>::new());
    let hangs = std::cell::RefCell::new(None);
    let result = runner.run(&spec(), |spec| {
        // A case that hangs is shown as it is: shrinking would wait for it again and again.
        if hangs.borrow().is_some() {
            return Ok(());
        }
        match within(Duration::from_secs(60), &spec) {
            Ok(seen) => *counts.borrow_mut().entry(seen).or_default() += 1,
            Err(Trouble::Hangs) => *hangs.borrow_mut() = Some(format!("{spec:#?}")),
            Err(Trouble::Panics(why)) => return Err(TestCaseError::fail(why)),
        }
        Ok(())
    });
    if let Some(spec) = hangs.into_inner() {
        panic!("this hangs: {spec}");
    }
    if let Err(e) = result {
        panic!("{e}");
    }
    let counts = counts.into_inner();
    // The net must be wide enough: a good part of the cases builds and runs.
    assert!(counts.get("ran").is_some_and(|n| *n > cases / 20), "{counts:?}");
}
