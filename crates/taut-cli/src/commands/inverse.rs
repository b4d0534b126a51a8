//! `taut inverse`: inverse dynamics, the reactions and driving forces of a given motion.

use super::kinematics::{kinematics_error, print_warnings};
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, ModelSource, OutputStyle, RunSettings};
use crate::summary::{loads_json, loads_text, reaction_table};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::fmt::Write;
use taut::analyses::{
    AnalysisError, AssemblySettings, DeterminacyReport, InitialConditions, Inverse, Output, Run, Simulation, Transient,
    assemble, inverse,
};
use taut::{ColumnFamily, Columns, Extremes, Model, Outcome, ReactionSharing, State};
use taut_papers::text::{Align, number, size, table};

/// Additional forces below this, relative to the largest multiplier, are not listed.
const EFFORT_THRESHOLD: f64 = 1e-9;

/// Where the forces are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Along {
    // In the initial pose, with given accelerations.
    Start,
    // Along a motion that the drivers prescribe completely.
    Motion,
}

/// Arguments of `taut inverse`.
#[derive(Debug, Args)]
#[command(after_help = "\
If the drivers prescribe the motion completely, the forces are computed at all output times. Otherwise, or if accelerations are \
given, they are computed in the initial pose. Forces that the constraints cannot supply are listed as additional forces.

Examples:
  taut inverse crank.toml
  taut inverse arm.toml --accelerations upper.alpha=2 \\
      --accelerations fore.alpha=-1")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Acceleration in the initial pose in SI units, for example `crank.alpha=3`; the others are zero; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_acceleration, allow_hyphen_values = true)]
    accelerations: Vec<(String, f64)>,
    /// Compute the forces in the initial pose, or along the prescribed motion
    #[arg(long, value_enum, conflicts_with = "accelerations")]
    along: Option<Along>,
    #[command(flatten)]
    printing: JsonOption,
    #[command(flatten)]
    settings: RunSettings,
}

fn parse_acceleration(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=').map(|(name, x)| (name.trim().to_string(), x.trim().parse()));
    match parts {
        Some((name, Ok(x))) => Ok((name, x)),
        _ => Err("expected NAME=VALUE with a plain number, for example crank.alpha=3".to_string()),
    }
}

impl Arguments {
    /// Computes and prints the forces.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let (file, model) = self.source.open_model_file(&self.settings.overrides(), OutputStyle::Text)?;
        let style = self.printing.style();
        if self.along != Some(Along::Start) && self.accelerations.is_empty() {
            match file.prescribed_motion(&model) {
                // Not prescribed completely: use the initial pose, unless --along motion was given.
                Err(AnalysisError::NotDriven { .. }) if self.along.is_none() => {}
                Err(e) => return Err(kinematics_error(&file, &model, e)),
                Ok(found) => {
                    let mut extremes = Extremes::of(&model, &found.table);
                    extremes.add_rows(&found.table);
                    extremes.mark_determinacy(&model, found.final_state());
                    print_warnings(&found.warnings);
                    match style {
                        OutputStyle::Json => {
                            let keep = |name: &str| name == "t" || is_load_column(&model, name);
                            let columns = found.table.columns().iter().filter(|c| keep(&c.name));
                            let columns: serde_json::Map<_, _> =
                                columns.map(|c| (c.name.clone(), json!(c.data))).collect();
                            let (reactions, drives) = loads_json(&extremes);
                            print_json(&json!({
                                "along": "motion", "outcome": found.outcome, "reactions": reactions,
                                "drives": drives, "columns": columns, "events": found.events, "warnings": found.warnings,
                            }))?;
                        }
                        _ => print_stdout(&loads_text(&extremes))?,
                    }
                    if found.outcome == Outcome::Finished {
                        return Ok(ExitStatus::Success);
                    }
                    print_stderr(&format!("error: {}", found.outcome));
                    return Ok(ExitStatus::Stopped);
                }
            }
        }
        let state = assemble(&model, &file.state(&model), &AssemblySettings::default())?.state;
        let names = acceleration_names(&model, &state)?;
        let mut vdot = vec![0.0; names.len()];
        for (name, x) in &self.accelerations {
            match names.iter().position(|n| n == name) {
                Some(i) => vdot[i] = *x,
                None => {
                    let help = format!("the accelerations are: {}", names.join(", "));
                    return Err(CliError::with_help(format!("there is no acceleration `{name}`"), help));
                }
            }
        }
        let mut found = inverse(&model, &state, &vdot)?;
        if file.transient.reactions != ReactionSharing::Solver {
            found.share(&model, &state, file.transient.reactions)?;
        }
        match style {
            OutputStyle::Json => {
                let shared = DeterminacyReport::at(&model, &state, &found.lambda);
                print_json(
                    &json!({ "along": "start", "accelerations": names, "inverse": found, "determinacy": shared }),
                )?;
            }
            _ => print_stdout(&as_text(&model, &state, &found))?,
        }
        Ok(ExitStatus::Success)
    }
}

