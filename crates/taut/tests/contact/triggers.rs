//! Events as data: schedules, conditions, and what they do, against closed forms.
#![allow(non_snake_case)]

use crate::common;

use common::{below, close, run, worst};
use taut::analyses::{After, Direction, Integrator, Output, Progress, Simulation, Transient, When, simulate};
use taut::bodies::{BodyKind, EulerAngles, EulerParameters, Rodrigues, Sequence, Variable};
use taut::constraints::{Coupling, PointOnPlane};
use taut::drift::{Drift, Weight};
use taut::dynamics::{Choice, Dynamics};
use taut::formulations::{Exactness, Method};
use taut::motion::{Vec3, Wrench};
use taut::{
    Blame, Deed, Formula, FormulaForce, Frame, Happening, Hold, ImpulseAxes, Joint, Measure, Model, Named, Orientation,
    Outcome, PlanarBody, PointMass, Relation, RigidBody, Signal, Solution, Spec, Trigger,
};

const G: f64 = 9.81;

fn tight(t_end: f64) -> Transient {
    Transient::to(t_end).tolerance(1e-11, 1e-11)
}

fn times(s: &Solution, name: &str) -> Vec<f64> {
    s.events.iter().filter(|o| o.what == Happening::Event && o.name == name).map(|o| o.t).collect()
}

/// Rows recorded at a time, of some columns.
fn rows<const N: usize>(s: &Solution, t: f64, columns: [&str; N]) -> Vec<[f64; N]> {
    let here = |i: &usize| (s.t()[*i] - t).abs() < 1e-9;
    (0..s.len()).filter(here).map(|i| columns.map(|c| s.column(c).unwrap()[i])).collect()
}

const L1: f64 = 0.4;
const L2: f64 = 0.6;
const M1: f64 = 1.0;
const M2: f64 = 2.0;

/// Two rods in a chain that turn against each other, and a lock of their relative turning that does not hold yet.
fn double_pendulum(gravity: f64) -> Spec {
    let mut spec = Spec::new();
    spec.gravity([0.0, -gravity, 0.0])
        .body("one", PlanarBody::rod(M1, L1).at([L1 / 2.0, 0.0], 0.0).moving([0.0, 1.5 * L1 / 2.0], 1.5))
        .body(
            "two",
            PlanarBody::rod(M2, L2).at([L1 + L2 / 2.0, 0.0], 0.0).moving([0.0, 1.5 * L1 - 4.0 * L2 / 2.0], -4.0),
        )
        .marker("one.root", Frame::at([-L1 / 2.0, 0.0, 0.0]))
        .marker("one.tip", Frame::at([L1 / 2.0, 0.0, 0.0]))
        .marker("two.root", Frame::at([-L2 / 2.0, 0.0, 0.0]))
        .constraint("pivot", Joint::pin("ground", "one.root"))
        .constraint("elbow", Joint::pin("one.tip", "two.root"))
        .constraint("weld", Relation::driver(Measure::angle("one", "two"), Hold::Velocity(Signal::constant(0.0))))
        .unlocked("weld");
    spec
}

/// Angular momentum about the pivot, and the inertia about it of both rods as one body.
fn momentum([omega, x, y, vx, vy, omega2]: [f64; 6]) -> (f64, f64) {
    let (J1, J2) = (M1 * L1 * L1 / 12.0, M2 * L2 * L2 / 12.0);
    let L = (J1 + M1 * L1 * L1 / 4.0) * omega + J2 * omega2 + M2 * (x * vy - y * vx);
    (L, J1 + M1 * L1 * L1 / 4.0 + J2 + M2 * (x * x + y * y))
}

const SEEN: [&str; 6] = ["one.omega", "two.x", "two.y", "two.vx", "two.vy", "two.omega"];

