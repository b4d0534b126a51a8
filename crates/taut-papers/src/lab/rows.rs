//! The result of a trial as named cells, shared by CSV and JSON.

use serde_json::{Map, Value, json};
use taut::analyses::laboratory::{Timing, TrialOutcome, TrialResult, TrialStepping};

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// A count.
    Count(u64),
    /// No value.
    Missing,
}

/// The cells of one trial.
#[derive(Clone, Debug)]
pub struct TrialRow {
    /// Name and value.
    pub cells: Vec<(&'static str, Cell)>,
}

impl TrialRow {
    /// The cells of one trial; all trials have the same names.
    pub fn of(finding: &TrialResult) -> TrialRow {
        let trial = &finding.trial;
        let text = |s: &str| if s.is_empty() { Cell::Missing } else { Cell::Text(s.to_string()) };
        let number = |x: Option<f64>| x.map_or(Cell::Missing, Cell::Number);
        let (rtol, atol, step) = match trial.stepping {
            TrialStepping::Tolerance { rtol, atol } => (Some(rtol), Some(atol), None),
            TrialStepping::Fixed(h) => (None, None, h),
        };
        let figures = finding.metrics.as_ref();
        let count =
            |pick: fn(&taut::Statistics) -> u64| figures.map_or(Cell::Missing, |f| Cell::Count(pick(&f.statistics)));
        let timing = figures.map_or(String::new(), |f| match f.timing {
            Timing::BestOf(n) => format!("minimum of {n} runs without output"),
            Timing::Recorded => "one run with output".to_string(),
        });
        let warnings: Vec<&str> = finding.warnings.iter().map(|w| w.message.as_str()).collect();
        let error = figures.and_then(|f| f.error);
        let cells = vec![
            ("formulation", text(trial.method.name())),
            ("drift", text(trial.drift.name())),
            ("control", text(&trial.drift_label())),
            ("integrator", text(trial.integrator.name())),
            ("rtol", number(rtol)),
            ("atol", number(atol)),
            ("step_s", number(step)),
            ("outcome", text(outcome_label(&finding.outcome))),
            ("reason", text(&reason(&finding.outcome))),
            ("steps", count(|s| s.steps)),
            ("rejected", count(|s| s.rejected)),
            ("refused", count(|s| s.refused)),
            ("evaluations", count(|s| s.evaluations)),
            ("time_s", number(figures.map(|f| f.seconds))),
            ("timing", text(&timing)),
            ("position", number(figures.map(|f| f.phi))),
            ("velocity", number(figures.map(|f| f.phidot))),
            ("acceleration", number(figures.map(|f| f.acceleration))),
            ("energy_largest_J", number(figures.map(|f| f.energy.largest))),
            ("energy_end_J", number(figures.map(|f| f.energy.end))),
            ("error_largest", number(error.map(|e| e.largest))),
            ("error_end", number(error.map(|e| e.end))),
            ("warnings", text(&warnings.join(" | "))),
        ];
        TrialRow { cells }
    }

    /// As a JSON object; missing and non-finite values are null.
    pub fn json(&self) -> Value {
        let value = |cell: &Cell| match cell {
            Cell::Text(s) => json!(s),
            Cell::Number(x) => json!(x.is_finite().then_some(*x)),
            Cell::Count(n) => json!(n),
            Cell::Missing => Value::Null,
        };
        Value::Object(self.cells.iter().map(|(name, cell)| (name.to_string(), value(cell))).collect::<Map<_, _>>())
    }

    /// As a line of CSV, without line feed.
    pub fn csv(&self) -> String {
        let value = |(_, cell): &(&str, Cell)| match cell {
            Cell::Text(s) if s.contains([',', '"', '\n', '\r']) => format!("\"{}\"", s.replace('"', "\"\"")),
            Cell::Text(s) => s.clone(),
            Cell::Number(x) => format!("{x:e}"),
            Cell::Count(n) => n.to_string(),
            Cell::Missing => String::new(),
        };
        self.cells.iter().map(value).collect::<Vec<_>>().join(",")
    }
}

fn outcome_label(ended: &TrialOutcome) -> &'static str {
    match ended {
        TrialOutcome::Finished => "finished",
        TrialOutcome::Stopped(_) => "stopped",
        TrialOutcome::Inapplicable(_) => "inapplicable",
        TrialOutcome::Interrupted => "interrupted",
    }
}

/// Why a trial has no result; empty if it has one.
pub fn reason(ended: &TrialOutcome) -> String {
    match ended {
        TrialOutcome::Finished => String::new(),
        TrialOutcome::Stopped(outcome) => outcome.to_string(),
        TrialOutcome::Inapplicable(why) => why.clone(),
        TrialOutcome::Interrupted => "interrupted".to_string(),
    }
}