/// Whether a column is a reaction or multiplier of a constraint.
fn is_load_column(model: &Model, column: &str) -> bool {
    let of = |c: &taut::ConstraintEntry| column.strip_prefix(&c.name).and_then(|rest| rest.strip_prefix('.'));
    let load = |short: &str| ["f", "m", "lambda_"].iter().any(|p| short.starts_with(p));
    model.constraints.iter().filter_map(of).any(|rest| load(rest.rsplit('.').next().unwrap_or(rest)))
}

/// Names of all accelerations, in the order of the velocities.
fn acceleration_names(model: &Model, state: &State) -> Result<Vec<String>, CliError> {
    let columns = Columns::Only(vec![ColumnFamily::Accelerations]);
    let settings = Transient::to(state.t).columns(columns).output(Output::Ends).start(InitialConditions::AsGiven);
    let solution = Simulation::new(model, state, &settings)?.into_solution();
    Ok(solution.names().skip(1).map(String::from).collect())
}

fn as_text(model: &Model, state: &State, found: &Inverse) -> String {
    let mut text = String::new();
    let shared = DeterminacyReport::at(model, state, &found.lambda);
    text.push_str(&reaction_table(&found.reactions, &shared, usize::MAX));
    let largest = found.lambda.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let noticed: Vec<_> =
        found.joint_efforts.iter().filter(|j| j.effort.abs() > EFFORT_THRESHOLD * (1.0 + largest)).collect();
    if !noticed.is_empty() {
        let mut rows = vec![vec!["additional force in joint".to_string(), "value".to_string(), String::new()]];
        for j in noticed {
            let unit = if j.axis.starts_with("about") { "N m" } else { "N" };
            let axis = j.axis.replace('_', " ");
            rows.push(vec![format!("  {} {axis}", j.joint), number(j.effort), unit.to_string()]);
        }
        text.push_str(&table(&[Align::Left, Align::Right, Align::Left], &rows, ""));
    }
    if found.needed > EFFORT_THRESHOLD * (1.0 + largest) {
        let velocities = model.state_names().1;
        let mut rows = vec![vec!["additional force on".to_string(), "value".to_string(), String::new()]];
        for (effort, body) in found.efforts.iter().zip(&model.bodies) {
            for (i, x) in
                body.v.clone().zip(&effort.needed).filter(|(_, x)| x.abs() > EFFORT_THRESHOLD * (1.0 + largest))
            {
                let unit = if velocities[i].unit == "rad/s" { "N m" } else { "N" };
                rows.push(vec![format!("  {}", velocities[i].name), number(*x), unit.to_string()]);
            }
        }
        text.push_str(&table(&[Align::Left, Align::Right, Align::Left], &rows, ""));
    } else {
        text.push_str("no additional forces are needed\n");
    }
    if let Some(row) = found.violated.as_ref().filter(|_| found.violation > 1e-9) {
        let left = size(found.violation);
        let _ = writeln!(text, "the accelerations contradict the constraints: the residual of `{row}` is {left}");
    }
    text
}