#[test]
fn locking_a_moving_joint_is_a_plastic_impact() {
    for gravity in [0.0, G] {
        let mut spec = double_pendulum(gravity);
        spec.event("freeze", Trigger::when("t - 0.25").then(Deed::lock("weld")).then(Deed::Record));
        let model = spec.build().unwrap();
        let s = run(&model, &tight(0.5).every(0.125));
        let sides = rows(&s, 0.25, SEEN);
        assert_eq!(sides.len(), 2, "both sides at the time of an output, each once");
        let ((before, inertia), (after, _)) = (momentum(sides[0]), momentum(sides[1]));
        assert!((sides[0][0] - sides[0][5]).abs() > 1.0, "they turned against each other: {sides:?}");
        close("angular momentum", &[after], &[before], 1e-12);
        close("common rate", &[sides[1][0], sides[1][5]], &[before / inertia; 2], 1e-12);
        let kinetic = rows(&s, 0.25, ["energy.kinetic"]);
        close("energy after", &[kinetic[1][0]], &[before * before / (2.0 * inertia)], 1e-12);
        close("booked", &[s.last("energy.impacts").unwrap()], &[kinetic[0][0] - kinetic[1][0]], 1e-10);
        assert!(s.last("energy.impacts").unwrap() > 0.1);
        close("told", &[s.events[0].lost], &[s.last("energy.impacts").unwrap()], 1e-12);
        below("balance", worst(&s, "energy.balance"), 1e-9);
        close("it stays locked", &[s.last("one.omega").unwrap()], &[s.last("two.omega").unwrap()], 1e-12);
        below("positions stay", (sides[0][1] - sides[1][1]).abs(), 1e-12);
    }
}

#[test]
fn any_method_and_drift_locks_and_unlocks_alike() {
    let mut spec = double_pendulum(G);
    spec.event("freeze", Trigger::at(0.2).then(Deed::lock("weld")))
        .event("thaw", Trigger::at(0.4).then(Deed::unlock("weld")));
    let model = spec.build().unwrap();
    let reference = run(&model, &tight(0.6));
    let expected = ["one.theta", "two.theta", "two.omega"].map(|c| reference.last(c).unwrap());
    let mut exact = 0;
    for method in Method::ALL {
        let choice = Choice { method: *method, ..Choice::default() };
        let settings = Transient::to(0.6).tolerance(1e-9, 1e-9).choice(choice.clone());
        let s = match simulate(&model, &model.initial_state(), &settings) {
            Ok(s) => s,
            Err(e) => {
                // Penalties refuse the default drift control; nobody may refuse an idle row as dependent.
                assert!(!e.to_string().contains("independent"), "{}: {e}", method.name());
                continue;
            }
        };
        assert_eq!(s.outcome, Outcome::Finished, "{}", method.name());
        let found = ["one.theta", "two.theta", "two.omega"].map(|c| s.last(c).unwrap());
        let exactness = Dynamics::new(&model, &choice).exactness();
        if exactness == Exactness::Penalised {
            continue;
        }
        exact += 1;
        close(method.name(), &found, &expected, 1e-6);
        below(method.name(), worst(&s, "energy.balance"), 1e-6);
    }
    assert!(exact >= 8, "{exact} methods tried");
    let drifts = [Drift::None, Drift::Projection(Weight::Identity), Drift::Energy(Weight::Mass)];
    for drift in drifts {
        let name = drift.name();
        let settings = tight(0.6).choice(Choice { drift, ..Choice::default() });
        let s = simulate(&model, &model.initial_state(), &settings).unwrap();
        assert_eq!(s.outcome, Outcome::Finished, "{name}");
        let found = ["one.theta", "two.theta", "two.omega"].map(|c| s.last(c).unwrap());
        close(name, &found, &expected, 1e-7);
        below(name, worst(&s, "energy.balance"), 1e-8);
    }
}

#[test]
fn energy_is_held_to_what_is_due_after_a_loss() {
    let mut spec = double_pendulum(G);
    spec.event("freeze", Trigger::at(0.2).then(Deed::lock("weld")))
        .event("hit", Trigger::at(0.3).then(Deed::push("one.theta", 0.7)));
    let model = spec.build().unwrap();
    let choice = Choice { drift: Drift::Energy(Weight::Mass), ..Choice::default() };
    // A loose tolerance: only the control keeps the balance.
    let coarse = Transient::to(2.0).tolerance(1e-5, 1e-5).every(0.5);
    let held = run(&model, &coarse.clone().choice(choice));
    let free = run(&model, &coarse);
    let at_end = |s: &Solution| s.last("energy.balance").unwrap().abs();
    below("held", at_end(&held), 1e-10);
    assert!(at_end(&free) > 1e-8, "{}", at_end(&free));
}

