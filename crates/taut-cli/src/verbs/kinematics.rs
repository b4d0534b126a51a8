//! `taut kinematics`: a motion that the drivers prescribe completely; results go to a folder.

use crate::ending::{Ending, Failure, note, say, say_json};
use crate::folder::{self, Unfinished};
use crate::options::{Printing, Settings, Source, Style, TableFormat, stem};
use crate::summary::{Extremes, Summary};
use clap::Args;
use std::path::PathBuf;
use taut::analyses::{AnalysisError, Output, Transient, kinematic, rank};
use taut::constraints::Level;
use taut::{Model, Outcome, Solution};
use taut_io::model::ModelFile;
use taut_io::results::write_solution;
use taut_papers::text;

/// Number of outputs if the model asks for one per step; a kinematic analysis has no steps.
const OUTPUTS: usize = 200;

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
    source: Source,
    /// Folder for the results [default: MODEL.kin]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of the result table: text (csv), compressed columns (parquet) or NumPy (npz)
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    settings: Settings,
}

impl Arguments {
    /// Computes the motion and writes it.
    pub fn run(self) -> Result<Ending, Failure> {
        let style = self.printing.style();
        let (file, model) = self.source.open(&self.settings.changes(), style)?;
        let name = stem(&self.source.model);
        let folder = folder::choose(self.output, &name, "kin");
        folder::clear(&folder, Unfinished::Replaced, style)?;
        let found = follow(&model, &file).map_err(|e| failure(&model, e))?;
        write_solution(&folder, &folder::describe(&file, &name, self.format)?, &found)?;
        let mut extremes = Extremes::of(&model, &found.table);
        extremes.see(&found.table);
        let summary = Summary {
            name: &name,
            model: &model,
            rank: rank(&model, found.final_state()).ok(),
            outcome: Some(&found.outcome),
            t: found.final_state().t,
            statistics: found.statistics,
            extremes: &extremes,
            elapsed: found.elapsed.as_secs_f64(),
            warnings: &found.warnings,
            verdict: None,
            expected: &[],
            folder: folder.display().to_string(),
        };
        if style != Style::Silent {
            for w in &found.warnings {
                note(&format!("warning: at t = {} s: {}", text::number(w.t), w.message));
            }
        }
        match style {
            Style::Text => say(&summary.text())?,
            Style::Json => say_json(&summary.json())?,
            Style::Silent => {}
        }
        if found.outcome == Outcome::Finished {
            return Ok(Ending::Done);
        }
        note(&format!("error: {}", found.outcome));
        Ok(Ending::Stopped)
    }
}

/// Computes the prescribed motion at the output times.
///
/// # Errors
/// The motion is not prescribed completely, the first pose cannot be assembled, or the output times are invalid.
pub fn follow(model: &Model, file: &ModelFile) -> Result<Solution, AnalysisError> {
    kinematic(model, &file.state(model), &times(&file.transient, file.start_time)?)
}

/// Converts the error; adds a remedy if a driver prescribes no position.
pub fn failure(model: &Model, error: AnalysisError) -> Failure {
    let loose = (0..model.rows.len()).find(|&r| model.rows[r].level != Level::Position);
    match (&error, loose) {
        (AnalysisError::NotDriven { .. }, Some(row)) => {
            let help = format!(
                "`{}` prescribes a velocity or acceleration, which does not determine the pose; prescribe a `position` instead",
                model.row_name(row)
            );
            Failure::with_help(error.to_string(), help)
        }
        _ => error.into(),
    }
}

/// Output times from `start` on.
fn times(settings: &Transient, start: f64) -> Result<Vec<f64>, AnalysisError> {
    const MOST: u64 = 10_000_000;
    let (end, span) = (settings.t_end, settings.t_end - start);
    if !span.is_finite() || span < 0.0 {
        return Err(AnalysisError::EndTime { t_end: end, t: start });
    }
    match &settings.output {
        Output::Times(times) => Ok(times.clone()),
        Output::Ends => Ok(vec![start, end]),
        Output::Steps => Ok((0..=OUTPUTS).map(|i| start + span * i as f64 / OUTPUTS as f64).collect()),
        Output::Every(interval) => {
            let count = span / interval;
            if !interval.is_finite() || *interval <= 0.0 || count > MOST as f64 {
                return Err(AnalysisError::Interval { found: *interval, most: MOST });
            }
            // A last interval that is only round-off is dropped.
            let whole = (count * (1.0 + 4.0 * f64::EPSILON)).floor() as u64;
            let mut times: Vec<f64> = (0..=whole).map(|i| (start + i as f64 * interval).min(end)).collect();
            match times.last_mut() {
                Some(last) if end - *last <= 1e-9 * interval => *last = end,
                _ => times.push(end),
            }
            Ok(times)
        }
    }
}
