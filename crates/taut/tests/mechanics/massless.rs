//! Bodies without mass: constraints determine their motion, or they are named.

use taut::analyses::linear::LinearError;
use taut::bodies::{AxisSequence, BodyKind, EulerAngles, EulerParameters, Rodrigues};
use taut::prelude::*;
use taut::{Cause, Verdict};

const G: f64 = 9.81;

/// How two rods of a four-bar are connected.
enum Coupler {
    /// A planar body with neither mass nor inertia.
    Massless,
    /// A rod constraint.
    Rod,
}

/// Two pendulums of unit length, 1 m apart, connected between points 0.6 m from their hinges.
fn four_bar(coupler: Coupler) -> Model {
    let (angle, below) = (0.4_f64, -std::f64::consts::FRAC_PI_2);
    let rod = |x: f64| PlanarBody::rod(2.0, 1.0).com([0.5, 0.0]).at([x, 0.0], below + angle);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("left", rod(0.0))
        .body("right", PlanarBody { mass: 5.0, ..rod(1.0) })
        .marker("left.eye", Frame::at([0.6, 0.0, 0.0]))
        .marker("right.eye", Frame::at([0.6, 0.0, 0.0]))
        .marker("ground.right", Frame::at([1.0, 0.0, 0.0]))
        .constraint("a", Joint::pin("ground", "left"))
        .constraint("b", Joint::pin("ground.right", "right"));
    match coupler {
        Coupler::Rod => spec.constraint("link", Relation::rod("left.eye", "right.eye", 1.0)),
        Coupler::Massless => spec
            .body("link", PlanarBody::new(0.0, 0.0).at([0.6 * angle.sin(), -0.6 * angle.cos()], 0.0))
            .marker("link.far", Frame::at([1.0, 0.0, 0.0]))
            .constraint("c", Joint::pin("left.eye", "link"))
            .constraint("d", Joint::pin("link.far", "right.eye")),
    };
    spec.build().unwrap()
}

fn run(model: &Model, settings: &Transient) -> Solution {
    let found = simulate(model, &model.initial_state(), settings).unwrap();
    assert_eq!(found.outcome, Outcome::Finished);
    assert_eq!(found.verdict, Some(Verdict::Sound), "{:?}", found.warnings);
    found
}

fn refusal(model: &Model) -> String {
    simulate(model, &model.initial_state(), &Transient::to(1.0)).unwrap_err().to_string()
}

#[test]
fn a_massless_coupler_is_a_rod() {
    let settings = Transient::to(2.0).tolerance(1e-10, 1e-10);
    let (body, rod) = (run(&four_bar(Coupler::Massless), &settings), run(&four_bar(Coupler::Rod), &settings));
    for name in ["left.theta", "right.theta", "left.omega"] {
        let far = (body.last(name).unwrap() - rod.last(name).unwrap()).abs();
        assert!(far < 2e-8, "{name}: {far:e}");
    }
    // Its two pins carry the force of the rod.
    let force =
        |joint: &str| body.last(&format!("{joint}.fx")).unwrap().hypot(body.last(&format!("{joint}.fy")).unwrap());
    let tension = rod.last("link.lambda_relation").unwrap().abs();
    assert!((force("c") - force("d")).abs() < 1e-9 && (force("c") - tension).abs() < 1e-6, "{}, {tension}", force("c"));
}

#[test]
fn every_integrator_moves_it() {
    let exact = run(&four_bar(Coupler::Rod), &Transient::to(1.0).tolerance(1e-11, 1e-11));
    for integrator in [Integrator::Dop853, Integrator::RadauIia5, Integrator::GeneralisedAlpha] {
        let (tolerance, most) = if integrator == Integrator::GeneralisedAlpha { (1e-6, 2e-3) } else { (1e-9, 1e-6) };
        let settings = Transient::to(1.0).tolerance(tolerance, tolerance).integrator(integrator);
        let model = four_bar(Coupler::Massless);
        let found = simulate(&model, &model.initial_state(), &settings).unwrap();
        assert_eq!(found.outcome, Outcome::Finished);
        let far = (found.last("left.theta").unwrap() - exact.last("left.theta").unwrap()).abs();
        assert!(far < most, "{integrator:?}: {far:e}");
    }
}

