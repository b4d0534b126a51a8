//! The motion that the drivers of a model prescribe completely, at the output times of its file.

use super::ModelFile;
use taut::analyses::{AnalysisError, Output, Transient, kinematic};
use taut::constraints::RowLevel;
use taut::{Model, Solution};

/// Number of outputs if the model asks for one per step; a kinematic analysis has no steps.
const DEFAULT_OUTPUT_COUNT: usize = 200;

impl ModelFile {
    /// Computes the prescribed motion at the output times.
    ///
    /// # Errors
    /// The motion is not prescribed completely, the first pose cannot be assembled, or the output times are invalid.
    pub fn prescribed_motion(&self, model: &Model) -> Result<Solution, AnalysisError> {
        kinematic(model, &self.state(model), &output_times(&self.transient, self.start_time)?)
    }
}

/// A remedy if the motion is not prescribed because a driver prescribes no position.
pub fn prescription_remedy(model: &Model, error: &AnalysisError) -> Option<String> {
    let AnalysisError::NotDriven { .. } = error else { return None };
    let row = (0..model.rows.len()).find(|&r| model.rows[r].level != RowLevel::Position)?;
    Some(format!(
        "`{}` prescribes a velocity or acceleration, which does not determine the pose; prescribe a `position` instead",
        model.row_name(row)
    ))
}

/// Output times from `start` on.
fn output_times(settings: &Transient, start: f64) -> Result<Vec<f64>, AnalysisError> {
    const MOST: u64 = 10_000_000;
    let (end, span) = (settings.t_end, settings.t_end - start);
    if !span.is_finite() || span < 0.0 {
        return Err(AnalysisError::EndTime { t_end: end, t: start });
    }
    match &settings.output {
        Output::Times(times) => Ok(times.clone()),
        Output::Ends => Ok(vec![start, end]),
        Output::Steps => {
            Ok((0..=DEFAULT_OUTPUT_COUNT).map(|i| start + span * i as f64 / DEFAULT_OUTPUT_COUNT as f64).collect())
        }
        Output::Every(interval) => {
            let count = span / interval;
            if !interval.is_finite() || *interval <= 0.0 || count > MOST as f64 {
                return Err(AnalysisError::Interval { found: *interval, most: MOST });
            }
            // A last interval that is only round-off is dropped.
            let whole = (count * (1.0 + 4.0 * f64::EPSILON)).floor() as u64;
            let mut times: Vec<f64> = (0..=whole).map(|i| (start + i as f64 * interval).min(end)).collect();
            match times.last_mut() {
                Some(last) if end - *last <= 1e-9 * interval => *last = end,
                _ => times.push(end),
            }
            Ok(times)
        }
    }
}
