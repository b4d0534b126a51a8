//! `taut kinematics`: a motion that the drivers prescribe completely; results go to a folder.

use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{ModelSource, OutputOptions, OutputStyle, RunSettings, TableFormat, stem};
use crate::run_folder::{self, UnfinishedRun};
use crate::summary::Summary;
use clap::Args;
use std::path::PathBuf;
use taut::analyses::{AnalysisError, rank};
use taut::{Extremes, Model, Outcome, Warning};
use taut_io::model::{ModelFile, prescription_remedy};
use taut_io::results::write_solution;
use taut_papers::text;

/// Arguments of `taut kinematics`.
#[derive(Debug, Args)]
#[command(after_help = "\
Positions, velocities and accelerations follow from the constraints alone; reactions and driver forces follow from the \
equations of motion. Drivers given as positions must prescribe all degrees of freedom. Results go to the folder MODEL.kin in \
the current directory, in the format of a run.

Examples:
  taut kinematics crank.toml
  taut kinematics crank.toml --every \"1 ms\" -o crank.kin")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Folder for the results [default: MODEL.kin]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of the result table: text (csv), compressed columns (parquet) or NumPy (npz)
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    #[command(flatten)]
    printing: OutputOptions,
    #[command(flatten)]
    settings: RunSettings,
}

impl Arguments {
    /// Computes the motion and writes it.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let style = self.printing.style();
        let (file, model) = self.source.open_model_file(&self.settings.overrides(), style)?;
        let name = stem(&self.source.model);
        let folder = run_folder::output_folder(self.output, &name, "kin");
        run_folder::check_replaceable(&folder, UnfinishedRun::Replace, style)?;
        let found = file.prescribed_motion(&model).map_err(|e| kinematics_error(&file, &model, e))?;
        write_solution(&folder, &run_folder::new_run(&file, &name, self.format)?, &found)?;
        let mut extremes = Extremes::of(&model, &found.table);
        extremes.add_rows(&found.table);
        extremes.mark_determinacy(&model, found.final_state());
        let summary = Summary {
            name: &name,
            model: &model,
            rank: rank(&model, found.final_state()).ok(),
            outcome: Some(&found.outcome),
            t: found.final_state().t,
            statistics: found.statistics,
            extremes: &extremes,
            wall_clock_seconds: found.elapsed.as_secs_f64(),
            warnings: &found.warnings,
            verdict: None,
            expected: &[],
            folder: folder.display().to_string(),
        };
        if style != OutputStyle::Silent {
            print_warnings(&found.warnings);
        }
        match style {
            OutputStyle::Text => print_stdout(&summary.text())?,
            OutputStyle::Json => print_json(&summary.json())?,
            OutputStyle::Silent => {}
        }
        if found.outcome == Outcome::Finished {
            return Ok(ExitStatus::Success);
        }
        print_stderr(&format!("error: {}", found.outcome));
        Ok(ExitStatus::Stopped)
    }
}

/// Prints the warnings of a prescribed motion.
pub fn print_warnings(warnings: &[Warning]) {
    for w in warnings {
        print_stderr(&format!("warning: at t = {} s: {}", text::number(w.t), w.message));
    }
}

/// Converts the error; adds a remedy if a driver prescribes no position.
pub fn kinematics_error(file: &ModelFile, model: &Model, error: AnalysisError) -> CliError {
    match prescription_remedy(model, &error) {
        Some(help) => CliError::with_help(error.to_string(), help),
        None => file.diagnose(&error).into(),
    }
}
