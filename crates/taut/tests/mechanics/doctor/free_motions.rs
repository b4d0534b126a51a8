//! Degrees of freedom: their number and description.

use super::{between, count, counts, examine, slider_crank, words};
use taut::analyses::{LeadingCoordinate, MobilityCount, doctor};
use taut::{Formula, Frame, Joint, Measure, Model, PlanarBody, PointMass, RigidBody, Spec};

#[test]
fn free_bodies() {
    let mut spec = Spec::new();
    spec.body("bob", RigidBody::new(1.0, [1.0; 3]))
        .body("bead", PointMass::new(1.0, [0.0; 3]))
        .marker("bob.eye", Frame::default())
        .marker("ground.post", Frame::default())
        .measure("gap", Measure::distance("ground.post", "bead"))
        .measure("same", Measure::distance("ground.post", "bead"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(0, 9, 0), count(0, 9, 0)));
    assert_eq!(words(&found), ["`bob` moves freely in all 6 directions", "`bead` moves freely in all 3 directions"]);
    assert_eq!(found.motions[0].freedoms, 6);
    assert_eq!(found.loose.bodies, ["bob", "bead"]);
    assert_eq!(found.loose.markers, ["bob.eye"]);
    assert_eq!(found.loose.measures, [("same".to_string(), "gap".to_string())]);
}

#[test]
fn a_slider_crank_in_words() {
    // At dead centre, where the slider is at rest.
    let mut spec = slider_crank();
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(8, 1, 0), count(8, 1, 0)));
    assert_eq!(words(&found), ["`crank` turns about `main` (z); `rod` follows"]);
    let LeadingCoordinate::Turn { joint, axis, .. } = &found.motions[0].lead else { panic!("{found}") };
    assert_eq!((joint.as_str(), axis), ("main", &[0.0, 0.0, 1.0]));
    // With the crank's pin listed last, the slider does not lead although it is at the ground.
    spec.constraints.rotate_left(1);
    assert_eq!(words(&examine(&spec.build().unwrap())), ["`crank` turns about `main` (z); `rod` follows"]);
    // Driven, it has none.
    spec.constraint("motor", Formula::phi("crank.theta - 2*t").unwrap());
    let found = examine(&spec.build().unwrap());
    assert_eq!((counts(&found).0, found.motions.len()), (count(9, 0, 0), 0));
}

#[test]
fn a_rod_between_balls_spins_about_its_own_axis() {
    let mut spec = Spec::new();
    let (p, q) = ([0.3, 0.0, 0.0], [1.3, 0.5, 0.4]);
    spec.body("crank", RigidBody::new(1.0, [0.1; 3]))
        .body("rod", RigidBody::new(1.0, [0.1; 3]).at(between(p, q)))
        .body("rocker", RigidBody::new(1.0, [0.1; 3]).at([1.3, 0.0, 0.4]))
        .marker("crank.pin", Frame::world(p))
        .marker("rod.a", Frame::world(p))
        .marker("rod.b", Frame::world(q))
        .marker("rocker.pin", Frame::world(q))
        .marker("rocker.foot", Frame::world([1.3, 0.0, 0.4]).axis([1.0, 0.0, 0.0]))
        .marker("ground.foot", Frame::at([1.3, 0.0, 0.4]).axis([1.0, 0.0, 0.0]))
        .constraint("main", Joint::revolute("ground", "crank"))
        .constraint("left", Joint::spherical("crank.pin", "rod.a"))
        .constraint("right", Joint::spherical("rod.b", "rocker.pin"))
        .constraint("foot", Joint::revolute("ground.foot", "rocker.foot"));
    let found = examine(&spec.build().unwrap());
    // RSSR: 18 velocities, 16 rows.
    assert_eq!(counts(&found).0, count(16, 2, 0));
    assert_eq!(
        words(&found),
        [
            "`crank` turns about `main` (z); `rod`, `rocker` follow",
            "`rod` spins about its own axis through `rod.a` and `rod.b`"
        ]
    );
}

