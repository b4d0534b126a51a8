//! The constraint doctor against mechanisms whose freedoms and redundancies are known in closed form.

use taut::analyses::{Count, Determinacy, Doctor, Lead, Persistence, Pose, Verdict, doctor};
use taut::{Formula, Frame, Hold, Joint, Measure, Model, PlanarBody, PointMass, Relation, RigidBody, Signal, Spec};

fn examine(model: &Model) -> Doctor {
    let found = doctor(model, &model.initial_state()).unwrap();
    if std::env::var("DOCTOR_TELL").is_ok() {
        println!("{found}\n");
    }
    found
}

fn counts(found: &Doctor) -> (Count, Count) {
    (found.here.unwrap(), found.nearby.unwrap())
}

fn count(rank: usize, freedoms: usize, redundant: usize) -> Count {
    Count { rank, freedoms, redundant }
}

fn words(found: &Doctor) -> Vec<&str> {
    found.motions.iter().map(|m| m.words.as_str()).collect()
}

fn between(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
}

/// A closed chain of rods from hinge to hinge, the ground closing it; axes of the hinges as given.
fn chain(spec: &mut Spec, prefix: &str, hinges: &[[f64; 3]], axes: &[[f64; 3]]) {
    let n = hinges.len() - 1;
    for k in 0..n {
        spec.body(&format!("{prefix}rod{k}"), RigidBody::new(1.0, [0.1; 3]).at(between(hinges[k], hinges[k + 1])))
            .marker(&format!("{prefix}rod{k}.a"), Frame::world(hinges[k]).axis(axes[k]))
            .marker(&format!("{prefix}rod{k}.b"), Frame::world(hinges[k + 1]).axis(axes[k + 1]));
    }
    spec.marker(&format!("ground.{prefix}a"), Frame::at(hinges[0]).axis(axes[0]))
        .marker(&format!("ground.{prefix}b"), Frame::at(hinges[n]).axis(axes[n]))
        .constraint(
            &format!("{prefix}hinge0"),
            Joint::revolute(&format!("ground.{prefix}a"), &format!("{prefix}rod0.a")),
        );
    for k in 1..n {
        let (a, b) = (format!("{prefix}rod{}.b", k - 1), format!("{prefix}rod{k}.a"));
        spec.constraint(&format!("{prefix}hinge{k}"), Joint::revolute(&a, &b));
    }
    let last = format!("{prefix}rod{}.b", n - 1);
    spec.constraint(&format!("{prefix}hinge{n}"), Joint::revolute(&last, &format!("ground.{prefix}b")));
}

const Z: [f64; 3] = [0.0, 0.0, 1.0];
const FOUR: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [0.0, 0.4, 0.0], [1.0, 0.9, 0.0], [1.0, 0.0, 0.0]];

fn spatial_four_bar() -> Model {
    let mut spec = Spec::new();
    chain(&mut spec, "", &FOUR, &[Z; 4]);
    spec.build().unwrap()
}

/// Four planar bars along the x axis: crank 1, coupler 2, rocker 1.5 on a frame of 2.5 lie flat (1 + 2 = 1.5 + 1.5 …).
fn planar_four_bar(points: [[f64; 2]; 4]) -> Model {
    let mut spec = Spec::new();
    let p = points.map(|[x, y]| [x, y, 0.0]);
    for (k, name) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        let [x, y, _] = between(p[k], p[k + 1]);
        spec.body(name, PlanarBody::new(1.0, 0.1).at([x, y], 0.0))
            .marker(&format!("{name}.a"), Frame::world(p[k]))
            .marker(&format!("{name}.b"), Frame::world(p[k + 1]));
    }
    spec.marker("ground.a", Frame::at(p[0]))
        .marker("ground.b", Frame::at(p[3]))
        .constraint("A", Joint::pin("ground.a", "crank.a"))
        .constraint("B", Joint::pin("crank.b", "coupler.a"))
        .constraint("C", Joint::pin("coupler.b", "rocker.a"))
        .constraint("D", Joint::pin("rocker.b", "ground.b"));
    spec.build().unwrap()
}

