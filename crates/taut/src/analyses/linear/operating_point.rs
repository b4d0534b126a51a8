//! The operating point of a linearisation: the start, a time of the run or an equilibrium; in a fixed or rotating frame.

use super::{LinearError, Linearised, RotatingFrame, linearise, linearise_frozen, steady_state};
use crate::analyses::{AnalysisError, AssemblySettings, Output, Transient, assemble, simulate};
use crate::model::Model;
use crate::solution::{Columns, Outcome};
use crate::state::State;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The state about which the equations are linearised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OperatingPoint {
    /// A time of the run, s; none for the assembled start.
    pub time: Option<f64>,
    /// Whether the equilibrium near that state is searched.
    pub equilibrium: bool,
    /// Axis of a rotating frame.
    pub rotating_about: Option<[f64; 3]>,
    /// Angular velocity of that frame, rad/s; none for that of the bodies about the axis.
    pub rate: Option<f64>,
    /// Whether the coefficients are frozen, even if the state is not steady.
    pub frozen: bool,
}

/// Why there is no linearisation at an operating point.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum OperatingPointError {
    /// The start cannot be assembled, or the run cannot begin.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// There is no equilibrium, or the state is not steady.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The time is before the start.
    #[error("{t} s is not a time of the run, which starts at {start} s")]
    BeforeStart {
        /// The time.
        t: f64,
        /// The start.
        start: f64,
    },
    /// The run stops before the time.
    #[error("the run ends before {t} s: {outcome}")]
    RunEnds {
        /// The time.
        t: f64,
        /// How it ends.
        outcome: Outcome,
    },
    /// No body shows how fast the frame rotates.
    #[error("all bodies lie on the axis, so the angular velocity of the frame cannot be determined")]
    UnknownRate,
}

impl OperatingPoint {
    /// The linearised equations at this point. The settings are those of the run to [`time`](OperatingPoint::time).
    ///
    /// # Errors
    /// The state cannot be reached, is not an equilibrium or is not steady.
    pub fn linearise<'m>(
        &self,
        model: &'m Model,
        start: &State,
        settings: &Transient,
    ) -> Result<Linearised<'m>, OperatingPointError> {
        let mut state = assemble(model, start, &AssemblySettings::default())?.state;
        if let Some(t) = self.time.filter(|t| !(t.is_finite() && *t >= state.t)) {
            return Err(OperatingPointError::BeforeStart { t, start: state.t });
        }
        if let Some(t) = self.time.filter(|t| *t > state.t) {
            let settings = Transient { t_end: t, output: Output::Ends, columns: Columns::None, ..settings.clone() };
            let found = simulate(model, &state, &settings)?;
            if found.outcome != Outcome::Finished {
                return Err(OperatingPointError::RunEnds { t, outcome: found.outcome });
            }
            state = found.final_state().clone();
        }
        let frame = match (self.rotating_about, self.rate) {
            (None, _) => None,
            (Some(axis), Some(rate)) => Some(RotatingFrame::about(axis, rate)),
            (Some(axis), None) => {
                Some(RotatingFrame::estimate(model, &state, axis).ok_or(OperatingPointError::UnknownRate)?)
            }
        };
        if self.equilibrium {
            state = steady_state(model, &state, frame)?;
        }
        Ok(match self.frozen {
            true => linearise_frozen(model, &state, frame)?,
            false => linearise(model, &state, frame)?,
        })
    }
}
