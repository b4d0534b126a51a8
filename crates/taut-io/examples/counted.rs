//! One analysis of a model file with nothing around it that looks at the clock or the terminal, so that its instructions can be counted
//! (`bench/instructions.py`).
//!
//! ```text
//!  counted run|runs:COUNT|statics|modes|doctor|evaluate MODEL [NAME=VALUE …]
//! ```
//!
//! `runs:COUNT` makes so many runs, with the search for peaks, as `taut sweep` and the Python package do (`bench/python_cost.py`).
//! `modes` are those at the equilibrium; `evaluate` computes the accelerations of the initial state a thousand times. The last line of the output is a figure of the result, so
//! that a count never belongs to an analysis that failed.

use std::error::Error;
use std::path::Path;
use taut::analyses::linear::{ModeRequest, OperatingPoint, modes};
use taut::analyses::{Statics, doctor, start_run, statics};
use taut::dynamics::{Dynamics, SolverSettings};
use taut::{Model, Outcome};
use taut_io::model::{ModelFile, Override, read};

/// Evaluations of `evaluate`.
const EVALUATIONS: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [analysis, path, values @ ..] = &arguments[..] else {
        return Err("usage: counted run|runs:COUNT|statics|modes|doctor|evaluate MODEL [NAME=VALUE …]".into());
    };
    let overrides: Vec<Override> = values
        .iter()
        .filter_map(|v| v.split_once('='))
        .map(|(path, value)| Override { path: path.to_string(), value: value.to_string() })
        .collect();
    let file = read(Path::new(path), &overrides).map_err(|found| format!("{found:?}"))?;
    let model = file.build().map_err(|e| format!("{e:?}"))?;
    println!("{:e}", figure(analysis, &file, &model)?);
    Ok(())
}

/// Performs the analysis and returns one number of its result.
fn figure(analysis: &str, file: &ModelFile, model: &Model) -> Result<f64, Box<dyn Error>> {
    let state = file.state(model);
    if let Some(count) = analysis.strip_prefix("runs:") {
        let mut sum = 0.0;
        for _ in 0..count.parse::<usize>()? {
            let mut run = start_run(model, &state, &file.transient, file.contact_method)?.run;
            run.search_peaks();
            run.run();
            sum += run.solution().table.columns().last().and_then(|c| c.data.last()).copied().unwrap_or_default();
        }
        return Ok(sum);
    }
    match analysis {
        "run" => {
            let mut run = start_run(model, &state, &file.transient, file.contact_method)?.run;
            run.run();
            if *run.outcome() != Outcome::Finished {
                return Err(format!("the run ended early: {}", run.outcome()).into());
            }
            Ok(run.final_state().q.iter().sum())
        }
        "statics" => Ok(statics(model, &state, &Statics::default())?.state.q.iter().sum()),
        "modes" => {
            let rest = statics(model, &state, &Statics::default())?.state;
            let small = OperatingPoint::default().linearise(model, &rest, &file.transient)?;
            let found = modes(&small, ModeRequest::All)?;
            Ok(found.modes.iter().map(|m| m.omega()).fold(0.0, f64::max))
        }
        "doctor" => Ok(doctor(model, &state)?.to_string().len() as f64),
        "evaluate" => {
            let mut dynamics = Dynamics::at(model, &state, &SolverSettings::default());
            for _ in 0..EVALUATIONS {
                dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
            }
            Ok(dynamics.vdot.iter().sum())
        }
        other => Err(format!("unknown analysis `{other}`").into()),
    }
}
