//! `taut kinematics`: the motion that the drivers prescribe in full, into a folder of results.

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

/// Outputs of a motion whose file asks for those of the steps, of which there are none.
const OUTPUTS: usize = 200;

/// Arguments of `taut kinematics`.
#[derive(Debug, Args)]
#[command(after_help = "\
Positions, velocities and accelerations follow from the constraints alone, the reactions and the efforts of the drivers \
from the equations of motion. All freedoms must be driven, with drivers given as positions. Results go to the folder \
MODEL.kin here, which is like that of a run.

Examples:
  taut kinematics crank.toml
  taut kinematics crank.toml --every \"1 ms\" -o crank.kin")]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Folder of the results [default: MODEL.kin]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of the table: text, compressed columns, or for NumPy
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    settings: Settings,
}

impl Arguments {
    /// Follows the motion and writes it.
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

/// Follows the prescribed motion through the times of output.
///
/// # Errors
/// A motion that is not prescribed in full, a first pose that cannot be assembled, senseless times.
pub fn follow(model: &Model, file: &ModelFile) -> Result<Solution, AnalysisError> {
    kinematic(model, &file.state(model), &times(&file.transient, file.start_time)?)
}

/// The same error as a failure, with what to do about drivers that fix no pose.
pub fn failure(model: &Model, error: AnalysisError) -> Failure {
    let loose = (0..model.rows.len()).find(|&r| model.rows[r].level != Level::Position);
    match (&error, loose) {
        (AnalysisError::NotDriven { .. }, Some(row)) => {
            let help = format!(
                "`{}` is given as a velocity or acceleration, which fixes no pose; give it as a `position`",
                model.row_name(row)
            );
            Failure::with_help(error.to_string(), help)
        }
        _ => error.into(),
    }
}

/// Times of output from `start` on.
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
            // A last interval shorter than round-off is none.
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
