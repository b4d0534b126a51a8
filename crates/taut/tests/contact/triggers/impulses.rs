//! Impulses and other jumps of the state, with the energy they cost.

use super::{G, double_pendulum, rows, tight};
use crate::common::{below, close, run, worst};
use taut::analyses::{EventFunction, Run, RunAction, Simulation, Transient};
use taut::bodies::{AxisSequence, BodyKind, EulerAngles, EulerParameters, Rodrigues, Variable};
use taut::constraints::{Coupling, PointPlaneContact};
use taut::motion::{Vec3, Wrench};
use taut::{
    Action, Frame, ImpulseAxes, Joint, Measure, Orientation, Outcome, PlanarBody, PointMass, RigidBody, Solution, Spec,
    Trigger,
};

#[test]
fn an_impulse_on_a_bar() {
    let (m, L, p) = (3.0, 0.8, 1.7);
    let mut spec = Spec::new();
    spec.body("bar", PlanarBody::rod(m, L).at([0.0, 0.0], 0.6))
        .marker("bar.tip", Frame::at([L / 2.0, 0.0, 0.0]))
        .marker("bar.root", Frame::at([-L / 2.0, 0.0, 0.0]));
    let across =
        Action::Impulse { marker: "bar.tip".into(), force: [0.0, p, 0.0], moment: [0.0; 3], axes: ImpulseAxes::Marker };
    let hit = Trigger::at(0.5).then(across).then(Action::Record);
    let mut free = spec.clone();
    free.event("hit", hit.clone());
    let s = run(&free.build().unwrap(), &tight(1.0));
    let after = rows(&s, 0.5, ["bar.vx", "bar.vy", "bar.omega", "energy.work", "energy.kinetic"])[1];
    let (v, omega) = (p / m, 6.0 * p / (m * L));
    let work = 0.5 * m * v * v + 0.5 * m * L * L / 12.0 * omega * omega;
    close("free bar", &after, &[-v * 0.6_f64.sin(), v * 0.6_f64.cos(), omega, work, work], 1e-13);
    below("balance", worst(&s, "energy.balance"), 1e-10);

    // Pinned at its other end: ω = p L / (m L²/3), and the pin impulse −p/2 + … does no work.
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
        Action::Impulse { marker: "bar".into(), force: [0.0; 3], moment: [0.0, 0.0, p * L], axes: ImpulseAxes::World };
    for action in [Action::push("bar.theta", p * L), moment] {
        let mut pushed = spec.clone();
        pushed.event("push", Trigger::at(0.5).then(action).then(Action::Record));
        let s = run(&pushed.build().unwrap(), &tight(1.0));
        close("pushed bar", &rows(&s, 0.5, ["bar.omega", "energy.work"])[1], &[omega, work], 1e-12);
    }
}

#[test]
fn contacts_and_brakes_react_to_impulses() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("ball", PointMass::new(2.0, [0.0; 3]))
        .constraint("floor", PointPlaneContact::new("ground", "ball"))
        .event("kick", Trigger::at(0.5).then(Action::impulse("ball", [0.0, 0.0, 3.0])));
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
        .event("press", Trigger::at(1.0).then(Action::lock("brake")))
        .event("let go", Trigger::at(3.0).then(Action::unlock("brake")));
    let s = run(&braked.build().unwrap(), &tight(4.0).every(0.5));
    close("slowed", &[s.last("wheel.omega").unwrap()], &[1.0], 1e-9);
    close("rubbed off", &[s.last("energy.friction").unwrap()], &[0.75], 1e-9);
    below("balance", worst(&s, "energy.balance"), 1e-9);

    let mut stopped = wheel();
    stopped
        .constraint("freewheel", Coupling::one_way(angle(), taut::constraints::Sense::Negative))
        .unlocked("freewheel")
        .event("engage", Trigger::at(1.0).then(Action::lock("freewheel")));
    let s = run(&stopped.build().unwrap(), &tight(2.0).every(0.5));
    close("stopped", &[s.last("wheel.omega").unwrap()], &[0.0], 1e-9);
    close("lost", &[s.last("energy.impacts").unwrap()], &[1.0], 1e-9);
    below("balance", worst(&s, "energy.balance"), 1e-9);
}

