//! The operating point of a linearisation: the start, a time of the run or an equilibrium; in a fixed or rotating frame.

use super::rotation_options::{parse_axis, parse_rate};
use crate::exit::{CliError, print_stderr};
use crate::options::ModelSource;
use clap::Args;
use taut::Model;
use taut::analyses::linear::{self, LinearError, Linearised, LinearisedAt, OperatingPointError, VaryingCoefficients};
use taut::analyses::{Multiblade, MultibladeError, PeriodicError, multiblade};
use taut_io::diagnostic::{Diagnostic, Place};
use taut_io::model::ModelFile;

/// Coefficients that vary by less than this count as constant.
const CONSTANT_COEFFICIENTS: f64 = 1e-6;

/// The state about which the equations are linearised.
#[derive(Clone, Debug, Args)]
pub struct OperatingPoint {
    /// Linearise at this time of the run, s [default: the assembled start]
    #[arg(long, value_name = "TIME", conflicts_with = "static")]
    at: Option<f64>,
    /// Linearise about the static equilibrium near the start
    #[arg(long = "static")]
    r#static: bool,
    /// Use a frame that rotates about this axis: x, y, z, or three numbers such as 0,1,1; --static then finds the equilibrium in
    /// that frame
    #[arg(long, value_name = "AXIS", value_parser = parse_axis)]
    rotating_about: Option<[f64; 3]>,
    /// Angular velocity of that frame, for example "16 rad/s", "150 rpm", or a number in rad/s [default: that of the bodies
    /// about the axis]
    #[arg(long, value_name = "RATE", value_parser = parse_rate, requires = "rotating_about", allow_hyphen_values = true)]
    rate: Option<f64>,
    /// Freeze the coefficients at this instant, even if the state is not steady or they vary along the motion
    #[arg(long)]
    frozen: bool,
}

impl From<LinearError> for CliError {
    fn from(e: LinearError) -> CliError {
        CliError::new(e.to_string())
    }
}

impl From<OperatingPointError> for CliError {
    fn from(e: OperatingPointError) -> CliError {
        match e {
            OperatingPointError::Analysis(e) => e.into(),
            OperatingPointError::Time { t, start } => {
                let help = format!("the run starts at {start} s; give a time from there on");
                CliError::with_help(format!("--at {t} is not a time of the run"), help)
            }
            OperatingPointError::NoRate => CliError::with_help(e.to_string(), "give it with --rate"),
            e => CliError::new(e.to_string()),
        }
    }
}

/// The error with the place in the file, where the file has the cause.
fn with_place(file: &ModelFile, e: OperatingPointError) -> CliError {
    match e {
        OperatingPointError::Linear(LinearError::Massless(found)) => file.diagnose_massless(&found).into(),
        OperatingPointError::Analysis(e) => file.diagnose(&e).into(),
        e => e.into(),
    }
}

impl OperatingPoint {
    /// The operating point for the engine.
    pub fn point(&self) -> linear::OperatingPoint {
        linear::OperatingPoint {
            at: match (self.at, self.r#static) {
                (Some(t), _) => LinearisedAt::Time(t),
                (None, true) => LinearisedAt::Equilibrium,
                (None, false) => LinearisedAt::Start,
            },
            rotating_about: self.rotating_about,
            rate: self.rate,
            varying: if self.frozen { VaryingCoefficients::Freeze } else { VaryingCoefficients::Reject },
        }
    }

    /// The linearised equations at this point; their assumptions are printed to stderr.
    pub fn linearised<'m>(&self, file: &ModelFile, model: &'m Model) -> Result<Linearised<'m>, CliError> {
        let point = self.point();
        let lin = point.linearise(model, &file.state(model), &file.transient).map_err(|e| with_place(file, e))?;
        point.notices(&lin).iter().for_each(|reported| print_stderr(reported));
        Ok(lin)
    }
}

/// Multiblade coordinates instead of those of the single parts.
#[derive(Clone, Debug, Args)]
pub struct MultibladeOption {
    /// Use multiblade coordinates of the bodies with these names and a number, for example blade or blade,link; needs
    /// --rotating-about
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "rotating_about", conflicts_with_all = ["static", "frozen"])]
    multiblade: Vec<String>,
}

impl MultibladeOption {
    /// Whether they are requested.
    pub fn requested(&self) -> bool {
        !self.multiblade.is_empty()
    }

    /// The equations in multiblade coordinates; a warning says how much their coefficients still vary.
    pub fn linearised(&self, at: &OperatingPoint, file: &ModelFile, model: &Model) -> Result<Multiblade, CliError> {
        let (state, frame) =
            at.point().state(model, &file.state(model), &file.transient).map_err(|e| with_place(file, e))?;
        let Some(frame) = frame else { return Err(CliError::new("multiblade coordinates need --rotating-about")) };
        let found = multiblade(model, &state, &self.multiblade, frame, &file.transient)
            .map_err(|e| multiblade_error(file, e))?;
        if found.periodicity > CONSTANT_COEFFICIENTS {
            print_stderr(&format!(
                "warning: the coefficients still vary by {:.1e} of their size over one revolution and are averaged; stability may differ: use \
                 `taut floquet`",
                found.periodicity
            ));
        }
        Ok(found)
    }
}

impl From<MultibladeError> for CliError {
    fn from(e: MultibladeError) -> CliError {
        CliError::new(e.to_string())
    }
}

/// The error of a group of like parts, with the place of the part that causes it.
pub fn multiblade_error(file: &ModelFile, e: MultibladeError) -> CliError {
    let place = match &e {
        MultibladeError::Unlike { name, .. }
        | MultibladeError::Spacing { name, .. }
        | MultibladeError::Incomplete { name, .. }
        | MultibladeError::OnAxis { name }
        | MultibladeError::NoAxes { name }
        | MultibladeError::Asymmetric { name, .. } => file.place("body", name).cloned(),
        MultibladeError::SharedStates { force } => place_of_element(file, force),
        MultibladeError::Motion(e) => place_of_periodic(file, e),
        _ => None,
    };
    Diagnostic { place, ..Diagnostic::error(e.to_string()) }.into()
}

/// The error of a periodic motion, with the place of the element that causes it.
pub fn periodic_error(file: &ModelFile, e: PeriodicError) -> CliError {
    Diagnostic { place: place_of_periodic(file, &e), ..Diagnostic::error(e.to_string()) }.into()
}

fn place_of_periodic(file: &ModelFile, e: &PeriodicError) -> Option<Place> {
    let name = match e {
        PeriodicError::NotPeriodic { element: name, .. }
        | PeriodicError::NotAutonomous { element: name }
        | PeriodicError::UnknownSwitches { element: name }
        | PeriodicError::DisplacedDriver { constraint: name, .. }
        | PeriodicError::Slipping { constraint: name }
        | PeriodicError::Sampled { force: name }
        | PeriodicError::Jump { name, .. } => name,
        _ => return None,
    };
    place_of_element(file, name)
}

/// The place of an element that is no body.
fn place_of_element(file: &ModelFile, name: &str) -> Option<Place> {
    let families = ["constraint", "force", "contact", "event", "disc", "wing", "beam"];
    families.into_iter().find_map(|family| file.place(family, name)).cloned()
}

/// Reads and builds the model.
pub fn open_model(source: &ModelSource) -> Result<(ModelFile, Model), CliError> {
    source.open_model_file(&[], crate::options::OutputStyle::Text)
}
