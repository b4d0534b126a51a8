//! Kinematics and inverse dynamics with extra states, sampled controllers, stops, friction and brakes.

use taut::analyses::{AnalysisError, Transient, inverse, kinematic, simulate};
use taut::constraints::SlipAxes;
use taut::laws::{Friction, Impact};
use taut::{
    Action, Axis, Controller, Coupling, Frame, Joint, JointFriction, Measure, Model, Orientation, Outcome, PlanarBody,
    PointMass, PointPlaneContact, Prescription, Relation, Rope, Signal, Spec, Trigger,
};

const G: f64 = 9.81;

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() < tolerance * (1.0 + expected.abs()), "{what}: {found}, not {expected}");
}

fn angle() -> Measure {
    Measure::angle("ground", "b")
}

/// A body of inertia 1 whose angle is driven along a signal.
fn driven(by: Signal) -> Spec {
    let mut spec = Spec::new();
    spec.body("b", PlanarBody::new(2.0, 1.0))
        .constraint("j", Joint::pin("ground", "b"))
        .constraint("d", Relation::driver(angle(), Prescription::Position(by)));
    spec
}

fn times() -> Vec<f64> {
    (0..=4).map(|i| 0.25 * f64::from(i)).collect()
}

fn followed(spec: &Spec) -> (Model, taut::Solution) {
    let model = spec.build().unwrap();
    let found = kinematic(&model, &model.initial_state(), &times()).unwrap();
    (model, found)
}

#[test]
fn a_filter_state_is_integrated_with_error_control() {
    for lag in [0.3, 0.01, 1e-6] {
        let mut spec = driven(Signal::polynomial([0.0, 1.0]));
        spec.force("p", Controller::new(angle(), "-10*x").state("x", &format!("(s-x)/{lag:?}"), 0.0));
        let (_, found) = followed(&spec);
        assert_eq!(found.outcome, Outcome::Finished);
        for (i, t) in times().into_iter().enumerate() {
            // x = t − T (1 − exp(−t/T)); the driver holds against 10 x.
            let x = t - lag * (1.0 - (-t / lag).exp());
            close(found.column("d.lambda_relation").unwrap()[i], 10.0 * x, 1e-7, "effort of the driver");
        }
    }
}

#[test]
fn a_sampled_controller_is_sampled() {
    // e = 2 − t at t = 0, 0.01 …: F = e + 3 T Σ e over the samples before.
    let mut spec = driven(Signal::polynomial([0.0, 1.0]));
    spec.force("p", Controller::pid(angle(), 2.0, [1.0, 3.0, 0.0], None).sampled(0.01));
    let model = spec.build().unwrap();
    let times: Vec<f64> = (0..=4).map(|i| 0.005 + 0.25 * f64::from(i)).collect();
    let mut start = model.initial_state();
    start.t = 0.0;
    let all: Vec<f64> = std::iter::once(0.0).chain(times.iter().copied()).collect();
    let found = kinematic(&model, &start, &all).unwrap();
    let s = simulate(&model, &start, &Transient::to(1.005).at(all)).unwrap();
    for (i, t) in times.into_iter().enumerate() {
        let samples = (t / 0.01).floor() as usize;
        let error = |k: usize| 2.0 - 0.01 * k as f64;
        let expected = error(samples) + 0.03 * (0..samples).map(error).sum::<f64>();
        close(found.column("d.lambda_relation").unwrap()[i + 1], -expected, 1e-9, "effort of the driver");
        close(s.column("d.lambda_relation").unwrap()[i + 1], -expected, 1e-7, "as in a run");
    }
}

#[test]
fn a_driver_that_reaches_a_stop_ends_the_motion() {
    let mut spec = driven(Signal::polynomial([0.0, 1.0]));
    spec.limits("stop", angle(), Some(-0.5), Some(0.6), Impact::PLASTIC);
    let (_, found) = followed(&spec);
    let Outcome::DrivenInto { t, constraint } = &found.outcome else { panic!("{:?}", found.outcome) };
    assert_eq!(constraint, "stop.upper");
    close(*t, 0.6, 1e-9, "when it gets there");
    assert_eq!(found.t().len(), 3, "what was before is kept");
    assert!(found.outcome.to_string().contains("`stop.upper`"));

    // A local extremum between two outputs: 0.61 at t = 0.5 only.
    let mut spec = driven(Signal::polynomial([0.0, 2.44, -2.44]));
    spec.limits("stop", angle(), None, Some(0.6), Impact::PLASTIC);
    let (_, found) = followed(&spec);
    let Outcome::DrivenInto { t, .. } = &found.outcome else { panic!("{:?}", found.outcome) };
    // 2.44 t (1 − t) = 0.6
    close(*t, 0.5 - (0.25 - 0.6 / 2.44_f64).sqrt(), 1e-7, "when it gets there");

    let mut spec = driven(Signal::polynomial([0.7]));
    spec.limits("stop", angle(), None, Some(0.6), Impact::PLASTIC);
    let model = spec.build().unwrap();
    let error = kinematic(&model, &model.initial_state(), &times()).unwrap_err();
    assert!(matches!(&error, AnalysisError::Overlap { constraint, .. } if constraint == "stop.upper"), "{error}");
}