#[test]
fn a_doubled_pin() {
    let mut spec = Spec::new();
    spec.body("bar", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("bar.end", Frame::at([-0.5, 0.0, 0.0]))
        .marker("bar.spare", Frame::at([0.5, 0.0, 0.0]))
        .constraint("pin", Joint::pin("ground", "bar.end"))
        .constraint("again", Joint::pin("ground", "bar.end"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(2, 1, 2), count(2, 1, 2)));
    assert_eq!((found.bodies, found.coordinates, found.velocities, found.rows), (1, 3, 3, 4));
    assert_eq!(found.pose, Pose::Given);
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(set.constraints, ["pin", "again"]);
    assert_eq!((set.redundant, set.persistence, &set.verdict), (2, Persistence::Structural, &Verdict::Consistent));
    let mut circuits = set.circuits.clone();
    circuits.sort();
    assert_eq!(circuits, [["pin.x", "again.x"], ["pin.y", "again.y"]]);
    assert!(found.reactions.iter().all(|r| r.determinacy == Determinacy::Traded(vec![0])));
    assert_eq!(words(&found), ["`bar` turns about `pin` (z)"]);
    assert_eq!(found.loose.markers, ["bar.spare"]);
}

#[test]
fn a_planar_four_bar_in_space_has_three_rows_too_many() {
    // 3 rods, 18 velocities; 4 revolutes, 20 rows; 1 freedom.
    let found = examine(&spatial_four_bar());
    assert_eq!(counts(&found), (count(17, 1, 3), count(17, 1, 3)));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(set.constraints, ["hinge0", "hinge1", "hinge2", "hinge3"]);
    assert_eq!((set.redundant, set.persistence, &set.verdict), (3, Persistence::Structural, &Verdict::Consistent));
    // In the plane nothing is redundant: the reactions x and y of every hinge are unique.
    for r in &found.reactions {
        let in_plane = r.row.ends_with(".x") || r.row.ends_with(".y");
        assert_eq!(r.determinacy == Determinacy::Unique, in_plane, "{}", r.row);
    }
    assert_eq!(words(&found), ["`rod0` turns about `hinge0` (z); `rod1`, `rod2` follow"]);
}

#[test]
fn every_circuit_is_minimal() {
    let model = spatial_four_bar();
    let found = examine(&model);
    let (mut scene, mut eq) = (taut::equations::Scene::new(&model), taut::equations::Equations::new(&model));
    taut::equations::place(&model, (&model.initial_state()).into(), &mut scene, &mut eq);
    let jacobian = eq.dense_jacobian();
    let index = |name: &String| (0..model.rows.len()).find(|r| model.row_name(*r) == *name).unwrap();
    for circuit in &found.dependent[0].circuits {
        let rows: Vec<usize> = circuit.iter().map(index).collect();
        let rank = |rows: &[usize]| jacobian.select_rows(rows).rank(1e-9);
        assert_eq!(rank(&rows), rows.len() - 1);
        for left_out in 0..rows.len() {
            let others: Vec<usize> = (0..rows.len()).filter(|i| *i != left_out).map(|i| rows[i]).collect();
            assert_eq!(rank(&others), others.len());
        }
    }
}

#[test]
fn bricard_has_one_row_too_many() {
    let hinges =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]];
    let axes = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    let mut spec = Spec::new();
    chain(&mut spec, "", &hinges, &[axes[0], axes[1], axes[2], axes[0], axes[1], axes[2]]);
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(29, 1, 1), count(29, 1, 1)));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(set.constraints.len(), 6);
    assert_eq!(set.persistence, Persistence::Structural);
    assert_eq!(words(&found), ["`rod0` turns about `hinge0` (y); `rod1`, `rod2`, `rod3`, `rod4` follow"]);
}

#[test]
fn unrelated_redundancies_are_told_apart() {
    // Two mechanisms, and within one of them two loops.
    let mut spec = Spec::new();
    chain(&mut spec, "one_", &FOUR, &[Z; 4]);
    chain(&mut spec, "two_", &FOUR, &[Z; 4]);
    spec.body("arm", PlanarBody::rod(1.0, 1.0))
        .body("tip", PlanarBody::rod(1.0, 1.0).at([0.5, 0.0], 0.0))
        .marker("arm.end", Frame::at([0.5, 0.0, 0.0]))
        .constraint("root", Joint::pin("ground", "arm"))
        .constraint("root_again", Joint::pin("ground", "arm"))
        .constraint("wrist", Joint::pin("arm.end", "tip"))
        .constraint("wrist_again", Joint::pin("arm.end", "tip"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found).0, count(17 + 17 + 4, 4, 3 + 3 + 4));
    let mut sets: Vec<(Vec<&str>, usize)> =
        found.dependent.iter().map(|s| (s.constraints.iter().map(String::as_str).collect(), s.redundant)).collect();
    sets.sort();
    assert_eq!(
        sets,
        [
            (vec!["one_hinge0", "one_hinge1", "one_hinge2", "one_hinge3"], 3),
            (vec!["root", "root_again"], 2),
            (vec!["two_hinge0", "two_hinge1", "two_hinge2", "two_hinge3"], 3),
            (vec!["wrist", "wrist_again"], 2),
        ]
    );
    assert_eq!(
        words(&found)[2..],
        ["`arm` turns about `root` (z); `tip` follows", "`tip` turns against `arm` about `wrist` (z)"]
    );
}