#[test]
fn a_joint_off_its_position_is_not_locked() {
    let mut spec = double_pendulum(0.0);
    spec.constraint("latch", Relation::driver(Measure::angle("one", "two"), Hold::Position(Signal::constant(0.5))))
        .unlocked("latch")
        .event("early", Trigger::at(0.1).then(Deed::lock("latch")));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(1.0)).unwrap();
    let Outcome::ConstraintsLost { t, blame: Blame::Constraint { row, residual } } = &s.outcome else {
        panic!("{}", s.outcome)
    };
    close("when", &[*t], &[0.1], 1e-12);
    assert_eq!(row, "latch.relation");
    assert!(*residual > 0.1, "{residual}");
    assert_eq!(s.final_state().modes[model.constraint("latch").unwrap()], taut::Mode::Idle);
    // What is refused has cost nothing, though the two turned against each other.
    assert_eq!(s.last("energy.impacts").unwrap(), 0.0);
    below("balance", worst(&s, "energy.balance"), 1e-9);

    // Where it passes its position it can be: the latch falls in.
    let mut spec = double_pendulum(0.0);
    spec.constraint("latch", Relation::driver(Measure::angle("one", "two"), Hold::Position(Signal::constant(-0.5))))
        .unlocked("latch")
        .measure("bend", Measure::angle("one", "two"))
        .event("fall in", Trigger::when("bend + 0.5").falling().once().then(Deed::lock("latch")));
    let s = run(&spec.build().unwrap(), &tight(1.0));
    close("latched", &[s.last("bend").unwrap(), s.last("bend.rate").unwrap()], &[-0.5, 0.0], 1e-10);
    below("balance", worst(&s, "energy.balance"), 1e-9);
}

#[test]
fn what_is_released_falls() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("load", PlanarBody::new(2.0, 0.1).at([0.3, 1.0], 0.0))
        .constraint("hook", Joint::fixed("ground.hook", "load"))
        .marker("ground.hook", Frame::at([0.3, 1.0, 0.0]))
        .event("release", Trigger::when("t - 1").then(Deed::unlock("hook")));
    let s = run(&spec.build().unwrap(), &tight(1.5).every(0.25));
    for (t, y) in s.t().iter().zip(s.column("load.y").unwrap()) {
        let fall = (t - 1.0).max(0.0);
        close("height", &[*y], &[1.0 - 0.5 * G * fall * fall], 1e-10);
    }
    assert_eq!(times(&s, "release").len(), 1);
    close("when", &times(&s, "release"), &[1.0], 1e-14);
    below("balance", worst(&s, "energy.balance"), 1e-9);
    close("no reaction", &[s.last("hook.lambda_y").unwrap_or(0.0)], &[0.0], 0.0);
}

