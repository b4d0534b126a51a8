//! Equal input gives equal bits; a run continues exactly from a checkpoint.

use taut::analyses::{Checkpoint, Integrator, Output, Run, RunStatus, Simulation, Transient, simulate};
use taut::bodies::{AxisSequence, EulerAngles};
use taut::drift::DriftControl;
use taut::dynamics::SolverSettings;
use taut::formulations::{FormulationParameters, Method};
use taut::{Frame, Joint, Model, Orientation, Outcome, Prescription, RigidBody, Signal, Solution, Spec};

/// A driven crank with a pendulum on it, in space: quaternions, work, turns.
fn model() -> Model {
    let mut spec = Spec::new();
    let y = [0.0, 1.0, 0.0];
    spec.gravity([0.0, 0.0, -9.81])
        .body("crank", RigidBody::new(1.0, [0.1, 0.2, 0.2]).at([0.5, 0.0, 0.0]))
        .body("bob", RigidBody::new(0.7, [0.05, 0.05, 0.01]).at([1.0, 0.0, -0.5]).moving([0.0; 3], [0.0, 0.0, 0.0]))
        .marker("ground.a", Frame::world([0.0; 3]).axis(y))
        .marker("crank.a", Frame::world([0.0; 3]).axis(y))
        .marker("crank.b", Frame::world([1.0, 0.0, 0.0]))
        .marker("bob.a", Frame::world([1.0, 0.0, 0.0]))
        .constraint(
            "motor",
            Joint::revolute("ground.a", "crank.a")
                .prescribe_rotation(Prescription::Position(Signal::harmonic(1.5, 4.0, 0.0))),
        )
        .constraint("ball", Joint::spherical("crank.b", "bob.a"));
    spec.build().unwrap()
}

fn same(a: &Solution, b: &Solution) {
    assert_eq!(a.outcome, b.outcome);
    assert_eq!(a.statistics.steps, b.statistics.steps);
    assert_eq!(a.final_state(), b.final_state());
    assert_eq!(a.len(), b.len());
    for (x, y) in a.table.columns().iter().zip(b.table.columns()) {
        assert_eq!(x.name, y.name);
        assert!(x.data.iter().zip(&y.data).all(|(x, y)| x.to_bits() == y.to_bits()), "{}", x.name);
    }
}

#[test]
fn equal_runs_are_equal_in_every_bit() {
    let m = model();
    let settings = Transient::to(3.0).every(0.01);
    let one = simulate(&m, &m.initial_state(), &settings).unwrap();
    same(&one, &simulate(&m, &m.initial_state(), &settings).unwrap());
    assert_eq!(one.outcome, Outcome::Finished);
    // The motor's work is all the energy there is.
    let balance = one.column("energy.balance").unwrap().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    assert!(balance < 1e-5, "{balance:e}");
    assert!(one.column("energy.work").unwrap().iter().any(|w| w.abs() > 1.0));
}

#[test]
fn stepping_from_outside_is_the_same_run() {
    let m = model();
    for output in [Output::Every(0.05), Output::Steps] {
        let settings = Transient::to(2.0).output(output);
        let whole = simulate(&m, &m.initial_state(), &settings).unwrap();
        let mut stepped = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
        while stepped.step() == RunStatus::Underway {
            assert_eq!(stepped.solution().outcome, Outcome::Underway);
        }
        same(&whole, &stepped.into_solution());
        let mut by_sevens = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
        while by_sevens.steps(7) == RunStatus::Underway {}
        same(&whole, &by_sevens.into_solution());
    }
}

#[test]
fn a_run_resumes_from_a_checkpoint_bit_by_bit() {
    let m = model();
    let settings = Transient::to(2.0).output(Output::Steps);
    let mut straight = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
    (0..15).for_each(|_| _ = straight.step());
    let saved = straight.checkpoint();
    straight.run();

    // Back in the same simulation.
    let mut back = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
    (0..15).for_each(|_| _ = back.step());
    let rows = back.solution().len();
    back.run();
    back.restore(&saved).unwrap();
    assert_eq!(back.solution().len(), rows);
    back.run();
    same(&straight.solution(), &back.into_solution());

    // In another one, through text.
    let text = serde_json::to_string(&saved).unwrap();
    let read: Checkpoint = serde_json::from_str(&text).unwrap();
    let mut other = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
    other.restore(&read).unwrap();
    assert_eq!(other.t(), saved.state.t);
    other.run();
    assert_eq!(other.state(), straight.state());
    let (tail, whole) = (other.solution(), straight.solution());
    let x = whole.column("bob.x").unwrap();
    assert_eq!(tail.column("bob.x").unwrap(), &x[rows..]);
}

/// Derivatives and factors are kept over many steps: a resumed run must have the same ones.
#[test]
fn implicit_runs_resume_bit_by_bit() {
    let model = model();
    for integrator in
        [Integrator::GeneralisedAlpha, Integrator::RadauIia5, Integrator::TwoStep, Integrator::Trapezoidal]
    {
        let settings = Transient::to(1.0).output(Output::Steps).integrator(integrator).tolerance(1e-5, 1e-5);
        let mut whole = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
        let mut saved = Vec::new();
        while whole.step() == RunStatus::Underway {
            saved.push(whole.checkpoint());
        }
        assert!(saved.len() > 20, "{integrator:?}: {} steps", saved.len());
        for checkpoint in saved.iter().step_by(saved.len() / 10) {
            let mut other = Simulation::new(&model, &model.initial_state(), &settings).unwrap();
            other.restore(checkpoint).unwrap();
            while other.step() == RunStatus::Underway {}
            assert_eq!(other.state(), whole.state(), "{integrator:?}");
        }
    }
}

