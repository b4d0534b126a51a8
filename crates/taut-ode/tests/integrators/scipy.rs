//! Agreement with SciPy; the values and the script that made them are in `reference/`.
#![allow(missing_docs)]

use crate::common;

use common::{Given, distance};
use serde::Deserialize;
use taut_ode::{Hook, IntegrationOutcome, Method, Plan, ProblemParts, Refusal, Settings, System, integrate};

#[derive(Deserialize)]
struct Reference {
    fractions: Vec<f64>,
    problems: Vec<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    name: String,
    y0: Vec<f64>,
    t_end: f64,
    h: f64,
    methods: Vec<Solved>,
}

#[derive(Deserialize)]
struct Solved {
    method: Method,
    rtol: f64,
    times: Vec<f64>,
    states: Vec<Vec<f64>>,
    evaluations: u64,
    step: Vec<f64>,
    dense: Vec<Vec<f64>>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../reference/scipy.json")).expect("valid reference")
}

fn system(name: &str) -> Box<dyn System> {
    match name {
        "arenstorf" => Box::new(Given::new(4, arenstorf)),
        "lotka_volterra" => Box::new(Given::new(2, |_, y: &[f64], f: &mut [f64]| {
            f[0] = 1.5 * y[0] - y[0] * y[1];
            f[1] = y[0] * y[1] - 3.0 * y[1];
            Ok(())
        })),
        "van_der_pol" => Box::new(Given::new(2, |_, y: &[f64], f: &mut [f64]| {
            f[0] = y[1];
            f[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
            Ok(())
        })),
        _ => panic!("no system {name}"),
    }
}

fn arenstorf(_: f64, y: &[f64], f: &mut [f64]) -> Result<(), Refusal> {
    let mu = 0.012277471;
    let (x, z) = (y[0], y[1]);
    let d1 = ((x + mu).powi(2) + z * z).powf(1.5);
    let d2 = ((x - 1.0 + mu).powi(2) + z * z).powf(1.5);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = x + 2.0 * y[3] - (1.0 - mu) * (x + mu) / d1 - mu * (x - 1.0 + mu) / d2;
    f[3] = z - 2.0 * y[2] - (1.0 - mu) * z / d1 - mu * z / d2;
    Ok(())
}

#[test]
fn single_steps_and_their_dense_output_are_the_same() {
    let Reference { fractions, problems } = reference();
    for problem in &problems {
        for solved in &problem.methods {
            let mut system = system(&problem.name);
            let mut stepper = common::fixed(solved.method, 0.0, &problem.y0, problem.h);
            stepper.step(&mut *system, problem.t_end).expect("smooth");
            assert_eq!(stepper.t(), problem.h);
            let size = 1.0 + distance(&solved.step, &vec![0.0; solved.step.len()]);
            let difference = distance(stepper.y(), &solved.step) / size;
            assert!(difference < 2e-15, "{} {}: {difference:e}", problem.name, solved.method);
            let mut y = problem.y0.clone();
            for (fraction, expected) in fractions.iter().zip(&solved.dense) {
                stepper.interpolate(&mut *system, fraction * problem.h, &mut y).expect("inside");
                let difference = distance(&y, expected) / size;
                assert!(difference < 5e-15, "{} {}: {difference:e}", problem.name, solved.method);
            }
        }
    }
}

#[derive(Default)]
struct States(Vec<Vec<f64>>);

impl Hook for States {
    fn output(&mut self, _: f64, y: &[f64]) {
        self.0.push(y.to_vec());
    }
}

#[test]
fn whole_runs_agree() {
    for problem in &reference().problems {
        for solved in &problem.methods {
            let mut system = system(&problem.name);
            let settings = Settings::with_tolerance(solved.rtol, solved.rtol);
            let stepper = solved.method.stepper(0.0, &problem.y0, &settings);
            let mut stepper = stepper.expect("valid settings");
            let mut states = States::default();
            let mut parts = ProblemParts { system: &mut *system, events: &mut (), hook: &mut states };
            let plan = Plan::to(problem.t_end).at(solved.times.clone());
            let run = integrate(&mut *stepper, &mut parts, &plan).expect("valid plan");
            assert_eq!(run.outcome, IntegrationOutcome::Finished);
            assert_eq!(states.0.len(), solved.times.len());
            let difference = states.0.iter().zip(&solved.states);
            let difference = difference.map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
            // Both runs have global errors of a multiple of the tolerance that depends on the problem.
            let growth = if problem.name == "arenstorf" { 2e5 } else { 3e3 };
            let evaluations = run.statistics.evaluations;
            println!(
                "{} {}: {difference:.1e}, {evaluations} evaluations ({})",
                problem.name, solved.method, solved.evaluations
            );
            assert!(difference < growth * solved.rtol, "{difference:e}");
            let ratio = evaluations as f64 / solved.evaluations as f64;
            assert!((0.85..1.15).contains(&ratio), "{} {}: {ratio}", problem.name, solved.method);
        }
    }
}