#[test]
fn a_driver_that_overstretches_a_rope_is_reported() {
    let mut spec = Spec::new();
    spec.body("m", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .constraint(
            "x",
            Relation::driver(Measure::coordinate("m.x"), Prescription::Position(Signal::polynomial([1.0, 1.0]))),
        )
        .constraint("y", Relation::driver(Measure::coordinate("m.y"), Prescription::Fixed))
        .constraint("z", Relation::driver(Measure::coordinate("m.z"), Prescription::Fixed))
        .constraint("rope", Rope::new(&["ground", "m"], 1.5));
    let (_, found) = followed(&spec);
    assert!(
        matches!(&found.outcome, Outcome::DrivenInto { constraint, t } if constraint == "rope" && (t - 0.5).abs() < 1e-9)
    );
}

#[test]
fn events_that_change_the_mechanism_are_rejected_by_name() {
    let mut spec = driven(Signal::polynomial([0.0, 1.0]));
    spec.event("release", Trigger::at(0.5).then(Action::unlock("d")));
    let model = spec.build().unwrap();
    let error = kinematic(&model, &model.initial_state(), &times()).unwrap_err();
    assert!(matches!(&error, AnalysisError::EventInKinematics { event } if event == "release"), "{error}");
}

#[test]
fn a_driven_joint_with_friction_is_supported() {
    // A guide under a weight of 2 kg, μ = 0.3: the driver pushes m a + μ m g.
    let mut spec = Spec::new();
    let motion = Signal::polynomial([0.0, 1.0, 0.5]);
    spec.gravity([0.0, -G, 0.0])
        .body("b", PlanarBody::new(2.0, 1.0))
        .constraint("s", Joint::slider("ground", "b").prescribe_translation(0, Prescription::Position(motion)))
        .constraint("s.friction", JointFriction::slider("s", "ground", "b", Friction { stick: 0.4, slip: 0.3 }));
    let (model, found) = followed(&spec);
    let s = simulate(&model, &model.initial_state(), &Transient::to(1.0).at(times())).unwrap();
    for i in 0..times().len() {
        close(found.column("s.lambda_x").unwrap()[i], 2.0 + 0.3 * 2.0 * G, 1e-9, "effort of the driver");
        close(s.column("s.lambda_x").unwrap()[i], 2.0 + 0.3 * 2.0 * G, 1e-7, "as in a run");
    }
    // A brake with a capacity of 5 N m on a turning body.
    let mut spec = driven(Signal::polynomial([0.0, -1.0]));
    spec.constraint("brake", Coupling::brake(angle(), 5.0));
    let (_, found) = followed(&spec);
    found.column("d.lambda_relation").unwrap().iter().for_each(|l| close(*l, -5.0, 1e-9, "against the brake"));
}

#[test]
fn inverse_dynamics_includes_closed_contacts() {
    // A block of 2 kg on a plane of 1 kg that a joint holds.
    let mut spec = Spec::new();
    let up = Orientation::Axes { z: [0.0, 1.0, 0.0], x: Some([1.0, 0.0, 0.0]) };
    spec.gravity([0.0, -G, 0.0])
        .body("plane", PlanarBody::new(1.0, 1.0))
        .body("block", PlanarBody::new(2.0, 1.0))
        .marker("plane.face", Frame::at([0.0; 3]).with_orientation(up))
        .constraint("tilt", Joint::weld("ground", "plane"))
        .constraint(
            "floor",
            PointPlaneContact::new("plane.face", "block").friction(Friction::same(0.5), SlipAxes::One(Axis::X)),
        );
    let model = spec.build().unwrap();
    let found = inverse(&model, &model.initial_state(), &[0.0; 6]).unwrap();
    close(found.multiplier(&model, "tilt.y").unwrap(), 3.0 * G, 1e-12, "it carries both");
    close(found.multiplier(&model, "floor.gap").unwrap(), 2.0 * G, 1e-12, "contact");
    assert!(found.needed < 1e-9);
    // Pulled sideways: friction is at its bound, the rest is required effort.
    let found = inverse(&model, &model.initial_state(), &[0.0, 0.0, 0.0, 8.0, 0.0, 0.0]).unwrap();
    close(found.multiplier(&model, "floor.slip_x").unwrap(), 0.5 * 2.0 * G, 1e-9, "friction at its bound");
    close(found.efforts[1].needed[0], 16.0 - G, 1e-9, "what it lacks");
    // Lifted off, the contact has no force.
    let found = inverse(&model, &model.initial_state(), &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
    close(found.efforts[1].needed[1], 2.0 * (G + 1.0), 1e-12, "it is lifted");
    close(found.multiplier(&model, "floor.gap").unwrap(), 0.0, 1e-12, "contact");
}

#[test]
fn inverse_dynamics_limits_friction_and_brakes() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -10.0, 0.0])
        .body("p", PlanarBody::new(1.0, 1.0).at([1.0, 0.0], 0.0))
        .marker("p.o", Frame::at([-1.0, 0.0, 0.0]))
        .constraint("j", Joint::pin("ground", "p.o"))
        .constraint("brake", Coupling::brake(Measure::angle("ground", "p.o"), 4.0));
    let model = spec.build().unwrap();
    let found = inverse(&model, &model.initial_state(), &[0.0; 3]).unwrap();
    close(found.multiplier(&model, "brake.rate").unwrap(), 4.0, 1e-12, "the brake at its capacity");
    close(found.joint_efforts[0].effort, 6.0, 1e-9, "what the joint needs besides");
    close(found.multiplier(&model, "j.y").unwrap(), 10.0, 1e-9, "the hinge carries the weight");
}

