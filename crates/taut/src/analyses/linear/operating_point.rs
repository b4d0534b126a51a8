//! The state about which the equations are linearised: the start, a time of the run or an equilibrium; in a fixed or rotating frame.

use super::{LinearError, Linearised, RotatingFrame, STEADINESS_TOLERANCE, linearise, linearise_frozen, steady_state};
use crate::analyses::{AnalysisError, AssemblySettings, Output, Transient, assemble, axial_load_warnings, simulate};
use crate::model::Model;
use crate::solution::{Columns, Outcome};
use crate::state::State;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The moment at which the equations are linearised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinearisedAt {
    /// The assembled start.
    #[default]
    Start,
    /// This time of a run from the start, s.
    Time(f64),
    /// The static equilibrium near the start, in the rotating frame if there is one.
    Equilibrium,
}

/// What to do if the coefficients vary along the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VaryingCoefficients {
    /// Report an error.
    #[default]
    Reject,
    /// Take those of this instant.
    Freeze,
}

/// The state about which the equations are linearised, and the frame in which they are described.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
/// use taut::analyses::linear::{LinearisedAt, OperatingPoint};
///
/// let mut spec = Spec::new();
/// spec.gravity([0.0, -9.81, 0.0])
///     .body("bob", PointMass::new(1.0, [2.0, 0.0, 0.0]))
///     .constraint("rod", Relation::rod("ground", "bob", 2.0));
/// let model = spec.build()?;
/// let hanging = OperatingPoint { at: LinearisedAt::Equilibrium, ..OperatingPoint::default() };
/// let small = hanging.linearise(&model, &model.initial_state(), &Transient::default())?;
/// let swings = modes(&small, ModeRequest::All)?;
/// assert!((swings.modes[0].omega() - (9.81_f64 / 2.0).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OperatingPoint {
    /// The moment.
    pub at: LinearisedAt,
    /// Axis of a frame that rotates.
    pub rotating_about: Option<[f64; 3]>,
    /// Angular velocity of that frame, rad/s; default: that of the bodies about the axis.
    pub rate: Option<f64>,
    /// What to do if the coefficients vary.
    pub varying: VaryingCoefficients,
}

/// Why there is no linearisation at an operating point.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum OperatingPointError {
    /// The start cannot be assembled, or the run cannot begin.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// The equations cannot be linearised there.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The time is not finite, or lies before the start.
    #[error("{t} is not a time of the run, which starts at {start} s")]
    Time {
        /// The time.
        t: f64,
        /// The start of the run, s.
        start: f64,
    },
    /// No body shows how fast the frame rotates.
    #[error("all bodies lie on the axis, so the angular velocity of the frame cannot be determined")]
    NoRate,
    /// The run ends before the requested time.
    #[error("the run ends before {t} s: {outcome}")]
    RunEnds {
        /// The requested time, s.
        t: f64,
        /// Why it ends.
        outcome: Box<Outcome>,
    },
}

impl OperatingPoint {
    /// The linearised equations at this point; `settings` are those of the run to a later time.
    ///
    /// # Errors
    /// The point cannot be reached, or the equations cannot be linearised there.
    pub fn linearise<'m>(
        &self,
        model: &'m Model,
        given: &State,
        settings: &Transient,
    ) -> Result<Linearised<'m>, OperatingPointError> {
        let (state, turning) = self.state(model, given, settings)?;
        Ok(match self.varying {
            VaryingCoefficients::Freeze => linearise_frozen(model, &state, turning)?,
            VaryingCoefficients::Reject => linearise(model, &state, turning)?,
        })
    }

    /// The state of this point, and the rotating frame, if one is requested.
    ///
    /// # Errors
    /// The point cannot be reached, or the rate of the frame is unknown.
    pub fn state(
        &self,
        model: &Model,
        given: &State,
        settings: &Transient,
    ) -> Result<(State, Option<RotatingFrame>), OperatingPointError> {
        let mut state = assemble(model, given, &AssemblySettings::default())?.state;
        if let LinearisedAt::Time(t) = self.at {
            if !(t.is_finite() && t >= state.t) {
                return Err(OperatingPointError::Time { t, start: state.t });
            }
            if t > state.t {
                state = run_to(model, &state, settings, t)?;
            }
        }
        let turning = self.rotating_frame(model, &state)?;
        if self.at == LinearisedAt::Equilibrium {
            state = steady_state(model, &state, turning)?;
        }
        Ok((state, turning))
    }

    /// What the reader of results of this linearisation should know.
    pub fn notices(&self, lin: &Linearised) -> Vec<String> {
        let loads = axial_load_warnings(lin.model, &lin.state);
        let mut list: Vec<String> = loads.iter().map(|w| format!("warning: {}", w.message)).collect();
        list.extend(lin.assumptions.messages());
        let frozen = self.varying == VaryingCoefficients::Freeze;
        if frozen && (lin.unsteadiness > STEADINESS_TOLERANCE || lin.check_time_invariance().is_err()) {
            let message = "the state is not steady, or its coefficients vary; the results hold only for this instant";
            list.push(format!("warning: {message}"));
        }
        list
    }

    /// The rotating frame, if one is requested.
    fn rotating_frame(&self, model: &Model, state: &State) -> Result<Option<RotatingFrame>, OperatingPointError> {
        let Some(axis) = self.rotating_about else { return Ok(None) };
        if let Some(rate) = self.rate {
            return Ok(Some(RotatingFrame::about(axis, rate)));
        }
        RotatingFrame::estimate(model, state, axis).map(Some).ok_or(OperatingPointError::NoRate)
    }
}

/// The state of a run at a time.
fn run_to(model: &Model, start: &State, settings: &Transient, t: f64) -> Result<State, OperatingPointError> {
    let settings = Transient { t_end: t, output: Output::Ends, columns: Columns::None, ..settings.clone() };
    let found = simulate(model, start, &settings)?;
    if found.outcome != Outcome::Finished {
        return Err(OperatingPointError::RunEnds { t, outcome: Box::new(found.outcome) });
    }
    Ok(found.final_state().clone())
}
