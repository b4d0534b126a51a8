//! Full turns of angles, in rows and events inside repeated steps.

use crate::common::close;
use taut::analyses::{Integrator, Run, RunStatus, Simulation, Transient, simulate};
use taut::forces::{FormulaForce, Spring};
use taut::{Joint, Measure, Model, Outcome, PlanarBody, PointMass, Prescription, RigidBody, Signal, Spec};
use taut::{Solution, Trigger};

/// A wheel in space with a torsion spring that counts turns, a driven disc in the plane, and a mass whose force has a
/// condition: steps are repeated to end at its zeros.
fn machine() -> Model {
    let driven = Prescription::Position(Signal::expression("9*t + sin(4*t)").unwrap());
    let switched = "-90*m.x - 300*m.x^3 + if_pos(m.x - 0.05, 0.01, 0)";
    let mut spec = Spec::new();
    spec.body("wheel", RigidBody::new(2.0, [0.2, 0.2, 0.1]).moving([0.0; 3], [0.0, 0.0, 8.0]))
        .body("disc", PlanarBody::new(1.0, 0.1).moving([0.0; 2], 13.0))
        .body("m", PointMass::new(1.0, [0.3, 0.0, 0.0]))
        .measure("turned", Measure::angle("ground", "wheel"))
        .constraint("hub", Joint::revolute("ground", "wheel"))
        .constraint("axle", Joint::pin("ground", "disc").prescribe_rotation(driven))
        .force("torsion", Spring::torsional("ground", "wheel", 0.05, 0.01, 0.0))
        .force("torque", FormulaForce::new(Measure::angle("ground", "wheel"), "2*sin(8*t)").unwrap())
        .force("spring", FormulaForce::new(Measure::coordinate("m.x"), switched).unwrap())
        .event("passes", Trigger::when("sin(turned/2)"));
    spec.build().unwrap()
}

/// The same rows, each at the end of a step.
fn step_by_step(model: &Model, settings: &Transient, times: &[f64]) -> Solution {
    let mut simulation = Simulation::new(model, &model.initial_state(), settings).unwrap();
    for t in times {
        simulation.advance(*t);
    }
    assert_eq!(simulation.status(), RunStatus::Ended);
    simulation.into_solution()
}

#[test]
fn rows_and_events_of_a_repeated_step_count_the_right_turns() {
    let model = machine();
    for integrator in Integrator::ALL {
        // Long steps, so that rows lie inside those that end at the condition.
        let (tolerance, h) = match integrator {
            Integrator::Rk4 => (1e-6, Some(0.02)),
            Integrator::Dop853 | Integrator::DormandPrince | Integrator::RadauIia5 => (1e-6, None),
            _ => (1e-4, None),
        };
        let mut settings = Transient::to(1.0).every(0.003).integrator(integrator).tolerance(tolerance, tolerance);
        settings.h_first = h;
        let dense = simulate(&model, &model.initial_state(), &settings).unwrap();
        let stepped = step_by_step(&model, &settings, dense.t());
        assert_eq!((&dense.outcome, dense.t()), (&Outcome::Finished, stepped.t()), "{integrator}");
        // Every state and what follows from it. Accelerations and forces jump with the condition, and residuals are
        // round-off.
        let skipped = ["residual", "energy.balance", "step"];
        for name in dense.names().filter(|n| !skipped.iter().any(|s| n.starts_with(s))) {
            let (found, expected) = (dense.column(name).unwrap(), stepped.column(name).unwrap());
            let size = expected.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
            close(&format!("{integrator} {name}"), found, expected, 3e3 * tolerance * size);
        }
        let times = |s: &Solution| s.events.iter().map(|e| e.t).collect::<Vec<f64>>();
        close(&format!("{integrator} events"), &times(&dense), &times(&stepped), 300.0 * tolerance);
        assert!(!dense.events.is_empty());
    }
}
