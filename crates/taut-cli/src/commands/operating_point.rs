//! The operating point of a linearisation: the start, a time of the run or an equilibrium; in a fixed or rotating frame.

use crate::exit::{CliError, print_stderr};
use crate::options::ModelSource;
use clap::Args;
use taut::analyses::linear::{
    LinearError, Linearised, RotatingFrame, STEADINESS_TOLERANCE, linearise, linearise_frozen, steady_state,
};
use taut::analyses::{AssemblySettings, Output, Transient, assemble, axial_load_warnings, simulate};
use taut::{Columns, Model, Outcome, State};
use taut_io::model::ModelFile;

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
    /// Angular velocity of that frame, rad/s [default: that of the bodies about the axis]
    #[arg(long, value_name = "NUMBER", requires = "rotating_about", allow_hyphen_values = true)]
    rate: Option<f64>,
    /// Freeze the coefficients at this instant, even if the state is not steady or they vary along the motion
    #[arg(long)]
    frozen: bool,
}

fn parse_axis(text: &str) -> Result<[f64; 3], String> {
    match text {
        "x" => return Ok([1.0, 0.0, 0.0]),
        "y" => return Ok([0.0, 1.0, 0.0]),
        "z" => return Ok([0.0, 0.0, 1.0]),
        _ => {}
    }
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|x| x.trim().parse::<f64>()).collect();
    match numbers.ok().and_then(|x| <[f64; 3]>::try_from(x).ok()) {
        Some(axis) if axis.iter().any(|x| *x != 0.0) => Ok(axis),
        _ => Err("write x, y, z, or three numbers such as 0,1,1".to_string()),
    }
}

impl From<LinearError> for CliError {
    fn from(e: LinearError) -> CliError {
        CliError::new(e.to_string())
    }
}

impl OperatingPoint {
    /// The linearised equations at this point; their assumptions are printed to stderr.
    pub fn linearised<'m>(&self, file: &ModelFile, model: &'m Model) -> Result<Linearised<'m>, CliError> {
        let mut state = assemble(model, &file.state(model), &AssemblySettings::default())?.state;
        if let Some(t) = self.at.filter(|t| !(t.is_finite() && *t >= state.t)) {
            let help = format!("the run starts at {} s; give a time from there on", state.t);
            return Err(CliError::with_help(format!("--at {t} is not a time of the run"), help));
        }
        if let Some(t) = self.at.filter(|t| *t > state.t) {
            state = self.run_to(file, model, &state, t)?;
        }
        let turning = self.rotating_frame(model, &state)?;
        if self.r#static {
            state = steady_state(model, &state, turning)?;
        }
        let lin = match self.frozen {
            true => linearise_frozen(model, &state, turning)?,
            false => linearise(model, &state, turning)?,
        };
        axial_load_warnings(model, &state).iter().for_each(|w| print_stderr(&format!("warning: {}", w.message)));
        lin.assumptions.messages().iter().for_each(|reported| print_stderr(reported));
        if self.frozen && (lin.unsteadiness > STEADINESS_TOLERANCE || lin.check_time_invariance().is_err()) {
            print_stderr(
                "warning: the state is not steady, or its coefficients vary; the results hold only for this instant",
            );
        }
        Ok(lin)
    }

    /// The rotating frame, if one is requested.
    fn rotating_frame(&self, model: &Model, state: &State) -> Result<Option<RotatingFrame>, CliError> {
        let Some(axis) = self.rotating_about else { return Ok(None) };
        if let Some(rate) = self.rate {
            return Ok(Some(RotatingFrame::about(axis, rate)));
        }
        match RotatingFrame::estimate(model, state, axis) {
            Some(turning) => Ok(Some(turning)),
            None => Err(CliError::with_help(
                "all bodies lie on the axis, so the angular velocity of the frame cannot be determined",
                "give it with --rate",
            )),
        }
    }

    fn run_to(&self, file: &ModelFile, model: &Model, start: &State, t: f64) -> Result<State, CliError> {
        let settings = Transient { t_end: t, output: Output::Ends, columns: Columns::None, ..file.transient.clone() };
        let found = simulate(model, start, &settings)?;
        if found.outcome != Outcome::Finished {
            return Err(CliError::new(format!("the run ends before {t} s: {}", found.outcome)));
        }
        Ok(found.final_state().clone())
    }
}

/// Reads and builds the model.
pub fn open_model(source: &ModelSource) -> Result<(ModelFile, Model), CliError> {
    source.open_model_file(&[], crate::options::OutputStyle::Text)
}
