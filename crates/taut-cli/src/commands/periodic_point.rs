//! The periodic motion that an analysis refers to: its period, and where the search starts.

use super::operating_point::periodic_error;
use crate::exit::{CliError, print_stderr};
use crate::options::{ModelSource, OutputStyle};
use clap::Args;
use taut::analyses::{
    Output, Period, PeriodicError, PeriodicMotion, PeriodicSettings, ShootingMatrix, SmallMotions, Statics, Transient,
    periodic_with, simulate, statics,
};
use taut::{Model, State};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::{ModelFile, Override, TrimTable};

/// An error of the monodromy matrix above this is reported.
const MONODROMY_WARNING: f64 = 1e-7;

/// The periodic motion.
#[derive(Clone, Debug, Args)]
pub struct PeriodicPoint {
    /// Period, for example "2*pi/W" or "20 ms"; may use the parameters of the model
    #[arg(long, value_name = "TIME")]
    period: Option<String>,
    /// The period is unknown and near this value; no element may depend on time
    #[arg(long, value_name = "TIME", conflicts_with = "period")]
    free_period: Option<String>,
    /// Column that keeps its value at the start, with --free-period; may be repeated
    #[arg(long, value_name = "COLUMN", requires = "free_period")]
    hold: Vec<String>,
    /// Start the search from the state of the run at this time, s [default: the assembled start]
    #[arg(long, value_name = "TIME", conflicts_with = "static")]
    at: Option<f64>,
    /// Start the search from the static equilibrium near the start
    #[arg(long = "static")]
    r#static: bool,
    /// Number of segments of the period, each with its own start; unstable motions need several
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    segments: u64,
    /// Where the model file gives the period.
    #[arg(skip)]
    of_file: Option<FilePeriod>,
}

/// How `[trim]` gives the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FilePeriod {
    Given,
    Free,
}

/// What is known of a motion of the model at slightly different parameters.
#[derive(Clone, Default)]
pub struct Nearby {
    /// Its start.
    pub state: Option<State>,
    /// The matrix that led to it.
    pub matrix: Option<ShootingMatrix>,
}

impl Nearby {
    /// Keeps a motion for the next search.
    pub fn keep(&mut self, motion: PeriodicMotion) {
        self.state = Some(motion.start().clone());
        self.matrix = motion.shooting_matrix.or(self.matrix.take());
    }
}

/// Prints what a run along a periodic motion says about the loads of the air.
pub fn report_air(motion: &PeriodicMotion, file: &ModelFile) -> Result<(), CliError> {
    for warning in motion.air_warnings(&file.transient)? {
        print_stderr(&format!("warning: {}", warning.message));
    }
    Ok(())
}

impl From<PeriodicError> for CliError {
    fn from(e: PeriodicError) -> CliError {
        CliError::new(e.to_string())
    }
}

impl PeriodicPoint {
    /// Reads the model; the period is its duration, so that it may have units and use parameters.
    pub fn open(
        &self,
        source: &ModelSource,
        changes: &[Override],
        style: OutputStyle,
    ) -> Result<(ModelFile, Model, f64), CliError> {
        if let Some(kind) = self.of_file {
            let (file, model) = source.open_model_file(changes, style)?;
            let table = file.trim.clone().unwrap_or_default();
            let period = if kind == FilePeriod::Given { table.period } else { table.free_period };
            return Ok((file, model, period.unwrap_or(f64::NAN)));
        }
        let Some(text) = self.period.as_ref().or(self.free_period.as_ref()) else {
            return Err(CliError::with_help(
                "the period is missing",
                "give --period, or --free-period if it is unknown",
            ));
        };
        let with = |path: &str| {
            let mut all = changes.to_vec();
            all.push(Override { path: path.to_string(), value: text.clone() });
            source.open_model_file(&all, style)
        };
        let plain = source.open_model_file(changes, OutputStyle::Silent)?;
        let (mut file, model) = match with("settings.duration") {
            Ok(found) => found,
            // A model that gives its end instead.
            Err(e) => with("settings.end_time").map_err(|_| self.period_error(e))?,
        };
        let period = file.transient.t_end - file.start_time;
        // The run to --at keeps its own settings.
        file.transient = plain.0.transient;
        Ok((file, model, period))
    }

