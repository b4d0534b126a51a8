//! Assembly of consistent starts, and the errors if there is none.

use taut::analyses::{AnalysisError, AssemblySettings, RowConsistency, Transient, assemble, rank, simulate};
use taut::constraints::RowLevel;
use taut::{Frame, Joint, Measure, Model, Orientation, PlanarBody, Prescription, Relation, RigidBody, Signal, Spec};

/// A four-bar of the given link lengths, roughly posed; ground pivots at x = 0 and x = base.
fn four_bar(crank: f64, coupler: f64, rocker: f64, base: f64) -> Model {
    let mut spec = Spec::new();
    let half_pi = std::f64::consts::FRAC_PI_2;
    spec.body("crank", PlanarBody::rod(1.0, crank).at([0.1, 0.5 * crank], half_pi))
        .body("coupler", PlanarBody::rod(1.0, coupler).at([0.5 * base, crank + 0.2], 0.1))
        .body("rocker", PlanarBody::rod(1.0, rocker).at([base, 0.5 * rocker], half_pi));
    for (name, l) in [("crank", crank), ("coupler", coupler), ("rocker", rocker)] {
        spec.marker(&format!("{name}.a"), Frame::at([-0.5 * l, 0.0, 0.0]));
        spec.marker(&format!("{name}.b"), Frame::at([0.5 * l, 0.0, 0.0]));
    }
    spec.marker("ground.right", Frame::at([base, 0.0, 0.0]))
        .constraint("left", Joint::pin("ground", "crank.a"))
        .constraint("elbow", Joint::pin("crank.b", "coupler.a"))
        .constraint("wrist", Joint::pin("coupler.b", "rocker.b"))
        .constraint("right", Joint::pin("ground.right", "rocker.a"));
    spec.build().unwrap()
}

#[test]
fn a_rough_four_bar_is_assembled() {
    let model = four_bar(1.0, 2.0, 1.5, 2.0);
    let mut rough = model.initial_state();
    rough.v = vec![1.0; 9];
    let found = assemble(&model, &rough, &AssemblySettings::default()).unwrap();
    assert!(found.ledger.residuals.iter().all(|r| r.after < 1e-14), "{:?}", found.ledger);
    assert!(found.ledger.residuals[0].before > 0.1);
    let far = |m: &taut::analyses::BodyDisplacement| m.translation.max(m.rotation).max(m.velocity);
    assert!(found.ledger.moved.windows(2).all(|w| far(&w[0]) >= far(&w[1])));
    assert_eq!(found.ledger.moved.len(), 3);
    // A consistent state is returned unchanged, bit by bit.
    let again = assemble(&model, &found.state, &AssemblySettings::default()).unwrap();
    assert_eq!(again.state, found.state);
    assert!(again.ledger.moved.is_empty() && again.ledger.iterations == 0);
}

#[test]
fn a_held_body_hardly_moves() {
    let model = four_bar(1.0, 2.0, 1.5, 2.0);
    let mut start = model.initial_state();
    start.q[0] = 0.0;
    let found = assemble(&model, &start, &AssemblySettings::default().hold("crank")).unwrap();
    let crank = found.ledger.moved.iter().find(|m| m.body == "crank");
    assert!(crank.is_none_or(|m| m.translation < 1e-6 && m.rotation < 1e-6), "{crank:?}");
    let error = assemble(&model, &start, &AssemblySettings::default().hold("cronk")).unwrap_err();
    assert!(error.to_string().contains("did you mean `crank`"), "{error}");
}

#[test]
fn links_too_short_are_named() {
    let model = four_bar(0.3, 0.5, 0.4, 3.0);
    let error = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap_err();
    let AnalysisError::CannotAssemble(why) = &error else { panic!("{error}") };
    assert_eq!(why.level, RowLevel::Position);
    assert!(why.worst[0].after > 0.1);
    let text = error.to_string();
    assert!(["left", "elbow", "wrist", "right"].iter().any(|j| text.contains(&format!("`{j}."))), "{text}");
    assert!(text.contains("check lengths"), "{text}");
}

