//! When events fire, how often and in which order, and how a run resumes across them.

use super::{G, double_pendulum, oscillator, rows, tight, times};
use crate::common::{below, close, run, worst};
use taut::analyses::{Integrator, Output, Run, RunStatus, Simulation, simulate};
use taut::bodies::Variable;
use taut::{
    Action, Cause, Formula, FormulaForce, Joint, Measure, Model, Outcome, PlanarBody, PointMass, Spec, Trigger,
};

#[test]
fn a_variable_changes_a_spring() {
    let mut spec = oscillator();
    spec.event("stiffen", Trigger::at(1.0).then(Action::set("k.value", "k.value + 5")));
    let s = run(&spec.build().unwrap(), &tight(3.0).every(0.1));
    let (x1, v1) = (2.0_f64.cos(), -2.0 * 2.0_f64.sin());
    for (i, t) in s.t().iter().enumerate() {
        let x =
            if *t <= 1.0 { (2.0 * t).cos() } else { x1 * (3.0 * (t - 1.0)).cos() + v1 / 3.0 * (3.0 * (t - 1.0)).sin() };
        close("x", &[s.column("mass.x").unwrap()[i]], &[x], 1e-9);
    }
    assert_eq!(s.last("k.value").unwrap(), 9.0);
    below("balance", worst(&s, "energy.balance"), 1e-9);
}

#[test]
fn directions_once_and_counting() {
    let mut spec = oscillator();
    spec.body("up", Variable::new(0.0)).body("down", Variable::new(0.0)).body("both", Variable::new(0.0));
    spec.body("first", Variable::new(0.0));
    spec.event("up", Trigger::when("mass.x").rising().then(Action::set("up.value", "up.value + 1")))
        .event("down", Trigger::when("mass.x").falling().then(Action::set("down.value", "down.value + 1")))
        .event("both", Trigger::when("mass.x").then(Action::set("both.value", "both.value + 1")))
        .event("first", Trigger::when("mass.x").once().then(Action::set("first.value", "first.value + 1")));
    let s = run(&spec.build().unwrap(), &tight(10.0));
    // cos 2t falls through zero at π/4 + kπ and rises at 3π/4 + kπ.
    let counts = ["up.value", "down.value", "both.value", "first.value"].map(|c| s.last(c).unwrap());
    assert_eq!(counts, [3.0, 3.0, 6.0, 1.0]);
    let zeros: Vec<f64> = (0..6).map(|k| std::f64::consts::PI * (0.25 + 0.5 * f64::from(k))).collect();
    close("zeros", &times(&s, "both"), &zeros, 1e-9);
}

#[test]
fn events_of_one_time_follow_the_order_of_the_model() {
    let mut spec = oscillator();
    spec.body("n", Variable::new(1.0))
        .event("double", Trigger::at(1.0).then(Action::set("n.value", "2*n.value")))
        .event("add", Trigger::at(1.0).then(Action::set("n.value", "n.value + 3")))
        .event("start", Trigger::when("t").then(Action::Stop))
        .event("past", Trigger::when("t + 1").then(Action::Stop));
    let s = run(&spec.build().unwrap(), &tight(2.0));
    assert_eq!(s.last("n.value").unwrap(), 5.0);
    let reported: Vec<(&str, usize)> = s.events.iter().map(|o| (o.name.as_str(), o.index)).collect();
    assert_eq!(reported, [("double", 0), ("add", 1)], "nothing fires at a start that is zero or past it");
}

#[test]
fn stop_and_record() {
    let mut spec = oscillator();
    spec.event("mark", Trigger::when("mass.vx + 1").then(Action::Record))
        .event("end", Trigger::when("mass.x").rising().then(Action::set("k.value", "0")).then(Action::Stop));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(10.0).at(vec![0.5, 5.0])).unwrap();
    let end = 0.75 * std::f64::consts::PI;
    assert_eq!(s.outcome, Outcome::Event { name: "end".to_string(), t: s.final_state().t });
    close("end", &[s.final_state().t], &[end], 1e-9);
    assert_eq!(model.get(s.final_state(), "k.value").unwrap(), 0.0, "other actions come before the stop");
    // −2 sin 2t = −1 at 2t = π/6 and 5π/6.
    let marks = [std::f64::consts::PI / 12.0, 5.0 * std::f64::consts::PI / 12.0];
    close("times of rows", s.t(), &[marks[0], 0.5, marks[1], end], 1e-9);

    // With every step recorded, the additional row is in order, and no row is duplicated.
    let s = simulate(&model, &model.initial_state(), &tight(10.0).output(Output::Steps)).unwrap();
    assert!(s.t().windows(2).all(|t| t[0] <= t[1]));
    for mark in marks {
        assert_eq!(rows(&s, mark, ["mass.x"]).len(), 1);
    }
    assert_eq!(rows(&s, end, ["k.value"]), [[4.0], [0.0]]);
}

