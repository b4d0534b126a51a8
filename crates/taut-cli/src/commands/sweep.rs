//! `taut sweep`: many analyses of one model with varied parameters.

mod report;

use super::operating_point::OperatingPoint;
use crate::exit::{CliError, ExitStatus, print_stderr};
use crate::interrupt;
use crate::options::{ModelOverrides, OutputOptions, OutputStyle, RunSettings, stem};
use crate::run_folder::output_folder;
use clap::{Args, ValueEnum};
use report::SweepReport;
use std::path::{Path, PathBuf};
use taut_sweep::{
    Analysis, Cases, Critical, Existing, Plan, Request, Sample, SamplingMethod, Shard, StoredSweep, SweepFolder,
    execute,
};

/// What is computed for each member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum AnalysisName {
    // Described at the option itself; doc comments here would make the help twice as long.
    #[default]
    Run,
    Kinematics,
    Static,
    Modes,
    Campbell,
}

/// How ranges and distributions are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum SampleName {
    #[value(alias = "lhs")]
    LatinHypercube,
    Sobol,
    MonteCarlo,
}

/// Arguments of `taut sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Values of --vary: a grid FIRST:LAST:COUNT (FIRST:LAST:COUNT:log for equal ratios), or a list \"A, B, C\"; with --sample also a \
range LOW:HIGH, or uniform(a, b), log_uniform(a, b), normal(mean, deviation), log_normal(median, deviation), triangular(a, mode, b). \
Several --vary options are combined (full grid).

Measures of --keep: max, min, mean, rms, range, integral, first, final, time_of_max, time_of_min of a formula over columns; \
at(FORMULA, TIME), at(FORMULA, EVENT), time(EVENT), count(EVENT); `extremes` for the largest force and moment of every joint; \
`run` for the whole run of every member. Without --keep: extremes, frequencies or critical speeds.

The folder has one table, table.csv and table.parquet, with a row per member. The row of a failed member contains the reason. The \
results do not depend on the number of jobs. A sweep that was interrupted or killed is continued with --resume.

Examples:
  taut sweep crank.toml --vary crank=\"80 mm:120 mm:41\" \\
      --vary rocker.mass=\"1 kg, 2 kg\" -o study.sweep
  taut sweep crank.toml --vary l=\"normal(100 mm, 0.1 mm)\" \\
      --sample latin_hypercube --count 200 --keep \"max(abs(elbow.fx))\"
  taut sweep rotor.toml --analysis modes --vary k=1e5:1e7:30:log --static
  taut sweep crank.toml --cases cases.csv --keep run
  taut sweep --resume study.sweep
  taut sweep crank.toml --vary a=0.1:0.4:1000 -o study.sweep \\
      --shard $SLURM_ARRAY_TASK_ID/20; taut gather study.sweep
  taut plot study.sweep")]
pub struct Arguments {
    /// Model file: TOML, URDF, or MJCF (.xml)
    #[arg(required_unless_present = "resume")]
    model: Option<PathBuf>,
    #[command(flatten)]
    changes: ModelOverrides,
    /// Vary a parameter or field, named as for --set; may be repeated
    #[arg(long, value_name = "NAME=VALUES")]
    vary: Vec<String>,
    /// Take cases from a CSV file: a column per parameter, a line per case
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Sample ranges and distributions: latin_hypercube, sobol or monte_carlo
    #[arg(long, value_enum, value_name = "METHOD", requires = "count", hide_possible_values = true)]
    sample: Option<SampleName>,
    /// Number of samples
    #[arg(long, value_name = "COUNT", requires = "sample")]
    count: Option<usize>,
    /// Seed of the samples
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// What is computed: run, kinematics, static, modes or campbell (critical speeds)
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    analysis: AnalysisName,
    /// What is kept of each member: a formula, NAME = FORMULA, extremes, or run; may be repeated
    #[arg(long, value_name = "MEASURE")]
    keep: Vec<String>,
    /// Folder for the results [default: MODEL.sweep]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Compute only this part, for example 3/20; `taut gather` joins the parts
    #[arg(long, value_name = "NUMBER/COUNT", value_parser = Shard::parse)]
    shard: Option<Shard>,
    /// Replace an unfinished sweep, which could still be resumed
    #[arg(long)]
    force: bool,
    /// Continue an interrupted sweep, with the model and options stored in its folder
    #[arg(long, value_name = "FOLDER")]
    #[arg(conflicts_with_all = ["model", "set", "vary", "cases", "sample", "analysis", "keep", "output", "force"])]
    resume: Option<PathBuf>,
    #[command(flatten)]
    printing: OutputOptions,
    /// modes, campbell: number of modes, slowest first
    #[arg(short, long, value_name = "COUNT", default_value_t = 6, help_heading = "Analyses")]
    number: usize,
    /// campbell: the rotational speed, for example speed="0 rpm:9000 rpm:40"
    #[arg(long, value_name = "NAME=VALUES", help_heading = "Analyses")]
    over: Option<String>,
    /// static: apply the load in this many steps
    #[arg(long, value_name = "COUNT", help_heading = "Analyses")]
    load_steps: Option<usize>,
    #[command(flatten, next_help_heading = "Analyses")]
    at: OperatingPoint,
    #[command(flatten)]
    settings: RunSettings,
}