#[test]
fn formulations_agree_or_say_that_they_need_the_inverse_mass() {
    let model = four_bar(Coupler::Massless);
    let exact = run(&model, &Transient::to(0.3).tolerance(1e-10, 1e-10)).last("left.theta").unwrap();
    let mut able = Vec::new();
    for method in Method::ALL.iter().copied() {
        let choice = SolverSettings { method, ..SolverSettings::default() };
        let settings = Transient::to(0.3).tolerance(1e-10, 1e-10).choice(choice);
        match simulate(&model, &model.initial_state(), &settings) {
            Ok(found) => {
                let far = (found.last("left.theta").unwrap() - exact).abs();
                // The default penalty factor is 1e5 times the largest mass.
                let most = if method.name().contains("static") { 1e-4 } else { 1e-8 };
                assert!(found.outcome == Outcome::Finished && far < most, "{method}: {far:e}, {:?}", found.outcome);
                able.push(method.name());
            }
            Err(AnalysisError::Inapplicable { why, .. }) => assert!(why.contains("M⁻¹"), "{method}: {why}"),
            Err(e) => panic!("{method}: {e}"),
        }
    }
    for name in ["constraint_force", "lagrange", "null_space", "partitioning", "static_penalty", "augmented_lagrangian"]
    {
        assert!(able.contains(&name), "{able:?}");
    }
    assert!(!able.contains(&"cholesky") && !able.contains(&"heaney_hou"), "{able:?}");
}

/// A gyroscopic body on a universal joint: one constraint, or two hinges with a massless cross between them.
fn universal(cross: Option<fn(RigidBody) -> BodyKind>) -> Model {
    let body = RigidBody::new(3.0, [0.05, 0.06, 0.08]).com([0.0, 0.0, -0.4]).moving([0.0; 3], [0.5, 0.2, 0.0]);
    let mut spec = Spec::new();
    spec.gravity([1.0, 0.5, -G]).body("body", body);
    match cross {
        None => spec.constraint("joint", Joint::universal("ground", "body")),
        Some(kind) => spec
            .body("cross", kind(RigidBody::new(0.0, [0.0; 3]).moving([0.0; 3], [0.5, 0.0, 0.0])))
            .marker("ground.x", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]))
            .marker("cross.x", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]))
            .marker("cross.y", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
            .marker("body.y", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
            .constraint("one", Joint::revolute("ground.x", "cross.x"))
            .constraint("two", Joint::revolute("cross.y", "body.y")),
    };
    spec.build().unwrap()
}

#[test]
fn a_massless_cross_makes_a_universal_joint() {
    let settings = Transient::to(2.0).tolerance(1e-10, 1e-10);
    let direct = run(&universal(None), &settings);
    let kinds: [fn(RigidBody) -> BodyKind; 4] = [
        |rigid| rigid.into(),
        |rigid| EulerParameters { rigid }.into(),
        |rigid| Rodrigues { rigid }.into(),
        |rigid| EulerAngles::new(rigid, AxisSequence::Xyz).into(),
    ];
    for kind in kinds {
        let cross = run(&universal(Some(kind)), &settings);
        for name in ["body.wx", "body.wy", "body.wz", "body.qx", "body.qy"] {
            let far = (cross.last(name).unwrap() - direct.last(name).unwrap()).abs();
            assert!(far < 5e-8, "{name}: {far:e}");
        }
    }
}

