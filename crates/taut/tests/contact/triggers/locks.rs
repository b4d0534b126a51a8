//! Constraints that events lock and unlock.

use super::{G, L1, L2, M1, M2, double_pendulum, rows, tight, times};
use crate::common::{below, close, run, worst};
use taut::analyses::{Transient, simulate};
use taut::drift::{DriftControl, ProjectionWeight};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::formulations::{Exactness, Method};
use taut::{
    Action, Cause, Frame, Joint, Measure, Outcome, PlanarBody, Prescription, Relation, Signal, Solution, Spec, Trigger,
};

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
        spec.event("freeze", Trigger::when("t - 0.25").then(Action::lock("weld")).then(Action::Record));
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
        close("reported", &[s.events[0].lost], &[s.last("energy.impacts").unwrap()], 1e-12);
        below("balance", worst(&s, "energy.balance"), 1e-9);
        close("it stays locked", &[s.last("one.omega").unwrap()], &[s.last("two.omega").unwrap()], 1e-12);
        below("positions stay", (sides[0][1] - sides[1][1]).abs(), 1e-12);
    }
}

#[test]
fn every_method_and_drift_control_locks_and_unlocks() {
    let mut spec = double_pendulum(G);
    spec.event("freeze", Trigger::at(0.2).then(Action::lock("weld")))
        .event("thaw", Trigger::at(0.4).then(Action::unlock("weld")));
    let model = spec.build().unwrap();
    let reference = run(&model, &tight(0.6));
    let expected = ["one.theta", "two.theta", "two.omega"].map(|c| reference.last(c).unwrap());
    let mut exact = 0;
    for method in Method::ALL {
        let choice = SolverSettings { method: *method, ..SolverSettings::default() };
        let settings = Transient::to(0.6).tolerance(1e-9, 1e-9).choice(choice.clone());
        let s = match simulate(&model, &model.initial_state(), &settings) {
            Ok(s) => s,
            Err(e) => {
                // Penalty methods reject the default drift control; no method may reject an idle row as dependent.
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
    let drifts = [
        DriftControl::None,
        DriftControl::Projection(ProjectionWeight::Identity),
        DriftControl::Energy(ProjectionWeight::Mass),
    ];
    for drift in drifts {
        let name = drift.name();
        let settings = tight(0.6).choice(SolverSettings { drift, ..SolverSettings::default() });
        let s = simulate(&model, &model.initial_state(), &settings).unwrap();
        assert_eq!(s.outcome, Outcome::Finished, "{name}");
        let found = ["one.theta", "two.theta", "two.omega"].map(|c| s.last(c).unwrap());
        close(name, &found, &expected, 1e-7);
        below(name, worst(&s, "energy.balance"), 1e-8);
    }
}

#[test]
fn the_energy_row_accounts_for_losses() {
    let mut spec = double_pendulum(G);
    spec.event("freeze", Trigger::at(0.2).then(Action::lock("weld")))
        .event("hit", Trigger::at(0.3).then(Action::push("one.theta", 0.7)));
    let model = spec.build().unwrap();
    let choice = SolverSettings { drift: DriftControl::Energy(ProjectionWeight::Mass), ..SolverSettings::default() };
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
    spec.constraint(
        "latch",
        Relation::driver(Measure::angle("one", "two"), Prescription::Position(Signal::constant(0.5))),
    )
    .unlocked("latch")
    .event("early", Trigger::at(0.1).then(Action::lock("latch")));
    let model = spec.build().unwrap();
    let s = simulate(&model, &model.initial_state(), &tight(1.0)).unwrap();
    let Outcome::ConstraintsLost { t, cause: Cause::Constraint { row, residual } } = &s.outcome else {
        panic!("{}", s.outcome)
    };
    close("when", &[*t], &[0.1], 1e-12);
    assert_eq!(row, "latch.relation");
    assert!(*residual > 0.1, "{residual}");
    assert_eq!(s.final_state().modes[model.constraint("latch").unwrap()], taut::ConstraintMode::Idle);
    // A rejected lock dissipates no energy, although the two bodies were in relative rotation.
    assert_eq!(s.last("energy.impacts").unwrap(), 0.0);
    below("balance", worst(&s, "energy.balance"), 1e-9);

    // At its position the joint can be locked: the latch engages.
    let mut spec = double_pendulum(0.0);
    spec.constraint(
        "latch",
        Relation::driver(Measure::angle("one", "two"), Prescription::Position(Signal::constant(-0.5))),
    )
    .unlocked("latch")
    .measure("bend", Measure::angle("one", "two"))
    .event("fall in", Trigger::when("bend + 0.5").falling().once().then(Action::lock("latch")));
    let s = run(&spec.build().unwrap(), &tight(1.0));
    close("latched", &[s.last("bend").unwrap(), s.last("bend.rate").unwrap()], &[-0.5, 0.0], 1e-10);
    below("balance", worst(&s, "energy.balance"), 1e-9);
}

#[test]
fn a_released_body_falls() {
    let mut spec = Spec::new();
    spec.gravity([0.0, -G, 0.0])
        .body("load", PlanarBody::new(2.0, 0.1).at([0.3, 1.0], 0.0))
        .constraint("hook", Joint::fixed("ground.hook", "load"))
        .marker("ground.hook", Frame::at([0.3, 1.0, 0.0]))
        .event("release", Trigger::when("t - 1").then(Action::unlock("hook")));
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
fn idle_rows_have_no_effect() {
    let with = double_pendulum(G).build().unwrap();
    let mut without = double_pendulum(G);
    without.constraints.pop();
    without.unlocked.clear();
    let without = without.build().unwrap();
    for method in Method::ALL {
        let choice = SolverSettings { method: *method, ..SolverSettings::default() };
        let [a, b] = [&with, &without].map(|model| {
            let s = model.initial_state();
            let mut d = Dynamics::new(model, &choice);
            d.solve_accelerations(s.t, &s.q, &s.v, &s.z).unwrap();
            assert_eq!(d.unsupported_reason().filter(|why| why.contains("independent")), None, "{}", method.name());
            (d.vdot, d.lambda)
        });
        close(method.name(), &a.0, &b.0, 1e-9);
        close(method.name(), &a.1[..4], &b.1, 1e-8);
        assert_eq!(a.1[4], 0.0, "{}", method.name());
    }
}
