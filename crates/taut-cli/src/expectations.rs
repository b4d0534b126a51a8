//! Checks the results of a run against the `[[expect]]` entries of its model.

use serde_json::{Value, json};
use taut::Table;
use taut_io::model::{Expectation, ExpectedAt};
use taut_io::results::{ResultsError, StoredRun};
use taut_papers::text::number;

/// Relative difference below which two times are equal.
const TIME_MATCH_TOLERANCE: f64 = 1e-9;

/// Result of checking one expectation.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectationResult {
    /// The value is within the tolerance.
    Met(f64),
    /// The value is outside the tolerance.
    Missed(f64),
    /// The results do not contain the value; the text says why.
    Unknown(String),
}

/// An expectation and the result of checking it.
#[derive(Clone, Debug)]
pub struct CheckedExpectation {
    expectation: Expectation,
    verdict: ExpectationResult,
}

impl CheckedExpectation {
    /// Whether it is met.
    pub fn is_met(&self) -> bool {
        matches!(self.verdict, ExpectationResult::Met(_))
    }

    /// The result as a sentence.
    pub fn text(&self) -> String {
        let Expectation { column, value, tolerance, source, .. } = &self.expectation;
        let place = match self.expectation.at {
            ExpectedAt::Time(t) => format!("at t = {} s", number(t)),
            ExpectedAt::Max => "at its largest".to_string(),
            ExpectedAt::Min => "at its smallest".to_string(),
            ExpectedAt::Final => "at the end".to_string(),
        };
        let source = if source.is_empty() { String::new() } else { format!(" ({source})") };
        // All digits, so that the value and the expected one can be reported apart.
        match &self.verdict {
            ExpectationResult::Met(x) => format!("`{column}` {place} is {x}, within {tolerance:e} of {value}{source}"),
            ExpectationResult::Missed(x) => {
                let apart = (x - value).abs();
                format!(
                    "`{column}` {place} is {x}; it differs from {value} by {apart:.3e}, more than {tolerance:e}{source}"
                )
            }
            ExpectationResult::Unknown(why) => format!("`{column}` {place}: {why}"),
        }
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let (verdict, found) = match &self.verdict {
            ExpectationResult::Met(x) => ("met", json!(x)),
            ExpectationResult::Missed(x) => ("missed", json!(x)),
            ExpectationResult::Unknown(why) => ("unknown", json!(why)),
        };
        let e = &self.expectation;
        json!({ "column": e.column, "verdict": verdict, "found": found, "value": e.value, "tolerance": e.tolerance })
    }
}

/// Checks expectations against the results in a folder.
///
/// # Errors
/// The results cannot be read.
pub fn check_expectations(run: &StoredRun, list: &[Expectation]) -> Result<Vec<CheckedExpectation>, ResultsError> {
    // One pass over the table reads all columns that exist.
    let mut names = vec!["t"];
    for expectation in list {
        if run.describe(&expectation.column).is_ok() && !names.contains(&expectation.column.as_str()) {
            names.push(&expectation.column);
        }
    }
    let table = if list.is_empty() { Table::default() } else { run.table(&names)? };
    let mut checked = Vec::with_capacity(list.len());
    for expectation in list {
        let found = match run.describe(&expectation.column) {
            Ok(column) => match (table.get("t"), table.get(&column.name)) {
                (Ok(t), Ok(x)) => recorded_value(&t.data, &x.data, expectation.at),
                _ => Err("the column was not read".to_string()),
            },
            Err(e) => Err(e.to_string()),
        };
        let verdict = match found {
            Err(why) => ExpectationResult::Unknown(why),
            Ok(x) if (x - expectation.value).abs() <= expectation.tolerance => ExpectationResult::Met(x),
            Ok(x) => ExpectationResult::Missed(x),
        };
        checked.push(CheckedExpectation { expectation: expectation.clone(), verdict });
    }
    Ok(checked)
}

/// The value to be checked; linear interpolation between two rows.
fn recorded_value(t: &[f64], x: &[f64], at: ExpectedAt) -> Result<f64, String> {
    let none = || "nothing was recorded".to_string();
    match at {
        ExpectedAt::Max => x.iter().copied().reduce(f64::max).ok_or_else(none),
        ExpectedAt::Min => x.iter().copied().reduce(f64::min).ok_or_else(none),
        ExpectedAt::Final => x.last().copied().ok_or_else(none),
        ExpectedAt::Time(wanted) => {
            let near = TIME_MATCH_TOLERANCE * wanted.abs().max(1.0);
            if let Some(i) = t.iter().position(|t| (t - wanted).abs() <= near) {
                return Ok(x[i]);
            }
            let after = t.partition_point(|t| *t < wanted);
            match (after.checked_sub(1), t.get(after)) {
                (Some(i), Some(later)) => Ok(x[i] + (x[i + 1] - x[i]) * (wanted - t[i]) / (later - t[i])),
                _ => Err("nothing was recorded at that time".to_string()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_times_and_extremes() {
        let (t, x) = ([0.0, 0.1, 0.2], [1.0, 3.0, 2.0]);
        let found = |at| recorded_value(&t, &x, at);
        assert_eq!(found(ExpectedAt::Max), Ok(3.0));
        assert_eq!(found(ExpectedAt::Min), Ok(1.0));
        assert_eq!(found(ExpectedAt::Final), Ok(2.0));
        assert_eq!(found(ExpectedAt::Time(0.1 + 1e-12)), Ok(3.0));
        assert!((found(ExpectedAt::Time(0.15)).unwrap_or(0.0) - 2.5).abs() < 1e-12);
        assert!(found(ExpectedAt::Time(0.3)).is_err() && recorded_value(&[], &[], ExpectedAt::Final).is_err());
    }
}
