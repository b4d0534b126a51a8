//! `taut static`: static equilibrium, at rest or in a rotating frame, and the load path that leads to it.

mod static_report;

use super::rotation_options::{parse_axis, parse_rate, parse_vector};
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::expectations::{self, CheckedExpectation};
use crate::options::{ModelSource, OutputOptions, OutputStyle, TableFormat, renamed, stem};
use crate::overwrite;
use crate::run_folder::{self, UnfinishedRun};
use clap::Args;
use static_report::{StaticReport, changed_numbers};
use std::path::PathBuf;
use taut::analyses::{
    ArcLength, BranchSwitching, LoadPath, Loading, PathEnd, StaticResult, Statics, StaticsError, UniformRotation,
    body_displacements, compare_with_penalty, share_reactions, with_load_factor,
};
use taut::{Model, ReactionSharing};
use taut_io::model::ModelFile;
use taut_io::results::{StoredRun, write_solution};
use taut_papers::text::number;

/// Arguments of `taut static`.
#[derive(Debug, Args)]
#[command(after_help = "\
The load consists of weight, applied forces and motors; springs, beams and constraints carry it. Time keeps its initial \
value. With -o, the equilibria under increasing load are written to a folder in the format of a run: `t` numbers the points, \
`load` is the load factor (1 = full load).

Examples:
  taut static crane.toml  # pose, reactions and stability
  # past limit points, onto the buckled branch
  taut static column.toml --arc-length --branch 0.05
  taut static governor.toml --rotating-about z --rate \"16 rad/s\"
  # exact constraints beside stiff springs
  taut static models/papers/newhart_static.toml --penalty
  # also write the model in the equilibrium pose
  taut static crane.toml --write sagged.toml")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Apply the load in this many steps
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    load_steps: Option<u32>,
    /// Follow the equilibrium path by arc length, past limit points
    #[arg(long, conflicts_with = "load_steps")]
    arc_length: bool,
    /// Load factor of the first arc-length step
    #[arg(long, value_name = "FACTOR", default_value_t = 0.05, requires = "arc_length", allow_hyphen_values = true)]
    first: f64,
    /// Longest arc-length step, relative to the size of the mechanism, or in rad
    #[arg(long, value_name = "NUMBER", default_value_t = 0.1, requires = "arc_length", allow_hyphen_values = true)]
    longest: f64,
    /// Largest number of points on the path [default: 500]; exit code 2 if the path does not end within them
    #[arg(long, value_name = "COUNT", requires = "arc_length", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    points: Option<u32>,
    /// Switch to the other branch at a bifurcation, with a first step of this size; its sign selects the side
    #[arg(long, value_name = "NUMBER", requires = "arc_length", allow_hyphen_values = true)]
    branch: Option<f64>,
    /// Also compute the equilibrium with every constraint as a spring of stiffness MU, for comparison [default: 1e4 times
    /// the largest stiffness]
    #[arg(long, value_name = "MU", num_args = 0..=1, value_parser = parse_penalty, conflicts_with_all = ["load_steps", "arc_length", "rotating_about"])]
    penalty: Option<Option<f64>>,
    /// Rotate the whole mechanism about this axis: x, y, z, or three numbers such as 0,1,1
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, requires = "rate", allow_hyphen_values = true)]
    rotating_about: Option<[f64; 3]>,
    /// Angular velocity of that rotation, for example "16 rad/s", "150 rpm", or a number in rad/s
    #[arg(long, value_name = "RATE", value_parser = parse_rate, requires = "rotating_about", allow_hyphen_values = true)]
    rate: Option<f64>,
    #[arg(long, hide = true, value_parser = renamed("--rotating-about"), allow_hyphen_values = true)]
    rotation: Option<String>,
    #[arg(long, hide = true, value_parser = renamed("--rate"), allow_hyphen_values = true)]
    speed: Option<String>,
    /// A point on the axis in m, for example "0.1 0 0" [default: the origin]
    #[arg(long, value_name = "POINT", value_parser = parse_vector, requires = "rotating_about", allow_hyphen_values = true)]
    through: Option<[f64; 3]>,
    /// Folder for the load path
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of its table: text (csv), compressed columns (parquet) or NumPy (npz)
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// Write the model in the equilibrium pose to this file, with all numbers in SI units
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Replace that file if it exists; never the model itself
    #[arg(long, requires = "write")]
    force: bool,
    /// Check the path against the `[[expect]]` entries of the model; needs -o
    #[arg(long, requires = "output")]
    expect: bool,
    #[command(flatten)]
    printing: OutputOptions,
}

fn parse_penalty(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(mu) if mu.is_finite() && mu > 0.0 => Ok(mu),
        _ => Err("write a positive number in SI units, for example 1e8".to_string()),
    }
}