fn driven_twice(one: Hold, two: Hold) -> Doctor {
    let mut spec = Spec::new();
    let angle = || Measure::coordinate("bar.theta");
    spec.body("bar", PlanarBody::rod(1.0, 1.0))
        .constraint("pin", Joint::pin("ground", "bar"))
        .constraint("motor", Relation::driver(angle(), one))
        .constraint("other", Relation::driver(angle(), two));
    examine(&spec.build().unwrap())
}

#[test]
fn contradictory_drivers() {
    let at = |c: &[f64]| Hold::Position(Signal::polynomial(c.to_vec()));
    let found = driven_twice(at(&[0.0, 1.0]), at(&[0.1, 1.0]));
    assert_eq!(found.pose, Pose::Open);
    assert_eq!(counts(&found).0, count(3, 0, 1));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(set.rows, ["motor.relation", "other.relation"]);
    let Verdict::Contradictory { position, velocity, acceleration } = set.verdict else { panic!("{found}") };
    assert!((position - 0.1).abs() < 1e-12 && velocity < 1e-12 && acceleration < 1e-12, "{:?}", set.verdict);
    assert!(found.reactions.iter().any(|r| r.row == "pin.x" && r.determinacy == Determinacy::Unique));

    let found = driven_twice(at(&[0.0, 1.0]), at(&[0.0, 3.0]));
    let Verdict::Contradictory { position, velocity, .. } = found.dependent[0].verdict else { panic!("{found}") };
    assert!(position < 1e-12 && (velocity - 2.0).abs() < 1e-12);
    assert!(found.to_string().contains("contradict each other in their velocities by 2.000e0 rad/s"), "{found}");

    let found = driven_twice(at(&[0.0, 1.0, 0.5]), Hold::Velocity(Signal::polynomial(vec![1.0, 0.25])));
    let Verdict::Contradictory { position, velocity, acceleration } = found.dependent[0].verdict else {
        panic!("{found}")
    };
    assert!(position == 0.0 && velocity < 1e-12 && (acceleration - 0.75).abs() < 1e-12);

    let found = driven_twice(at(&[0.0, 1.0]), at(&[0.0, 1.0]));
    assert_eq!(found.dependent[0].verdict, Verdict::Consistent);
}

#[test]
fn a_flat_four_bar_has_a_second_freedom_in_this_pose_only() {
    // A parallelogram lying flat: 9 velocities, 8 rows, rank 7 there and 8 elsewhere.
    let found = examine(&planar_four_bar([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [2.0, 0.0]]));
    assert_eq!(counts(&found), (count(7, 2, 1), count(8, 1, 0)));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!((set.persistence, &set.verdict), (Persistence::Pose, &Verdict::Consistent));
    assert_eq!(set.constraints, ["A", "B", "C", "D"]);
    assert_eq!(found.motions.len(), 2);
    // Standing, nothing is wrong with it.
    let found = examine(&planar_four_bar([[0.0, 0.0], [0.0, 1.0], [2.0, 1.0], [2.0, 0.0]]));
    assert_eq!(counts(&found), (count(8, 1, 0), count(8, 1, 0)));
    assert!(found.dependent.is_empty());
    assert!(found.reactions.iter().all(|r| r.determinacy == Determinacy::Unique));
    assert_eq!(words(&found), ["`crank` turns about `A` (z); `coupler`, `rocker` follow"]);
}

#[test]
fn a_flat_four_bar_in_space_keeps_both_apart() {
    let mut spec = Spec::new();
    chain(&mut spec, "", &[[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[Z; 4]);
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(16, 2, 4), count(17, 1, 3)));
    let of = |p: Persistence| found.dependent.iter().filter(|s| s.persistence == p).map(|s| s.redundant).sum::<usize>();
    assert_eq!((of(Persistence::Structural), of(Persistence::Pose)), (3, 1));
}

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

