//! Mechanisms that cannot be assembled, are contradictory, start in a singular pose or diverge.

use super::random_models::{Trouble, within};
use super::{NAN, pendulum, says};
use std::time::Duration;
use taut::analyses::{AnalysisError, InitialConditions, Limits, Output, RowConsistency, Transient, rank, simulate};
use taut::constraints::{ElementInput, MarkerReference, RowLevel};
use taut::forces::{Spring, UserForce};
use taut::motion::{Vec3, Wrench};
use taut::signals::ForceLaw;
use taut::{Cause, Frame, Joint, Measure, Model, Outcome, PlanarBody, PointMass, Prescription, Relation, Signal, Spec};

#[test]
fn constraints_that_cannot_be_met() {
    let mut spec = pendulum();
    spec.marker("ground.far", Frame::at([5.0, 0.0, 0.0]))
        .marker("rod.tip", Frame::at([0.5, 0.0, 0.0]))
        .constraint("reach", Joint::pin("ground.far", "rod.tip"));
    let model = spec.build().unwrap();
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(&error, &["no positions found that satisfy the constraints", "`reach.x`", "`hinge.x`", "check lengths"]);
    let AnalysisError::CannotAssemble(why) = error else { panic!("{error}") };
    assert_eq!(why.level, RowLevel::Position);
}

#[test]
fn drivers_that_contradict_each_other() {
    let driven = |one: Prescription, two: Prescription| {
        let mut spec = one_block();
        spec.constraint("guide", Joint::slider("ground", "block").prescribe_translation(0, one))
            .constraint("other", Joint::slot("ground", "block").prescribe_translation(0, two));
        spec.build().unwrap()
    };
    let at = |x: f64| Prescription::Position(Signal::constant(x));
    let model = driven(at(1.0), at(2.0));
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(&error, &["positions", "`guide.x`", "`other.x`", "these constraints contradict each other: `guide`, `other`"]);

    let at = |v: f64| Prescription::Velocity(Signal::constant(v));
    let model = driven(at(1.0), at(2.0));
    let error = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap_err();
    says(
        &error,
        &[
            "velocities",
            "`guide.x`",
            "`other.x`",
            "these constraints contradict each other: `guide`, `other`",
            "check the drivers",
        ],
    );

    // Accelerations can contradict each other only while moving: least squares, and a warning that names the row.
    let at = |a: f64| Prescription::Acceleration(Signal::constant(a));
    let model = driven(at(1.0), at(2.0));
    let s = simulate(&model, &model.initial_state(), &Transient::to(1.0).every(0.1)).unwrap();
    assert_eq!(s.outcome, Outcome::Finished);
    assert_eq!(s.warnings.len(), 1, "{:?}", s.warnings);
    assert!(s.warnings[0].message.contains("contradict each other in their accelerations"), "{:?}", s.warnings);
    assert!(s.warnings[0].message.contains(".x`"), "{:?}", s.warnings);
    assert!((s.last("block.vx").unwrap() - 1.5).abs() < 1e-6, "{:?}", s.last("block.vx"));
    let found = rank(&model, &model.initial_state()).unwrap();
    assert!(matches!(found.verdict, RowConsistency::Contradictory { .. }), "{:?}", found.verdict);
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
    let drive = Prescription::Position(Signal::expression("1/t").unwrap());
    spec.constraint("motor", Joint::pin("ground", "block").prescribe_rotation(drive));
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
    assert_eq!(flat.verdict, RowConsistency::Consistent);
    // It may continue or stop; it reports this and keeps its rows.
    let limits = Limits { max_steps: Some(2000), wall_clock: Some(Duration::from_secs(20)) };
    let settings = Transient::to(0.5).output(Output::Steps).limits(limits);
    let s = simulate(&model, &start, &settings).unwrap();
    assert!(!s.is_empty());
    assert!(s.column("residual.position").unwrap().iter().all(|r| *r < 1e-9), "{}", s.outcome);
}

#[test]
fn diverging_runs_keep_their_rows() {
    // Pushed away ever faster.
    let mut spec = one_block();
    spec.body("other", PlanarBody::new(1.0, 1.0).at([1.0, 0.0], 0.0))
        .constraint("guide", Joint::slider("ground", "other"))
        .force("rocket", Spring::linear("ground", "other", -1e10, 0.0, 0.5));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &Transient::to(100.0).output(Output::Steps)).unwrap();
    assert!(!s.outcome.is_success());
    says(&s.outcome, &["stopped at t =", "body `other`", "unbounded state"]);
    assert!(s.len() > 10 && s.column("other.x").unwrap()[..10].iter().all(|x| x.is_finite()));

    // A law that leaves its domain.
    let mut spec = one_block();
    spec.body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .force("pull", Spring::new(Measure::distance("ground", "mass"), ForceLaw::expression("-1/s^3").unwrap()));
    let model = spec.build().unwrap();
    let limits = Limits { max_steps: Some(5000), ..Limits::default() };
    let s = simulate(&model, &model.initial_state(), &Transient::to(10.0).every(0.01).limits(limits)).unwrap();
    assert!(!s.outcome.is_success(), "{}", s.outcome);
    assert!(s.len() > 50, "{} rows, {}", s.len(), s.outcome);

    // A force without a value from the start.
    let mut spec = one_block();
    let broken = |_: &ElementInput, on: &mut [Wrench]| on[0] = Wrench::force(Vec3::x() * NAN);
    spec.force("broken", UserForce::closure(&[MarkerReference::frame("block")], broken));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap();
    let Outcome::NotFinite { t, cause } = &s.outcome else { panic!("{}", s.outcome) };
    assert_eq!((*t, cause), (0.0, &Cause::Force("broken".to_string())));
    says(&s.outcome, &["force `broken`", "look for a division by zero"]);
    assert_eq!(s.t(), [0.0], "the start is kept");

    // A driver that goes out of reach.
    let mut spec = pendulum();
    let leave = Prescription::Position(Signal::polynomial([0.5, 1.0]));
    spec.constraint("rope", Relation::driver(Measure::distance("ground", "rod"), leave));
    let model = spec.build().unwrap();
    let limits = Limits { max_steps: Some(5000), wall_clock: Some(Duration::from_secs(20)) };
    let settings = Transient::to(1.0).every(0.01).limits(limits).start(InitialConditions::AsGiven);
    let s = simulate(&model, &model.initial_state(), &settings).unwrap();
    assert!(!s.outcome.is_success(), "{}", s.outcome);
    assert!(!s.is_empty());
    says(&s.outcome, &["stopped at t ="]);
}
