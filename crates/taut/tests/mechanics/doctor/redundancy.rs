//! Redundant and contradictory constraints: number and names of redundant rows, and whether they are consistent.

use super::{FOUR, Z, chain, count, counts, examine, slider_crank, spatial_four_bar, words};
use taut::analyses::{Determinacy, DoctorReport, ExaminedPose, Persistence, RowConsistency};
use taut::{Frame, Joint, Measure, PlanarBody, Prescription, Relation, RigidBody, Signal, Spec};

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
    assert_eq!(found.pose, ExaminedPose::Given);
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(set.constraints, ["pin", "again"]);
    assert_eq!(
        (set.redundant, set.persistence, &set.verdict),
        (2, Persistence::Structural, &RowConsistency::Consistent)
    );
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
    assert_eq!(
        (set.redundant, set.persistence, &set.verdict),
        (3, Persistence::Structural, &RowConsistency::Consistent)
    );
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
    let (mut scene, mut eq) = (taut::equations::MarkerKinematics::new(&model), taut::equations::Equations::new(&model));
    taut::equations::assemble_positions(&model, (&model.initial_state()).into(), &mut scene, &mut eq);
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
fn unrelated_redundancies_are_separated() {
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

fn driven_twice(one: Prescription, two: Prescription) -> DoctorReport {
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
    let at = |c: &[f64]| Prescription::Position(Signal::polynomial(c.to_vec()));
    let found = driven_twice(at(&[0.0, 1.0]), at(&[0.1, 1.0]));
    assert_eq!(found.pose, ExaminedPose::Open);
    assert_eq!(counts(&found).0, count(3, 0, 1));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(set.rows, ["motor.relation", "other.relation"]);
    let RowConsistency::Contradictory { position, velocity, acceleration } = set.verdict else { panic!("{found}") };
    assert!((position - 0.1).abs() < 1e-12 && velocity < 1e-12 && acceleration < 1e-12, "{:?}", set.verdict);
    assert!(found.reactions.iter().any(|r| r.row == "pin.x" && r.determinacy == Determinacy::Unique));

    let found = driven_twice(at(&[0.0, 1.0]), at(&[0.0, 3.0]));
    let RowConsistency::Contradictory { position, velocity, .. } = found.dependent[0].verdict else {
        panic!("{found}")
    };
    assert!(position < 1e-12 && (velocity - 2.0).abs() < 1e-12);
    assert!(found.to_string().contains("contradict each other in their velocities by 2.000e0 rad/s"), "{found}");

    let found = driven_twice(at(&[0.0, 1.0, 0.5]), Prescription::Velocity(Signal::polynomial(vec![1.0, 0.25])));
    let RowConsistency::Contradictory { position, velocity, acceleration } = found.dependent[0].verdict else {
        panic!("{found}")
    };
    assert!(position == 0.0 && velocity < 1e-12 && (acceleration - 0.75).abs() < 1e-12);

    let found = driven_twice(at(&[0.0, 1.0]), at(&[0.0, 1.0]));
    assert_eq!(found.dependent[0].verdict, RowConsistency::Consistent);
}

#[test]
fn a_loop_carried_by_a_loop_is_a_separate_set() {
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
fn a_row_that_holds_nothing() {
    // A spatial hinge on a planar body: z and both tilts always hold.
    let mut spec = Spec::new();
    spec.body("bar", PlanarBody::rod(1.0, 1.0)).constraint("hinge", Joint::revolute("ground", "bar"));
    let found = examine(&spec.build().unwrap());
    assert_eq!(counts(&found), (count(2, 1, 3), count(2, 1, 3)));
    let [set] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!((set.redundant, set.circuits.len()), (3, 3));
    let reported = "`hinge.z`, `hinge.tilt_x`, `hinge.tilt_y` have no effect, in every pose";
    assert!(set.to_string().starts_with(reported), "{set}");
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
    assert_eq!(found.pose, ExaminedPose::Open);
    assert_eq!(found.here.unwrap(), count(5, 1, 5));
    let RowConsistency::Contradictory { position, .. } = found.dependent[0].verdict else { panic!("{found}") };
    assert!((position - 0.001).abs() < 1e-9, "{position}");
}

#[test]
fn parts_that_cannot_be_assembled_do_not_affect_the_rest() {
    let mut spec = slider_crank();
    spec.bodies[2].item = PlanarBody::new(0.6, 0.01).at([1.25, 0.01], 0.1).into();
    chain(&mut spec, "loop_", &FOUR, &[Z; 4]);
    let drive =
        |x: f64| Relation::driver(Measure::coordinate("bar.theta"), Prescription::Position(Signal::constant(x)));
    spec.body("bar", PlanarBody::rod(1.0, 1.0)).constraint("low", drive(0.0)).constraint("high", drive(0.5));
    let found = examine(&spec.build().unwrap());
    assert_eq!(found.pose, ExaminedPose::Open);
    assert_eq!(counts(&found), (count(8 + 17 + 1, 1 + 1 + 2, 3 + 1), count(8 + 17 + 1, 1 + 1 + 2, 3 + 1)));
    let [bad, good] = &found.dependent[..] else { panic!("{found}") };
    assert_eq!(bad.constraints, ["low", "high"]);
    assert!(matches!(bad.verdict, RowConsistency::Contradictory { position, .. } if (position - 0.5).abs() < 1e-12));
    assert_eq!(
        (good.redundant, good.persistence, &good.verdict),
        (3, Persistence::Structural, &RowConsistency::Consistent)
    );
}
