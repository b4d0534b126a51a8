//! Options that several verbs share. Those of a run bear the names of `[settings]` and `[outputs]`.

use crate::ending::{Failure, report_briefly};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use taut::Model;
use taut::analyses::{Integrator, Pace, Transient};
use taut_io::model::{self, ModelFile, Override};

/// The model, and changes to it.
#[derive(Clone, Debug, Args)]
pub struct Source {
    /// The model file (TOML; also URDF, and MJCF as .xml)
    pub model: PathBuf,
    #[command(flatten)]
    pub changes: Changes,
}

/// Changes to a model from outside.
#[derive(Clone, Debug, Default, Args)]
pub struct Changes {
    /// Change a parameter or field, as `l=0.4` or `link2.mass="3 kg"`; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = change)]
    pub set: Vec<Override>,
}

impl Source {
    /// Reads and builds the model; warnings go to stderr.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn open(&self, settings: &[Override], style: Style) -> Result<(ModelFile, Model), Failure> {
        let changes: Vec<Override> = self.changes.set.iter().chain(settings).cloned().collect();
        open(&self.model, &changes, style)
    }
}

/// Reads and builds a model; warnings go to stderr.
///
/// # Errors
/// Everything that is wrong with it.
pub fn open(path: &Path, changes: &[Override], style: Style) -> Result<(ModelFile, Model), Failure> {
    let file = model::read(path, changes)?;
    if style != Style::Silent {
        report_briefly(&file.warnings);
    }
    let model = file.build()?;
    Ok((file, model))
}

/// Refuses settings of a fixed step that give none.
///
/// # Errors
/// What is missing.
pub fn step_is_given(settings: &Transient) -> Result<(), Failure> {
    match (settings.integrator, settings.pace, settings.h_first) {
        (_, Pace::Fixed, None) => Err(Failure::with_help(
            "step_control = \"fixed\" needs --step (settings.step)",
            "all steps are as long as it: give one, as --step \"1 ms\"",
        )),
        (Integrator::Rk4, _, None) => Err(Failure::with_help(
            "rk4 needs --step (settings.step)",
            "its step is fixed: give one, as --step \"1 ms\"",
        )),
        _ => Ok(()),
    }
}

/// The name by which results are called: that of the file without its ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "model".to_string(), |s| s.to_string_lossy().into_owned())
}

fn change(text: &str) -> Result<Override, String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() && !value.trim().is_empty() => {
            Ok(Override { path: path.trim().to_string(), value: value.trim().to_string() })
        }
        _ => Err("write NAME=VALUE, for example link2.mass=3".to_string()),
    }
}

/// Settings of a run: the words of `[settings]`, with units as there ("10 s", "5 ms").
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Settings (as in the model file)")]
pub struct Settings {
    /// Length of the motion, for example 10 or "500 ms"
    #[arg(short = 't', long, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// Time at the start
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub start_time: Option<String>,
    /// Relative tolerance of a step
    #[arg(long, value_name = "NUMBER")]
    pub rtol: Option<String>,
    /// Absolute tolerance of a step
    #[arg(long, value_name = "NUMBER")]
    pub atol: Option<String>,
    /// Fixed step of rk4, first step of the other methods
    #[arg(long, value_name = "TIME")]
    pub step: Option<String>,
    /// Largest step
    #[arg(long, value_name = "TIME")]
    pub max_step: Option<String>,
    /// Integrator: dop853, dormand_prince, bogacki_shampine, rk4; for what is stiff radau5, trapezoidal, two_step or
    /// generalised_alpha
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// How the reactions are found: constraint_force, or one that `taut lab --help` lists
    #[arg(long, value_name = "NAME")]
    pub formulation: Option<String>,
    /// What keeps the constraints met: projection, none, baumgarte, ... (docs/model-file.md)
    #[arg(long, value_name = "NAME")]
    pub drift: Option<String>,
    /// What is done about a start that is not closed: assemble or as_given
    #[arg(long = "initial-conditions", alias = "start", value_name = "NAME")]
    pub start: Option<String>,
    /// Most steps
    #[arg(long, value_name = "COUNT")]
    pub max_steps: Option<String>,
    /// Longest time by the clock on the wall
    #[arg(long, value_name = "TIME")]
    pub wall_clock: Option<String>,
    /// Interval of output, for example 0.01 or "10 ms"
    #[arg(long, value_name = "TIME")]
    pub every: Option<String>,
}

impl Settings {
    /// The same as changes to the file.
    pub fn changes(&self) -> Vec<Override> {
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

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// Not at all.
    Silent,
}

/// Options about what is printed.
#[derive(Clone, Debug, Args)]
pub struct Printing {
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
}

impl Printing {
    /// Nothing but errors.
    pub fn quiet() -> Printing {
        Printing { json: false, quiet: true }
    }

    /// What they amount to.
    pub fn style(&self) -> Style {
        match (self.json, self.quiet) {
            (true, _) => Style::Json,
            (_, true) => Style::Silent,
            _ => Style::Text,
        }
    }
}

/// Option of verbs that always print something.
#[derive(Clone, Debug, Args)]
pub struct AsJson {
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

impl AsJson {
    /// What it amounts to.
    pub fn style(&self) -> Style {
        if self.json { Style::Json } else { Style::Text }
    }
}

/// Format of a table of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    // What they are is said where the option is: here it would spread the help over two pages.
    #[default]
    Csv,
    Parquet,
    Npz,
}