#[test]
fn an_impulse_on_a_bar() {
    let (m, L, p) = (3.0, 0.8, 1.7);
    let mut spec = Spec::new();
    spec.body("bar", PlanarBody::rod(m, L).at([0.0, 0.0], 0.6))
        .marker("bar.tip", Frame::at([L / 2.0, 0.0, 0.0]))
        .marker("bar.root", Frame::at([-L / 2.0, 0.0, 0.0]));
    let across =
        Deed::Impulse { marker: "bar.tip".into(), force: [0.0, p, 0.0], moment: [0.0; 3], axes: ImpulseAxes::Marker };
    let hit = Trigger::at(0.5).then(across).then(Deed::Record);
    let mut free = spec.clone();
    free.event("hit", hit.clone());
    let s = run(&free.build().unwrap(), &tight(1.0));
    let after = rows(&s, 0.5, ["bar.vx", "bar.vy", "bar.omega", "energy.work", "energy.kinetic"])[1];
    let (v, omega) = (p / m, 6.0 * p / (m * L));
    let work = 0.5 * m * v * v + 0.5 * m * L * L / 12.0 * omega * omega;
    close("free bar", &after, &[-v * 0.6_f64.sin(), v * 0.6_f64.cos(), omega, work, work], 1e-13);
    below("balance", worst(&s, "energy.balance"), 1e-10);

    // Held at its other end: ω = p L / (m L²/3), and the pin takes −p/2 + … without work.
    let at = [-L / 2.0 * 0.6_f64.cos(), -L / 2.0 * 0.6_f64.sin(), 0.0];
    spec.marker("ground.pin", Frame::at(at)).constraint("pin", Joint::pin("ground.pin", "bar.root"));
    let mut pinned = spec.clone();
    pinned.event("hit", hit);
    let s = run(&pinned.build().unwrap(), &tight(1.0));
    let omega = 3.0 * p / (m * L);
    let work = m * L * L / 6.0 * omega * omega;
    let after = rows(&s, 0.5, ["bar.omega", "energy.work"])[1];
    close("pinned bar", &after, &[omega, work], 1e-12);
    below("balance", worst(&s, "energy.balance"), 1e-10);

    // The same as a push on the angle, J = p L about the pin, and as a moment on any of its frames.
    let moment =
        Deed::Impulse { marker: "bar".into(), force: [0.0; 3], moment: [0.0, 0.0, p * L], axes: ImpulseAxes::World };
    for deed in [Deed::push("bar.theta", p * L), moment] {
        let mut pushed = spec.clone();
        pushed.event("push", Trigger::at(0.5).then(deed).then(Deed::Record));
        let s = run(&pushed.build().unwrap(), &tight(1.0));
        close("pushed bar", &rows(&s, 0.5, ["bar.omega", "energy.work"])[1], &[omega, work], 1e-12);
    }
}

fn oscillator() -> Spec {
    let mut spec = Spec::new();
    spec.body("k", Variable::new(4.0))
        .body("mass", PointMass::new(1.0, [1.0, 0.0, 0.0]))
        .force("spring", FormulaForce::new(Measure::coordinate("mass.x"), "-k.value*mass.x").unwrap());
    spec
}

#[test]
fn a_variable_changes_a_spring() {
    let mut spec = oscillator();
    spec.event("stiffen", Trigger::at(1.0).then(Deed::set("k.value", "k.value + 5")));
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
    spec.event("up", Trigger::when("mass.x").rising().then(Deed::set("up.value", "up.value + 1")))
        .event("down", Trigger::when("mass.x").falling().then(Deed::set("down.value", "down.value + 1")))
        .event("both", Trigger::when("mass.x").then(Deed::set("both.value", "both.value + 1")))
        .event("first", Trigger::when("mass.x").once().then(Deed::set("first.value", "first.value + 1")));
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
        .event("double", Trigger::at(1.0).then(Deed::set("n.value", "2*n.value")))
        .event("add", Trigger::at(1.0).then(Deed::set("n.value", "n.value + 3")))
        .event("start", Trigger::when("t").then(Deed::Stop))
        .event("past", Trigger::when("t + 1").then(Deed::Stop));
    let s = run(&spec.build().unwrap(), &tight(2.0));
    assert_eq!(s.last("n.value").unwrap(), 5.0);
    let told: Vec<(&str, usize)> = s.events.iter().map(|o| (o.name.as_str(), o.index)).collect();
    assert_eq!(told, [("double", 0), ("add", 1)], "nothing fires at a start that is zero or past it");
}