#[test]
fn contradictory_velocities_are_distinguished_from_positions() {
    // One slide driven twice, at different speeds.
    let mut spec = Spec::new();
    let at = |v: f64| Prescription::Velocity(Signal::constant(v));
    spec.body("block", PlanarBody::new(1.0, 1.0))
        .constraint("guide", Joint::slider("ground", "block").prescribe_translation(0, at(1.0)))
        .constraint("other", Joint::slot("ground", "block").prescribe_translation(0, at(2.0)));
    let model = spec.build().unwrap();
    let error = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap_err();
    let AnalysisError::CannotAssemble(why) = &error else { panic!("{error}") };
    assert_eq!(why.level, RowLevel::Velocity);
    let rank = why.rank.as_ref().unwrap();
    assert!(rank.dependent.contains(&"guide.x".to_string()) && rank.dependent.contains(&"other.x".to_string()));
    assert!(matches!(rank.verdict, RowConsistency::Contradictory { .. }));
    assert!(error.to_string().contains("these constraints contradict each other: `guide`, `other`"), "{error}");
}

#[test]
fn rank_counts_freedoms_and_names_redundant_rows() {
    let model = four_bar(1.0, 2.0, 1.5, 2.0);
    let state = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap().state;
    let found = rank(&model, &state).unwrap();
    assert_eq!((found.rank, found.freedoms, found.redundant), (8, 1, 0));
    assert_eq!(found.verdict, RowConsistency::Independent);
    assert_eq!(found.free_bodies, ["crank", "coupler", "rocker"]);

    // A four-bar of revolutes in space: three redundant rows.
    let mut spec = Spec::new();
    let points = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 1.5, 0.0], [2.0, 0.0, 0.0]];
    for k in 0..3 {
        let middle: [f64; 3] = std::array::from_fn(|i| 0.5 * (points[k][i] + points[k + 1][i]));
        spec.body(&format!("b{k}"), RigidBody::new(1e3, [0.1, 0.1, 0.1]).at(middle))
            .marker(&format!("b{k}.a"), Frame::world(points[k]))
            .marker(&format!("b{k}.b"), Frame::world(points[k + 1]));
    }
    spec.marker("ground.b", Frame::world(points[3]))
        .constraint("h0", Joint::revolute("ground", "b0.a"))
        .constraint("h1", Joint::revolute("b0.b", "b1.a"))
        .constraint("h2", Joint::revolute("b1.b", "b2.a"))
        .constraint("h3", Joint::revolute("b2.b", "ground.b"));
    let model = spec.build().unwrap();
    let found = rank(&model, &model.initial_state()).unwrap();
    assert_eq!((found.rows, found.rank, found.freedoms, found.redundant), (20, 17, 1, 3));
    assert_eq!(found.verdict, RowConsistency::Consistent);
    assert!(found.dependent.contains(&"h0.z".to_string()) && !found.dependent.contains(&"h0.x".to_string()));
}

#[test]
fn a_body_far_off_its_orientation_is_rotated() {
    let mut spec = Spec::new();
    spec.body(
        "door",
        RigidBody::new(2.0, [0.2, 0.3, 0.4])
            .at([0.7, 0.2, -0.3])
            .oriented(Orientation::RotationVector([0.9, -0.6, 0.4])),
    )
    .marker("door.edge", Frame::at([-0.5, 0.0, 0.0]))
    .constraint("hinge", Joint::revolute("ground", "door.edge"));
    let model = spec.build().unwrap();
    let found = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap();
    assert!(found.ledger.flipped.is_empty());
    assert!(found.ledger.moved[0].rotation > 0.5);
    assert!(found.ledger.residuals.iter().all(|r| r.after < 1e-14));
}

