//! Contact results of time stepping, and exact continuation from a checkpoint.

use taut::analyses::{Checkpoint, Output, Run, RunStatus};
use taut::contacts::{ContactRule, RigidContact, Surface};
use taut::forces::Applied;
use taut::shapes::Shape;
use taut::stepping::{TimeSteppingSettings, TimeSteppingSimulation, simulate};
use taut::{
    Frame, Joint, Measure, Model, Outcome, PlanarBody, PointMass, Prescription, Relation, RigidBody, Signal, Solution,
    Spec, Table,
};

const G: f64 = 9.81;

fn cube(mass: f64, edge: f64) -> RigidBody {
    RigidBody::new(mass, [mass * edge * edge / 6.0; 3])
}

fn flat() -> Shape {
    Shape::HeightField { size: [2.0, 2.0], heights: vec![vec![0.0; 3]; 3] }
}

fn simulate_model(model: &Model, t_end: f64, h: f64) -> Solution {
    let run =
        simulate(model, &model.initial_state(), &TimeSteppingSettings::to(t_end, h).output(Output::Steps)).unwrap();
    assert!(run.outcome.is_success(), "{}", run.outcome);
    run
}

/// The sum of columns of several contacts, row by row.
fn sum(run: &Solution, names: &[String]) -> Vec<f64> {
    let mut all = vec![0.0; run.t().len()];
    for name in names {
        all.iter_mut().zip(run.column(name).unwrap()).for_each(|(sum, x)| *sum += x);
    }
    all
}

#[test]
fn contacts_of_a_box_on_a_height_field_have_forces() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("b", cube(2.0, 0.2).at([0.03, 0.02, 0.1]))
        .surface("b", Surface::new("b", Shape::Box { size: [0.2; 3] }))
        .surface("g", Surface::new("ground", flat()))
        .contact("c", ContactRule::pair("b", "g", RigidContact::SMOOTH.friction(0.5)));
    let run = simulate_model(&spec.build().unwrap(), 0.5, 1e-3);
    let of = |what: &str| (1..=4).map(|i| format!("c.{i}.{what}")).collect::<Vec<_>>();
    for (t, force) in run.t().iter().zip(sum(&run, &of("fz"))) {
        assert!((force - 2.0 * G).abs() < 1e-6, "{force} N at {t} s");
    }
    for (t, impulse) in run.t().iter().zip(sum(&run, &of("impulse"))) {
        assert!((impulse - 2.0 * G * t).abs() < 1e-6, "{impulse} N s at {t} s");
    }
    for i in 1..=4 {
        let column = |what: &str| run.column(&format!("c.{i}.{what}")).unwrap();
        assert!(column("gap").iter().all(|gap| gap.abs() < 1e-6), "{:?}", column("gap"));
        assert!(column("mode").iter().all(|mode| *mode == 1.0), "{:?}", column("mode"));
        assert!(column("slip").iter().all(|slip| slip.abs() < 1e-9));
    }
}

#[test]
fn sliding_contacts_report_friction_and_losses() {
    let (mu, v) = (0.3, 2.0);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G])
        .body("b", cube(2.0, 0.2).at([0.0, 0.0, 0.1]).moving([v, 0.0, 0.0], [0.0; 3]))
        .surface("b", Surface::new("b", Shape::Box { size: [0.2; 3] }))
        .surface("g", Surface::new("ground", Shape::HalfSpace {}))
        .contact("c", ContactRule::pair("b", "g", RigidContact::SMOOTH.friction(mu)));
    let run = simulate_model(&spec.build().unwrap(), 0.3, 1e-3);
    let names: Vec<String> =
        run.table.columns().iter().filter(|c| c.name.ends_with(".fx")).map(|c| c.name.clone()).collect();
    assert!(names.len() >= 4, "{names:?}");
    for force in sum(&run, &names) {
        assert!((force + mu * 2.0 * G).abs() < 1e-6, "{force}");
    }
    let modes: f64 = run.table.columns().iter().filter(|c| c.name.ends_with(".mode")).map(|c| c.data[100]).sum();
    assert!(modes >= 4.0, "slipping contacts have mode 2: {modes}");
    let (friction, x) = (run.last("energy.friction").unwrap(), run.last("b.x").unwrap());
    assert!((friction - mu * 2.0 * G * x).abs() < 1e-6, "{friction} {}", mu * 2.0 * G * x);
    assert!(run.last("energy.balance").unwrap().abs() < 1e-6);
}

