//! `taut kinematics`: the motion that the drivers prescribe in full.

use crate::ending::Failure;
use taut::analyses::{AnalysisError, Output, Transient, kinematic};
use taut::constraints::Level;
use taut::{Model, Solution};

/// Outputs of a motion whose file names neither an interval nor times.
const OUTPUTS: usize = 200;

/// Follows the prescribed motion through the times of output.
///
/// # Errors
/// A motion that is not prescribed in full, a first pose that cannot be assembled, senseless times.
pub fn follow(model: &Model, settings: &Transient) -> Result<Solution, AnalysisError> {
    let state = model.initial_state();
    kinematic(model, &state, &times(settings, state.t)?)
}

/// The same error as a failure, with what to do about drivers that fix no pose.
pub fn failure(model: &Model, error: AnalysisError) -> Failure {
    let loose = (0..model.rows.len()).find(|&r| model.rows[r].level != Level::Position);
    match (&error, loose) {
        (AnalysisError::NotDriven { .. }, Some(row)) => {
            let help = format!(
                "`{}` is given as a velocity or acceleration, which fixes no pose; give it as a `position`",
                model.row_name(row)
            );
            Failure::with_help(error.to_string(), help)
        }
        _ => error.into(),
    }
}

/// Times of output from `start` on.
fn times(settings: &Transient, start: f64) -> Result<Vec<f64>, AnalysisError> {
    let span = settings.t_end - start;
    if !span.is_finite() || span < 0.0 {
        return Err(AnalysisError::EndTime { t_end: settings.t_end, t: start });
    }
    let evenly = |count: usize| (0..=count).map(|i| start + span * i as f64 / count as f64).collect();
    match &settings.output {
        Output::Times(times) => Ok(times.clone()),
        Output::Ends => Ok(vec![start, settings.t_end]),
        Output::Steps => Ok(evenly(OUTPUTS)),
        Output::Every(interval) => {
            const MOST: u64 = 10_000_000;
            let count = span / interval;
            if !interval.is_finite() || *interval <= 0.0 || count > MOST as f64 {
                return Err(AnalysisError::Interval { found: *interval, most: MOST });
            }
            let whole = (count * (1.0 + 4.0 * f64::EPSILON)).floor() as usize;
            let mut times: Vec<f64> = (0..=whole).map(|i| (start + i as f64 * interval).min(settings.t_end)).collect();
            if settings.t_end - start - whole as f64 * interval > 1e-9 * interval {
                times.push(settings.t_end);
            }
            Ok(times)
        }
    }
}
