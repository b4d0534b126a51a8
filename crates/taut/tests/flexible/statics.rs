//! Equilibrium of constrained systems with springs: a published example, closed forms, and rejected input.

#![allow(non_snake_case)]

use crate::common;

use common::close;
use taut::analyses::{Stability, Statics, StaticsError, compare_with_penalty, statics};
use taut::bodies::{AxisSequence, EulerAngles, EulerParameters, Quantity, Rodrigues};
use taut::constraints::Term;
use taut::forces::{Applied, Spring};
use taut::{Frame, Joint, Measure, PlanarBody, PointMass, Prescription, Relation, RigidBody, Signal, Spec, Subsystem};

/// K₁ = E A/l of both rods, N/m.
const K: [f64; 2] = [200e9 * 1200e-6 / 4.5, 70e9 * 900e-6 / 3.0];
const LOAD: f64 = 30e3;

/// The five displacements of [Newhart2019] figure 1.
#[derive(Debug)]
struct Rods;

impl Subsystem for Rods {
    fn coordinates(&self) -> Vec<Quantity> {
        ["q1", "q2", "q3", "q4", "q5"].iter().map(|n| Quantity::new(n, "m")).collect()
    }
    fn initial_state(&self, _q: &mut [f64], _v: &mut [f64], _z: &mut [f64]) {}
    fn mass_matrix(&self, _q: &[f64], M: &mut [f64]) {
        M.fill(0.0);
        (0..5).for_each(|i| M[6 * i] = 1.0);
    }
    fn forces(&self, _t: f64, q: &[f64], _v: &[f64], _z: &[f64], f: &mut [f64], _zdot: &mut [f64]) {
        let (one, two) = (K[0] * (q[0] - q[2]), K[1] * (q[1] - q[3]));
        f.copy_from_slice(&[-one, -two, one, two, LOAD]);
    }
}

fn multipoint() -> Spec {
    let term = |factor: f64, of: &str| Term { factor, coordinate: Measure::coordinate(of) };
    let held = |terms: Vec<Term>| Relation { terms, follows: Prescription::Fixed };
    let mut spec = Spec::new();
    spec.body("rods", Rods)
        .constraint("near", held(vec![term(1.0, "rods.q1"), term(-2.0 / 6.0, "rods.q5")]))
        .constraint("far", held(vec![term(1.0, "rods.q2"), term(-5.0 / 6.0, "rods.q5")]))
        .constraint("wall_1", held(vec![term(1.0, "rods.q3")]))
        .constraint("wall_2", held(vec![term(1.0, "rods.q4")]));
    spec
}

#[test]
fn multipoint_constraints_of_newhart() {
    let model = multipoint().build().unwrap();
    let found = compare_with_penalty(&model, &model.initial_state(), &Statics::default()).unwrap();
    let mm = |x: &[f64]| x.iter().map(|x| 1e3 * x).collect::<Vec<f64>>();
    // C = max |K| × 10⁴, N/m.
    assert!((found.mu / 533333333333.3333 - 1.0).abs() < 1e-9, "{}", found.mu);
    let penalty =
        [0.48759137364055866, 1.2190523214610167, 4.875426193786208e-05, 4.799829522465306e-05, 1.4629203837074896];
    close("penalty", &mm(&found.penalty.displacement), &penalty, 1e-10);
    let exact = [0.48758465011286684, 1.218961625282167, 0.0, 0.0, 1.4627539503386005];
    close("exact", &mm(&found.exact.displacement), &exact, 1e-12);
    assert!((found.error - 1.1378083706459208e-4).abs() < 1e-11, "{}", found.error);
    assert_eq!(found.exact.iterations, 1, "it is linear");
    // The walls carry what the rods pull, and the penalty's multipliers are its springs' forces.
    close("walls", &found.exact.lambda[2..], &[-K[0] * exact[0] * 1e-3, -K[1] * exact[1] * 1e-3], 1e-6);
    let springs = [-found.mu * penalty[2] * 1e-3, -found.mu * penalty[3] * 1e-3];
    close("penalty walls", &found.penalty.lambda[2..], &springs, 1e-3);
    // The error is inversely proportional to μ.
    let stiffer = Statics { penalty: Some(10.0 * found.mu), ..Statics::default() };
    let error = compare_with_penalty(&model, &model.initial_state(), &stiffer).unwrap().error;
    assert!((found.error / error - 10.0).abs() < 0.01, "{error}");
}