    /// An error about the duration, in the words of the option.
    fn period_error(&self, e: CliError) -> CliError {
        let CliError::Diagnostics(list) = e else { return e };
        let option = if self.period.is_some() { "--period" } else { "--free-period" };
        let renamed = |d: Diagnostic| {
            d.with_option_renamed("--set settings.duration=", &format!("{option} "))
                .with_option_renamed("[settings]: `duration`", option)
                .with_option_renamed("[settings], `duration`", option)
        };
        CliError::Diagnostics(list.into_iter().map(renamed).collect())
    }

    /// Whether a periodic motion is requested.
    pub fn requested(&self) -> bool {
        self.period.is_some() || self.free_period.is_some() || self.of_file.is_some()
    }

    /// The same with what `[trim]` gives and the command line leaves open.
    pub fn or_table(&self, table: &TrimTable) -> PeriodicPoint {
        let mut found = self.clone();
        if !self.requested() {
            found.of_file = match (table.period, table.free_period) {
                (Some(_), _) => Some(FilePeriod::Given),
                (None, Some(_)) => Some(FilePeriod::Free),
                (None, None) => None,
            };
            found.hold.clone_from(&table.hold);
        }
        if self.segments == 1 {
            found.segments = table.segments.unwrap_or(1);
        }
        if self.at.is_none() && !self.r#static {
            found.at = table.at;
        }
        found
    }

    /// Finds the motion with its small motions.
    pub fn motion<'m>(&self, file: &ModelFile, model: &'m Model, period: f64) -> Result<PeriodicMotion<'m>, CliError> {
        let found = self.motion_near(file, model, period, &Nearby::default(), SmallMotions::Resolved)?;
        if found.monodromy_error > MONODROMY_WARNING {
            let message = "warning: the small motions are resolved to";
            print_stderr(&format!("{message} {:.0e} only; the fastest modes may be wrong", found.monodromy_error));
        }
        report_air(&found, file)?;
        Ok(found)
    }

    /// Finds the motion; the search starts from a motion nearby if one is known.
    pub fn motion_near<'m>(
        &self,
        file: &ModelFile,
        model: &'m Model,
        period: f64,
        known: &Nearby,
        small_motions: SmallMotions,
    ) -> Result<PeriodicMotion<'m>, CliError> {
        let start = known.state.as_ref().map_or_else(|| self.start(file, model), |state| Ok(state.clone()))?;
        let settings = PeriodicSettings { small_motions, ..self.settings(file, period) };
        periodic_with(model, &start, &settings, known.matrix.as_ref()).map_err(|e| periodic_error(file, e))
    }

    /// The settings of the search.
    pub fn settings(&self, file: &ModelFile, period: f64) -> PeriodicSettings {
        PeriodicSettings {
            period: match self.free_period.is_some() || self.of_file == Some(FilePeriod::Free) {
                true => Period::Free(period),
                false => Period::Given(period),
            },
            segments: self.segments as usize,
            hold: self.hold.clone(),
            transient: file.transient.clone(),
            ..PeriodicSettings::with_period(period)
        }
    }

    /// Where the search starts.
    pub fn start(&self, file: &ModelFile, model: &Model) -> Result<State, CliError> {
        let given = file.state(model);
        if self.r#static {
            return statics(model, &given, &Statics::default())
                .map(|r| r.state)
                .map_err(|e| CliError::new(e.to_string()));
        }
        let Some(t) = self.at else { return Ok(given) };
        if !(t.is_finite() && t > given.t) {
            let help = format!("the run starts at {} s; give a later time", given.t);
            return Err(CliError::with_help(format!("--at {t} is not a time of the run"), help));
        }
        let settings = Transient { t_end: t, output: Output::Ends, ..file.transient.clone() };
        let found = simulate(model, &given, &settings)?;
        if !found.outcome.is_success() {
            return Err(CliError::new(format!("the run ends before {t} s: {}", found.outcome)));
        }
        Ok(found.final_state().clone())
    }
}
