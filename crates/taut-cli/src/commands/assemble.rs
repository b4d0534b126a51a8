//! `taut assemble`: finds a pose and velocities that satisfy the constraints, and lists the corrections.

mod branches;
#[cfg(feature = "view")]
mod branches_picture;
mod start;

use crate::exit::{CliError, ExitStatus, print_diagnostics, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, ModelSource, OutputStyle};
use crate::overwrite;
use clap::Args;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::{
    AnalysisError, Assembled, AssemblyReport, AssemblySettings, BodyDisplacement, BranchSearch, InitialConditions,
    Simulation, Transient, assemble,
};
use taut::dynamics::SolverSettings;
use taut_papers::text::{self, Align, number, size, table};

/// Largest number of rows shown of a list.
const MAX_TABLE_ROWS: usize = 12;

/// Arguments of `taut assemble`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taut assemble crank.toml  # list the corrections
  # also write the model with the assembled pose
  taut assemble crank.toml -o start.toml
  # keep the crank in place and move the other bodies
  taut assemble crank.toml --hold crank
  # list all poses in which it can be assembled
  taut assemble crank.toml --branches
  # draw them
  taut assemble crank.toml --branches --picture branches.svg")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Write the model with the assembled pose and velocities to this file, with all numbers in SI units
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the output if it exists; never the model itself
    #[arg(long)]
    force: bool,
    /// Keep this body (`crank`) or velocity (`crank.omega`) nearly unchanged; may be repeated
    #[arg(long, value_name = "NAME")]
    hold: Vec<String>,
    /// Find all poses in which the mechanism can be assembled, and name them by signs of coordinates
    #[arg(long, conflicts_with_all = ["output", "hold"])]
    branches: bool,
    /// Draw the branches beside each other (.svg or .png)
    #[arg(long, value_name = "FILE", requires = "branches")]
    picture: Option<PathBuf>,
    /// Most random starts of --branches [default: 50000]
    #[arg(long, value_name = "N", requires = "branches")]
    starts: Option<u32>,
    /// Seed of the random starts [default: 1]
    #[arg(long, value_name = "N", requires = "branches")]
    seed: Option<u64>,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Assembles the pose, prints the corrections and writes the model.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        for path in self.output.iter().chain(&self.picture) {
            overwrite::check_overwrite(path, &self.source.model, self.force.into())?;
        }
        let (mut file, model) = self.source.open_model_file(&[], OutputStyle::Text)?;
        if self.branches {
            let default = BranchSearch::default();
            let max_starts = self.starts.map_or(default.max_starts, |n| n as usize);
            let search = BranchSearch { max_starts, seed: self.seed.unwrap_or(default.seed) };
            return branches::run(&file, &model, &search, self.printing.style(), self.picture.as_deref());
        }
        let SolverSettings { inconsistent, row_weighting, .. } = file.transient.choice;
        let settings = AssemblySettings { held: self.hold, inconsistent, row_weighting, ..AssemblySettings::default() };
        let Assembled { state, ledger } =
            assemble(&model, &file.state(&model), &settings).map_err(|e| file.diagnose(&e))?;
        let targets = file.start_ledger(&state)?;
        match self.printing.style() {
            OutputStyle::Json => {
                let (q, v) = model.state_names();
                let named = q.iter().zip(&state.q).chain(v.iter().zip(&state.v));
                let numbers: serde_json::Map<_, _> = named.map(|(n, x)| (n.name.clone(), json!(x))).collect();
                print_json(&json!({ "t": state.t, "state": numbers, "ledger": ledger, "start": targets }))?;
            }
            _ => {
                let start = targets.as_ref().map(start::as_text).unwrap_or_default();
                let unchanged = ledger.moved.is_empty() && ledger.contradictions.is_empty();
                let corrections = if start.is_empty() || !unchanged { as_text(&ledger) } else { String::new() };
                print_stdout(&(start + &corrections))?;
            }
        }
        // Assembly ignores gaps, which may be open or closed; a pose with an overlap cannot be run.
        let as_found = Transient { start: InitialConditions::AsGiven, ..file.transient.clone() };
        let overlap = match Simulation::new(&model, &state, &as_found) {
            Err(e @ AnalysisError::Overlap { .. }) => Some(file.diagnose(&e)),
            _ => None,
        };
        if let Some(path) = self.output {
            file.set_start(&model, &state);
            let text = file.write()?;
            std::fs::write(&path, text).map_err(|e| CliError::file_error("write", &path, &e))?;
            print_stderr(&format!("wrote {}", path.display()));
        }
        print_diagnostics(overlap.as_slice());
        Ok(if overlap.is_none() { ExitStatus::Success } else { ExitStatus::Failed })
    }
}

fn as_text(ledger: &AssemblyReport) -> String {
    let mut text = String::new();
    if ledger.moved.is_empty() {
        let met = if ledger.contradictions.is_empty() { "satisfy" } else { "are as near as possible to" };
        let _ = writeln!(text, "no corrections: the given pose and velocities {met} the constraints");
    } else {
        let iterations = text::count(ledger.iterations, "iteration", "iterations");
        let _ = writeln!(text, "assembled in {iterations}; displaced, largest first:");
        append_displacements(&mut text, &ledger.moved);
    }
    let residuals: Vec<_> = ledger.residuals.iter().filter(|r| r.before > 1e-12).collect();
    if !residuals.is_empty() {
        let _ = writeln!(text, "residuals, largest first:");
        let mut rows = vec![["row", "before", "after", ""].map(String::from).to_vec()];
        for r in residuals.iter().take(MAX_TABLE_ROWS) {
            rows.push(vec![r.row.clone(), size(r.before), size(r.after), r.unit.to_string()]);
        }
        text.push_str(&table(&[Align::Left, Align::Right, Align::Right, Align::Left], &rows, "  "));
        append_remainder(&mut text, residuals.len(), "rows");
    }
    for contradiction in &ledger.contradictions {
        let _ = writeln!(text, "{contradiction}: the least-squares solution is shown");
    }
    for joint in &ledger.flipped {
        let _ = writeln!(
            text,
            "joint `{joint}` was assembled with opposed axes; rotate one of its bodies in the initial pose"
        );
    }
    text
}

fn append_displacements(text: &mut String, moved: &[BodyDisplacement]) {
    let mut rows = vec![["body", "by [m]", "rotated by [rad]", "velocity changed by"].map(String::from).to_vec()];
    for m in moved.iter().take(MAX_TABLE_ROWS) {
        rows.push(vec![m.body.clone(), number(m.translation), number(m.rotation), number(m.velocity)]);
    }
    text.push_str(&table(&[Align::Left, Align::Right, Align::Right, Align::Right], &rows, "  "));
    append_remainder(text, moved.len(), "bodies");
}

fn append_remainder(text: &mut String, count: usize, what: &str) {
    if count > MAX_TABLE_ROWS {
        let _ = writeln!(text, "  and {} more {what}", count - MAX_TABLE_ROWS);
    }
}
