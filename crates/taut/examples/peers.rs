//! Taut's part of the comparison with other engines: `cargo run --release -p taut --example peers -- P1 P4`.
//!
//! Prints one line `RESULT {json}` per case; `bench/README.md` says what the keys mean.

#[path = "../benches/mechanisms/mod.rs"]
#[allow(dead_code)] // shared with the benchmark of scaling
mod mechanisms;

use cpu_time::ThreadTime;
use mechanisms::{bricard, chain, four_bars};
use std::time::Instant;
use taut::Model;
use taut::analyses::{InitialConditions, Output, Transient, simulate};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::{ColumnFamily, Columns, Outcome, Solution};

/// Repeats of each timed run.
const REPEATS: usize = 15;
const SAMPLE: f64 = 0.01;

fn main() {
    let requested: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |problem: &str| requested.is_empty() || requested.iter().any(|a| a == problem);
    if wanted("P1") {
        for tolerance in [2e-9, 5e-12] {
            run("P1", "variable", &four_bars(2), 10.0, tolerance, "r0.tip");
        }
    }
    if wanted("P2") {
        for n in [10, 40, 100] {
            for tolerance in [2e-8, 2e-11] {
                run("P2", &format!("N={n}"), &four_bars(n), 1.0, tolerance, "r0.tip");
            }
        }
    }
    if wanted("P3") {
        for n in [1, 10, 100, 300, 1000] {
            evaluate(n);
        }
        for n in [10, 100] {
            run("P3", &format!("n={n}"), &chain(n), 1.0, 1e-10, &format!("b{}.b", n - 1));
        }
    }
    if wanted("P4") {
        for tolerance in [2e-8, 1e-11] {
            run("P4", "variable", &bricard(), 10.0, tolerance, "b2.b");
        }
    }
}

/// Times a run, and checks the same steps by dense output.
fn run(problem: &str, case: &str, model: &Model, t_end: f64, tolerance: f64, point: &str) {
    let state = model.initial_state();
    let settings = Transient::to(t_end).tolerance(tolerance, tolerance).start(InitialConditions::AsGiven);
    let bare = settings.clone().output(Output::Ends).columns(Columns::None);
    let (mut wall, mut spent, mut steps) = (f64::INFINITY, f64::INFINITY, 0);
    for _ in 0..REPEATS {
        let start = Instant::now();
        let clock = ThreadTime::now();
        let solution = finished(simulate(model, &state, &bare).expect("a sound model"));
        spent = spent.min(clock.elapsed().as_secs_f64());
        wall = wall.min(start.elapsed().as_secs_f64());
        steps = solution.statistics.steps;
    }
    let columns = Columns::Only(vec![ColumnFamily::Markers, ColumnFamily::Energy, ColumnFamily::Residuals]);
    let sampled = finished(simulate(model, &state, &settings.every(SAMPLE).columns(columns)).expect("a sound model"));
    let column = |name: &str| sampled.column(name).expect("recorded").to_vec();
    let point = |axis: &str| column(&format!("{point}.{axis}"));
    let (x, y, z) = (point("x"), point("y"), point("z"));
    let tips: Vec<[f64; 3]> = (0..x.len()).map(|i| [x[i], y[i], z[i]]).collect();
    let energy: Vec<f64> =
        column("energy.kinetic").iter().zip(column("energy.potential")).map(|(t, v)| t + v).collect();
    let worst = column("residual.position").into_iter().fold(0.0, f64::max);
    let line = serde_json::json!({
        "peer": "taut", "problem": problem, "case": case, "method": format!("dop853 {tolerance:.0e}"),
        "wall": wall, "cpu": spent, "steps": steps, "viol": worst, "tips": tips, "energy": energy,
    });
    println!("RESULT {line}");
}

fn finished(solution: Solution) -> Solution {
    assert!(matches!(solution.outcome, Outcome::Finished), "{:?}", solution.outcome);
    solution
}

/// One right-hand side of the chain, at changing states.
fn evaluate(n: usize) {
    let model = chain(n);
    let mut dynamics = Dynamics::new(&model, &SolverSettings::default());
    let mut y = vec![0.0; dynamics.dimension()];
    dynamics.pack(&model.initial_state(), &mut y);
    let mut rates = vec![0.0; y.len()];
    let evals = (200_000 / n).max(10);
    let (mut wall, mut spent) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..7 {
        let start = Instant::now();
        let clock = ThreadTime::now();
        for k in 0..evals {
            // A quaternion is normalised inside: the pose changes a little from call to call.
            y[4] = 1e-6 * (k % 100) as f64;
            dynamics.rates(0.0, &y, &mut rates).expect("regular");
        }
        spent = spent.min(clock.elapsed().as_secs_f64());
        wall = wall.min(start.elapsed().as_secs_f64());
    }
    let line = serde_json::json!({
        "peer": "taut", "problem": "P3", "case": format!("n={n}"), "method": "rhs", "wall": wall, "cpu": spent,
        "us_eval": spent / evals as f64 * 1e6, "evals": evals,
    });
    println!("RESULT {line}");
}
