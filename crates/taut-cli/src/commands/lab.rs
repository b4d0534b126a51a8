//! `taut lab`: compares formulations and drift controls on one model.

use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout, print_warnings_briefly};
use crate::options::{ModelOverrides, OutputOptions, OutputStyle, RunSettings, open_model_file, stem};
use crate::{interrupt, run_folder};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use std::path::PathBuf;
use taut::analyses::Integrator;
use taut::analyses::laboratory::{Laboratory, TrialProgress, TrialSelection, TrialSet};
use taut::drift::{DriftControl, DriftParameters};
use taut::formulations::Method;
use taut_io::diagnostic::Diagnostic;
use taut_papers::lab::{LabReport, PrintedTrials, Sort, is_replaceable, succeeded};

const HELP: &str = "\
By default, every formulation runs with the drift control that suits it, and every drift control runs with the default formulation. The \
integrator is that of the model, at its tolerance and at two others, a hundred times larger and smaller. The table (CSV and \
JSON) and a work-precision diagram (error over time) are written to the folder MODEL.lab. A list of names may be `all`. Here --rtol takes a list, and \
--wall-clock limits each trial (default: 20 s). The settings --method, --formulation and --drift replace the choices of the \
model.

Examples:
  taut lab crank.toml
  taut lab crank.toml --formulations lagrange,null_space \\
      --rtol 1e-4,1e-6,1e-8,1e-10
  taut lab crank.toml --drifts none,projection,baumgarte --sort drift
  taut lab crank.toml --full --integrators dop853,rk4 --step \"1 ms\" --jobs 1";

/// Arguments of `taut lab`.
#[derive(Debug, Args)]
#[command(after_help = HELP, after_long_help = long_help())]
pub struct Arguments {
    /// Model file: TOML, URDF, or MJCF (.xml)
    model: PathBuf,
    #[command(flatten)]
    changes: ModelOverrides,
    /// Folder for the table and the diagram [default: MODEL.lab]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Combine every formulation with every drift control and every integrator
    #[arg(long)]
    full: bool,
    /// Only these formulations, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(names_and_all(Method::NAMES)))]
    formulations: Vec<String>,
    /// Only these drift controls, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(names_and_all(DriftControl::NAMES)))]
    drifts: Vec<String>,
    /// These integrators instead of the model's, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(names_and_all(&Integrator::ALL.map(Integrator::name))))]
    integrators: Vec<String>,
    /// Sort the table by this column
    #[arg(long, default_value = Sort::NAMES[0])]
    #[arg(value_parser = PossibleValuesParser::new(Sort::NAMES).map(|name| Sort::named(&name).unwrap_or_default()))]
    sort: Sort,
    /// Number of trials run in parallel [default: one per core]; 1 gives the most accurate times
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    #[command(flatten)]
    printing: OutputOptions,
    #[command(flatten)]
    settings: RunSettings,
}

impl Arguments {
    /// The arguments that correspond to `taut run --method all`.
    pub fn from_run(
        model: PathBuf,
        changes: ModelOverrides,
        output: Option<PathBuf>,
        printing: OutputOptions,
        settings: RunSettings,
    ) -> Arguments {
        let settings = RunSettings { method: None, ..settings };
        let (formulations, drifts, integrators) = (Vec::new(), Vec::new(), Vec::new());
        let (full, sort, jobs) = (false, Sort::default(), None);
        Arguments { model, changes, output, full, formulations, drifts, integrators, sort, jobs, printing, settings }
    }