#[test]
fn the_same_as_a_bar_on_a_hinge() {
    // Figure 1 itself: a rigid bar of 6 m, hinged at one end, on two upright rods, with the load at the other end.
    let mut spec = Spec::new();
    spec.body("bar", PlanarBody::rod(1.0, 6.0).com([3.0, 0.0]))
        .marker("bar.near", Frame::at([2.0, 0.0, 0.0]))
        .marker("bar.far", Frame::at([5.0, 0.0, 0.0]))
        .marker("bar.end", Frame::at([6.0, 0.0, 0.0]))
        .marker("ground.near", Frame::at([2.0, 4.5, 0.0]))
        .marker("ground.far", Frame::at([5.0, 3.0, 0.0]))
        .constraint("hinge", Joint::pin("ground", "bar"))
        .force("rod_1", Spring::linear("ground.near", "bar.near", K[0], 0.0, 4.5))
        .force("rod_2", Spring::linear("ground.far", "bar.far", K[1], 0.0, 3.0))
        .force("load", Applied::force("bar.end", [0.0, -LOAD, 0.0].map(Signal::constant)));
    let model = spec.build().unwrap();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    let down = -6e3 * found.state.q[2].sin();
    // Small angles but for (1.46e-3/6)².
    assert!((down - 1.4627539503386005).abs() < 1e-6, "{down}");
    // λ of the hinge holds what the rods and the load leave over.
    let (near, far) = (down * 2e-3 / 6.0 * K[0], down * 5e-3 / 6.0 * K[1]);
    assert!((found.lambda[1] - (LOAD - near - far)).abs() < 1e-3 * LOAD, "{:?}", found.lambda);
}

#[test]
fn a_weight_on_a_rod_hangs_down() {
    // No spring at all: the tension of the rod is what brings it back.
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("bob", PointMass::new(2.0, [0.8, 0.3, -0.52]))
        .constraint("rod", Relation::rod("ground", "bob", 1.0));
    let model = spec.build().unwrap();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    close("bob", &found.state.q, &[0.0, 0.0, -1.0], 1e-9);
    assert!((found.lambda[0] + 2.0 * 9.81).abs() < 1e-8, "{:?}", found.lambda);
}

#[test]
fn every_rotation_parametrisation_has_the_same_equilibrium() {
    let rigid = || RigidBody::new(2.0, [0.1, 0.2, 0.25]).com([0.1, 0.05, -0.1]);
    let bodies: [taut::bodies::BodyKind; 4] = [
        rigid().into(),
        EulerParameters { rigid: rigid() }.into(),
        Rodrigues { rigid: rigid() }.into(),
        EulerAngles::new(rigid(), AxisSequence::Xyz).into(),
    ];
    let tip = |kind: taut::bodies::BodyKind| {
        let mut spec = Spec::new();
        spec.gravity([0.0, 0.0, -9.81])
            .body("body", kind)
            .marker("body.tip", Frame::at([0.3, 0.0, 0.0]))
            .marker("body.side", Frame::at([0.0, 0.3, 0.0]))
            .marker("ground.over", Frame::at([0.4, 0.1, 0.5]))
            .constraint("ball", Joint::spherical("ground", "body"))
            .force("one", Spring::linear("ground.over", "body.tip", 80.0, 0.0, 0.4))
            .force("two", Spring::linear("ground.over", "body.side", 60.0, 0.0, 0.4));
        let model = spec.build().unwrap();
        let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
        let mut own = taut::motion::Motion::REST;
        model.bodies[0].kind.body().frame_pose(&found.state.q, &mut own);
        (own.R.column(0) * 0.3).iter().copied().collect::<Vec<f64>>()
    };
    let [first, others @ ..] = bodies.map(tip);
    others.iter().for_each(|other| close("tip", other, &first, 1e-10));
}

#[test]
fn redundant_supports_are_no_free_motion() {
    let mut spec = multipoint();
    let again = Relation {
        terms: vec![Term { factor: 2.0, coordinate: Measure::coordinate("rods.q3") }],
        follows: Prescription::Fixed,
    };
    spec.constraint("again", again);
    let model = spec.build().unwrap();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    assert!((found.displacement[4] - 1.4627539503386005e-3).abs() < 1e-14);
}