#[test]
fn stop_and_record() {
    let mut spec = oscillator();
    spec.event("mark", Trigger::when("mass.vx + 1").then(Deed::Record))
        .event("end", Trigger::when("mass.x").rising().then(Deed::set("k.value", "0")).then(Deed::Stop));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(10.0).at(vec![0.5, 5.0])).unwrap();
    let end = 0.75 * std::f64::consts::PI;
    assert_eq!(s.outcome, Outcome::Event { name: "end".to_string(), t: s.final_state().t });
    close("end", &[s.final_state().t], &[end], 1e-9);
    assert_eq!(model.get(s.final_state(), "k.value").unwrap(), 0.0, "other deeds come before the stop");
    // −2 sin 2t = −1 at 2t = π/6 and 5π/6.
    let marks = [std::f64::consts::PI / 12.0, 5.0 * std::f64::consts::PI / 12.0];
    close("times of rows", s.t(), &[marks[0], 0.5, marks[1], end], 1e-9);

    // With every step recorded a row more is in its order, and nothing is there twice.
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
        .event("thrice", Trigger::when("turn - 6*pi").then(Deed::Stop))
        .event("zero", Trigger::when("turn + 0.001").then(Deed::Stop));
    let model = spec.build().unwrap();
    for columns in [taut::Columns::default(), taut::Columns::Only(vec![taut::Family::State])] {
        let s = simulate(&model, &model.initial_state(), &tight(20.0).columns(columns)).unwrap();
        assert_eq!(s.outcome, Outcome::Event { name: "thrice".into(), t: s.final_state().t });
        close("three turns", &[s.final_state().t], &[3.0 * std::f64::consts::PI], 1e-9);
    }
}

#[test]
fn contacts_and_brakes_answer_to_impulses() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", PointMass::new(2.0, [0.0; 3]))
        .constraint("floor", PointOnPlane::new("ground", "ball"))
        .event("kick", Trigger::at(0.5).then(Deed::impulse("ball", [0.0, 0.0, 3.0])));
    let s = run(&spec.build().unwrap(), &tight(0.7).every(0.1));
    let (v, t) = (1.5, 0.2);
    close("it flies", &[s.last("ball.z").unwrap()], &[v * t - 0.5 * G * t * t], 1e-9);
    below("balance", worst(&s, "energy.balance"), 1e-9);

    // A brake engaged on a turning wheel slows it by its capacity, and a freewheel stops it at once.
    let wheel = || {
        let mut spec = Spec::new();
        spec.body("wheel", PlanarBody::new(1.0, 0.5).moving([0.0, 0.0], 2.0))
            .constraint("axle", Joint::pin("ground", "wheel"));
        spec
    };
    let angle = || Measure::angle("ground", "wheel");
    let mut braked = wheel();
    braked
        .constraint("brake", Coupling::brake(angle(), 0.25))
        .unlocked("brake")
        .event("press", Trigger::at(1.0).then(Deed::lock("brake")))
        .event("let go", Trigger::at(3.0).then(Deed::unlock("brake")));
    let s = run(&braked.build().unwrap(), &tight(4.0).every(0.5));
    close("slowed", &[s.last("wheel.omega").unwrap()], &[1.0], 1e-9);
    close("rubbed off", &[s.last("energy.friction").unwrap()], &[0.75], 1e-9);
    below("balance", worst(&s, "energy.balance"), 1e-9);

    let mut stopped = wheel();
    stopped
        .constraint("freewheel", Coupling::one_way(angle(), taut::constraints::Sense::Negative))
        .unlocked("freewheel")
        .event("engage", Trigger::at(1.0).then(Deed::lock("freewheel")));
    let s = run(&stopped.build().unwrap(), &tight(2.0).every(0.5));
    close("stopped", &[s.last("wheel.omega").unwrap()], &[0.0], 1e-9);
    close("lost", &[s.last("energy.impacts").unwrap()], &[1.0], 1e-9);
    below("balance", worst(&s, "energy.balance"), 1e-9);
}

#[test]
fn a_variable_may_not_tear_a_constraint() {
    let mut spec = Spec::new();
    spec.body("level", Variable::new(0.0))
        .body("bead", PointMass::new(1.0, [0.0; 3]).moving([1.0, 0.0, 0.0]))
        .constraint("wire", Formula::phi("bead.y - level.value").unwrap())
        .event("lift", Trigger::at(0.5).then(Deed::set("level.value", "0.1")));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(1.0)).unwrap();
    let Outcome::ConstraintsLost { blame: Blame::Constraint { row, .. }, .. } = &s.outcome else {
        panic!("{}", s.outcome)
    };
    assert_eq!(row, "wire.phi");
    assert_eq!(model.get(s.final_state(), "level.value").unwrap(), 0.0);
}