#[test]
fn the_hinge_of_a_held_pendulum_carries_its_weight_whatever_its_length() {
    for length in [1e-3, 1.0, 1000.0] {
        let mut spec = Spec::new();
        spec.gravity([0.0, -10.0, 0.0])
            .body("p", PlanarBody::new(1.0, 1.0).at([length, 0.0], 0.0))
            .marker("p.o", Frame::at([-length, 0.0, 0.0]))
            .constraint("j", Joint::pin("ground", "p.o"));
        let model = spec.build().unwrap();
        let found = inverse(&model, &model.initial_state(), &[0.0; 3]).unwrap();
        close(found.reactions[0].force[1], 10.0, 1e-7, "hinge");
        let [effort] = &found.joint_efforts[..] else { panic!("{:?}", found.joint_efforts) };
        assert_eq!((effort.joint.as_str(), effort.axis), ("j", "about_z"));
        close(effort.effort, 10.0 * length, 1e-9, "moment in the joint");
    }
}

#[test]
fn an_arm_of_two_links_needs_the_moments_of_its_joints() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -10.0, 0.0])
        .body("upper", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0))
        .body("fore", PlanarBody::rod(3.0, 1.0).at([1.5, 0.0], 0.0));
    for name in ["upper", "fore"] {
        spec.marker(&format!("{name}.a"), Frame::at([-0.5, 0.0, 0.0]))
            .marker(&format!("{name}.b"), Frame::at([0.5, 0.0, 0.0]));
    }
    spec.constraint("shoulder", Joint::pin("ground", "upper.a")).constraint("elbow", Joint::pin("upper.b", "fore.a"));
    let model = spec.build().unwrap();
    let found = inverse(&model, &model.initial_state(), &[0.0; 6]).unwrap();
    let effort = |name: &str| found.joint_efforts.iter().find(|j| j.joint == name).unwrap().effort;
    close(effort("elbow"), 30.0 * 0.5, 1e-10, "elbow");
    close(effort("shoulder"), 20.0 * 0.5 + 30.0 * 1.5, 1e-10, "shoulder");
    close(found.reactions[0].force[1], 50.0, 1e-10, "shoulder");
}

#[test]
fn rows_nonlinear_in_the_velocities_converge() {
    for v0 in [0.3, 0.0, 4.0] {
        let mut spec = Spec::new();
        spec.body("p", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
            .body("d", PointMass::new(1.0, [0.0; 3]).moving([v0, 0.0, 0.0]))
            .constraint("follow", taut::Formula::psi("d.vx - p.vx^2").unwrap());
        let model = spec.build().unwrap();
        let s = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap();
        let (p, d) = (s.column("p.vx").unwrap(), s.column("d.vx").unwrap());
        p.iter().zip(d).for_each(|(p, d)| assert!((d - p * p).abs() < 1e-13 * (1.0 + d.abs()), "{v0}: {d} and {p}"));
    }
}