#[test]
fn a_driver_may_start_several_turns_on() {
    let mut spec = Spec::new();
    let turn = Prescription::Position(Signal::polynomial([20.0, 1.0]));
    spec.body("wheel", PlanarBody::new(1.0, 0.1).at([0.1, 0.0], 1.0))
        .constraint("axle", Joint::pin("ground", "wheel"))
        .constraint("motor", Relation::driver(Measure::angle("ground", "wheel"), turn));
    let model = spec.build().unwrap();
    let found = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap();
    let turns = (20.0 - found.state.q[2]) / std::f64::consts::TAU;
    assert!((turns - turns.round()).abs() < 1e-14, "{turns}");
    assert!(found.ledger.moved[0].rotation < 1.0);
    assert!((found.state.v[2] - 1.0).abs() < 1e-15);
}

const OFF: [f64; 10] = [30.0, 60.0, 75.0, 89.9, 90.0, 91.0, 120.0, 150.0, 170.0, 179.0];

/// Assembles, and checks that nothing is opposed and that no body turned by more than `most`.
fn check_assembled(spec: &Spec, most: f64, what: &str) -> taut::State {
    let model = spec.build().unwrap();
    let found = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap();
    assert!(found.ledger.flipped.is_empty(), "{what}: {:?}", found.ledger);
    assert!(found.ledger.moved.iter().all(|m| m.rotation <= most + 1e-9), "{what}: {:?}", found.ledger);
    assert!(found.ledger.residuals.iter().all(|r| r.after < 1e-12), "{what}: {:?}", found.ledger);
    found.state
}

#[test]
fn bodies_in_the_plane_take_the_nearest_turn() {
    for degrees in OFF {
        for sign in [1.0, -1.0] {
            let angle = sign * f64::to_radians(degrees);
            for joint in [Joint::slider("ground", "block.end"), Joint::weld("ground", "block.end")] {
                let mut spec = Spec::new();
                spec.body("block", PlanarBody::new(1.0, 1.0).at([0.4, -0.2], angle))
                    .marker("block.end", Frame::at([0.3, 0.1, 0.0]))
                    .constraint("joint", joint);
                let state = check_assembled(&spec, angle.abs(), &format!("{degrees} deg"));
                assert!(state.q[2].abs() < 1e-12, "{degrees} deg: {:?}", state.q);
            }
            // A motor that asks for a third of a turn, from as far away.
            let turn = Prescription::Position(Signal::polynomial([2.0, 1.0]));
            let mut spec = Spec::new();
            spec.body("wheel", PlanarBody::new(1.0, 1.0).at([0.4, -0.2], 2.0 + angle))
                .constraint("motor", Joint::pin("ground", "wheel").prescribe_rotation(turn));
            let state = check_assembled(&spec, angle.abs(), &format!("motor, {degrees} deg"));
            assert!((state.q[2] - 2.0).abs() < 1e-12, "{degrees} deg: {:?}", state.q);
        }
    }
}

#[test]
fn bodies_in_space_take_the_nearest_turn() {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.48, -0.6, 0.64]];
    for (degrees, axis) in OFF.iter().flat_map(|d| axes.map(|a| (*d, a))) {
        let angle = f64::to_radians(degrees);
        let turn = Orientation::RotationVector(axis.map(|x| x * angle));
        for (kind, joint) in [
            ("fixed", Joint::fixed("ground", "door.edge")),
            ("prismatic", Joint::prismatic("ground", "door.edge")),
            ("revolute", Joint::revolute("ground", "door.edge")),
            ("cylindrical", Joint::cylindrical("ground", "door.edge")),
        ] {
            let mut spec = Spec::new();
            spec.body("door", RigidBody::new(2.0, [0.2, 0.3, 0.4]).at([0.7, 0.2, -0.3]).oriented(turn.clone()))
                .marker("door.edge", Frame::at([-0.5, 0.1, 0.0]))
                .constraint("joint", joint);
            check_assembled(&spec, std::f64::consts::PI, &format!("{kind}, {degrees} deg about {axis:?}"));
        }
    }
}