#[test]
fn chatter_ends_the_run() {
    // Every 8e-14 s the bead is pushed back to fall anew.
    let mut spec = Spec::new();
    spec.body("bead", PointMass::new(1.0, [1.0, 0.0, 0.0]).moving([1e-3, 0.0, 0.0]))
        .force("down", FormulaForce::new(Measure::coordinate("bead.x"), "-10").unwrap())
        .event("grasp", Trigger::when("bead.vx + 4e-13").falling().then(Deed::push("bead.x", 8e-13)));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(2.0)).unwrap();
    let Outcome::Chatter { t, names } = &s.outcome else { panic!("{}", s.outcome) };
    close("when", &[*t], &[1e-4], 1e-9);
    assert_eq!(names, &["grasp"]);
}

#[test]
fn idle_rows_are_as_if_they_were_not_there() {
    let with = double_pendulum(G).build().unwrap();
    let mut without = double_pendulum(G);
    without.constraints.pop();
    without.unlocked.clear();
    let without = without.build().unwrap();
    for method in Method::ALL {
        let choice = Choice { method: *method, ..Choice::default() };
        let [a, b] = [&with, &without].map(|model| {
            let s = model.initial_state();
            let mut d = Dynamics::new(model, &choice);
            d.accelerate(s.t, &s.q, &s.v, &s.z).unwrap();
            assert_eq!(d.refuses().filter(|why| why.contains("independent")), None, "{}", method.name());
            (d.vdot, d.lambda)
        });
        close(method.name(), &a.0, &b.0, 1e-9);
        close(method.name(), &a.1[..4], &b.1, 1e-8);
        assert_eq!(a.1[4], 0.0, "{}", method.name());
    }
}

#[test]
fn what_a_closure_changes_is_booked() {
    let model = double_pendulum(G).build().unwrap();
    let weld = model.constraint("weld").unwrap();
    let slower = When::new("slower", |seen| seen.t - 0.1).then(|_, change| {
        change.v.iter_mut().for_each(|v| *v *= 0.5);
        After::Jump
    });
    let lock = When::new("lock", |seen| seen.t - 0.2).then(move |_, change| {
        change.modes[weld] = taut::Mode::Active;
        After::Jump
    });
    let kick = When::new("kick", |seen| seen.t - 0.3).then(|seen, change| {
        let tip = seen.model().marker("one.tip").unwrap();
        change.hit(tip, Wrench::force(Vec3::new(0.0, 1.0, 0.0)));
        After::Continue
    });
    // One rod is turned faster by hand; the other has to follow.
    let hand = When::new("hand", |seen| seen.t - 0.4).then(|_, change| {
        change.v[2] += 1.0;
        After::Jump
    });
    let settings = tight(0.5).every(0.05);
    let mut simulation = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    for event in [slower, lock, kick, hand] {
        simulation.watch(Box::new(event));
    }
    simulation.run();
    let s = simulation.into_solution();
    assert_eq!(s.outcome, Outcome::Finished);
    assert_eq!(s.events.len(), 4);
    below("balance", worst(&s, "energy.balance"), 1e-9);
    below("rates", worst(&s, "residual.velocity"), 1e-11);
    let losses: Vec<bool> = s.events.iter().map(|o| o.lost > 1e-3).collect();
    assert_eq!(losses, [false, true, false, false]);
}

/// A top in a ball joint that is hit, and a counter that makes every step end in a jump.
fn hit_top(body: impl Into<BodyKind>) -> Solution {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("n", Variable::new(0.0))
        .body("body", body)
        .marker("body.tip", Frame::at([0.1, 0.0, 1.3]))
        .constraint("ball", Joint::spherical("ground", "body"))
        .event("tick", Trigger::when("sin(200*t)").then(Deed::set("n.value", "n.value + 1")))
        .event("hit", Trigger::at(0.7).then(Deed::impulse("body.tip", [2.0, -3.0, 1.0])));
    // A step that ends in an event is as good as its dense output, some digits less than a whole step: the tolerance is
    // tighter than what is asked for.
    run(&spec.build().unwrap(), &Transient::to(1.5).tolerance(1e-13, 1e-13).every(0.25))
}