#[test]
fn free_motions_and_contradictions_are_reported() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("cart", PointMass::new(1.0, [0.0; 3]))
        .force("spring", Spring::linear("ground", "cart", 100.0, 0.0, 0.5));
    let model = spec.build().unwrap();
    // Stretched along y: its tension gives lateral stiffness; without tension there is none.
    let mut state = model.initial_state();
    state.q[1] = -0.6;
    let found = statics(&model, &state, &Statics::default()).unwrap();
    close("cart", &found.state.q, &[0.0, -0.5 - 0.0981, 0.0], 1e-10);

    let mut loose = multipoint();
    loose.body("cart", PlanarBody::new(1.0, 1.0)).force("k", Spring::torsional("ground", "cart", 3.0, 0.0, 0.0));
    // It has neither stiffness nor load: it stays, and is reported.
    let model = loose.build().unwrap();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    assert_eq!(found.free_motions(&model, &Statics::default()).unwrap(), ["cart.vx", "cart.vy"]);
    let stability = found.stability(&model, &Statics::default()).unwrap();
    assert!(matches!(stability, Stability::Neutral { free: 2, least } if least > 0.0), "{stability:?}");
    close("rods", &found.displacement[4..5], &[1.4627539503386005e-3], 1e-12);
    let both = compare_with_penalty(&model, &model.initial_state(), &Statics::default()).unwrap();
    close("rods by penalty", &both.penalty.displacement[4..5], &[1.4629203837074896e-3], 1e-12);
    close("cart", &both.penalty.displacement[5..7], &[0.0, 0.0], 1e-15);
    // Under a load there is no equilibrium.
    loose.gravity([0.0, -9.81, 0.0]);
    let model = loose.build().unwrap();
    let error = statics(&model, &model.initial_state(), &Statics::default()).unwrap_err();
    assert!(matches!(&error, StaticsError::Singular { motion } if motion == "cart.vy"), "{error}");

    // A constant force on a spring that lets go has no equilibrium.
    let mut runaway = Spec::new();
    let law = taut::signals::ForceLaw::expression("10*exp(-s)").unwrap();
    runaway
        .body("cart", PlanarBody::new(1.0, 1.0))
        .constraint("guide", Joint::slider("ground", "cart"))
        .force("push", Spring::new(Measure::coordinate("cart.x"), law));
    let model = runaway.build().unwrap();
    let few = Statics { iterations: 8, ..Statics::default() };
    let error = statics(&model, &model.initial_state(), &few).unwrap_err();
    assert!(matches!(&error, StaticsError::NoConvergence { at, .. } if at == "cart.vx"), "{error}");
    let senseless = Statics { penalty: Some(-1.0), ..Statics::default() };
    assert!(matches!(statics(&model, &model.initial_state(), &senseless), Err(StaticsError::Analysis(_))));
}

#[test]
fn a_soft_spring_beside_a_stiff_one_is_not_free() {
    for (soft, stiff) in [(1.0, 1e10), (1e-6, 1e6), (1e-3, 1e3), (1.0, 1e3)] {
        let chain = |load: f64| {
            let mut spec = Spec::new();
            spec.body("a", PointMass::new(1.0, [0.0; 3])).body("b", PointMass::new(1.0, [1.0, 0.0, 0.0]));
            for name in ["a", "b"] {
                let guide = Joint {
                    rotation: taut::RotationMask::Free,
                    ..Joint::fixed("ground", name).prescribe_translation(0, Prescription::Free)
                };
                spec.constraint(&format!("guide_{name}"), guide);
            }
            spec.force("s1", Spring::new(Measure::coordinate("a.x"), taut::signals::ForceLaw::linear(soft, 0.0, 0.0)))
                .force("s2", Spring::linear("a", "b", stiff, 0.0, 1.0))
                .force("push", Applied::force("b", [load, 0.0, 0.0].map(taut::Signal::constant)));
            spec.build().unwrap()
        };
        let model = chain(0.0);
        let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
        let stability = found.stability(&model, &Statics::default()).unwrap();
        // Both go together, each with half of the motion.
        let as_expected = matches!(stability, Stability::Stable(k) if (k / (0.5 * soft) - 1.0).abs() < 0.1);
        assert!(as_expected, "{soft} and {stiff} in series: {stability:?}");
        // Under a load that draws the soft one by a tenth.
        let model = chain(0.1 * soft);
        let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
        assert!((found.state.q[0] - 0.1).abs() < 1e-5, "{soft} and {stiff}: {}", found.state.q[0]);
    }
}

#[test]
fn a_shaft_that_may_spin_is_accepted() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -9.81])
        .body("shaft", RigidBody::new(2.0, [0.1, 0.1, 0.01]))
        .constraint("bearing", Joint::revolute("ground", "shaft"));
    let model = spec.build().unwrap();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    assert_eq!(found.free_motions(&model, &Statics::default()).unwrap(), ["shaft.wz"]);
    assert_eq!(found.displacement.iter().fold(0.0_f64, |a, d| a.max(d.abs())), 0.0);
    // The bearing carries the weight, in z.
    let z = found.reactions(&model)[0].force[2];
    assert!((z - 2.0 * 9.81).abs() < 1e-9, "{z}");
}

#[test]
fn a_sampled_controller_is_reported() {
    let mut spec = Spec::new();
    let pid = taut::Controller::pid(Measure::coordinate("m.z"), 0.0, [10.0, 3.0, 1.0], None);
    spec.body("m", PointMass::new(2.0, [0.0; 3]))
        .constraint("g", Joint::point_on_line("ground", "m"))
        .force("k", pid.sampled(0.01));
    let model = spec.build().unwrap();
    let found = statics(&model, &model.initial_state(), &Statics::default()).unwrap();
    assert!(matches!(&found.notes[..], [note] if note.contains("`k` is sampled")), "{:?}", found.notes);
}