    /// Runs all trials, prints and writes the table.
    pub fn run(mut self) -> Result<ExitStatus, CliError> {
        let style = self.printing.style();
        let tolerances = parse_tolerances(&mut self.settings)?;
        let changes = [self.changes.set.clone(), self.settings.overrides()].concat();
        let (file, model) = open_model_file(&self.model, &changes, style)?;
        let name = stem(&self.model);
        let folder = run_folder::output_folder(self.output.clone(), &name, "lab");
        if !is_replaceable(&folder) {
            let what = format!("{} already exists and does not contain results of taut lab", folder.display());
            return Err(CliError::with_help(what, "choose another folder with -o"));
        }
        let mut laboratory = Laboratory::new(&model, &file.state(&model), &file.transient)?;
        if let Some(jobs) = self.jobs {
            laboratory = laboratory.jobs(jobs as usize);
        }
        let menu = self.trial_selection(&file.transient.choice.drift, file.transient.choice.numbers, tolerances);
        let trials = menu.trials(&file.transient);
        interrupt::install_handler();
        let bar = progress_bar(trials.len(), style);
        let report = laboratory.run(&trials, &|at: TrialProgress| {
            bar.set_position(at.done as u64);
            if interrupt::stop_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        bar.finish_and_clear();
        if style != OutputStyle::Silent {
            let reported = |w: &taut::Warning| Diagnostic::warning(format!("at t = {} s: {}", w.t, w.message));
            print_warnings_briefly(&report.warnings.iter().map(reported).collect::<Vec<_>>());
        }
        let sheet = LabReport {
            name: &name,
            title: &file.title,
            settings: &file.transient,
            start_time: file.start_time,
            limit: laboratory.wall_clock_limit().as_secs_f64(),
            report: &report,
            sort: self.sort,
            shown: if menu.tolerances.is_some() { PrintedTrials::All } else { PrintedTrials::OwnTolerance },
        };
        let written = sheet.write(&folder)?;
        match style {
            OutputStyle::Text => print_stdout(&sheet.text())?,
            OutputStyle::Json => print_json(&sheet.json())?,
            OutputStyle::Silent => {}
        }
        if style == OutputStyle::Text {
            print_stderr(&format!("wrote {} to {}", written.files.join(", "), folder.display()));
            if !written.left_out.is_empty() {
                print_stderr(&format!("left out of the diagram for lack of space: {}", written.left_out.join("; ")));
            }
        }
        Ok(match succeeded(&report.results) {
            _ if interrupt::stop_requested() => ExitStatus::Interrupted,
            true => ExitStatus::Success,
            false => ExitStatus::Stopped,
        })
    }

    fn trial_selection(
        &self,
        own: &DriftControl,
        numbers: DriftParameters,
        tolerances: Option<Vec<f64>>,
    ) -> TrialSelection {
        let weight = own.weight().cloned().unwrap_or_default();
        let drift = |name: &str| match own.name() == name {
            true => Some(own.clone()),
            false => DriftControl::from_name(name, weight.clone(), numbers),
        };
        let integrator = |name: &str| name.parse::<Integrator>().ok();
        TrialSelection {
            formulations: selected(&self.formulations, Method::NAMES, Method::from_name),
            drifts: selected(&self.drifts, DriftControl::NAMES, drift),
            integrators: selected(&self.integrators, &Integrator::ALL.map(Integrator::name), integrator),
            tolerances,
            set: if self.full { TrialSet::Full } else { TrialSet::Recommended },
        }
    }
}

/// The values that a list of names selects; `None` for an empty list.
fn selected<T>(names: &[String], known: &[&str], make: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let all = names.iter().any(|n| n == "all");
    let wanted: Vec<&str> = if all { known.to_vec() } else { names.iter().map(String::as_str).collect() };
    (!names.is_empty()).then(|| wanted.into_iter().filter_map(make).collect())
}

fn names_and_all(names: &[&'static str]) -> Vec<&'static str> {
    names.iter().copied().chain(["all"]).collect()
}

/// The list of tolerances given by `--rtol`, removed from the settings so that the model keeps its own.
fn parse_tolerances(settings: &mut RunSettings) -> Result<Option<Vec<f64>>, CliError> {
    let Some(text) = settings.rtol.take() else { return Ok(None) };
    let read = |word: &str| word.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
    match text.split(',').map(read).collect::<Option<Vec<f64>>>() {
        Some(list) => Ok(Some(list)),
        None => {
            let help = "give positive numbers separated by commas, for example --rtol 1e-4,1e-6,1e-8";
            Err(CliError::with_help(format!("--rtol: `{text}` is not a list of tolerances"), help))
        }
    }
}

fn progress_bar(trials: usize, style: OutputStyle) -> ProgressBar {
    let target = match style {
        OutputStyle::Silent => ProgressDrawTarget::hidden(),
        _ => ProgressDrawTarget::stderr_with_hz(8),
    };
    let bar = ProgressBar::with_draw_target(Some(trials as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} trials, {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// The text of `--help`, with all names.
fn long_help() -> String {
    let mut text = format!("{HELP}\n\nFormulations:\n");
    for m in Method::ALL {
        text += &format!("  {:<30} {}\n", m.name(), m.what());
    }
    text += &format!("\nDrift controls: {}\n", DriftControl::NAMES.join(", "));
    text += &format!("Integrators: {}\n", Integrator::ALL.map(Integrator::name).join(", "));
    text
}