#[test]
fn advancing_meets_times_exactly() {
    let m = model();
    let mut s = Simulation::new(&m, &m.initial_state(), &Transient::to(1.0)).unwrap();
    assert_eq!(s.advance(0.3), RunStatus::Underway);
    assert_eq!(s.t(), 0.3);
    assert_eq!(s.advance(0.1), RunStatus::Underway);
    assert_eq!(s.t(), 0.3);
    assert_eq!(s.advance(7.0), RunStatus::Ended);
    assert_eq!((s.t(), s.outcome()), (1.0, &Outcome::Finished));
}

#[test]
fn a_checkpoint_keeps_the_refinement_of_slender_bodies() {
    // m l²/J = 1e9: the factor is refined, and must still be after a restore.
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0])
        .body("bob", taut::PlanarBody::new(1.0, 1e-9).at([1.0, 0.0], 0.0))
        .marker("bob.arm", Frame::at([-1.0, 0.0, 0.0]))
        .constraint("pin", Joint::pin("ground", "bob.arm"));
    let m = spec.build().unwrap();
    let settings = Transient::to(2.0).output(Output::Steps).tolerance(1e-10, 1e-10);
    let mut first = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
    for _ in 0..10 {
        first.step();
    }
    let saved = first.checkpoint();
    let mut second = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
    second.restore(&saved).unwrap();
    while first.step() == RunStatus::Underway {}
    while second.step() == RunStatus::Underway {}
    assert_eq!(first.state(), second.state());
}

#[test]
fn rows_taken_on_the_way_make_the_same_table() {
    let m = model();
    for output in [Output::Every(0.013), Output::Steps] {
        let settings = Transient::to(1.5).output(output);
        let whole = simulate(&m, &m.initial_state(), &settings).unwrap();
        let mut run = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
        let names = run.table().columns().len();
        let mut rows: Vec<Vec<f64>> = vec![Vec::new(); names];
        let mut keep = |from: taut::Table, cut: Option<usize>| -> usize {
            for (kept, column) in rows.iter_mut().zip(from.columns()) {
                kept.truncate(cut.unwrap_or(usize::MAX));
                kept.extend(&column.data);
            }
            rows[0].len()
        };
        let mut saved = None;
        for step in 0.. {
            let progress = run.step();
            if step % 3 == 2 {
                let all = keep(run.take_rows(), None);
                assert!(run.table().is_empty());
                assert_eq!(run.checkpoint().rows(), all);
            }
            match step {
                // With rows still stored here, and rows already taken by the caller.
                10 => saved = Some(run.checkpoint()),
                // Back to a time before rows were taken: the caller truncates, the run keeps its count.
                16 => {
                    let saved = saved.as_ref().unwrap();
                    run.restore(saved).unwrap();
                    assert!(run.table().is_empty());
                    assert_eq!(run.checkpoint().rows(), saved.rows());
                    keep(run.take_rows(), Some(saved.rows()));
                }
                _ => {}
            }
            if progress == RunStatus::Ended {
                break;
            }
        }
        keep(run.take_rows(), None);
        assert_eq!(run.statistics(), whole.statistics);
        for (kept, column) in rows.iter().zip(whole.table.columns()) {
            assert_eq!(kept.len(), column.data.len(), "{}", column.name);
            assert!(kept.iter().zip(&column.data).all(|(a, b)| a.to_bits() == b.to_bits()), "{}", column.name);
        }
        // A new simulation resumed at the checkpoint counts from the start of the run.
        let (saved, mut late) = (saved.unwrap(), Simulation::new(&m, &m.initial_state(), &settings).unwrap());
        late.restore(&saved).unwrap();
        assert_eq!(late.checkpoint(), saved);
        late.run();
        assert_eq!(late.checkpoint().rows(), whole.len());
        assert_eq!(late.statistics(), whole.statistics);
    }
}

#[test]
fn a_checkpoint_keeps_what_a_formulation_remembers() {
    let m = model();
    for &method in Method::ALL {
        let springs = matches!(method, Method::GoicoleaOrden | Method::Index2);
        let drift = if springs { DriftControl::None } else { DriftControl::default() };
        let setup = FormulationParameters { penalty: springs.then_some(1e3), ..FormulationParameters::default() };
        let choice = SolverSettings { method, drift, setup, ..SolverSettings::default() };
        let settings = Transient::to(1.0).every(0.05).tolerance(1e-5, 1e-5).choice(choice);
        let whole = simulate(&m, &m.initial_state(), &settings).unwrap();
        let mut first = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
        first.steps(7);
        let checkpoint = first.checkpoint();
        let mut second = Simulation::new(&m, &m.initial_state(), &settings).unwrap();
        second.restore(&checkpoint).unwrap();
        second.run();
        assert_eq!(second.state(), *whole.final_state(), "{method}");
    }
}

#[test]
fn a_body_assembled_into_a_singular_pose_of_its_angles_runs() {
    // The hinge turns the body from 0.7 rad to none, where zxz has no rates.
    let mut spec = Spec::new();
    let body = RigidBody::new(1.0, [0.1, 0.2, 0.2]).oriented(Orientation::RotationVector([0.7, 0.0, 0.0]));
    spec.gravity([0.0, 0.0, -9.81])
        .body("arm", EulerAngles::new(body, AxisSequence::Zxz))
        .marker("arm.end", Frame::at([-0.5, 0.0, 0.0]).axis([0.0, 1.0, 0.0]))
        .marker("ground.end", Frame::at([0.0; 3]).axis([0.0, 1.0, 0.0]))
        .constraint("hinge", Joint::revolute("ground.end", "arm.end"));
    let m = spec.build().unwrap();
    let found = simulate(&m, &m.initial_state(), &Transient::to(0.5)).unwrap();
    assert_eq!(found.outcome, Outcome::Finished);
}