fn slider_crank() -> Spec {
    let mut spec = Spec::new();
    spec.body("crank", PlanarBody::new(1.5, 0.02))
        .body("rod", PlanarBody::rod(0.8, 1.0).at([0.8, 0.0], 0.0))
        .body("slider", PlanarBody::new(0.6, 0.01).at([1.3, 0.0], 0.0))
        .marker("crank.pin", Frame::at([0.3, 0.0, 0.0]))
        .marker("rod.a", Frame::at([-0.5, 0.0, 0.0]))
        .marker("rod.b", Frame::at([0.5, 0.0, 0.0]))
        .constraint("main", Joint::pin("ground", "crank"))
        .constraint("elbow", Joint::pin("crank.pin", "rod.a"))
        .constraint("wrist", Joint::pin("rod.b", "slider"))
        .constraint("guide", Joint::slider("ground", "slider"));
    spec
}

#[test]
fn a_slider_crank_in_words() {
    // In its dead centre, where the slider stands still.
    let mut spec = slider_crank();
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(8, 1, 0), count(8, 1, 0)));
    assert_eq!(words(&found), ["`crank` turns about `main` (z); `rod` follows"]);
    let Lead::Turn { joint, axis, .. } = &found.motions[0].lead else { panic!("{found}") };
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
fn a_rough_start_is_put_together_first() {
    let mut spec = slider_crank();
    spec.bodies[2].item = PlanarBody::new(0.6, 0.01).at([1.25, 0.01], 0.1).into();
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.pose, Pose::Assembled);
    assert_eq!(found.here.unwrap(), count(8, 1, 0));
    assert_eq!(found.residuals[0].row, "guide.angle");
    assert_eq!(found.residuals[1].row, "wrist.x");
    assert!((found.residuals[1].position - 0.05).abs() < 1e-12);
    assert!(words(&found)[0].starts_with("`crank` turns about `main` (z)"));
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
fn a_loop_carried_by_a_loop_is_a_set_of_its_own() {
    // The second four-bar has its frame on the coupler of the first: they share a body, but no redundancy.
    let mut spec = Spec::new();
    chain(&mut spec, "", &FOUR, &[Z; 4]);
    let lifted = FOUR.map(|[x, y, z]| [x, y + 2.0, z]);
    chain(&mut spec, "top_", &lifted, &[Z; 4]);
    for name in ["a", "b"] {
        let ground = spec.markers.iter().position(|m| m.name == format!("ground.top_{name}")).unwrap();
        let at = spec.markers[ground].item.at;
        spec.markers[ground].name = format!("rod1.top_{name}");
        spec.markers[ground].item = Frame::world(at).axis(Z);
    }
    let json = serde_json::to_string(&spec).unwrap().replace("\"ground.top_", "\"rod1.top_");
    let spec: Spec = serde_json::from_str(&json).unwrap();
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(34, 2, 6), count(34, 2, 6)));
    let [one, two] = &found.dependent[..] else { panic!("{found}") };
    assert!(one.constraints.iter().all(|c| c.starts_with("hinge")) && one.redundant == 3);
    assert!(two.constraints.iter().all(|c| c.starts_with("top_hinge")) && two.redundant == 3);
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
fn a_driven_flat_pose_is_left_in_time() {
    // The flat parallelogram with its crank driven: no pose nearby at the same time, but soon after.
    let mut spec = Spec::new();
    let p = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [2.0, 0.0]];
    for (k, name) in ["crank", "coupler", "rocker"].into_iter().enumerate() {
        spec.body(name, PlanarBody::new(1.0, 0.1).at([0.5 * (p[k][0] + p[k + 1][0]), 0.0], 0.0))
            .marker(&format!("{name}.a"), Frame::world([p[k][0], 0.0, 0.0]))
            .marker(&format!("{name}.b"), Frame::world([p[k + 1][0], 0.0, 0.0]));
    }
    spec.marker("ground.b", Frame::at([2.0, 0.0, 0.0]))
        .constraint("A", Joint::pin("ground", "crank.a"))
        .constraint("B", Joint::pin("crank.b", "coupler.a"))
        .constraint("C", Joint::pin("coupler.b", "rocker.a"))
        .constraint("D", Joint::pin("rocker.b", "ground.b"))
        .constraint("motor", Formula::phi("crank.theta - t").unwrap());
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(8, 1, 1), count(9, 0, 0)));
    assert_eq!(found.dependent[0].persistence, Persistence::Pose);
}