#[test]
fn surfaces_report_sums_when_pairs_are_too_many() {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]).surface("floor", Surface::new("ground", Shape::HalfSpace {}));
    for i in 0..12 {
        let name = format!("b{i}");
        spec.body(&name, cube(1.0, 0.2).at([0.5 * f64::from(i), 0.0, 0.1]));
        spec.surface(&name, Surface::new(&name, Shape::Box { size: [0.2; 3] }));
    }
    spec.contact("all", ContactRule::all(RigidContact::SMOOTH.friction(0.5)));
    let model = spec.build().unwrap();
    assert!(model.count_contact_pairs() > taut::MAX_CONTACT_PAIRS);
    let run = simulate_model(&model, 0.05, 1e-3);
    for i in 0..run.t().len() {
        let on = |name: &str| run.column(&format!("{name}.contact_fz")).unwrap()[i];
        assert!((on("floor") + 12.0 * G).abs() < 1e-6, "{}", on("floor"));
        assert!((on("b3") - G).abs() < 1e-6);
    }
    let impulse = run.last("floor.contact_impulse").unwrap();
    assert!((impulse - 12.0 * G * 0.05).abs() < 1e-6, "{impulse}");
}

#[test]
fn drivers_and_forces_enter_the_balance_of_energy() {
    // A crank driven at a growing speed, a mass dragged by a force, both beside a contact.
    let mut spec = Spec::new();
    let driven = Prescription::Position(Signal::polynomial([0.0, 0.0, 3.0]));
    spec.gravity([0.0, -G, 0.0])
        .body("crank", PlanarBody::rod(2.0, 0.6).com([0.3, 0.0]))
        .constraint("pivot", Joint::pin("ground", "crank"))
        .constraint("motor", Relation::driver(Measure::angle("ground", "crank"), driven))
        .body("cart", PointMass::new(1.5, [0.0, 5.0, 0.0]))
        .marker("cart.eye", Frame::at([0.0; 3]))
        .force(
            "pull",
            Applied::force("cart.eye", [Signal::harmonic(2.0, 7.0, 0.3), Signal::constant(0.0), Signal::constant(0.0)]),
        );
    let run = simulate_model(&spec.build().unwrap(), 1.0, 1e-3);
    let (balance, work) = (run.column("energy.balance").unwrap(), run.column("energy.work").unwrap());
    assert!(work.iter().any(|w| w.abs() > 1.0), "{work:?}");
    assert!(balance.iter().all(|b| b.abs() < 2e-4), "{:?}", balance.iter().fold(0.0_f64, |m, b| m.max(b.abs())));
    // The moment of the motor at the end: J α + m g r cos θ.
    let (alpha, theta): (f64, f64) = (6.0, 3.0);
    let exact = 2.0 * 0.36 / 3.0 * alpha + 2.0 * G * 0.3 * theta.cos();
    let found = run.last("motor.lambda_sum").or_else(|_| run.last("motor.mz")).unwrap();
    assert!((found - exact).abs() < 0.05, "{found} {exact}");
}

#[test]
fn pulses_between_steps_are_not_skipped() {
    let zero = || Signal::constant(0.0);
    let pulse = Signal::expression("if_pos(t - 0.1012, if_pos(0.1032 - t, 1000, 0), 0)").unwrap();
    let mut spec = Spec::new();
    spec.body("cart", PointMass::new(1.0, [0.0; 3])).force("pulse", Applied::force("cart", [pulse, zero(), zero()]));
    let model = spec.build().unwrap();
    let run = simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.3, 5e-3)).unwrap();
    let (v, work) = (run.last("cart.vx").unwrap(), run.last("energy.work").unwrap());
    assert!((v - 2.0).abs() < 1e-9 && (work - 2.0).abs() < 1e-9, "{v} m/s, {work} J");
}