#[test]
fn a_chain_far_off_its_angles_is_assembled() {
    // Two bodies one on the other, both a third of a turn off, the second by another axis.
    let mut spec = Spec::new();
    spec.body(
        "arm",
        RigidBody::new(1.0, [0.1; 3]).at([0.5, 0.0, 0.0]).oriented(Orientation::RotationVector([2.0, 0.3, 0.0])),
    )
    .body(
        "hand",
        RigidBody::new(0.5, [0.1; 3]).at([1.2, 0.1, 0.0]).oriented(Orientation::RotationVector([0.0, -1.9, 0.4])),
    )
    .marker("arm.a", Frame::at([-0.5, 0.0, 0.0]))
    .marker("arm.b", Frame::at([0.5, 0.0, 0.0]))
    .marker("hand.a", Frame::at([-0.2, 0.0, 0.0]))
    .constraint("shoulder", Joint::revolute("ground", "arm.a"))
    .constraint("wrist", Joint::fixed("arm.b", "hand.a"));
    check_assembled(&spec, std::f64::consts::PI, "chain");
}

#[test]
fn a_driver_of_a_coordinate_may_ask_for_many_turns() {
    let mut spec = Spec::new();
    let to = Prescription::Position(Signal::constant(1000.0));
    spec.body("wheel", PlanarBody::new(1.0, 0.1).at([0.1, 0.0], 1.0))
        .marker("wheel.hub", Frame::at([0.2, 0.0, 0.0]))
        .constraint("axle", Joint::pin("ground", "wheel.hub"))
        .constraint("motor", Relation::driver(Measure::coordinate("wheel.theta"), to));
    let model = spec.build().unwrap();
    let found = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap();
    assert!((found.state.q[2] - 1000.0).abs() < 1e-11);
}

#[test]
fn a_loop_that_closes_with_opposed_axes_only_is_left_so() {
    // Held a little off the opposite way by a second weld that is right.
    let mut spec = Spec::new();
    spec.body("block", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], 0.05))
        .marker(
            "ground.back",
            Frame::at([0.0; 3]).with_orientation(Orientation::RotationVector([0.0, 0.0, std::f64::consts::PI])),
        )
        .constraint("weld", Joint::weld("ground", "block"))
        .constraint("other", Joint::weld("ground.back", "block"));
    let model = spec.build().unwrap();
    let found = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap();
    assert_eq!(found.ledger.flipped, ["other"]);
    assert!(found.state.q[2].abs() < 1e-12);
}

#[test]
fn a_joint_assembled_with_opposed_axes_is_reported() {
    let mut spec = Spec::new();
    spec.body("block", PlanarBody::new(1.0, 1.0).at([0.0, 0.0], std::f64::consts::PI))
        .constraint("weld", Joint::weld("ground", "block"));
    let model = spec.build().unwrap();
    let found = assemble(&model, &model.initial_state(), &AssemblySettings::default()).unwrap();
    assert_eq!(found.ledger.flipped, ["weld"]);
    assert_eq!(found.state, model.initial_state());
}

#[test]
fn models_without_rows_or_bodies_are_assembled() {
    let empty = Spec::new().build().unwrap();
    assert!(assemble(&empty, &empty.initial_state(), &AssemblySettings::default()).is_ok());
    assert_eq!(rank(&empty, &empty.initial_state()).unwrap().freedoms, 0);
    let mut spec = Spec::new();
    spec.body("free", RigidBody::new(1.0, [1.0, 1.0, 1.0]));
    let free = spec.build().unwrap();
    assert_eq!(rank(&free, &free.initial_state()).unwrap().freedoms, 6);
    let found = assemble(&free, &free.initial_state(), &AssemblySettings::default()).unwrap();
    assert_eq!(found.state, free.initial_state());
    for model in [empty, free] {
        let s = simulate(&model, &model.initial_state(), &Transient::to(1.0).every(0.25)).unwrap();
        assert_eq!(s.len(), 5, "{}", s.outcome);
    }
}