#[test]
fn every_description_of_a_rotation_takes_impulses() {
    let rigid = || {
        RigidBody::new(5.0, [0.8, 0.8, 1.0])
            .com([0.0, 0.0, 1.3])
            .turned(Orientation::RotationVector([1.2, 0.4, 0.0]))
            .moving([0.0; 3], [3.0, 2.0, 12.0])
    };
    let reference = hit_top(rigid());
    let names = ["body.wx", "body.wz", "body.tip.x", "body.tip.vz", "energy.work", "n.value"];
    let expected = names.map(|name| reference.last(name).unwrap());
    assert!(expected[4].abs() > 1.0 && expected[5] > 90.0, "{expected:?}");
    below("balance", worst(&reference, "energy.balance"), 1e-8);
    let others: [BodyKind; 4] = [
        EulerParameters { rigid: rigid() }.into(),
        Rodrigues { rigid: rigid() }.into(),
        EulerAngles::new(rigid(), Sequence::Zxz).into(),
        EulerAngles::new(rigid(), Sequence::Xyz).into(),
    ];
    for (i, body) in others.into_iter().enumerate() {
        let s = hit_top(body);
        close(&format!("description {i}"), &names.map(|name| s.last(name).unwrap()), &expected, 1e-7);
        below(&format!("balance {i}"), worst(&s, "energy.balance"), 1e-7);
    }
}

#[test]
fn a_pose_that_an_event_makes_singular_is_written_anew_at_once() {
    let mut spec = Spec::new();
    spec.body("body", Rodrigues { rigid: RigidBody::new(1.0, [1.0; 3]) });
    let model = spec.build().unwrap();
    let settings = tight(1.0);
    let mut simulation = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    let (q, _) = model.state_names();
    let first = q.iter().position(|q| q.name == "body.gx").unwrap();
    // Half a turn but for a little: g is large there.
    simulation.watch(Box::new(When::new("turn", |seen| seen.t - 0.5).then(move |_, change| {
        change.q[first] = 1e3;
        After::Jump
    })));
    simulation.watch(Box::new(When::new("stop", |seen| seen.t - 0.5).stop()));
    simulation.run();
    let last = simulation.state();
    assert_eq!(last.t, 0.5);
    assert!(last.q.iter().all(|q| q.abs() < 10.0), "{:?}", last.q);
    let s = simulation.into_solution();
    let turned = ["body.qw", "body.qx"].map(|c| s.last(c).unwrap().abs());
    assert!(turned[0] < 0.01 && turned[1] > 0.99, "it is the same pose: {turned:?}");
}

/// The error of a model with this event.
fn refused(trigger: Trigger) -> String {
    let mut spec = double_pendulum(0.0);
    spec.body("k", Variable::new(1.0))
        .body("ball", PointMass::new(1.0, [0.0, 0.0, 1.0]))
        .constraint("floor", PointOnPlane::new("ground", "ball"))
        .measure("bend", Measure::angle("one", "two"))
        .event("odd", trigger);
    spec.build().unwrap_err().to_string()
}