#[test]
fn a_jump_of_a_prescribed_velocity_is_work_of_the_driver() {
    let speed = Prescription::Velocity(Signal::expression("if_pos(t - 0.1013, 2, 0)").unwrap());
    let mut spec = Spec::new();
    spec.body("cart", PointMass::new(3.0, [0.0; 3]))
        .constraint("drive", Relation::driver(Measure::coordinate("cart.x"), speed));
    let model = spec.build().unwrap();
    let run =
        simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.3, 5e-3).output(Output::Steps)).unwrap();
    let (v, x, work) = (run.last("cart.vx").unwrap(), run.last("cart.x").unwrap(), run.last("energy.work").unwrap());
    assert!((v - 2.0).abs() < 1e-12 && (x - 2.0 * (0.3 - 0.1013)).abs() < 1e-9, "{v} m/s, {x} m");
    assert!((work - 6.0).abs() < 1e-9, "{work} J");
    assert!(run.column("energy.balance").unwrap().iter().all(|b| b.abs() < 1e-9));
    let reported = &run.events[0];
    assert!(
        reported.name == "drive" && (reported.t - 0.1013).abs() < 1e-9 && (reported.impulse - 6.0).abs() < 1e-9,
        "{reported:?}"
    );
}

#[test]
fn a_prescribed_position_that_jumps_ends_time_steps() {
    let place = Prescription::Position(Signal::expression("if_pos(t - 0.1013, 0.5, 0)").unwrap());
    let mut spec = Spec::new();
    spec.body("cart", PointMass::new(3.0, [0.0; 3]))
        .constraint("drive", Relation::driver(Measure::coordinate("cart.x"), place));
    // The model or the run rejects it by name.
    let Ok(model) = spec.build() else { return };
    match simulate(&model, &model.initial_state(), &TimeSteppingSettings::to(0.3, 5e-3)) {
        Err(e) => assert!(e.to_string().contains("drive"), "{e}"),
        Ok(run) => assert!(
            matches!(&run.outcome, Outcome::PositionJump { t, .. } if (t - 0.1013).abs() < 1e-6),
            "{}",
            run.outcome
        ),
    }
}

/// Balls and boxes that fall onto each other, some of which come to rest, with a stop and an event.
fn heap() -> Model {
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]).surface("floor", Surface::new("ground", Shape::HalfSpace {}));
    for i in 0..5 {
        let name = format!("b{i}");
        let x = 0.013 * f64::from(i % 3);
        spec.body(&name, cube(1.0, 0.2).at([x, 0.0, 0.1 + 0.22 * f64::from(i)]).moving([0.0; 3], [0.3, 0.1 * x, 0.0]));
        spec.surface(&name, Surface::new(&name, Shape::Box { size: [0.2; 3] }));
    }
    let m = 0.5;
    spec.body("ball", RigidBody::new(m, [0.4 * m * 0.01; 3]).at([0.05, 0.02, 1.6]).moving([0.0; 3], [0.0, 5.0, 0.0]))
        .surface("ball", Surface::new("ball", Shape::Sphere { radius: 0.1 }))
        .contact("all", ContactRule::all(RigidContact::SMOOTH.friction(0.4).restitution(0.2)));
    spec.build().unwrap()
}

fn take(simulation: &mut TimeSteppingSimulation, into: &mut Vec<Table>) {
    into.push(simulation.take_rows());
}

#[test]
fn time_stepping_resumes_from_its_checkpoint_bit_by_bit() {
    let model = heap();
    let settings = TimeSteppingSettings::to(1.2, 2e-3).every(0.05);
    let mut whole = TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).unwrap();
    whole.run();
    let whole = whole.into_solution();
    // Interrupted at irregular steps, each time resumed in a new simulation from the text of the checkpoint.
    let mut rows = Vec::new();
    let mut broken = TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).unwrap();
    let mut seed = 12345_u64;
    while broken.status() == RunStatus::Underway {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        broken.steps(1 + (seed >> 33) % 37);
        take(&mut broken, &mut rows);
        if broken.status() == RunStatus::Ended {
            break;
        }
        let text = serde_json::to_string(&broken.checkpoint()).unwrap();
        let read: Checkpoint = serde_json::from_str(&text).unwrap();
        assert_eq!(read, broken.checkpoint());
        broken = TimeSteppingSimulation::new(&model, &model.initial_state(), &settings).unwrap();
        broken.take_rows();
        broken.restore(&read).unwrap();
    }
    let broken = broken.into_solution();
    assert_eq!(broken.final_state(), whole.final_state());
    assert_eq!(broken.outcome, whole.outcome);
    for (i, column) in whole.table.columns().iter().enumerate() {
        let parts: Vec<u64> = rows.iter().flat_map(|t| t.columns()[i].data.iter().map(|x| x.to_bits())).collect();
        let all: Vec<u64> = column.data.iter().map(|x| x.to_bits()).collect();
        assert_eq!(parts, all, "{}", column.name);
    }
}
