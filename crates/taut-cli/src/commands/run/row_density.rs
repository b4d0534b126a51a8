//! How many rows a run records: as its model asks, or as many as the eye wants.

use taut::analyses::Output;

/// How many rows are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowDensity {
    /// As the model asks.
    #[default]
    AsInModel,
    /// Those, and so many between them that the motion looks smooth.
    Smooth,
}

/// Rows of a run that looks smooth.
const SMOOTH_ROW_COUNT: f64 = 400.0;

impl RowDensity {
    /// The output with more rows; all that were requested are still among them.
    pub fn apply(self, output: &mut Output, start: f64, end: f64) {
        let span = end - start;
        if self == RowDensity::AsInModel || !(span > 0.0 && span.is_finite()) {
            return;
        }
        match output {
            Output::Every(dt) => *dt /= (SMOOTH_ROW_COUNT * *dt / span).ceil().clamp(1.0, SMOOTH_ROW_COUNT),
            Output::Times(times) => {
                times.extend((0..=SMOOTH_ROW_COUNT as usize).map(|k| start + span * k as f64 / SMOOTH_ROW_COUNT));
                times.sort_by(f64::total_cmp);
                times.dedup();
            }
            Output::Steps => {}
            Output::Ends => *output = Output::Every(span / SMOOTH_ROW_COUNT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requested_times_are_still_there() {
        let mut few = Output::Every(0.25);
        RowDensity::Smooth.apply(&mut few, 0.0, 10.0);
        assert_eq!(few, Output::Every(0.025));
        let mut many = Output::Every(1e-3);
        RowDensity::Smooth.apply(&mut many, 0.0, 10.0);
        assert_eq!(many, Output::Every(1e-3));
        let mut times = Output::Times(vec![0.123, 2.0]);
        RowDensity::Smooth.apply(&mut times, 0.0, 2.0);
        let Output::Times(all) = times else { panic!("times stay times") };
        assert!(all.len() == 402 && all.contains(&0.123) && all.is_sorted(), "{}", all.len());
        let mut given = Output::Ends;
        RowDensity::AsInModel.apply(&mut given, 0.0, 1.0);
        assert_eq!(given, Output::Ends);
    }
}