/// A bob on a rod from a bracket: the bracket is welded to a sledge, or the rod starts at the sledge itself.
fn bracket(massless: bool) -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("sledge", RigidBody::new(4.0, [0.2, 0.3, 0.4]))
        .marker("sledge.eye", Frame::at([0.3, 0.0, 0.5]))
        .body("bob", PointMass::new(1.0, [0.9, 0.0, 0.5]))
        .marker("ground.rail", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]))
        .marker("sledge.rail", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]))
        .constraint("rail", Joint::prismatic("ground.rail", "sledge.rail"));
    if massless {
        spec.body("bracket", RigidBody::new(0.0, [0.0; 3]).at([0.3, 0.0, 0.0]))
            .marker("sledge.foot", Frame::at([0.3, 0.0, 0.0]))
            .marker("bracket.eye", Frame::at([0.0, 0.0, 0.5]))
            .constraint("weld", Joint::fixed("sledge.foot", "bracket"))
            .constraint("rod", Relation::rod("bracket.eye", "bob", 0.6));
    } else {
        spec.constraint("rod", Relation::rod("sledge.eye", "bob", 0.6));
    }
    spec.build().unwrap()
}

#[test]
fn a_massless_bracket_changes_nothing() {
    let settings = Transient::to(1.5).tolerance(1e-10, 1e-10);
    let (with, without) = (run(&bracket(true), &settings), run(&bracket(false), &settings));
    for name in ["sledge.x", "bob.x", "bob.z", "rail.fz", "energy.kinetic"] {
        let (one, other) = (with.last(name).unwrap(), without.last(name).unwrap());
        assert!((one - other).abs() < 3e-8 * other.abs().max(1.0), "{name}: {one} {other}");
    }
}

#[test]
fn the_modes_of_a_massless_coupler_are_those_of_a_rod() {
    let frequencies = |coupler| {
        let model = four_bar(coupler);
        let rest = statics(&model, &model.initial_state(), &Statics::default()).unwrap().state;
        let small = linearise(&model, &rest, None).unwrap();
        modes(&small, ModeRequest::All).unwrap().modes.iter().map(|m| m.omega()).collect::<Vec<f64>>()
    };
    let (body, rod) = (frequencies(Coupler::Massless), frequencies(Coupler::Rod));
    assert_eq!((body.len(), rod.len()), (1, 1));
    assert!((body[0] / rod[0] - 1.0).abs() < 1e-8, "{body:?} {rod:?}");
    // Both rods keep parallel: Σ J θ̈ = −Σ m g l/2 θ, J about the hinge. The right one keeps the inertia 1/6 about its centre.
    let inertia = 2.0 * (1.0 / 12.0 + 0.25) + (1.0 / 6.0 + 5.0 * 0.25);
    assert!((body[0] - (7.0 * G * 0.5 / inertia).sqrt()).abs() < 1e-7, "{body:?}");
}

#[test]
fn the_motion_of_a_run_needs_no_further_effort() {
    let model = four_bar(Coupler::Massless);
    let found = run(&model, &Transient::to(0.7).tolerance(1e-10, 1e-10));
    let bodies = ["left", "right", "link"];
    let vdot: Vec<f64> =
        bodies.iter().flat_map(|b| ["ax", "ay", "alpha"].map(|a| found.last(&format!("{b}.{a}")).unwrap())).collect();
    let back = inverse(&model, found.final_state(), &vdot).unwrap();
    assert!(back.needed < 1e-8 && back.violation < 1e-8, "{} {}", back.needed, back.violation);
    let force = back.reactions.iter().find(|r| r.constraint == "d").unwrap().force[0];
    assert!((force - found.last("d.fx").unwrap()).abs() < 1e-8);
}

/// A massless point between a rod to the ground and a rod to a bob, in the plane x y.
fn elbow(bend: f64) -> Model {
    let (knee, bob) = ([bend.cos(), bend.sin(), 0.0], [2.0 * bend.cos(), 0.0, 0.0]);
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("knee", PointMass::new(0.0, knee))
        .body("bob", PointMass::new(1.0, bob))
        .constraint("flat", Joint::point_on_plane("ground", "knee"))
        .constraint("upper", Relation::rod("ground", "knee", 1.0))
        .constraint("lower", Relation::rod("knee", "bob", 1.0));
    spec.build().unwrap()
}