#[test]
fn other_freedoms_in_words() {
    // A top on a ball, two bodies hinged together in space, a bead on a wire, a sled on a blade.
    let mut spec = Spec::new();
    spec.body("top", RigidBody::new(1.0, [0.1; 3]).at([0.0, 0.0, 0.5]))
        .marker("top.foot", Frame::at([0.0, 0.0, -0.5]))
        .constraint("ball", Joint::spherical("ground", "top.foot"));
    assert_eq!(
        words(&examine(&spec.build().unwrap())),
        ["`top` turns about x", "`top` turns about y", "`top` turns about z"]
    );
    let mut spec = Spec::new();
    spec.body("one", RigidBody::new(1.0, [0.1; 3]))
        .body("two", RigidBody::new(1.0, [0.1; 3]).at([1.0, 0.0, 0.0]))
        .marker("one.edge", Frame::at([0.5, 0.0, 0.0]).axis([0.0, 0.6, 0.8]))
        .marker("two.edge", Frame::at([-0.5, 0.0, 0.0]).axis([0.0, 0.6, 0.8]))
        .constraint("hinge", Joint::revolute("one.edge", "two.edge"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.here.unwrap(), count(5, 7, 0));
    assert_eq!(words(&found)[0], "`two` turns against `one` about `hinge` (axis 0.000, 0.600, 0.800)");
    assert_eq!(words(&found)[1], "`one` turns about x; `two` follows");
    assert_eq!(found.motions.len(), 7);
    let mut spec = Spec::new();
    spec.body("bead", PointMass::new(1.0, [1.0, 1.0, 0.0]))
        .constraint("wire", Formula::phi("bead.y - bead.x^2").unwrap())
        .constraint("flat", Formula::phi("bead.z").unwrap())
        .body("sled", PlanarBody::new(1.0, 0.1))
        .constraint("blade", Formula::psi("sled.vy*cos(sled.theta) - sled.vx*sin(sled.theta)").unwrap());
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.here.unwrap(), count(3, 3, 0));
    assert_eq!(words(&found), ["`bead` moves along x", "`sled` turns", "`sled` moves along x"]);
}

#[test]
fn long_chains_and_many_mechanisms() {
    // A ladder of 60 squares: each is a parallelogram of four pins in the plane; and 200 pendulums.
    let mut spec = Spec::new();
    for i in 0..200 {
        spec.body(&format!("bob{i}"), PlanarBody::rod(1.0, 1.0).at([f64::from(i), 0.0], 0.0))
            .marker(&format!("ground.p{i}"), Frame::at([f64::from(i), 0.0, 0.0]))
            .constraint(&format!("pin{i}"), Joint::pin(&format!("ground.p{i}"), &format!("bob{i}")));
    }
    let found = examine(&spec.build().unwrap());
    assert_eq!((found.here.unwrap(), found.motions.len()), (count(400, 200, 0), 200));
    let clock = std::time::Instant::now();
    let found = examine(&ladder(150));
    if std::env::var("DOCTOR_TELL").is_ok() {
        println!("{:?}", clock.elapsed());
    }
    assert_eq!(found.here.unwrap(), count(2 * 451, 1, 0));
}

/// A row of `n` parallelograms: cranks 0..=n on the ground, couplers between neighbours.
fn ladder(n: usize) -> Model {
    let mut spec = Spec::new();
    for i in 0..=n {
        let x = i as f64;
        spec.body(&format!("crank{i}"), PlanarBody::rod(1.0, 1.0).at([x + 0.3, 0.4], 0.0))
            .marker(&format!("crank{i}.a"), Frame::world([x, 0.0, 0.0]))
            .marker(&format!("crank{i}.b"), Frame::world([x + 0.6, 0.8, 0.0]))
            .marker(&format!("ground.p{i}"), Frame::at([x, 0.0, 0.0]))
            .constraint(&format!("foot{i}"), Joint::pin(&format!("ground.p{i}"), &format!("crank{i}.a")));
    }
    for i in 0..n {
        let x = i as f64;
        spec.body(&format!("bar{i}"), PlanarBody::rod(1.0, 1.0).at([x + 1.1, 0.8], 0.0))
            .marker(&format!("bar{i}.a"), Frame::world([x + 0.6, 0.8, 0.0]))
            .marker(&format!("bar{i}.b"), Frame::world([x + 1.6, 0.8, 0.0]))
            .constraint(&format!("left{i}"), Joint::pin(&format!("crank{i}.b"), &format!("bar{i}.a")))
            .constraint(&format!("right{i}"), Joint::pin(&format!("crank{}.b", i + 1), &format!("bar{i}.b")));
    }
    spec.build().unwrap()
}

#[test]
fn nothing_at_all_and_bad_states() {
    let empty = Spec::new().build().unwrap();
    assert_eq!(examine(&empty).here.unwrap(), MobilityCount::default());
    let model = slider_crank().build().unwrap();
    assert!(doctor(&model, &taut::State::default()).is_err());
    assert!(serde_json::to_string(&examine(&model)).unwrap().contains("\"freedoms\":1"));
}