#[test]
fn state_changes_by_a_closure_enter_the_energy_balance() {
    let model = double_pendulum(G).build().unwrap();
    let weld = model.constraint("weld").unwrap();
    let slower = EventFunction::new("slower", |seen| seen.t - 0.1).then(|_, change| {
        change.v.iter_mut().for_each(|v| *v *= 0.5);
        RunAction::Jump
    });
    let lock = EventFunction::new("lock", |seen| seen.t - 0.2).then(move |_, change| {
        change.modes[weld] = taut::ConstraintMode::Active;
        RunAction::Jump
    });
    let kick = EventFunction::new("kick", |seen| seen.t - 0.3).then(|seen, change| {
        let tip = seen.model().find_marker("one.tip").unwrap();
        change.apply_impulse(tip, Wrench::force(Vec3::new(0.0, 1.0, 0.0)));
        RunAction::Continue
    });
    // The closure increases the velocity of one rod; the other has to follow.
    let hand = EventFunction::new("hand", |seen| seen.t - 0.4).then(|_, change| {
        change.v[2] += 1.0;
        RunAction::Jump
    });
    let settings = tight(0.5).every(0.05);
    let mut simulation = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    for event in [slower, lock, kick, hand] {
        simulation.add_event(Box::new(event));
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
        .event("tick", Trigger::when("sin(200*t)").then(Action::set("n.value", "n.value + 1")))
        .event("hit", Trigger::at(0.7).then(Action::impulse("body.tip", [2.0, -3.0, 1.0])));
    // A step that ends in an event is only as accurate as its dense output, some digits less than a whole step: the
    // tolerance is tighter than the accuracy checked.
    run(&spec.build().unwrap(), &Transient::to(1.5).tolerance(1e-13, 1e-13).every(0.25))
}

#[test]
fn every_description_of_a_rotation_takes_impulses() {
    let rigid = || {
        RigidBody::new(5.0, [0.8, 0.8, 1.0])
            .com([0.0, 0.0, 1.3])
            .oriented(Orientation::RotationVector([1.2, 0.4, 0.0]))
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
        EulerAngles::new(rigid(), AxisSequence::Zxz).into(),
        EulerAngles::new(rigid(), AxisSequence::Xyz).into(),
    ];
    for (i, body) in others.into_iter().enumerate() {
        let s = hit_top(body);
        close(&format!("description {i}"), &names.map(|name| s.last(name).unwrap()), &expected, 1e-7);
        below(&format!("balance {i}"), worst(&s, "energy.balance"), 1e-7);
    }
}

#[test]
fn an_event_into_a_singular_pose_changes_the_chart() {
    let mut spec = Spec::new();
    spec.body("body", Rodrigues { rigid: RigidBody::new(1.0, [1.0; 3]) });
    let model = spec.build().unwrap();
    let settings = tight(1.0);
    let mut simulation = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
    let (q, _) = model.state_names();
    let first = q.iter().position(|q| q.name == "body.gx").unwrap();
    // Almost half a turn: g is large there.
    simulation.add_event(Box::new(EventFunction::new("turn", |seen| seen.t - 0.5).then(move |_, change| {
        change.q[first] = 1e3;
        RunAction::Jump
    })));
    simulation.add_event(Box::new(EventFunction::new("stop", |seen| seen.t - 0.5).stop()));
    simulation.run();
    let last = simulation.state();
    assert_eq!(last.t, 0.5);
    assert!(last.q.iter().all(|q| q.abs() < 10.0), "{:?}", last.q);
    let s = simulation.into_solution();
    let turned = ["body.qw", "body.qx"].map(|c| s.last(c).unwrap().abs());
    assert!(turned[0] < 0.01 && turned[1] > 0.99, "it is the same pose: {turned:?}");
}