#[test]
fn rods_at_an_angle_carry_no_force_on_a_massless_point() {
    // Two forces in different directions balance only if both vanish: the bob falls freely.
    let found = run(&elbow(0.8), &Transient::to(0.2));
    assert!((found.last("bob.y").unwrap() + 0.5 * G * 0.04).abs() < 1e-9);
    let (x, y) = (found.last("knee.x").unwrap(), found.last("knee.y").unwrap());
    assert!((x.hypot(y) - 1.0).abs() < 1e-10);
}

#[test]
fn rods_in_line_leave_the_point_free_across_them() {
    let message = refusal(&elbow(0.0));
    assert!(
        message.contains("`knee`") && message.contains("direction vy") && message.contains("give it mass"),
        "{message}"
    );
    // The rods of a bent elbow become one line when the bob has fallen far enough, and the run ends there.
    let found = simulate(&elbow(0.3), &elbow(0.3).initial_state(), &Transient::to(2.0)).unwrap();
    let Outcome::StepTooSmall { t, cause: Cause::Body(body), .. } = &found.outcome else { panic!("{}", found.outcome) };
    let fallen = (2.0 * 2.0 * 0.3_f64.sin() / G).sqrt();
    assert!(body == "knee" && (t - fallen).abs() < 1e-5, "{body} {t} {fallen}");
    let model = elbow(0.0);
    let small = linearise(&model, &model.initial_state(), None).unwrap_err();
    assert!(matches!(small, LinearError::Massless(_)), "{small}");
}

#[test]
fn springs_alone_do_not_determine_an_acceleration() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("node", PointMass::new(0.0, [0.0, 0.0, -1.0]))
        .body("lamp", PointMass::new(2.0, [0.0, 0.0, -2.0]))
        .force("upper", Spring::linear("ground", "node", 300.0, 0.0, 1.0))
        .force("lower", Spring::linear("node", "lamp", 600.0, 0.0, 1.0));
    let model = spec.build().unwrap();
    let message = refusal(&model);
    assert!(message.contains("body `node` has no mass") && message.contains("taut static"), "{message}");
    // Statics need no mass: both springs carry the lamp.
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    assert!((found.state.q[2] + 1.0 + 2.0 * G / 300.0).abs() < 1e-9, "{:?}", found.state.q);
    assert!((found.state.q[5] + 2.0 + 2.0 * G / 300.0 + 2.0 * G / 600.0).abs() < 1e-9);
}

#[test]
fn a_body_that_loses_its_hold_ends_the_run_by_name() {
    let mut spec = Spec::new();
    spec.body("arm", PlanarBody::new(0.0, 0.0))
        .body("rotor", PlanarBody::new(1.0, 0.1).moving([0.0, 0.0], 1.0))
        .constraint("axle", Joint::pin("ground", "rotor"))
        .constraint("weld", Joint::weld("rotor", "arm"))
        .event("break", Trigger::at(0.5).then(Action::unlock("weld")));
    let model = spec.build().unwrap();
    let found = simulate(&model, &model.initial_state(), &Transient::to(1.0)).unwrap();
    let Outcome::NotFinite { cause: Cause::Massless { body, .. }, .. } = &found.outcome else {
        panic!("{:?}", found.outcome)
    };
    assert_eq!(body, "arm");
}

#[test]
fn contacts_and_time_stepping_are_refused_by_name() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", RigidBody::new(1.0, [0.1; 3]).at([0.0, 0.0, 1.0]))
        .body("fin", RigidBody::new(0.0, [0.0; 3]).at([0.0, 0.0, 1.0]))
        .constraint("weld", Joint::fixed("ball", "fin"))
        .surface("skin", Surface::new("ball", Shape::Sphere { radius: 0.1 }))
        .surface("floor", Surface::new("ground", Shape::HalfSpace {}))
        .contact("touch", ContactRule::all(RigidContact::SMOOTH));
    let model = spec.build().unwrap();
    let message = refusal(&model);
    assert!(message.contains("body `fin` has no mass"), "{message}");
}