impl Arguments {
    /// Runs the members that are not done yet.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let style = self.printing.style();
        let jobs = self.jobs.map_or_else(
            || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            |jobs| jobs as usize,
        );
        let (path, request, existing) = match (&self.resume, &self.model) {
            (Some(folder), _) => (folder.clone(), StoredSweep::request(folder, self.shard)?, Existing::Resume),
            (None, Some(model)) => {
                let folder = output_folder(self.output.clone(), &stem(model), "sweep");
                let existing = if self.force { Existing::Replace } else { Existing::ReplaceFinished };
                (folder, self.request(model)?, existing)
            }
            (None, None) => return Err(CliError::new("no model file given")),
        };
        let plan = Plan::new(request)?;
        let folder = SweepFolder::open(&path, &plan, self.shard, existing)?;
        interrupt::install_handler();
        let mut report = SweepReport::begin(&plan, &folder, jobs, style);
        let ended = execute(&plan, &folder, jobs, Some(interrupt::stop_flag()), &mut |progress, rows| {
            report.update(progress, rows);
        })?;
        report.finish(&plan, &folder, ended)?;
        if ended.interrupted {
            if style != OutputStyle::Silent {
                let shard = self.shard.map_or_else(String::new, |s| format!(" --shard {s}"));
                let shown = path.display();
                print_stderr(&format!("interrupted; continue with: taut sweep --resume {shown}{shard}"));
            }
            return Ok(ExitStatus::Interrupted);
        }
        let all_failed = ended.progress.failed == ended.progress.done;
        Ok(if all_failed { ExitStatus::Stopped } else { ExitStatus::Success })
    }

    fn request(&self, model: &Path) -> Result<Request, CliError> {
        let cases = match &self.cases {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|e| CliError::file_error("read", path, &e))?;
                Some(Cases { path: path.clone(), text })
            }
        };
        let method = self.sample.map(|name| match name {
            SampleName::LatinHypercube => SamplingMethod::LatinHypercube,
            SampleName::Sobol => SamplingMethod::Sobol,
            SampleName::MonteCarlo => SamplingMethod::MonteCarlo,
        });
        let sample = method.zip(self.count).map(|(method, count)| Sample { method, count, seed: self.seed });
        let set = self.changes.set.iter().cloned().chain(self.settings.overrides());
        Ok(Request {
            model: model.to_path_buf(),
            set: set.map(|o| (o.path, o.value)).collect(),
            vary: self.vary.clone(),
            cases,
            sample,
            analysis: self.analysis()?,
            keep: self.keep.clone(),
        })
    }

    fn analysis(&self) -> Result<Analysis, CliError> {
        Ok(match self.analysis {
            AnalysisName::Run => Analysis::Run,
            AnalysisName::Kinematics => Analysis::Kinematics,
            AnalysisName::Static => Analysis::Static { load_steps: self.load_steps },
            AnalysisName::Modes => Analysis::Modes { count: self.number, at: self.at.point() },
            AnalysisName::Campbell => {
                Analysis::Campbell { count: self.number, at: self.at.point(), over: self.speeds()? }
            }
        })
    }

    /// The speeds of a Campbell diagram, given like a grid of `--vary`.
    fn speeds(&self) -> Result<Critical, CliError> {
        let Some(text) = &self.over else {
            let help = "give the rotational speed, for example --over speed=\"0 rpm:9000 rpm:40\"";
            return Err(CliError::with_help("--analysis campbell needs --over", help));
        };
        Ok(Critical::parse(text)?)
    }
}
