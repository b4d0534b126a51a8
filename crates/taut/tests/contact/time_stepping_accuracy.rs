//! The settings of time stepping that trade accuracy for speed.

use taut::analyses::{AnalysisError, Run, RunStatus};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::shapes::Shape;
use taut::stepping::{TimeSteppingSettings, TimeSteppingSimulation};
use taut::{Columns, Model, RigidBody, Spec};

const RADIUS: f64 = 0.1;

/// Columns of five balls that fall a little and lean on their neighbours, on a floor.
fn columns() -> Model {
    let (mut spec, mass) = (Spec::new(), 4.0);
    spec.gravity([0.0, 0.0, -9.81]).surface("floor", Surface::new("ground", Shape::HalfSpace {}));
    for i in 0..20 {
        let (column, level) = ((i % 4) as f64, (i / 4) as f64);
        let at = [2.05 * RADIUS * column, 0.01 * RADIUS * (3.7 * i as f64).sin(), RADIUS * (1.2 + 2.2 * level)];
        let name = format!("ball{i}");
        spec.body(name.as_str(), RigidBody::new(mass, [0.4 * mass * RADIUS * RADIUS; 3]).at(at))
            .surface(&name, Surface::new(&name, Shape::Sphere { radius: RADIUS }));
    }
    let mut rule = RigidContact::SMOOTH.friction(0.6);
    (rule.torsional_friction, rule.rolling_friction) = (0.05 * RADIUS, 0.05 * RADIUS);
    spec.contact("all", ContactRule::all(rule));
    spec.build().unwrap()
}

/// Largest penetration over the radius at the end of a step, and sweeps of all steps.
fn run(model: &Model, settings: &TimeSteppingSettings) -> (f64, usize) {
    let mut simulation = TimeSteppingSimulation::new(model, &model.initial_state(), settings).unwrap();
    let (mut deepest, mut sweeps) = (0.0_f64, 0);
    while simulation.step() == RunStatus::Underway {
        deepest = deepest.max(simulation.penetration());
        sweeps += simulation.sweeps();
    }
    (deepest / RADIUS, sweeps)
}

#[test]
fn contacts_keep_the_permitted_penetration_and_no_more() {
    let model = columns();
    let settings = TimeSteppingSettings::to(0.5, 5e-3).columns(Columns::None);
    let (exact, many) = run(&model, &settings);
    assert!(exact < 1e-4, "{exact}");
    let mut last = exact;
    for permitted in [1e-3, 1e-2, 0.1] {
        let (deepest, few) = run(&model, &settings.clone().penetration(permitted).max_sweeps(8));
        assert!(deepest > last && deepest < 1.05 * permitted, "{permitted}: {deepest} after {last}");
        assert!(few < many, "{permitted}: {few} sweeps, {many} by default");
        last = deepest;
    }
}

#[test]
fn a_penetration_that_is_no_small_fraction_is_rejected() {
    let model = columns();
    let settings = TimeSteppingSettings::to(0.5, 5e-3);
    for (ratio, text) in [(0.6, "at most 0.5"), (0.0, "greater than zero"), (f64::NAN, "finite")] {
        let found = TimeSteppingSimulation::new(&model, &model.initial_state(), &settings.clone().penetration(ratio));
        let error: AnalysisError = found.map(|_| ()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("`penetration`") && message.contains(text), "{message}");
    }
}