#[test]
fn a_row_that_holds_nothing() {
    // A spatial hinge on a planar body: z and both tilts are met for ever.
    let mut spec = Spec::new();
    spec.body("bar", PlanarBody::rod(1.0, 1.0)).constraint("hinge", Joint::revolute("ground", "bar"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(2, 1, 3), count(2, 1, 3)));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!((set.redundant, set.circuits.len()), (3, 3));
    let told = "`hinge.z`, `hinge.tilt_x`, `hinge.tilt_y` hold nothing, in every pose";
    assert!(set.to_string().starts_with(told), "{set}");
}

#[test]
fn doubled_hinges_that_do_not_fit() {
    // The second hinge is 1 mm off: to within that, it repeats the first.
    let mut spec = Spec::new();
    spec.body("door", RigidBody::new(1.0, [0.1; 3]).at([0.5, 0.0, 0.0]))
        .marker("door.edge", Frame::at([-0.5, 0.0, 0.0]))
        .marker("ground.other", Frame::at([0.0, 0.001, 0.0]))
        .constraint("hinge", Joint::revolute("ground", "door.edge"))
        .constraint("other", Joint::revolute("ground.other", "door.edge"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.pose, Pose::Open);
    assert_eq!(found.here.unwrap(), count(5, 1, 5));
    let Verdict::Contradictory { position, .. } = found.dependent[0].verdict else { panic!("{found}") };
    assert!((position - 0.001).abs() < 1e-9, "{position}");
}

#[test]
fn what_cannot_be_closed_does_not_blur_the_rest() {
    let mut spec = slider_crank();
    spec.bodies[2].item = PlanarBody::new(0.6, 0.01).at([1.25, 0.01], 0.1).into();
    chain(&mut spec, "loop_", &FOUR, &[Z; 4]);
    let drive = |x: f64| Relation::driver(Measure::coordinate("bar.theta"), Hold::Position(Signal::constant(x)));
    spec.body("bar", PlanarBody::rod(1.0, 1.0)).constraint("low", drive(0.0)).constraint("high", drive(0.5));
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.pose, Pose::Open);
    assert_eq!(counts(&found), (count(8 + 17 + 1, 1 + 1 + 2, 3 + 1), count(8 + 17 + 1, 1 + 1 + 2, 3 + 1)));
    let [bad, good] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(bad.constraints, ["low", "high"]);
    assert!(matches!(bad.verdict, Verdict::Contradictory { position, .. } if (position - 0.5).abs() < 1e-12));
    assert_eq!((good.redundant, good.persistence, &good.verdict), (3, Persistence::Structural, &Verdict::Consistent));
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
fn opposed_axes_are_told() {
    let mut spec = Spec::new();
    let about_x = taut::Orientation::RotationVector([std::f64::consts::PI, 0.0, 0.0]);
    spec.body("lid", RigidBody::new(1.0, [0.1; 3]))
        .marker("lid.back", Frame::at([0.0; 3]).turned(about_x))
        .constraint("bolt", Joint::fixed("ground", "lid.back"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.opposed, ["bolt"]);
    let told = "joint `bolt` comes together with its axes opposed; turn one marker by half a turn";
    assert!(found.to_string().contains(told), "{found}");
    assert!(examine(&spatial_four_bar()).opposed.is_empty());
}

#[test]
fn a_turn_is_told_as_an_angle() {
    let mut spec = Spec::new();
    let angle = 2.0;
    spec.body("block", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], angle))
        .constraint("weld", Joint::weld("ground", "block"));
    let found = examine(&spec.build().unwrap());
    assert_eq!((found.residuals[0].row.as_str(), found.pose), ("weld.angle", Pose::Assembled));
    assert!((found.residuals[0].position - angle).abs() < 1e-12, "{found}");
    assert!(found.opposed.is_empty());
}

#[test]
fn nothing_at_all_and_bad_states() {
    let empty = Spec::new().build().unwrap();
    assert_eq!(examine(&empty).here.unwrap(), Count::default());
    let model = slider_crank().build().unwrap();
    assert!(doctor(&model, &taut::State::default()).is_err());
    assert!(serde_json::to_string(&examine(&model)).unwrap().contains("\"freedoms\":1"));
}