impl Arguments {
    /// Finds the equilibrium, prints it and writes the requested files.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let style = self.printing.style();
        if let Some(path) = &self.write {
            let there = self.force.into();
            overwrite::check_overwrite(path, &self.source.model, there)?;
        }
        if let Some(folder) = &self.output {
            run_folder::check_replaceable(folder, UnfinishedRun::Replace, style)?;
        }
        let (mut file, model) = self.source.open_model_file(&[], style)?;
        let settings = self.statics_settings()?;
        let given = file.state(&model);
        let mut found = match StaticResult::find(&model, &given, &settings) {
            Ok(found) => found,
            Err(e) => return stop_or_error(&file, e),
        };
        let penalty = match self.penalty {
            None => None,
            Some(penalty) => match compare_with_penalty(&model, &given, &Statics { penalty, ..settings }) {
                Ok(both) => Some(both),
                Err(e) => return stop_or_error(&file, e),
            },
        };
        let under = with_load_factor(&model, found.load_factor());
        let judged = found.equilibrium.assess_stability(&under, &settings).ok();
        let (stability, free) = judged.map_or((None, Vec::new()), |j| (Some(j.stability), j.free_motions));
        found.set_softest_stiffness(stability);
        if file.transient.reactions != ReactionSharing::Solver {
            let e = &mut found.equilibrium;
            e.lambda = share_reactions(&under, &e.state, &e.lambda, file.transient.reactions)?;
        }
        let mut still = given.clone();
        still.v.clone_from(&found.equilibrium.state.v);
        let reported = StaticReport {
            result: &found,
            moved: body_displacements(&model, &still, &found.equilibrium.state),
            changed: changed_numbers(&model, &still, &found.equilibrium.state),
            stability,
            free_motions: free,
            penalty: penalty.as_ref(),
        };
        if style != OutputStyle::Silent {
            found.equilibrium.notes.iter().for_each(|n| print_stderr(&format!("warning: {n}")));
        }
        match style {
            OutputStyle::Json => print_json(&reported.json(&under)?)?,
            OutputStyle::Text => print_stdout(&reported.text(&under)?)?,
            OutputStyle::Silent => {}
        }
        let ending = match &self.output {
            Some(folder) => self.write_load_path(folder, &file, &model, &found.path)?,
            None => ExitStatus::Success,
        };
        if let Some(path) = &self.write {
            file.set_start(&model, &found.equilibrium.state);
            std::fs::write(path, file.write()?).map_err(|e| CliError::file_error("write", path, &e))?;
            print_stderr(&format!("wrote {}", path.display()));
        }
        if found.path.end == PathEnd::AtMostPoints {
            let (points, load_factor) = (found.path.points.len(), number(found.load_factor()));
            print_stderr(&format!(
                "warning: the path was cut off after {points} points, at load factor {load_factor}; increase --points or --longest"
            ));
            return Ok(ExitStatus::Stopped);
        }
        Ok(ending)
    }

    fn statics_settings(&self) -> Result<Statics, CliError> {
        let branching = self.branch.map_or(BranchSwitching::Stay, BranchSwitching::Switch);
        let points = self.points.unwrap_or(ArcLength::default().max_points as u32) as usize;
        let arc = ArcLength {
            first_step: self.first,
            max_displacement: self.longest,
            branching,
            max_points: points,
            ..ArcLength::default()
        };
        let loading = match (self.load_steps, self.arc_length) {
            (_, true) => Loading::ArcLength(arc),
            (Some(steps), _) => Loading::Steps(steps as usize),
            _ => Loading::AtOnce,
        };
        let rotation = self
            .rotating_about
            .zip(self.rate)
            .map(|(axis, rate)| UniformRotation::about(axis, rate).through(self.through.unwrap_or_default()));
        Ok(Statics { loading, rotation, ..Statics::default() })
    }

    /// Writes the load path and checks the expectations.
    fn write_load_path(
        &self,
        folder: &std::path::Path,
        file: &ModelFile,
        model: &Model,
        path: &LoadPath,
    ) -> Result<ExitStatus, CliError> {
        let name = stem(&self.source.model);
        write_solution(folder, &run_folder::new_run(file, &name, self.format)?, &path.solution(model))?;
        print_stderr(&format!("wrote {}", folder.display()));
        if !self.expect {
            return Ok(ExitStatus::Success);
        }
        let checked = expectations::check_expectations(&StoredRun::open(folder)?, &file.expect)?;
        let missed: Vec<&CheckedExpectation> = checked.iter().filter(|e| !e.is_met()).collect();
        missed.iter().for_each(|e| print_stderr(&format!("error: expectation not met: {}", e.text())));
        Ok(if missed.is_empty() { ExitStatus::Success } else { ExitStatus::Failed })
    }
}

/// A search that fails is a numerical stop (exit code 2); any other error is an invalid model or usage (exit code 1).
fn stop_or_error(file: &ModelFile, error: StaticsError) -> Result<ExitStatus, CliError> {
    match error {
        StaticsError::NoConvergence { .. }
        | StaticsError::PathEnds { .. }
        | StaticsError::FrictionTooWeak { .. }
        | StaticsError::NoContactForces { .. }
        | StaticsError::ContactWorkExceeded { .. } => {
            print_stderr(&format!("error: {error}"));
            Ok(ExitStatus::Stopped)
        }
        StaticsError::Analysis(e) => Err(file.diagnose(&e).into()),
        e => Err(CliError::new(e.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties() {
        assert_eq!(parse_penalty("1e8"), Ok(1e8));
        assert!(parse_penalty("0").is_err() && parse_penalty("-1").is_err() && parse_penalty("stiff").is_err());
    }
}
