//! The columns of the printed table.

use crate::text::{Align, number, size};
use taut::analyses::laboratory::{TrialMetrics, TrialResult, TrialStepping};

/// A text column of the printed table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextColumn {
    Formulation,
    Drift,
    Integrator,
    StepControl,
}

impl TextColumn {
    fn head(self) -> &'static str {
        match self {
            TextColumn::Formulation => "formulation",
            TextColumn::Drift => "drift",
            TextColumn::Integrator => "integrator",
            TextColumn::StepControl => "rtol or step",
        }
    }

    fn of(self, f: &TrialResult) -> String {
        match (self, f.trial.stepping) {
            (TextColumn::Formulation, _) => f.trial.method.name().to_string(),
            (TextColumn::Drift, _) => f.trial.drift_label(),
            (TextColumn::Integrator, _) => f.trial.integrator.name().to_string(),
            (TextColumn::StepControl, TrialStepping::Tolerance { rtol, .. }) => format!("{rtol:e}"),
            (TextColumn::StepControl, TrialStepping::Fixed(Some(h))) => format!("{} s", number(h)),
            (TextColumn::StepControl, TrialStepping::Fixed(None)) => String::new(),
        }
    }
}

/// The columns of the printed table; integrator and tolerance or step only if they differ between trials.
pub struct Columns {
    /// The text columns.
    pub words: Vec<TextColumn>,
}

impl Columns {
    const NUMBERS: [&str; 9] =
        ["error", "time", "steps", "rejected", "evaluations", "position", "velocity", "acceleration", "energy"];

    pub fn of(shown: &[&TrialResult]) -> Columns {
        let differs = |w: &TextColumn| shown.iter().any(|f| w.of(f) != w.of(shown[0]));
        let mut words = vec![TextColumn::Formulation, TextColumn::Drift];
        words.extend([TextColumn::Integrator, TextColumn::StepControl].iter().filter(|w| differs(w)));
        Columns { words }
    }

    pub fn name(&self, f: &TrialResult) -> Vec<String> {
        self.words.iter().map(|w| w.of(f)).collect()
    }

    pub fn head(&self) -> Vec<String> {
        self.words.iter().map(|w| w.head()).chain(Columns::NUMBERS).map(str::to_string).collect()
    }

    pub fn align(&self) -> Vec<Align> {
        [vec![Align::Left; self.words.len()], vec![Align::Right; Columns::NUMBERS.len()]].concat()
    }

    pub fn row(&self, f: &TrialResult) -> Vec<String> {
        let mut cells = self.name(f);
        let Some(TrialMetrics { statistics: s, seconds, phi, phidot, acceleration, energy, error, .. }) = &f.metrics
        else {
            return cells;
        };
        cells.push(error.map_or_else(|| "?".to_string(), |e| size(e.largest)));
        cells.push(three_digit_time(*seconds));
        cells.extend([s.steps, s.rejected, s.evaluations].map(|n| n.to_string()));
        cells.extend([*phi, *phidot, *acceleration, energy.largest].map(size));
        cells
    }
}

/// A time with three digits, in milliseconds up to ten seconds, so that values in a column are easy to compare.
fn three_digit_time(seconds: f64) -> String {
    match 1e3 * seconds {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms if ms < 1e4 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", 1e-3 * ms),
    }
}

#[cfg(test)]
mod tests {
    use super::three_digit_time;

    #[test]
    fn times_with_three_digits() {
        assert_eq!([2.5e-5, 0.0123, 0.5, 12.0].map(three_digit_time), ["0.03 ms", "12.3 ms", "500 ms", "12.0 s"]);
    }
}
