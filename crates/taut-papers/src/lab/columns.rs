//! The columns of the printed table.

use crate::text::{Align, number, size};
use taut::analyses::laboratory::{Figures, Finding, Pace};

/// A text column of the printed table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Formulation,
    Drift,
    Integrator,
    Pace,
}

impl Word {
    fn head(self) -> &'static str {
        match self {
            Word::Formulation => "formulation",
            Word::Drift => "drift",
            Word::Integrator => "integrator",
            Word::Pace => "rtol or step",
        }
    }

    fn of(self, f: &Finding) -> String {
        match (self, f.trial.pace) {
            (Word::Formulation, _) => f.trial.method.name().to_string(),
            (Word::Drift, _) => f.trial.control(),
            (Word::Integrator, _) => f.trial.integrator.name().to_string(),
            (Word::Pace, Pace::Tolerance { rtol, .. }) => format!("{rtol:e}"),
            (Word::Pace, Pace::Step(Some(h))) => format!("{} s", number(h)),
            (Word::Pace, Pace::Step(None)) => String::new(),
        }
    }
}

/// The columns of the printed table; integrator and tolerance or step only if they differ between trials.
pub struct Columns {
    /// The text columns.
    pub words: Vec<Word>,
}

impl Columns {
    const NUMBERS: [&str; 9] =
        ["error", "time", "steps", "rejected", "evaluations", "position", "velocity", "acceleration", "energy"];

    pub fn of(shown: &[&Finding]) -> Columns {
        let differs = |w: &Word| shown.iter().any(|f| w.of(f) != w.of(shown[0]));
        let mut words = vec![Word::Formulation, Word::Drift];
        words.extend([Word::Integrator, Word::Pace].iter().filter(|w| differs(w)));
        Columns { words }
    }

    pub fn name(&self, f: &Finding) -> Vec<String> {
        self.words.iter().map(|w| w.of(f)).collect()
    }

    pub fn head(&self) -> Vec<String> {
        self.words.iter().map(|w| w.head()).chain(Columns::NUMBERS).map(str::to_string).collect()
    }

    pub fn align(&self) -> Vec<Align> {
        [vec![Align::Left; self.words.len()], vec![Align::Right; Columns::NUMBERS.len()]].concat()
    }

    pub fn row(&self, f: &Finding) -> Vec<String> {
        let mut cells = self.name(f);
        let Some(Figures { statistics: s, seconds, phi, phidot, acceleration, energy, error, .. }) = &f.figures else {
            return cells;
        };
        cells.push(error.map_or_else(|| "?".to_string(), |e| size(e.largest)));
        cells.push(time(*seconds));
        cells.extend([s.steps, s.rejected, s.evaluations].map(|n| n.to_string()));
        cells.extend([*phi, *phidot, *acceleration, energy.largest].map(size));
        cells
    }
}

/// A time with three digits, in milliseconds up to ten seconds, so that values in a column are easy to compare.
fn time(seconds: f64) -> String {
    match 1e3 * seconds {
        ms if ms < 10.0 => format!("{ms:.2} ms"),
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms if ms < 1e4 => format!("{ms:.0} ms"),
        ms => format!("{:.1} s", 1e-3 * ms),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_with_three_digits() {
        assert_eq!([2.5e-5, 0.0123, 0.5, 12.0].map(time), ["0.03 ms", "12.3 ms", "500 ms", "12.0 s"]);
    }
}