#[test]
fn angles_are_counted_through_turns() {
    let mut spec = Spec::new();
    spec.body("wheel", PlanarBody::new(1.0, 0.5).moving([0.0, 0.0], 2.0))
        .constraint("axle", Joint::pin("ground", "wheel"))
        .measure("turn", Measure::angle("ground", "wheel"))
        .event("thrice", Trigger::when("turn - 6*pi").then(Action::Stop))
        .event("zero", Trigger::when("turn + 0.001").then(Action::Stop));
    let model = spec.build().unwrap();
    for columns in [taut::Columns::default(), taut::Columns::Only(vec![taut::ColumnFamily::State])] {
        let s = simulate(&model, &model.initial_state(), &tight(20.0).columns(columns)).unwrap();
        assert_eq!(s.outcome, Outcome::Event { name: "thrice".into(), t: s.final_state().t });
        close("three turns", &[s.final_state().t], &[3.0 * std::f64::consts::PI], 1e-9);
    }
}

#[test]
fn a_variable_may_not_violate_a_constraint() {
    let mut spec = Spec::new();
    spec.body("level", Variable::new(0.0))
        .body("bead", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
        .constraint("wire", Formula::phi("bead.y - level.value").unwrap())
        .event("lift", Trigger::at(0.5).then(Action::set("level.value", "0.1")));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(1.0)).unwrap();
    let Outcome::ConstraintsLost { cause: Cause::Constraint { row, .. }, .. } = &s.outcome else {
        panic!("{}", s.outcome)
    };
    assert_eq!(row, "wire.phi");
    assert_eq!(model.get(s.final_state(), "level.value").unwrap(), 0.0);
}

#[test]
fn chatter_ends_the_run() {
    // The bead is pushed back every 8e-14 s and falls again.
    let mut spec = Spec::new();
    spec.body("bead", PointMass::new(1.0, [1.0, 0.0, 0.0]).moving([1e-3, 0.0, 0.0]))
        .force("down", FormulaForce::new(Measure::coordinate("bead.x"), "-10").unwrap())
        .event("grasp", Trigger::when("bead.vx + 4e-13").falling().then(Action::push("bead.x", 8e-13)));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(2.0)).unwrap();
    let Outcome::Chatter { t, names } = &s.outcome else { panic!("{}", s.outcome) };
    close("when", &[*t], &[1e-4], 1e-9);
    assert_eq!(names, &["grasp"]);
}

/// A chain with events of three kinds.
fn model_with_events() -> Model {
    let mut spec = double_pendulum(G);
    spec.body("n", Variable::new(0.0))
        .measure("bend", Measure::angle("one", "two"))
        .event("freeze", Trigger::when("bend + 0.5").once().then(Action::lock("weld")).then(Action::Record))
        .event(
            "hit",
            Trigger::at(0.45).then(Action::push("one.theta", 0.2)).then(Action::set("n.value", "n.value + 1")),
        )
        .event("thaw", Trigger::at(0.5).then(Action::unlock("weld")));
    spec.build().unwrap()
}

#[test]
fn runs_repeat_bit_by_bit_and_resume_across_events() {
    let model = model_with_events();
    for integrator in [Integrator::Dop853, Integrator::Rk4] {
        let settings = tight(0.8).every(0.05).integrator(integrator).first_step(2e-3);
        let whole = run(&model, &settings);
        let again = run(&model, &settings);
        assert_eq!(whole.table, again.table);
        assert_eq!(whole.events.len(), 3);
        let state = model.initial_state();
        let mut walk = Simulation::new(&model, &state, &settings).unwrap();
        let mut checkpoints = Vec::new();
        while walk.step() == RunStatus::Underway {
            checkpoints.push(walk.checkpoint());
        }
        let walked = walk.solution();
        assert_eq!(walked.outcome, Outcome::Finished);
        // Before, between and after the events.
        let count = checkpoints.len();
        for k in [0, count / 3, count / 2, 2 * count / 3, count - 1] {
            let text = serde_json::to_string(&checkpoints[k]).unwrap();
            let mut resumed = Simulation::new(&model, &state, &settings).unwrap();
            resumed.restore(&serde_json::from_str(&text).unwrap()).unwrap();
            while resumed.step() == RunStatus::Underway {}
            let resumed = resumed.solution();
            assert_eq!(resumed.final_state(), walked.final_state(), "{integrator:?} from {k} of {count}");
            for name in ["energy.work", "energy.impacts", "energy.balance", "two.omega", "n.value"] {
                let found = (resumed.last(name).unwrap().to_bits(), walked.last(name).unwrap().to_bits());
                assert_eq!(found.0, found.1, "{name} {integrator:?} from {k} of {count}");
            }
        }
        // Back across the events in the same simulation: `once` events can fire again.
        walk.restore(&checkpoints[0]).unwrap();
        while walk.step() == RunStatus::Underway {}
        assert_eq!(walk.solution().table, walked.table);
        assert_eq!(walk.solution().events, walked.events);
    }
}
