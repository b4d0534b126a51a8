//! Options shared by several subcommands. Options of a run have the names of `[settings]` and `[outputs]`.

use crate::exit::{CliError, print_warnings_briefly};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use taut::Model;
use taut::analyses::{Integrator, StepControl, Transient};
use taut::drift::DriftControl;
use taut_io::model::{self, ModelFile, Override};

/// The model file and overrides of its values.
#[derive(Clone, Debug, Args)]
pub struct ModelSource {
    /// Model file: TOML, URDF, or MJCF (.xml)
    pub model: PathBuf,
    #[command(flatten)]
    pub changes: ModelOverrides,
}

/// Overrides of values in the model file.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelOverrides {
    /// Override a parameter or field, for example `l=0.4` or `link2.mass="3 kg"`; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_override)]
    pub set: Vec<Override>,
}

impl ModelSource {
    /// Reads and builds the model; warnings go to stderr.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn open_model_file(&self, settings: &[Override], style: OutputStyle) -> Result<(ModelFile, Model), CliError> {
        let changes: Vec<Override> = self.changes.set.iter().chain(settings).cloned().collect();
        open_model_file(&self.model, &changes, style)
    }
}

/// Reads and builds a model; warnings go to stderr.
///
/// # Errors
/// Everything that is wrong with it.
pub fn open_model_file(path: &Path, changes: &[Override], style: OutputStyle) -> Result<(ModelFile, Model), CliError> {
    let file = model::read(path, changes)?;
    if style != OutputStyle::Silent {
        print_warnings_briefly(&file.warnings);
    }
    let model = file.build()?;
    if style != OutputStyle::Silent {
        print_warnings_briefly(&file.missed_targets());
    }
    Ok((file, model))
}

/// Rejects settings that need a fixed step but do not give its size.
///
/// # Errors
/// The step is missing.
pub fn require_fixed_step(settings: &Transient) -> Result<(), CliError> {
    match (settings.integrator, settings.step_control, settings.h_first) {
        (_, StepControl::Fixed, None) => Err(CliError::with_help(
            "a fixed step size needs --step (settings.step)",
            "give the step size, for example --step \"1 ms\"",
        )),
        (Integrator::Rk4, _, None) => Err(CliError::with_help(
            "rk4 needs --step (settings.step)",
            "rk4 has a fixed step; give its size, for example --step \"1 ms\"",
        )),
        _ => Ok(()),
    }
}

/// The file name without its extension; results are named after it.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "model".to_string(), |s| s.to_string_lossy().into_owned())
}

fn parse_override(text: &str) -> Result<Override, String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() && !value.trim().is_empty() => {
            Ok(Override { path: path.trim().to_string(), value: value.trim().to_string() })
        }
        _ => Err("write NAME=VALUE, for example link2.mass=3".to_string()),
    }
}

/// Settings of a run: names and units as in `[settings]` ("10 s", "5 ms").
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Settings (as in the model file)")]
pub struct RunSettings {
    /// Simulated time, for example 10 or "500 ms"
    #[arg(short = 't', long, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// Time at which the run starts
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub start_time: Option<String>,
    /// Relative tolerance per step
    #[arg(long, value_name = "NUMBER")]
    pub rtol: Option<String>,
    /// Absolute tolerance per step
    #[arg(long, value_name = "NUMBER")]
    pub atol: Option<String>,
    /// Step size: of rk4, of fixed steps and of time stepping; the first step of the other methods
    #[arg(long, value_name = "TIME")]
    pub step: Option<String>,
    /// Largest step size
    #[arg(long, value_name = "TIME")]
    pub max_step: Option<String>,
    #[arg(long, value_name = "NAME", help = integrators())]
    pub method: Option<String>,
    /// Formulation that solves for the reactions: constraint_force, or another one listed by `taut lab --help`
    #[arg(long, value_name = "NAME")]
    pub formulation: Option<String>,
    #[arg(long, value_name = "NAME", help = format!("Drift control: {}", DriftControl::NAMES.join(", ")))]
    pub drift: Option<String>,
    /// Initial pose: assemble it so that the constraints hold, or take it as_given
    #[arg(long = "initial-conditions", alias = "start", value_name = "NAME")]
    pub start: Option<String>,
    /// Limit on the number of steps
    #[arg(long, value_name = "COUNT")]
    pub max_steps: Option<String>,
    /// Wall-clock limit
    #[arg(long, value_name = "TIME")]
    pub wall_clock: Option<String>,
    /// Output interval, for example 0.01 or "10 ms"
    #[arg(long, value_name = "TIME")]
    pub every: Option<String>,
}