#[test]
fn bad_names_are_refused_with_the_nearest() {
    let cases = [
        (Trigger::when("one.thetta"), "did you mean `one.theta`?"),
        (Trigger::when("bent - 1"), "'bend'"),
        (Trigger::when("bend.rat"), "did you mean `bend.rate`?"),
        (Trigger::when("sin(t"), "when"),
        (Trigger::at(1.0).then(Deed::lock("weldd")), "did you mean `weld`?"),
        (Trigger::at(1.0).then(Deed::unlock("floor")), "opens and closes by itself"),
        (Trigger::at(1.0).then(Deed::set("k.valu", "1")), "did you mean `k.value`?"),
        (Trigger::at(1.0).then(Deed::set("one.theta", "1")), "only variables can be set"),
        (Trigger::at(1.0).then(Deed::set("k.value", "2*k.val")), "did you mean `k.value`?"),
        (Trigger::at(1.0).then(Deed::impulse("one.tpi", [1.0, 0.0, 0.0])), "did you mean `one.tip`?"),
        (Trigger::at(1.0).then(Deed::push("one.tetha", 1.0)), "did you mean `one.theta`?"),
        (Trigger::at(1.0).then(Deed::push("one.theta", f64::NAN)), "must be finite"),
    ];
    for (trigger, expected) in cases {
        let error = refused(trigger);
        assert!(error.contains("event `odd`") && error.contains(expected), "{error}");
    }
    let mut spec = double_pendulum(0.0);
    spec.event("a", Trigger::at(1.0)).event("a", Trigger::at(2.0));
    assert!(spec.build().unwrap_err().to_string().contains("among events"));
    let mut spec = double_pendulum(0.0);
    spec.unlocked("elbo");
    assert!(spec.build().unwrap_err().to_string().contains("did you mean `elbow`?"));
}

#[test]
fn it_is_data() {
    let json = r#"{"name":"stop","when":"t - 2","direction":"rising","times":"once","then":["record",{"lock":{"constraint":"weld"}},{"set":{"variable":"k.value","to":"1"}},{"push":{"coordinate":"one.theta","impulse":2.0}},"stop"]}"#;
    let event: Named<Trigger> = serde_json::from_str(json).unwrap();
    assert_eq!(event.item.direction, Direction::Rising);
    assert_eq!(serde_json::to_string(&event).unwrap(), json);
    let short: Trigger = serde_json::from_str(r#"{"when":"t - 2"}"#).unwrap();
    assert_eq!(short, Trigger::when("t - 2"));
    assert!(serde_json::from_str::<Trigger>(r#"{"when":"t","than":[]}"#).is_err());
    assert!(serde_json::from_str::<Deed>(r#"{"lock":{"constrain":"weld"}}"#).is_err());
    let spec = double_pendulum(1.0);
    let again: Spec = serde_json::from_str(&serde_json::to_string(&spec).unwrap()).unwrap();
    assert_eq!(again.build().unwrap().initial_state(), spec.build().unwrap().initial_state());
}

fn busy() -> Model {
    let mut spec = double_pendulum(G);
    spec.body("n", Variable::new(0.0))
        .measure("bend", Measure::angle("one", "two"))
        .event("freeze", Trigger::when("bend + 0.5").once().then(Deed::lock("weld")).then(Deed::Record))
        .event("hit", Trigger::at(0.45).then(Deed::push("one.theta", 0.2)).then(Deed::set("n.value", "n.value + 1")))
        .event("thaw", Trigger::at(0.5).then(Deed::unlock("weld")));
    spec.build().unwrap()
}

#[test]
fn runs_repeat_bit_by_bit_and_resume_across_events() {
    let model = busy();
    for integrator in [Integrator::Dop853, Integrator::Rk4] {
        let settings = tight(0.8).every(0.05).integrator(integrator).first_step(2e-3);
        let whole = run(&model, &settings);
        let again = run(&model, &settings);
        assert_eq!(whole.table, again.table);
        assert_eq!(whole.events.len(), 3);
        let state = model.initial_state();
        let mut walk = Simulation::new(&model, &state, &settings).unwrap();
        let mut checkpoints = Vec::new();
        while walk.step() == Progress::Underway {
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
            while resumed.step() == Progress::Underway {}
            let resumed = resumed.solution();
            assert_eq!(resumed.final_state(), walked.final_state(), "{integrator:?} from {k} of {count}");
            for name in ["energy.work", "energy.impacts", "energy.balance", "two.omega", "n.value"] {
                let found = (resumed.last(name).unwrap().to_bits(), walked.last(name).unwrap().to_bits());
                assert_eq!(found.0, found.1, "{name} {integrator:?} from {k} of {count}");
            }
        }
        // Back across the events in the same simulation: `once` is once again.
        walk.restore(&checkpoints[0]).unwrap();
        while walk.step() == Progress::Underway {}
        assert_eq!(walk.solution().table, walked.table);
        assert_eq!(walk.solution().events, walked.events);
    }
}