/// The help of `--method`.
fn integrators() -> String {
    let (explicit, implicit): (Vec<Integrator>, _) =
        Integrator::ALL.into_iter().partition(|method| Integrator::EXPLICIT.contains(method));
    let names = |methods: Vec<Integrator>| methods.iter().map(|m| m.name()).collect::<Vec<_>>().join(", ");
    format!("Integrator: {}; for stiff models: {}", names(explicit), names(implicit))
}

impl RunSettings {
    /// The same settings as overrides of the model file.
    pub fn overrides(&self) -> Vec<Override> {
        let given = [
            ("settings.duration", &self.duration),
            ("settings.start_time", &self.start_time),
            ("settings.rtol", &self.rtol),
            ("settings.atol", &self.atol),
            ("settings.step", &self.step),
            ("settings.max_step", &self.max_step),
            ("settings.method", &self.method),
            ("settings.formulation", &self.formulation),
            ("settings.drift", &self.drift),
            ("settings.initial_conditions", &self.start),
            ("settings.max_steps", &self.max_steps),
            ("settings.wall_clock", &self.wall_clock),
            ("outputs.every", &self.every),
        ];
        let one = |(path, value): (&str, &Option<String>)| {
            value.as_ref().map(|value| Override { path: path.to_string(), value: value.clone() })
        };
        given.into_iter().filter_map(one).collect()
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStyle {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
    /// Nothing is printed.
    Silent,
}

/// Options that select what is printed.
#[derive(Clone, Debug, Args)]
pub struct OutputOptions {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Print only errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
}

impl OutputOptions {
    /// Print only errors.
    pub fn quiet() -> OutputOptions {
        OutputOptions { json: false, quiet: true }
    }

    /// The style that these options select.
    pub fn style(&self) -> OutputStyle {
        match (self.json, self.quiet) {
            (true, _) => OutputStyle::Json,
            (_, true) => OutputStyle::Silent,
            _ => OutputStyle::Text,
        }
    }
}

/// Option of subcommands that always print a result.
#[derive(Clone, Debug, Args)]
pub struct JsonOption {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl JsonOption {
    /// The style that this option selects.
    pub fn style(&self) -> OutputStyle {
        if self.json { OutputStyle::Json } else { OutputStyle::Text }
    }
}

/// File format of a result table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    // Described at the option itself; doc comments here would make the help twice as long.
    #[default]
    Csv,
    Parquet,
    Npz,
}

/// Refuses the former name of an option and names the new one.
pub fn renamed(new: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |_| Err(format!("this option is now called {new}"))
}

/// `--file`, the former name of `--output`.
#[derive(Clone, Debug, Args)]
pub struct FormerFileOption {
    #[arg(long = "file", hide = true, value_parser = renamed("--output"))]
    former_file: Option<String>,
}

/// The file of results of a command whose `--output` named a column before.
///
/// # Errors
/// A name without one of the extensions.
pub fn output_file(extensions: &'static [&'static str]) -> impl Fn(&str) -> Result<PathBuf, String> + Clone {
    move |text| {
        let path = PathBuf::from(text);
        let known = path.extension().is_some_and(|e| extensions.iter().any(|known| e.eq_ignore_ascii_case(known)));
        let list = || extensions.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(", ");
        known.then_some(path).ok_or_else(|| {
            format!("this option is a file with the extension {}; for a column of the results use --column", list())
        })
    }
}
